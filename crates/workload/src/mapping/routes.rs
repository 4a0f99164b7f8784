//! Which channels the packets of a pair use, and how often: a routing asked for everything it may do.
//!
//! Where a packet has several ways on, each is as likely, as where the quality of routings is measured; a routing that adapts
//! does better. Of very many ways, as those by any intermediate router, a few are drawn.
//!
//! Complexity: O(states of a pair), kept until there are too many.

use rustc_hash::FxHashMap;
use std::ops::Range;
use turnwise_network::random::{Purpose, Random};
use turnwise_network::{Header, Hop, Network, RouterId, Routing, Start, TerminalId};

/// Channels of pairs.
pub(crate) struct Routes<'a> {
    network: &'a Network,
    routing: &'a dyn Routing,
    known: FxHashMap<(u32, u32), Range<usize>>,
    /// Channels between routers, and the share of the packets that takes them.
    steps: Vec<(u32, f64)>,
    wave: Vec<(RouterId, Header, f64)>,
    next: Vec<(RouterId, Header, f64)>,
    options: Vec<Hop>,
    starts: Vec<Start>,
}

/// No more ways than this are followed at once from one state.
const MOST_WAYS: usize = 16;
/// Packets that are under way for longer are not followed.
const MOST_HOPS: usize = 1 << 12;
/// Nor are shares that are smaller.
const LEAST_SHARE: f64 = 1e-6;
/// More steps are not kept.
const MOST_STEPS: usize = 1 << 24;

impl<'a> Routes<'a> {
    pub(crate) fn new(network: &'a Network, routing: &'a dyn Routing) -> Self {
        Self {
            network,
            routing,
            known: FxHashMap::default(),
            steps: Vec::new(),
            wave: Vec::new(),
            next: Vec::new(),
            options: Vec::new(),
            starts: Vec::new(),
        }
    }

    pub(crate) fn network(&self) -> &'a Network {
        self.network
    }

    /// The channels that packets of a pair take, with the share that does. What gets lost takes the one that is
    /// [nowhere](Self::nowhere).
    pub(crate) fn of(&mut self, from: TerminalId, to: TerminalId) -> &[(u32, f64)] {
        let key = match self.routing.distinguishes_terminals() {
            true => (from.0, to.0),
            // Terminals of a router are alike.
            false => (self.network.router_of(from).0, self.network.router_of(to).0),
        };
        if !self.known.contains_key(&key) {
            if self.steps.len() > MOST_STEPS {
                self.known.clear();
                self.steps.clear();
            }
            let first = self.steps.len();
            self.walk(from, to);
            self.known.insert(key, first..self.steps.len());
        }
        &self.steps[self.known[&key].clone()]
    }

    /// The number of a channel that no network has.
    pub(crate) fn nowhere(&self) -> u32 {
        self.network.channel_count() as u32
    }

    fn walk(&mut self, from: TerminalId, to: TerminalId) {
        let first = self.steps.len();
        if self.network.router_of(from) == self.network.router_of(to) {
            return;
        }
        let mut rng = Random::new(0, Purpose::Placement, from.0, to.0);
        self.starts.clear();
        self.routing.starts(from, to, 0, &mut self.starts);
        keep_few(&mut self.starts, &mut rng);
        let share = 1.0 / self.starts.len() as f64;
        let router = self.network.router_of(from);
        let starts = self.starts.iter();
        self.wave.clear();
        self.wave
            .extend(starts.map(|start| (router, start.header, share)));
        let mut lost = if self.starts.is_empty() { 1.0 } else { 0.0 };
        for _ in 0..MOST_HOPS {
            if self.wave.is_empty() {
                break;
            }
            lost += self.hop(&mut rng);
        }
        if lost > LEAST_SHARE {
            self.steps.push((self.nowhere(), lost));
        }
        merge(&mut self.steps, first);
    }

    /// Packets go on by one hop; the share that finds no way on.
    fn hop(&mut self, rng: &mut Random) -> f64 {
        let (mut wave, mut lost) = (std::mem::take(&mut self.wave), 0.0);
        self.next.clear();
        for (router, header, share) in wave.drain(..) {
            self.options.clear();
            self.routing.options(router, header, &mut self.options);
            keep_few(&mut self.options, rng);
            if self.options.is_empty() {
                lost += share;
                continue;
            }
            let each = share / self.options.len() as f64;
            for hop in &self.options {
                let channel = self.network.out_channel(router, hop.port);
                let next = channel.and_then(|id| self.network.channel(id).to_router());
                if let (Some(channel), Some(next)) = (channel, next) {
                    self.steps.push((channel.0, each));
                    if each > LEAST_SHARE {
                        self.next.push((next, hop.header, each));
                    }
                }
            }
        }
        self.next
            .sort_unstable_by_key(|&(router, header, _)| (router, header));
        self.next.dedup_by(|later, earlier| {
            let is_same = (later.0, later.1) == (earlier.0, earlier.1);
            if is_same {
                earlier.2 += later.2;
            }
            is_same
        });
        std::mem::swap(&mut wave, &mut self.next);
        self.wave = wave;
        lost
    }
}

/// Leaves some of very many.
fn keep_few<T>(all: &mut Vec<T>, rng: &mut Random) {
    if all.len() > MOST_WAYS {
        rng.shuffle(all);
        all.truncate(MOST_WAYS);
    }
}

/// Adds up what is behind `first` by channel.
fn merge(steps: &mut Vec<(u32, f64)>, first: usize) {
    steps[first..]
        .sort_unstable_by(|one, other| one.0.cmp(&other.0).then(one.1.total_cmp(&other.1)));
    let mut kept = first;
    for at in first..steps.len() {
        let (channel, share) = steps[at];
        match steps[first..kept].last_mut() {
            Some(last) if last.0 == channel => last.1 += share,
            _ => {
                steps[kept] = (channel, share);
                kept += 1;
            }
        }
    }
    steps.truncate(kept);
}
