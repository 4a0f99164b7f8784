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
}

/// How outputs are weighed.
pub(crate) trait Scales<M>: Send + Sync {
    /// The virtual channels of a class between which a packet chooses: each by itself, or several at once.
    fn choices(&self, class: VcSet) -> impl Iterator<Item = VcSet>;

    /// What the hops of a step weigh.
    fn weight(&self, moves: &M, sight: &Sight<'_>, step: &Step) -> impl Fn(Hop) -> f64;

    /// Of minimal steps to peers, of other steps, and of other steps by peers, does a packet look at two, drawn at random, and not
    /// at every one?
    ///
    /// If everyone takes the best of all, everyone takes the same until the news of it is round. Two are enough to avoid the
    /// worst, and few take the same (Mitzenmacher, "How useful is old information?", 2000).
    fn samples(&self) -> bool {
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

    /// A hop on all virtual channels of its class as the only one that a packet may choose there, if it is.
    #[inline(always)]
    fn only_choice(&self, hop: Hop) -> Option<Hop> {
        let mut choices = self.scales.choices(hop.vcs);
        let vcs = choices.next()?;
        choices.next().is_none().then_some(Hop { vcs, ..hop })
    }
}

/// The hop that weighs least so far.
struct Lightest<'a, M, S> {
    weighing: &'a Weighing<M, S>,
    sight: &'a Sight<'a>,
    rng: &'a mut Random,
    least: Least<f64, Hop>,
    sample: Sample,
}

impl<'a, M: Moves, S: Scales<M>> Lightest<'a, M, S> {
    fn new(weighing: &'a Weighing<M, S>, sight: &'a Sight<'a>, rng: &'a mut Random) -> Self {
        Self {
            weighing,
            sight,
            rng,
            least: Least::default(),
            sample: Sample::default(),
        }
    }

    /// One step more: weighed, or drawn from.
    #[inline]
    fn offer(&mut self, step: Step, draws: bool) -> bool {
        match draws {
            true => self.sample.offer(step, self.rng),
            false => self.weigh(&step),
        }
    }

    #[inline]
    fn weigh(&mut self, step: &Step) -> bool {
        let Weighing { moves, scales } = self.weighing;
        let weight = scales.weight(moves, self.sight, step);
        self.weighing.hops(step, |hop| {
            self.least.offer(weight(hop), hop, self.rng);
            true
        })
    }

    /// Weighs what has been drawn.
    fn weigh_drawn(&mut self) {
        for step in std::mem::take(&mut self.sample).drawn() {
            self.weigh(&step);
        }
    }

    /// What it weighs; infinite if there is none.
    fn weight(&self) -> f64 {
        self.least.key().unwrap_or(f64::INFINITY)
    }

    fn hop(self) -> Option<Hop> {
        self.least.item()
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
        self.only_choice(self.moves.only_hop(at, header)?)
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
        };
        if let Some(step) = self.moves.only_minimal(at, header)
            && let Some(hop) = self.only_choice(step.hop)
            && self.scales.weight(&self.moves, &sight, &step)(hop) <= self.scales.least_other()
        {
            return Some(hop);
        }
        self.choose_among_all(&sight, header, rng)
    }

    fn sensing(&self) -> Option<&dyn Sensing> {
        self.scales.sensing()
    }
}

impl<M: Moves, S: Scales<M>> Weighing<M, S> {
    /// The lightest hop of all.
    #[inline(never)]
    fn choose_among_all(&self, sight: &Sight<'_>, header: Header, rng: &mut Random) -> Option<Hop> {
        let at = sight.at;
        let samples = self.scales.samples();
        let mut minimal = Lightest::new(self, sight, rng);
        self.moves.each_minimal(at, header, &mut |step| {
            minimal.offer(step, samples && step.leads.to_peer())
        });
        minimal.weigh_drawn();
        let short = minimal.weight();
        if short <= self.scales.least_other() {
            return minimal.hop();
        }
        let minimal = minimal.hop();
        let mut other = Lightest::new(self, sight, rng);
        self.moves
            .each_other(at, header, &mut |step| other.offer(step, samples));
        other.weigh_drawn();
        if short > self.scales.least_by_peers(sight) {
            self.moves
                .each_by_peers(at, header, &mut |step| other.offer(step, samples));
            other.weigh_drawn();
        }
        // Another way must be strictly better than the best minimal one, by more than arithmetic errs.
        match other.weight() < short - TOLERANCE {
            true => other.hop(),
            false => minimal,
        }
    }
}
