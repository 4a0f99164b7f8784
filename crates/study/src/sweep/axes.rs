//! The keys of a sweep, which of them move together, and how their combinations count.

use std::collections::BTreeSet;

use crate::outline::{ROOTS, THREADS};
use crate::schema;
use crate::units::{Counted, Units};
use turnwise_config::diagnostic::Diagnostic;
use turnwise_config::document::{Key, Kind, Step, Table, Value, steps};

use super::spelling::flat;
use super::{values, zip};

/// Keys of `[sweep]` that are no paths.
const RESERVED: [&str; 2] = ["zip", "where"];

/// One swept field.
#[derive(Clone, Debug)]
pub(super) struct Axis {
    /// Its path, and where that is written.
    pub(super) key: Key,
    /// What it runs through, in cycles and flits.
    pub(super) values: Vec<Value>,
    /// The same as it is written, if that is something else.
    written: Option<Vec<Value>>,
    /// An override leaves nothing to run through: there is one value.
    pub(super) fixed: bool,
    /// Number of the group of fields that it moves together with.
    pub(super) group: usize,
}

/// All swept fields.
#[derive(Clone, Debug, Default)]
pub(super) struct Axes {
    axes: Vec<Axis>,
    /// Number of values of each group of fields that move together; first is slowest.
    lengths: Vec<usize>,
    outermost_first: Vec<usize>,
}

impl Axes {
    pub(super) fn read(
        sweep: &Value,
        document: &Value,
        units: &Units,
        counted: &mut Counted,
        errors: &mut Vec<Diagnostic>,
    ) -> Self {
        let mut axes = Vec::new();
        match sweep.table() {
            Some(table) => collect(table, document, &mut axes, errors),
            None => {
                let message = format!("expected a table, found {}", sweep.describe());
                errors.push(Diagnostic::at(sweep.span, message));
            }
        }
        axes.iter_mut().for_each(|axis| axis.count(units, counted));
        let zips = match sweep.at_path("zip") {
            Some(groups) => zip::read(groups, &axes, errors),
            None => Vec::new(),
        };
        let mut outermost_first: Vec<usize> = (0..axes.len()).collect();
        outermost_first.sort_by_key(|&axis| steps(&axes[axis].key.name).len());
        let lengths = assign_groups(&mut axes, &zips);
        let axes = Self {
            axes,
            lengths,
            outermost_first,
        };
        axes.refuse_repetition(errors);
        axes.refuse_blocked_paths(document, errors);
        axes
    }

    pub(super) fn iter(&self) -> impl ExactSizeIterator<Item = &Axis> {
        self.axes.iter()
    }

    pub(super) fn key(&self, axis: usize) -> &Key {
        &self.axes[axis].key
    }

    /// Numbers of the fields, such that a table comes before what lies in it.
    pub(super) fn outermost_first(&self) -> &[usize] {
        &self.outermost_first
    }

    /// How many combinations of values there are, at most `usize::MAX`.
    pub(super) fn combinations(&self) -> usize {
        let product = |all: usize, &length: &usize| all.saturating_mul(length);
        self.lengths.iter().fold(1, product)
    }

    /// The value of a field in a combination.
    pub(super) fn value(&self, axis: usize, combination: u32) -> &Value {
        &self.axes[axis].values[self.place(axis, combination)]
    }

    /// The same as it is written.
    pub(super) fn written(&self, axis: usize, combination: u32) -> &Value {
        &self.axes[axis].as_written()[self.place(axis, combination)]
    }

    /// Which of its values a field has in a combination.
    pub(super) fn place(&self, axis: usize, combination: u32) -> usize {
        let (length, faster) = self.group(self.axes[axis].group);
        (combination / faster % length) as usize
    }

    /// How many values the fields of a group run through, and how many combinations of the
    /// groups after it there are while they stay at one.
    pub(super) fn group(&self, group: usize) -> (u32, u32) {
        let faster: usize = self.lengths[group + 1..].iter().product();
        (self.lengths[group] as u32, faster as u32)
    }

