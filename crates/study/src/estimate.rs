//! What a point will cost, told before it runs.

mod speed;

use crate::buffers;
use crate::forecast::Routes;
use crate::workshop::Experiment;
use serde_json::Value as Json;
use turnwise_network::Network;
use turnwise_sim::{
    Crew, Dimensions, EthernetModel, Phases, RouterModel, ethernet_bytes, memory_bytes,
};

/// Memory and time of a simulation, roughly.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Estimate {
    /// Bytes of memory that simulating this point takes at most, the program's own included.
    pub bytes: u64,
    /// Those of them that the engine takes.
    pub engine_bytes: u64,
    /// Processes that simulate it, of those there are, and threads of each.
    pub processes: usize,
    /// See there.
    pub threads: usize,
    /// Flits crossing routers.
    pub flit_hops: u64,
    /// CPU-seconds of the simulation on a present-day core, without what points have in common:
    /// see [`Basis::setup_seconds`].
    pub seconds: f64,
}

/// The program itself, its libraries, the study as text and the results.
pub const PROGRAM_BYTES: u64 = 13 << 20;
/// Routers that a thread must have at least to be faster with others than they are without it.
const ROUTERS_PER_THREAD: usize = 24;
/// Flits that must cross a thread's routers in a cycle for that, also where other programs want the cores: see `docs/performance.md`.
const FLIT_HOPS_PER_THREAD: f64 = 100.0;

/// Runs of a search for saturation after the first.
const BISECTIONS: u64 = 8;

/// What points on the same network with the same routing and routers differ in.
#[derive(Clone, Debug)]
pub struct Demand {
    /// Flits per terminal and cycle; of no account where it depends on what arrives.
    pub load: f64,
    /// When to measure.
    pub phases: Phases,
    /// Search for saturation too?
    pub find_saturation: bool,
}

impl Demand {
    /// Of an experiment.
    pub fn of(experiment: &Experiment) -> Self {
        Self {
            load: experiment.demand.load().unwrap_or_default(),
            phases: experiment.phases,
            find_saturation: experiment.find_saturation,
        }
    }
}

/// What an estimate needs to know of a point, whatever its [`Demand`].
#[derive(Clone, Debug)]
pub struct Basis {
    /// The network in a few words.
    pub network: String,
    /// Its size.
    pub size: Dimensions,
    /// Its router-to-router channels.
    pub channels: usize,
    /// The routers.
    model: RouterModel,
    /// Switches of Ethernet, in the place of routers.
    ethernet: Option<EthernetModel>,
    /// Is it simulated by one process, whatever others there are?
    is_whole: bool,
    /// Seconds of making network, routing and distances, which points have in common.
    pub setup_seconds: f64,
    /// Text of what these are made from, see [`Routed::key`](crate::workshop::Routed::key).
    pub key: std::sync::Arc<str>,
    routes: Routes,
    /// Bytes of everything but the engine.
    other_bytes: u64,
}

impl Basis {
    /// Looks at the routes of a few packets.
    pub fn of(experiment: &Experiment) -> Self {
        let routed = &experiment.routed;
        let network = &routed.network;
        let bytes = [
            PROGRAM_BYTES,
            network.memory_bytes(),
            routed.minimal.memory_bytes(),
            routed.routing.memory_bytes(),
            experiment.outlook.memory_bytes(&experiment.demand),
            experiment.file_bytes,
        ];
        Self {
            network: network.description().to_owned(),
            size: Dimensions::of(network),
            channels: network.channel_count(),
            model: experiment.model.clone(),
            ethernet: experiment.ethernet.clone(),
            is_whole: experiment.is_whole(),
            setup_seconds: routing_seconds(routed.seconds)
                + distance_seconds(network, routed.minimal.memory_bytes()),
            key: routed.key.clone(),
            routes: Routes::of(experiment),
            other_bytes: bytes.iter().sum(),
        }
    }

    /// Virtual channels of a link; priorities, on Ethernet.
    pub fn virtual_channels(&self) -> u8 {
        let ethernet = self.ethernet.as_ref();
        ethernet.map_or(self.model.virtual_channels, |model| model.priorities)
    }

    /// What a router or switch can hold of each of them of what has come by one port, in flits, as JSON that reads like a study.
    pub fn buffer_flits(&self) -> Json {
        match &self.ethernet {
            Some(model) => model.buffer_flits.into(),
            None => buffers::as_json(&self.model.buffers),
        }
    }

