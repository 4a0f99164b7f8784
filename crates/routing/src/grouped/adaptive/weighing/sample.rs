//! A random sample of the steps to peers.

use super::moves::{Leads, Step};
use crate::common::draw;
use turnwise_network::random::Random;

/// Steps to peers, drawn at random: one or two. If there may be more, none is drawn, and all are weighed.
pub(crate) struct Sample {
    most: u32,
    drawn: [Option<Step>; 2],
    offered: u32,
}

impl Sample {
    pub(crate) fn of(most: u32) -> Self {
        Self {
            most,
            drawn: [None; 2],
            offered: 0,
        }
    }

    /// Is this one of those that are drawn from?
    #[inline]
    pub(crate) fn takes(&self, step: &Step) -> bool {
        self.most as usize <= self.drawn.len()
            && matches!(step.leads, Leads::ToOwner(_) | Leads::ToAny(_))
    }

    /// The n-th takes the place of one of those before it as often as it should.
    #[inline]
    pub(crate) fn offer(&mut self, step: Step, rng: &mut Random) -> bool {
        let place = match self.offered < self.most {
            true => self.offered,
            false => draw::below(self.offered + 1, rng),
        };
        self.offered += 1;
        if place < self.most
            && let Some(drawn) = self.drawn.get_mut(place as usize)
        {
            *drawn = Some(step);
        }
        true
    }

    pub(crate) fn drawn(self) -> impl Iterator<Item = Step> {
        self.drawn.into_iter().flatten()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use turnwise_network::random::Purpose;
    use turnwise_network::{Header, Hop, RouterId, VcSet};

    fn step(port: u16) -> Step {
        Step {
            hop: Hop {
                port,
                vcs: VcSet::one(0),
                header: Header::default(),
            },
            is_minimal: true,
            leads: Leads::ToOwner(RouterId(port.into())),
        }
    }

    #[test]
    fn two_of_five_are_drawn_each_as_often() {
        let mut rng = Random::new(1, Purpose::Other, 0, 0);
        let mut counts = [0; 5];
        for _ in 0..5_000 {
            let mut sample = Sample::of(2);
            for port in 0..5 {
                assert!(sample.takes(&step(port)) && sample.offer(step(port), &mut rng));
            }
            let drawn: Vec<u16> = sample.drawn().map(|step| step.hop.port).collect();
            assert!(drawn.len() == 2 && drawn[0] != drawn[1]);
            drawn
                .iter()
                .for_each(|&port| counts[usize::from(port)] += 1);
        }
        assert!(
            counts.iter().all(|count| (1_850..2_150).contains(count)),
            "{counts:?}"
        );
    }

    #[test]
    fn all_or_the_only_one_are_not_drawn_by_chance() {
        let mut rng = Random::new(1, Purpose::Other, 0, 0);
        assert!(!Sample::of(u32::MAX).takes(&step(1)));
        let mut sample = Sample::of(2);
        sample.offer(step(7), &mut rng);
        assert_eq!(sample.drawn().count(), 1);
        let out = Step {
            leads: Leads::Out,
            ..step(1)
        };
        assert!(!Sample::of(2).takes(&out));
    }
}