    /// The innermost swept field around (or at) `path`, and the path inside its value.
    pub(super) fn around(&self, path: &str) -> Option<(usize, String)> {
        let path = steps(path);
        let outer = |axis: usize| steps(&self.axes[axis].key.name);
        let lies_in = |&&axis: &&usize| path.starts_with(&outer(axis));
        let axis = *self.outermost_first.iter().rfind(lies_in)?;
        Some((axis, join(&path[outer(axis).len()..])))
    }

    /// Two equal points would be stored as one, so they must be a mistake.
    fn refuse_repetition(&self, errors: &mut Vec<Diagnostic>) {
        for (group, &length) in self.lengths.iter().enumerate() {
            let axes = self.axes.iter();
            let members: Vec<&Axis> = axes.filter(|axis| axis.group == group).collect();
            let mut seen = BTreeSet::new();
            for row in 0..length {
                let values = || members.iter().filter_map(|axis| axis.values.get(row));
                let texts: Vec<String> = values().map(Value::canonical).collect();
                let text = texts.join(", ");
                if seen.insert(texts) {
                    continue;
                }
                if let Some(value) = values().next() {
                    let counted = members.iter().any(|axis| axis.written.is_some());
                    let written = members.iter().filter_map(|axis| axis.as_written().get(row));
                    let written: Vec<String> = written.map(Value::canonical).collect();
                    let message = match counted {
                        false => format!("{text} appears more than once"),
                        // Unequal texts may mean the same.
                        true => format!(
                            "{}, counted as {text}, appears more than once",
                            written.join(", ")
                        ),
                    };
                    errors.push(Diagnostic::at(value.span, message));
                }
                break;
            }
        }
    }

    /// Every path must be settable in every value of the swept field around it, or, if
    /// there is none, in the study itself.
    fn refuse_blocked_paths(&self, document: &Value, errors: &mut Vec<Diagnostic>) {
        for axis in &self.axes {
            let path = steps(&axis.key.name);
            let outer = (1..path.len()).rev().find_map(|length| {
                let (outer, rest) = self.around(&join(&path[..length]))?;
                rest.is_empty().then_some((outer, length))
            });
            let (holders, length) = match outer {
                Some((outer, length)) => (self.axes[outer].values.as_slice(), length),
                None => (std::slice::from_ref(document), 0),
            };
            let rest = join(&path[length..]);
            let blocked = holders.iter().find_map(|holder| {
                let mut holder = holder.clone();
                let value = axis.values[0].clone();
                holder.set_path(&rest, axis.key.span, value).err()
            });
            if let Some(invalid) = blocked {
                let reason = invalid.under(&join(&path[..length]));
                let message = format!("`{}` cannot be set: {reason}", axis.key.name);
                errors.push(Diagnostic::at(axis.key.span, message));
            }
        }
    }
}

