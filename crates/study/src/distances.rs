//! Measures the distances of a network on several threads.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use turnwise_network::Network;
use turnwise_network::metrics::{AllPairs, Distances};

/// Distances between all pairs; `progress` hears how many parts of how many are done.
///
/// All sums are of integers, so which thread finishes when leaves no trace.
pub fn measure(
    network: &Network,
    threads: usize,
    progress: &mut dyn FnMut(usize, usize),
) -> Distances {
    let all = AllPairs::new(network);
    let total = all.batches();
    let next = AtomicUsize::new(0);
    let (sender, receiver) = mpsc::channel();
    let mut distances = Distances::default();
    std::thread::scope(|scope| {
        for _ in 0..threads.clamp(1, total.max(1)) {
            let (sender, all, next) = (sender.clone(), &all, &next);
            scope.spawn(move || {
                loop {
                    let batch = next.fetch_add(1, Ordering::Relaxed);
                    if batch >= total || sender.send(all.measure(batch)).is_err() {
                        break;
                    }
                }
            });
        }
        drop(sender);
        for (done, part) in receiver.into_iter().enumerate() {
            distances.merge(part);
            progress(done + 1, total);
        }
    });
    distances
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
            let distances = measure(&network, threads, &mut |done, total| {
                told.push((done, total));
            });
            assert_eq!(distances, Distances::of(&network));
            let expected: Vec<(usize, usize)> = (1..=7).map(|done| (done, 7)).collect();
            assert_eq!(told, expected);
        }
    }
}
