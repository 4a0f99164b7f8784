//! Which routers are simulated by which thread.
//!
//! Threads wait for each other once in as many cycles as the quickest channel between two of them
//! takes (the *look-ahead* of conservative parallel simulation: Chandy and Misra, CACM 1981),
//! and events between domains cost more than events inside one. So a good partition
//! cuts few channels, and slow ones: a dragonfly between groups, a torus into slabs.
//!
//! Two candidates are compared: routers in the order of their numbers, which is what regular
//! topologies are laid out by, and in the order of a breadth-first search. Each is
//! improved by moving routers at the border (Fiduccia and Mattheyses, DAC 1982, one move at a time).
//!
//! Several processes have routers in the order of their numbers and nothing else: what a domain has in memory reaches
//! from its first router to its last. Where one ends and the next begins is moved a little, to where few and slow channels
//! are cut: a dragonfly's group stays whole.

use super::wiring::{NOWHERE, Wiring};
use crate::model::{RouterKind, RouterModel};
use std::collections::VecDeque;
use std::ops::Range;

/// The domain of every router.
#[derive(Clone, Debug)]
pub(super) struct Partition {
    /// By router.
    pub(super) owner: Vec<u16>,
    pub(super) domains: usize,
    /// Domains of one process.
    pub(super) of_process: usize,
    /// The shortest delay of any event from one domain to another, in cycles.
    pub(super) lookahead: u64,
}

/// A channel between routers: both ends, and the cycles that flits and credits take at least.
#[derive(Clone, Copy)]
struct Link {
    from: u32,
    to: u32,
    delay: u64,
}

impl Partition {
    /// Everything in one domain.
    pub(super) fn whole(wiring: &Wiring) -> Self {
        Self {
            owner: vec![0; wiring.routers.len()],
            domains: 1,
            of_process: 1,
            lookahead: u64::MAX,
        }
    }

    /// At most so many domains of about the same number of ports. O(ports).
    pub(super) fn new(wiring: &Wiring, model: &RouterModel, domains: usize) -> Self {
        // The caller decides whether small domains are worth it. A domain has at least two routers on average.
        let domains = domains.min(wiring.routers.len() / 2).min(u16::MAX.into());
        if domains < 2 {
            return Self::whole(wiring);
        }
        let links = links(wiring, model);
        let neighbours = neighbours(wiring.routers.len(), &links);
        let by_number = (0..wiring.routers.len() as u32).collect();
        let candidates = [by_number, breadth_first(&neighbours)].map(|order: Vec<u32>| {
            let mut owner = cut(wiring, &order, domains);
            improve(wiring, &neighbours, &mut owner, domains);
            let crossing = || delays_between(&links, &owner);
            let lookahead = crossing().min().unwrap_or(u64::MAX);
            let cost = crossing().count() as u64 + WAITING / lookahead.max(1);
            (cost, owner)
        });
        let (_, owner) = match candidates {
            [a, b] if b.0 < a.0 => b,
            [a, _] => a,
        };
        Self {
            lookahead: lookahead(wiring, &links, &owner, 1),
            owner,
            domains,
            of_process: domains,
        }
    }

    /// For several processes with so many threads each. Where there are fewer routers, some domains have none.
    /// O(ports).
    pub(super) fn among(
        wiring: &Wiring,
        model: &RouterModel,
        processes: usize,
        threads: usize,
    ) -> Self {
        let most = usize::from(u16::MAX) / processes.max(1);
        let of_process = threads.clamp(1, most.max(1));
        let domains = processes * of_process;
        let links = links(wiring, model);
        let owner = ranges(wiring, &links, domains);
        Self {
            lookahead: lookahead(wiring, &links, &owner, processes),
            owner,
            domains,
            of_process,
        }
    }

    pub(super) fn is_of_one_process(&self) -> bool {
        self.of_process == self.domains
    }

    /// The domains of a process.
    pub(super) fn of(&self, process: usize) -> Range<usize> {
        process * self.of_process..(process + 1) * self.of_process
    }
}

/// The delays of links from one domain to another.
fn delays_between(links: &[Link], owner: &[u16]) -> impl Iterator<Item = u64> {
    let crosses = |link: &&Link| owner[link.from as usize] != owner[link.to as usize];
    links.iter().filter(crosses).map(|link| link.delay)
}

