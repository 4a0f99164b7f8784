//! Tables of the queues of global channels, as routers have told of them.
//!
//! A router says how many flits have left for each of its global channels and have not been credited, whenever that changes.
//! Its group hears of it some cycles later, or the whole network. The cost follows what changes; each region keeps a word for each of its
//! channels.
//!
//! Source: Jiang, Kim, Dally, ISCA 2009, where UGAL with the queues of all global channels of the group is the ideal.

use crate::grouped::links::GroupLinks;
use std::ops::Range;
use turnwise_network::{
    Congestion, Network, Notice, Port, QueueLine, Receiver, RouterId, Sender, Sensing, VcSet,
};

/// What routers tell of the queues of their global channels.
pub(crate) struct QueueTables {
    /// The region of every router: its group, or 0.
    regions: Vec<u32>,
    /// By region: the numbers of its links, which are neighbours.
    leaving: Vec<Range<u32>>,
    /// By router: the first link of its region.
    firsts: Vec<u32>,
    /// By router: its links, port and number, one line each.
    owned: Vec<Vec<(Port, u32)>>,
    /// Cycles until a change is known.
    delay: u32,
    /// Flits by which a queue must change to be told.
    grain: u32,
    /// Is a queue what has left for its channel and what waits in the router for it, or only the former?
    whole: bool,
}

/// To compare so many queues takes fewer instructions than to draw one of them.
const MOST_COMPARED: usize = 128;

/// Is any of these queues shorter? All are looked at, without an early end, so that several are at once: what is left of a shorter one
/// is negative. (Queues are far shorter than 2^31 flits.)
#[inline(always)]
fn any_shorter(queues: &[u32], flits: u32) -> bool {
    let left = queues.iter().map(|queue| queue.wrapping_sub(flits));
    left.fold(0, |all, left| all | left) >> 31 == 1
}

/// What a router knows of its region's queues.
pub(crate) struct Known<'a> {
    words: &'a [u32],
    first: u32,
    tables: &'a QueueTables,
}

impl Known<'_> {
    /// The queue of a channel; 0 if the region has none of this number.
    #[inline]
    pub(crate) fn queue(&self, link: u32) -> u32 {
        let word = link.wrapping_sub(self.first) as usize;
        self.words.get(word).copied().unwrap_or(0)
    }

    /// The queues of a router's channels.
    #[inline]
    pub(crate) fn queues_of(&self, owner: RouterId) -> impl ExactSizeIterator<Item = u32> + '_ {
        let own = self.tables.owned[owner.index()].iter();
        own.map(|&(_, number)| self.queue(number))
    }

    /// Are all queues known to have so many flits, not below 0, or more? In a table of more than [`MOST_COMPARED`] nobody looks.
    #[inline]
    pub(crate) fn are_all(&self, flits: i32) -> bool {
        self.words.len() <= MOST_COMPARED && !any_shorter(self.words, flits as u32)
    }

    /// The shortest queue of all.
    pub(crate) fn shortest(&self) -> u32 {
        self.words.iter().min().copied().unwrap_or(0)
    }
}

impl QueueTables {
    /// One table a group, of the group's own channels.
    pub(crate) fn new(network: &Network, links: &GroupLinks, delay: u32, grain: u32) -> Self {
        let leaving = (0..links.groups()).map(|group| links.leaving(group));
        let group = |router| links.group(router);
        Self::with(network, links, (delay, grain), leaving.collect(), group)
    }

    /// The same of whole queues: with what waits in the router for each channel.
    pub(crate) fn of_whole_queues(self) -> Self {
        Self {
            whole: true,
            ..self
        }
    }

    /// One table for all routers, of all channels between groups.
    pub(crate) fn of_network(
        network: &Network,
        links: &GroupLinks,
        delay: u32,
        grain: u32,
    ) -> Self {
        let last = links.groups().saturating_sub(1);
        let all = 0..links.leaving(last).end;
        Self::with(network, links, (delay, grain), vec![all], |_| 0)
    }

