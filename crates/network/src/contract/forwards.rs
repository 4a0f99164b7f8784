//! Routings that are no more than tables by destination, as the switches of a subnet have them.
//!
//! Whoever programs switches, or changes what they are programmed with, wants the entries themselves, also of switches that nobody's packets
//! come by. A [`Routing`](super::Routing) that is such tables [says so](super::Routing::forwards).

use crate::ids::{Port, RouterId, TerminalId, Vc};

/// A port for each router and destination, a service level for each pair, a lane for each service level.
pub trait Forwards {
    /// The port by which a router sends packets to a terminal, as it stands in the table; it may lead nowhere. `None` if there is none.
    fn entry(&self, at: RouterId, terminal: TerminalId) -> Option<Port>;

    /// The service level of packets of a pair.
    fn service_level(&self, source: TerminalId, destination: TerminalId) -> u8;

    /// The virtual channel of a service level.
    fn lane(&self, level: u8) -> Vc;
}
