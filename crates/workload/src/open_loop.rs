//! Open-loop sources: terminals create packets whether or not earlier ones have arrived.

use crate::choice::Choice;
use crate::injection::InterArrival;
use crate::pattern::Pattern;
use turnwise_network::random::{Purpose, Random, StreamKey, Streams};
use turnwise_network::{Injector, Invalid, PacketRequest, TerminalId, one_by_one};

/// Bernoulli arrivals of packets of one length, each of which goes where a pattern says.
///
/// Packet number `n` of a terminal is drawn from streams of its own, so two algorithms, or
/// two loads, are compared on the same destinations.
///
/// ```
/// use turnwise_network::topologies::{Topology, Torus};
/// use turnwise_network::{Injector, TerminalId};
/// use turnwise_workload::patterns::Uniform;
/// use turnwise_workload::{Context, OpenLoop, PatternParameters};
///
/// let torus = Torus::default().build(None)?;
/// let pattern = Uniform::default().build(&torus, &Context::default())?;
/// let source = OpenLoop::new(pattern, 0.1, 1, 42)?;
/// let first = source.next(TerminalId(3), 0, None).expect("uniform traffic never ends");
/// let second = source.next(TerminalId(3), 1, Some(first.created)).expect("uniform traffic never ends");
/// assert!(second.created > first.created);
/// assert_ne!(second.destination, TerminalId(3));
/// # Ok::<(), turnwise_network::Invalid>(())
/// ```
pub struct OpenLoop {
    pattern: Box<dyn Pattern>,
    arrivals: InterArrival,
    packet_flits: u16,
    seed: u64,
    key: StreamKey<FEW>,
}

impl OpenLoop {
    /// Sources that offer `load` flits per terminal and cycle in packets of `packet_flits` flits.
    ///
    /// # Errors
    /// An impossible load or packet length, see [`InterArrival::new`].
    pub fn new(
        pattern: Box<dyn Pattern>,
        load: f64,
        packet_flits: u16,
        seed: u64,
    ) -> Result<Self, Invalid> {
        let arrivals = InterArrival::new(load, packet_flits)?;
        Ok(Self {
            pattern,
            arrivals,
            packet_flits,
            seed,
            key: StreamKey::new(seed),
        })
    }
}

/// Packets that are made together, as many as a simulator asks for at once.
const FEW: usize = 8;

/// Before this cycle the creation times of a few more packets fit into 64 bits.
const EARLY: u64 = u64::MAX / 2;

impl OpenLoop {
    /// Where a packet goes, and how many cycles pass before it without another.
    fn draw(&self, terminal: TerminalId, rng: &mut Random) -> Option<(TerminalId, u64)> {
        // The destination is drawn first, so that it does not depend on the load.
        let destination = self.pattern.destination(terminal, rng)?;
        Some((destination, self.arrivals.wait(rng)?))
    }

    /// A few packets, the first in cycle `from` or later; how many there are.
    #[inline(always)]
    fn together(
        &self,
        terminal: TerminalId,
        sequence: u32,
        from: u64,
        packets: &mut [PacketRequest; FEW],
    ) -> usize {
        let choice = self.pattern.choice(terminal);
        let streams = Streams::new(&self.key, Purpose::Injection, terminal.0, sequence);
        let wait = |index: usize, bits: &[u64; FEW], drawn| {
            let stream = || streams.stream(index, drawn);
            self.arrivals.wait_of(bits[index], stream)
        };
        // Destinations and times in turn: two short loops are faster than a long one.
        match choice {
            Some(Choice::Nobody) => 0,
            Some(Choice::Always(destination)) => {
                for packet in packets.iter_mut() {
                    packet.destination = destination;
                }
                self.create(packets, from, |index, _| wait(index, &streams.first, 0))
            }
            Some(Choice::Any(lot)) => {
                for (packet, &bits) in packets.iter_mut().zip(&streams.first) {
                    packet.destination = lot.pick(bits);
                }
                self.create(packets, from, |index, _| wait(index, &streams.second, 1))
            }
            None => self.create(packets, from, |index, destination| {
                let (drawn, wait) = self.draw(terminal, &mut streams.stream(index, 0))?;
                *destination = drawn;
                Some(wait)
            }),
        }
    }

