//! Comparison with SuperSim: its runs on dragonflies, the same here, and what differs.
//!
//! Families of runs differ in the columns of the reference alone.

mod table;

pub(crate) use table::{first_table, second_table};

use crate::comparison::{Figure, difference, imported, on_all_cores};
use crate::stack::{figure, rows};
use std::collections::BTreeMap;
use std::fs;
use turnwise_study::Source;

pub(crate) const MINIMAL: &str = include_str!("../../../../tests/reference/supersim/minimal.csv");
pub(crate) const ADAPTIVE: &str = include_str!("../../../../tests/reference/supersim/adaptive.csv");

const CONFIGURATIONS: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../../tests/reference/supersim/configs"
);

/// Repetitions of every experiment here, each with its own seed.
const REPEATS: usize = 5;

/// One run of SuperSim.
#[derive(Clone, Debug)]
pub(crate) struct Experiment {
    /// The same for all loads and seeds.
    pub(crate) name: String,
    pub(crate) load: f64,
    /// Did SuperSim call it saturated? Then only the delivered load means anything.
    pub(crate) is_saturated: bool,
    /// Is it held to the bars? Adaptive runs are from more than one load step below saturation.
    pub(crate) is_barred: bool,
    latency: f64,
    routers: f64,
    delivered: f64,
    warmup: u64,
    window: u64,
    /// `[network]`, `[routing]`, `[router]` and `[traffic]`.
    tables: String,
}

/// An experiment as SuperSim and Turnwise see it.
pub(crate) struct Comparison {
    pub(crate) experiment: Experiment,
    /// Creation to arrival in cycles, routers visited, flits per terminal and cycle. The first two are NaN if it is
    /// saturated.
    pub(crate) latency: Figure,
    pub(crate) routers: Figure,
    pub(crate) delivered: Figure,
}

/// What may differ by how much, relative to SuperSim's figure; latencies also by what chance explains.
pub(crate) const LATENCY_BAR: f64 = 0.03;
pub(crate) const ROUTERS_BAR: f64 = 0.015;
pub(crate) const SATURATION_BAR: f64 = 0.05;

/// All runs of a file, in its order.
pub(crate) fn experiments(reference: &'static str) -> Vec<Experiment> {
    let mut lines = reference.lines();
    let names: Vec<&str> = lines.next().unwrap().split(',').collect();
    let record = |line: &'static str| names.iter().copied().zip(line.split(',')).collect();
    let records = lines.map(record);
    let comparable = records.filter(is_comparable);
    let mut experiments: Vec<Experiment> = comparable.map(|run| experiment(&run)).collect();
    if reference == ADAPTIVE {
        lift_bars_next_to_saturation(&mut experiments);
    }
    experiments
}

/// What was stopped by hand has no figures.
fn is_comparable(run: &BTreeMap<&str, &str>) -> bool {
    run["status"] != "partial"
}

/// A step of the loads at which SuperSim was run.
const LOAD_STEP: f64 = 0.1;

/// Takes stable runs at the last load before saturation out of the bars: there queues still grow.
fn lift_bars_next_to_saturation(experiments: &mut [Experiment]) {
    let all = experiments.to_vec();
    for experiment in experiments.iter_mut().filter(|one| !one.is_saturated) {
        let family = all.iter().filter(|other| other.name == experiment.name);
        let next = family
            .filter(|other| other.load > experiment.load)
            .min_by(|one, other| one.load.total_cmp(&other.load));
        let is_near = |next: &Experiment| next.load < experiment.load + 1.5 * LOAD_STEP;
        experiment.is_barred &= next.is_none_or(|next| !next.is_saturated || !is_near(next));
    }
}

fn experiment(run: &BTreeMap<&str, &str>) -> Experiment {
    let number = |column: &str| run[column].parse::<f64>().ok();
    let is_saturated = run["status"] == "saturated";
    let load = run["offered_load"];
    let begin = number("log_begin_cycle").unwrap();
    let window = match number("log_last_send_cycle") {
        Some(end) if !is_saturated => end - begin,
        // What is delivered after the verdict is counted for so long.
        _ if run["groups"] == "9" => 2_000.0,
        _ => 500.0,
    };
    Experiment {
        name: run["config"].trim_start_matches("df9x4x2_").to_owned(),
        load: load.parse().unwrap(),
        is_saturated,
        is_barred: true,
        latency: number("mean_latency").unwrap_or(f64::NAN),
        routers: number("mean_hops").unwrap_or(f64::NAN),
        delivered: number("delivered_load").unwrap_or(f64::NAN),
        warmup: begin as u64,
        window: window as u64,
        tables: tables(run["config"], load),
    }
}

/// What a run was given, as a study.
fn tables(configuration: &str, load: &str) -> String {
    let file = format!("{CONFIGURATIONS}/{configuration}.json");
    let mut source = Source::empty();
    source.add(configuration, &fs::read_to_string(file).unwrap());
    source.add(
        "load",
        &format!("/workload/applications/0/blast_terminal/request_injection_rate=float={load}"),
    );
    imported(configuration, &source)
}

/// Runs experiments on all cores.
pub(crate) fn compare(experiments: Vec<Experiment>) -> Vec<Comparison> {
    on_all_cores(&experiments, run)
}

fn run(experiment: &Experiment) -> Comparison {
    let Experiment {
        is_saturated,
        warmup,
        window,
        ref tables,
        ..
    } = *experiment;
    let drain = !is_saturated;
    let rows = rows(&format!(
        "[study]\nrepeat = {REPEATS}\n{tables}\n[simulation]\nwarmup_cycles = {warmup}\n\
         measure_cycles = {window}\ndrain = {drain}\n"
    ));
    let over_rows = |column: &str| {
        let values: Vec<f64> = rows.iter().map(|row| figure(row, column)).collect();
        Figure::of(&values)
    };
    let of_packets = |column: &str| match is_saturated {
        true => Figure::none(),
        false => over_rows(column),
    };
    Comparison {
        experiment: experiment.clone(),
        latency: of_packets("mean_packet_latency"),
        routers: of_packets("mean_routers"),
        delivered: over_rows("accepted_load"),
    }
}

impl Comparison {
    /// The columns that differ by more than their bars, if it has any.
    pub(crate) fn broken(&self) -> Vec<&'static str> {
        if !self.experiment.is_barred {
            return Vec::new();
        }
        let columns = match self.experiment.is_saturated {
            true => vec![("saturation", self.delivered, SATURATION_BAR)],
            false => vec![
                ("latency", self.latency, LATENCY_BAR.max(self.noise())),
                ("routers", self.routers, ROUTERS_BAR),
            ],
        };
        let is_within = |ours, theirs, bar| difference(ours, theirs).abs() <= bar;
        let broken = columns
            .into_iter()
            .filter(|&(column, ours, bar)| !is_within(ours, self.theirs(column), bar));
        broken.map(|(column, ..)| column).collect()
    }

    /// SuperSim's figure.
    pub(crate) fn theirs(&self, column: &str) -> Figure {
        let mean = match column {
            "latency" => self.experiment.latency,
            "routers" => self.experiment.routers,
            _ => self.experiment.delivered,
        };
        Figure {
            mean,
            half_width: None,
        }
    }

    /// How much chance alone makes latencies differ: SuperSim's single run spreads as much as one of ours.
    fn noise(&self) -> f64 {
        let ours = self.latency.half_width.unwrap_or(0.0);
        ours * (1.0 + (REPEATS as f64).sqrt()) / self.experiment.latency
    }
}
