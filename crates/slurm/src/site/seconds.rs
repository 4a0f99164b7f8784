//! A span of time as site files write it: `0.25`, `"0.25 s"`, `"250 ms"`.

use serde::de::{self, Deserialize, Deserializer, Visitor};
use std::fmt;
use std::time::Duration;

/// A number of seconds, more than none and at most a day.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct Seconds(f64);

impl Seconds {
    /// As the standard library has it.
    pub fn duration(self) -> Duration {
        Duration::from_secs_f64(self.0)
    }

    fn checked(value: f64) -> Result<Self, String> {
        const LONGEST: f64 = 86_400.0;
        match value > 0.0 && value <= LONGEST {
            true => Ok(Self(value)),
            false => Err(format!(
                "expected more than 0 and at most {LONGEST} s, found {value} s"
            )),
        }
    }
}

/// Nobody notices a job that starts a tenth of a second later.
impl Default for Seconds {
    fn default() -> Self {
        Self(0.1)
    }
}

impl fmt::Display for Seconds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} s", self.0)
    }
}

impl std::str::FromStr for Seconds {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let expected = || format!("expected a time such as \"0.25 s\", found \"{text}\"");
        let trimmed = text.trim();
        let (number, unit) = match trimmed.strip_suffix("ms") {
            Some(number) => (number, 1e-3),
            None => (trimmed.strip_suffix('s').ok_or_else(expected)?, 1.0),
        };
        let number: f64 = number.trim().parse().map_err(|_| expected())?;
        Self::checked(number * unit)
    }
}

impl<'de> Deserialize<'de> for Seconds {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(SecondsVisitor)
    }
}

struct SecondsVisitor;

impl Visitor<'_> for SecondsVisitor {
    type Value = Seconds;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a time such as \"0.25 s\"")
    }

    fn visit_i64<E: de::Error>(self, value: i64) -> Result<Seconds, E> {
        Seconds::checked(value as f64).map_err(E::custom)
    }

    fn visit_u64<E: de::Error>(self, value: u64) -> Result<Seconds, E> {
        Seconds::checked(value as f64).map_err(E::custom)
    }

    fn visit_f64<E: de::Error>(self, value: f64) -> Result<Seconds, E> {
        Seconds::checked(value).map_err(E::custom)
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Seconds, E> {
        text.parse().map_err(E::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings_of_times() {
        assert_eq!("0.25 s".parse(), Ok(Seconds(0.25)));
        assert_eq!("250ms".parse(), Ok(Seconds(0.25)));
        for wrong in ["0.25", "fast", "0 s", "-1 s", "NaN s", "1e9 s", "2 h"] {
            assert!(wrong.parse::<Seconds>().is_err(), "{wrong}");
        }
    }
}
