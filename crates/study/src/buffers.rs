//! `router.buffer_flits`: how deep buffers are, the same everywhere or by class of channel.

use schemars::JsonSchema;
use serde::Deserialize;
use serde::de::value::MapAccessDeserializer;
use serde::de::{self, Deserializer, MapAccess, Unexpected, Visitor};
use serde_json::{Value as Json, json};
use std::borrow::Cow;
use std::fmt;
use turnwise_config::units;
use turnwise_network::{ChannelClass, Network, PerClass};
use turnwise_sim::{Depth, RouterModel};

/// A depth as written: `16`, `"round-trip"`, or `{ tailored = 4 }`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WrittenDepth {
    /// So many flits.
    Flits(u32),
    /// As many as each channel's credit round trip and the longest packet need.
    RoundTrip,
    /// So many thousandths of a flit for each cycle of the channel's latency, rounded up, and 16 flits at least.
    Tailored(u32),
}

impl WrittenDepth {
    /// Two flits for each cycle: what the word alone means.
    pub(crate) const USUALLY_TAILORED: Self = Self::Tailored(2_000);
}

/// The field as written: one depth for all buffers, or a table of them by class of channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BufferFlits {
    /// The same depth for all.
    All(WrittenDepth),
    /// By the class of the channel that fills the buffer; what is not said is as if nothing were said.
    ByClass(PerClass<Option<WrittenDepth>>),
}

impl BufferFlits {
    /// What is written for each class.
    pub fn per_class(self) -> PerClass<Option<WrittenDepth>> {
        match self {
            Self::All(depth) => PerClass::all(Some(depth)),
            Self::ByClass(depths) => depths,
        }
    }

    /// The depths of buffers for packets of this length, and of `usual` flits where nothing is written.
    pub fn depths(self, packet: u16, usual: u32) -> PerClass<Depth> {
        self.per_class().map(|written| match written {
            None => Depth::Flits(usual),
            Some(WrittenDepth::Flits(flits)) => Depth::Flits(flits),
            Some(WrittenDepth::RoundTrip) => Depth::RoundTrip { packet },
            Some(WrittenDepth::Tailored(permille)) => Depth::Tailored { permille },
        })
    }

    /// The least that is known of buffers between routers, whatever the packets: what a routing algorithm
    /// is told. `None` if nothing is written of those that the network has.
    ///
    /// Of a round trip that is the round trip alone; of what is not written, `usual` flits.
    pub fn least_between_routers(
        self,
        network: &Network,
        usual: u32,
        round_trip: impl Fn(u32) -> u32,
    ) -> Option<u32> {
        let depths = self.per_class();
        let written = |class: ChannelClass| *depths.of(class);
        let classes = || network.channels().map(|(_, channel)| channel);
        classes().find_map(|channel| written(channel.class))?;
        let least = classes().map(|channel| match written(channel.class) {
            None => usual,
            Some(WrittenDepth::Flits(flits)) => flits,
            Some(WrittenDepth::RoundTrip) => round_trip(channel.latency),
            Some(WrittenDepth::Tailored(permille)) => Depth::tailored(permille, channel.latency),
        });
        least.min()
    }
}

/// Depths as JSON that reads like a study: a number, or a table of numbers and words.
pub fn as_json(depths: &PerClass<Depth>) -> Json {
    let one = |depth: Depth| match depth {
        Depth::Flits(flits) => json!(flits),
        Depth::RoundTrip { .. } => json!(ROUND_TRIP),
        Depth::USUALLY_TAILORED => json!(TAILORED),
        Depth::Tailored { permille } => json!({ TAILORED: f64::from(permille) / 1000.0 }),
    };
    match *depths == PerClass::all(depths.local) {
        true => one(depths.local),
        false => {
            let each = depths.each().map(|&depth| one(depth));
            PerClass::<Depth>::NAMES.into_iter().zip(each).collect()
        }
    }
}

const ROUND_TRIP: &str = "round-trip";
const TAILORED: &str = "tailored";

/// The spellings, for the schema only.
#[derive(JsonSchema)]
#[schemars(untagged)]
#[allow(dead_code)]
enum BufferFlitsText {
    /// One depth for all buffers.
    All(DepthText),
    /// By the class of the channel that fills the buffer.
    ByClass(PerClass<Option<DepthText>>),
}

