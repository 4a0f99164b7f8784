//! Who hears whom, after how many cycles: what a [`Sensing`] says of itself, in flat arrays.
//!
//! Made once before a run and the same for all domains.

use super::super::partition::Partition;
use super::super::unchecked::Arena;
use super::super::wiring::{NOWHERE, RouterWiring, Wiring};
use super::home::Home;
use std::ops::Range;
use turnwise_network::{Network, Port, Receiver, RouterId, Sender, Sensing};

/// A domain that simulates routers of a region which hears a line.
#[derive(Clone, Copy, Debug)]
pub(super) struct Target {
    pub(super) region: u32,
    /// Cycles until a notice is there.
    pub(super) delay: u32,
    pub(super) domain: u16,
}

/// Lists of many things in one, by the number of the thing.
#[derive(Clone, Debug)]
struct Lists<T> {
    /// Where each begins, and where the last one ends.
    first: Arena<u32>,
    all: Vec<T>,
}

impl<T> Lists<T> {
    fn new() -> Self {
        Self {
            first: Arena::new(vec![0]),
            all: Vec::new(),
        }
    }

    /// Adds the next list.
    fn push(&mut self, list: impl IntoIterator<Item = T>) {
        self.all.extend(list);
        self.first.push(self.all.len() as u32);
    }

    #[inline]
    fn range(&self, index: u32) -> Range<usize> {
        self.first[index] as usize..self.first[index + 1] as usize
    }

    #[inline]
    fn get(&self, index: u32) -> &[T] {
        &self.all[self.range(index)]
    }
}

/// All lines of a network.
pub(in super::super) struct Lines<'a> {
    pub(super) sensing: &'a dyn Sensing,
    /// By router.
    regions: Vec<u32>,
    /// By region: its routers.
    members: Lists<u32>,
    /// By region: where its memory begins, and where the last one ends.
    first_word: Vec<usize>,
    /// By router: where the memory of its region begins and ends.
    memories: Arena<(usize, usize)>,
    /// By router: its lines, as the routers they belong to.
    lines: Lists<u32>,
    /// By line.
    targets: Lists<Target>,
    /// By router: its ports' grains, by port; all 0 if it has no lines.
    grains: Lists<u32>,
    /// By port: the line that tells its queue, or [`NOWHERE`].
    line_of_port: Arena<u32>,
    /// By port: where its queue is kept.
    homes: Arena<Home>,
    /// By line, if all tell queues: the word where it is kept.
    queue_words: Vec<u32>,
    /// By router: the output virtual channels of ports that it watches or times, as bits of its first mask word.
    watched_outs: Vec<u64>,
    /// The longest delay of any notice.
    pub(super) longest: u64,
}

impl<'a> Lines<'a> {
    /// # Panics
    /// If a region has a larger number than there are routers, if a notice would take longer than
    /// [`Receiver::MOST_DELAY`] or no time, or if a line tells the queue of a port that its router does not have.
    pub(in super::super) fn new(
        sensing: &'a dyn Sensing,
        network: &Network,
        wiring: &Wiring,
        partition: &Partition,
    ) -> Self {
        let routers = network.router_count();
        let regions: Vec<u32> = network.routers().map(|at| sensing.region(at)).collect();
        let mut of_region = vec![Vec::new(); routers];
        for (router, &region) in (0..).zip(&regions) {
            assert!(
                (region as usize) < routers,
                "regions are numbered below the number of routers"
            );
            of_region[region as usize].push(router);
        }
        let mut lines = Self {
            sensing,
            regions,
            members: Lists::new(),
            first_word: vec![0],
            memories: Arena::new(Vec::with_capacity(routers)),
            lines: Lists::new(),
            targets: Lists::new(),
            grains: Lists::new(),
            line_of_port: Arena::new(vec![NOWHERE; wiring.ports as usize]),
            homes: Arena::new(vec![Home::NONE; wiring.ports as usize]),
            queue_words: Vec::new(),
            watched_outs: Vec::with_capacity(routers),
            longest: 0,
        };
        for (region, members) in (0..).zip(of_region) {
            let words = match members.is_empty() {
                true => 0,
                false => sensing.words(region),
            };
            lines.first_word.push(lines.words() + words);
            lines.members.push(members);
        }
        for &region in &lines.regions {
            let memory = lines.memory(region);
            lines.memories.push((memory.start, memory.end));
        }
        for at in network.routers() {
            lines.connect(network, partition, at);
            lines.watch(network, wiring, at);
            lines.note_queues(wiring, partition, at);
        }
        assert!(
            lines.queue_words.is_empty() || lines.queue_words.len() == lines.count(),
            "either all lines tell queues, or none does"
        );
        lines
    }

    /// Notes which lines of a router tell queues.
    fn note_queues(&mut self, wiring: &Wiring, partition: &Partition, at: RouterId) {
        for (index, line) in self.of_router(at.0).enumerate() {
            if let Some(queue) = self.sensing.queue_line(at, index) {
                let RouterWiring {
                    first_port, ports, ..
                } = wiring.routers[at.0];
                let port = u32::from(queue.port);
                assert!(
                    port < ports,
                    "a line tells the queue of a port of its router"
                );
                let port = first_port + port;
                self.line_of_port[port] = line as u32;
                self.queue_words.push(queue.word);
                let teller = partition.owner[at.index()];
                self.homes[port] = Home::of(self, line as u32, teller);
            }
        }
    }

