//! Cycles as files and tables have them: `2`, `"2 cycles"`.

use schemars::JsonSchema;
use serde::de::{self, Deserialize, Deserializer, Visitor};
use std::fmt;
use std::str::FromStr;

/// Beyond this, event wheels and 32-bit latencies would not hold it.
pub const MOST_CYCLES: u32 = 1_000_000;

/// A number of whole cycles, at least one: `10`, `"10 cycles"`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, JsonSchema)]
#[schemars(transform = super::cycles)]
pub struct Cycles(#[schemars(range(min = 1, max = MOST_CYCLES))] pub u32);

/// Cycles for each step of a distance, which may have a fraction: `10`, `"2.5 cycles"`.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd, JsonSchema)]
#[schemars(transform = super::time)]
pub struct CyclesPerStep(#[schemars(range(min = 0, max = MOST_CYCLES))] pub f64);

impl Cycles {
    fn checked(cycles: f64) -> Result<Self, String> {
        match cycles {
            cycles if !(1.0..=f64::from(MOST_CYCLES)).contains(&cycles) => Err(format!(
                "expected 1 to {MOST_CYCLES} cycles, found {cycles}"
            )),
            cycles if cycles.fract() != 0.0 => Err(format!(
                "expected whole cycles, such as {:.0} or {:.0}, found {cycles}",
                cycles.floor().max(1.0),
                cycles.floor().max(1.0) + 1.0
            )),
            cycles => Ok(Self(cycles as u32)),
        }
    }
}

impl CyclesPerStep {
    fn checked(cycles: f64) -> Result<Self, String> {
        match (0.0..=f64::from(MOST_CYCLES)).contains(&cycles) {
            true => Ok(Self(cycles)),
            false => Err(format!(
                "expected 0 to {MOST_CYCLES} cycles, found {cycles}"
            )),
        }
    }
}

/// The number in `"10 cycles"`.
fn number(text: &str) -> Result<f64, String> {
    let text = text.trim();
    let unit_at = text.find(|c: char| c.is_alphabetic()).unwrap_or(text.len());
    let (number, unit) = (text[..unit_at].trim(), text[unit_at..].trim());
    let expected =
        || format!("expected a number of cycles such as \"10 cycles\", found \"{text}\"");
    match unit {
        "" | "cycle" | "cycles" => number.parse().map_err(|_| expected()),
        _ => Err(format!(
            "{}: the unit here is cycles, not {unit}",
            expected()
        )),
    }
}

impl FromStr for Cycles {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        number(text).and_then(Self::checked)
    }
}

impl FromStr for CyclesPerStep {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        number(text).and_then(Self::checked)
    }
}

impl<'de> Deserialize<'de> for Cycles {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer
            .deserialize_any(NumberOfCycles)
            .and_then(|cycles| Self::checked(cycles).map_err(de::Error::custom))
    }
}

impl<'de> Deserialize<'de> for CyclesPerStep {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer
            .deserialize_any(NumberOfCycles)
            .and_then(|cycles| Self::checked(cycles).map_err(de::Error::custom))
    }
}

struct NumberOfCycles;

impl Visitor<'_> for NumberOfCycles {
    type Value = f64;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a number of cycles such as 10 or \"10 cycles\"")
    }

    fn visit_i64<E: de::Error>(self, value: i64) -> Result<f64, E> {
        Ok(value as f64)
    }

    fn visit_u64<E: de::Error>(self, value: u64) -> Result<f64, E> {
        Ok(value as f64)
    }

    fn visit_f64<E: de::Error>(self, value: f64) -> Result<f64, E> {
        Ok(value)
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<f64, E> {
        number(text).map_err(E::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings_of_cycles() {
        assert_eq!("10 cycles".parse(), Ok(Cycles(10)));
        assert_eq!("1cycle".parse(), Ok(Cycles(1)));
        assert_eq!(" 2.0 ".parse(), Ok(Cycles(2)));
        assert_eq!(" 2.5 ".parse(), Ok(CyclesPerStep(2.5)));
        for wrong in ["10 ns", "cycles", "-1 cycles", "1e9", "NaN", "ten"] {
            assert!(wrong.parse::<Cycles>().is_err(), "{wrong}");
            assert!(wrong.parse::<CyclesPerStep>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn channels_take_whole_cycles() {
        let error = |text: &str| text.parse::<Cycles>().unwrap_err();
        assert_eq!(
            error("1.5"),
            "expected whole cycles, such as 1 or 2, found 1.5"
        );
        assert_eq!(error("0"), "expected 1 to 1000000 cycles, found 0");
    }
}
