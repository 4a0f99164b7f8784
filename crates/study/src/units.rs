//! Times, sizes and rates of a study as the cycles, flits and loads they stand for.
//!
//! `[study]` may say how long a cycle is (`clock`) and how large a flit (`flit_size`). Values with a
//! unit are then counted here, in one pass over the tree and before anything reads it, so that a
//! point is the same point however its values were written. Which fields count what is read off the
//! schema. Both keys lie in `[study]` because they hold for the whole study: they change no answer,
//! only how it is told.

mod columns;
mod words;

pub use columns::Column;

use serde_json::{Map, Value as Json};
use std::collections::BTreeMap;
use std::fmt;
use turnwise_config::diagnostic::{Diagnostic, Invalid, Span};
use turnwise_config::document::{Kind, Step, Value, steps};
use turnwise_config::units::{Amount, Clock, FlitSize, Quantity, Scale};
use turnwise_workload::{CYCLE_NS, FLIT_BYTES, WORKLOADS};

/// By the path of a field, with `[]` for every index: what it counts.
pub type Fields = BTreeMap<String, Quantity>;

/// How a study's values with units are to be understood.
#[derive(Clone, Debug, Default)]
pub struct Units {
    /// How long a cycle is and how large a flit, as far as the study says.
    pub scale: Scale,
    /// Where the size of a flit stands.
    flit_size_at: Option<Span>,
    /// Asked for only if some value has a unit.
    fields: Option<&'static Fields>,
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

impl Counted {
    /// Notes an error. All values of a range stand at one place, and of these one is enough.
    fn complain(&mut self, error: Option<Diagnostic>) {
        let is_new =
            |error: &Diagnostic| self.errors.iter().all(|other| other.place != error.place);
        let error = error.filter(is_new);
        self.errors.extend(error);
    }
}

/// Tables that say how long a cycle is and how large a flit, each for itself, and that do not say the same. With [study] saying so all
/// have been told.
pub(crate) fn disagreements(document: &Value) -> impl Iterator<Item = Diagnostic> + '_ {
    let jobs = document.at_path("workload.jobs").and_then(Value::array);
    let jobs = (0..jobs.map_or(0, <[Value]>::len)).map(|job| format!("workload.jobs[{job}]"));
    let tables: Vec<String> = ["ethernet", "workload"]
        .map(str::to_owned)
        .into_iter()
        .chain(jobs)
        .collect();
    [CYCLE_NS, FLIT_BYTES].into_iter().filter_map(move |field| {
        let paths = tables.iter().map(|table| format!("{table}.{field}"));
        let mut said = paths.filter_map(|path| {
            let value = document.at_path(&path)?;
            Some((path, value, number(value)?))
        });
        let (first, _, known) = said.next()?;
        let (_, other, number) = said.find(|&(_, _, number)| !are_same(number, known))?;
        let message = format!("this is {number}, and `{first}` is {known}");
        let help = "a network has one clock and flits of one size; let [study] say them, or one of the tables";
        Some(Diagnostic::at(other.span, message).with_help(help))
    })
}

fn number(value: &Value) -> Option<f64> {
    match value.kind {
        Kind::Integer(number) => Some(number as f64),
        Kind::Float(number) => Some(number),
        _ => None,
    }
}

/// Either may have been written with fewer digits.
fn are_same(one: f64, other: f64) -> bool {
    (one - other).abs() <= 1e-6 * other.abs()
}

impl Units {
    /// Reads `study.clock` and `study.flit_size`; `fields` is asked for only if some text of the
    /// study could be a value with a unit.
    ///
    /// # Errors
    /// What is wrong with them, apart from their not being text, which whoever reads the table says.
    /// Nothing more can be said of the study then: every value with a unit would be one more mistake.
    pub fn read(
        document: &Value,
        fields: impl FnOnce() -> &'static Fields,
    ) -> Result<Self, Vec<Diagnostic>> {
        let (clock, size) = (
            read_text(document, "study.clock", Clock::parse),
            read_text(document, "study.flit_size", FlitSize::parse),
        );
        let (clock, flit_size) = match (clock, size) {
            (Ok(clock), Ok(size)) => (clock, size),
            (clock, size) => {
                let errors = clock.err().into_iter().chain(size.err());
                return Err(errors.flatten().collect());
            }
        };
        let fields = may_have_units(document).then(fields);
        let scale = Scale { clock, flit_size };
        let flit_size_at = document.at_path("study.flit_size");
        Ok(Self {
            scale,
            flit_size_at: flit_size_at.map(|value| value.span),
            fields,
        })
    }

