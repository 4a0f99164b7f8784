//! Quantities as people write them: `2`, `"2 cycles"`, `"100 ns"`, `"4 KiB"`, `"40 Gb/s"`.
//!
//! A simulation counts cycles and flits, and nothing else. A study that says how long a cycle is and
//! how large a flit is may write times, sizes and rates instead; a [`Scale`] turns them into counts
//! before any table is read, so readers know numbers only and the same value has one meaning however
//! it was written. A field says what it counts in its schema, by a line such as
//! `#[schemars(transform = units::flits)]`, and is then understood in units, described and checked.
//!
//! Rounding never flatters a network: times become the next whole cycle, sizes the next whole flit.
//! Loads, and cycles that may have a fraction, are as exact as a double can be.

mod amount;
mod clock;
mod cycles;
mod fraction;
mod known;
mod measure;
mod scale;

pub use amount::Amount;
pub use clock::{Clock, FlitSize};
pub use cycles::{Cycles, CyclesPerStep, MOST_CYCLES};
pub use fraction::Fraction;
pub use measure::Measure;
pub use scale::{Count, Scale};

use known::{Dimension, UNITS, Unit};
use schemars::Schema;

/// What a number in a study counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Quantity {
    /// Whole cycles.
    Cycles,
    /// Cycles that may have a fraction.
    Time,
    /// Whole flits.
    Flits,
    /// Flits per cycle.
    Load,
    /// Whole bytes, whatever a flit holds.
    Bytes,
}

/// The key by which a schema says what a number counts.
pub const KEY: &str = "x-unit";

/// Marks a field of whole cycles: `#[schemars(transform = units::cycles)]`.
pub fn cycles(schema: &mut Schema) {
    mark(schema, Quantity::Cycles);
}

/// Marks a field of cycles that may have a fraction.
pub fn time(schema: &mut Schema) {
    mark(schema, Quantity::Time);
}

/// Marks a field of whole flits.
pub fn flits(schema: &mut Schema) {
    mark(schema, Quantity::Flits);
}

/// Marks a field of flits per cycle.
pub fn load(schema: &mut Schema) {
    mark(schema, Quantity::Load);
}

/// Marks a field of whole bytes.
pub fn bytes(schema: &mut Schema) {
    mark(schema, Quantity::Bytes);
}

fn mark(schema: &mut Schema, quantity: Quantity) {
    schema.insert(KEY.to_owned(), quantity.name().into());
}

impl Quantity {
    /// All of them.
    pub const ALL: [Self; 5] = [
        Self::Cycles,
        Self::Time,
        Self::Flits,
        Self::Load,
        Self::Bytes,
    ];

    /// What a schema calls it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Cycles => "cycles",
            Self::Time => "cycles or parts",
            Self::Flits => "flits",
            Self::Load => "flits/cycle",
            Self::Bytes => "bytes",
        }
    }

    /// What its bare numbers are in, as results say it.
    pub fn unit(self) -> &'static str {
        match self {
            Self::Cycles | Self::Time => "cycles",
            Self::Flits => "flits",
            Self::Load => "flits per cycle",
            Self::Bytes => "bytes",
        }
    }

    /// The quantity that a schema calls so.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|quantity| quantity.name() == name)
    }

    /// What is counted, and what it may be measured by instead.
    fn dimensions(self) -> [Dimension; 2] {
        match self {
            Self::Cycles | Self::Time => [Dimension::Cycles, Dimension::Time],
            Self::Flits => [Dimension::Flits, Dimension::Size],
            Self::Load => [Dimension::Load, Dimension::Rate],
            Self::Bytes => [Dimension::Size, Dimension::Size],
        }
    }

    /// The units it may be written in; of each only its usual name.
    pub fn units(self) -> impl Iterator<Item = &'static str> {
        self.fitting().map(|unit| unit.names[0])
    }

    fn fitting(self) -> impl Iterator<Item = &'static Unit> {
        let fits = move |unit: &&Unit| self.dimensions().contains(&unit.dimension);
        UNITS.iter().filter(fits)
    }

    /// A regular expression for schemas: a number and a unit that fits.
    pub fn pattern(self) -> String {
        pattern(self.fitting(), self.takes_bare_text())
    }

    /// Cycles were written as text before there were other units, and then need none.
    fn takes_bare_text(self) -> bool {
        matches!(self, Self::Cycles | Self::Time)
    }

    /// How it is written with a unit, by example.
    pub fn example(self) -> &'static str {
        match self {
            Self::Cycles | Self::Time => "100 ns",
            Self::Flits => "1500 B",
            Self::Load => "40 Gb/s",
            Self::Bytes => "4 KiB",
        }
    }
}

/// A regular expression for a number and one of some units.
fn pattern<'a>(units: impl Iterator<Item = &'a Unit>, bare: bool) -> String {
    let names: Vec<&str> = units.flat_map(|unit| unit.names).copied().collect();
    let optional = if bare { "?" } else { "" };
    format!(
        "^\\s*([0-9]+\\.?[0-9]*|\\.[0-9]+)\\s*({}){optional}\\s*$",
        names.join("|")
    )
}

#[cfg(test)]
mod tests;
