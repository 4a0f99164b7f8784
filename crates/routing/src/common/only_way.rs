//! Deterministic routing by a rule: in every state there is one way to go, or none.

use crate::common::vc_plan::VcPlan;
use turnwise_network::random::Random;
use turnwise_network::{
    Congestion, Header, Hop, Network, RouterId, Routing, Start, TerminalId, Vc,
};

/// What such a rule has to say.
pub(crate) trait Rule: Send + Sync {
    fn plan(&self) -> &VcPlan;

    /// How a packet sets out.
    fn start(&self, source: TerminalId, destination: TerminalId) -> Option<Start>;

    /// The one hop; `None` if its channel is dead.
    fn hop(&self, at: RouterId, header: Header) -> Option<Hop>;

    /// As [`Routing::distinguishes_terminals`].
    fn distinguishes_terminals(&self) -> bool {
        false
    }

    /// As [`Routing::tells_senders_apart`].
    fn tells_senders_apart(&self) -> bool {
        self.distinguishes_terminals()
    }

    /// As [`Routing::memory_bytes`].
    fn memory_bytes(&self) -> u64 {
        0
    }

    /// Does the only way from the source lead to a terminal, within so many channels?
    fn arrives(
        &self,
        network: &Network,
        source: TerminalId,
        mut header: Header,
        most: usize,
    ) -> bool {
        let mut at = network.router_of(source);
        for _ in 0..=most {
            let Some(hop) = self.hop(at, header) else {
                return false;
            };
            let Some(next) = network.next_router(at, hop.port) else {
                return true;
            };
            (at, header) = (next, hop.header);
        }
        false
    }
}

/// The routing of a rule.
pub(crate) struct OnlyWay<R>(pub(crate) R);

impl<R: Rule> Routing for OnlyWay<R> {
    fn virtual_channels(&self) -> Vc {
        self.0.plan().total
    }

    fn start(&self, source: TerminalId, destination: TerminalId) -> Option<Start> {
        self.0.start(source, destination)
    }

    fn options(&self, at: RouterId, header: Header, options: &mut Vec<Hop>) {
        options.extend(self.0.hop(at, header));
    }

    fn choose(
        &self,
        at: RouterId,
        header: Header,
        _: &dyn Congestion,
        _: &mut Random,
    ) -> Option<Hop> {
        self.0.hop(at, header)
    }

    fn settled(&self, at: RouterId, header: Header) -> Option<Hop> {
        self.0.hop(at, header)
    }

    fn distinguishes_terminals(&self) -> bool {
        self.0.distinguishes_terminals()
    }

    fn tells_senders_apart(&self) -> bool {
        self.0.tells_senders_apart()
    }

    fn memory_bytes(&self) -> u64 {
        self.0.memory_bytes()
    }

    fn keeps_order(&self) -> bool {
        self.0.plan().total == 1
    }
}
