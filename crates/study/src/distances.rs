//! Measures the distances of a network on several threads.

use crate::in_turn::in_turn;
use turnwise_network::Network;
use turnwise_network::metrics::{AllPairs, Distances};

/// Channels that are looked at before only a sample of all pairs is measured: some seconds.
pub const MOST_EFFORT: u64 = 2_000_000_000;

/// What was measured.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Measured {
    /// The distances, from some routers to all others.
    pub distances: Distances,
    /// How many routers they were measured from.
    pub sources: usize,
    /// How many there are, but for those that look the same as one of them.
    pub all_sources: usize,
}

impl Measured {
    /// Are these the distances of all pairs?
    pub fn is_exact(&self) -> bool {
        self.sources == self.all_sources
    }
}

/// Distances between all pairs, or from evenly spread routers if all take more than `effort`;
/// `progress` hears how many parts of how many are done.
///
/// All sums are of integers, so which thread finishes when leaves no trace.
pub fn measure(
    network: &Network,
    threads: usize,
    effort: u64,
    progress: &mut dyn FnMut(usize, usize),
) -> Measured {
    let all = AllPairs::new(network);
    let affordable = effort / all.effort().max(1);
    let total = all.batches().min(affordable.max(1) as usize);
    let maker = |index| all.measure(all.sampled(index, total));
    let makers = vec![maker; threads.clamp(1, total.max(1))];
    let (mut distances, mut done) = (Distances::default(), 0);
    in_turn(total, makers, &mut |part| {
        if let Some(part) = part {
            distances.merge(part);
            done += 1;
            progress(done, total);
        }
        true
    });
    Measured {
        distances,
        sources: all.sampled_sources(total),
        all_sources: all.sources(),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests may")]
mod tests {
    use super::*;
    use turnwise_network::topologies::{RandomRegular, Topology};

    #[test]
    fn threads_leave_no_trace() {
        let graph = RandomRegular {
            routers: 400,
            ..RandomRegular::default()
        };
        let network = graph.build(None).unwrap();
        for threads in [1, 2, 5, 100] {
            let mut told = Vec::new();
            let found = measure(&network, threads, u64::MAX, &mut |done, total| {
                told.push((done, total));
            });
            assert_eq!(found.distances, Distances::of(&network));
            assert!(found.is_exact());
            let expected: Vec<(usize, usize)> = (1..=7).map(|done| (done, 7)).collect();
            assert_eq!(told, expected);
        }
    }

    /// On a graph that looks the same from everywhere, a sample knows all but the number of pairs.
    #[test]
    fn a_sample_of_a_symmetric_graph_is_right() {
        let links: String = (0..400)
            .map(|a| format!("{a} {}\n", (a + 1) % 400))
            .collect();
        let ring = turnwise_network::topologies::EdgeList {
            file: String::new(),
            terminals_per_router: 1,
            channel_latency: Default::default(),
        };
        let ring = ring.build(Some(&links)).unwrap();
        let exact = measure(&ring, 2, u64::MAX, &mut |_, _| {});
        let effort = 3 * AllPairs::new(&ring).effort();
        let sample = measure(&ring, 2, effort, &mut |_, _| {});
        assert_eq!((sample.sources, sample.all_sources), (192, 400));
        assert_eq!(
            (exact.sources, exact.is_exact(), sample.is_exact()),
            (400, true, false)
        );
        assert_eq!(sample.distances.diameter, 200);
        assert_eq!(sample.distances.mean(), exact.distances.mean());
        assert!(sample.distances.pairs < exact.distances.pairs);
    }
}
