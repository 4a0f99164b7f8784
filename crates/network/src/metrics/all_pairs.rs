//! Distances between all pairs, from many sources at a time.
//!
//! Breadth-first searches from 64 sources advance in step, a bit for each: a router that many
//! of them reach at the same distance is visited once. Source: Then et al., "The more the
//! merrier: efficient multi-source graph traversal", PVLDB 8(4), 2014. On networks that look
//! the same from many routers, one of them searches for all.

use super::Distances;
use super::symmetry::representatives;
use crate::network::Network;

/// The sources of one batch, a bit each.
const WIDTH: usize = u64::BITS as usize;

/// A network prepared for measuring it batch by batch, in any order and on any thread.
///
/// ```
/// use turnwise_network::metrics::{AllPairs, Distances};
/// use turnwise_network::topologies::{Topology, Torus};
///
/// let all = AllPairs::new(&Torus { sizes: vec![4, 4], ..Torus::default() }.build(None)?);
/// let mut distances = Distances::default();
/// for batch in 0..all.batches() {
///     distances.merge(all.measure(batch));
/// }
/// assert_eq!((distances.diameter, distances.pairs), (4, 16 * 15));
/// # Ok::<(), turnwise_network::Invalid>(())
/// ```
#[derive(Clone, Debug)]
pub struct AllPairs {
    /// Where each router's neighbours begin.
    offsets: Vec<u32>,
    neighbours: Vec<u32>,
    /// Living terminals by router.
    terminals: Vec<u64>,
    all_terminals: u64,
    sources: Vec<Source>,
}

/// A router to measure from.
#[derive(Clone, Copy, Debug)]
struct Source {
    router: u32,
    /// How many routers have the same distances to all others, itself included.
    stands_for: u64,
}

impl AllPairs {
    /// Reads off the graph. O(routers + channels).
    pub fn new(network: &Network) -> Self {
        let mut offsets = vec![0];
        let mut neighbours = Vec::with_capacity(network.channel_count());
        for router in network.routers() {
            neighbours.extend(network.neighbours(router).map(|n| n.router.0));
            offsets.push(neighbours.len() as u32);
        }
        let living = |router| network.living_terminals_of(router).count() as u64;
        let terminals: Vec<u64> = network.routers().map(living).collect();
        let everyone = || (0..terminals.len() as u32).map(|router| (router, 1));
        let mut sources = match representatives(network) {
            Some(representatives) => representatives,
            None => everyone().collect(),
        };
        sources.retain(|&(router, _)| terminals[router as usize] > 0);
        Self {
            offsets,
            neighbours,
            all_terminals: terminals.iter().sum(),
            terminals,
            sources: sources
                .into_iter()
                .map(|(router, stands_for)| Source { router, stands_for })
                .collect(),
        }
    }

    /// Into how many parts the work is cut.
    pub fn batches(&self) -> usize {
        self.sources.len().div_ceil(WIDTH)
    }

    /// How many routers are measured from.
    pub fn sources(&self) -> usize {
        self.sources.len()
    }

    /// How many of these are in the first `batches` parts of a [`sample`](Self::sampled).
    pub fn sampled_sources(&self, batches: usize) -> usize {
        let sizes = (0..batches).map(|index| self.batch(self.sampled(index, batches)).len());
        sizes.sum()
    }

    /// Number `index` of `count` parts that are spread evenly over all.
    pub fn sampled(&self, index: usize, count: usize) -> usize {
        index * self.batches() / count.max(1)
    }

    /// How many channels the first part looks at: others are alike on most networks.
    pub fn effort(&self) -> u64 {
        let mut search = Search::from(self.batch(0), self.terminals.len());
        let mut channels = 0;
        while !search.front.is_empty() {
            let front = search.front.iter();
            channels += front
                .map(|&router| self.neighbours(router).len() as u64)
                .sum::<u64>();
            search.advance(self);
        }
        channels
    }

    fn batch(&self, batch: usize) -> &[Source] {
        let first = (batch * WIDTH).min(self.sources.len());
        &self.sources[first..self.sources.len().min(first + WIDTH)]
    }

    /// The pairs whose sources are in one batch. At most O(routers + channels) for each of 64
    /// sources, and little more than that for all of them if they reach routers together.
    pub fn measure(&self, batch: usize) -> Distances {
        let sources = self.batch(batch);
        let own = |source: &Source| self.terminals[source.router as usize];
        let senders: Vec<u64> = sources
            .iter()
            .map(|source| own(source) * source.stands_for)
            .collect();
        let mut summary = Distances {
            pairs: senders.iter().sum::<u64>() * self.all_terminals.saturating_sub(1),
            ..Distances::default()
        };
        let at_home = sources.iter().zip(&senders);
        let mut connected: u64 = at_home
            .map(|(source, count)| count * (own(source) - 1))
            .sum();
        let alike = senders.iter().all(|&count| count == senders[0]);
        let mut search = Search::from(sources, self.terminals.len());
        for hops in 1.. {
            search.advance(self);
            if search.front.is_empty() {
                break;
            }
            for &router in &search.front {
                let (reached, receivers) = (
                    search.reached[router as usize],
                    self.terminals[router as usize],
                );
                if receivers == 0 {
                    continue;
                }
                let sending: u64 = match alike {
                    true => u64::from(reached.count_ones()) * senders[0],
                    false => (0..sources.len())
                        .filter(|&source| reached >> source & 1 == 1)
                        .map(|source| senders[source])
                        .sum(),
                };
                connected += sending * receivers;
                summary.total += sending * receivers * u64::from(hops);
                summary.diameter = hops;
            }
        }
        summary.disconnected = summary.pairs - connected;
        summary
    }

