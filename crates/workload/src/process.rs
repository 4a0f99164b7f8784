//! When a terminal creates packets: every now and then, in bursts, or at equal distances, exactly or on average.
//!
//! All of them are renewal processes: the gap before a packet depends on that packet's own random
//! numbers alone. For bursts this holds because a source that has just created a packet is on.
//!
//! Sources: on/off injection is the two-state Markov-modulated Bernoulli process (Dally and Towles,
//! Principles and Practices of Interconnection Networks, section 24.2.2), cycle by cycle as BookSim2's
//! `on_off`: first the state may change, then a source that is on creates a packet with probability
//! `r1`. With BookSim2's names `burst_beta = 1 / mean_burst`, `burst_r1 = peak_load / packet_flits`, and
//! `burst_alpha` follows from the load. Distances rounded up or down at random are SuperSim's (McDonald et al., ISPASS
//! 2018), whose terminals send nothing in another way.

use crate::chance::Chance;
use crate::injection::ETERNITY;
use crate::wait::Wait;
use schemars::JsonSchema;
use serde::Deserialize;
use serde::de::value::MapAccessDeserializer;
use serde::de::{self, Deserializer, MapAccess, Visitor};
use std::fmt;
use turnwise_config::units;
use turnwise_network::Invalid;
use turnwise_network::random::{Purpose, Random};

/// When packets are created, as written: a name, or a table with the parameters.
#[derive(Clone, Copy, Debug, Default, PartialEq, JsonSchema)]
#[schemars(with = "Written")]
pub enum Injection {
    /// In every cycle with the same probability.
    #[default]
    Bernoulli,
    /// At equal distances, from a random cycle of the first period on.
    Periodic,
    /// At equal distances, each rounded up or down at random, from a random cycle of the first period on.
    Dithered,
    /// In bursts.
    OnOff {
        /// Mean length of a burst, in cycles.
        mean_burst: f64,
        /// Load during a burst, in flits per cycle.
        peak_load: f64,
    },
}

/// The two spellings, for the schema only.
#[derive(JsonSchema)]
#[schemars(untagged)]
#[allow(dead_code)]
enum Written {
    /// `"bernoulli"`: in every cycle with the same probability. `"periodic"`: at equal distances. `"dithered"`: at
    /// distances rounded at random.
    Name(PlainKind),
    /// `{ kind = "on-off", mean_burst = 32 }`: in bursts.
    Table(Table),
}

#[derive(JsonSchema)]
#[schemars(rename_all = "kebab-case")]
#[allow(dead_code)]
enum PlainKind {
    /// In every cycle with the same probability.
    Bernoulli,
    /// At equal distances, from a random cycle of the first period on.
    Periodic,
    /// At equal distances, each rounded up or down at random, from a random cycle of the first period on.
    Dithered,
}

#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
enum Kind {
    /// In every cycle with the same probability.
    Bernoulli,
    /// At equal distances, from a random cycle of the first period on.
    Periodic,
    /// At equal distances, each rounded up or down at random, from a random cycle of the first period on.
    Dithered,
    /// In bursts: a source is on or off, and creates packets only while it is on.
    OnOff,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Table {
    /// Which process.
    kind: Kind,
    /// On/off: mean length of a burst in cycles, at least 1.
    #[schemars(transform = units::time)]
    mean_burst: Option<f64>,
    /// On/off: load during a burst in flits per cycle, 1 if not given.
    #[schemars(transform = units::load)]
    peak_load: Option<f64>,
}

impl<'de> Deserialize<'de> for Injection {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(InjectionVisitor)
    }
}

struct InjectionVisitor;

