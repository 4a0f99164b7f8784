//! Ways and a judge make a routing.

use super::judge::Judge;
use super::ways::Relation;
use turnwise_network::random::Random;
use turnwise_network::{
    Congestion, Header, Hop, RouterId, Routing, Sensing, Start, TerminalId, TwoPhases, Vc,
};

/// An adaptive routing.
pub(crate) struct Adaptive<W, J> {
    pub(crate) ways: W,
    pub(crate) judge: J,
}

impl<W: Relation, J: Judge> Routing for Adaptive<W, J> {
    fn virtual_channels(&self) -> Vc {
        self.ways.virtual_channels()
    }

    fn start(&self, source: TerminalId, destination: TerminalId) -> Option<Start> {
        self.ways.start(source, destination)
    }

    fn options(&self, at: RouterId, header: Header, options: &mut Vec<Hop>) {
        if let Some(hop) = self.ways.only_hop(at, header) {
            return options.push(hop);
        }
        let mut push = |way| options.push(self.ways.hop(header, way));
        self.ways.each_minimal(at, header, &mut push);
        if self.ways.decides(at, header) {
            self.ways.each_detour(at, header, &mut push);
        }
    }

    fn choose(
        &self,
        at: RouterId,
        header: Header,
        congestion: &dyn Congestion,
        rng: &mut Random,
    ) -> Option<Hop> {
        self.ways.judged(&self.judge, at, header, congestion, rng)
    }

    fn settled(&self, at: RouterId, header: Header) -> Option<Hop> {
        self.ways.only_hop(at, header)
    }

    fn decides_at_source(&self) -> bool {
        true
    }

    fn sensing(&self) -> Option<&dyn Sensing> {
        self.judge.sensing()
    }

    fn two_phases(&self) -> Option<&dyn TwoPhases> {
        self.ways.two_phases()
    }

    fn relation(&self) -> Option<String> {
        Some(self.ways.describe())
    }
}
