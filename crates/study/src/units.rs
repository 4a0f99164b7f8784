//! Times, sizes and rates of a study as the cycles, flits and loads they stand for.
//!
//! `[study]` may say how long a cycle is (`clock`) and how large a flit (`flit_size`). Values with a
//! unit are then counted here, in one pass over the tree and before anything reads it, so that a
//! point is the same point however its values were written. Which fields count what is read off the
//! schema. Both keys lie in `[study]` because they hold for the whole study: they change no answer,
//! only how it is told.

mod columns;
mod words;

pub use columns::{Column, Derived, RATES, TIMES};

use serde_json::{Map, Value as Json};
use std::collections::BTreeMap;
use std::fmt;
use turnwise_config::diagnostic::{Diagnostic, Invalid};
use turnwise_config::document::{Kind, Step, Value, steps};
use turnwise_config::units::{Clock, FlitSize, Quantity, Scale};

/// By the path of a field, with `[]` for every index: what it counts.
pub type Fields = BTreeMap<String, Quantity>;

/// How a study's values with units are to be understood.
#[derive(Clone, Debug, Default)]
pub struct Units {
    /// How long a cycle is and how large a flit, as far as the study says.
    pub scale: Scale,
    fields: Fields,
}

/// A value that was rounded up to whole cycles or flits.
#[derive(Clone, Debug, PartialEq)]
pub struct Rounded {
    /// Path of the field.
    pub field: String,
    /// What stands there.
    pub written: String,
    /// How much that is in cycles or flits.
    pub exactly: f64,
    /// What was made of it.
    pub became: i64,
    /// Cycles or flits.
    pub quantity: Quantity,
}

/// What came to light while values were counted.
#[derive(Debug, Default)]
pub struct Counted {
    /// Each different one once, in the order of the text.
    pub rounded: Vec<Rounded>,
    /// Values that make no sense.
    pub errors: Vec<Diagnostic>,
}

impl Units {
    /// Reads `study.clock` and `study.flit_size`; `fields` is asked for only if some text of the
    /// study could be a value with a unit.
    pub fn read(
        document: &Value,
        fields: impl FnOnce() -> Fields,
        errors: &mut Vec<Diagnostic>,
    ) -> Self {
        let mut known = Known { document, errors };
        let scale = Scale {
            clock: known.read("study.clock", Clock::parse, "1 ns"),
            flit_size: known.read("study.flit_size", FlitSize::parse, "1 GiB"),
        };
        let fields = match may_have_units(document) {
            true => fields(),
            false => Fields::new(),
        };
        Self { scale, fields }
    }

    /// The value at a path of a point, with whatever has a unit in it counted.
    pub(crate) fn counted(&self, path: &str, value: &Value, counted: &mut Counted) -> Value {
        let mut value = value.clone();
        if !self.fields.is_empty() {
            self.count(&mut anywhere(path), &mut value, counted);
        }
        value
    }

    fn count(&self, path: &mut String, value: &mut Value, counted: &mut Counted) {
        let length = path.len();
        match &mut value.kind {
            Kind::Table(table) => {
                for (key, inner) in table.iter_mut() {
                    if length > 0 {
                        path.push('.');
                    }
                    path.push_str(&key.name);
                    self.count(path, inner, counted);
                    path.truncate(length);
                }
            }
            Kind::Array(values) => {
                path.push_str("[]");
                for inner in values {
                    self.count(path, inner, counted);
                }
                path.truncate(length);
            }
            Kind::String(_) => self.count_text(path, value, counted),
            Kind::Boolean(_) | Kind::Integer(_) | Kind::Float(_) => {}
        }
    }

    fn count_text(&self, path: &str, value: &mut Value, counted: &mut Counted) {
        let (Some(&quantity), Some(text)) = (self.fields.get(path), value.as_str()) else {
            return;
        };
        let count = match self.scale.count(text, quantity) {
            Ok(Some(count)) => count,
            Ok(None) => return,
            Err(invalid) => {
                let error = invalid.locate(value);
                // All values of a range stand at one place.
                if counted
                    .errors
                    .iter()
                    .all(|other| other.place != error.place)
                {
                    counted.errors.push(error);
                }
                return;
            }
        };
        if let (Some(exactly), Kind::Integer(became)) = (count.exactly, &count.number) {
            let rounded = Rounded {
                field: path.to_owned(),
                written: text.to_owned(),
                exactly,
                became: *became,
                quantity,
            };
            if !counted.rounded.contains(&rounded) {
                counted.rounded.push(rounded);
            }
        }
        value.kind = count.number;
    }
}

impl Units {
    /// The columns that rows have beside those of every study.
    pub fn columns(&self) -> Vec<Column> {
        columns::columns(&self.scale)
    }

    /// Adds these columns to a row that has been written as a JSON object, and to its classes.
    pub fn extend(&self, row: &mut Map<String, Json>) {
        columns::extend(&self.columns(), row);
    }

    /// A cycle, a flit and a channel, each a name and words; empty if the study does not say.
    pub fn facts(&self) -> Vec<(String, String)> {
        words::facts(&self.scale)
    }
}

impl fmt::Display for Rounded {
    fn fmt(&self, text: &mut fmt::Formatter<'_>) -> fmt::Result {
        text.write_str(&words::rounded(self))
    }
}

/// Where a study says what its units are.
struct Known<'a> {
    document: &'a Value,
    errors: &'a mut Vec<Diagnostic>,
}

impl Known<'_> {
    /// The value at a path, if there is one. Where it makes no sense, a `sensible` one stands for it:
    /// that is one mistake, and not as many as there are values with units.
    fn read<T>(
        &mut self,
        path: &str,
        parse: fn(&str) -> Result<T, Invalid>,
        sensible: &str,
    ) -> Option<T> {
        let value = self.document.at_path(path)?;
        let known = match value.as_str() {
            Some(text) => parse(text).map_err(|invalid| self.errors.push(invalid.locate(value))),
            // Told by whoever reads the table.
            None => Err(()),
        };
        known.or_else(|()| parse(sensible)).ok()
    }
}

/// Is there a text with a digit? Others have no units.
fn may_have_units(value: &Value) -> bool {
    match &value.kind {
        Kind::String(text) => text.contains(|character: char| character.is_ascii_digit()),
        Kind::Array(values) => values.iter().any(may_have_units),
        Kind::Table(table) => table.iter().any(|(_, value)| may_have_units(value)),
        Kind::Boolean(_) | Kind::Integer(_) | Kind::Float(_) => false,
    }
}

/// A path whose indices are all the same.
fn anywhere(path: &str) -> String {
    let mut text = String::new();
    for step in steps(path) {
        match step {
            Step::Key(name) if text.is_empty() => text.push_str(name),
            Step::Key(name) => text.extend([".", name]),
            Step::Index(_) => text.push_str("[]"),
        }
    }
    text
}
