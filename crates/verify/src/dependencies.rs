//! The channel dependency graph: which (channel, virtual channel) waits for which.
//!
//! A vertex is one virtual channel of one router-to-router channel. There is a dependency
//! from a to b if some packet can hold a while it asks for b. Source: Dally and Seitz,
//! "Deadlock-free message routing in multiprocessor interconnection networks", IEEE Trans.
//! Computers 36(5), 1987. Injection channels depend on others but nothing waits for them
//! inside the network, and ejection channels always drain, so neither can be on a cycle, unless
//! [terminals answer](crate::Protocol): then the terminals' channels are vertices too.

use crate::explore::StateGraph;
use crate::protocol::Protocol;
use crate::terminals::{TerminalChannel, Terminals};
use turnwise_network::{ChannelId, Network, TerminalId, Vc, VcSet};

/// A vertex of the dependency graph: `channel * virtual_channels + vc`.
pub type Vertex = u32;

const WORD: usize = u64::BITS as usize;

/// All dependencies between virtual channels, gathered destination by destination.
///
/// One bit for every (channel, VC) pair that meets at a router, plus a log of the
/// dependencies in the order they were found: memory is
/// `channels x VCs x ceil(degree x VCs / 64)` words and 8 bytes a dependency.
#[derive(Clone, Debug)]
pub struct Dependencies {
    vcs: usize,
    /// Bits a channel takes in a row: a power of two, so that none straddles two words.
    stride: usize,
    words: usize,
    /// A channel's position among the router-to-router channels that leave its router.
    slots: Vec<u32>,
    heads: Vec<u32>,
    leaving_offsets: Vec<u32>,
    leaving: Vec<u32>,
    rows: Vec<u64>,
    used: Vec<bool>,
    log: Vec<(Vertex, Vertex)>,
    /// From which entry of the log on dependencies were found for which destination.
    chapters: Vec<(TerminalId, usize)>,
    wanted_offsets: Vec<u32>,
    wanted: Vec<(u32, u64)>,
    /// Only where terminals answer.
    terminals: Option<Terminals>,
}

impl Dependencies {
    /// No dependencies yet.
    pub fn new(network: &Network, virtual_channels: Vc) -> Self {
        let vcs = usize::from(virtual_channels.max(1));
        let stride = vcs.next_power_of_two();
        let mut slots = vec![0; network.channel_count()];
        let mut heads = vec![0; network.channel_count()];
        let mut leaving_offsets = vec![0];
        let mut leaving = Vec::with_capacity(network.channel_count());
        let mut degree = 0;
        for router in network.routers() {
            for (slot, neighbour) in network.neighbours(router).enumerate() {
                slots[neighbour.channel.index()] = slot as u32;
                heads[neighbour.channel.index()] = neighbour.router.0;
                leaving.push(neighbour.channel.0);
                degree = degree.max(slot + 1);
            }
            leaving_offsets.push(leaving.len() as u32);
        }
        let words = (degree * stride).div_ceil(WORD);
        let vertices = network.channel_count() * vcs;
        Self {
            vcs,
            stride,
            words,
            slots,
            heads,
            leaving_offsets,
            leaving,
            rows: vec![0; vertices * words],
            used: vec![false; vertices],
            log: Vec::new(),
            chapters: Vec::new(),
            wanted_offsets: Vec::new(),
            wanted: Vec::new(),
            terminals: None,
        }
    }

    /// The same, with dependencies through terminals if these answer.
    #[must_use]
    pub(crate) fn through_terminals(mut self, network: &Network, protocol: &Protocol) -> Self {
        if protocol.has_answers() {
            let vertices = network.total_channel_count() * self.vcs;
            self.used.resize(vertices, false);
            self.terminals = Some(Terminals::new(network, self.vcs as u32, protocol));
        }
        self
    }

    /// Bytes that they take, about.
    pub(crate) fn memory_bytes(&self) -> u64 {
        let log = self.log.len() * size_of::<(Vertex, Vertex)>();
        let by_channel = self.slots.len() * 4 * size_of::<u32>();
        (self.rows.len() * size_of::<u64>() + self.used.len() + log + by_channel) as u64
    }

    /// Adds everything packets to one destination can wait for. O(states + steps x VCs).
    pub fn record(&mut self, graph: &StateGraph) {
        self.gather_wanted(graph);
        self.chapters.push((graph.destination(), self.log.len()));
        self.add_wanted(graph);
        if let Some(terminals) = &mut self.terminals {
            let log = &mut self.log;
            terminals.record(graph, |held, wanted| log.push((held, wanted)));
        }
    }

