//! Routings that are no more than tables by destination, as the switches of a subnet have them.
//!
//! Whoever programs switches, or changes what they are programmed with, wants the entries themselves, also of switches that nobody's packets
//! come by. A [`Routing`](super::Routing) that is such tables [says so](super::Routing::forwards).

use crate::ids::{Port, RouterId, TerminalId, Vc};
use crate::network::{End, Network};

/// What stands in a row where there is no entry.
pub const NO_ENTRY: Port = Port::MAX;

/// Service levels that there are.
pub const SERVICE_LEVELS: u8 = 16;

/// A port for each router and destination, a service level for each pair, a lane for each service level.
pub trait Forwards: Send + Sync {
    /// A router's entries, by terminal; [`NO_ENTRY`] where it has none.
    fn entries(&self, at: RouterId) -> &[Port];

    /// The service levels of packets from a terminal, by destination; nothing if all of all terminals are 0.
    fn service_levels(&self, source: TerminalId) -> &[u8];

    /// The virtual channel of a service level.
    fn lane(&self, level: u8) -> Vc;

    /// Is a terminal taken to send and receive nothing, though there may be entries for it?
    fn is_silent(&self, terminal: TerminalId) -> bool {
        let _ = terminal;
        false
    }

    /// The port by which a router sends packets to a terminal, as it stands in the table; it may lead nowhere. `None` if there is none.
    fn entry(&self, at: RouterId, terminal: TerminalId) -> Option<Port> {
        let entry = self.entries(at)[terminal.index()];
        (entry != NO_ENTRY).then_some(entry)
    }

    /// The service level of packets of a pair.
    fn service_level(&self, source: TerminalId, destination: TerminalId) -> u8 {
        let levels = self.service_levels(source);
        levels.get(destination.index()).copied().unwrap_or(0)
    }
}

/// By terminal: do packets to it meet other entries or have other lanes by the one of two tables than by the other?
pub fn differing(network: &Network, [one, other]: [&dyn Forwards; 2]) -> Vec<bool> {
    let has_other_lanes = (0..SERVICE_LEVELS).any(|level| one.lane(level) != other.lane(level));
    let mut differs = vec![has_other_lanes; network.terminal_count()];
    for at in network.routers() {
        mark(one.entries(at), other.entries(at), &mut differs);
    }
    let zeros = vec![0; network.terminal_count()];
    for source in network.living_terminals() {
        let [one, other] = [one, other].map(|tables| match tables.service_levels(source) {
            [] => zeros.as_slice(),
            levels => levels,
        });
        mark(one, other, &mut differs);
    }
    differs
}

/// How many other living terminals have a route to one, by the entries alone. O(routers).
pub fn senders_to(network: &Network, tables: &dyn Forwards, to: TerminalId) -> u64 {
    let mut arrives: Vec<Option<bool>> = vec![None; network.router_count()];
    let mut walk = Vec::new();
    let mut senders = 0;
    for start in network.routers() {
        let mut at = start;
        let end = loop {
            if let Some(known) = arrives[at.index()] {
                break known;
            }
            // Until more is known: whoever comes by again goes in circles.
            arrives[at.index()] = Some(false);
            walk.push(at);
            let entry = tables.entry(at, to);
            let channel = entry.and_then(|port| network.out_channel(at, port));
            match channel.map(|channel| network.channel(channel).target) {
                Some(End::Router(next, _)) => at = next,
                Some(End::Terminal(other)) => break other == to,
                None => break false,
            }
        };
        for at in walk.drain(..) {
            arrives[at.index()] = Some(end);
        }
        if end {
            let living = network.living_terminals_of(start);
            senders += living.filter(|&from| from != to).count() as u64;
        }
    }
    senders
}

fn mark<T: PartialEq>(one: &[T], other: &[T], differs: &mut [bool]) {
    if one != other {
        for (differs, (one, other)) in differs.iter_mut().zip(one.iter().zip(other)) {
            *differs |= one != other;
        }
    }
}
