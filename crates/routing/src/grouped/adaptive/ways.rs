//! The ways of a packet that may make a detour.

use super::judge::Judge;
use turnwise_network::random::Random;
use turnwise_network::{Congestion, Header, Hop, Port, RouterId, Start, TerminalId, TwoPhases, Vc};

/// A way that a packet may take from where it decides, its hop made up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Way {
    /// Its first hop.
    pub(crate) hop: Hop,
    /// The number of its first global channel among the links between groups; none has this number if it has none.
    pub(crate) link: u32,
}

/// What a packet that decides may choose from.
pub(crate) trait Ways: Send + Sync {
    /// As little of a way as it takes to compare it with others: most are weighed and not taken.
    type Way: Copy;

    /// Does a way begin with a channel up to a spine, and not with its global channel or one to that channel's owner?
    const GOES_UP: bool = false;

    /// The port that a way begins with.
    fn port(&self, way: Self::Way) -> Port;

    /// The number of its first global channel among the links between groups; none has this number if it has none.
    fn link(&self, way: Self::Way) -> u32;

    /// The first hop of the way that a packet takes.
    fn hop(&self, header: Header, way: Self::Way) -> Hop;

    /// The minimal way, where it is seen at once that there is only one: what would be drawn.
    #[inline]
    fn only_minimal(&self, at: RouterId, header: Header) -> Option<Self::Way> {
        let _ = (at, header);
        None
    }

    /// Every minimal way that survives.
    fn each_minimal(&self, at: RouterId, header: Header, each: &mut dyn FnMut(Self::Way));

    /// A random minimal way.
    fn draw_minimal(&self, at: RouterId, header: Header, rng: &mut Random) -> Option<Self::Way>;

    /// A random detour.
    fn draw_detour(&self, at: RouterId, header: Header, rng: &mut Random) -> Option<Self::Way>;

    /// Router-to-router channels of a way, from here to the destination's router.
    fn channels(&self, at: RouterId, way: Self::Way) -> u32;

    /// The number of a detour's second global channel, where it is chosen together with the first.
    fn onward(&self, way: Self::Way) -> Option<u32> {
        let _ = way;
        None
    }
}

/// All ways on a network, and where packets decide between them.
pub(crate) trait Relation: Ways + Sized {
    fn virtual_channels(&self) -> Vc;

    /// What ways follow from beside the network, as [`Routing::relation`](turnwise_network::Routing::relation) has it.
    fn describe(&self) -> String;

    fn start(&self, source: TerminalId, destination: TerminalId) -> Option<Start>;

    /// What the routing [promises](turnwise_network::Routing::two_phases) of its phases.
    fn two_phases(&self) -> Option<&dyn TwoPhases> {
        None
    }

    /// The hop, where there is only one.
    fn only_hop(&self, at: RouterId, header: Header) -> Option<Hop>;

    /// Does a packet without an only hop decide here between minimal ways and detours? Otherwise it draws one of
    /// the minimal ways.
    fn decides(&self, at: RouterId, header: Header) -> bool;

    /// Every detour that survives.
    fn each_detour(&self, at: RouterId, header: Header, each: &mut dyn FnMut(Self::Way));

    /// What a judge decides. Overridden by those who see at once which ways there are.
    #[inline(always)]
    fn judged<J: Judge>(
        &self,
        judge: &J,
        at: RouterId,
        header: Header,
        sees: &dyn Congestion,
        rng: &mut Random,
    ) -> Option<Hop> {
        self.judged_of_all(judge, at, header, sees, rng)
    }

    /// The same where ways have to be looked for.
    #[inline(never)]
    fn judged_of_all<J: Judge>(
        &self,
        judge: &J,
        at: RouterId,
        header: Header,
        sees: &dyn Congestion,
        rng: &mut Random,
    ) -> Option<Hop> {
        if let Some(hop) = self.only_hop(at, header) {
            return Some(hop);
        }
        let way = match self.decides(at, header) {
            true => judge.choose(self, at, header, sees, rng),
            false => self.draw_minimal(at, header, rng),
        };
        Some(self.hop(header, way?))
    }
}
