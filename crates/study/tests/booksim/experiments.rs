//! BookSim2's experiments, read from its results and imported as studies.

use crate::comparison::{Figure, imported};
use std::collections::BTreeMap;
use turnwise_study::Source;

const REFERENCE: &str = include_str!("../../../../tests/reference/booksim/reference.csv");
const FURTHER: &str = include_str!("../../../../tests/reference/booksim/further.csv");

/// Which experiments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Group {
    /// Those with a bar: torus and minimal dragonfly, stable and below 80 % of saturation, or at saturation.
    Barred,
    /// The same of the dragonfly's adaptive routing, with bars of their own.
    Adaptive,
    /// The same of a torus of three dimensions, a fat tree and meshes, with the bars of adaptive routing.
    Shapes,
    /// The options of its router, one at a time, and other patterns and topologies, with the same bars.
    Options,
    /// Other stable load points and saturation points of all topologies and routings there are.
    Further,
}

/// One experiment at one load.
#[derive(Clone, Debug)]
pub(crate) struct Experiment {
    pub(crate) name: String,
    /// The group it belongs to if its load is one for bars.
    barred: Group,
    pub(crate) load: f64,
    pub(crate) packet_flits: u16,
    pub(crate) terminals: u32,
    /// A throughput run at rate 1, or a latency run?
    pub(crate) is_saturation: bool,
    pub(crate) warmup: u64,
    pub(crate) window: u64,
    /// Runs of BookSim2.
    pub(crate) seeds: usize,
    pub(crate) latency: Figure,
    pub(crate) routers: Figure,
    pub(crate) accepted: Figure,
    /// Accepted load of the experiment's saturation point.
    pub(crate) saturation: f64,
    /// `[network]`, `[routing]`, `[router]` and `[traffic]`.
    pub(crate) tables: String,
}

type Record<'a> = BTreeMap<&'a str, &'a str>;

/// The experiments of a group in the order of the file.
pub(crate) fn experiments(group: Group) -> Vec<Experiment> {
    let mut lines = match group {
        Group::Options => FURTHER,
        _ => REFERENCE,
    }
    .lines();
    let names: Vec<&str> = lines.next().unwrap().split(',').collect();
    let records: Vec<Record> = lines
        .map(|line| names.iter().copied().zip(line.split(',')).collect())
        .collect();
    // Behind the name, in front of the results.
    let settings = &names[1..names.iter().position(|&name| name == "stable").unwrap()];
    let mut keys: Vec<[&str; 3]> = Vec::new();
    for record in &records {
        let key = key(record);
        if !keys.contains(&key) {
            keys.push(key);
        }
    }
    let runs = |key: &[&str; 3]| -> Vec<&Record> {
        records
            .iter()
            .filter(|record| self::key(record) == *key)
            .collect()
    };
    let saturation = |name: &str| -> Option<f64> {
        let key = keys
            .iter()
            .find(|key| key[0] == name && key[2] == "throughput")?;
        Some(mean(&runs(key), "accepted_flit_rate").mean)
    };
    let all = keys.iter().filter_map(|key| {
        let experiment = experiment(&runs(key), settings, saturation(key[0])?)?;
        (experiment.group() == group).then_some(experiment)
    });
    all.collect()
}

fn key<'a>(record: &Record<'a>) -> [&'a str; 3] {
    ["exp", "injection_rate", "sim_type"].map(|column| record[column])
}

impl Experiment {
    /// Bars go up to 80 % of saturation, and are for saturation itself.
    pub(crate) fn group(&self) -> Group {
        match self.is_saturation || self.load <= 0.8 * self.saturation {
            true => self.barred,
            false => Group::Further,
        }
    }
}

/// The group of an experiment's points that have a bar.
fn barred(name: &str) -> Group {
    let named = [
        ("a_torus8x8_", Group::Barred),
        ("c_dfly_k2_min_", Group::Barred),
        ("c_dfly_k3_min_", Group::Barred),
        ("c2_dfly_k2_min_", Group::Barred),
        ("c_dfly_k2_ugal_", Group::Adaptive),
        ("c_dfly_k3_ugal_", Group::Adaptive),
        ("c2_dfly_k2_ugal_", Group::Adaptive),
        ("b_", Group::Shapes),
        ("d_", Group::Shapes),
        ("e_", Group::Shapes),
    ];
    let found = named.iter().find(|(prefix, _)| name.starts_with(prefix));
    found.map_or(Group::Options, |&(_, group)| group)
}

fn number(record: &Record, column: &str) -> f64 {
    record[column]
        .parse()
        .unwrap_or_else(|_| panic!("no number for {column} in {record:?}"))
}

fn mean(runs: &[&Record], column: &str) -> Figure {
    Figure::of(
        &runs
            .iter()
            .map(|run| number(run, column))
            .collect::<Vec<_>>(),
    )
}

/// `None` for what is not comparable: unstable runs, deadlocks.
fn experiment(runs: &[&Record], settings: &[&str], saturation: f64) -> Option<Experiment> {
    let first = *runs.first()?;
    if runs
        .iter()
        .any(|run| run["stable"] != "1" || number(run, "deadlock_warnings") > 0.0)
    {
        return None;
    }
    let cell = |column: &str| first[column];
    let period = number(first, "sample_period") as u64;
    Some(Experiment {
        name: cell("exp").to_owned(),
        barred: barred(cell("exp")),
        load: number(first, "injection_rate"),
        packet_flits: number(first, "packet_size") as u16,
        terminals: terminals(first),
        is_saturation: cell("sim_type") == "throughput",
        warmup: number(first, "warmup_periods") as u64 * period,
        // All runs stop after three periods.
        window: 3 * period,
        seeds: runs.len(),
        latency: mean(runs, "avg_packet_latency"),
        routers: mean(runs, "avg_hops_routers"),
        accepted: mean(runs, "accepted_flit_rate"),
        saturation,
        tables: tables(first, settings),
    })
}

/// What a run was given, as a study.
fn tables(record: &Record, settings: &[&str]) -> String {
    // What one of the files leaves out is the same in all of its runs.
    let left_out = [
        ("vc_allocator", record["sw_allocator"]),
        ("injection_rate_uses_flits", "1"),
    ];
    let written = settings.iter().map(|&key| (key, record[key]));
    let all = left_out.into_iter().chain(written);
    let configuration: String = all
        .map(|(key, value)| format!("{key} = {value};\n"))
        .collect();
    let mut source = Source::empty();
    source.add("configuration", &configuration);
    imported(record["exp"], &source)
}

fn terminals(record: &Record) -> u32 {
    let [k, n] = ["k", "n"].map(|column| number(record, column) as u32);
    match record["topology"] {
        "dragonflynew" => (2 * k * k + 1) * 2 * k * k,
        _ => k.pow(n),
    }
}
