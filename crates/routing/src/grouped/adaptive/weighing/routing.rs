//! A routing whose routers take what weighs least.

use super::steps::{Step, Steps};
use crate::common::draw::Least;
use turnwise_network::random::Random;
use turnwise_network::{
    Congestion, Header, Hop, RouterId, Routing, Sensing, Start, TerminalId, Vc, VcSet,
};

/// Weights that differ by less are alike, as in SuperSim.
const TOLERANCE: f64 = 1e-6;

/// How outputs are weighed.
pub(crate) trait Scales: Send + Sync {
    /// The virtual channels of a class between which a packet chooses: each by itself, or several at once.
    fn choices(&self, class: VcSet) -> impl Iterator<Item = VcSet>;

    /// What the hops of a step weigh for a packet to a router.
    fn weight(
        &self,
        steps: &Steps,
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

/// Steps and scales make a routing.
pub(crate) struct Weighing<S> {
    pub(crate) steps: Steps,
    pub(crate) scales: S,
}

impl<S: Scales> Weighing<S> {
    /// Every hop of a step, until `each` says `false`.
    fn hops(&self, step: &Step, mut each: impl FnMut(Hop) -> bool) -> bool {
        let mut choices = self.scales.choices(step.hop.vcs);
        choices.all(|vcs| each(Hop { vcs, ..step.hop }))
    }
}

impl<S: Scales> Routing for Weighing<S> {
    fn virtual_channels(&self) -> Vc {
        self.steps.plan.total
    }

    fn start(&self, source: TerminalId, destination: TerminalId) -> Option<Start> {
        self.steps.start(source, destination)
    }

    fn options(&self, at: RouterId, header: Header, options: &mut Vec<Hop>) {
        self.steps.each(at, header, &mut |step| {
            self.hops(&step, |hop| {
                options.push(hop);
                true
            })
        });
    }

    fn settled(&self, at: RouterId, header: Header) -> Option<Hop> {
        let (mut only, mut count) = (None, 0);
        self.steps.each(at, header, &mut |step| {
            self.hops(&step, |hop| {
                only = Some(hop);
                count += 1;
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
        let to = self.steps.legs.target(header.destination).router;
        let (mut minimal, mut other) = (Least::default(), Least::default());
        self.steps.each(at, header, &mut |step| {
            let weight = self.scales.weight(&self.steps, at, to, &step, congestion);
            let kind = match step.is_minimal {
                true => &mut minimal,
                false => &mut other,
            };
            self.hops(&step, |hop| {
                kind.offer(weight(hop), hop, rng);
                true
            })
        });
        // Another way must be strictly better than the best minimal one, by more than arithmetic errs.
        match (minimal.key(), other.key()) {
            (Some(short), Some(long)) if long < short - TOLERANCE => other.item(),
            (Some(_), _) => minimal.item(),
            (None, _) => other.item(),
        }
    }

    fn sensing(&self) -> Option<&dyn Sensing> {
        self.scales.sensing()
    }
}
