//! Which turns are safe: dependencies between channels, and those that may be added.
//!
//! Routes that keep the order of directions depend on each other without a cycle, rings
//! apart. A first or last step may break the order, by a turn from channel `a` to channel `b`
//! that is safe if no packet that holds `b` can ever wait for `a`. Theorem 2 of the source asks
//! for more than that, in a way that is cheap to know: the direction of `a` must
//! not be among the directions of all channels that can be reached from `b`.
//! [`TurnRule::Exact`] asks whether `a` itself can be reached.

use super::System;
use super::system::NONE;
use schemars::JsonSchema;
use serde::Deserialize;

/// Which turns are added to those that keep the order of directions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum TurnRule {
    /// None.
    None,
    /// Those that Theorem 2 of the paper shows to be safe.
    #[default]
    Theorem2,
    /// All that close no cycle, tried node by node in the same sequence: at least as many.
    Exact,
}

impl TurnRule {
    /// As it is spelt in a study.
    pub fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Theorem2 => "theorem2",
            Self::Exact => "exact",
        }
    }
}

/// In which sequence turns are tried: nodes and directions ascending, as published, or not.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sequence {
    /// The last node first?
    pub nodes_descend: bool,
    /// The last direction first?
    pub directions_descend: bool,
}

/// By channel, the directions in which a packet may leave the node it leads to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Turns {
    next: Vec<u8>,
    added: usize,
}

impl Turns {
    /// The turns of a system.
    ///
    /// Only turns that a first step (out of a positive direction) or a last step (into a
    /// negative one) can use are tried, nodes and directions ascending, until nothing more can be added.
    ///
    /// # Complexity
    /// O(channels x directions) for Theorem 2; `Exact` searches the dependencies once for each turn
    /// Theorem 2 refuses.
    pub fn new(system: &System, rule: TurnRule) -> Self {
        Self::in_sequence(system, rule, Sequence::default())
    }

    /// The same, trying turns in another sequence, which may add others.
    pub fn in_sequence(system: &System, rule: TurnRule, sequence: Sequence) -> Self {
        let mut turns = Self::in_order(system);
        if rule == TurnRule::None {
            return turns;
        }
        let mut reach = Reach::new(system, &turns);
        loop {
            let before = turns.added;
            let most = system.nodes() as u32 - 1;
            for node in 0..=most {
                let node = if sequence.nodes_descend {
                    most - node
                } else {
                    node
                };
                turns.extend_at(system, node, rule, sequence, &mut reach);
            }
            if turns.added == before {
                return turns;
            }
        }
    }

    /// Only the turns that keep the order of directions.
    pub fn in_order(system: &System) -> Self {
        let directions = system.directions();
        let count = directions.count();
        let targets = system.targets();
        let alive = |node: u32| {
            let out = &targets[system.channel(node, 0)..][..count];
            let bits = out
                .iter()
                .enumerate()
                .map(|(rank, &to)| u8::from(to != NONE) << rank);
            bits.fold(0, |mask, bit| mask | bit)
        };
        let alive: Vec<u8> = (0..system.nodes() as u32).map(alive).collect();
        let allowed = |(channel, &to): (usize, &u32)| match to {
            NONE => 0,
            to => alive[to as usize] & directions.base_turns(channel % count),
        };
        Self {
            next: targets.iter().enumerate().map(allowed).collect(),
            added: 0,
        }
    }

    /// The directions in which a packet may go on after a channel, one bit a rank.
    #[inline]
    pub fn after(&self, channel: usize) -> u8 {
        self.next[channel]
    }

    /// Turns that break the order of directions.
    pub fn added(&self) -> usize {
        self.added
    }