impl<'de> Visitor<'de> for InjectionVisitor {
    type Value = Injection;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(
            "\"bernoulli\", \"periodic\", \"dithered\" or a table such as { kind = \"on-off\", mean_burst = 32 }",
        )
    }

    fn visit_str<E: de::Error>(self, name: &str) -> Result<Injection, E> {
        match name {
            "bernoulli" => Ok(Injection::Bernoulli),
            "periodic" => Ok(Injection::Periodic),
            "dithered" => Ok(Injection::Dithered),
            "on-off" => Err(E::custom(
                "on/off injection needs the length of its bursts: { kind = \"on-off\", mean_burst = 32 }",
            )),
            other => Err(E::unknown_variant(
                other,
                &["bernoulli", "periodic", "dithered", "on-off"],
            )),
        }
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Injection, A::Error> {
        let table = Table::deserialize(MapAccessDeserializer::new(map))?;
        let (kind, burst, peak) = (table.kind, table.mean_burst, table.peak_load);
        if !matches!(kind, Kind::OnOff) && (burst.is_some() || peak.is_some()) {
            return Err(de::Error::custom(
                "`mean_burst` and `peak_load` are parameters of kind = \"on-off\"",
            ));
        }
        Ok(match kind {
            Kind::Bernoulli => Injection::Bernoulli,
            Kind::Periodic => Injection::Periodic,
            Kind::Dithered => Injection::Dithered,
            Kind::OnOff => Injection::OnOff {
                mean_burst: burst.ok_or_else(|| de::Error::missing_field("mean_burst"))?,
                peak_load: peak.unwrap_or(1.0),
            },
        })
    }
}

impl Injection {
    /// The highest load that sources of this kind can have.
    pub fn highest_load(self) -> f64 {
        match self {
            Self::Bernoulli | Self::Periodic | Self::Dithered => 1.0,
            Self::OnOff { peak_load, .. } => peak_load.min(1.0),
        }
    }

    /// Can this load be sent so, in packets of this mean length?
    ///
    /// # Errors
    /// The parameter that is wrong, or `load`.
    pub fn check(self, load: f64, mean_flits: f64) -> Result<(), Invalid> {
        let Self::OnOff {
            mean_burst,
            peak_load,
        } = self
        else {
            return Ok(());
        };
        const LONGEST: f64 = 1e9;
        if !(1.0..=LONGEST).contains(&mean_burst) {
            let message = format!("expected 1 to {LONGEST} cycles, found {mean_burst}");
            return Err(Invalid::new("injection.mean_burst", message));
        }
        if !(peak_load > 0.0 && peak_load <= mean_flits) {
            let message = format!(
                "expected more than 0 and at most {mean_flits} flits per cycle, a packet in every cycle, found {peak_load}"
            );
            return Err(Invalid::new("injection.peak_load", message));
        }
        // A source may be on without creating anything. If that is the rule, there are no bursts.
        const FEWEST: f64 = 0.1;
        if mean_burst * peak_load < FEWEST * mean_flits {
            let message = format!(
                "a burst of {mean_burst} cycles at a load of {peak_load} has less than {FEWEST} packets on average"
            );
            let help = "make bursts longer, or peak_load higher";
            return Err(Invalid::new("injection.mean_burst", message).with_help(help));
        }
        if load > peak_load {
            let message = format!("a mean load of {load} is more than the peak load {peak_load}");
            let help = "injection.peak_load is the load during a burst";
            return Err(Invalid::new("load", message).with_help(help));
        }
        Ok(())
    }
}

/// How one terminal creates packets.
#[derive(Clone, Debug)]
pub(crate) enum Process {
    Bernoulli(Wait),
    /// Cycles from one packet to the next, in 2^32 parts; `None` if there are no packets.
    Periodic(Option<u128>),
    Dithered(Option<Dithered>),
    OnOff(OnOff),
}

/// Distances between packets that are rounded at random.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Dithered {
    /// Whole cycles from one packet to the next, at least.
    least: u64,
    /// Is it one more?
    longer: Chance,
}

impl Dithered {
    /// So many packets a cycle on average, at most 1; `None` if there are none.
    fn new(rate: f64) -> Option<Self> {
        let period = 1.0 / rate.min(1.0);
        let possible = rate > 0.0 && period < ETERNITY as f64;
        possible.then(|| Self {
            least: period as u64,
            longer: Chance::of(period.fract()),
        })
    }

    /// Cycles that pass before a packet. Before the first they are uniform over a period.
    fn wait(self, rng: &mut Random, first: bool) -> u64 {
        let period = self.least + u64::from(self.longer.occurs(rng));
        match first {
            true => ((u128::from(rng.next_u64()) * u128::from(period)) >> 64) as u64,
            false => period - 1,
        }
    }
}

