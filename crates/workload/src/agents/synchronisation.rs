//! A barrier of messages: nobody leaves it before everybody has entered it.
//!
//! An algorithm is what a rank does, in order: send somebody a signal, or wait for one. Signals are counted, not
//! told apart, because one that was sent for a later barrier proves as much as the one it overtook. Nobody is
//! ever more than one barrier ahead of another rank, so that at most two signals of a kind are left uncounted.
//!
//! Sources: Hensgen, Finkel, Manber, "Two algorithms for barrier synchronization", International Journal of
//! Parallel Programming 17(1), 1988 (dissemination); Mellor-Crummey and Scott, "Algorithms for scalable
//! synchronization on shared-memory multiprocessors", ACM TOCS 9(1), 1991 (trees).
//!
//! Complexity: O(log ranks) signals and bytes a rank. What a rank does is computed when it does it.

use schemars::JsonSchema;
use serde::Deserialize;

/// How ranks find out that all have come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum BarrierAlgorithm {
    /// In step `k` a rank tells the one `2^k` further on, and waits for the one `2^k` before it;
    /// `ceil(log2 n)` steps.
    #[default]
    Dissemination,
    /// Up a binomial tree and down again: a rank waits for its children, tells its parent, waits for it, and
    /// tells its children, those with the largest subtrees first.
    GatherBroadcast,
}

/// One thing that a rank does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Action {
    /// Sends a rank a signal of a kind.
    Tell(u32, u8),
    /// Waits for a signal of a kind.
    Await(u8),
}

impl BarrierAlgorithm {
    /// Signals that each of so many ranks sends, on average.
    pub fn mean_signals(self, ranks: u32) -> f64 {
        match self {
            Self::Dissemination => f64::from(u32::BITS - ranks.saturating_sub(1).leading_zeros()),
            Self::GatherBroadcast => 2.0 - 2.0 / f64::from(ranks.max(1)),
        }
    }

    /// What one of so many ranks does as its `index`-th action; `None` if it is done.
    fn action(self, rank: u32, ranks: u32, index: u32) -> Option<Action> {
        match self {
            Self::Dissemination => {
                let step = index / 2;
                let distance = 1u64 << step;
                if distance >= u64::from(ranks) {
                    return None;
                }
                let further_on = (u64::from(rank) + distance) % u64::from(ranks);
                Some(match index % 2 {
                    0 => Action::Tell(further_on as u32, step as u8),
                    _ => Action::Await(step as u8),
                })
            }
            Self::GatherBroadcast => {
                let children = children(rank, ranks);
                // The root has no parent to tell and to wait for.
                let of_parent = if rank == 0 { 0 } else { 2 };
                let height = rank.trailing_zeros();
                if index < children {
                    return Some(Action::Await(index as u8));
                }
                match (index - children, of_parent) {
                    (0, 2) => Some(Action::Tell(rank - (1 << height), height as u8)),
                    (1, 2) => Some(Action::Await(FROM_ABOVE)),
                    (after, skipped) => {
                        let child = children.checked_sub(after - skipped + 1)?;
                        Some(Action::Tell(rank + (1 << child), FROM_ABOVE))
                    }
                }
            }
        }
    }
}

/// The kind of a signal down the tree; those up are numbered by the child's place, of which there are 32 at most.
const FROM_ABOVE: u8 = 32;

/// Children of a rank in the binomial tree: `rank + 2^k` for all `k` below this.
fn children(rank: u32, ranks: u32) -> u32 {
    let own = rank.trailing_zeros();
    let within = (0..own).take_while(|&child| u64::from(rank) + (1 << child) < u64::from(ranks));
    within.count() as u32
}

/// The part that one rank has in barrier after barrier.
#[derive(Clone, Debug)]
pub struct Synchronisation {
    algorithm: BarrierAlgorithm,
    rank: u32,
    ranks: u32,
    /// What it does next; `None` outside.
    next: Option<u32>,
    /// Signals that have come and that it has not waited for, by kind; one byte each.
    signals: Vec<u8>,
}

impl Synchronisation {
    /// Of one of so many ranks, outside.
    pub fn new(algorithm: BarrierAlgorithm, rank: u32, ranks: u32) -> Self {
        Self {
            algorithm,
            rank,
            ranks,
            next: None,
            signals: Vec::new(),
        }
    }