    fn neighbours(&self, router: u32) -> &[u32] {
        let at = router as usize;
        &self.neighbours[self.offsets[at] as usize..self.offsets[at + 1] as usize]
    }
}

/// Breadth-first searches in step, bit `i` of a mask being that of source `i`.
struct Search {
    /// By router, the searches that have been there.
    seen: Vec<u64>,
    /// By router, those that have reached it just now, nearest sources' first.
    reached: Vec<u64>,
    next: Vec<u64>,
    /// The routers that some search has reached just now.
    front: Vec<u32>,
    next_front: Vec<u32>,
}

impl Search {
    fn from(sources: &[Source], routers: usize) -> Self {
        let mut reached = vec![0; routers];
        for (bit, &source) in sources.iter().enumerate() {
            reached[source.router as usize] |= 1 << bit;
        }
        Self {
            seen: reached.clone(),
            reached,
            next: vec![0; routers],
            front: sources.iter().map(|source| source.router).collect(),
            next_front: Vec::new(),
        }
    }

    /// One hop further.
    fn advance(&mut self, all: &AllPairs) {
        for &router in &self.front {
            let reached = std::mem::take(&mut self.reached[router as usize]);
            for &neighbour in all.neighbours(router) {
                let at = neighbour as usize;
                let fresh = reached & !self.seen[at];
                if fresh != 0 {
                    if self.next[at] == 0 {
                        self.next_front.push(neighbour);
                    }
                    self.next[at] |= fresh;
                }
            }
        }
        for &router in &self.next_front {
            self.seen[router as usize] |= self.next[router as usize];
        }
        self.front.clear();
        std::mem::swap(&mut self.front, &mut self.next_front);
        std::mem::swap(&mut self.reached, &mut self.next);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Faults;
    use crate::metrics::{UNREACHABLE, distances};
    use crate::topologies::{
        Dragonfly, FullMesh, HyperX, Hypercube, KAryNTree, Megafly, Mesh, RandomRegular, Topology,
        Torus,
    };

    /// Search by search and pair by pair.
    fn one_by_one(network: &Network) -> Distances {
        let mut summary = Distances::default();
        for from in network.living_terminals() {
            let distance = distances(network, network.router_of(from));
            for to in network.living_terminals().filter(|&to| to != from) {
                summary.pairs += 1;
                match distance[network.router_of(to).index()] {
                    UNREACHABLE => summary.disconnected += 1,
                    hops => {
                        summary.total += u64::from(hops);
                        summary.diameter = summary.diameter.max(hops);
                    }
                }
            }
        }
        summary
    }

    fn networks() -> Vec<Network> {
        let torus = |sizes: &[u32], terminals_per_router| Torus {
            sizes: sizes.to_vec(),
            terminals_per_router,
            ..Torus::default()
        };
        let topologies: Vec<Box<dyn Topology>> = vec![
            Box::new(torus(&[5, 2, 3], 2)),
            Box::new(torus(&[9, 1, 8], 1)),
            Box::new(torus(&[1], 1)),
            Box::new(torus(&[4, 4], 0)),
            Box::new(Mesh {
                sizes: vec![9, 8],
                ..Mesh::default()
            }),
            Box::new(Hypercube {
                dimensions: 7,
                ..Hypercube::default()
            }),
            Box::new(HyperX {
                sizes: vec![4, 1, 3],
                terminals_per_router: 3,
                ..HyperX::default()
            }),
            Box::new(FullMesh::default()),
            Box::new(Dragonfly::default()),
            Box::new(Megafly::default()),
            Box::new(KAryNTree::default()),
            Box::new(RandomRegular::default()),
        ];
        let built = topologies.iter().filter_map(|one| one.build(None).ok());
        built.collect()
    }

    #[test]
    fn many_searches_find_what_single_ones_find() {
        let networks = networks();
        assert!(networks.len() >= 11);
        for healthy in networks {
            assert_eq!(Distances::of(&healthy), one_by_one(&healthy));
            for seed in 0..6 {
                let faults = Faults {
                    random_links: (healthy.channel_count() as u32 / 6).into(),
                    terminals: (0..healthy.terminal_count().min(2) as u32).collect(),
                    seed,
                    ..Faults::default()
                };
                let survivor = healthy.without(&faults).unwrap();
                assert_eq!(Distances::of(&survivor), one_by_one(&survivor));
            }
            let faults = Faults {
                random_routers: 1.into(),
                ..Faults::default()
            };
            let survivor = healthy.without(&faults).unwrap();
            assert_eq!(Distances::of(&survivor), one_by_one(&survivor));
        }
    }

    #[test]
    fn one_router_searches_for_all_that_are_alike() {
        let sources = |network: &Network| AllPairs::new(network).sources.len();
        let torus = Torus::default().build(None).unwrap();
        assert_eq!(sources(&torus), 1);
        let mesh = Mesh {
            sizes: vec![5, 4],
            ..Mesh::default()
        };
        assert_eq!(sources(&mesh.build(None).unwrap()), 3 * 2);
        let faults = Faults {
            terminals: vec![3],
            ..Faults::default()
        };
        assert_eq!(sources(&torus.without(&faults).unwrap()), 15);
    }
}
