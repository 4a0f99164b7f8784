//! `channel_latency`: how long flits travel, per class of channel and per distance.

use schemars::JsonSchema;
use serde::Deserialize;
use serde::de::value::MapAccessDeserializer;
use serde::de::{self, Deserializer, MapAccess, Visitor};
use std::borrow::Cow;
use std::fmt;
use turnwise_config::diagnostic::Invalid;
use turnwise_config::units::{Cycles, CyclesPerStep, MOST_CYCLES};

/// No channel takes more cycles than a fixed latency may say, see [`Cycles`].
pub(crate) const LONGEST_LATENCY: u32 = MOST_CYCLES;

/// Latency of the channels of one class: fixed, or growing with the distance between their ends.
#[derive(Clone, Copy, Debug, PartialEq, JsonSchema)]
#[serde(untagged)]
pub enum Latency {
    /// The same for every channel of the class.
    Fixed(Cycles),
    /// So much per step between the groups (or routers) at both ends, which stand on a line.
    PerDistance(PerDistance),
}

/// `{ per_group = "10 cycles" }` for global channels, `{ per_router = "1 cycle" }` for local ones.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(with = "PerDistanceText")]
pub struct PerDistance {
    /// Cycles per step between two groups or two routers; the product is rounded up to whole cycles.
    #[serde(alias = "per_router")]
    pub per_group: CyclesPerStep,
}

/// The two spellings of [`PerDistance`], for the schema only.
#[derive(JsonSchema)]
#[schemars(untagged, deny_unknown_fields)]
#[allow(dead_code)]
enum PerDistanceText {
    /// Between groups.
    Groups {
        /// Cycles per step between two groups; the product is rounded up to whole cycles.
        per_group: CyclesPerStep,
    },
    /// Between routers.
    Routers {
        /// Cycles per step between two routers; the product is rounded up to whole cycles.
        per_router: CyclesPerStep,
    },
}

impl Latency {
    /// The latency of a channel whose ends stand `distance` apart; at least one cycle.
    pub fn over(self, distance: u32) -> u32 {
        match self {
            Self::Fixed(Cycles(cycles)) => cycles,
            Self::PerDistance(PerDistance { per_group }) => {
                let cycles = (per_group.0 * f64::from(distance)).ceil();
                (cycles as u32).max(1)
            }
        }
    }
}

impl Default for Latency {
    fn default() -> Self {
        Self::Fixed(Cycles(1))
    }
}

/// Latencies of a network's channels.
///
/// In a study, `channel_latency` is one number for all router-to-router channels (`2` or
/// `"2 cycles"`), or a table by class. Terminals' channels take one cycle unless said otherwise.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ChannelLatency {
    /// Injection and ejection channels.
    pub terminal: Latency,
    /// Channels inside a group, and all router-to-router channels of networks without classes.
    pub local: Latency,
    /// Channels between groups.
    pub global: Latency,
    /// Meshes, tori, HyperX: latency by dimension; `local` where the list is too short.
    pub dimensions: Vec<Cycles>,
}

impl ChannelLatency {
    /// Latency of injection and ejection channels.
    pub fn of_terminal(&self) -> u32 {
        self.terminal.over(1)
    }

    /// Latency of a channel inside a group, `distance` router positions long.
    pub fn of_local(&self, distance: u32) -> u32 {
        self.local.over(distance)
    }

    /// Latency of a channel between groups `distance` apart on the line.
    pub fn of_global(&self, distance: u32) -> u32 {
        self.global.over(distance)
    }

    /// Refuses latencies which grow so much along the line that the longest channel, `local`
    /// or `global` steps long, would take longer than any channel may.
    pub(super) fn check_distances(&self, local: u32, global: u32) -> Result<(), Invalid> {
        for (class, latency, distance) in [
            ("local", self.local, local),
            ("global", self.global, global),
        ] {
            let cycles = latency.over(distance);
            if cycles > LONGEST_LATENCY {
                let message = format!(
                    "a channel over a distance of {distance} would take {cycles} cycles; at most \
                     {LONGEST_LATENCY} are possible"
                );
                return Err(Invalid::new(format!("channel_latency.{class}"), message));
            }
        }
        Ok(())
    }

    /// Latency of a channel along a dimension.
    pub fn of_dimension(&self, dimension: usize, distance: u32) -> u32 {
        match self.dimensions.get(dimension) {
            Some(&Cycles(cycles)) => cycles,
            None => self.local.over(distance),
        }
    }
}

/// The table form, by class.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[derive(Default)]
struct ByClass {
    /// Injection and ejection channels.
    terminal: Latency,
    /// Channels inside a group, or all router-to-router channels.
    local: Latency,
    /// Channels between groups.
    global: Latency,
    /// One latency per dimension.
    dimensions: Vec<Cycles>,
}

