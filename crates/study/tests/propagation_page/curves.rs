//! Results of the studies as curves over the load.

use crate::pages::{Csv, Record, mean};

/// The weights of the propagation ratio that were measured.
pub(crate) const WEIGHTS: [f64; 3] = [0.0, 0.25, 0.5];

/// What was measured at one load, in the mean over repetitions.
#[derive(Clone, Copy)]
pub(crate) struct Point {
    pub(crate) load: f64,
    pub(crate) accepted: f64,
    pub(crate) is_saturated: bool,
    pub(crate) routers: f64,
    pub(crate) latency: f64,
    pub(crate) tail: f64,
    pub(crate) nonminimal: f64,
}

/// A configuration under one pattern: a curve for each weight.
pub(crate) struct Curves {
    pub(crate) name: &'static str,
    curves: [Vec<Point>; 3],
}

impl Curves {
    /// The rows of `csv` that `choose` says yes to.
    pub(crate) fn of(
        name: &'static str,
        csv: &Csv,
        choose: impl Fn(Record<'_>) -> bool + Copy,
    ) -> Self {
        let curve = |weight| {
            let rows = csv.records().filter(move |row| {
                row.number("routing.propagation_weight") == weight && choose(*row)
            });
            points(rows.collect())
        };
        let curves = WEIGHTS.map(curve);
        Self { name, curves }
    }

    pub(crate) fn of_weight(&self, weight: f64) -> &[Point] {
        let place = WEIGHTS.iter().position(|known| *known == weight);
        &self.curves[place.unwrap()]
    }

    /// The most that is accepted at any load.
    pub(crate) fn most(&self, weight: f64) -> f64 {
        let accepted = self.of_weight(weight).iter().map(|point| point.accepted);
        accepted.fold(0.0, f64::max)
    }

    /// The highest load that does not saturate, nor any below it.
    pub(crate) fn carried(&self, weight: f64) -> f64 {
        let points = self.of_weight(weight).iter();
        let carried = points.take_while(|point| !point.is_saturated);
        carried.last().map_or(0.0, |point| point.load)
    }

    /// The load where most is accepted: the end of the curve, for a network that is given more only fills up.
    pub(crate) fn end(&self, weight: f64) -> Point {
        let points = self.of_weight(weight).iter();
        let end = points.reduce(|a, b| if b.accepted > a.accepted { b } else { a });
        *end.unwrap()
    }

    /// Loads at which neither of two weights saturates, with both points.
    pub(crate) fn pairs(&self, weight: f64) -> impl Iterator<Item = (Point, Point)> + '_ {
        let plain = self.of_weight(0.0).iter();
        let weighted = self.of_weight(weight);
        let pair = move |plain: &Point| {
            let other = weighted.iter().find(|other| other.load == plain.load)?;
            (!plain.is_saturated && !other.is_saturated).then_some((*plain, *other))
        };
        plain.filter_map(pair)
    }
}

fn points(rows: Vec<Record<'_>>) -> Vec<Point> {
    let mut loads: Vec<f64> = rows.iter().map(|row| row.number("offered_load")).collect();
    loads.sort_by(f64::total_cmp);
    loads.dedup();
    let point = |load: f64| {
        let at = || {
            rows.iter()
                .filter(move |row| row.number("offered_load") == load)
        };
        let figure = |column| mean(at().map(|row| row.number(column)));
        Point {
            load,
            accepted: figure("accepted_load"),
            is_saturated: at().any(|row| row.is("saturated")),
            routers: figure("mean_routers"),
            latency: figure("mean_packet_latency"),
            tail: figure("latency_p999"),
            nonminimal: figure("nonminimal_share"),
        }
    };
    loads.into_iter().map(point).collect()
}