    /// Fills in when packets are created; how many there are before `wait` gives none.
    #[inline(always)]
    fn create(
        &self,
        packets: &mut [PacketRequest; FEW],
        mut from: u64,
        mut wait: impl FnMut(usize, &mut TerminalId) -> Option<u64>,
    ) -> usize {
        for (index, packet) in packets.iter_mut().enumerate() {
            let Some(wait) = wait(index, &mut packet.destination) else {
                return index;
            };
            packet.created = from + wait;
            packet.flits = self.packet_flits;
            from = packet.created + 1;
        }
        FEW
    }
}

impl Injector for OpenLoop {
    fn next(
        &self,
        terminal: TerminalId,
        sequence: u32,
        after: Option<u64>,
    ) -> Option<PacketRequest> {
        let mut rng = Random::new(self.seed, Purpose::Injection, terminal.0, sequence);
        let (destination, wait) = self.draw(terminal, &mut rng)?;
        let created = match after {
            Some(last) => last.checked_add(1)?.checked_add(wait)?,
            None => wait,
        };
        Some(PacketRequest {
            created,
            destination,
            flits: self.packet_flits,
        })
    }

    fn next_few(
        &self,
        terminal: TerminalId,
        sequence: u32,
        mut after: Option<u64>,
        packets: &mut [PacketRequest],
    ) -> usize {
        let (whole, rest) = packets.as_chunks_mut::<FEW>();
        let (mut count, mut number) = (0, sequence);
        for few in whole {
            let from = after.map_or(0, |last| last.saturating_add(1));
            let made = if from < EARLY {
                self.together(terminal, number, from, few)
            } else {
                one_by_one(self, terminal, number, after, few)
            };
            count += made;
            if made < FEW {
                return count;
            }
            after = Some(few[FEW - 1].created);
            number = number.wrapping_add(FEW as u32);
        }
        if rest.is_empty() {
            return count;
        }
        count + one_by_one(self, terminal, number, after, rest)
    }

    fn longest_packet(&self) -> u16 {
        self.packet_flits
    }

    fn memory_bytes(&self) -> u64 {
        self.pattern.memory_bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pattern::{Context, PatternParameters};
    use crate::patterns::Uniform;
    use turnwise_network::topologies::{Topology, Torus};

    fn source(load: f64, seed: u64) -> OpenLoop {
        let torus = Torus::default().build(None).unwrap();
        let pattern = Uniform::default()
            .build(&torus, &Context::default())
            .unwrap();
        OpenLoop::new(pattern, load, 2, seed).unwrap()
    }

    fn packets(source: &OpenLoop, terminal: u32, until: u64) -> Vec<PacketRequest> {
        let mut packets: Vec<PacketRequest> = Vec::new();
        while let Some(packet) = source.next(
            TerminalId(terminal),
            packets.len() as u32,
            packets.last().map(|last| last.created),
        ) {
            if packet.created >= until {
                break;
            }
            packets.push(packet);
        }
        packets
    }

    #[test]
    fn the_offered_load_is_the_one_asked_for() {
        let source = source(0.4, 1);
        let flits: usize = (0..16)
            .map(|terminal| 2 * packets(&source, terminal, 20_000).len())
            .sum();
        let load = flits as f64 / (16.0 * 20_000.0);
        assert!((0.39..0.41).contains(&load), "{load}");
    }

    #[test]
    fn packets_come_one_a_cycle_at_most_and_in_cycle_zero_too() {
        let saturated = packets(&source(2.0, 1), 3, 10);
        assert_eq!(
            saturated
                .iter()
                .map(|packet| packet.created)
                .collect::<Vec<_>>(),
            (0..10).collect::<Vec<_>>()
        );
        let half = source(1.0, 5);
        let early = (0..16)
            .filter(|&terminal| packets(&half, terminal, 1).len() == 1)
            .count();
        assert!(
            (2..15).contains(&early),
            "{early} of 16 terminals send in cycle 0"
        );
    }

    #[test]
    fn a_seed_fixes_everything() {
        let draw = |seed| packets(&source(0.4, seed), 7, 1000);
        assert_eq!(draw(1), draw(1));
        assert_ne!(draw(1), draw(2));
    }

    #[test]
    fn nothing_is_sent_without_load_or_destination() {
        assert_eq!(source(0.0, 1).next(TerminalId(0), 0, None), None);
        let lonely = Torus {
            sizes: vec![1],
            ..Torus::default()
        }
        .build(None)
        .unwrap();
        let pattern = Uniform::default()
            .build(&lonely, &Context::default())
            .unwrap();
        let source = OpenLoop::new(pattern, 0.5, 1, 1).unwrap();
        assert_eq!(source.next(TerminalId(0), 0, None), None);
    }
}