    fn extend_at(
        &mut self,
        system: &System,
        node: u32,
        rule: TurnRule,
        sequence: Sequence,
        reach: &mut Reach,
    ) {
        let directions = system.directions();
        for place in 0..directions.count() {
            let from = if sequence.directions_descend {
                directions.count() - 1 - place
            } else {
                place
            };
            let Some(corner) = system.next(node, from) else {
                continue;
            };
            let channel = system.channel(node, from);
            for to in (0..from).filter(|&to| to != directions.opposite(from)) {
                let useful = directions.at(from).positive || !directions.at(to).positive;
                let known = self.next[channel] >> to & 1 == 1;
                if !useful || known || system.next(corner, to).is_none() {
                    continue;
                }
                let onto = system.channel(corner, to);
                let safe = reach.used[onto] >> from & 1 == 0
                    || rule == TurnRule::Exact && !reach.joins(system, self, onto, channel);
                if safe {
                    self.next[channel] |= 1 << to;
                    self.added += 1;
                    reach.add(system, self, channel, onto);
                }
            }
        }
    }
}

/// What can be reached from channels, kept up to date while turns are added.
struct Reach {
    /// By channel: the directions of all channels reachable from it, its own included.
    used: Vec<u8>,
    pending: Vec<u32>,
    seen: Vec<u32>,
    search: u32,
}

impl Reach {
    fn new(system: &System, turns: &Turns) -> Self {
        let count = system.directions().count();
        let own = |(channel, &to): (usize, &u32)| {
            if to == NONE {
                0
            } else {
                1 << (channel % count)
            }
        };
        let mut reach = Self {
            used: system.targets().iter().enumerate().map(own).collect(),
            pending: Vec::new(),
            seen: vec![0; system.targets().len()],
            search: 0,
        };
        // Channels of the last direction first: most of what they reach is known then.
        for rank in (0..count).rev() {
            for node in 0..system.nodes() as u32 {
                let channel = system.channel(node, rank);
                if system.targets()[channel] != NONE {
                    reach.pull(system, turns, channel);
                }
            }
        }
        reach
    }

    /// Recomputes what a channel reaches, and tells those that lead to it.
    fn pull(&mut self, system: &System, turns: &Turns, channel: usize) {
        let corner = system.targets()[channel];
        let mut after = turns.after(channel);
        let mut used = self.used[channel];
        while after != 0 {
            used |= self.used[system.channel(corner, after.trailing_zeros() as usize)];
            after &= after - 1;
        }
        if used != self.used[channel] {
            self.used[channel] = used;
            self.push_back(system, turns, channel);
        }
    }

    /// Carries what a channel reaches to all channels from which it can be reached.
    fn push_back(&mut self, system: &System, turns: &Turns, channel: usize) {
        let count = system.directions().count();
        self.pending.push(channel as u32);
        while let Some(changed) = self.pending.pop() {
            let (node, rank) = (changed / count as u32, changed as usize % count);
            let used = self.used[changed as usize];
            for into in 0..count {
                let Some(before) = system.next(node, system.directions().opposite(into)) else {
                    continue;
                };
                let earlier = system.channel(before, into);
                if turns.after(earlier) >> rank & 1 == 1 && used & !self.used[earlier] != 0 {
                    self.used[earlier] |= used;
                    self.pending.push(earlier as u32);
                }
            }
        }
    }

    fn add(&mut self, system: &System, turns: &Turns, channel: usize, onto: usize) {
        if self.used[onto] & !self.used[channel] != 0 {
            self.used[channel] |= self.used[onto];
            self.push_back(system, turns, channel);
        }
    }

    /// Can one channel be reached from another?
    fn joins(&mut self, system: &System, turns: &Turns, from: usize, to: usize) -> bool {
        self.search += 1;
        self.pending.clear();
        self.pending.push(from as u32);
        self.seen[from] = self.search;
        while let Some(channel) = self.pending.pop() {
            if channel as usize == to {
                self.pending.clear();
                return true;
            }
            let corner = system.targets()[channel as usize];
            let mut after = turns.after(channel as usize);
            while after != 0 {
                let onto = system.channel(corner, after.trailing_zeros() as usize);
                after &= after - 1;
                if self.seen[onto] != self.search {
                    self.seen[onto] = self.search;
                    self.pending.push(onto as u32);
                }
            }
        }
        false
    }
}
