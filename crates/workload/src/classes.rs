//! Open-loop sources in general: several classes of traffic, packets of several lengths, bursts,
//! terminals that send more than others.
//!
//! Every terminal has one process that creates packets. Each packet then belongs to a class with the
//! probability that follows from the loads, so that with Bernoulli injection this is the same as
//! independent Bernoulli sources for the classes (of which at most one creates a packet in a cycle).
//!
//! O(classes) a packet and a few random numbers; O(terminals x classes) memory at most, less where
//! terminals are alike.

use crate::injection::InterArrival;
use crate::open_loop::OpenLoop;
use crate::pattern::Pattern;
use crate::process::{Injection, Process};
use crate::sizes::{PacketFlits, Sizes, check_sum, part};
use std::collections::BTreeMap;
use turnwise_network::random::{Purpose, Random};
use turnwise_network::{Injector, Invalid, PacketRequest, TerminalId};

/// One class of traffic.
pub struct TrafficClass {
    /// Where its packets go.
    pub pattern: Box<dyn Pattern>,
    /// Its share of the load, in flits.
    pub share: f64,
    /// How long its packets are.
    pub packet_flits: PacketFlits,
}

/// Sources that offer `load` flits per terminal and cycle in these classes, for a network with so
/// many terminals.
///
/// # Errors
/// Fields of a study's `[traffic]` that make no sense: `load`, `packet_flits`, `injection`, `classes`.
pub fn open_loop(
    mut classes: Vec<TrafficClass>,
    injection: Injection,
    load: f64,
    terminals: usize,
    seed: u64,
) -> Result<Box<dyn Injector>, Invalid> {
    let several = classes.len() > 1;
    for (index, class) in classes.iter().enumerate() {
        class.packet_flits.check().map_err(|error| match several {
            true => error.under(&format!("classes[{index}]")),
            false => error,
        })?;
    }
    check_sum("classes", classes.iter().map(|class| class.share).sum())?;
    // One class of packets of one length, Bernoulli, all terminals alike: made for speed.
    if injection == Injection::Bernoulli
        && let [only] = &mut classes[..]
        && let PacketFlits::Fixed(flits) = only.packet_flits
        && are_alike(&*only.pattern, terminals)
    {
        let class = classes.remove(0);
        return Ok(Box::new(OpenLoop::new(class.pattern, load, flits, seed)?));
    }
    Ok(Box::new(Classes::new(
        classes, injection, load, terminals, seed,
    )?))
}

/// Do all terminals that send anything send as much?
fn are_alike(pattern: &dyn Pattern, terminals: usize) -> bool {
    (0..terminals as u32).all(|terminal| pattern.share(TerminalId(terminal)) == 1.0)
}

/// Classes of traffic, see the [module](self).
struct Classes {
    classes: Vec<(Box<dyn Pattern>, Sizes)>,
    /// What terminals do; those alike share a place.
    profiles: Vec<Profile>,
    /// By terminal: its profile, [`SILENT`] if it sends nothing.
    profile_of: Vec<u32>,
    /// Of all classes, in flits.
    longest_packet: u16,
    seed: u64,
}

/// The profile of terminals that send nothing.
const SILENT: u32 = u32::MAX;

/// When terminals create packets, and of which classes.
struct Profile {
    process: Process,
    /// Upper ends of the classes' ranges in 64 random bits; the last one takes the rest.
    ends: Vec<u64>,
}

impl Classes {
    fn new(
        classes: Vec<TrafficClass>,
        injection: Injection,
        load: f64,
        terminals: usize,
        seed: u64,
    ) -> Result<Self, Invalid> {
        // For what it says about loads.
        InterArrival::new(load, 1)?;
        let means = classes.iter().map(|class| class.packet_flits.mean());
        injection.check(load, means.clone().fold(f64::INFINITY, f64::min))?;
        injection.check(load, means.fold(1.0, f64::max))?;
        let mut numbers: BTreeMap<Vec<u64>, u32> = BTreeMap::new();
        let profile_of = (0..terminals as u32).map(|terminal| {
            let rates = packet_rates(&classes, TerminalId(terminal), seed);
            if rates.iter().all(|&rate| rate == 0.0) {
                return SILENT;
            }
            let next = numbers.len() as u32;
            let key = rates.iter().map(|rate| rate.to_bits()).collect();
            *numbers.entry(key).or_insert(next)
        });
        let profile_of: Vec<u32> = profile_of.collect();
        // Tables for more would not fit into the caches of a core.
        const MOST_TABLES: usize = 64;
        let tables = numbers.len() <= MOST_TABLES;
        let mut distinct: Vec<(Vec<u64>, u32)> = numbers.into_iter().collect();
        distinct.sort_unstable_by_key(|&(_, number)| number);
        let profiles = distinct.into_iter().map(|(key, _)| {
            let rates: Vec<f64> = key.into_iter().map(f64::from_bits).collect();
            Profile::new(&rates, &classes, injection, load, tables)
        });
        let profiles = profiles.collect();
        let lengths = classes.iter().map(|class| class.packet_flits.longest());
        let longest_packet = lengths.max().unwrap_or(1);
        let classes = classes
            .into_iter()
            .map(|class| (class.pattern, Sizes::new(&class.packet_flits)));
        Ok(Self {
            classes: classes.collect(),
            profiles,
            profile_of,
            longest_packet,
            seed,
        })
    }