#[derive(JsonSchema)]
#[schemars(untagged)]
#[allow(dead_code)]
enum DepthText {
    /// So many flits.
    Flits(
        #[schemars(range(min = 1, max = RouterModel::MOST_BUFFER_FLITS), transform = units::flits)]
        u32,
    ),
    /// By the latency of the channel.
    Word(DepthWord),
    /// So many flits for each cycle of its latency.
    Table(TailoredTable),
}

/// So many flits for each cycle of the channel's latency, and 16 at least.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct TailoredTable {
    /// Flits for each cycle, with three decimals at most.
    #[schemars(range(min = 0.001, max = MOST_TAILORED))]
    tailored: f64,
}

/// More than this for each cycle no buffer holds behind a channel of any length.
const MOST_TAILORED: f64 = 1_000.0;

impl TailoredTable {
    fn depth<E: de::Error>(&self) -> Result<WrittenDepth, E> {
        let (flits, most) = (self.tailored, MOST_TAILORED);
        let permille = (flits * 1000.0).round();
        // Decimals are no binary fractions: 1.001 times 1000 is not quite 1001.
        if !(1.0..=most * 1000.0).contains(&permille) || (flits * 1000.0 - permille).abs() > 1e-6 {
            return Err(E::custom(format!(
                "expected 0.001 to {most} flits for each cycle, in thousandths, found {flits}"
            )));
        }
        Ok(WrittenDepth::Tailored(permille as u32))
    }
}

#[derive(JsonSchema)]
#[schemars(rename_all = "kebab-case")]
#[allow(dead_code)]
enum DepthWord {
    /// As many as each channel's credit round trip and the longest packet need.
    RoundTrip,
    /// As many as two for each cycle of the channel's latency, and 16 at least.
    Tailored,
}

impl JsonSchema for BufferFlits {
    fn schema_name() -> Cow<'static, str> {
        "BufferFlits".into()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        BufferFlitsText::json_schema(generator)
    }
}

impl<'de> Deserialize<'de> for WrittenDepth {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(DepthVisitor)
    }
}

struct DepthVisitor;

impl<'de> Visitor<'de> for DepthVisitor {
    type Value = WrittenDepth;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a number of flits, \"round-trip\", \"tailored\" or `{ tailored = 2 }`")
    }

    fn visit_i64<E: de::Error>(self, flits: i64) -> Result<WrittenDepth, E> {
        match u32::try_from(flits) {
            Ok(flits) => Ok(WrittenDepth::Flits(flits)),
            Err(_) => {
                let most = RouterModel::MOST_BUFFER_FLITS;
                Err(E::custom(format!(
                    "expected 1 to {most} flits, found {flits}"
                )))
            }
        }
    }

    fn visit_u64<E: de::Error>(self, flits: u64) -> Result<WrittenDepth, E> {
        self.visit_i64(i64::try_from(flits).unwrap_or(i64::MAX))
    }

    fn visit_str<E: de::Error>(self, word: &str) -> Result<WrittenDepth, E> {
        match word {
            ROUND_TRIP => Ok(WrittenDepth::RoundTrip),
            TAILORED => Ok(WrittenDepth::USUALLY_TAILORED),
            other => Err(E::invalid_value(Unexpected::Str(other), &self)),
        }
    }

    fn visit_map<M: MapAccess<'de>>(self, map: M) -> Result<WrittenDepth, M::Error> {
        TailoredTable::deserialize(MapAccessDeserializer::new(map))?.depth()
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct BufferTable {
    terminal: Option<WrittenDepth>,
    local: Option<WrittenDepth>,
    global: Option<WrittenDepth>,
    tailored: Option<f64>,
}

impl<'de> Deserialize<'de> for BufferFlits {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(BufferFlitsVisitor)
    }
}

struct BufferFlitsVisitor;