fn join(path: &[Step<'_>]) -> String {
    let mut text = String::new();
    for step in path {
        match step {
            Step::Key(name) if text.is_empty() => text.push_str(name),
            Step::Key(name) => text.extend([".", name]),
            Step::Index(index) => text.push_str(&format!("[{index}]")),
        }
    }
    text
}

/// Reads the fields of `[sweep]`.
fn collect(table: &Table, document: &Value, axes: &mut Vec<Axis>, errors: &mut Vec<Diagnostic>) {
    for (key, value) in table.iter() {
        if RESERVED.contains(&key.name.as_str()) || !is_in_a_known_table(key, errors) {
            continue;
        }
        for (key, value) in flat(key.clone(), value) {
            axes.extend(read_axis(key, value, document, axes, errors));
        }
    }
}

fn is_in_a_known_table(key: &Key, errors: &mut Vec<Diagnostic>) -> bool {
    let root = match steps(&key.name).first() {
        Some(Step::Key(root)) => *root,
        _ => "",
    };
    let known = ROOTS.contains(&root);
    if !known {
        let names = ROOTS.into_iter().chain(RESERVED);
        let help = schema::help(root, "what can be swept lies in", names, ROOTS);
        let message = format!("`{}` cannot be swept", key.name);
        errors.push(Diagnostic::at(key.span, message).with_help(help));
    }
    known
}

/// Nobody compares what changes no answer.
fn refuse_threads(key: &Key, values: &[Value], errors: &mut Vec<Diagnostic>) {
    let path = steps(THREADS);
    let Some(rest) = path.strip_prefix(steps(&key.name).as_slice()) else {
        return;
    };
    let places = match rest {
        [] => vec![key.span],
        rest => {
            let fields = values.iter().filter_map(|value| value.at_path(&join(rest)));
            fields.map(|field| field.span).collect()
        }
    };
    errors.extend(places.into_iter().map(|place| {
        let message = format!("`{THREADS}` cannot be swept: it changes no result");
        let help = "write one number in the study's [simulation], or --threads";
        Diagnostic::at(place, message).with_help(help)
    }));
}

fn read_axis(
    key: Key,
    value: &Value,
    document: &Value,
    others: &[Axis],
    errors: &mut Vec<Diagnostic>,
) -> Option<Axis> {
    if steps(&key.name).contains(&Step::Key("")) {
        let message = format!("`{}` is not the path of a field", key.name);
        let help = "write names with dots between them, such as \"traffic.load\"";
        errors.push(Diagnostic::at(key.span, message).with_help(help));
        return None;
    }
    let same = |other: &Axis| steps(&other.key.name) == steps(&key.name);
    if others.iter().any(same) {
        let message = format!("`{}` is swept twice", key.name);
        errors.push(Diagnostic::at(key.span, message));
        return None;
    }
    let written = document.at_path(&key.name);
    let overridden = written.filter(|written| written.span.source > value.span.source);
    if let (Some(written), None) = (written, overridden)
        && let Some(lost) = newer(written, value.span.source)
    {
        let message = format!("the sweep over `{}` replaces this", key.name);
        let help = format!("override the sweep: sweep.{}=[...]", key.name);
        errors.push(Diagnostic::at(lost.span, message).with_help(help));
    }
    let values = values::read(value, errors);
    // A field whose values make no sense stays known, lest `zip` and `where` miss it.
    let (values, fixed) = match (overridden, values) {
        (None, Some(values)) => (values, false),
        (one, _) => (vec![one.unwrap_or(value).clone()], true),
    };
    refuse_threads(&key, &values, errors);
    Some(Axis {
        key,
        values,
        written: None,
        fixed,
        group: 0,
    })
}

impl Axis {
    /// What it runs through, as it is written.
    fn as_written(&self) -> &[Value] {
        self.written.as_ref().unwrap_or(&self.values)
    }

    /// Counts what its values say in units.
    fn count(&mut self, units: &Units, counted: &mut Counted) {
        let path = &self.key.name;
        let values = self.values.iter();
        let values: Vec<Value> = values
            .map(|value| units.counted(path, value, counted))
            .collect();
        if values != self.values {
            self.written = Some(std::mem::replace(&mut self.values, values));
        }
    }
}

/// Something inside `value` that was written by a later override than number `source`.
fn newer(value: &Value, source: u16) -> Option<&Value> {
    if value.span.source > source {
        return Some(value);
    }
    match &value.kind {
        Kind::Table(table) => table.iter().find_map(|(_, value)| newer(value, source)),
        Kind::Array(values) => values.iter().find_map(|value| newer(value, source)),
        _ => None,
    }
}

/// Numbers the groups in order of their first fields and returns their lengths.
fn assign_groups(axes: &mut [Axis], zips: &[Vec<usize>]) -> Vec<usize> {
    let mut lengths = Vec::new();
    let mut numbers: Vec<Option<usize>> = vec![None; zips.len()];
    for (number, axis) in axes.iter_mut().enumerate() {
        let zip = zips.iter().position(|members| members.contains(&number));
        let zip = zip.filter(|_| !axis.fixed);
        axis.group = zip.and_then(|zip| numbers[zip]).unwrap_or(lengths.len());
        if axis.group == lengths.len() {
            lengths.push(axis.values.len());
        }
        if let Some(zip) = zip {
            numbers[zip] = Some(axis.group);
        }
        // Unequal lengths have been reported; until then, every index must be valid.
        lengths[axis.group] = lengths[axis.group].min(axis.values.len());
    }
    lengths
}