/// Waiting costs about as much as so many flits that cross.
const WAITING: u64 = 400;

/// Routers in the order of their numbers, cut into pieces of about the same weight, each time at the best place that
/// changes no piece by more than a twentieth. O(routers + links).
fn ranges(wiring: &Wiring, links: &[Link], domains: usize) -> Vec<u16> {
    let routers = wiring.routers.len();
    // By place between two routers: what it costs to cut there, first as differences.
    let mut costs = vec![0u64; routers + 2];
    for link in links {
        let cost = 1 + WAITING / link.delay.max(1);
        let ends = [link.from, link.to];
        let [first, last] =
            [ends.iter().min(), ends.iter().max()].map(|end| end.map_or(0, |&end| end as usize));
        costs[first + 1] = costs[first + 1].wrapping_add(cost);
        costs[last + 1] = costs[last + 1].wrapping_sub(cost);
    }
    let mut before = vec![0];
    for router in 0..routers {
        costs[router + 1] = costs[router + 1].wrapping_add(costs[router]);
        before.push(before[router] + weight(wiring, router as u32));
    }
    let (total, pieces) = (before[routers], domains as u64);
    let mut owner = Vec::with_capacity(routers);
    for piece in 1..pieces {
        let (wanted, slack) = (total * piece / pieces, total / (20 * pieces));
        let first = before.partition_point(|&weight| weight + slack < wanted);
        let last = before.partition_point(|&weight| weight <= wanted + slack);
        let places = first..last.max(first + 1);
        let best =
            places.min_by_key(|&place| (costs[place], before[place].abs_diff(wanted), place));
        owner.resize(best.unwrap_or(first).max(owner.len()), piece as u16 - 1);
    }
    owner.resize(routers, domains as u16 - 1);
    owner
}

/// The shortest delay between two domains, or less.
fn lookahead(wiring: &Wiring, links: &[Link], owner: &[u16], processes: usize) -> u64 {
    let shortest = delays_between(links, owner).min();
    let most = cycles_between_exchanges(wiring.ports.into(), processes as u64);
    shortest.map_or(u64::MAX, |cycles| cycles.min(most))
}

/// Domains exchange outboxes at least this often, even if the look-ahead is longer: outboxes grow with
/// the network, and a large network has enough work between exchanges. Each of several processes has a part of both.
pub(super) fn cycles_between_exchanges(ports: u64, processes: u64) -> u64 {
    ((processes << 17) / ports.max(1)).max(8)
}

fn links(wiring: &Wiring, model: &RouterModel) -> Vec<Link> {
    // With a speedup a flit may leave one cycle before its traversal would be over.
    let early = u64::from(model.speedup_permille > 1000);
    // A flit in an output queue has crossed already.
    let (stages, early) = match model.kind {
        RouterKind::InputQueued => (u64::from(model.crossing()), early),
        RouterKind::InputOutputQueued => (0, 0),
    };
    let mut links = Vec::new();
    for (port, &from) in wiring.port_routers.iter().enumerate() {
        let downstream = wiring.downstream[port];
        if downstream.first_lane == NOWHERE {
            continue;
        }
        let to = wiring.router_of(downstream.first_lane);
        let back = wiring.upstream[(downstream.first_lane / wiring.stride) as usize];
        let delay = stages + 1 + u64::from(downstream.latency) - early;
        links.push(Link {
            from,
            to,
            delay: delay.min(back.credit_delay.into()),
        });
    }
    links
}

/// By router: those its channels lead to and come from.
fn neighbours(routers: usize, links: &[Link]) -> Vec<Vec<u32>> {
    let mut neighbours = vec![Vec::new(); routers];
    for link in links {
        neighbours[link.from as usize].push(link.to);
        neighbours[link.to as usize].push(link.from);
    }
    neighbours
}

fn breadth_first(neighbours: &[Vec<u32>]) -> Vec<u32> {
    let mut order = Vec::with_capacity(neighbours.len());
    let mut seen = vec![false; neighbours.len()];
    for start in 0..neighbours.len() as u32 {
        let mut queue = VecDeque::from([start]);
        while let Some(router) = queue.pop_front() {
            if !std::mem::replace(&mut seen[router as usize], true) {
                order.push(router);
                queue.extend(&neighbours[router as usize]);
            }
        }
    }
    order
}

