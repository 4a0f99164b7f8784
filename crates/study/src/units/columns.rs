//! Columns of rows that say in ns and Gb/s what others say in cycles and flits per cycle.
//!
//! They are worked out where rows are written: what is stored knows no clock, so that a clock can be
//! added to a study, or changed, without a simulation running again.

use crate::columns::{Derived, RATES, TIMES};
use crate::row::{Cell, PART_COLUMNS, Row, exact, exactly, number};
use serde_json::{Map, Value as Json};
use turnwise_config::units::Scale;

/// A column that only some studies have: as it is measured, or in units of its own.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Column {
    /// What it is called.
    pub name: &'static str,
    from: &'static str,
    made: Made,
}

/// How a column is made of the one that it is from.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Made {
    /// As it is measured.
    Measured,
    /// In another unit, which is so many of its own.
    Times(f64),
    /// Text of JSON, with the same columns in ns and Gb/s as rows have, where a cycle is so many ns and a flit in a
    /// cycle so many Gb/s.
    Parts([Option<f64>; 2]),
}

impl Column {
    /// A column of rows as it is.
    pub(crate) fn measured(name: &'static str) -> Self {
        Self {
            name,
            from: name,
            made: Made::Measured,
        }
    }

    /// A column of what was measured of parts of the row.
    pub(super) fn parts(name: &'static str, scale: &Scale) -> Self {
        Self {
            name,
            from: name,
            made: Made::Parts([scale.nanoseconds(), scale.gigabits()]),
        }
    }

    /// Has it text of parts rather than a figure?
    pub(crate) fn is_of_parts(&self) -> bool {
        matches!(self.made, Made::Parts(_))
    }

    /// The column of rows that it is made from.
    pub(crate) fn from(&self) -> &'static str {
        self.from
    }

    /// Is it told to the last digit? Makespans are held against those of other programs.
    fn is_exact(&self) -> bool {
        self.from == "makespan"
    }

    /// What a row has for it.
    pub fn cell(&self, row: &Row) -> Cell {
        match self.made {
            Made::Measured => row.cell(self.from).clone(),
            Made::Times(factor) => {
                let own = row.figure(self.from).map(|figure| figure * factor);
                match self.is_exact() {
                    true => own.and_then(exact).map_or(Cell::Nothing, Cell::Number),
                    false => own.into(),
                }
            }
            Made::Parts(factors) => {
                let parts = row.parts(self.from).cloned();
                let text = parts.map(|mut parts| {
                    extend_parts(&derived(factors), &mut parts);
                    parts.to_string()
                });
                text.as_deref().into()
            }
        }
    }
}

/// The columns that rows have on this scale, after all others.
pub(super) fn columns(scale: &Scale) -> Vec<Column> {
    derived([scale.nanoseconds(), scale.gigabits()])
}

/// The columns in ns and in Gb/s, as far as these are known.
fn derived([nanoseconds, gigabits]: [Option<f64>; 2]) -> Vec<Column> {
    let of = |all: &'static [Derived], factor: Option<f64>| {
        let column = move |factor| {
            let made = Made::Times(factor);
            all.iter()
                .map(move |&(name, from)| Column { name, from, made })
        };
        factor.into_iter().flat_map(column)
    };
    of(TIMES, nanoseconds).chain(of(RATES, gigabits)).collect()
}

/// Adds the columns to a row that has been written as an object.
pub(super) fn extend(columns: &[Column], object: &mut Map<String, Json>) {
    for column in columns {
        let Made::Times(factor) = column.made else {
            continue;
        };
        let known = match object.get(column.from) {
            None => continue,
            Some(figure) => figure.as_f64(),
        };
        let as_json = if column.is_exact() { exactly } else { number };
        let own = known.map_or(Json::Null, |figure| as_json(figure * factor));
        object.insert(column.name.to_owned(), own);
    }
    for parts in PART_COLUMNS {
        if let Some(parts) = object.get_mut(parts) {
            extend_parts(columns, parts);
        }
    }
}

/// Adds them to each of the parts.
fn extend_parts(columns: &[Column], parts: &mut Json) {
    for part in parts.as_array_mut().into_iter().flatten() {
        if let Some(part) = part.as_object_mut() {
            extend(columns, part);
        }
    }
}