    /// Adds the lines of the next router.
    fn connect(&mut self, network: &Network, partition: &Partition, at: RouterId) {
        let lines = self.sensing.lines(at);
        self.lines.push(lines.iter().map(|_| at.0));
        for receivers in lines {
            let mut targets = Vec::new();
            for receiver in receivers {
                let Some((region, delay)) = self.resolve(network, at, receiver) else {
                    continue;
                };
                let members = self.members.get(region).iter();
                let mut domains: Vec<u16> = members
                    .map(|&router| partition.owner[router as usize])
                    .collect();
                domains.sort_unstable();
                domains.dedup();
                targets.extend(domains.into_iter().map(|domain| Target {
                    region,
                    delay,
                    domain,
                }));
            }
            let longest = targets.iter().map(|target| target.delay.into()).max();
            self.longest = self.longest.max(longest.unwrap_or(0));
            self.targets.push(targets);
        }
    }

    /// The region that hears a line, and after how many cycles.
    fn resolve(&self, network: &Network, at: RouterId, receiver: Receiver) -> Option<(u32, u32)> {
        match receiver {
            Receiver::Behind(port) => {
                let next = network.next_router(at, port)?;
                let channel = network.channel(network.out_channel(at, port)?);
                Some((self.regions[next.index()], channel.latency))
            }
            Receiver::Region { region, after } => {
                assert!(
                    (1..=Receiver::MOST_DELAY).contains(&after),
                    "a notice takes 1 to {} cycles, not {after}",
                    Receiver::MOST_DELAY
                );
                let exists = (region as usize) < self.first_word.len() - 1;
                exists.then_some((region, after))
            }
        }
    }

    /// Adds what the next router watches.
    fn watch(&mut self, network: &Network, wiring: &Wiring, at: RouterId) {
        let speaks = !self.of_router(at.0).is_empty();
        let grain = |port| {
            if speaks {
                self.sensing.grain(at, port)
            } else {
                0
            }
        };
        let grains: Vec<u32> = (0..network.radix(at) as Port).map(grain).collect();
        let of_port = u64::MAX >> (64 - wiring.stride);
        let (mut outs, times) = (0, self.sensing.times());
        for (port, &grain) in (0u32..).zip(&grains) {
            let first = port << wiring.shift;
            if (times || grain > 0) && first < 64 {
                outs |= of_port << first;
            }
        }
        self.watched_outs.push(outs);
        self.grains.push(grains);
    }

    /// Words of all memories.
    pub(super) fn words(&self) -> usize {
        self.first_word.last().copied().unwrap_or(0)
    }

    /// Number of lines.
    pub(super) fn count(&self) -> usize {
        self.lines.all.len()
    }

    /// The lines of a router.
    #[inline]
    pub(super) fn of_router(&self, router: u32) -> Range<usize> {
        self.lines.range(router)
    }

    /// Who speaks on a line.
    #[inline]
    pub(super) fn sender(&self, line: u32) -> Sender {
        let router = self.lines.all[line as usize];
        Sender {
            router: RouterId(router),
            line: line as usize - self.lines.range(router).start,
        }
    }

    /// The line that tells a port's queue.
    #[inline]
    pub(super) fn of_port(&self, port: u32) -> Option<u32> {
        let line = self.line_of_port[port];
        (line != NOWHERE).then_some(line)
    }

    /// Where the queue of a port is kept.
    #[inline]
    pub(super) fn home(&self, port: u32) -> Home {
        self.homes[port]
    }

    /// Where the memory of a region keeps the queue that a line tells; `None` if lines tell anything else.
    #[inline]
    pub(super) fn queue_word(&self, region: u32, line: u32) -> Option<usize> {
        let word = *self.queue_words.get(line as usize)?;
        Some(self.first_word[region as usize] + word as usize)
    }

    /// Do lines tell queues, and nothing else?
    pub(super) fn tell_queues(&self) -> bool {
        !self.queue_words.is_empty()
    }

    /// Who hears a line.
    #[inline]
    pub(super) fn targets(&self, line: u32) -> &[Target] {
        self.targets.get(line)
    }

    /// The grains of all ports of all routers; of a router's, the first is that of its first port.
    pub(super) fn grains(&self) -> &[u32] {
        &self.grains.all
    }

    /// By router: the output virtual channels of watched or timed ports, as bits, if it has no more than 64.
    pub(in super::super) fn watched_outs(&self) -> Vec<u64> {
        self.watched_outs.clone()
    }

    /// The routers of a region.
    #[inline]
    pub(super) fn members(&self, region: u32) -> &[u32] {
        self.members.get(region)
    }

    /// Where the memory of a region is.
    #[inline]
    pub(super) fn memory(&self, region: u32) -> Range<usize> {
        let region = region as usize;
        self.first_word[region]..self.first_word[region + 1]
    }

    /// Where the memory of a router's region is.
    #[inline]
    pub(super) fn memory_of(&self, router: u32) -> Range<usize> {
        let (start, end) = self.memories[router];
        start..end
    }

    /// The shortest delay of a notice from one domain to another.
    pub(in super::super) fn lookahead(&self, partition: &Partition) -> u64 {
        let crossing = (0..self.count() as u32).flat_map(|line| {
            let sender = self.lines.all[line as usize] as usize;
            let here = partition.owner[sender];
            let targets = self.targets(line).iter();
            targets.filter(move |target| target.domain != here)
        });
        let delays = crossing.map(|target| target.delay.into());
        delays.min().unwrap_or(u64::MAX)
    }
}
