//! The engine: what is simulated, and how large it may be.
//!
//! * `run`: a run from start to end; `standing`, `harvest`: what decides whether it goes on, and what is told of it at
//!   its end; `domain`: routers and terminals simulated together, a cycle
//!   at a time; `router`: what one router does in a cycle; `terminal`: what a terminal does.
//! * `partition`, `extent`, `parallel`, `outbox`, `outlook`: which thread simulates what, what it has in memory for that, how
//!   threads keep in step, and what they tell each other; `abroad`: the same between processes.
//! * `wiring`, `state`: the network and what changes in it; `block`, `storage`: a router, and where
//!   it lies in memory; `packets`, `route_cache`: what is inside, and the routes found so far;
//!   `timeline`, `wheel`: what is under way.
//! * `outputs`, `crossbar`, `pace`: what routers have that are not plain input-queued ones.
//! * `signals`: what routers know of congestion, by themselves and from others.
//! * `footprint`: the memory all that takes. `matcher`: the allocators in general; `deadlock`, `check`: what can never move again, and invariants.

mod abroad;
mod block;
mod check;
mod crossbar;
mod deadlock;
mod domain;
mod extent;
mod footprint;
mod harvest;
mod matcher;
mod may_take;
mod outbox;
mod outlook;
mod outputs;
mod pace;
mod packets;
mod parallel;
mod partition;
mod registers;
mod route_cache;
mod router;
mod run;
mod scratch;
mod signals;
mod standing;
mod state;
mod storage;
mod tells;
mod terminal;
mod timeline;
mod unchecked;
pub(crate) mod wheel;
mod wiring;

use crate::model::{RouterModel, Schedule};
use crate::outcome::{Outcome, Violation};
use crate::processes::Processes;
use domain::is_plain;
pub(crate) use footprint::bytes as footprint_bytes;
use partition::Partition;
use run::{Part, Run};
use signals::Lines;
pub use terminal::Demand;
use turnwise_network::{Network, Routing, TerminalId};
use wiring::Wiring;

/// Channels a packet needs at least, router to router, by source and destination.
pub type MinimalHops<'a> = &'a (dyn Fn(TerminalId, TerminalId) -> u32 + Sync);

/// Everything a simulation is made of.
#[derive(Clone, Copy)]
pub struct Setup<'a> {
    /// The network.
    pub network: &'a Network,
    /// How packets go.
    pub routing: &'a dyn Routing,
    /// What terminals send.
    pub demand: Demand<'a>,
    /// The routers.
    pub model: &'a RouterModel,
    /// How long, and what to measure.
    pub schedule: Schedule,
    /// Seed of routing choices.
    pub seed: u64,
    /// What "non-minimal" means; `None` leaves that share unmeasured.
    pub minimal: Option<MinimalHops<'a>>,
    /// Intervals of the series have at most so many cycles: the largest power of two. `None` for about a hundred
    /// intervals. They take memory, 56 bytes each for each thread.
    pub interval: Option<u64>,
    /// Verify every choice of the routing algorithm, and all invariants every 256 cycles.
    pub check: bool,
    /// Threads to simulate on; the outcome does not depend on them. Small networks
    /// and runs with `check` use one.
    pub threads: usize,
}

/// One simulation.
///
/// The same setup gives the same outcome, bit for bit, on every machine.
pub struct Simulation<'a> {
    setup: Setup<'a>,
    watched: Watched,
}

/// What is measured beside the usual, and over how many cycles each time.
#[derive(Clone, Copy, Default)]
struct Watched {
    herding: Option<u64>,
    channel_interval: Option<u64>,
}

/// The most virtual channels of all ports and terminals together: a credit names one in 31 bits.
const MOST_CHANNELS: u64 = 1 << 31;

/// Can the engine number the virtual channels of so many ports and terminals?
pub(crate) fn can_be_numbered(ends: u64, model: &RouterModel) -> bool {
    let stride = u64::from(model.virtual_channels).next_power_of_two();
    ends.saturating_mul(stride) <= MOST_CHANNELS
}