    /// Adds that whoever holds one of these virtual channels may wait for any of those, of another channel that leaves where it ends. O(VCs).
    pub(crate) fn record_wait(&mut self, held: (ChannelId, VcSet), wanted: (ChannelId, VcSet)) {
        let (word, bits) = self.bits_of(wanted.0, wanted.1);
        for vc in held.1.iter() {
            let held = self.vertex(held.0, vc);
            self.insert(held, word, bits);
        }
    }

    /// Adds that packets to one destination can wait for these vertices, by state, each of a channel that leaves the router of the state. Those
    /// of terminals are left out. O(steps x VCs).
    pub(crate) fn record_waits(&mut self, graph: &StateGraph, wanted: &[Vec<Vertex>]) {
        self.wanted.clear();
        self.wanted_offsets.clear();
        self.wanted_offsets.push(0);
        for wanted in wanted {
            let first = self.wanted.len();
            let between = wanted.iter().filter(|&&at| self.is_between_routers(at));
            for vertex in between.copied().collect::<Vec<_>>() {
                let (word, bits) = self.bit_of(vertex);
                self.want(first, word, bits);
            }
            self.wanted_offsets.push(self.wanted.len() as u32);
        }
        self.add_wanted(graph);
    }

    /// Adds that whoever has come into a state waits for what is wanted there.
    fn add_wanted(&mut self, graph: &StateGraph) {
        for step in graph.all_steps() {
            let next = step.next as usize;
            let wanted = self.wanted_offsets[next] as usize..self.wanted_offsets[next + 1] as usize;
            for vc in step.vcs.iter() {
                let held = self.vertex(step.channel, vc);
                self.used[held as usize] = true;
                for at in wanted.clone() {
                    let (word, bits) = self.wanted[at];
                    self.insert(held, word, bits);
                }
            }
        }
    }

    /// For every state, what a packet in it asks for, as bits of the rows of the channels it may have come by.
    fn gather_wanted(&mut self, graph: &StateGraph) {
        self.wanted.clear();
        self.wanted_offsets.clear();
        self.wanted_offsets.push(0);
        for state in 0..graph.states().len() as u32 {
            let first = self.wanted.len();
            for step in graph.steps(state) {
                let (word, bits) = self.bits_of(step.channel, step.vcs);
                self.want(first, word, bits);
            }
            self.wanted_offsets.push(self.wanted.len() as u32);
        }
    }

    /// Adds to what is wanted in the state at hand, which is what is behind `first`.
    #[inline]
    fn want(&mut self, first: usize, word: u32, bits: u64) {
        match self.wanted[first..].last_mut() {
            Some((same, more)) if *same == word => *more |= bits,
            _ => self.wanted.push((word, bits)),
        }
    }

    #[inline]
    fn insert(&mut self, held: Vertex, word: u32, bits: u64) {
        let row = &mut self.rows[held as usize * self.words + word as usize];
        let mut fresh = bits & !*row;
        *row |= bits;
        while fresh != 0 {
            let bit = word as usize * WORD + fresh.trailing_zeros() as usize;
            fresh &= fresh - 1;
            let router = self.heads[held as usize / self.vcs] as usize;
            let slot = self.leaving_offsets[router] as usize + bit / self.stride;
            let wanted = self.leaving[slot] * self.vcs as u32 + (bit % self.stride) as u32;
            self.log.push((held, wanted));
        }
    }

    /// Adds what another survey of the same network and routing found.
    pub fn merge(&mut self, other: &Self) {
        for (chapter, &(destination, from)) in other.chapters.iter().enumerate() {
            let to = other
                .chapters
                .get(chapter + 1)
                .map_or(other.log.len(), |next| next.1);
            self.chapters.push((destination, self.log.len()));
            for &(held, wanted) in &other.log[from..to] {
                match &mut self.terminals {
                    Some(terminals) if terminals.joins(held, wanted) => {
                        if terminals.add(held, wanted) {
                            self.log.push((held, wanted));
                        }
                    }
                    _ => {
                        let (word, bits) = self.bit_of(wanted);
                        self.insert(held, word, bits);
                    }
                }
            }
        }
        if let (Some(terminals), Some(more)) = (&mut self.terminals, &other.terminals) {
            terminals.merge(more);
        }
        for (used, &more) in self.used.iter_mut().zip(&other.used) {
            *used |= more;
        }
    }

    fn bit_of(&self, wanted: Vertex) -> (u32, u64) {
        let (channel, vc) = self.channel_and_vc(wanted);
        self.bits_of(channel, VcSet::one(vc))
    }

