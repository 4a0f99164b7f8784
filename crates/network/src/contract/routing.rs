//! How any routing algorithm looks to the verifier and to the simulator.
//!
//! An algorithm answers two questions from the same state, the router a head flit is at and
//! its [`Header`]: [`options`](Routing::options), everything it may ever do next whatever
//! the congestion or the random numbers say, and [`choose`](Routing::choose), which of these it does
//! now. The verifier explores the first, the simulator calls the second, and tests assert
//! that a choice is always one of the options. So what is proved is what runs.
//!
//! A head whose choice has no free virtual channel waits for one, or, if the algorithm
//! [asks again](Routing::asks_again), chooses anew in every step in which one of its options is free, until it has one. That it does so is a
//! property of the algorithm and not of the single choice: it is known before a run, so that
//! algorithms that wait pay nothing for it, and the verifier can rely on it for every state.

use super::congestion::Congestion;
use super::forwards::Forwards;
use super::notification::Snooping;
use super::phases::TwoPhases;
use super::sensing::Sensing;
use crate::ids::{Port, RouterId, TerminalId, Vc, VcSet};
use crate::random::Random;
use serde::{Deserialize, Serialize};
use std::any::Any;

/// What a packet carries for its routing algorithm: plain data, 16 bytes.
///
/// Only the algorithm reads anything but `destination`. Fields it does not use stay zero,
/// because every distinct header is a state that the verifier must explore.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[repr(C)]
pub struct Header {
    /// Where the packet goes.
    pub destination: TerminalId,
    /// The algorithm's own: an intermediate router or group, a table row.
    pub via: u32,
    /// The algorithm's own: progress along a precomputed route.
    pub step: u32,
    /// The algorithm's own: virtual channel class.
    pub class: u16,
    /// The algorithm's own: phase of the route.
    pub phase: u8,
    /// The class of the message, where the routing keeps classes apart; otherwise 0.
    pub message: u8,
}

impl Header {
    /// A header that knows only where it goes.
    #[inline]
    pub fn to(destination: TerminalId) -> Self {
        Self {
            destination,
            ..Self::default()
        }
    }
}

/// One thing a packet may do at a router: leave by a port, on one of some virtual channels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hop {
    /// The port to leave by; a terminal's port ejects the packet.
    pub port: Port,
    /// The virtual channels it may take there; any of them, whichever is free first.
    pub vcs: VcSet,
    /// What the header says once it has left.
    pub header: Header,
}

impl Hop {
    /// Is it this option, on all or some of its virtual channels?
    pub fn is_part_of(&self, option: &Self) -> bool {
        let same = (self.port, self.header) == (option.port, option.header);
        same && self.vcs.0 & !option.vcs.0 == 0
    }
}

/// How a packet sets out: its first header and the virtual channels of the injection channel it may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Start {
    /// The header at the source's router.
    pub header: Header,
    /// Admissible virtual channels of the injection channel.
    pub vcs: VcSet,
}

/// A routing algorithm made for one network: a table or a rule.
///
/// It is deterministic apart from the random numbers handed to `choose`.
pub trait Routing: Send + Sync {
    /// How many virtual channels a channel it uses; it never names one at or above this.
    fn virtual_channels(&self) -> Vc;

    /// How a packet from `source` to `destination` sets out; `None` if the pair cannot be routed.
    ///
    /// Where there are several ways, the first of [`starts`](Self::starts) for messages of class 0.
    fn start(&self, source: TerminalId, destination: TerminalId) -> Option<Start>;

    /// Appends every way in which a packet of a message class may ever set out; none if the pair cannot be routed.
    ///
    /// The default knows one way for all classes. A pair has several where the source has a say in its packets'
    /// routes (InfiniBand's LMC: several addresses a terminal), classes have different ones where the routing keeps them
    /// apart.
    fn starts(
        &self,
        source: TerminalId,
        destination: TerminalId,
        class: u8,
        starts: &mut Vec<Start>,
    ) {
        let _ = class;
        starts.extend(self.start(source, destination));
    }

    /// Has a packet of one pair and message class more than one way to set out?
    fn chooses_start(&self) -> bool {
        false
    }

    /// How a packet sets out now: always one of `starts`, `None` exactly if there are none. Only called
    /// if the algorithm [chooses](Self::chooses_start).
    ///
    /// The default takes one of them with equal probability.
    fn choose_start(
        &self,
        source: TerminalId,
        destination: TerminalId,
        class: u8,
        rng: &mut Random,
    ) -> Option<Start> {
        let mut starts = Vec::new();
        self.starts(source, destination, class, &mut starts);
        one_of(&starts, rng)
    }

    /// Appends everything a packet with this header may ever do at this router.
    ///
    /// Appending nothing means that the packet is lost, which the verifier reports as a failure.
    fn options(&self, at: RouterId, header: Header, options: &mut Vec<Hop>);

    /// What leads nowhere, if there are no [`options`](Self::options) because of it: what a table says of a port that has no cable, or that is
    /// another terminal's. `None`, the default, if there is nothing of the kind. Only the verifier asks, to say what is wrong.
    fn void(&self, at: RouterId, header: Header) -> Option<Hop> {
        let _ = (at, header);
        None
    }

    /// What it does now: always one of `options`, `None` exactly if there are none.
    ///
    /// The default takes one of the options with equal probability.
    fn choose(
        &self,
        at: RouterId,
        header: Header,
        congestion: &dyn Congestion,
        rng: &mut Random,
    ) -> Option<Hop> {
        let _ = congestion;
        one_of_all(self, at, header, rng)
    }

