//! Lossless Ethernet, packet by packet.
//!
//! Switches take frames whole, route them, and queue them at their outputs; a switch that holds much of what has come by a link has the
//! sender of that link paused (priority flow control), so nothing is ever lost. Queues that grow too long notify the sources of
//! what makes them grow (802.1Qau), and switches on the way may take notice and route around (snooping). What happens is
//! an event; cycles in which nothing does cost nothing.
//!
//! The unit of time is the cycle in which a channel passes on a flit, as in the flit engine: with flits of a byte it is the time of a
//! byte. A frame is sent when it has come whole. Switches look for notifications and pauses in no time; adapters send a
//! frame whenever their link is free.
//!
//! * `fabric`: everything that changes; `agenda`: what will happen; `run`: a run from start to end; `totals`: sums over it.
//! * `sending`: what is put on channels; `switching`, `view`: what switches do with frames; `links`, `frames`: what these are.
//! * `congestion_point`, `notifying`, `paths`, `reaction`: notifications, and what becomes of them.
//! * `adapter`, `open`, `agents`, `reception`: terminals. `deadlock`: what can never move again; `footprint`: memory.

mod adapter;
mod agenda;
mod agents;
mod congestion_point;
mod deadlock;
mod fabric;
mod footprint;
mod frames;
mod links;
mod measured;
mod model;
mod notifying;
mod open;
mod paths;
mod reaction;
mod reception;
mod run;
mod sending;
mod switching;
mod totals;
mod view;

pub use footprint::ethernet_bytes;
pub use model::{EthernetModel, NotificationModel, ReactionModel};

use crate::engine::{Demand, MinimalHops};
use crate::model::Schedule;
use crate::outcome::{Outcome, Violation};
use turnwise_network::{Network, Routing};

/// Everything a simulation of Ethernet is made of.
#[derive(Clone, Copy)]
pub(crate) struct Setup<'a> {
    network: &'a Network,
    routing: &'a dyn Routing,
    demand: Demand<'a>,
    model: &'a EthernetModel,
    schedule: Schedule,
    seed: u64,
    minimal: Option<MinimalHops<'a>>,
    interval: Option<u64>,
    check: bool,
}

/// One simulation of lossless Ethernet.
///
/// The same setup gives the same outcome, bit for bit, on every machine. It runs on one thread.
pub struct Ethernet<'a> {
    setup: Setup<'a>,
}

impl<'a> Ethernet<'a> {
    /// A simulation that is ready to run; what it shares with one of flits is taken from that, its routers and threads are not.
    ///
    /// # Panics
    /// If the model has not passed [`EthernetModel::check_on`] this network.
    pub fn new(of_flits: crate::engine::Setup<'a>, model: &'a EthernetModel) -> Self {
        assert!(
            model.check_on(of_flits.network).is_ok(),
            "the model must have been checked"
        );
        Self {
            setup: Setup {
                network: of_flits.network,
                routing: of_flits.routing,
                demand: of_flits.demand,
                model,
                schedule: of_flits.schedule,
                seed: of_flits.seed,
                minimal: of_flits.minimal,
                interval: of_flits.interval,
                check: of_flits.check,
            },
        }
    }

    /// Runs to the end, or until `go_on`, called now and then with the current cycle, says no.
    ///
    /// # Errors
    /// A frame for which there was no room, which cannot be; under `check`, the first invariant that does not hold.
    pub fn run_while(self, go_on: impl FnMut(u64) -> bool) -> Result<Outcome, Violation> {
        run::run(self.setup, go_on)
    }
}
