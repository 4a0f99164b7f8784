//! What a point will cost, told before it runs.

use crate::forecast::traffic;
use crate::workshop::Experiment;
use turnwise_sim::memory_bytes;

/// Memory and time of a simulation, roughly.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Estimate {
    /// Bytes of memory that simulating this point takes at its peak, the program's own included.
    pub bytes: u64,
    /// Those of them that the engine takes.
    pub engine_bytes: u64,
    /// Threads it is simulated on.
    pub threads: usize,
    /// Flits crossing routers.
    pub flit_hops: u64,
    /// CPU-seconds on a present-day core.
    pub seconds: f64,
}

/// Flit-hops a core simulates per second; see `docs/performance.md`.
const FLIT_HOPS_PER_SECOND: f64 = 8e6;
/// The program itself, its libraries, the study as text and the results.
const PROGRAM_BYTES: u64 = 9 << 20;
/// Routers that a thread must have at least to be faster with others than they are without it.
const ROUTERS_PER_THREAD: usize = 24;

impl Estimate {
    /// Estimates an experiment on as many of these threads as are worth it.
    pub fn of(experiment: &Experiment, threads: usize) -> Self {
        let routed = &experiment.routed;
        let network = &routed.network;
        let threads = threads.min(network.router_count() / ROUTERS_PER_THREAD);
        let threads = threads.max(1);
        let traffic = traffic(experiment);
        let flit_hops = traffic.flits_per_cycle * traffic.cycles * (1.0 + traffic.hops);
        let engine_bytes = memory_bytes(network, &experiment.model, threads, &traffic);
        let others = [
            PROGRAM_BYTES,
            network.memory_bytes(),
            routed.minimal.memory_bytes(),
            routed.routing.memory_bytes(),
        ];
        Self {
            bytes: engine_bytes.saturating_add(others.iter().sum()),
            engine_bytes,
            threads,
            flit_hops: flit_hops as u64,
            seconds: flit_hops / FLIT_HOPS_PER_SECOND,
        }
    }

    /// The same on as many of these threads as there is memory for: every thread has arrays of its own.
    pub fn within(experiment: &Experiment, threads: usize, limit: Option<u64>) -> Self {
        let mut estimate = Self::of(experiment, threads);
        while estimate.threads > 1 && limit.is_some_and(|limit| estimate.bytes > limit) {
            estimate = Self::of(experiment, estimate.threads / 2);
        }
        estimate
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
