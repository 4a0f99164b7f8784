//! `channel_interval`: channels that are slower than a flit a cycle, per class of channel.
//!
//! A flit occupies its channel for so many cycles, and the next one follows after them. Its own way takes no
//! longer: latency is that of the first bit, and routers pass flits on whole.

use crate::ids::TerminalId;
use crate::network::Network;
use crate::per_class::PerClass;
use schemars::JsonSchema;
use serde::Deserialize;
use serde::de::value::MapAccessDeserializer;
use serde::de::{self, Deserializer, MapAccess, Visitor};
use std::borrow::Cow;
use std::fmt;
use turnwise_config::diagnostic::Invalid;
use turnwise_config::units::{self, Cycles};

/// No channel is slower than a flit in so many cycles.
pub const LONGEST_INTERVAL: u32 = 1_000;

/// Cycles that a flit occupies channels for, as far as somebody says.
///
/// In a study, one number for all router-to-router channels (`4` or `"4 cycles"`), or a table by class. What is
/// not said stays as the topology has it: one cycle, or what a file says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ChannelInterval(pub PerClass<Option<Cycles>>);

impl ChannelInterval {
    /// Does it say nothing?
    pub fn is_empty(&self) -> bool {
        self.0.each().iter().all(|interval| interval.is_none())
    }
}

impl Network {
    /// The same network with these intervals. O(channels).
    ///
    /// # Errors
    /// An interval above [`LONGEST_INTERVAL`].
    pub fn with_intervals(mut self, intervals: &ChannelInterval) -> Result<Self, Invalid> {
        let named = PerClass::<()>::NAMES.into_iter().zip(intervals.0.each());
        for (class, interval) in named {
            if let Some(Cycles(cycles)) = *interval
                && cycles > LONGEST_INTERVAL
            {
                let message = format!("expected 1 to {LONGEST_INTERVAL} cycles, found {cycles}");
                return Err(Invalid::new(format!("channel_interval.{class}"), message));
            }
        }
        for channel in &mut self.channels {
            if let Some(Cycles(cycles)) = *intervals.0.of(channel.class) {
                channel.interval = cycles;
            }
        }
        Ok(self)
    }
}

impl Network {
    /// Gives the channels of each terminal an interval of their own. O(terminals).
    ///
    /// # Errors
    /// Not as many as there are terminals, or one that is 0 or above [`LONGEST_INTERVAL`].
    pub(crate) fn slow_terminals(&mut self, intervals: &[u32]) -> Result<(), Invalid> {
        let invalid = |message| Err(Invalid::new("terminal_intervals", message));
        if intervals.len() != self.terminal_count() {
            let (terminals, found) = (self.terminal_count(), intervals.len());
            return invalid(format!(
                "expected {terminals} of them, one for each terminal, found {found}"
            ));
        }
        for (terminal, &cycles) in (0..).map(TerminalId).zip(intervals) {
            if !(1..=LONGEST_INTERVAL).contains(&cycles) {
                return invalid(format!(
                    "expected 1 to {LONGEST_INTERVAL} cycles, found {cycles}"
                ));
            }
            for channel in [
                self.injection_channel(terminal),
                self.ejection_channel(terminal),
            ] {
                self.channels[channel.index()].interval = cycles;
            }
        }
        Ok(())
    }

    /// Are all channels between routers as fast? O(channels).
    pub fn has_one_speed(&self) -> bool {
        let mut intervals = self.channels().map(|(_, channel)| channel.interval);
        let first = intervals.next();
        intervals.all(|interval| Some(interval) == first)
    }

    /// By channel between routers, for how long a flit occupies it, in the longest time that all of these are multiples of: 1 where all
    /// are as fast. O(channels).
    pub fn paces(&self) -> Vec<u32> {
        let intervals = || self.channels().map(|(_, channel)| channel.interval);
        let common = |mut a: u32, mut b: u32| {
            while b > 0 {
                (a, b) = (b, a % b);
            }
            a
        };
        let unit = intervals().fold(0, common);
        intervals().map(|interval| interval / unit).collect()
    }