    /// The value at a path of a point, with whatever has a unit in it counted.
    pub(crate) fn counted(&self, path: &str, value: &Value, counted: &mut Counted) -> Value {
        let mut value = value.clone();
        if let Some(fields) = self.fields {
            self.count(fields, &mut anywhere(path), &mut value, counted);
        }
        match path {
            "" => {
                for name in ["workload", "ethernet"] {
                    let table = value.table_mut().and_then(|table| table.get_mut(name));
                    if let Some(table) = table {
                        self.tell(name, table, counted);
                    }
                }
            }
            "workload" | "ethernet" => self.tell(path, &mut value, counted),
            "workload.jobs" => self.tell_jobs(&mut value, counted),
            // One of the jobs, if nothing in it.
            path if path.starts_with("workload.jobs[") && path.ends_with(']') => {
                self.tell("workload", &mut value, counted);
            }
            // A cycle or a flit that is swept by itself.
            path => {
                let field = path.rsplit_once('.').map(|(_, field)| field);
                let mut told = self.told(value.span);
                let told = told.find(|&(name, _)| Some(name) == field);
                counted.complain(told.and_then(|told| self.contradiction(&value, &told)));
            }
        }
        value
    }

    /// What a field says itself that is not what [study] says, as it would be written in the same place. Who says himself how large a flit is
    /// has none of broken bytes to be measured by.
    fn contradiction(&self, own: &Value, (field, told): &(&str, Value)) -> Option<Diagnostic> {
        let bits = self.scale.flit_size.map(FlitSize::bits);
        if *field == FLIT_BYTES && bits.is_some_and(|bits| bits % 8 != 0) {
            return None;
        }
        let (written, known) = (number(own)?, number(told)?);
        (!are_same(written, known)).then(|| {
            let message =
                format!("this is {written}, and by the study's own clock and flits it is {known}");
            Diagnostic::at(own.span, message).with_help("leave it out, or change what [study] says")
        })
    }

    /// What a cycle and a flit are by [study], as Ethernet and workloads would write it there.
    fn told(&self, span: Span) -> impl Iterator<Item = (&'static str, Value)> {
        let nanoseconds = self.scale.nanoseconds().map(Kind::Float);
        let bits = self.scale.flit_size.map(FlitSize::bits);
        // Rounded up where that is refused, so that nothing else is said of it.
        let bytes = bits.map(|bits| Kind::Integer(bits.div_ceil(8) as i64));
        let all = [(CYCLE_NS, nanoseconds), (FLIT_BYTES, bytes)];
        all.into_iter()
            .filter_map(move |(name, kind)| Some((name, Value { kind: kind?, span })))
    }

