//! The critical path as it is shown: its steps, or if there are very many, several of them together.

use super::path::{Kind, Step};

/// A step of the critical path, or several that follow on each other.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stretch {
    /// When it begins.
    pub from: u64,
    /// When it ends.
    pub to: u64,
    /// The rank of its longest step.
    pub rank: u32,
    /// The other rank of that step, if it is about a message.
    pub peer: Option<u32>,
    /// The length of that step's message.
    pub bytes: u64,
    /// Steps that it stands for.
    pub steps: u64,
    /// Time by kind, in the order of [`Kind::ALL`].
    pub kinds: [u64; Kind::ALL.len()],
}

/// More than this are put together.
const MOST: usize = 4000;
/// Those that are shorter than this part of the whole.
const PARTS: u64 = 2000;

/// Steps as they come, the last one first.
#[derive(Default)]
pub(super) struct Stretches {
    steps: u64,
    /// The last one first, each with the length of its longest step.
    all: Vec<(Stretch, u64)>,
    /// Neighbours that are not longer than this together become one.
    grain: u64,
}

impl Stretches {
    pub(super) fn add(&mut self, step: &Step) {
        self.steps += 1;
        let time = step.to - step.from;
        let mut stretch = Stretch {
            from: step.from,
            to: step.to,
            rank: step.rank,
            peer: step.peer,
            bytes: step.bytes,
            steps: 1,
            ..Stretch::default()
        };
        stretch.kinds[step.kind as usize] = time;
        put(&mut self.all, (stretch, time), self.grain);
        if self.all.len() > MOST && self.grain == 0 {
            let end = self.all[0].0.to;
            self.grain = (end / PARTS).max(1);
            for stretch in std::mem::take(&mut self.all) {
                put(&mut self.all, stretch, self.grain);
            }
        }
    }

    /// How many steps there were, and all in the order of time.
    pub(super) fn finish(mut self) -> (u64, Vec<Stretch>) {
        self.all.reverse();
        let all = self.all.into_iter().map(|(stretch, _)| stretch);
        (self.steps, all.collect())
    }
}

/// Puts a stretch before those that follow it, or into the first of these.
fn put(all: &mut Vec<(Stretch, u64)>, (stretch, longest): (Stretch, u64), grain: u64) {
    match all.last_mut() {
        Some((next, of_next)) if next.to - stretch.from <= grain => {
            next.from = stretch.from;
            next.steps += stretch.steps;
            let kinds = stretch.kinds.iter();
            next.kinds
                .iter_mut()
                .zip(kinds)
                .for_each(|(sum, time)| *sum += time);
            if longest > *of_next {
                *of_next = longest;
                (next.rank, next.peer, next.bytes) = (stretch.rank, stretch.peer, stretch.bytes);
            }
        }
        _ => all.push((stretch, longest)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_steps_become_few_stretches_of_the_same_sum() {
        let (mut stretches, steps) = (Stretches::default(), 100_000);
        for number in (0..steps).rev() {
            stretches.add(&Step {
                from: number * 3,
                to: number * 3 + 3,
                kind: Kind::ALL[(number % 6) as usize],
                rank: number as u32 % 7,
                peer: None,
                bytes: 0,
            });
        }
        let (count, all) = stretches.finish();
        assert_eq!(count, steps);
        assert!(all.len() <= 2 * PARTS as usize, "{}", all.len());
        assert!(all.windows(2).all(|pair| pair[0].to == pair[1].from));
        let time = |stretch: &Stretch| stretch.kinds.iter().sum::<u64>();
        assert!(
            all.iter()
                .all(|stretch| time(stretch) == stretch.to - stretch.from)
        );
        assert_eq!(all.iter().map(time).sum::<u64>(), 3 * steps);
        assert_eq!(all.iter().map(|stretch| stretch.steps).sum::<u64>(), steps);
    }
}
