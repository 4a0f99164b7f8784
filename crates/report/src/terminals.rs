//! The section on terminals: does everyone get a share?

use super::detailed::{self, PointDetails};
use super::model::Report;
use super::sorted::{Sorted, staircase};
use super::svg::Figure;
use super::text::{count, number};

/// The section; empty if no point has terminals.
pub(super) fn section(report: &Report) -> String {
    let how = "Every terminal that sent anything in the measurement window, by how much of it arrived. \
               Fairness is Jain&#39;s index of the shares of their flits that terminals got accepted: 1 if all are equal.";
    detailed::section(report, how, figure)
}

/// The accepted loads of a point's terminals.
pub(super) fn figure(point: &PointDetails, about: &str) -> Option<Figure> {
    let mut figure = staircase(
        &Sorted {
            title: "Accepted by terminal",
            about,
            unit: "flits/cycle",
            of: "terminals",
        },
        &point.terminals,
    )?;
    let known = || point.terminals.iter().copied().filter(|l| l.is_finite());
    let least = known().fold(f64::INFINITY, f64::min);
    let most = known().fold(f64::NEG_INFINITY, f64::max);
    let fairness = match point.fairness.is_finite() {
        true => format!(" Fairness {}.", number(point.fairness)),
        false => String::new(),
    };
    figure.caption.push(format!(
        "{} terminals: least {}, most {} flits per cycle.{fairness}",
        count(known().count() as u64),
        number(least),
        number(most)
    ));
    Some(figure)
}