    /// By terminal, for how many cycles a flit occupies its channels, if they are not all alike; else nothing. O(terminals).
    pub(crate) fn unlike_terminals(&self) -> Option<Vec<u32>> {
        let interval = |terminal| self.channel(self.injection_channel(terminal)).interval;
        let intervals: Vec<u32> = self.terminals().map(interval).collect();
        let first = intervals.first().copied();
        intervals
            .iter()
            .any(|&cycles| Some(cycles) != first)
            .then_some(intervals)
    }
}

/// How many cycles a flit occupies channels for: between routers, or by class; 1 if not given.
// The two spellings, for the schema only.
#[derive(JsonSchema)]
#[schemars(untagged)]
#[allow(dead_code)]
enum ChannelIntervalText {
    /// All router-to-router channels.
    All(IntervalText),
    /// By class.
    ByClass(PerClass<Option<IntervalText>>),
}

#[derive(JsonSchema)]
#[allow(dead_code)]
struct IntervalText(
    #[schemars(range(min = 1, max = LONGEST_INTERVAL), transform = units::cycles)] u32,
);

impl JsonSchema for ChannelInterval {
    fn schema_name() -> Cow<'static, str> {
        "ChannelInterval".into()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        ChannelIntervalText::json_schema(generator)
    }
}

impl<'de> Deserialize<'de> for ChannelInterval {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ChannelIntervalVisitor)
    }
}

struct ChannelIntervalVisitor;

impl<'de> Visitor<'de> for ChannelIntervalVisitor {
    type Value = ChannelInterval;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(
            "cycles such as 4 or \"4 cycles\", or a table with `terminal`, `local`, `global`",
        )
    }

    fn visit_i64<E: de::Error>(self, value: i64) -> Result<ChannelInterval, E> {
        self.visit_str(&value.to_string())
    }

    fn visit_u64<E: de::Error>(self, value: u64) -> Result<ChannelInterval, E> {
        self.visit_str(&value.to_string())
    }

    fn visit_f64<E: de::Error>(self, value: f64) -> Result<ChannelInterval, E> {
        self.visit_str(&value.to_string())
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<ChannelInterval, E> {
        let cycles = text.parse().map_err(E::custom)?;
        Ok(ChannelInterval(PerClass {
            terminal: None,
            local: Some(cycles),
            global: Some(cycles),
        }))
    }

    fn visit_map<M: MapAccess<'de>>(self, map: M) -> Result<ChannelInterval, M::Error> {
        PerClass::deserialize(MapAccessDeserializer::new(map)).map(ChannelInterval)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::network::ChannelClass;
    use crate::topologies::{Dragonfly, Topology};

    fn slowed(text: &str) -> Result<PerClass<u32>, Invalid> {
        let network = Dragonfly::default().build(None).unwrap();
        let network = network.with_intervals(&serde_json::from_str(text).unwrap())?;
        let mut found = PerClass::default();
        for id in 0..network.total_channel_count() {
            let channel = network.channel(id.into());
            *found.of_mut(channel.class) = channel.interval;
        }
        assert_eq!(*found.of(ChannelClass::Local), found.local);
        Ok(found)
    }

    #[test]
    fn one_number_leaves_terminals_alone() {
        let expected = PerClass {
            terminal: 1,
            local: 4,
            global: 4,
        };
        assert_eq!(slowed("4"), Ok(expected));
        assert_eq!(slowed("\"4 cycles\""), Ok(expected));
    }

    #[test]
    fn classes_have_their_own() {
        let expected = PerClass {
            terminal: 2,
            local: 1,
            global: 3,
        };
        assert_eq!(slowed(r#"{"terminal": 2, "global": 3}"#), Ok(expected));
    }

    #[test]
    fn nonsense_is_refused() {
        assert_eq!(slowed("1001").unwrap_err().place, "channel_interval.local");
        for wrong in ["0", "-3", "1.5", "\"3 ns\"", r#"{"lokal": 2}"#] {
            assert!(
                serde_json::from_str::<ChannelInterval>(wrong).is_err(),
                "{wrong}"
            );
        }
    }
}