/// A source that is on or off.
#[derive(Clone, Debug)]
pub(crate) struct OnOff {
    /// While it is on: until it creates a packet or goes off.
    event: Wait,
    /// Which of the two it is: does it go off?
    goes_off: Chance,
    /// While it is off: until it goes on.
    back: Wait,
    /// Does it create a packet in the very cycle in which it goes on?
    at_once: Chance,
    /// Is it on before the first cycle?
    starts_on: Chance,
}

impl Process {
    /// So many packets a cycle on average, and at most `peak` of them during a burst.
    pub(crate) fn new(injection: Injection, rate: f64, mean_flits: f64, table: bool) -> Self {
        match injection {
            Injection::Bernoulli => Self::Bernoulli(Wait::new(rate, table)),
            Injection::Periodic => {
                let period = 4_294_967_296.0 / rate.min(1.0);
                // A period that does not fit is longer than any simulation.
                Self::Periodic((rate > 0.0 && period < 1e24).then(|| period.round() as u128))
            }
            Injection::Dithered => Self::Dithered(Dithered::new(rate)),
            Injection::OnOff {
                mean_burst,
                peak_load,
            } => Self::bursts(rate, peak_load / mean_flits, 1.0 / mean_burst, table),
        }
    }

    /// On/off with mean rate `rate`, `peak` while on, going off with probability `off` in a cycle.
    fn bursts(rate: f64, peak: f64, off: f64, table: bool) -> Self {
        if rate >= peak {
            return Self::Bernoulli(Wait::new(peak, table));
        }
        // On with probability `rate / peak` = on / (on + off). A source is off for a cycle at least: where
        // that is too long, it goes off less often.
        let on = off * rate / (peak - rate);
        let (on, off) = match on <= 1.0 {
            true => (on, off),
            false => (1.0, (peak - rate) / rate),
        };
        let event = off + (1.0 - off) * peak;
        let chance = Chance::of;
        Self::OnOff(OnOff {
            event: Wait::new(event, table),
            goes_off: chance(off / event),
            back: Wait::new(on, table),
            at_once: chance(peak),
            starts_on: chance(rate / peak),
        })
    }

    /// Cycles that pass without a packet before packet number `sequence`.
    pub(crate) fn wait(
        &self,
        rng: &mut Random,
        (seed, terminal, sequence): (u64, u32, u32),
        first: bool,
    ) -> Option<u64> {
        match self {
            Self::Bernoulli(wait) => wait.draw(rng),
            Self::Periodic(period) => {
                let phase = Random::new(seed, Purpose::Phase, terminal, 0).next_u64();
                periodic((*period)?, phase, sequence, first)
            }
            Self::Dithered(distances) => Some((*distances)?.wait(rng, first)),
            Self::OnOff(bursts) => bursts.wait(rng, first),
        }
    }

    /// Bytes beyond those of the value itself.
    pub(crate) fn memory_bytes(&self) -> u64 {
        match self {
            Self::Bernoulli(wait) => wait.memory_bytes(),
            Self::Periodic(_) | Self::Dithered(_) => 0,
            Self::OnOff(bursts) => bursts.event.memory_bytes() + bursts.back.memory_bytes(),
        }
    }
}

/// Packet `n` is created in cycle `floor(phase + n * period)`; the first of all, whatever its number, in
/// the cycle of the phase.
fn periodic(period: u128, phase: u64, sequence: u32, first: bool) -> Option<u64> {
    let phase = ((u128::from(phase) * (period >> 32)) >> 32)
        + ((u128::from(phase) * (period & 0xFFFF_FFFF)) >> 64);
    let (period, phase) = (period as i128, phase as i128);
    let cycle = |number: i128| (phase + number * period) >> 32;
    let number = i128::from(sequence);
    let waited = match first {
        true => cycle(0),
        false => cycle(number) - cycle(number - 1) - 1,
    };
    u64::try_from(waited).ok()
}

impl OnOff {
    fn wait(&self, rng: &mut Random, first: bool) -> Option<u64> {
        let mut on = !first || self.starts_on.occurs(rng);
        let mut waited = 0u64;
        loop {
            let wait = if on { &self.event } else { &self.back };
            waited = waited.checked_add(wait.draw(rng)?)?;
            let creates = match on {
                true => !self.goes_off.occurs(rng),
                false => self.at_once.occurs(rng),
            };
            if creates {
                return Some(waited);
            }
            on = !on;
            waited = waited.checked_add(1)?;
        }
    }
}

#[cfg(test)]
mod tests;