impl<'a> Simulation<'a> {
    /// A simulation that is ready to run.
    ///
    /// # Panics
    /// If the model has not passed [`RouterModel::check`] and, on this network,
    /// [`RouterModel::check_on`], or if [`memory_bytes`](crate::memory_bytes) says that the network is too large.
    pub fn new(setup: Setup<'a>) -> Self {
        assert!(
            setup.model.check().is_ok() && setup.model.check_on(setup.network).is_ok(),
            "the router model must have been checked"
        );
        let ends = setup.network.port_count() + setup.network.terminal_count();
        assert!(
            can_be_numbered(ends as u64, setup.model),
            "the network must not have more virtual channels than can be numbered"
        );
        Self {
            setup,
            watched: Watched::default(),
        }
    }

    /// Measures [herding](crate::Measurement::herding) too, over windows of so many cycles.
    pub fn with_herding(mut self, window: Option<u64>) -> Self {
        self.watched.herding = window;
        self
    }

    /// Records [channels over time](crate::Measurement::channel_course) too, in intervals of so many cycles.
    pub fn with_channel_course(mut self, interval: Option<u64>) -> Self {
        self.watched.channel_interval = interval;
        self
    }

    /// Runs to the end.
    ///
    /// # Errors
    /// Under `check`, the first invariant that does not hold.
    ///
    /// # Panics
    /// Without it, if the routing names a port that a router does not have.
    pub fn run(self) -> Result<Outcome, Violation> {
        self.run_while(|_| true)
    }

    /// Runs to the end, or until `go_on`, called now and then with the current cycle, says no.
    ///
    /// # Errors
    /// Under `check`, the first invariant that does not hold.
    pub fn run_while(self, go_on: impl FnMut(u64) -> bool) -> Result<Outcome, Violation> {
        let outcome = self.simulate(None, go_on)?;
        Ok(outcome.expect("a process on its own is the first one"))
    }

    /// The same by several processes, all of which have the same setup and [`threads`](Setup::threads): each simulates
    /// a part of the network. The outcome is the first one's; the others have `None`. A run stops as soon as
    /// `go_on` says no to any of them.
    ///
    /// # Errors
    /// None: under `check` each process would have to see all, and that is not done.
    ///
    /// # Panics
    /// With `check`.
    pub fn run_among(
        self,
        processes: &dyn Processes,
        go_on: impl FnMut(u64) -> bool,
    ) -> Result<Option<Outcome>, Violation> {
        assert!(!self.setup.check, "invariants are checked by one process");
        self.simulate(Some(processes), go_on)
    }

    fn simulate(
        self,
        processes: Option<&dyn Processes>,
        go_on: impl FnMut(u64) -> bool,
    ) -> Result<Option<Outcome>, Violation> {
        let Self { setup, watched } = self;
        let model = setup.model;
        let wiring = Wiring::new(setup.network, model);
        let mut partition = match (processes, setup.check) {
            (Some(processes), _) => {
                Partition::among(&wiring, model, processes.count(), setup.threads)
            }
            (None, true) => Partition::whole(&wiring),
            (None, false) => Partition::new(&wiring, model, setup.threads),
        };
        let lines = setup.routing.sensing();
        let lines = lines.map(|sensing| Lines::new(sensing, setup.network, &wiring, &partition));
        if let Some(lines) = &lines {
            partition.lookahead = partition.lookahead.min(lines.lookahead(&partition));
        }
        let lines = lines.as_ref();
        // Left out of the path that is compiled for plain routers: routers that write on packets or withhold
        // credits, slow channels.
        let sensing = setup.routing.sensing();
        let special = sensing.is_some_and(|sensing| sensing.marks() || sensing.most_withheld() > 0);
        let plain = is_plain(model) && !special && wiring.slowest() == 1;
        let part = Part {
            setup,
            watched,
            wiring: &wiring,
            partition: &partition,
            lines,
            processes,
        };
        match (wiring.words == 1, plain) {
            (true, true) => Run::<true, true>::new(part).run_while(go_on),
            (true, false) => Run::<true, false>::new(part).run_while(go_on),
            (false, _) => Run::<false, false>::new(part).run_while(go_on),
        }
    }
}