    /// The estimate for a demand, for one process and as many of its threads as are worth it.
    pub fn at(&self, demand: &Demand, crew: impl Into<Crew>) -> Estimate {
        let Crew { processes, threads } = crew.into();
        let processes = if self.is_whole { 1 } else { processes };
        let routers = self.size.routers as usize / processes.max(1);
        let busy = self.flit_hops_per_cycle(demand) / processes.max(1) as f64;
        let threads = match self.ethernet {
            Some(_) => 1,
            None => threads
                .min(routers / ROUTERS_PER_THREAD)
                .min((busy / FLIT_HOPS_PER_THREAD) as usize)
                .max(1),
        };
        let crew = Crew { processes, threads };
        let one = |load: f64, phases: &Phases| {
            let (traffic, flit_hops) = self.routes.traffic(load, phases);
            let (bytes, seconds) = match &self.ethernet {
                Some(model) => {
                    let bytes = ethernet_bytes(&self.size, model, &traffic);
                    (bytes, speed::of_ethernet(&traffic, flit_hops))
                }
                None => {
                    let bytes = memory_bytes(&self.size, &self.model, crew, &traffic);
                    let model = &self.model;
                    let what = (&traffic, flit_hops, self.routes.stuck(load));
                    let seconds = speed::seconds((&self.size, model), what, bytes);
                    (bytes, seconds)
                }
            };
            Estimate {
                bytes: bytes
                    .saturating_add(self.other_bytes)
                    .saturating_add(message_passing_bytes(processes)),
                engine_bytes: bytes,
                processes,
                threads,
                flit_hops: flit_hops as u64,
                seconds: seconds + self.routes.messages() * speed::OF_MESSAGE,
            }
        };
        if let Some((load, phases)) = self.routes.closed(&demand.phases) {
            return one(load, &phases);
        }
        let own = one(demand.load, &demand.phases);
        if !demand.find_saturation {
            return own;
        }
        // Full load comes first, then a bisection.
        let window = Phases {
            drain: false,
            ..demand.phases
        };
        let (full, half) = (one(1.0, &window), one(0.5, &window));
        Estimate {
            bytes: own.bytes.max(full.bytes),
            engine_bytes: own.engine_bytes.max(full.engine_bytes),
            processes,
            threads,
            flit_hops: own.flit_hops + full.flit_hops + BISECTIONS * half.flit_hops,
            seconds: own.seconds + full.seconds + BISECTIONS as f64 * half.seconds,
        }
    }

    /// Flits that cross routers in a cycle, in the run that has most of them.
    fn flit_hops_per_cycle(&self, demand: &Demand) -> f64 {
        let open = match demand.find_saturation {
            true => (1.0, demand.phases),
            false => (demand.load, demand.phases),
        };
        let (load, phases) = self.routes.closed(&demand.phases).unwrap_or(open);
        let (traffic, flit_hops) = self.routes.traffic(load, &phases);
        flit_hops / traffic.cycles.max(1.0)
    }

    /// The estimate on as many of these threads as there is memory for: every thread has arrays of its own.
    pub fn within(&self, demand: &Demand, crew: impl Into<Crew>, limit: Option<u64>) -> Estimate {
        let crew = crew.into();
        let mut estimate = self.at(demand, crew);
        while estimate.threads > 1 && limit.is_some_and(|limit| estimate.bytes > limit) {
            let threads = estimate.threads / 2;
            estimate = self.at(demand, Crew { threads, ..crew });
        }
        estimate
    }
}

impl Estimate {
    /// Estimates an experiment on as many of these threads as are worth it.
    pub fn of(experiment: &Experiment, threads: usize) -> Self {
        Self::within(experiment, threads, None)
    }

    /// The same on as many of these threads as there is memory for.
    pub fn within(experiment: &Experiment, crew: impl Into<Crew>, limit: Option<u64>) -> Self {
        Basis::of(experiment).within(&Demand::of(experiment), crew, limit)
    }
}

/// What a library of MPI and its buffers take in each of several processes: as measured of Open MPI 4.1 and MPICH 4.0.
fn message_passing_bytes(processes: usize) -> u64 {
    const OF_LIBRARY: u64 = 16 << 20;
    const OF_PEER: u64 = 256 << 10;
    match processes {
        0 | 1 => 0,
        _ => OF_LIBRARY + OF_PEER * processes as u64,
    }
}

/// Seconds of making the routing, as it took to plan. Little is nothing, lest plans differ.
fn routing_seconds(seconds: f64) -> f64 {
    if seconds < 0.2 { 0.0 } else { seconds }
}

/// Seconds of walking from every router to every other, if that is done at all.
fn distance_seconds(network: &Network, bytes: u64) -> f64 {
    const OF_STEP: f64 = 9e-9;
    let steps = network.router_count() * (network.router_count() + network.channel_count());
    if bytes == 0 {
        0.0
    } else {
        steps as f64 * OF_STEP
    }
}
