//! Quantities as people write them in study files: `2`, `"2 cycles"`.

use schemars::JsonSchema;
use serde::de::{self, Deserialize, Deserializer, Visitor};
use std::fmt;

/// A number of cycles: `10`, `"10 cycles"`, or with a fraction where it is a scale, `"2.5 cycles"`.
#[derive(Clone, Copy, Debug, Default, PartialEq, PartialOrd, JsonSchema)]
#[schemars(with = "CyclesText")]
pub struct Cycles(pub f64);

/// The two spellings of [`Cycles`], for the schema only.
#[derive(JsonSchema)]
#[schemars(untagged)]
#[allow(dead_code)]
enum CyclesText {
    /// Cycles.
    Number(f64),
    /// Cycles with their unit, `"10 cycles"`.
    Text(String),
}

impl Cycles {
    /// Whole cycles, rounded up, at least `least`.
    pub fn at_least(self, least: u32) -> u32 {
        (self.0.ceil() as u32).max(least)
    }
}

impl std::str::FromStr for Cycles {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let text = text.trim();
        let unit_at = text.find(|c: char| c.is_alphabetic()).unwrap_or(text.len());
        let (number, unit) = (text[..unit_at].trim(), text[unit_at..].trim());
        let expected =
            || format!("expected a number of cycles such as \"10 cycles\", found \"{text}\"");
        match unit {
            "" | "cycle" | "cycles" => {}
            _ => {
                return Err(format!(
                    "{}: the unit here is cycles, not {unit}",
                    expected()
                ));
            }
        }
        let value: f64 = number.parse().map_err(|_| expected())?;
        Self::checked(value)
    }
}

impl Cycles {
    fn checked(value: f64) -> Result<Self, String> {
        // Beyond this, event wheels and 32-bit latencies would not hold it.
        const LONGEST: f64 = 1e6;
        match value {
            value if (0.0..=LONGEST).contains(&value) => Ok(Self(value)),
            value => Err(format!("expected 0 to {LONGEST} cycles, found {value}")),
        }
    }
}

impl<'de> Deserialize<'de> for Cycles {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(CyclesVisitor)
    }
}

struct CyclesVisitor;

impl Visitor<'_> for CyclesVisitor {
    type Value = Cycles;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a number of cycles such as 10 or \"10 cycles\"")
    }

    fn visit_i64<E: de::Error>(self, value: i64) -> Result<Cycles, E> {
        Cycles::checked(value as f64).map_err(E::custom)
    }

    fn visit_u64<E: de::Error>(self, value: u64) -> Result<Cycles, E> {
        Cycles::checked(value as f64).map_err(E::custom)
    }

    fn visit_f64<E: de::Error>(self, value: f64) -> Result<Cycles, E> {
        Cycles::checked(value).map_err(E::custom)
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Cycles, E> {
        text.parse().map_err(E::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings_of_cycles() {
        assert_eq!("10 cycles".parse(), Ok(Cycles(10.0)));
        assert_eq!("1cycle".parse(), Ok(Cycles(1.0)));
        assert_eq!(" 2.5 ".parse(), Ok(Cycles(2.5)));
        for wrong in ["10 ns", "cycles", "-1 cycles", "1e9", "NaN", "ten"] {
            assert!(wrong.parse::<Cycles>().is_err(), "{wrong}");
        }
    }
}
