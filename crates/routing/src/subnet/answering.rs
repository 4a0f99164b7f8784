//! Tables whose packets may take the level of the other direction: answers on the level of what they answer.
//!
//! Who opens a connection may send to any address of its peer, and to whichever of its own addresses the peer answers, that is on the level
//! of what came.

use super::lanes::channels_met;
use turnwise_network::random::Random;
use turnwise_network::tables::ForwardingTable;
use turnwise_network::{
    Congestion, Header, Hop, Network, RouterId, Routing, Start, TerminalId, Vc,
};

/// The routes of tables, on the levels of either direction of a pair.
pub struct Answering {
    table: ForwardingTable,
}

impl Answering {
    /// What packets of these tables, which are of this network, do with answers among them.
    pub fn by(network: &Network, table: &ForwardingTable) -> Self {
        let channels = channels_met(network, &[table], |source, destination, starts| {
            outsets(table, (source, destination), starts);
        });
        let table = table.clone().with_virtual_channels(channels);
        Self { table }
    }
}

/// How packets set out, as themselves and as answers.
fn outsets(
    table: &ForwardingTable,
    (source, destination): (TerminalId, TerminalId),
    starts: &mut Vec<Start>,
) {
    let first = starts.len();
    starts.extend(table.outsets(source, destination));
    let own = first..starts.len();
    for answered in table.outsets(destination, source) {
        for at in own.clone() {
            let Start { header, vcs } = starts[at];
            let class = answered.header.class;
            let header = Header { class, ..header };
            let answer = Start { header, vcs };
            if !starts[first..].contains(&answer) {
                starts.push(answer);
            }
        }
    }
}

impl Routing for Answering {
    fn virtual_channels(&self) -> Vc {
        self.table.virtual_channels()
    }

    fn start(&self, source: TerminalId, destination: TerminalId) -> Option<Start> {
        self.table.start(source, destination)
    }

    fn starts(&self, source: TerminalId, destination: TerminalId, _: u8, starts: &mut Vec<Start>) {
        if self.start(source, destination).is_some() {
            outsets(&self.table, (source, destination), starts);
        }
    }

    fn chooses_start(&self) -> bool {
        true
    }

    fn options(&self, at: RouterId, header: Header, options: &mut Vec<Hop>) {
        self.table.options(at, header, options);
    }

    fn choose(
        &self,
        at: RouterId,
        header: Header,
        congestion: &dyn Congestion,
        rng: &mut Random,
    ) -> Option<Hop> {
        self.table.choose(at, header, congestion, rng)
    }

    fn settled(&self, at: RouterId, header: Header) -> Option<Hop> {
        self.table.settled(at, header)
    }

    fn distinguishes_terminals(&self) -> bool {
        true
    }

    fn memory_bytes(&self) -> u64 {
        self.table.memory_bytes()
    }
}
