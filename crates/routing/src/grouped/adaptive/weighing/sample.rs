//! A random sample of steps.

use super::moves::Step;
use crate::common::draw;
use turnwise_network::random::Random;

/// Two of the steps that are offered, drawn at random.
#[derive(Default)]
pub(crate) struct Sample {
    drawn: [Option<Step>; 2],
    offered: u32,
}

impl Sample {
    /// The n-th takes the place of one of those before it as often as it should.
    #[inline]
    pub(crate) fn offer(&mut self, step: Step, rng: &mut Random) -> bool {
        let place = match (self.offered as usize) < self.drawn.len() {
            true => self.offered,
            false => draw::below(self.offered + 1, rng),
        };
        self.offered += 1;
        if let Some(drawn) = self.drawn.get_mut(place as usize) {
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
    use super::super::moves::Leads;
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
            let mut sample = Sample::default();
            for port in 0..5 {
                sample.offer(step(port), &mut rng);
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
    fn the_only_one_is_drawn() {
        let mut sample = Sample::default();
        sample.offer(step(7), &mut Random::new(1, Purpose::Other, 0, 0));
        assert_eq!(sample.drawn().count(), 1);
    }
}