    /// The word of a row that virtual channels of a channel are in, and their bits there.
    #[inline]
    fn bits_of(&self, channel: ChannelId, vcs: VcSet) -> (u32, u64) {
        let bit = self.slots[channel.index()] as usize * self.stride;
        ((bit / WORD) as u32, u64::from(vcs.0) << (bit % WORD))
    }

    /// Does some packet hold the first vertex while it asks for the second?
    pub fn contains(&self, held: Vertex, wanted: Vertex) -> bool {
        if let Some(terminals) = &self.terminals
            && terminals.joins(held, wanted)
        {
            return terminals.contains(held, wanted);
        }
        let (channel, _) = self.channel_and_vc(wanted);
        let router = self.heads[held as usize / self.vcs] as usize;
        let leaving =
            self.leaving_offsets[router] as usize..self.leaving_offsets[router + 1] as usize;
        let (word, bits) = self.bit_of(wanted);
        let meet =
            self.leaving[leaving].get(self.slots[channel.index()] as usize) == Some(&channel.0);
        meet && self.rows[held as usize * self.words + word as usize] & bits != 0
    }

    /// The vertex of one virtual channel.
    #[inline]
    pub fn vertex(&self, channel: ChannelId, vc: Vc) -> Vertex {
        channel.0 * self.vcs as u32 + u32::from(vc)
    }

    /// The virtual channel a vertex stands for.
    #[inline]
    pub fn channel_and_vc(&self, vertex: Vertex) -> (ChannelId, Vc) {
        let vcs = self.vcs as u32;
        (ChannelId(vertex / vcs), (vertex % vcs) as Vc)
    }

    /// Virtual channels a channel, at least 1.
    pub fn virtual_channels(&self) -> Vc {
        self.vcs as Vc
    }

    /// Number of vertices, used or not.
    pub fn vertex_count(&self) -> usize {
        self.used.len()
    }

    /// Can any packet ever hold this vertex? Of terminals' channels only those count that others can wait for.
    pub fn is_used(&self, vertex: Vertex) -> bool {
        let terminals = self.terminals.as_ref();
        self.used[vertex as usize] || terminals.is_some_and(|all| all.is_used(vertex))
    }

    /// How many virtual channels packets can hold between routers, of some channel or other.
    pub fn virtual_channels_used(&self) -> u32 {
        let channels = self.heads.len() * self.vcs;
        let between = &self.used[..channels.min(self.used.len())];
        let is_taken = |vc: &usize| between.iter().skip(*vc).step_by(self.vcs).any(|&used| used);
        (0..self.vcs).filter(is_taken).count() as u32
    }

    /// Number of different dependencies. O(1), or as [`sorted`](Self::sorted) where terminals answer.
    pub fn count(&self) -> usize {
        match self.terminals {
            None => self.log.len(),
            Some(_) => self.sorted().len(),
        }
    }

    /// All dependencies (held, wanted) in ascending order. O(n log n).
    pub fn sorted(&self) -> Vec<(Vertex, Vertex)> {
        let mut all = self.log.clone();
        if let Some(terminals) = &self.terminals {
            all.retain(|&(held, _)| terminals.kind(held).is_none() || terminals.is_used(held));
            all.extend(terminals.waits_of_terminals());
        }
        all.sort_unstable();
        all.dedup();
        all
    }

    /// All of them in the order they were found, without those of terminals.
    pub(crate) fn in_order(&self) -> impl Iterator<Item = (Vertex, Vertex)> {
        self.log.iter().copied()
    }

    /// Is this a virtual channel of a channel between routers, and not one of a terminal?
    #[inline]
    pub(crate) fn is_between_routers(&self, vertex: Vertex) -> bool {
        (vertex as usize) < self.slots.len() * self.vcs
    }

    /// What is known of the terminals, where these answer.
    pub(crate) fn terminals(&self) -> Option<&Terminals> {
        self.terminals.as_ref()
    }

    /// A destination whose packets cause this dependency; `None` if there is no such dependency.
    pub fn witness(&self, held: Vertex, wanted: Vertex) -> Option<TerminalId> {
        if let Some(TerminalChannel::Ejection(at)) =
            self.terminals.as_ref().and_then(|all| all.kind(held))
        {
            return self.contains(held, wanted).then_some(at);
        }
        let at = self
            .log
            .iter()
            .position(|&dependency| dependency == (held, wanted))?;
        let chapter = self.chapters.partition_point(|&(_, from)| from <= at);
        Some(self.chapters[chapter.checked_sub(1)?].0)
    }
}
