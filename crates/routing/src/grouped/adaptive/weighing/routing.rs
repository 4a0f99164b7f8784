//! A routing whose routers take what weighs least.

use super::moves::{End, Moves, Seen, Step};
use super::sample::Sample;
use crate::common::committed::least_occupied;
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
    /// Does a packet choose between the virtual channels of a class, or take any of them?
    fn settles(&self) -> bool {
        false
    }

    /// Of the virtual channels that a packet may go out by, does the one with fewer flits weigh less, and one with as many the same?
    fn go_by_occupancy(&self) -> bool {
        false
    }

    /// What the hops of a step weigh.
    fn weight(&self, moves: &M, sight: &Sight<'_>, step: &Step) -> impl Fn(Hop) -> f64;

    /// What a minimal step weighs that is seen at once, on the virtual channels that it has then.
    #[inline(always)]
    fn weight_seen(&self, moves: &M, sight: &Sight<'_>, header: Header, seen: Seen) -> f64
    where
        M: Moves,
    {
        let _ = seen;
        self.weight_first(moves, sight, header)
    }

    /// The same as its only hop weighs when it is weighed.
    #[inline(never)]
    fn weight_first(&self, moves: &M, sight: &Sight<'_>, header: Header) -> f64
    where
        M: Moves,
    {
        let mut found = f64::INFINITY;
        moves.each_minimal(sight.at, header, &mut |step| {
            found = self.weight(moves, sight, &step)(step.hop);
            false
        });
        found
    }

    /// Of minimal steps to peers, of other steps, and of other steps by peers, does a packet look at two, drawn at random, and not
    /// at every one?
    ///
    /// If everyone takes the best of all, everyone takes the same until the news of it is round. Two are enough to avoid the
    /// worst, and few take the same (Mitzenmacher, "How useful is old information?", 2000).
    fn samples(&self) -> bool {
        false
    }

    /// Flits that wait for a step at the router itself: of two minimal steps to peers that are drawn, the one with fewer is weighed.
    fn waiting(&self, moves: &M, sight: &Sight<'_>, step: &Step) -> u32 {
        let _ = (moves, sight, step);
        0
    }

    /// No hop of another step than a minimal one weighs less.
    fn least_other(&self) -> f64;

    /// What the best minimal step counts as for a packet that may take another one: not the same for all, if all would take another
    /// one as soon as one did.
    #[inline(always)]
    fn dithered(&self, weight: f64, rng: &mut Random) -> f64 {
        let _ = rng;
        weight
    }

    /// A minimal step that weighs no more counts as no more than any other one for every packet.
    #[inline(always)]
    fn surely_minimal(&self) -> f64 {
        self.least_other()
    }

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
    #[inline(always)]
    fn hops(&self, step: &Step, mut each: impl FnMut(Hop) -> bool) -> bool {
        if !self.scales.settles() {
            return each(step.hop);
        }
        let mut rest = step.hop.vcs.0;
        while rest != 0 {
            let one = rest & rest.wrapping_neg();
            rest ^= one;
            let vcs = VcSet(one);
            if !each(Hop { vcs, ..step.hop }) {
                return false;
            }
        }
        true
    }

    /// A hop on all virtual channels of its class as the only one that a packet may choose there, if it is.
    #[inline(always)]
    fn only_choice(&self, hop: Hop) -> Option<Hop> {
        let is_only = !self.scales.settles() || hop.vcs.0.is_power_of_two();
        is_only.then_some(hop)
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

    /// Weighs the step of those drawn that fewer flits wait for.
    fn weigh_shorter_drawn(&mut self) {
        let Weighing { moves, scales } = self.weighing;
        let mut shortest = Least::default();
        for step in std::mem::take(&mut self.sample).drawn() {
            let waiting = scales.waiting(moves, self.sight, &step);
            shortest.offer(waiting, step, self.rng);
        }
        if let Some(step) = shortest.item() {
            self.weigh(&step);
        }
    }

    /// It, and what it weighs; infinite if there is none.
    #[inline]
    fn found(self) -> (Option<Hop>, f64) {
        let weight = self.least.key().unwrap_or(f64::INFINITY);
        (self.least.item(), weight)
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

    #[inline(always)]
    fn settled(&self, at: RouterId, header: Header) -> Option<Hop> {
        self.only_choice(self.moves.only_hop(at, header)?)
    }

    #[inline(always)]
    fn choose(
        &self,
        at: RouterId,
        header: Header,
        congestion: &dyn Congestion,
        rng: &mut Random,
    ) -> Option<Hop> {
        let Some(seen) = self.moves.only_minimal(at, header) else {
            return self.choose_of_all(at, header, congestion, rng);
        };
        let chooses = self.scales.settles() && !seen.vcs.0.is_power_of_two();
        let goes_out = seen.end == End::Out;
        if chooses && !(goes_out && self.scales.go_by_occupancy()) {
            return self.choose_of_all(at, header, congestion, rng);
        }
        let hop = |vcs| Hop {
            port: seen.port,
            vcs,
            header: Header {
                phase: seen.phase as u8,
                ..header
            },
        };
        if goes_out {
            return Some(hop(match chooses {
                true => least_occupied(seen.port, seen.vcs, congestion, rng),
                false => seen.vcs,
            }));
        }
        let sight = self.sight(at, header, congestion);
        let short = self.scales.weight_seen(&self.moves, &sight, header, seen);
        match short <= self.scales.surely_minimal() {
            true => Some(hop(seen.vcs)),
            false => self.or_other(&sight, header, rng, (Some(hop(seen.vcs)), short)),
        }
    }

    fn decides_at_source(&self) -> bool {
        true
    }

    fn sensing(&self) -> Option<&dyn Sensing> {
        self.scales.sensing()
    }

    fn relation(&self) -> Option<String> {
        let (relation, settles) = (self.moves.relation(), self.scales.settles());
        Some(format!("{relation}, one virtual channel a hop {settles}"))
    }
}

impl<M: Moves, S: Scales<M>> Weighing<M, S> {
    #[inline(always)]
    fn sight<'a>(&self, at: RouterId, header: Header, sees: &'a dyn Congestion) -> Sight<'a> {
        let to = self.moves.router_of(header);
        Sight { at, to, sees }
    }

    /// The choice where minimal steps are weighed one by one.
    #[inline(never)]
    fn choose_of_all(
        &self,
        at: RouterId,
        header: Header,
        congestion: &dyn Congestion,
        rng: &mut Random,
    ) -> Option<Hop> {
        let sight = self.sight(at, header, congestion);
        let (minimal, short) = self.best_minimal(&sight, header, rng);
        match short <= self.scales.surely_minimal() {
            true => minimal,
            false => self.or_other(&sight, header, rng, (minimal, short)),
        }
    }

    /// The lightest minimal hop, of those that are looked at, and its weight.
    #[inline(never)]
    fn best_minimal(
        &self,
        sight: &Sight<'_>,
        header: Header,
        rng: &mut Random,
    ) -> (Option<Hop>, f64) {
        let samples = self.scales.samples();
        let mut minimal = Lightest::new(self, sight, rng);
        self.moves.each_minimal(sight.at, header, &mut |step| {
            minimal.offer(step, samples && step.leads.to_peer())
        });
        minimal.weigh_shorter_drawn();
        minimal.found()
    }

    /// The minimal hop with its weight, or the lightest other one.
    #[inline(never)]
    fn or_other(
        &self,
        sight: &Sight<'_>,
        header: Header,
        rng: &mut Random,
        (minimal, short): (Option<Hop>, f64),
    ) -> Option<Hop> {
        let short = self.scales.dithered(short, rng);
        if short <= self.scales.least_other() {
            return minimal;
        }
        let (at, samples) = (sight.at, self.scales.samples());
        let mut other = Lightest::new(self, sight, rng);
        self.moves
            .each_other(at, header, &mut |step| other.offer(step, samples));
        other.weigh_drawn();
        if short > self.scales.least_by_peers(sight) {
            self.moves
                .each_by_peers(at, header, &mut |step| other.offer(step, samples));
            other.weigh_drawn();
        }
        let (other, weight) = other.found();
        // Another way must be strictly better than the best minimal one, by more than arithmetic errs.
        match weight < short - TOLERANCE {
            true => other,
            false => minimal,
        }
    }
}
