//! What points are made of, built: a network with a routing on it, and all that a simulation needs.

use crate::demand::Demand;
use crate::minimal_hops::MinimalHops;
use crate::outlook::Outlook;
use std::sync::Arc;
use turnwise_config::diagnostic::Invalid;
use turnwise_network::{ChannelClass, Network, Routing};
use turnwise_sim::{EthernetModel, Phases, RouterModel, Schedule, Setup};
use turnwise_verify::Protocol;

/// A network with a routing on it.
#[derive(Clone)]
pub struct Routed {
    /// The network, after its faults.
    pub network: Arc<Network>,
    /// Shortest distances on the network.
    pub minimal: Arc<MinimalHops>,
    /// The routing.
    pub routing: Arc<dyn Routing>,
    /// The order of directions source routes are written in, if the study gives one.
    pub direction_order: Option<Vec<String>>,
    /// Seconds that making the routing took.
    pub seconds: f64,
    /// What a proof must know of the messages that terminals exchange.
    pub protocol: Protocol,
    /// What their classes are called, if there are several.
    pub class_names: Vec<String>,
    /// Canonical text of what network and routing were made from; equal texts, equal things.
    pub key: Arc<str>,
    /// Text of what the network was made from and of the routing's [relation](Routing::relation), if it has words for it; equal texts, equal
    /// proofs.
    pub relation: Option<Arc<str>>,
}

/// One point, ready to be simulated.
pub struct Experiment {
    /// Network and routing.
    pub routed: Routed,
    /// The routers; of no account with `ethernet`, but for their virtual channels.
    pub model: RouterModel,
    /// Switches and adapters of Ethernet, in the place of routers.
    pub ethernet: Option<EthernetModel>,
    /// What terminals send.
    pub demand: Demand,
    /// Bytes of the files that this was read from, all of which are in memory at that time.
    pub file_bytes: u64,
    /// What is known of it before it runs.
    pub outlook: Arc<Outlook>,
    /// Names of the classes of traffic or of messages, if there are several.
    pub class_names: Vec<String>,
    /// When to measure; all the time if the demand has an end.
    pub phases: Phases,
    /// Seed of this repetition.
    pub seed: u64,
    /// Check invariants on the way?
    pub check: bool,
    /// Search for saturation too?
    pub find_saturation: bool,
    /// Keep the point's details? `None` is up to a usual size.
    pub details: Option<bool>,
    /// Keep the time line of the ranks' programs?
    pub timeline: bool,
    /// Cycles of an interval of the course in time; `None` for about a hundred intervals.
    pub interval: Option<u64>,
    /// Cycles of the windows that herding is measured over, if it is.
    pub herding: Option<u64>,
    /// Cycles of the intervals that channels are recorded in, if they are.
    pub channel_interval: Option<u64>,
}

impl Experiment {
    /// Is it simulated by one process, because it is not cut into domains?
    pub(crate) fn is_whole(&self) -> bool {
        self.ethernet.is_some() || self.check
    }

    /// Asks for nothing but what is accepted in the window.
    pub(crate) fn for_window_alone(&mut self) {
        self.phases.drain = false;
        self.herding = None;
        self.channel_interval = None;
    }

    /// How long it goes on, and what of it is measured.
    pub fn schedule(&self) -> Schedule {
        match self.outlook.total_flits {
            Some(_) => Schedule::ToCompletion {
                limit: self.phases.limit,
            },
            None => Schedule::Window(self.phases),
        }
    }

    /// Its simulation on one thread, without checks and without saying what is minimal.
    pub fn setup(&self) -> Setup<'_> {
        Setup {
            network: &self.routed.network,
            routing: &*self.routed.routing,
            demand: self.demand.of_setup(),
            model: &self.model,
            schedule: self.schedule(),
            seed: self.seed,
            minimal: None,
            interval: self.interval,
            check: false,
            threads: 1,
        }
    }
}

/// The windows of herding, which is of channels between groups.
pub(super) fn herding(asked: Option<u64>, network: &Network) -> Result<Option<u64>, Invalid> {
    let mut channels = network.channels();
    let leaves_groups = channels.any(|(_, channel)| channel.class == ChannelClass::Global);
    match asked.is_none() || leaves_groups {
        true => Ok(asked),
        false => Err(Invalid::new(
            "herding_cycles",
            "this network has no channels between groups",
        )),
    }
}

/// The intervals that channels are recorded in, of which there must not be too many channels.
pub(super) fn channel_interval(
    asked: Option<u64>,
    network: &Network,
) -> Result<Option<u64>, Invalid> {
    match asked.is_none() || network.channel_count() <= MOST_RECORDED {
        true => Ok(asked),
        false => Err(Invalid::new(
            "channel_interval_cycles",
            format!(
                "this network has {} channels; those of up to {MOST_RECORDED} can be recorded over time",
                network.channel_count()
            ),
        )),
    }
}

/// Channels that can be recorded over time, at most: at 256 intervals, that is 100 MB.
const MOST_RECORDED: usize = 100_000;
