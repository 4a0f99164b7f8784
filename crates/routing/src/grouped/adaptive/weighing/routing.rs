//! A routing whose routers take what weighs least.

use super::moves::{Moves, Step};
use crate::common::draw::Least;
use turnwise_network::random::Random;
use turnwise_network::{
    Congestion, Header, Hop, RouterId, Routing, Sensing, Start, TerminalId, Vc, VcSet,
};

/// How outputs are weighed.
pub(crate) trait Scales<M>: Send + Sync {
    /// The virtual channels of a class between which a packet chooses: each by itself, or several at once.
    fn choices(&self, class: VcSet) -> impl Iterator<Item = VcSet>;

    /// What the hops of a step weigh for a packet to a router.
    fn weight(
        &self,
        moves: &M,
        at: RouterId,
        to: RouterId,
        step: &Step,
        sees: &dyn Congestion,
    ) -> impl Fn(Hop) -> f64;

    /// What routers tell each other for it.
    fn sensing(&self) -> Option<&dyn Sensing> {
        None
    }
}

/// Moves and scales make a routing.
pub(crate) struct Weighing<M, S> {
    pub(crate) moves: M,
    pub(crate) scales: S,
}

impl<M: Moves, S: Scales<M>> Weighing<M, S> {
    /// Every hop of a step, until `each` says `false`.
    fn hops(&self, step: &Step, mut each: impl FnMut(Hop) -> bool) -> bool {
        let mut choices = self.scales.choices(step.hop.vcs);
        choices.all(|vcs| each(Hop { vcs, ..step.hop }))
    }
}

impl<M: Moves, S: Scales<M>> Routing for Weighing<M, S> {
    fn virtual_channels(&self) -> Vc {
        self.moves.plan().total
    }

    fn start(&self, source: TerminalId, destination: TerminalId) -> Option<Start> {
        self.moves.start(source, destination)
    }

    fn options(&self, at: RouterId, header: Header, options: &mut Vec<Hop>) {
        self.moves.each(at, header, &mut |step| {
            self.hops(&step, |hop| {
                // Where a router leads on minimally and otherwise, its two steps are the same hop.
                if options.last() != Some(&hop) {
                    options.push(hop);
                }
                true
            })
        });
    }

    fn settled(&self, at: RouterId, header: Header) -> Option<Hop> {
        let (mut only, mut count) = (None, 0);
        self.moves.each(at, header, &mut |step| {
            self.hops(&step, |hop| {
                count += u32::from(only != Some(hop));
                only = Some(hop);
                count < 2
            })
        });
        only.filter(|_| count == 1)
    }

    fn choose(
        &self,
        at: RouterId,
        header: Header,
        congestion: &dyn Congestion,
        rng: &mut Random,
    ) -> Option<Hop> {
        let to = self.moves.router_of(header);
        let (mut minimal, mut other) = (Least::default(), Least::default());
        self.moves.each(at, header, &mut |step| {
            let weight = self.scales.weight(&self.moves, at, to, &step, congestion);
            let kind = match step.is_minimal {
                true => &mut minimal,
                false => &mut other,
            };
            self.hops(&step, |hop| {
                kind.offer(weight(hop), hop, rng);
                true
            })
        });
        // Another way must be strictly better than the best minimal one.
        match (minimal.key(), other.key()) {
            (Some(short), Some(long)) if long < short => other.item(),
            (Some(_), _) => minimal.item(),
            (None, _) => other.item(),
        }
    }

    fn sensing(&self) -> Option<&dyn Sensing> {
        self.scales.sensing()
    }
}
