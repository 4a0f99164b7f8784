//! Comparison with BookSim2: its results, the same experiments here, and what differs.

mod experiments;
mod table;

pub(crate) use experiments::{Experiment, Group, experiments};
pub(crate) use table::{first_table, second_table};

use crate::comparison::{Figure, difference, on_all_cores};
use crate::stack::{figure, rows};

/// Repetitions of every experiment here, each with its own seed.
const REPEATS: usize = 5;
/// Packets a repetition records at least, unless that would take very many cycles.
const PACKETS: f64 = 60_000.0;
const MOST_CYCLES: f64 = 60_000.0;

/// An experiment as BookSim2 and Turnwise see it.
pub(crate) struct Comparison {
    pub(crate) experiment: Experiment,
    /// Creation to arrival, in cycles.
    pub(crate) latency: Figure,
    /// Routers visited.
    pub(crate) routers: Figure,
    /// Flits per terminal and cycle.
    pub(crate) accepted: Figure,
}

/// What may differ by how much, relative to BookSim2's figure.
pub(crate) struct Bars {
    pub(crate) latency: f64,
    pub(crate) routers: f64,
    /// Accepted load of a load point.
    pub(crate) accepted: f64,
    /// Accepted load at saturation.
    pub(crate) saturation: f64,
    /// May a difference also be as large as both confidence intervals together?
    pub(crate) or_noise: bool,
}

impl Group {
    /// `None` for those without.
    pub(crate) fn bars(self) -> Option<&'static Bars> {
        match self {
            Self::Barred => Some(&Bars {
                latency: 0.02,
                routers: 0.005,
                accepted: f64::INFINITY,
                saturation: 0.03,
                or_noise: false,
            }),
            Self::Adaptive | Self::Shapes | Self::Options => Some(&Bars {
                latency: 0.015,
                routers: 0.003,
                accepted: 0.005,
                saturation: 0.02,
                or_noise: true,
            }),
            Self::Further => None,
        }
    }
}

impl Bars {
    fn hold(&self, ours: Figure, theirs: Figure, bar: f64) -> bool {
        // A single run spreads as much as one of ours does.
        let ours_alone = ours.half_width.map(|mean| mean * (REPEATS as f64).sqrt());
        let widths = [ours.half_width, theirs.half_width.or(ours_alone)];
        let noise = match self.or_noise {
            true => widths.into_iter().flatten().sum::<f64>() / theirs.mean,
            false => 0.0,
        };
        difference(ours, theirs).abs() <= bar.max(noise)
    }
}

impl Comparison {
    /// Is everything within its bar that has one?
    pub(crate) fn is_within(&self) -> bool {
        self.broken().is_empty()
    }

    /// The columns that differ by more than their bars.
    pub(crate) fn broken(&self) -> Vec<&'static str> {
        let theirs = &self.experiment;
        let Some(bars) = theirs.group().bars() else {
            return Vec::new();
        };
        let columns = match theirs.is_saturation {
            true => vec![(
                "saturation",
                self.accepted,
                theirs.accepted,
                bars.saturation,
            )],
            false => vec![
                ("latency", self.latency, theirs.latency, bars.latency),
                ("routers", self.routers, theirs.routers, bars.routers),
                ("accepted", self.accepted, theirs.accepted, bars.accepted),
            ],
        };
        let broken = columns
            .into_iter()
            .filter(|&(_, ours, theirs, bar)| !bars.hold(ours, theirs, bar));
        broken.map(|(column, ..)| column).collect()
    }
}

/// Runs experiments on all cores.
pub(crate) fn compare(experiments: Vec<Experiment>) -> Vec<Comparison> {
    on_all_cores(&experiments, run)
}

fn run(experiment: &Experiment) -> Comparison {
    let Experiment {
        load,
        packet_flits,
        terminals,
        warmup,
        window,
        is_saturation,
        ..
    } = *experiment;
    // With a bar, so many packets that the noise is BookSim2's alone. Everywhere else the same
    // window: beyond saturation, what is measured depends on it, and adaptive routing takes
    // thousands of cycles to fill the queues that it goes by.
    let enough =
        (PACKETS * f64::from(packet_flits) / (load * f64::from(terminals))).min(MOST_CYCLES);
    let measure = match experiment.group() == Group::Barred && !is_saturation {
        true => window.max(enough as u64),
        false => window,
    };
    let text = format!(
        "[study]\nrepeat = {REPEATS}\n{}\n[simulation]\nwarmup_cycles = {warmup}\nmeasure_cycles = {measure}\n\
         drain = {}\n",
        experiment.tables, !is_saturation
    );
    let rows = rows(&text);
    let over_rows = |column: &str| {
        Figure::of(
            &rows
                .iter()
                .map(|row| figure(row, column))
                .collect::<Vec<_>>(),
        )
    };
    // Beyond saturation, packets created in the window are still in their source queues at its end.
    let of_packets = |column: &str| match is_saturation {
        true => Figure::none(),
        false => over_rows(column),
    };
    Comparison {
        experiment: experiment.clone(),
        latency: of_packets("mean_packet_latency"),
        routers: of_packets("mean_routers"),
        accepted: over_rows("accepted_load"),
    }
}
