//! One of two phases as a routing of its own.

use crate::system::System;
use turnwise_network::{Header, Hop, RouterId, Routing, Start, TerminalId, TwoPhases, Vc};

/// The first phase, which ends at the destination's router, or the second one, which begins at the source's.
pub(super) struct Leg<'a> {
    pub(super) system: System<'a>,
    pub(super) phases: &'a dyn TwoPhases,
    pub(super) is_first: bool,
}

impl Routing for Leg<'_> {
    fn virtual_channels(&self) -> Vc {
        self.system.routing.virtual_channels()
    }

    fn start(&self, source: TerminalId, destination: TerminalId) -> Option<Start> {
        let start = self.system.routing.start(source, destination)?;
        let [at, to] =
            [source, destination].map(|terminal| self.system.network.router_of(terminal));
        let header = match self.is_first {
            // Between terminals of one router there is no other way.
            _ if at == to => start.header,
            true => self.phases.by(at, start.header, to),
            false => self.phases.by(at, start.header, at),
        };
        Some(Start { header, ..start })
    }

    fn options(&self, at: RouterId, header: Header, options: &mut Vec<Hop>) {
        self.system.routing.options(at, header, options);
    }
}
