//! The part of a network that a domain has arrays for: from its first router to its last, where there are several
//! processes. Numbers stay those of the whole network.
//!
//! The domains of a single process are not made of routers that are numbered one after the other, and their arrays are for
//! the whole network, so that what they take can be foreseen.

use super::partition::Partition;
use super::wiring::Wiring;
use std::ops::Range;

/// Numbers of routers and of what belongs to them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Extent {
    pub(super) routers: Range<u32>,
    pub(super) ports: Range<u32>,
    pub(super) lanes: Range<u32>,
    /// From the first terminal at these routers to the last.
    pub(super) terminals: Range<u32>,
}

impl Extent {
    /// Of everything.
    pub(super) fn whole(wiring: &Wiring) -> Self {
        Self::of_routers(wiring, 0..wiring.routers.len() as u32)
    }

    /// Of a domain. O(routers + terminals).
    pub(super) fn of_domain(wiring: &Wiring, partition: &Partition, domain: u16) -> Self {
        if partition.is_of_one_process() {
            return Self::whole(wiring);
        }
        let mut own = (0..)
            .zip(&partition.owner)
            .filter(|&(_, &owner)| owner == domain);
        let Some((first, _)) = own.next() else {
            return Self::of_routers(wiring, 0..0);
        };
        let last = own.last().map_or(first, |(last, _)| last);
        Self::of_routers(wiring, first..last + 1)
    }

    /// The numbers of mask words, of which each of these routers or ports has as many as a router.
    pub(super) fn words(of: &Range<u32>, wiring: &Wiring) -> Range<u32> {
        of.start * wiring.words..of.end * wiring.words
    }

    fn of_routers(wiring: &Wiring, routers: Range<u32>) -> Self {
        let first_port = match wiring.routers.as_slice().get(routers.start as usize) {
            Some(at) => at.first_port,
            None => wiring.ports,
        };
        let ports = match wiring.routers.as_slice()[..routers.end as usize].last() {
            Some(at) if !routers.is_empty() => first_port..at.first_port + at.ports,
            _ => first_port..first_port,
        };
        let lanes = ports.start << wiring.shift..ports.end << wiring.shift;
        let is_here = |terminal: &u32| {
            let behind = wiring.downstream[(wiring.ports + terminal) as usize];
            lanes.contains(&behind.first_lane)
        };
        let terminals = 0..wiring.terminals() as u32;
        let first = terminals.clone().find(is_here);
        let terminals = first.map_or(0..0, |first| {
            let last = terminals.rev().find(is_here);
            first..last.unwrap_or(first) + 1
        });
        Self {
            routers,
            ports,
            lanes,
            terminals,
        }
    }
}
