//! The committed results: a row for all repetitions of a point.

use crate::pages::Csv;
use std::fmt;

const RESULTS: &str = include_str!("../../../../docs/results/rhinet2.csv");

/// A mean, and the half-width of its interval (95 %).
#[derive(Clone, Copy, Debug)]
pub(super) struct Figure {
    pub(super) value: f64,
    pub(super) half: f64,
}

pub(super) struct Results {
    /// By figure, network, traffic, buffers, routing and ties.
    rows: Vec<([String; 6], Figure)>,
}

impl Results {
    pub(super) fn read() -> Self {
        let csv = Csv::read(RESULTS);
        let columns = ["figure", "network", "traffic", "buffers", "routing", "ties"];
        let rows = csv.records().map(|row| {
            let place = columns.map(|column| row.text(column).to_owned());
            let [value, half] = ["value", "half"].map(|column| row.number(column));
            (place, Figure { value, half })
        });
        Self {
            rows: rows.collect(),
        }
    }

    pub(super) fn of(
        &self,
        figure: &str,
        network: &str,
        traffic: &str,
        buffers: &str,
        routing: &str,
        ties: &str,
    ) -> Figure {
        let place = [figure, network, traffic, buffers, routing, ties];
        let found = self.rows.iter().find(|(at, _)| *at == place);
        found.unwrap_or_else(|| panic!("no {place:?}")).1
    }

    /// A network with its hosts at random places, as often as it was simulated.
    pub(super) fn placed(&self, network: &str) -> impl Iterator<Item = &str> {
        let begin = format!("{network} placed ");
        let rows = self.rows.iter().map(|(place, _)| place);
        let of_one = rows.filter(move |[figure, at, _, _, routing, _]| {
            figure == "barrier" && routing == "sbp" && at.starts_with(&begin)
        });
        of_one.map(|[_, at, ..]| at.as_str())
    }

    /// The networks of the ensemble, by seed.
    pub(super) fn clusters(&self) -> impl Iterator<Item = &str> {
        let rows = self.rows.iter().map(|(place, _)| place);
        let of_one = rows.filter(|[figure, network, traffic, _, routing, _]| {
            figure == "barrier"
                && traffic == "dissemination"
                && routing == "sbp"
                && network.parse::<u32>().is_ok()
        });
        of_one.map(|[_, network, ..]| network.as_str())
    }
}

/// By how much one figure is better than another, as a share.
#[derive(Clone, Copy, Debug)]
pub(super) struct Gain {
    pub(super) mean: f64,
    pub(super) half: f64,
}

impl Gain {
    /// Of this figure: barriers take time, and everything else is carried.
    pub(super) fn of(name: &str, figure: Figure, base: Figure) -> Self {
        match name {
            "barrier" => Self::less(figure, base),
            _ => Self::more(figure, base),
        }
    }

    /// Of what should be large.
    pub(super) fn more(figure: Figure, base: Figure) -> Self {
        let mean = figure.value / base.value - 1.0;
        Self::with(mean, figure, base, figure.value / base.value)
    }

    /// Of what should be small: by how much less time it takes.
    pub(super) fn less(figure: Figure, base: Figure) -> Self {
        let mean = 1.0 - figure.value / base.value;
        Self::with(mean, figure, base, figure.value / base.value)
    }

    fn with(mean: f64, figure: Figure, base: Figure, ratio: f64) -> Self {
        let half = ratio * (figure.half / figure.value).hypot(base.half / base.value);
        Self { mean, half }
    }

    pub(super) fn is_about(&self, value: f64, within: f64) -> bool {
        (self.mean - value).abs() <= within
    }

    /// Is it less than so much either way, or within its interval?
    pub(super) fn is_nothing(&self, same: f64) -> bool {
        self.beyond(same) <= 0.0
    }

    /// By how much it is more than that.
    pub(super) fn beyond(&self, same: f64) -> f64 {
        self.mean.abs() - self.half.max(same)
    }
}

impl fmt::Display for Gain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Not "-0".
        let [mean, half] = [self.mean, self.half].map(|share| (100.0 * share).round() + 0.0);
        write!(f, "{mean:+} ± {half} %")
    }
}
