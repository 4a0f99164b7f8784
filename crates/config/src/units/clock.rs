//! How long a cycle is, and how large a flit.

use super::amount::{Amount, wrong};
use super::known::{Dimension, UNITS};
use super::{Fraction, pattern};
use crate::diagnostic::Invalid;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use std::borrow::Cow;

/// The clock of a network: in every cycle a channel passes on one flit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Clock {
    /// Seconds from one cycle to the next, more than 0.
    seconds: Fraction,
}

/// What a flit holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FlitSize {
    /// More than 0.
    bits: u64,
}

const CLOCK: [Dimension; 2] = [Dimension::Frequency, Dimension::Time];
const FLIT: [Dimension; 1] = [Dimension::Size];

/// One gibibyte: a flit is what a channel passes on at once.
const MOST_BITS: u64 = 8 << 30;
const MOST_SECONDS: f64 = 1.0;
const LEAST_SECONDS: f64 = 1e-15;

impl Clock {
    /// Reads a frequency or the time of a cycle: `"1.25 GHz"`, `"0.8 ns"`.
    ///
    /// # Errors
    /// What keeps it from being one; its place is the text itself.
    pub fn parse(text: &str) -> Result<Self, Invalid> {
        let help = "write a frequency or the time of a cycle, such as \"1.25 GHz\" or \"0.8 ns\"";
        let amount = Amount::of(text, &CLOCK).map_err(|invalid| advised(invalid, help))?;
        let value = amount.value();
        let seconds = match amount.dimension() {
            Dimension::Frequency => {
                value.and_then(|value| Fraction::new(1, 1).and_then(|one| one.over(value)))
            }
            _ => value,
        };
        // Some frequencies have no cycle, and some cycles no end.
        let sensible =
            |seconds: &Fraction| (LEAST_SECONDS..=MOST_SECONDS).contains(&seconds.to_f64());
        seconds
            .filter(sensible)
            .map(|seconds| Self { seconds })
            .ok_or_else(|| {
                wrong(format!("expected a cycle of 1 fs to 1 s, found \"{text}\"")).with_help(help)
            })
    }

    /// Seconds from one cycle to the next.
    pub fn seconds(self) -> Fraction {
        self.seconds
    }
}

impl FlitSize {
    /// Reads a size: `"32 B"`, `"256 bit"`.
    ///
    /// # Errors
    /// What keeps it from being one; its place is the text itself.
    pub fn parse(text: &str) -> Result<Self, Invalid> {
        let help = "write a size, such as \"32 B\" or \"256 bit\"";
        let amount = Amount::of(text, &FLIT).map_err(|invalid| advised(invalid, help))?;
        let bits = amount.value().and_then(Fraction::whole);
        let bits = bits.and_then(|bits| u64::try_from(bits).ok());
        bits.filter(|bits| (1..=MOST_BITS).contains(bits))
            .map(|bits| Self { bits })
            .ok_or_else(|| {
                wrong(format!(
                    "expected whole bits, from 1 bit to 1 GiB, found \"{text}\""
                ))
                .with_help(help)
            })
    }

    /// Bits of a flit.
    pub fn bits(self) -> u64 {
        self.bits
    }
}

fn advised(invalid: Invalid, help: &str) -> Invalid {
    match invalid.help {
        Some(_) => invalid,
        None => invalid.with_help(help),
    }
}

fn text_schema(of: &[Dimension]) -> Schema {
    let units = UNITS.iter().filter(|unit| of.contains(&unit.dimension));
    json_schema!({ "type": "string", "pattern": pattern(units, false) })
}

impl JsonSchema for Clock {
    fn schema_name() -> Cow<'static, str> {
        "Clock".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        text_schema(&CLOCK)
    }
}

impl JsonSchema for FlitSize {
    fn schema_name() -> Cow<'static, str> {
        "FlitSize".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        text_schema(&FLIT)
    }
}