/// The two spellings of `channel_latency`, for the schema only.
#[derive(JsonSchema)]
#[schemars(untagged)]
#[allow(dead_code)]
enum ChannelLatencyText {
    /// One latency for all router-to-router channels.
    All(Cycles),
    /// By class.
    ByClass(ByClass),
}

impl JsonSchema for ChannelLatency {
    fn schema_name() -> Cow<'static, str> {
        "ChannelLatency".into()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        ChannelLatencyText::json_schema(generator)
    }
}

impl<'de> Deserialize<'de> for Latency {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(LatencyVisitor)
    }
}

struct LatencyVisitor;

impl<'de> Visitor<'de> for LatencyVisitor {
    type Value = Latency;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("cycles such as 10 or \"10 cycles\", or { per_group = \"10 cycles\" }")
    }

    fn visit_i64<E: de::Error>(self, value: i64) -> Result<Latency, E> {
        self.visit_f64(value as f64)
    }

    fn visit_u64<E: de::Error>(self, value: u64) -> Result<Latency, E> {
        self.visit_f64(value as f64)
    }

    fn visit_f64<E: de::Error>(self, value: f64) -> Result<Latency, E> {
        value
            .to_string()
            .parse()
            .map(Latency::Fixed)
            .map_err(E::custom)
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Latency, E> {
        text.parse().map(Latency::Fixed).map_err(E::custom)
    }

    fn visit_map<M: MapAccess<'de>>(self, map: M) -> Result<Latency, M::Error> {
        PerDistance::deserialize(MapAccessDeserializer::new(map)).map(Latency::PerDistance)
    }
}

impl<'de> Deserialize<'de> for ChannelLatency {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ChannelLatencyVisitor)
    }
}

struct ChannelLatencyVisitor;

impl<'de> Visitor<'de> for ChannelLatencyVisitor {
    type Value = ChannelLatency;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("cycles such as 2 or \"2 cycles\", or a table with `terminal`, `local`, `global`, `dimensions`")
    }

    fn visit_i64<E: de::Error>(self, value: i64) -> Result<ChannelLatency, E> {
        LatencyVisitor.visit_i64(value).map(everywhere)
    }

    fn visit_u64<E: de::Error>(self, value: u64) -> Result<ChannelLatency, E> {
        LatencyVisitor.visit_u64(value).map(everywhere)
    }

    fn visit_f64<E: de::Error>(self, value: f64) -> Result<ChannelLatency, E> {
        LatencyVisitor.visit_f64(value).map(everywhere)
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<ChannelLatency, E> {
        LatencyVisitor.visit_str(text).map(everywhere)
    }

    fn visit_map<M: MapAccess<'de>>(self, map: M) -> Result<ChannelLatency, M::Error> {
        let by_class = ByClass::deserialize(MapAccessDeserializer::new(map))?;
        let ByClass {
            terminal,
            local,
            global,
            dimensions,
        } = by_class;
        Ok(ChannelLatency {
            terminal,
            local,
            global,
            dimensions,
        })
    }
}

fn everywhere(latency: Latency) -> ChannelLatency {
    ChannelLatency {
        local: latency,
        global: latency,
        ..ChannelLatency::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<ChannelLatency, serde_json::Error> {
        serde_json::from_str(text)
    }

    #[test]
    fn one_number_leaves_terminals_alone() {
        let latency = parse("\"10 cycles\"").unwrap();
        assert_eq!(
            (
                latency.of_terminal(),
                latency.of_local(3),
                latency.of_global(9)
            ),
            (1, 10, 10)
        );
    }

    #[test]
    fn per_distance_latencies_grow_along_the_line() {
        let latency =
            parse(r#"{"local": "1 cycle", "global": {"per_group": "10 cycles"}, "terminal": 2}"#)
                .unwrap();
        assert_eq!(
            (
                latency.of_terminal(),
                latency.of_local(7),
                latency.of_global(32)
            ),
            (2, 1, 320)
        );
    }

    #[test]
    fn dimensions_may_differ() {
        let latency = parse(r#"{"local": 3, "dimensions": [1, "2 cycles"]}"#).unwrap();
        assert_eq!(
            [0, 1, 2].map(|dimension| latency.of_dimension(dimension, 1)),
            [1, 2, 3]
        );
    }

    #[test]
    fn wrong_units_and_keys_are_refused() {
        assert!(parse("\"10 ns\"").is_err());
        assert!(parse(r#"{"lokal": 1}"#).is_err());
        for wrong in [
            "-1",
            "0",
            "1.5",
            "\"1.5 cycles\"",
            r#"{"dimensions": [1.5]}"#,
        ] {
            assert!(parse(wrong).is_err(), "{wrong}");
        }
    }
}