    fn profile(&self, terminal: TerminalId) -> Option<&Profile> {
        let number = *self.profile_of.get(terminal.index())?;
        self.profiles.get(number as usize)
    }

    fn stream(&self, terminal: TerminalId, sequence: u32) -> Random {
        Random::new(self.seed, Purpose::Injection, terminal.0, sequence)
    }
}

/// Packets per cycle of each class that a terminal creates, per flit of load.
fn packet_rates(classes: &[TrafficClass], terminal: TerminalId, seed: u64) -> Vec<f64> {
    let rate = |class: &TrafficClass| {
        let mut rng = Random::new(seed, Purpose::Other, terminal.0, 0);
        match class.pattern.destination(terminal, &mut rng) {
            Some(_) => class.share * class.pattern.share(terminal) / class.packet_flits.mean(),
            None => 0.0,
        }
    };
    classes.iter().map(rate).collect()
}

impl Profile {
    fn new(
        rates: &[f64],
        classes: &[TrafficClass],
        injection: Injection,
        load: f64,
        table: bool,
    ) -> Self {
        let total: f64 = rates.iter().sum();
        let flits = rates
            .iter()
            .zip(classes)
            .map(|(rate, class)| rate * class.packet_flits.mean());
        let mean_flits = flits.sum::<f64>() / total;
        let mut sum = 0.0;
        let ends = rates.iter().map(|rate| {
            sum += rate;
            part(sum / total)
        });
        let mut ends: Vec<u64> = ends.collect();
        // Behind the last class that this terminal has, there is nothing left to draw.
        ends.truncate(rates.iter().rposition(|&rate| rate > 0.0).unwrap_or(0));
        Self {
            process: Process::new(injection, load * total, mean_flits, table),
            ends,
        }
    }

    /// The class of the packet that a stream begins; draws only where there are several.
    fn class(&self, classes: usize, rng: &mut Random) -> usize {
        if classes == 1 {
            return 0;
        }
        let bits = rng.next_u64();
        let found = self.ends.iter().position(|&end| bits < end);
        found.unwrap_or(self.ends.len())
    }
}

impl Injector for Classes {
    fn next(
        &self,
        terminal: TerminalId,
        sequence: u32,
        after: Option<u64>,
    ) -> Option<PacketRequest> {
        let profile = self.profile(terminal)?;
        let mut rng = self.stream(terminal, sequence);
        let (pattern, sizes) = &self.classes[profile.class(self.classes.len(), &mut rng)];
        // Destination and length come first, so that they do not depend on the load.
        let destination = pattern.destination(terminal, &mut rng)?;
        let flits = sizes.draw(&mut rng);
        let name = (self.seed, terminal.0, sequence);
        let wait = profile.process.wait(&mut rng, name, after.is_none())?;
        let created = match after {
            Some(last) => last.checked_add(1)?.checked_add(wait)?,
            None => wait,
        };
        Some(PacketRequest {
            created,
            destination,
            flits,
        })
    }

    fn longest_packet(&self) -> u16 {
        self.longest_packet
    }

    fn class_count(&self) -> usize {
        self.classes.len()
    }

    fn class(&self, terminal: TerminalId, sequence: u32) -> usize {
        let mut rng = self.stream(terminal, sequence);
        self.profile(terminal)
            .map_or(0, |profile| profile.class(self.classes.len(), &mut rng))
    }

    fn memory_bytes(&self) -> u64 {
        let patterns = self
            .classes
            .iter()
            .map(|(pattern, _)| pattern.memory_bytes());
        let profiles = self.profiles.iter().map(|profile| {
            let ends = profile.ends.len() * size_of::<u64>();
            profile.process.memory_bytes() + (size_of::<Profile>() + ends) as u64
        });
        patterns.chain(profiles).sum::<u64>() + 4 * self.profile_of.len() as u64
    }
}

#[cfg(test)]
mod tests;
