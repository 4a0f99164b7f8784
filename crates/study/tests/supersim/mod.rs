//! Comparison with SuperSim: its minimal runs on a dragonfly, the same here, and what differs.

mod table;

pub(crate) use table::{first_table, second_table};

use crate::comparison::{Figure, difference, on_all_cores};
use crate::stack::{figure, rows};
use std::collections::BTreeMap;

const REFERENCE: &str = include_str!("../../../../tests/reference/supersim/minimal.csv");

/// Repetitions of every experiment here, each with its own seed.
const REPEATS: usize = 5;

/// One run of SuperSim.
#[derive(Clone, Debug)]
pub(crate) struct Experiment {
    pub(crate) name: String,
    pub(crate) load: f64,
    /// Did SuperSim call it saturated? Then only the delivered load means anything.
    pub(crate) is_saturated: bool,
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

/// All of them, in the order of the file.
pub(crate) fn experiments() -> Vec<Experiment> {
    let mut lines = REFERENCE.lines();
    let names: Vec<&str> = lines.next().unwrap().split(',').collect();
    let record = |line: &'static str| names.iter().copied().zip(line.split(',')).collect();
    lines.map(|line| experiment(&record(line))).collect()
}

fn experiment(run: &BTreeMap<&str, &str>) -> Experiment {
    let number = |column: &str| run[column].parse::<f64>().ok();
    let is_saturated = run["status"] == "saturated";
    let preset = match run["architecture"] {
        "input_output_queued" => "supersim-ioq",
        _ => "supersim-iq",
    };
    let pattern = match run["pattern"] {
        "uniform_random" => "pattern = 'uniform'",
        _ => "pattern = 'group-attack'\ngroup_mode = 'half'\ndestination_mode = 'complement'",
    };
    let (load, flits) = (run["offered_load"], run["message_flits"]);
    let tables = format!(
        "[network]\nkind = 'dragonfly'\ngroups = 9\nrouters_per_group = 4\nterminals_per_router = 2\n\
         global_ports_per_router = 2\narrangement = 'relative'\n\
         channel_latency = {{ terminal = 1, local = {{ per_router = 1 }}, global = {{ per_group = 10 }} }}\n\
         [routing]\nkind = 'minimal'\nclasses = 'supersim'\n\
         [router]\npreset = '{preset}'\nvirtual_channels = {}\n\
         [traffic]\n{pattern}\nload = {load}\npacket_flits = {flits}\ninjection = 'dithered'",
        run["num_vcs"]
    );
    let begin = number("log_begin_cycle").unwrap();
    let window = match number("log_last_send_cycle") {
        Some(end) if !is_saturated => end - begin,
        // What is delivered after the verdict is counted for so long.
        _ => 2_000.0,
    };
    Experiment {
        name: run["config"].trim_start_matches("df9x4x2_").to_owned(),
        load: load.parse().unwrap(),
        is_saturated,
        latency: number("mean_latency").unwrap_or(f64::NAN),
        routers: number("mean_hops").unwrap_or(f64::NAN),
        delivered: number("delivered_load").unwrap(),
        warmup: begin as u64,
        window: window as u64,
        tables,
    }
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
    /// The columns that differ by more than their bars.
    pub(crate) fn broken(&self) -> Vec<&'static str> {
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