/// The expected cost of simulating a router.
fn weight(wiring: &Wiring, router: u32) -> u64 {
    u64::from(wiring.routers[router].ports) + 1
}

/// Cuts an order of routers into pieces of about the same weight.
fn cut(wiring: &Wiring, order: &[u32], domains: usize) -> Vec<u16> {
    let total: u64 = order.iter().map(|&router| weight(wiring, router)).sum();
    let (mut owner, mut before) = (vec![0; order.len()], 0);
    for &router in order {
        let weight = weight(wiring, router);
        owner[router as usize] = ((before + weight / 2) * domains as u64 / total) as u16;
        before += weight;
    }
    owner
}

/// Moves routers to the domain of most of their neighbours, as long as the pieces stay balanced.
fn improve(wiring: &Wiring, neighbours: &[Vec<u32>], owner: &mut [u16], domains: usize) {
    const PASSES: usize = 8;
    let mut loads = vec![0; domains];
    for router in 0..owner.len() as u32 {
        loads[usize::from(owner[router as usize])] += weight(wiring, router);
    }
    let most = loads.iter().sum::<u64>() * 21 / (20 * domains as u64);
    let mut towards = vec![0u32; domains];
    for _ in 0..PASSES {
        let mut moved = false;
        for router in 0..owner.len() as u32 {
            towards.fill(0);
            for &other in &neighbours[router as usize] {
                towards[usize::from(owner[other as usize])] += 1;
            }
            let here = usize::from(owner[router as usize]);
            let weight = weight(wiring, router);
            let fits = |&domain: &usize| loads[domain] + weight <= most;
            let best = (0..domains)
                .filter(fits)
                .max_by_key(|&domain| towards[domain]);
            if let Some(best) = best.filter(|&best| towards[best] > towards[here]) {
                loads[here] -= weight;
                loads[best] += weight;
                owner[router as usize] = best as u16;
                moved = true;
            }
        }
        if !moved {
            break;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use turnwise_config::units::Cycles;
    use turnwise_network::topologies::{ChannelLatency, Dragonfly, Latency, Mesh, Topology};

    /// Of 33 groups of eight routers, with long channels between groups.
    fn dragonfly() -> Wiring {
        let dragonfly = Dragonfly {
            groups: 33,
            routers_per_group: 8,
            terminals_per_router: 4,
            channel_latency: ChannelLatency {
                global: Latency::Fixed(Cycles(100)),
                ..ChannelLatency::default()
            },
            ..Dragonfly::default()
        };
        let network = dragonfly.build(None).unwrap();
        Wiring::new(&network, &RouterModel::default())
    }

    #[test]
    fn groups_of_a_dragonfly_stay_whole() {
        let wiring = dragonfly();
        for processes in [2, 3] {
            let partition = Partition::among(&wiring, &RouterModel::default(), processes, 1);
            assert!(partition.lookahead > 50, "{}", partition.lookahead);
            for group in partition.owner.chunks(8) {
                assert!(group.iter().all(|owner| owner == &group[0]), "{group:?}");
            }
        }
    }

    #[test]
    fn pieces_are_in_order_and_of_about_the_same_weight() {
        let wiring = dragonfly();
        let total: u64 = (0..264).map(|router| weight(&wiring, router)).sum();
        for domains in [1, 2, 3, 7, 16, 40] {
            let partition = Partition::among(&wiring, &RouterModel::default(), domains, 1);
            assert!(partition.owner.is_sorted());
            for domain in 0..domains as u16 {
                let own = (0..264).filter(|&router| partition.owner[router as usize] == domain);
                let own: u64 = own.map(|router| weight(&wiring, router)).sum();
                let most = total * 11 / (10 * domains as u64) + weight(&wiring, 0);
                assert!(
                    own <= most,
                    "{own} of {total} in domain {domain} of {domains}"
                );
            }
        }
    }

    #[test]
    fn there_may_be_fewer_routers_than_processes() {
        let network = Mesh::default().build(None).unwrap();
        let wiring = Wiring::new(&network, &RouterModel::default());
        let routers = wiring.routers.len();
        let partition = Partition::among(&wiring, &RouterModel::default(), routers + 3, 2);
        assert_eq!(
            (partition.owner.len(), partition.domains),
            (routers, 2 * routers + 6)
        );
        assert!(partition.owner.is_sorted());
    }
}