    /// Enters; `tell` sends a rank a signal of a kind. Is it through at once, because it is alone or the last to come?
    pub fn enter(&mut self, tell: impl FnMut(u32, u8)) -> bool {
        self.next = Some(0);
        self.go_on(tell)
    }

    /// A signal of a kind has come, before it has entered or after. Has it left the barrier with this?
    pub fn signalled(&mut self, kind: u8, tell: impl FnMut(u32, u8)) -> bool {
        let kind = usize::from(kind);
        if self.signals.len() <= kind {
            self.signals.resize(kind + 1, 0);
        }
        self.signals[kind] += 1;
        self.go_on(tell)
    }

    fn go_on(&mut self, mut tell: impl FnMut(u32, u8)) -> bool {
        while let Some(index) = self.next {
            match self.algorithm.action(self.rank, self.ranks, index) {
                None => {
                    self.next = None;
                    return true;
                }
                Some(Action::Tell(rank, kind)) => tell(rank, kind),
                Some(Action::Await(kind)) => match self.signals.get_mut(usize::from(kind)) {
                    Some(count) if *count > 0 => *count -= 1,
                    _ => return false,
                },
            }
            self.next = Some(index + 1);
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use turnwise_network::random::{Purpose, Random};

    const ALGORITHMS: [BarrierAlgorithm; 2] = [
        BarrierAlgorithm::Dissemination,
        BarrierAlgorithm::GatherBroadcast,
    ];

    /// Signals come in any order; nobody leaves a barrier that somebody has not entered.
    #[test]
    fn nobody_leaves_before_all_have_entered() {
        const BARRIERS: u32 = 5;
        for (algorithm, ranks) in ALGORITHMS
            .into_iter()
            .flat_map(|algorithm| (1..=17).chain([31, 32, 33]).map(move |n| (algorithm, n)))
        {
            let mut rng = Random::new(7, Purpose::Other, ranks, 0);
            let mut parts: Vec<_> = (0..ranks)
                .map(|rank| Synchronisation::new(algorithm, rank, ranks))
                .collect();
            let (mut entered, mut left) = (vec![0; ranks as usize], vec![0; ranks as usize]);
            // What may happen next: a rank enters, or a signal comes.
            let mut due: Vec<(u32, Option<u8>)> = (0..ranks).map(|rank| (rank, None)).collect();
            while !due.is_empty() {
                let (rank, kind) = due.swap_remove(rng.below(due.len() as u32) as usize);
                let part = &mut parts[rank as usize];
                let mut told = Vec::new();
                let through = match kind {
                    None => {
                        entered[rank as usize] += 1;
                        part.enter(|to, kind| told.push((to, Some(kind))))
                    }
                    Some(kind) => part.signalled(kind, |to, kind| told.push((to, Some(kind)))),
                };
                assert!(part.signals.iter().all(|&count| count <= 2), "{part:?}");
                if through {
                    left[rank as usize] += 1;
                    let all = entered.iter().all(|&count| count >= left[rank as usize]);
                    assert!(all, "{algorithm:?}: {rank} of {ranks} leaves too early");
                    if left[rank as usize] < BARRIERS {
                        due.push((rank, None));
                    }
                }
                due.append(&mut told);
            }
            assert_eq!(left, vec![BARRIERS; ranks as usize], "{algorithm:?}");
            assert!(
                parts
                    .iter()
                    .all(|part| part.signals.iter().all(|&count| count == 0))
            );
        }
    }

    #[test]
    fn signals_are_as_many_as_the_literature_says() {
        for ranks in 1..=1_024u32 {
            let count = |algorithm: BarrierAlgorithm| {
                let told = |rank| {
                    let actions =
                        (0..).map_while(move |index| algorithm.action(rank, ranks, index));
                    actions
                        .filter(|action| matches!(action, Action::Tell(..)))
                        .count() as u32
                };
                (0..ranks).map(told).sum::<u32>()
            };
            let steps = u32::BITS - (ranks - 1).leading_zeros();
            assert_eq!(count(BarrierAlgorithm::Dissemination), ranks * steps);
            assert_eq!(count(BarrierAlgorithm::GatherBroadcast), 2 * (ranks - 1));
            for algorithm in ALGORITHMS {
                let all = algorithm.mean_signals(ranks) * f64::from(ranks);
                assert!((all - f64::from(count(algorithm))).abs() < 1e-9);
            }
        }
    }
}
