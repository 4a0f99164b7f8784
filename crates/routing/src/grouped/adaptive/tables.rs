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
    /// By router: its links, port and number, one line each.
    owned: Vec<Vec<(Port, u32)>>,
    /// Cycles until a change is known.
    delay: u32,
    /// Flits by which a queue must change to be told.
    grain: u32,
    /// What is told and kept beside.
    kind: Kind,
    /// By router: its number among those of its region that have such channels. By region: how many have.
    places: Vec<u32>,
    owners: Vec<u32>,
}

/// What a table holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// What has left for each channel.
    Left,
    /// Whole queues, with what waits in the router for each channel. Behind them is the shortest queue of all, and those of
    /// all channels of each router.
    Whole,
}

/// To compare so many queues takes fewer instructions than to draw one of them.
const MOST_COMPARED: usize = 128;

/// What a router knows of its region's queues.
pub(crate) struct Known<'a> {
    words: &'a [u32],
    first: u32,
    /// Where the shortest ones are: behind all queues.
    shortest: usize,
    places: &'a [u32],
}

impl Known<'_> {
    /// The queue of a channel; 0 if the region has none of this number.
    #[inline]
    pub(crate) fn queue(&self, link: u32) -> u32 {
        self.word(link.wrapping_sub(self.first) as usize)
    }

    /// Are all queues known to be so long, or longer? In a table of more than [`MOST_COMPARED`] nobody looks.
    #[inline]
    pub(crate) fn are_all(&self, flits: u32) -> bool {
        let queues = self.words.get(..self.shortest);
        let queues = queues.filter(|queues| queues.len() <= MOST_COMPARED);
        // All of them, without an early end, so that several are compared at once.
        let any_shorter = |queues: &[u32]| {
            queues
                .iter()
                .fold(false, |any, &queue| any | (queue < flits))
        };
        queues.is_some_and(|queues| !any_shorter(queues))
    }

    /// The shortest queue of all, in a table of whole queues.
    #[inline]
    pub(crate) fn shortest(&self) -> u32 {
        self.word(self.shortest)
    }

    /// The shortest queue of a router's channels, in a table of whole queues.
    #[inline]
    pub(crate) fn shortest_of(&self, owner: RouterId) -> u32 {
        self.word(self.shortest + 1 + self.places[owner.index()] as usize)
    }

    #[inline]
    fn word(&self, index: usize) -> u32 {
        self.words.get(index).copied().unwrap_or(0)
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
            kind: Kind::Whole,
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
        let mut owners = vec![0; leaving.len()];
        let mut places = vec![0; regions.len()];
        for (router, &region) in regions.iter().enumerate() {
            if !owned[router].is_empty() {
                places[router] = owners[region as usize];
                owners[region as usize] += 1;
            }
        }
        Self {
            regions,
            leaving,
            owned,
            delay,
            grain,
            kind: Kind::Left,
            places,
            owners,
        }
    }

    /// What a router knows, having been told this.
    #[inline]
    pub(crate) fn known<'a>(&'a self, at: RouterId, memory: &'a [u32]) -> Known<'a> {
        let leaving = &self.leaving[self.regions[at.index()] as usize];
        Known {
            words: memory,
            first: leaving.start,
            shortest: leaving.len(),
            places: &self.places,
        }
    }

    /// The queue of a global channel of the region that a router is in, as it is known there; 0 if there is none of this number.
    #[inline]
    pub(crate) fn queue(&self, at: RouterId, link: u32, sees: &dyn Congestion) -> u32 {
        self.known(at, sees.memory()).queue(link)
    }

    /// A queue of this router has changed: which are the shortest now?
    fn note_shortest(&self, region: usize, owner: RouterId, memory: &mut [u32]) {
        let leaving = &self.leaving[region];
        let Some((queues, shortest)) = memory.split_at_mut_checked(leaving.len()) else {
            return;
        };
        let Some((of_all, by_owner)) = shortest.split_first_mut() else {
            return;
        };
        let own = self.owned[owner.index()].iter();
        let own = own.filter_map(|&(_, number)| queues.get((number - leaving.start) as usize));
        if let Some(word) = by_owner.get_mut(self.places[owner.index()] as usize) {
            *word = own.min().copied().unwrap_or(0);
        }
        *of_all = by_owner.iter().min().copied().unwrap_or(0);
    }
}

impl Sensing for QueueTables {
    fn region(&self, at: RouterId) -> u32 {
        self.regions[at.index()]
    }

    fn words(&self, region: u32) -> usize {
        let region = region as usize;
        let queues = self.leaving.get(region).map_or(0, |links| links.len());
        match self.kind {
            Kind::Whole if queues > 0 => queues + 1 + self.owners[region] as usize,
            _ => queues,
        }
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
        let word = number - self.leaving[self.regions[at.index()] as usize].start;
        Some(QueueLine { port, word })
    }

    fn summarises(&self) -> bool {
        self.kind == Kind::Whole
    }

    fn counts_awaiting(&self) -> bool {
        self.kind == Kind::Whole
    }

    fn report(&self, at: RouterId, sees: &dyn Congestion, notices: &mut [Notice]) {
        let owned = &self.owned[at.index()];
        for (&(port, _), notice) in owned.iter().zip(notices) {
            let waiting = match self.kind {
                Kind::Whole => sees.awaiting(port),
                Kind::Left => 0,
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
            if self.kind == Kind::Whole {
                self.note_shortest(region as usize, from.router, memory);
            }
        }
        false
    }
}
