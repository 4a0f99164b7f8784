//! Open-loop sources: terminals create packets whatever becomes of them.

use crate::injection::InterArrival;
use crate::pattern::Pattern;
use turnwise_network::random::{Purpose, Random};
use turnwise_network::{Injector, Invalid, PacketRequest, TerminalId};

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
        })
    }
}

impl OpenLoop {
    /// The packet whose stream this is.
    #[inline]
    fn packet(
        &self,
        terminal: TerminalId,
        after: Option<u64>,
        dice: &mut Random,
    ) -> Option<PacketRequest> {
        // The destination is drawn first, so that it does not depend on the load.
        let destination = self.pattern.destination(terminal, dice)?;
        let gap = self.arrivals.draw(dice)?;
        let created = match after {
            Some(last) => last.checked_add(gap)?,
            // The cycle before the first is -1, so that cycle 0 can carry a packet.
            None => gap - 1,
        };
        Some(PacketRequest {
            created,
            destination,
            flits: self.packet_flits,
        })
    }
}

impl Injector for OpenLoop {
    fn next(
        &self,
        terminal: TerminalId,
        sequence: u32,
        after: Option<u64>,
    ) -> Option<PacketRequest> {
        let mut dice = Random::new(self.seed, Purpose::Injection, terminal.0, sequence);
        self.packet(terminal, after, &mut dice)
    }

    fn next_few(
        &self,
        terminal: TerminalId,
        sequence: u32,
        mut after: Option<u64>,
        packets: &mut [PacketRequest],
    ) -> usize {
        for (chunk, few) in packets.chunks_mut(8).enumerate() {
            let first = sequence.wrapping_add(8 * chunk as u32);
            let mut dice: [Random; 8] =
                Random::several(self.seed, Purpose::Injection, terminal.0, first);
            for (index, (packet, dice)) in few.iter_mut().zip(&mut dice).enumerate() {
                let Some(next) = self.packet(terminal, after, dice) else {
                    return 8 * chunk + index;
                };
                after = Some(next.created);
                *packet = next;
            }
        }
        packets.len()
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
    fn several_at_once_are_the_same_packets() {
        let source = source(0.3, 4);
        for many in [1, 3, 8, 20] {
            let mut few = vec![PacketRequest::default(); many];
            assert_eq!(source.next_few(TerminalId(2), 0, None, &mut few), many);
            let mut alone = packets(&source, 2, 1_000);
            alone.truncate(many);
            assert_eq!(few, alone);
        }
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
