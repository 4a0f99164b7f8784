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
//! * A key is the path of a field in one of the tables `network`, `routing`, `router`,
//!   `traffic` and `simulation`; quoting it is optional. The field need not exist without
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
mod range;
mod values;
mod zip;

use std::num::NonZeroU32;

use turnwise_network::diagnostic::Diagnostic;
use turnwise_network::document::{Value, deserialize};

use self::axes::Axes;
use self::condition::{Condition, Scope};

/// The most points a study may have, before `where` leaves any out.
pub const MOST_POINTS: usize = 1_000_000;

/// One question of a study, ready to be read into typed specifications.
#[derive(Clone, Debug, PartialEq)]
pub struct Point {
    /// Its place in the study's order, from 0.
    pub index: usize,
    /// The swept fields and their values here, in the order of the sweep.
    pub fields: Vec<(String, Value)>,
    /// Which repetition this is, from 0.
    pub repeat: u32,
    /// The study with the swept fields filled in, without `[sweep]` and without what does
    /// not change the answer (names, descriptions, threads).
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
}

impl Sweep {
    /// Reads `[sweep]` and `study.repeat` of a study.
    ///
    /// # Errors
    ///
    /// Everything that is wrong with them. Whether a swept value suits its field is not
    /// known here: that comes out when a point's document is read.
    pub fn read(document: &Value) -> Result<Self, Vec<Diagnostic>> {
        let mut errors = Vec::new();
        let repeat = document
            .at_path("study.repeat")
            .map_or(Some(NonZeroU32::MIN), |value| {
                deserialize(value, &mut errors)
            })
            .map_or(1, NonZeroU32::get);
        let mut base = document.clone();
        let sweep = base.table_mut().and_then(|root| root.remove("sweep"));
        let axes = match &sweep {
            Some(sweep) => Axes::read(sweep, document, &mut errors),
            None => Axes::default(),
        };
        strip_words(&mut base);
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
                Condition::read(value, Scope { axes, base }, &mut errors)
            }
            None => Vec::new(),
        };
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
        })
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

    /// Point number `index`, if there are so many.
    pub fn point(&self, index: usize) -> Option<Point> {
        let repeats = self.repeat as usize;
        let combination = *self.kept.get(index / repeats)?;
        let mut document = self.base.clone();
        for &axis in self.axes.outermost_first() {
            let (key, value) = (self.axes.key(axis), self.axes.value(axis, combination));
            // Reading made sure that every swept path can be set.
            let set = document.set_path(&key.name, key.span, value.clone());
            debug_assert_eq!(set, Ok(()));
        }
        let fields = self.axes.iter().enumerate().map(|(number, axis)| {
            let value = self.axes.value(number, combination);
            (axis.key.name.clone(), value.clone())
        });
        Some(Point {
            index,
            fields: fields.collect(),
            repeat: (index % repeats) as u32,
            document,
        })
    }

    /// All points in order.
    pub fn iter(&self) -> impl Iterator<Item = Point> {
        (0..self.len()).filter_map(|index| self.point(index))
    }
}

/// All points of a study at once.
///
/// # Errors
///
/// See [`Sweep::read`].
pub fn expand(document: &Value) -> Result<Vec<Point>, Vec<Diagnostic>> {
    Ok(Sweep::read(document)?.iter().collect())
}

/// Fields that do not change the answer.
const WORDS: [(&str, &[&str]); 2] = [
    ("study", &["repeat", "name", "title", "description"]),
    ("simulation", &["threads"]),
];

/// Removes what does not change the answer, so that it does not change the identity.
fn strip_words(base: &mut Value) {
    let Some(root) = base.table_mut() else { return };
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
