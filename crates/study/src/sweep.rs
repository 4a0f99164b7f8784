//! From one study to its points: the `[sweep]` table.
//!
//! ```toml
//! [study]
//! repeat = 3                                                # each point three times
//!
//! [sweep]
//! "traffic.load" = { from = 0.02, to = 0.60, step = 0.02 }  # up to and including `to`
//! "routing.bias" = { from = 0, to = 1, count = 5 }          # evenly spaced, both ends
//! "routing.kind" = ["minimal", "valiant"]                   # any values, even tables
//! "network.groups" = [9, 33]
//! "traffic.packet_flits" = [1, 8]
//! zip = [["network.groups", "traffic.packet_flits"]]        # these advance together
//! where = "routing.kind != 'minimal' or traffic.load <= 0.3"
//! ```
//!
//! * A key is the path of a field in one of the tables `network`, `routing`, `router`, `ethernet`,
//!   `traffic`, `workload`, `placement` and `simulation`; quoting it is optional. The field need not exist without
//!   the sweep. Whole tables can be swept (`routing = [{ kind = "minimal" }, ...]`), and
//!   fields inside such a table as well.
//! * The points are the product of all keys: the first one changes slowest, the
//!   repetition fastest. A range of whole numbers gives whole numbers; other values are
//!   rounded to 12 significant digits, so that the third step of 0.02 is 0.06, and none
//!   lies beyond `to`.
//! * `zip` lists groups of keys with equally many values which advance together, as one
//!   (`zip = ["a", "b"]` is short for a single group).
//! * `where` is a condition, or a list of conditions that must all hold. Conditions compare
//!   (`==`, `!=`, `<`, `<=`, `>`, `>=`) swept keys, any other values of the study, numbers,
//!   `'strings'`, `true` and `false`, and combine with `and`, `or`, `not` and
//!   parentheses. A field that a point does not have equals nothing.
//! * An override (`--set`) of a swept field wins: the sweep over it shrinks to that value.

mod axes;
mod condition;
mod identity;
mod parts;
mod range;
mod spelling;
mod values;
mod zip;

use std::num::NonZeroU32;

use turnwise_config::diagnostic::Diagnostic;
use turnwise_config::document::{Step, Value, deserialize, steps};

use crate::outline::MOST_POINTS;
use crate::units::{Counted, Rounded, Units};

use self::axes::Axes;
use self::condition::{Condition, Scope};
pub use self::identity::{Foreign, PointId};
pub use self::parts::Selection;
pub(crate) use self::spelling::{flat, swept_mut};

/// One question of a study, ready to be read into typed specifications.
#[derive(Clone, Debug, PartialEq)]
pub struct Point {
    /// Its place in the study's order, from 0.
    pub index: usize,
    /// The swept fields and their values here as they are written, in the order of the sweep.
    pub fields: Vec<(String, Value)>,
    /// Which repetition this is, from 0.
    pub repeat: u32,
    /// The study with the swept fields filled in, everything counted in cycles and flits, without
    /// `[sweep]` and without what does not change the answer (names, descriptions, threads).
    pub document: Value,
}

/// All points of a study, made one at a time so that a large study needs little memory.
#[derive(Clone, Debug)]
pub struct Sweep {
    base: Value,
    axes: Axes,
    /// The combinations which satisfy `where`, in order.
    kept: Vec<u32>,
    repeat: u32,
    /// Values with units that were not whole.
    rounded: Vec<Rounded>,
}

impl Sweep {
    /// Reads `[sweep]` and `study.repeat` of a study, and counts whatever has a unit.
    ///
    /// # Errors
    ///
    /// Everything that is wrong with them. Whether a swept value suits its field is not
    /// known here: that comes out when a point's document is read.
    pub fn read(document: &Value, units: &Units) -> Result<Self, Vec<Diagnostic>> {
        let mut errors = Vec::new();
        let mut counted = Counted::default();
        let repeat = document
            .at_path("study.repeat")
            .map_or(Some(NonZeroU32::MIN), |value| {
                deserialize(value, &mut errors)
            })
            .map_or(1, NonZeroU32::get);
        let mut base = document.clone();
        let sweep = base.table_mut().and_then(|root| root.remove("sweep"));
        strip_words(&mut base);
        let base = units.counted("", &base, &mut counted);
        let axes = match &sweep {
            Some(sweep) => Axes::read(sweep, document, units, &mut counted, &mut errors),
            None => Axes::default(),
        };
        let combinations = axes.combinations();
        let points = combinations.saturating_mul(repeat as usize);
        if points > MOST_POINTS {
            let place = sweep.as_ref().or(document.at_path("study.repeat"));
            let message = format!("these are {points} points, more than {MOST_POINTS}");
            errors.push(Diagnostic::at(place.unwrap_or(document).span, message));
        }
        let condition = sweep.as_ref().and_then(|sweep| sweep.at_path("where"));
        let conditions = match condition {
            Some(value) => {
                let axes = &axes;
                let base = &base;
                let scope = Scope { axes, base, units };
                Condition::read(value, scope, &mut errors)
            }
            None => Vec::new(),
        };
        errors.append(&mut counted.errors);
        if !errors.is_empty() {
            return Err(errors);
        }
        let mut kept = Vec::new();
        for combination in 0..combinations as u32 {
            let chosen = |axis: usize| axes.value(axis, combination);
            let mut holds = true;
            for condition in &conditions {
                holds = holds && condition.holds(&chosen).map_err(|error| vec![error])?;
            }
            if holds {
                kept.push(combination);
            }
        }
        if let (true, Some(condition)) = (kept.is_empty(), condition) {
            let message = "no point satisfies this condition";
            return Err(vec![Diagnostic::at(condition.span, message)]);
        }
        Ok(Self {
            base,
            axes,
            kept,
            repeat,
            rounded: counted.rounded,
        })
    }

