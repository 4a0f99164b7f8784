//! One part of the routes as a routing of its own.

use super::ends::Ends;
use crate::system::System;
use turnwise_network::{Header, Hop, RouterId, Routing, Start, TerminalId, TwoPhases, Vc};

/// Which part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    /// From end to end, of packets that go by nobody.
    Direct,
    /// From the source to an intermediate router.
    First,
    /// From there on.
    Onward,
}

/// The part of packets between two ends.
pub(super) struct Leg<'a> {
    pub(super) system: System<'a>,
    pub(super) phases: &'a dyn TwoPhases,
    pub(super) ends: &'a Ends,
    pub(super) part: Part,
}

impl Leg<'_> {
    /// Does any packet take this part, from one end to another?
    pub(super) fn is_taken(&self, from: usize, to: usize) -> bool {
        match self.part {
            Part::Direct => {
                let goes_directly = self.phases.direct(Header::default()).is_some();
                goes_directly || self.ends.are_alike(from, to)
            }
            Part::First => self.ends.destinations(from, to) > 0,
            Part::Onward => from != to && self.ends.senders(from, to) > 0,
        }
    }
}

impl Routing for Leg<'_> {
    fn virtual_channels(&self) -> Vc {
        self.system.routing.virtual_channels()
    }

    fn start(&self, source: TerminalId, destination: TerminalId) -> Option<Start> {
        let [at, router] =
            [source, destination].map(|terminal| self.system.network.router_of(terminal));
        let [from, to] = [at, router].map(|router| self.ends.place(router));
        if !self.is_taken(from, to) {
            return None;
        }
        let start = self.system.routing.start(source, destination)?;
        let header = match self.part {
            Part::Direct if self.ends.are_alike(from, to) => start.header,
            Part::Direct => self.phases.direct(start.header)?,
            Part::First => self.phases.by(at, start.header, router),
            Part::Onward => self.phases.by(at, start.header, at),
        };
        Some(Start { header, ..start })
    }

    fn options(&self, at: RouterId, header: Header, options: &mut Vec<Hop>) {
        self.system.routing.options(at, header, options);
    }
}
