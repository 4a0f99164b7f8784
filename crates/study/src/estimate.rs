//! What a point will cost, told before it runs.

use crate::workshop::Experiment;
use turnwise_network::metrics::Distances;
use turnwise_sim::memory_bytes;

/// Memory and time of a simulation, roughly.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Estimate {
    /// Bytes the simulation allocates.
    pub bytes: u64,
    /// Flits crossing routers.
    pub flit_hops: u64,
    /// CPU-seconds on a present-day core.
    pub seconds: f64,
}

/// Flit-hops a core simulates per second; see `docs/performance.md`.
const FLIT_HOPS_PER_SECOND: f64 = 8e6;

impl Estimate {
    /// Estimates an experiment.
    pub fn of(experiment: &Experiment) -> Self {
        let network = &experiment.routed.network;
        let routers = 1.0 + mean_distance(network);
        let cycles = experiment.phases.warmup + experiment.phases.measure;
        let flits = experiment.load * network.terminal_count() as f64 * cycles as f64;
        let flit_hops = flits * routers;
        Self {
            bytes: memory_bytes(network, &experiment.model),
            flit_hops: flit_hops as u64,
            seconds: flit_hops / FLIT_HOPS_PER_SECOND,
        }
    }
}

/// Bytes of memory that a process can have here at most, where the system tells.
pub fn memory_limit() -> Option<u64> {
    let total = std::fs::read_to_string("/proc/meminfo")
        .ok()
        .and_then(|text| {
            let kib = text
                .lines()
                .find_map(|line| line.strip_prefix("MemTotal:"))?;
            Some(kib.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()? << 10)
        });
    let group = std::fs::read_to_string("/sys/fs/cgroup/memory.max").ok();
    let group = group.and_then(|text| text.trim().parse().ok());
    total.into_iter().chain(group).min()
}

/// Mean distance between terminals; of large networks, that of a few routers is enough.
fn mean_distance(network: &turnwise_network::Network) -> f64 {
    if network.router_count() <= 1_000 {
        return Distances::of(network).mean();
    }
    let step = network.router_count() / 16;
    let sampled = network.routers().step_by(step.max(1)).map(|router| {
        let distances = turnwise_network::metrics::distances(network, router);
        let reached = distances
            .iter()
            .filter(|&&hops| hops != turnwise_network::metrics::UNREACHABLE);
        let (sum, count) = reached.fold((0u64, 0u64), |(sum, count), &hops| {
            (sum + u64::from(hops), count + 1)
        });
        sum as f64 / count.max(1) as f64
    });
    let all: Vec<f64> = sampled.collect();
    all.iter().sum::<f64>() / all.len() as f64
}
