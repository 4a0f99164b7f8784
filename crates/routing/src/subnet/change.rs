//! Two tables at once: switches that may have the one or the other.
//!
//! Nobody stops the packets while tables change. At any switch a packet may meet the old entry or the new one, and it may have set out at the
//! old service level or at the new one. An entry that leads nowhere loses the packet, so that pairs count as routed only if they
//! arrive whichever entries they meet: those that one of the tables alone does not route do not. A switch's lanes change with its entries;
//! one that has no lane for a level throws its packets away, also if only the other tables have packets of that level there.

use super::lanes::channels_met;
use std::sync::Arc;
use turnwise_network::contract::forwards::NO_ENTRY;
use turnwise_network::random::Random;
use turnwise_network::tables::ForwardingTable;
use turnwise_network::{
    Congestion, Forwards, Header, Hop, Network, RouterId, Routing, Start, TerminalId, Vc, VcSet,
};

/// The routes of two tables, and all that packets do who meet now the one and now the other.
pub struct Change {
    network: Arc<Network>,
    before: ForwardingTable,
    after: ForwardingTable,
}

impl Change {
    /// What packets do while tables change from the one to the other; both are of this network, have as many addresses a port, and have
    /// lanes by ports or neither of them.
    pub fn between(
        network: &Arc<Network>,
        before: ForwardingTable,
        after: ForwardingTable,
    ) -> Self {
        let both = [&before, &after];
        let channels = channels_met(network, &both, |source, destination, starts| {
            starts.extend(
                both.iter()
                    .flat_map(|table| table.outsets(source, destination)),
            );
        });
        Self {
            network: network.clone(),
            before: before.with_virtual_channels(channels),
            after: after.with_virtual_channels(channels),
        }
    }

    fn tables(&self) -> [&ForwardingTable; 2] {
        [&self.after, &self.before]
    }

    /// The hop of an entry that leads nowhere, by its port, or of no entry at all, as it is for who is thrown away.
    fn nowhere(&self, tables: &ForwardingTable, at: RouterId, header: Header) -> Hop {
        let to = header.destination;
        let port = tables.port(at, to, header.step);
        let port = port.filter(|&port| !self.network.may_lead_to(to, at, port));
        Hop {
            port: port.unwrap_or(NO_ENTRY),
            vcs: VcSet::one(0),
            header,
        }
    }
}

impl Routing for Change {
    fn virtual_channels(&self) -> Vc {
        self.after.virtual_channels()
    }

    fn start(&self, source: TerminalId, destination: TerminalId) -> Option<Start> {
        let mut starts = Vec::new();
        self.starts(source, destination, 0, &mut starts);
        starts.first().copied()
    }

    /// At the levels of both, if one of the two knows a way to any address: who has a level keeps it until told otherwise.
    fn starts(&self, source: TerminalId, destination: TerminalId, _: u8, starts: &mut Vec<Start>) {
        let first = starts.len();
        let at = self.network.router_of(source);
        let mut is_known = false;
        for tables in self.tables() {
            for start in tables.outsets(source, destination) {
                let mut all = self.tables().into_iter();
                is_known = is_known || all.any(|tables| tables.settled(at, start.header).is_some());
                if !starts[first..].contains(&start) {
                    starts.push(start);
                }
            }
        }
        if !is_known {
            starts.truncate(first);
        }
    }

    fn chooses_start(&self) -> bool {
        true
    }

    fn options(&self, at: RouterId, header: Header, options: &mut Vec<Hop>) {
        let first = options.len();
        for tables in self.tables() {
            let hop = tables.settled(at, header);
            let hop = hop.unwrap_or_else(|| self.nowhere(tables, at, header));
            if !options[first..].contains(&hop) {
                options.push(hop);
            }
        }
    }

    /// One of the entries at random, of those that may lead there: a simulation goes on where the verifier says that packets can be lost.
    fn choose(
        &self,
        at: RouterId,
        header: Header,
        _: &dyn Congestion,
        rng: &mut Random,
    ) -> Option<Hop> {
        let mut options = Vec::new();
        self.options(at, header, &mut options);
        let to = header.destination;
        options.retain(|hop| self.network.may_lead_to(to, at, hop.port));
        match options.as_slice() {
            [] => None,
            many => Some(many[rng.below(many.len() as u32) as usize]),
        }
    }

    fn distinguishes_terminals(&self) -> bool {
        true
    }

    /// Not if lanes are told by ports, or ports have several addresses.
    fn exchanges(&self) -> Option<[&dyn Forwards; 2]> {
        Some([self.before.forwards()?, self.after.forwards()?])
    }

    fn memory_bytes(&self) -> u64 {
        self.before.memory_bytes() + self.after.memory_bytes()
    }
}