    /// Does a head that finds no free virtual channel among its choice choose again, in every step until
    /// it has one? By default it waits for its first choice.
    ///
    /// It may be asked only in steps in which a virtual channel of its [`options`](Self::options) is free, which stay the same while it waits.
    ///
    /// Where a hop is [settled](Self::settled) there is nothing to choose, and the head waits all the same.
    fn asks_again(&self) -> bool {
        false
    }

    /// What a head does that has chosen in vain; only called if the algorithm [asks again](Self::asks_again).
    ///
    /// Whatever the congestion, each of `options` must come up again and again, because such a head counts as
    /// waiting for all of them. The default takes any of them with equal probability.
    fn choose_again(
        &self,
        at: RouterId,
        header: Header,
        congestion: &dyn Congestion,
        rng: &mut Random,
    ) -> Option<Hop> {
        let _ = congestion;
        one_of_all(self, at, header, rng)
    }

    /// Appends the escape routing subfunction: those of the `options` by which a packet gets to
    /// its destination whatever happens to the others (Duato, IEEE TPDS 4(12), 1993). None by default.
    ///
    /// Each is one of the `options`, on some or all of its virtual channels. It counts only if the algorithm
    /// [asks again](Self::asks_again); the verifier proves that it keeps the routing free of deadlock.
    fn escape(&self, at: RouterId, header: Header, options: &mut Vec<Hop>) {
        let _ = (at, header, options);
    }

    /// The answer of [`choose`](Self::choose) where neither congestion nor random numbers have a say in it.
    ///
    /// The simulator asks this first, because most routes are settled and the question is a
    /// cheap one. `None`, the default, settles nothing and leaves everything to `choose`.
    fn settled(&self, at: RouterId, header: Header) -> Option<Hop> {
        let _ = (at, header);
        None
    }

    /// Do most packets decide at their source's router? There the simulator then asks [`choose`](Self::choose) at once, which says
    /// what is settled as well.
    fn decides_at_source(&self) -> bool {
        false
    }

    /// What routers tell each other of congestion, and [`choose`](Self::choose) then finds in
    /// [`Congestion::memory`]; `None`, the default, if nothing.
    fn sensing(&self) -> Option<&dyn Sensing> {
        None
    }

    /// What switches of Ethernet make of congestion notifications; `None`, the default, if they only pass them on.
    fn snooping(&self) -> Option<&dyn Snooping> {
        None
    }

    /// The tables it is, if it is no more than tables by destination whose lanes follow from service levels; `None` by default.
    fn forwards(&self) -> Option<&dyn Forwards> {
        None
    }

    /// The table that it is, if it is one of a kind that is asked for by its type; `None` by default.
    fn table(&self) -> Option<&dyn Any> {
        None
    }

    /// The tables of a subnet that it was made from and keeps to, if it was; `None` by default.
    fn replaces(&self) -> Option<&dyn Forwards> {
        None
    }

    /// The tables of a subnet before and after they change, if it is what packets do meanwhile and entries change one by one; `None` by default.
    fn exchanges(&self) -> Option<[&dyn Forwards; 2]> {
        None
    }

    /// Do two terminals at the same router get routes that differ before the last hop?
    ///
    /// `false` lets the verifier explore one terminal a router instead of all; a property
    /// test holds every algorithm to its word.
    fn distinguishes_terminals(&self) -> bool {
        false
    }

    /// Do packets that two terminals at the same router send to a third one set out differently, or only those of one?
    ///
    /// `false` lets the verifier have one terminal of each router send instead of all; the same property test holds every algorithm to it.
    fn tells_senders_apart(&self) -> bool {
        self.distinguishes_terminals()
    }

    /// Its routing relation in words: all that [`starts`](Self::starts), [`options`](Self::options), [`escape`](Self::escape),
    /// [`asks_again`](Self::asks_again) and [`distinguishes_terminals`](Self::distinguishes_terminals) follow from beside the network.
    /// `None`, the default, if it has no words for it.
    ///
    /// Routings of one network that say the same may do the same in every state, whatever they choose by, so that a proof of one is a
    /// proof of all. A test compares what they may do wherever they say the same.
    fn relation(&self) -> Option<String> {
        None
    }

    /// What its two phases are, if it promises to be [of two](TwoPhases); `None` by default.
    fn two_phases(&self) -> Option<&dyn TwoPhases> {
        None
    }

    /// Bytes of its tables, if it has any that grow with the pairs of routers.
    fn memory_bytes(&self) -> u64 {
        0
    }

    /// Do packets of one source and destination always arrive in the order they were sent?
    fn keeps_order(&self) -> bool {
        false
    }
}

/// One of the options, each with the same probability.
fn one_of_all<R: Routing + ?Sized>(
    routing: &R,
    at: RouterId,
    header: Header,
    rng: &mut Random,
) -> Option<Hop> {
    let mut options = Vec::new();
    routing.options(at, header, &mut options);
    one_of(&options, rng)
}

/// One of these, each with the same probability; draws only if there are several.
fn one_of<T: Copy>(all: &[T], rng: &mut Random) -> Option<T> {
    match all {
        [] => None,
        [only] => Some(*only),
        many => Some(many[rng.below(many.len() as u32) as usize]),
    }
}
