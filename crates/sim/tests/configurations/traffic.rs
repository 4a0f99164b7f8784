//! Random traffic: patterns, lengths, loads.

use proptest::prelude::*;
use turnwise_network::random::{Purpose, Random};
use turnwise_network::{Injector, Network, PacketRequest, TerminalId};

/// Who sends to whom.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Pattern {
    /// To anybody, the sender included.
    Uniform,
    /// To the terminal so many further on, going round.
    Shift(u32),
    /// Every so-many-th packet to the last terminal, the others to anybody.
    Hotspot(u32),
    /// Only every so-many-th terminal sends, to anybody.
    Few(u32),
}

/// What terminals send.
#[derive(Clone, Debug)]
pub(crate) struct Traffic {
    pub(crate) pattern: Pattern,
    /// Flits per terminal and cycle.
    pub(crate) load: f64,
    /// Length of the longest packets.
    pub(crate) flits: u16,
    /// Are there shorter ones, too?
    pub(crate) varied: bool,
}

impl Traffic {
    pub(super) fn injector(&self, network: &Network, seed: u64) -> OpenLoop {
        OpenLoop {
            traffic: self.clone(),
            terminals: network.terminal_count() as u32,
            seed,
        }
    }
}

/// Traffic among so many terminals, with Bernoulli arrivals.
pub(crate) struct OpenLoop {
    traffic: Traffic,
    terminals: u32,
    seed: u64,
}

impl Injector for OpenLoop {
    fn next(
        &self,
        terminal: TerminalId,
        sequence: u32,
        after: Option<u64>,
    ) -> Option<PacketRequest> {
        let Traffic {
            pattern,
            load,
            flits: longest,
            varied,
        } = self.traffic;
        let mut random = Random::new(self.seed, Purpose::Injection, terminal.0, sequence);
        let u = (f64::from(random.next_u32()) + 0.5) / 2f64.powi(32);
        let flits = match varied {
            true => 1 + random.below(longest.into()) as u16,
            false => longest,
        };
        // The gap before a packet is in proportion to its length on average.
        let p = load / f64::from(flits);
        let gap = match p >= 1.0 {
            true => 1,
            false => (u.ln() / (1.0 - p).ln()).floor() as u64 + 1,
        };
        let anybody = random.below(self.terminals);
        let destination = match pattern {
            Pattern::Uniform => anybody,
            Pattern::Shift(by) => (terminal.0 + by) % self.terminals,
            Pattern::Hotspot(every) if random.below(every) == 0 => self.terminals - 1,
            Pattern::Hotspot(_) => anybody,
            Pattern::Few(every) if terminal.0.is_multiple_of(every) => anybody,
            Pattern::Few(_) => return None,
        };
        Some(PacketRequest {
            created: after.map_or(gap - 1, |after| after + gap),
            destination: TerminalId(destination),
            flits,
        })
    }

    fn longest_packet(&self) -> u16 {
        self.traffic.flits
    }
}

pub(super) fn traffic() -> impl Strategy<Value = Traffic> {
    let pattern = prop_oneof![
        3 => Just(Pattern::Uniform),
        1 => (1u32..20).prop_map(Pattern::Shift),
        1 => (1u32..8).prop_map(Pattern::Hotspot),
        1 => (2u32..4).prop_map(Pattern::Few),
    ];
    let load = prop_oneof![3 => 0.01f64..0.5, 1 => 0.5f64..1.0, 1 => Just(1.0)];
    (pattern, load, 1u16..=6, any::<bool>()).prop_map(|(pattern, load, flits, varied)| Traffic {
        pattern,
        load,
        flits,
        varied,
    })
}