    fn with(
        network: &Network,
        links: &GroupLinks,
        (delay, grain): (u32, u32),
        leaving: Vec<Range<u32>>,
        region: impl Fn(RouterId) -> u32,
    ) -> Self {
        let mut owned = vec![Vec::new(); network.router_count()];
        for number in leaving.iter().cloned().flatten() {
            if let Some(link) = links.get(number) {
                owned[link.owner.index()].push((link.port, number));
            }
        }
        let regions: Vec<u32> = network.routers().map(region).collect();
        let first = |&region: &u32| leaving[region as usize].start;
        Self {
            firsts: regions.iter().map(first).collect(),
            regions,
            leaving,
            owned,
            delay,
            grain,
            whole: false,
        }
    }

    /// What a router knows, having been told this.
    #[inline]
    pub(crate) fn known<'a>(&'a self, at: RouterId, memory: &'a [u32]) -> Known<'a> {
        Known {
            words: memory,
            first: self.firsts[at.index()],
            tables: self,
        }
    }

    /// The queue of a global channel of the region that a router is in, as it is known there; 0 if there is none of this number.
    #[inline]
    pub(crate) fn queue(&self, at: RouterId, link: u32, sees: &dyn Congestion) -> u32 {
        self.known(at, sees.memory()).queue(link)
    }
}

impl Sensing for QueueTables {
    fn region(&self, at: RouterId) -> u32 {
        self.regions[at.index()]
    }

    fn words(&self, region: u32) -> usize {
        let links = self.leaving.get(region as usize);
        links.map_or(0, |links| links.len())
    }

    fn lines(&self, at: RouterId) -> Vec<Vec<Receiver>> {
        let (region, after) = (self.region(at), self.delay);
        let line = vec![Receiver::Region { region, after }];
        vec![line; self.owned[at.index()].len()]
    }

    fn grain(&self, at: RouterId, port: Port) -> u32 {
        let owned = &self.owned[at.index()];
        match owned.iter().any(|&(own, _)| own == port) {
            true => self.grain,
            false => 0,
        }
    }

    fn queue_line(&self, at: RouterId, line: usize) -> Option<QueueLine> {
        let &(port, number) = self.owned[at.index()].get(line)?;
        let word = number - self.firsts[at.index()];
        Some(QueueLine { port, word })
    }

    fn counts_awaiting(&self) -> bool {
        self.whole
    }

    fn report(&self, at: RouterId, sees: &dyn Congestion, notices: &mut [Notice]) {
        let owned = &self.owned[at.index()];
        for (&(port, _), notice) in owned.iter().zip(notices) {
            let waiting = match self.whole {
                true => sees.awaiting(port),
                false => 0,
            };
            let queue = sees.occupancy(port, VcSet::EVERY) + waiting;
            *notice = Notice([queue - queue % self.grain, 0]);
        }
    }

    fn receive(&self, region: u32, from: Sender, notice: Notice, memory: &mut [u32]) -> bool {
        let first = self.leaving[region as usize].start;
        if let Some(&(_, number)) = self.owned[from.router.index()].get(from.line)
            && let Some(word) = memory.get_mut((number - first) as usize)
        {
            *word = notice.0[0];
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use turnwise_network::Faults;
    use turnwise_network::topologies::{Dragonfly, Topology};

    #[test]
    fn a_router_has_the_queues_of_its_own_channels_and_of_no_others() {
        let whole = Dragonfly::default().build(None).unwrap();
        let group_of = |router: RouterId| router.0 / 4;
        let lost = RouterId(1);
        let global = whole.neighbours(lost).map(|neighbour| neighbour.router);
        let global = global.filter(|&peer| group_of(peer) != group_of(lost));
        let faults = Faults {
            links: global.map(|peer| [lost.0, peer.0]).collect(),
            ..Faults::default()
        };
        let network = whole.without(&faults).unwrap();
        let links = GroupLinks::new(&network, 9, group_of);
        let tables = QueueTables::new(&network, &links, 1, 1);
        let memory: Vec<u32> = (0..tables.words(0) as u32).map(|word| 10 + word).collect();
        let known = tables.known(RouterId(0), &memory);
        assert_eq!(known.queues_of(lost).count(), 0);
        let all: Vec<u32> = (0..4)
            .flat_map(|owner| known.queues_of(RouterId(owner)))
            .collect();
        assert_eq!(all.len(), memory.len());
        assert_eq!(known.shortest(), 10);
        assert!(known.are_all(10) && !known.are_all(11));
    }
}
