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
//! from its first router to its last.

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
            let crossing = links
                .iter()
                .filter(|link| owner[link.from as usize] != owner[link.to as usize]);
            let lookahead = crossing.clone().map(|link| link.delay).min();
            // Waiting costs about as much as a few hundred flits that cross.
            let cost = crossing.count() as u64 + 400 / lookahead.unwrap_or(u64::MAX).max(1);
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
        let by_number: Vec<u32> = (0..wiring.routers.len() as u32).collect();
        let owner = cut(wiring, &by_number, domains);
        Self {
            lookahead: lookahead(wiring, &links(wiring, model), &owner, processes),
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

/// The shortest delay between two domains, or less.
fn lookahead(wiring: &Wiring, links: &[Link], owner: &[u16], processes: usize) -> u64 {
    let crossing = links
        .iter()
        .filter(|link| owner[link.from as usize] != owner[link.to as usize]);
    let shortest = crossing.map(|link| link.delay).min();
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
