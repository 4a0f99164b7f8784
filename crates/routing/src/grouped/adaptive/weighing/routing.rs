//! A routing whose routers take what weighs least.

use super::moves::{Moves, Step};
use super::sample::Sample;
use crate::common::draw::Least;
use turnwise_network::random::Random;
use turnwise_network::{
    Congestion, Header, Hop, RouterId, Routing, Sensing, Start, TerminalId, Vc, VcSet,
};

/// Weights that differ by less are alike, as in SuperSim.
const TOLERANCE: f64 = 1e-6;

/// What a router sees when it decides.
pub(crate) struct Sight<'a> {
    pub(crate) at: RouterId,
    /// The router of the packet's destination.
    pub(crate) to: RouterId,
    pub(crate) sees: &'a dyn Congestion,
    /// What it has been told.
    pub(crate) memory: &'a [u32],
}

/// How outputs are weighed.
pub(crate) trait Scales<M>: Send + Sync {
    /// The virtual channels of a class between which a packet chooses: each by itself, or several at once.
    fn choices(&self, class: VcSet) -> impl Iterator<Item = VcSet>;

    /// What the hops of a step weigh.
    fn weight(&self, moves: &M, sight: &Sight<'_>, step: &Step) -> impl Fn(Hop) -> f64;

    /// Does a packet take the better of two minimal steps to peers, drawn at random, and not the best of all?
    ///
    /// If everyone takes the best of all, everyone takes the same until the news of it is round. Two are enough to avoid the
    /// worst, and few take the same (Mitzenmacher, "How useful is old information?", 2000).
    fn samples_peers(&self) -> bool {
        false
    }

    /// No hop of another step than a minimal one weighs less.
    fn least_other(&self) -> f64;

    /// No hop of another step by a peer's channels weighs less.
    fn least_by_peers(&self, sight: &Sight<'_>) -> f64 {
        let _ = sight;
        self.least_other()
    }

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
        self.moves.each(at, header, |step| {
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
        let hop = self.moves.only_hop(at, header)?;
        let mut choices = self.scales.choices(hop.vcs);
        let vcs = choices.next()?;
        choices.next().is_none().then_some(Hop { vcs, ..hop })
    }

    fn choose(
        &self,
        at: RouterId,
        header: Header,
        congestion: &dyn Congestion,
        rng: &mut Random,
    ) -> Option<Hop> {
        let sight = Sight {
            at,
            to: self.moves.router_of(header),
            sees: congestion,
            memory: congestion.memory(),
        };
        let weigh = |least: &mut Least<f64, Hop>, step: Step, rng: &mut Random| {
            let weight = self.scales.weight(&self.moves, &sight, &step);
            self.hops(&step, |hop| {
                least.offer(weight(hop), hop, rng);
                true
            })
        };
        let mut minimal = Least::default();
        let (samples, mut peers) = (self.scales.samples_peers(), Sample::default());
        self.moves.each_minimal(
            at,
            header,
            &mut |step| match samples && step.leads.to_peer() {
                true => peers.offer(step, rng),
                false => weigh(&mut minimal, step, rng),
            },
        );
        for step in peers.drawn() {
            weigh(&mut minimal, step, rng);
        }
        let short = minimal.key().unwrap_or(f64::INFINITY);
        if short <= self.scales.least_other() {
            return minimal.item();
        }
        let mut other = Least::default();
        self.moves
            .each_other(at, header, &mut |step| weigh(&mut other, step, rng));
        if short > self.scales.least_by_peers(&sight) {
            self.moves
                .each_by_peers(at, header, &mut |step| weigh(&mut other, step, rng));
        }
        // Another way must be strictly better than the best minimal one, by more than arithmetic errs.
        match other.key() {
            Some(long) if long < short - TOLERANCE => other.item(),
            _ => minimal.item(),
        }
    }

    fn sensing(&self) -> Option<&dyn Sensing> {
        self.scales.sensing()
    }
}
