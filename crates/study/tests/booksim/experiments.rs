//! BookSim2's experiments, read from its results and written as studies.

use crate::comparison::Figure;
use std::collections::BTreeMap;

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
        let experiment = experiment(&runs(key), saturation(key[0])?)?;
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
fn experiment(runs: &[&Record], saturation: f64) -> Option<Experiment> {
    let first = *runs.first()?;
    if runs
        .iter()
        .any(|run| run["stable"] != "1" || number(run, "deadlock_warnings") > 0.0)
    {
        return None;
    }
    let (network, terminals) = network(first)?;
    let pattern = match first["traffic"] {
        "uniform" => "uniform",
        "bad_dragon" => "bad-dragon",
        "transpose" => "transpose",
        "bitcomp" => "bit-complement",
        "tornado" => "tornado",
        "neighbor" => "neighbor",
        _ => return None,
    };
    let routing = match (first["topology"], first["routing_function"]) {
        ("torus" | "mesh", "dim_order" | "dor") => "kind = 'dimension-order'",
        ("dragonflynew", "min") => "kind = 'minimal'\nvirtual_channels = 2",
        ("dragonflynew", "ugal") => "kind = 'ugal'\nclasses = 'booksim'",
        ("fattree", "nca") => "kind = 'nca'",
        ("fattree", "anca") => "kind = 'anca'",
        _ => return None,
    };
    let cell = |column: &str| first[column];
    let (load, packet_flits) = (cell("injection_rate"), cell("packet_size"));
    let tables = format!(
        "[network]\n{network}\n[routing]\n{routing}\n\
         [router]\npreset = 'booksim-iq'\nvirtual_channels = {}\nbuffer_flits = {}\nrouting_delay = {}\n\
         vc_allocation_delay = {}\nswitch_allocation_delay = {}\nswitch_traversal_delay = {}\ncredit_delay = {}\n\
         internal_speedup = {}\nallocator = '{}'\nallocation_iterations = {}\n{}\
         [traffic]\npattern = '{pattern}'\nload = {load}\npacket_flits = {packet_flits}\nsend_to_self = true",
        cell("num_vcs"),
        cell("vc_buf_size"),
        cell("routing_delay"),
        cell("vc_alloc_delay"),
        cell("sw_alloc_delay"),
        number(first, "st_prepare_delay") + number(first, "st_final_delay"),
        cell("credit_delay"),
        cell("internal_speedup"),
        cell("sw_allocator").replace('_', "-"),
        cell("alloc_iters"),
        options(first),
    );
    let period = number(first, "sample_period") as u64;
    Some(Experiment {
        name: cell("exp").to_owned(),
        barred: barred(cell("exp")),
        load: load.parse().unwrap(),
        packet_flits: packet_flits.parse().unwrap(),
        terminals,
        is_saturation: cell("sim_type") == "throughput",
        warmup: number(first, "warmup_periods") as u64 * period,
        // All runs stop after three periods.
        window: 3 * period,
        seeds: runs.len(),
        latency: mean(runs, "avg_packet_latency"),
        routers: mean(runs, "avg_hops_routers"),
        accepted: mean(runs, "accepted_flit_rate"),
        saturation,
        tables,
    })
}

/// Further lines of `[router]`.
fn options(record: &Record) -> String {
    let switches = [
        ("wait_for_tail_credit", "wait_for_tail_credit"),
        ("hold_switch_for_packet", "hold_switch"),
        ("vc_busy_when_full", "busy_when_full"),
    ];
    let numbers = [
        ("input_speedup", "input_speedup"),
        ("output_speedup", "output_speedup"),
        ("output_buffer_size", "output_buffer_flits"),
    ];
    let is = |column: &str, value: &str| record.get(column) == Some(&value);
    let on = switches.iter().filter(|(theirs, _)| is(theirs, "1"));
    let on = on.map(|(_, ours)| format!("{ours} = true\n"));
    // Minus one is without limit.
    let given = numbers.iter().filter(|(theirs, _)| !is(theirs, "-1"));
    let given = given.map(|(theirs, ours)| format!("{ours} = {}\n", record[theirs]));
    on.chain(given).collect()
}

/// `[network]` and the number of terminals; channel latencies are hard-coded in BookSim2.
fn network(record: &Record) -> Option<(String, u32)> {
    let (k, n) = (number(record, "k") as u32, number(record, "n") as u32);
    let sizes = vec![k; n as usize];
    Some(match record["topology"] {
        "torus" => (
            format!("kind = 'torus'\nsizes = {sizes:?}\nchannel_latency = 2"),
            k.pow(n),
        ),
        "mesh" => (
            format!("kind = 'mesh'\nsizes = {sizes:?}\nchannel_latency = 1"),
            k.pow(n),
        ),
        "fattree" => (
            format!("kind = 'k-ary-n-tree'\narity = {k}\nlevels = {n}\nchannel_latency = 1"),
            k.pow(n),
        ),
        "dragonflynew" => {
            let (groups, routers) = (2 * k * k + 1, 2 * k);
            let text = format!(
                "kind = 'dragonfly'\ngroups = {groups}\nrouters_per_group = {routers}\nterminals_per_router = {k}\n\
                 global_ports_per_router = {k}\narrangement = 'absolute'\nchannel_latency = {{ local = 10, global = 100 }}"
            );
            (text, groups * routers * k)
        }
        _ => return None,
    })
}
