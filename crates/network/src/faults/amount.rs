//! How much fails: so many, or a share of what lives.

use schemars::JsonSchema;
use serde::de::{self, Deserialize, Deserializer, Visitor};
use serde::ser::{Serialize, Serializer};
use std::fmt;

/// A number of things, or a share of those that live: `5`, `"5 %"`, `"0.05"`.
#[derive(Clone, Copy, Debug, PartialEq, JsonSchema)]
#[schemars(with = "AmountText")]
pub enum Amount {
    /// So many.
    Count(u32),
    /// From 0 to 1.
    Share(f64),
}

/// The spellings of [`Amount`], for the schema only.
#[derive(JsonSchema)]
#[schemars(untagged)]
#[allow(dead_code)]
enum AmountText {
    /// So many.
    Count(u32),
    /// A share of the living: `"5 %"` or `"0.05"`.
    Share(String),
}

impl Amount {
    /// How many of so many things, rounded to the nearest.
    pub fn of(self, living: usize) -> usize {
        match self {
            Self::Count(count) => count as usize,
            Self::Share(share) => (share * living as f64).round() as usize,
        }
    }

    /// Is it none, of however many?
    pub fn is_none(self) -> bool {
        matches!(self, Self::Count(0)) || self == Self::Share(0.0)
    }
}

impl Default for Amount {
    fn default() -> Self {
        Self::Count(0)
    }
}

impl From<u32> for Amount {
    fn from(count: u32) -> Self {
        Self::Count(count)
    }
}

impl std::str::FromStr for Amount {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let number = text.trim();
        let share = match number.strip_suffix('%') {
            Some(number) => number
                .trim_end()
                .parse()
                .ok()
                .map(|share: f64| share / 100.0),
            // Is "1" one or all? Nobody is to guess.
            None if !number.contains('.') => None,
            None => number.parse().ok(),
        };
        match share {
            Some(share) if (0.0..=1.0).contains(&share) => Ok(Self::Share(share)),
            _ => Err(format!(
                "expected a share from \"0 %\" to \"100 %\", or a number without quotes, found \"{text}\""
            )),
        }
    }
}

impl Serialize for Amount {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match *self {
            Self::Count(count) => serializer.serialize_u32(count),
            Self::Share(share) => serializer.collect_str(&format_args!("{} %", 100.0 * share)),
        }
    }
}

impl<'de> Deserialize<'de> for Amount {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(AmountVisitor)
    }
}

struct AmountVisitor;

impl Visitor<'_> for AmountVisitor {
    type Value = Amount;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a whole number such as 5, or a share such as \"5 %\"")
    }

    fn visit_i64<E: de::Error>(self, value: i64) -> Result<Amount, E> {
        let count = u32::try_from(value).map(Amount::Count);
        count.map_err(|_| E::invalid_value(de::Unexpected::Signed(value), &self))
    }

    fn visit_u64<E: de::Error>(self, value: u64) -> Result<Amount, E> {
        let count = u32::try_from(value).map(Amount::Count);
        count.map_err(|_| E::invalid_value(de::Unexpected::Unsigned(value), &self))
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Amount, E> {
        text.parse().map_err(E::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings_of_amounts() {
        for text in ["5 %", "5%", " 5 % ", "0.05"] {
            assert_eq!(text.parse(), Ok(Amount::Share(0.05)), "{text}");
        }
        assert_eq!("100 %".parse(), Ok(Amount::Share(1.0)));
        for wrong in [
            "", "%", "101 %", "-1 %", "5", "1", "1.5", "five %", "5 % %", "NaN", "inf %",
        ] {
            assert!(wrong.parse::<Amount>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn shares_are_rounded_to_the_nearest() {
        let of = |text: &str, living| text.parse::<Amount>().unwrap().of(living);
        assert_eq!(
            [of("5 %", 32), of("5 %", 29), of("5 %", 9), of("100 %", 7)],
            [2, 1, 0, 7]
        );
        assert_eq!(Amount::Count(3).of(1), 3);
        assert!(Amount::Share(0.0).is_none() && !Amount::Share(0.01).is_none());
    }
}