    /// Values that were rounded up, in the order of the text.
    pub fn rounded(&self) -> &[Rounded] {
        &self.rounded
    }

    /// The study without its sweep, everything counted in cycles and flits.
    pub fn base(&self) -> &Value {
        &self.base
    }

    /// How many points there are.
    pub fn len(&self) -> usize {
        self.kept.len() * self.repeat as usize
    }

    /// Whether there are no points; a study that could be read has some.
    pub fn is_empty(&self) -> bool {
        self.kept.is_empty()
    }

    /// The swept fields, in the order of the sweep.
    pub fn keys(&self) -> impl Iterator<Item = &str> {
        self.axes.iter().map(|axis| axis.key.name.as_str())
    }

    /// The combination of values that a point has.
    fn combination(&self, index: usize) -> Option<u32> {
        self.kept.get(index / self.repeat as usize).copied()
    }

    /// How often each combination is repeated.
    pub fn repeat(&self) -> usize {
        self.repeat as usize
    }

    /// Point number `index`, if there are so many.
    pub fn point(&self, index: usize) -> Option<Point> {
        let combination = self.combination(index)?;
        let mut document = self.base.clone();
        self.fill(&mut document, self.axes.outermost_first(), combination);
        let fields = self.axes.iter().enumerate().map(|(number, axis)| {
            let value = self.axes.written(number, combination);
            (axis.key.name.clone(), value.clone())
        });
        Some(Point {
            index,
            fields: fields.collect(),
            repeat: (index % self.repeat as usize) as u32,
            document,
        })
    }

    /// All points in order.
    pub fn iter(&self) -> impl Iterator<Item = Point> {
        (0..self.len()).filter_map(|index| self.point(index))
    }
}

/// All points of a study without units at once.
///
/// # Errors
///
/// See [`Sweep::read`].
pub fn expand(document: &Value) -> Result<Vec<Point>, Vec<Diagnostic>> {
    Ok(Sweep::read(document, &Units::default())?.iter().collect())
}

/// Would the sweep supply what this error about the study without it misses?
///
/// Where `[sweep]` itself cannot be read, the rest of the study is looked at without it, and what
/// is swept need not be written there.
pub(crate) fn supplies(document: &Value, error: &Diagnostic) -> bool {
    let Some(sweep) = document.at_path("sweep").and_then(Value::table) else {
        return false;
    };
    let mut paths = Vec::new();
    for (key, value) in sweep.iter() {
        paths_of(&key.name, value, &mut paths);
    }
    let named = |before: &str, after: &str| {
        let name = error.message.strip_prefix(before)?;
        Some(name.strip_suffix(after)?.to_owned())
    };
    if let Some(tables) = named("the table [", "] is missing") {
        let mut missing = tables.split("] or [");
        return missing.any(|table| {
            let mut roots = paths.iter().filter_map(|path| steps(path).first().copied());
            roots.any(|root| root == Step::Key(table))
        });
    }
    let Some(field) = named("missing key `", "`") else {
        return false;
    };
    paths.iter().any(|path| match steps(path).as_slice() {
        [Step::Key(table)] => {
            let whole = document.at_path(table).map(|table| table.span);
            whole.is_some() && whole == error.place
        }
        path => path.contains(&Step::Key(&field)),
    })
}

/// The paths that a key of the sweep is about, also those written as tables in tables.
fn paths_of(path: &str, value: &Value, paths: &mut Vec<String>) {
    paths.push(path.to_owned());
    for (key, value) in value.entries() {
        paths_of(&format!("{path}.{}", key.name), value, paths);
    }
}

/// Fields that do not change the answer.
const WORDS: [(&str, &[&str]); 2] = [
    (
        "study",
        &[
            "repeat",
            "name",
            "title",
            "description",
            "scale",
            "clock",
            "flit_size",
        ],
    ),
    ("simulation", &["threads"]),
];

/// Removes what does not change the answer, so that it does not change the identity.
fn strip_words(base: &mut Value) {
    let Some(root) = base.table_mut() else { return };
    for table in ["report", "scale"] {
        root.remove(table);
    }
    for (name, fields) in WORDS {
        let Some(table) = root.get_mut(name).and_then(Value::table_mut) else {
            continue;
        };
        for field in fields {
            table.remove(field);
        }
        if table.is_empty() {
            root.remove(name);
        }
    }
}

#[cfg(test)]
mod tests;
