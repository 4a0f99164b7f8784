//! What routers tell each other of congestion: notices that travel, and the memory they are kept in.
//!
//! A router sees only itself ([`Congestion`]). An algorithm that wants to know more names a [`Sensing`]
//! ([`Routing::sensing`](crate::Routing::sensing)): what a router tells on its *lines*, and what those who
//! hear it keep in a small memory, which `choose` may read. What a line says takes time to arrive, so a
//! memory is always stale, by exactly as many cycles as was said.
//!
//! Routers of one *region* share a memory, because they hear everything in the same cycle. By default every
//! router is a region of its own. One for all is what a table of all queues of the network is (every
//! change is written once, not once a router), and one a group what a group agrees on.
//!
//! Nothing of this is part of a packet's state. `options` cannot read memories, so the verifier proves a
//! routing for whatever they may hold.
//!
//! Sources: Jiang, Kim, Dally, "Indirect adaptive routing on large scale interconnection networks", ISCA 2009
//! (piggybacked bits of a dragonfly's global channels); Gratz, Grot, Keckler, "Regional congestion awareness
//! for load balance in networks-on-chip", HPCA 2008 (routers that tell what they were told).

use super::congestion::Congestion;
use crate::ids::{Port, RouterId};
use serde::{Deserialize, Serialize};

/// What a line says: two words that only the [`Sensing`] understands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Notice(pub [u32; 2]);

/// A word that a packet carries and routers may write on, such as a bit for congestion it has met (ECN) or the
/// history of its hops.
///
/// It is no part of the packet's state: `options` cannot read it, so the verifier proves a routing for
/// whatever it may say. `choose` can ([`Congestion::mark`]), and so can the receiver.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Mark(pub u32);

/// Who hears a line, and when.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Receiver {
    /// The region of the router behind a port, after the latency of the channel. Nobody if there is no
    /// router.
    Behind(Port),
    /// A region, after so many cycles, 1 to [`MOST_DELAY`](Self::MOST_DELAY). Nobody if it has no routers.
    Region {
        /// Its number.
        region: u32,
        /// Cycles.
        after: u32,
    },
}

impl Receiver {
    /// The longest time that a notice may take, in cycles.
    pub const MOST_DELAY: u32 = 1 << 24;
}

/// Who has sent a notice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sender {
    /// The router.
    pub router: RouterId,
    /// Which of its lines.
    pub line: usize,
}

/// A line that tells the queue of one port: see [`Sensing::queue_line`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QueueLine {
    /// The port.
    pub port: Port,
    /// The word of the memory of each region that hears it where the queue is kept.
    pub word: u32,
}

/// What routers tell each other, and what they make of it.
///
/// Routers, lines and receivers are fixed before the first cycle. Until then all lines have said
/// `Notice([0, 0])`, which an idle router should say, and all memories are zero.
///
/// A router reports at the end of a cycle in which a port that it watches has changed by as much as counts
/// ([`grain`](Self::grain)), or in which [`receive`](Self::receive) asked for it. What a line has said last is
/// not sent again. A notice of cycle `t` that takes `n` cycles is seen by whoever decides in cycle
/// `t + n`, and not before. Those that arrive in the same cycle are received in the order of their lines,
/// so that it does not matter who simulates what.
pub trait Sensing: Send + Sync {
    /// The region of a router, numbered below the number of routers.
    fn region(&self, at: RouterId) -> u32 {
        at.0
    }

    /// Words of a region's memory.
    fn words(&self, region: u32) -> usize;

    /// The lines of a router, and who hears each. The same whenever it is asked.
    fn lines(&self, at: RouterId) -> Vec<Vec<Receiver>>;

    /// How closely a router watches a port, in flits. It reports when the port's occupancy passes a multiple of
    /// this; with 1, the default, when anything changes there at all, a flit that leaves included that has been counted before, where
    /// flits are [timed](Self::times). 0: its report does not look at the port.
    ///
    /// What does not change much costs little: say 1 only if every flit counts.
    fn grain(&self, at: RouterId, port: Port) -> u32 {
        let _ = (at, port);
        1
    }

    /// Which port's queue a line tells, if that is all that any line of any router does. It is what routers tell most often, and
    /// costs far less if it is known.
    ///
    /// The line's notice is then the port's occupancy, with what [awaits](Self::counts_awaiting) it if that is counted, rounded down
    /// to a multiple of its [grain](Self::grain), and 0. It is kept in a word of its own, in any order. [`report`](Self::report), which
    /// would say the same, is not asked, and nor is [`receive`](Self::receive).
    fn queue_line(&self, at: RouterId, line: usize) -> Option<QueueLine> {
        let _ = (at, line);
        None
    }

    /// What the lines of a router say now: a notice for each, which so far is what it said last.
    fn report(&self, at: RouterId, sees: &dyn Congestion, notices: &mut [Notice]);

    /// Keeps a notice in the memory of a region. Have its routers to report in the same cycle, because they
    /// tell what they were told?
    fn receive(&self, region: u32, from: Sender, notice: Notice, memory: &mut [u32]) -> bool;

    /// Do routers count the flits that wait at their inputs for each output ([`Congestion::awaiting`])? Ports that are
    /// [watched](Self::grain) are then watched for the sum of occupancy and these.
    fn counts_awaiting(&self) -> bool {
        false
    }

    /// Do routers note when flits leave their inputs, until these are credited? What [`Congestion::sent_within`] knows, and what the
    /// round trip of a credit is measured with.
    fn times(&self) -> bool {
        false
    }

    /// For how many cycles, at most, are credits [withheld](Self::withholds)? Not at all (0) by default.
    fn most_withheld(&self) -> u32 {
        0
    }

    /// Is the credit for a flit that goes from an input of a router to an output withheld, for as long as that output's own
    /// credits take longer than they once did, less the same of the router's quickest output to another router?
    ///
    /// So whoever sends into the input sees a queue that is behind the output (Kim, Dally, Scott, Abts, ISCA 2008, section
    /// 4.3.2). Only if routers [time](Self::times) their flits. Routers that credit a flit before its output is known withhold
    /// nothing.
    fn withholds(&self, at: RouterId, input: Port, output: Port) -> bool {
        let _ = (at, input, output);
        false
    }

    /// Do routers write on packets? If not, [`pass`](Self::pass) is never called, and packets have no room for it.
    fn marks(&self) -> bool {
        false
    }

    /// Writes on a packet whose head has got a virtual channel of a router's port; once for every router on its way.
    fn pass(&self, at: RouterId, port: Port, sees: &dyn Congestion, mark: &mut Mark) {
        let _ = (at, port, sees, mark);
    }
}
