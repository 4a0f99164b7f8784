//! Who sends what, when.

use turnwise_network::random::{Purpose, Random};
use turnwise_network::{Injector, PacketRequest, TerminalId};

/// Uniform traffic, the source included, with Bernoulli arrivals.
pub(crate) struct Uniform {
    pub(crate) terminals: u32,
    pub(crate) load: f64,
    pub(crate) flits: u16,
    pub(crate) seed: u64,
}

impl Injector for Uniform {
    fn next(
        &self,
        terminal: TerminalId,
        sequence: u32,
        after: Option<u64>,
    ) -> Option<PacketRequest> {
        if self.load <= 0.0 {
            return None;
        }
        let mut random = Random::new(self.seed, Purpose::Injection, terminal.0, sequence);
        let p = self.load / f64::from(self.flits);
        let u = (random.next_u32() as f64 + 0.5) / 2f64.powi(32);
        let gap = if p >= 1.0 {
            1
        } else {
            (u.ln() / (1.0 - p).ln()).floor() as u64 + 1
        };
        let created = after.map_or(gap - 1, |after| after + gap);
        let destination = TerminalId(random.below(self.terminals));
        Some(PacketRequest {
            created,
            destination,
            flits: self.flits,
        })
    }

    fn longest_packet(&self) -> u16 {
        self.flits
    }
}

/// Terminals that always have a packet to send, each to a random destination, the source included.
pub(crate) struct Greedy {
    pub(crate) terminals: u32,
    pub(crate) length: Length,
    pub(crate) seed: u64,
}

/// How long packets are, in flits.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Length {
    Fixed(u16),
    /// Geometrically distributed with this mean: after every flit, a random number says whether it is the last.
    Geometric(f64),
}

impl Injector for Greedy {
    fn next(
        &self,
        terminal: TerminalId,
        sequence: u32,
        after: Option<u64>,
    ) -> Option<PacketRequest> {
        let mut random = Random::new(self.seed, Purpose::Injection, terminal.0, sequence);
        let destination = TerminalId(random.below(self.terminals));
        let flits = match self.length {
            Length::Fixed(flits) => flits,
            Length::Geometric(mean) => {
                let u = (f64::from(random.next_u32()) + 0.5) / 2f64.powi(32);
                ((u.ln() / (1.0 - 1.0 / mean).ln()).floor() + 1.0).min(f64::from(u16::MAX)) as u16
            }
        };
        Some(PacketRequest {
            created: after.map_or(0, |after| after + 1),
            destination,
            flits,
        })
    }

    fn longest_packet(&self) -> u16 {
        match self.length {
            Length::Fixed(flits) => flits,
            Length::Geometric(_) => u16::MAX,
        }
    }
}

/// Some terminals send as fast as they can to one destination each; the others are silent.
pub(crate) struct Senders {
    /// (source, destination)
    pub(crate) pairs: Vec<(u32, u32)>,
    pub(crate) flits: u16,
}

impl Injector for Senders {
    fn next(&self, terminal: TerminalId, _: u32, after: Option<u64>) -> Option<PacketRequest> {
        let &(_, to) = self.pairs.iter().find(|pair| pair.0 == terminal.0)?;
        let created = after.map_or(0, |after| after + 1);
        Some(PacketRequest {
            created,
            destination: TerminalId(to),
            flits: self.flits,
        })
    }

    fn longest_packet(&self) -> u16 {
        self.flits
    }
}

/// One packet of a list.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Packet {
    pub(crate) source: u32,
    pub(crate) created: u64,
    pub(crate) destination: u32,
    pub(crate) flits: u16,
}

/// Exactly these packets; those of one source in the order of their creation.
pub(crate) struct Listed(pub(crate) Vec<Packet>);

impl Injector for Listed {
    fn next(&self, terminal: TerminalId, sequence: u32, _: Option<u64>) -> Option<PacketRequest> {
        let mut own = self.0.iter().filter(|packet| packet.source == terminal.0);
        let &Packet {
            created,
            destination,
            flits,
            ..
        } = own.nth(sequence as usize)?;
        Some(PacketRequest {
            created,
            destination: TerminalId(destination),
            flits,
        })
    }

    fn longest_packet(&self) -> u16 {
        let lengths = self.0.iter().map(|packet| packet.flits);
        lengths.max().unwrap_or(1)
    }
}
