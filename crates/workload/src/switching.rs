//! Traffic that switches: from given cycles on, packets follow another pattern or another load.
//!
//! Transients are how adaptive routing is compared by its speed: traffic is uniform until a cycle and
//! attacks from then on, and what counts is how soon packets find their detours.
//!
//! A packet belongs to the phase that it is created in. Each phase draws from streams of its own and begins
//! its injection anew, in the steady state of that process: with the random numbers of the phase before, the
//! first gap of the new one would be a long one, because a gap that crosses the switch is. Bernoulli arrivals
//! know no difference between going on and beginning anew; periodic ones begin at another point of their
//! period, and bursts are on or off as chance has it.
//!
//! Source: Jiang, Kim, Dally, "Indirect adaptive routing on large scale interconnection networks", ISCA
//! 2009, which compares algorithms by their response to uniform traffic that becomes adversarial.
//!
//! O(log phases) a packet beside what its phase asks for; the memory of all phases.

use crate::classes::{TrafficClass, open_loop};
use crate::pattern::Pattern;
use crate::process::Injection;
use crate::sizes::PacketFlits;
use turnwise_network::random::mix;
use turnwise_network::{Injector, Invalid, PacketRequest, TerminalId, one_by_one};

/// What terminals send from a cycle on, until the next phase begins.
pub struct TrafficPhase {
    /// Its first cycle: 0 for the first phase, later than the one before for all others.
    pub from: u64,
    /// Where its packets go.
    pub pattern: Box<dyn Pattern>,
    /// How long they are.
    pub packet_flits: PacketFlits,
    /// Offered load in flits per terminal and cycle.
    pub load: f64,
}

/// Sources that go through these phases in turn, for a network with so many terminals.
///
/// # Errors
/// What [`open_loop`] says of a phase; those after the first are called `then[0]`, `then[1]` and so on.
pub fn switching(
    phases: Vec<TrafficPhase>,
    injection: Injection,
    terminals: usize,
    seed: u64,
) -> Result<Box<dyn Injector>, Invalid> {
    let begin = |(number, phase): (usize, TrafficPhase)| {
        let class = TrafficClass {
            pattern: phase.pattern,
            share: 1.0,
            packet_flits: phase.packet_flits,
        };
        let own = match number {
            0 => seed,
            number => mix(mix(seed) ^ number as u64),
        };
        let source = open_loop(vec![class], injection, phase.load, terminals, own);
        let source = source.map_err(|invalid| match number.checked_sub(1) {
            Some(then) => invalid.under(&format!("then[{then}]")),
            None => invalid,
        })?;
        Ok((phase.from, source))
    };
    let phases = phases.into_iter().enumerate().map(begin);
    let phases: Vec<_> = phases.collect::<Result<_, Invalid>>()?;
    Ok(Box::new(Switching { phases }))
}

/// Sources, each with the first cycle in which it creates packets, in ascending order.
struct Switching {
    phases: Vec<(u64, Box<dyn Injector>)>,
}

impl Switching {
    /// The phase that a cycle belongs to.
    fn phase(&self, cycle: u64) -> usize {
        let begun = self.phases.partition_point(|(from, _)| *from <= cycle);
        begun.saturating_sub(1)
    }

    /// The cycle after a phase; `None` for the last one.
    fn end(&self, phase: usize) -> Option<u64> {
        Some(self.phases.get(phase + 1)?.0)
    }

    /// The first packet that a terminal creates in a phase, or in a later one if it creates none there.
    fn first(&self, phase: usize, terminal: TerminalId, sequence: u32) -> Option<PacketRequest> {
        let later = self.phases.iter().enumerate().skip(phase);
        later.into_iter().find_map(|(number, (from, source))| {
            let packet = source.next(terminal, sequence, None)?;
            let created = packet.created.checked_add(*from)?;
            let is_in_time = self.end(number).is_none_or(|end| created < end);
            is_in_time.then_some(PacketRequest { created, ..packet })
        })
    }
}

impl Injector for Switching {
    fn next(
        &self,
        terminal: TerminalId,
        sequence: u32,
        after: Option<u64>,
    ) -> Option<PacketRequest> {
        let Some(last) = after else {
            return self.first(0, terminal, sequence);
        };
        let phase = self.phase(last.checked_add(1)?);
        let (from, source) = &self.phases[phase];
        if last < *from {
            return self.first(phase, terminal, sequence);
        }
        let packet = source.next(terminal, sequence, after);
        let end = self.end(phase);
        packet
            .filter(|packet| end.is_none_or(|end| packet.created < end))
            .or_else(|| self.first(phase + 1, terminal, sequence))
    }

    fn next_few(
        &self,
        terminal: TerminalId,
        sequence: u32,
        after: Option<u64>,
        packets: &mut [PacketRequest],
    ) -> usize {
        // All of one phase, which has begun: what is usual.
        let made = after.map_or(0, |last| {
            let phase = self.phase(last);
            let (_, source) = &self.phases[phase];
            let made = source.next_few(terminal, sequence, after, packets);
            let Some(end) = self.end(phase) else {
                return made;
            };
            packets[..made].partition_point(|packet| packet.created < end)
        });
        let after = packets[..made]
            .last()
            .map_or(after, |last| Some(last.created));
        let sequence = sequence.wrapping_add(made as u32);
        made + one_by_one(self, terminal, sequence, after, &mut packets[made..])
    }

    fn longest_packet(&self) -> u16 {
        let lengths = self
            .phases
            .iter()
            .map(|(_, source)| source.longest_packet());
        lengths.max().unwrap_or(1)
    }

    fn memory_bytes(&self) -> u64 {
        let sources = self.phases.iter();
        sources.map(|(_, source)| source.memory_bytes()).sum()
    }
}