    /// Tells Ethernet, and a workload that counts time and bytes, what a cycle and a flit are, unless it says so itself. It becomes
    /// part of the point with that: with another clock it is another one. What it says itself must be what the study says.
    fn tell(&self, name: &str, table: &mut Value, counted: &mut Counted) {
        let jobs = table.table_mut().and_then(|table| table.get_mut("jobs"));
        if let Some(jobs) = jobs {
            self.tell_jobs(jobs, counted);
        }
        let kind = table.at_path("kind").and_then(Value::as_str);
        let line = WORKLOADS.iter().find(|line| kind == Some(line.entry.name));
        if name == "workload" && !line.is_some_and(|line| line.counts_bytes) {
            return;
        }
        let span = table.span;
        let bits = self.scale.flit_size.map(FlitSize::bits);
        let is_missing = table.at_path(FLIT_BYTES).is_none();
        let broken = bits.filter(|bits| bits % 8 != 0 && is_missing);
        if let (Some(bits), Some(at)) = (broken, self.flit_size_at) {
            let message = format!(
                "expected whole bytes, which the workload or Ethernet counts, found {bits} bits"
            );
            let help = "for example \"16 B\"";
            counted.complain(Some(Diagnostic::at(at, message).with_help(help)));
        }
        let Kind::Table(table) = &mut table.kind else {
            return;
        };
        for told in self.told(span) {
            match table.get(told.0) {
                None => {
                    table.insert(told.0, told.1);
                }
                Some(own) => counted.complain(self.contradiction(own, &told)),
            }
        }
    }

    fn tell_jobs(&self, jobs: &mut Value, counted: &mut Counted) {
        if let Kind::Array(jobs) = &mut jobs.kind {
            jobs.iter_mut()
                .for_each(|job| self.tell("workload", job, counted));
        }
    }

    fn count(&self, fields: &Fields, path: &mut String, value: &mut Value, counted: &mut Counted) {
        let length = path.len();
        match &mut value.kind {
            Kind::Table(table) => {
                for (key, inner) in table.iter_mut() {
                    if length > 0 {
                        path.push('.');
                    }
                    path.push_str(&key.name);
                    self.count(fields, path, inner, counted);
                    path.truncate(length);
                }
            }
            Kind::Array(values) => {
                path.push_str("[]");
                for inner in values {
                    self.count(fields, path, inner, counted);
                }
                path.truncate(length);
            }
            Kind::String(_) => self.count_text(fields, path, value, counted),
            Kind::Boolean(_) | Kind::Integer(_) | Kind::Float(_) => {}
        }
    }

    fn count_text(&self, fields: &Fields, path: &str, value: &mut Value, counted: &mut Counted) {
        let (Some(&quantity), Some(text)) = (fields.get(path), value.as_str()) else {
            return;
        };
        let count = match self.scale.count(text, quantity) {
            Ok(Some(count)) => count,
            Ok(None) => return,
            Err(invalid) => {
                counted.complain(Some(invalid.locate(value)));
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

    /// A column of what was measured of parts of rows, such as their classes.
    pub(crate) fn column_of_parts(&self, name: &'static str) -> Column {
        Column::parts(name, &self.scale)
    }

    /// Adds these columns to a row that has been written as a JSON object, and to its classes.
    pub fn extend(&self, row: &mut Map<String, Json>) {
        columns::extend(&self.columns(), row);
    }

    /// What a report says beside cycles and flits.
    pub fn of_report(&self) -> turnwise_report::Units {
        turnwise_report::Units {
            nanoseconds: self.scale.nanoseconds(),
            gigabits: self.scale.gigabits(),
        }
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

/// What a text of the study says, if there is one; no complaint about what is no text.
fn read_text<T>(
    document: &Value,
    path: &str,
    parse: fn(&str) -> Result<T, Invalid>,
) -> Result<Option<T>, Option<Diagnostic>> {
    let Some(value) = document.at_path(path) else {
        return Ok(None);
    };
    let known = value.as_str().map(parse).ok_or(None)?;
    known
        .map(Some)
        .map_err(|invalid| Some(invalid.locate(value)))
}

/// Is there a text that could be a value with a unit, or a condition with one in quotes? Only then
/// is it worth asking what fields count.
fn may_have_units(value: &Value) -> bool {
    match &value.kind {
        Kind::String(text) => text.split(['\'', '"']).any(Amount::is_meant),
        Kind::Array(values) => values.iter().any(may_have_units),
        Kind::Table(table) => table
            .iter()
            .any(|(key, value)| key.name != "study" && may_have_units(value)),
        Kind::Boolean(_) | Kind::Integer(_) | Kind::Float(_) => false,
    }
}

/// A path whose indices are all the same.
pub(crate) fn anywhere(path: &str) -> String {
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