impl<'de> Visitor<'de> for BufferFlitsVisitor {
    type Value = BufferFlits;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(
            "a number of flits, \"round-trip\", \"tailored\", or a table with `tailored` or `terminal`, `local`, `global`",
        )
    }

    fn visit_i64<E: de::Error>(self, flits: i64) -> Result<BufferFlits, E> {
        DepthVisitor.visit_i64(flits).map(BufferFlits::All)
    }

    fn visit_u64<E: de::Error>(self, flits: u64) -> Result<BufferFlits, E> {
        DepthVisitor.visit_u64(flits).map(BufferFlits::All)
    }

    fn visit_str<E: de::Error>(self, word: &str) -> Result<BufferFlits, E> {
        DepthVisitor.visit_str(word).map(BufferFlits::All)
    }

    fn visit_map<M: MapAccess<'de>>(self, map: M) -> Result<BufferFlits, M::Error> {
        let table = BufferTable::deserialize(MapAccessDeserializer::new(map))?;
        let classes = PerClass {
            terminal: table.terminal,
            local: table.local,
            global: table.global,
        };
        match table.tailored {
            None => Ok(BufferFlits::ByClass(classes)),
            Some(_) if classes != PerClass::all(None) => Err(de::Error::custom(
                "`tailored` is for all buffers; for one class of channels, write `global = { tailored = 2 }`",
            )),
            Some(tailored) => TailoredTable { tailored }.depth().map(BufferFlits::All),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use turnwise_network::topologies::{Dragonfly, Topology};

    fn parse(text: &str) -> Result<BufferFlits, serde_json::Error> {
        serde_json::from_str(text)
    }

    #[test]
    fn numbers_words_and_tables() {
        let depths = |text: &str| parse(text).unwrap().depths(5, 16);
        assert_eq!(depths("7"), Depth::everywhere(7));
        let round_trip = Depth::RoundTrip { packet: 5 };
        assert_eq!(depths("\"round-trip\""), PerClass::all(round_trip));
        let tailored = depths("\"tailored\"");
        assert_eq!(tailored, PerClass::all(Depth::USUALLY_TAILORED));
        assert_eq!(as_json(&tailored), json!("tailored"));
        let deeper = depths(r#"{"tailored": 2.5}"#);
        assert_eq!(deeper, PerClass::all(Depth::Tailored { permille: 2_500 }));
        assert_eq!(as_json(&deeper), json!({ "tailored": 2.5 }));
        let global = depths(r#"{"global": {"tailored": 4}}"#).global;
        assert_eq!(global, Depth::Tailored { permille: 4_000 });
        let table = depths(r#"{"terminal": 4, "global": "round-trip"}"#);
        let expected = PerClass {
            terminal: Depth::Flits(4),
            local: Depth::Flits(16),
            global: round_trip,
        };
        assert_eq!(table, expected);
        assert_eq!(as_json(&Depth::everywhere(7)), json!(7));
        let written = json!({ "terminal": 4, "local": 16, "global": "round-trip" });
        assert_eq!(as_json(&table), written);
    }

    #[test]
    fn other_words_and_classes_are_refused() {
        for (wrong, why) in [
            ("-1", "found -1"),
            ("1.5", "a number of flits"),
            ("\"roundtrip\"", "string \"roundtrip\""),
            (r#"{"locale": 3}"#, "locale"),
            (r#"{"local": {"local": 3}}"#, "tailored"),
            (r#"{"tailored": 0}"#, "found 0"),
            (r#"{"tailored": 1.0001}"#, "in thousandths"),
            (r#"{"tailored": 2, "local": 3}"#, "for all buffers"),
        ] {
            let error = parse(wrong).unwrap_err().to_string();
            assert!(error.contains(why), "{wrong}: {error}");
        }
    }

    #[test]
    fn algorithms_are_told_of_the_smallest_buffer_between_routers() {
        let dragonfly = Dragonfly {
            channel_latency: serde_json::from_str(r#"{"local": 2, "global": 30}"#).unwrap(),
            ..Dragonfly::default()
        };
        let network = dragonfly.build(None).unwrap();
        let least = |text: &str| {
            let written = parse(text).unwrap();
            written.least_between_routers(&network, 40, |latency| 10 + latency)
        };
        assert_eq!(least("7"), Some(7));
        assert_eq!(least(r#"{"local": 70, "global": "tailored"}"#), Some(60));
        assert_eq!(least("\"tailored\""), Some(16));
        assert_eq!(least("\"round-trip\""), Some(12));
        assert_eq!(
            least(r#"{"terminal": 1, "global": "round-trip"}"#),
            Some(40)
        );
        assert_eq!(least(r#"{"global": 3}"#), Some(3));
        assert_eq!(least(r#"{"terminal": 1}"#), None);
    }
}
