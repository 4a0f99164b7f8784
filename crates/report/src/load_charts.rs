//! The charts of one panel: latency, throughput, tail latency, path length, saturation; makespan and transactions
//! of workloads.

use super::beside::{CYCLES, LOADS};
use super::chart::{Chart, Curve, Extent, Mark, State};
use super::model::{Across, LoadPoint, Panel, Report, Series};
use super::palette;

/// The axis all these charts share.
pub(super) const OFFERED: &str = "offered load [flits/terminal/cycle]";

/// What one chart of a panel shows.
struct Measure {
    /// Beginning of the name of a stand-alone file.
    file: &'static str,
    title: &'static str,
    unit: &'static str,
    extent: Extent,
    diagonal: bool,
    value: fn(&LoadPoint) -> f64,
    half_width: fn(&LoadPoint) -> f64,
}

/// Along an axis of loads this is a mark and not a curve.
const SATURATION: &str = "saturation-load";
/// The chart that every panel has.
const LATENCY: &str = "load-latency";

const MEASURES: &[Measure] = &[
    Measure {
        file: "makespan",
        title: "Makespan",
        unit: CYCLES,
        extent: Extent::Everything,
        diagonal: false,
        value: |p| p.makespan,
        half_width: |_| f64::NAN,
    },
    Measure {
        file: "transaction-time",
        title: "Mean transaction time",
        unit: CYCLES,
        extent: Extent::Everything,
        diagonal: false,
        value: |p| p.transaction_time,
        half_width: |_| f64::NAN,
    },
    Measure {
        file: "transaction-time-p99",
        title: "Transaction time, 99th percentile",
        unit: CYCLES,
        extent: Extent::Everything,
        diagonal: false,
        value: |p| p.transaction_time_p99,
        half_width: |_| f64::NAN,
    },
    Measure {
        file: LATENCY,
        title: "Mean packet latency",
        unit: CYCLES,
        extent: Extent::Latency,
        diagonal: false,
        value: |p| p.mean_latency,
        half_width: |p| p.latency_half_width,
    },
    Measure {
        file: "accepted-load",
        title: "Accepted load",
        unit: LOADS,
        extent: Extent::Everything,
        diagonal: true,
        value: |p| p.accepted_load,
        half_width: |p| p.accepted_half_width,
    },
    Measure {
        file: "latency-p99",
        title: "Packet latency, 99th percentile",
        unit: CYCLES,
        extent: Extent::Latency,
        diagonal: false,
        value: |p| p.latency_p99,
        half_width: |_| f64::NAN,
    },
    Measure {
        file: "latency-p999",
        title: "Packet latency, 99.9th percentile",
        unit: CYCLES,
        extent: Extent::Latency,
        diagonal: false,
        value: |p| p.latency_p999,
        half_width: |_| f64::NAN,
    },
    Measure {
        file: "message-latency",
        title: "Mean message latency",
        unit: CYCLES,
        extent: Extent::Latency,
        diagonal: false,
        value: |p| p.message_latency,
        half_width: |_| f64::NAN,
    },
    Measure {
        file: "message-latency-p99",
        title: "Message latency, 99th percentile",
        unit: CYCLES,
        extent: Extent::Latency,
        diagonal: false,
        value: |p| p.message_latency_p99,
        half_width: |_| f64::NAN,
    },
    Measure {
        file: "mean-hops",
        title: "Mean path length",
        unit: "hops",
        extent: Extent::Everything,
        diagonal: false,
        value: |p| p.mean_hops,
        half_width: |_| f64::NAN,
    },
    Measure {
        file: SATURATION,
        title: "Saturation load",
        unit: LOADS,
        extent: Extent::Everything,
        diagonal: false,
        value: |p| p.saturation_load,
        half_width: |_| f64::NAN,
    },
];

/// The points of a series that have a place on the axis, in its order.
pub(super) fn sorted(series: &Series) -> Vec<&LoadPoint> {
    let mut points: Vec<&LoadPoint> = series.points.iter().filter(|p| p.x.is_finite()).collect();
    points.sort_by(|a, b| a.x.total_cmp(&b.x));
    points
}

/// Gives every series of every panel a style.
///
/// A label keeps its style on all panels as long as the colours suffice; beyond that,
/// each panel counts for itself, since nine labels in eight colours say nothing anyway.
pub(super) fn styles(report: &Report) -> Vec<Vec<usize>> {
    let mut labels: Vec<&str> = Vec::new();
    for series in report.panels.iter().flat_map(|p| &p.series) {
        if !labels.contains(&series.label.as_str()) {
            labels.push(&series.label);
        }
    }
    let style = |panel: &Panel, i: usize| {
        let repeated = panel.series[..i]
            .iter()
            .any(|s| s.label == panel.series[i].label);
        if labels.len() > palette::SERIES || repeated {
            return i;
        }
        labels
            .iter()
            .position(|label| *label == panel.series[i].label)
            .unwrap_or(i)
    };
    report
        .panels
        .iter()
        .map(|panel| (0..panel.series.len()).map(|i| style(panel, i)).collect())
        .collect()
}

fn state(point: &LoadPoint) -> State {
    match (point.deadlocked, point.saturated) {
        (true, _) => State::Deadlocked,
        (false, true) => State::Saturated,
        (false, false) => State::Stable,
    }
}

/// The charts of a panel, each with the beginning of its file name.
///
/// A measure of which no point knows anything is left out, except the latency: an empty
/// frame says that the panel exists and has not been run.
pub(super) fn charts(panel: &Panel, styles: &[usize]) -> Vec<(&'static str, Chart)> {
    let known = |m: &Measure| {
        panel
            .series
            .iter()
            .any(|s| s.points.iter().any(|p| (m.value)(p).is_finite()))
    };
    let by_load = panel.across == Across::Load;
    let x_name = match &panel.across {
        Across::Load => OFFERED.to_owned(),
        other => other.name().to_owned(),
    };
    let above = panel.units.beside(LOADS).filter(|_| by_load);
    let mut out = Vec::new();
    for measure in MEASURES {
        let is_latency = measure.file == LATENCY;
        if (!is_latency && !known(measure)) || (by_load && measure.file == SATURATION) {
            continue;
        }
        let curves = panel.series.iter().enumerate().map(|(k, series)| Curve {
            label: series.label.clone(),
            style: styles.get(k).copied().unwrap_or(k),
            marks: sorted(series)
                .into_iter()
                .map(|p| Mark {
                    x: p.x,
                    y: (measure.value)(p),
                    half: (measure.half_width)(p),
                    state: state(p),
                })
                .collect(),
            saturation: series.saturation_load.filter(|_| by_load && is_latency),
        });
        out.push((
            measure.file,
            Chart {
                heading: panel.title.clone(),
                title: measure.title.to_owned(),
                unit: measure.unit.to_owned(),
                x_name: x_name.clone(),
                beside: (above, panel.units.beside(measure.unit)),
                across: panel.across.clone(),
                extent: measure.extent,
                diagonal: measure.diagonal && by_load,
                curves: curves.collect(),
            },
        ));
    }
    out
}
