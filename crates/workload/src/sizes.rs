//! How long packets are: one length for all, or several in given shares.

use schemars::JsonSchema;
use serde::Deserialize;
use serde::de::value::SeqAccessDeserializer;
use serde::de::{self, Deserializer, SeqAccess, Visitor};
use std::fmt;
use turnwise_config::units;
use turnwise_network::Invalid;
use turnwise_network::random::Random;

/// Lengths of packets, as written: `5`, or `[{ flits = 1, share = 0.8 }, { flits = 5, share = 0.2 }]`.
#[derive(Clone, Debug, PartialEq, JsonSchema)]
#[schemars(with = "Written")]
pub enum PacketFlits {
    /// All packets have this many flits.
    Fixed(u16),
    /// Packets of several lengths.
    Mixed(Vec<Length>),
}

/// A length, and the share of packets that have it.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Length {
    /// Flits of a packet.
    #[schemars(transform = units::flits)]
    pub flits: u16,
    /// The share of packets with this length; all shares add up to 1.
    pub share: f64,
}

/// The two spellings, for the schema only.
#[derive(JsonSchema)]
#[schemars(untagged)]
#[allow(dead_code)]
enum Written {
    /// One length for all packets.
    Fixed(#[schemars(transform = units::flits)] u16),
    /// Lengths and the shares of packets that have them; the shares add up to 1.
    Mixed(Vec<Length>),
}

impl Default for PacketFlits {
    fn default() -> Self {
        Self::Fixed(1)
    }
}

impl PacketFlits {
    /// The longest packets' length.
    pub fn longest(&self) -> u16 {
        match self {
            Self::Fixed(flits) => *flits,
            Self::Mixed(lengths) => lengths.iter().map(|length| length.flits).max().unwrap_or(0),
        }
    }

    /// The shortest packets' length.
    pub fn shortest(&self) -> u16 {
        match self {
            Self::Fixed(flits) => *flits,
            Self::Mixed(lengths) => lengths.iter().map(|length| length.flits).min().unwrap_or(0),
        }
    }

    /// The mean length.
    pub fn mean(&self) -> f64 {
        match self {
            Self::Fixed(flits) => f64::from(*flits),
            Self::Mixed(lengths) => {
                let flits = lengths
                    .iter()
                    .map(|length| f64::from(length.flits) * length.share);
                flits.sum::<f64>() / total(lengths)
            }
        }
    }

    /// What is wrong with it, on the field `packet_flits`.
    ///
    /// # Errors
    /// Packets without flits, no lengths at all, shares that do not add up to 1.
    pub fn check(&self) -> Result<(), Invalid> {
        const FIELD: &str = "packet_flits";
        let Self::Mixed(lengths) = self else {
            return match self.longest() {
                0 => Err(Invalid::new(FIELD, "a packet has at least one flit")),
                _ => Ok(()),
            };
        };
        if lengths.is_empty() {
            return Err(Invalid::new(FIELD, "there is no length"));
        }
        for (index, length) in lengths.iter().enumerate() {
            let wrong = |field: &str, message: String| {
                Err(Invalid::new(format!("{FIELD}[{index}].{field}"), message))
            };
            if length.flits == 0 {
                return wrong("flits", "a packet has at least one flit".into());
            }
            if !(length.share > 0.0 && length.share <= 1.0) {
                let share = length.share;
                let message = format!("expected a share of more than 0, up to 1, found {share}");
                return wrong("share", message);
            }
        }
        check_sum(FIELD, total(lengths))
    }
}

/// Shares of the whole add up to 1, as far as people can write them.
pub(crate) fn check_sum(field: &str, sum: f64) -> Result<(), Invalid> {
    const CLOSE: f64 = 1e-6;
    match (sum - 1.0).abs() <= CLOSE {
        true => Ok(()),
        false => Err(Invalid::new(
            field,
            format!(
                "shares must add up to 1, and these add up to {}",
                (sum * 1e9).round() / 1e9
            ),
        )),
    }
}

fn total(lengths: &[Length]) -> f64 {
    lengths.iter().map(|length| length.share).sum()
}

impl<'de> Deserialize<'de> for PacketFlits {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(PacketFlitsVisitor)
    }
}

struct PacketFlitsVisitor;

impl PacketFlitsVisitor {
    fn fixed<E: de::Error, T: fmt::Display + Copy + TryInto<u16>>(
        flits: T,
    ) -> Result<PacketFlits, E> {
        let number = flits.try_into().ok();
        number.map(PacketFlits::Fixed).ok_or_else(|| {
            let most = u16::MAX;
            E::custom(format!("expected 1 to {most} flits, found {flits}"))
        })
    }
}

impl<'de> Visitor<'de> for PacketFlitsVisitor {
    type Value = PacketFlits;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a number of flits, or a list such as [{ flits = 1, share = 0.8 }, { flits = 5, share = 0.2 }]")
    }

    fn visit_i64<E: de::Error>(self, flits: i64) -> Result<PacketFlits, E> {
        Self::fixed(flits)
    }

    fn visit_u64<E: de::Error>(self, flits: u64) -> Result<PacketFlits, E> {
        Self::fixed(flits)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<PacketFlits, A::Error> {
        Vec::deserialize(SeqAccessDeserializer::new(list)).map(PacketFlits::Mixed)
    }
}

/// Lengths, ready to be drawn.
#[derive(Clone, Debug)]
pub(crate) struct Sizes {
    /// Upper ends of the lengths' ranges in 64 random bits, and the lengths.
    ends: Vec<(u64, u16)>,
    /// What is left, and the only length if there is one.
    last: u16,
}

impl Sizes {
    /// Of lengths that have passed their check.
    pub(crate) fn new(flits: &PacketFlits) -> Self {
        let PacketFlits::Mixed(lengths) = flits else {
            return Self {
                ends: Vec::new(),
                last: flits.longest(),
            };
        };
        let (total, mut sum) = (total(lengths), 0.0);
        let mut ends: Vec<(u64, u16)> = Vec::new();
        for length in lengths {
            sum += length.share;
            ends.push((part(sum / total), length.flits));
        }
        let last = ends.pop().map_or(1, |(_, flits)| flits);
        Self { ends, last }
    }

    /// The length of one packet; draws nothing if there is only one.
    pub(crate) fn draw(&self, rng: &mut Random) -> u16 {
        if self.ends.is_empty() {
            return self.last;
        }
        let bits = rng.next_u64();
        let found = self.ends.iter().find(|&&(end, _)| bits < end);
        found.map_or(self.last, |&(_, flits)| flits)
    }
}

/// A probability in 2^64 parts.
pub(crate) fn part(probability: f64) -> u64 {
    // The conversion rounds towards zero and saturates.
    (probability * 18_446_744_073_709_551_616.0) as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use turnwise_network::random::Purpose;

    fn mixed(lengths: &[(u16, f64)]) -> PacketFlits {
        let length = |&(flits, share)| Length { flits, share };
        PacketFlits::Mixed(lengths.iter().map(length).collect())
    }

    #[test]
    fn lengths_come_in_their_shares() {
        let flits = mixed(&[(1, 0.7), (5, 0.2), (64, 0.1)]);
        assert_eq!((flits.shortest(), flits.longest()), (1, 64));
        assert!((flits.mean() - 8.1).abs() < 1e-12);
        let sizes = Sizes::new(&flits);
        let draw = |sequence| sizes.draw(&mut Random::new(1, Purpose::Other, 2, sequence));
        let draws: Vec<u16> = (0..100_000).map(draw).collect();
        for (length, share) in [(1, 0.7), (5, 0.2), (64, 0.1)] {
            let count = draws.iter().filter(|&&draw| draw == length).count() as f64;
            let deviation = f64::sqrt(100_000.0 * share * (1.0 - share));
            assert!(
                (count - 100_000.0 * share).abs() < 4.0 * deviation,
                "{length}: {count}"
            );
        }
    }

    #[test]
    fn a_single_length_draws_nothing() {
        for flits in [PacketFlits::Fixed(7), mixed(&[(7, 1.0)])] {
            let mut rng = Random::new(1, Purpose::Other, 0, 0);
            let untouched = rng.clone().next_u32();
            assert_eq!(Sizes::new(&flits).draw(&mut rng), 7);
            assert_eq!(rng.next_u32(), untouched);
        }
    }

    #[test]
    fn impossible_lengths_are_refused() {
        let field = |flits: PacketFlits| flits.check().err().map(|error| error.place);
        let named = |field: &str| Some(field.to_owned());
        assert_eq!(field(PacketFlits::Fixed(0)), named("packet_flits"));
        assert_eq!(field(mixed(&[])), named("packet_flits"));
        assert_eq!(field(mixed(&[(1, 0.5), (2, 0.4)])), named("packet_flits"));
        assert_eq!(
            field(mixed(&[(1, 0.5), (0, 0.5)])),
            named("packet_flits[1].flits")
        );
        assert_eq!(
            field(mixed(&[(1, 1.5), (2, -0.5)])),
            named("packet_flits[0].share")
        );
        assert_eq!(field(mixed(&[(1, 0.3), (2, 0.7)])), None);
    }
}
