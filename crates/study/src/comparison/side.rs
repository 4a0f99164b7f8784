//! The results of one side: its points, each with the rows of its repetitions.

use crate::naming::Fields;
use crate::plan::Plan;
use crate::proofs::Proofs;
use crate::results::Results;
use crate::row::{Row, to_json};
use serde_json::{Map, Value as Json};
use std::collections::{BTreeMap, BTreeSet};

/// One set of results.
#[derive(Clone, Debug, Default)]
pub struct Side {
    /// What it is called.
    pub name: String,
    groups: Vec<Group>,
    /// Is it known what values count that are written in units? Not of rows alone.
    counts: bool,
    /// Where a point is among them, as counted and as written.
    places: [BTreeMap<String, usize>; 2],
}

/// A point.
#[derive(Clone, Debug)]
pub(super) struct Group {
    /// What tells it from others, as written, without the repetition.
    pub(super) point: Fields,
    /// The same in cycles and flits, as far as that is known.
    counted: Fields,
    pub(super) rows: Vec<Row>,
    /// What was proved of its routing.
    pub(super) verdict: Option<String>,
}

impl Group {
    /// Are all simulations the same, packet by packet?
    pub(super) fn is_same(&self, other: &Self) -> bool {
        fn prints(group: &Group) -> Option<Vec<&str>> {
            let rows = group.rows.iter();
            rows.map(|row| row.text("fingerprint")).collect()
        }
        let (own, others) = (prints(self), prints(other));
        own.is_some() && own == others
    }

    /// Is this very simulation of this repetition there?
    fn has(&self, row: &Row) -> bool {
        fn of(row: &Row) -> Option<(Option<&Json>, &str)> {
            Some((row.point.get("repeat"), row.text("fingerprint")?))
        }
        let own = of(row);
        own.is_some() && self.rows.iter().any(|other| of(other) == own)
    }

    /// Are several repetitions the same simulation, so that there is no chance in it?
    pub(super) fn is_without_chance(&self) -> bool {
        let repetitions = self.rows.iter().map(|row| row.point.get("repeat"));
        let prints = self.rows.iter().map(|row| row.text("fingerprint"));
        let all: Vec<_> = repetitions.zip(prints).collect();
        let is_repeated = all.windows(2).all(|pair| pair[0].0 != pair[1].0);
        let is_same = all.windows(2).all(|pair| pair[0].1 == pair[1].1);
        all.len() > 1 && is_repeated && is_same && all[0].1.is_some()
    }
}

impl Side {
    /// A study's results. `fields` are those that the other side sweeps: a point is told apart by them
    /// as well, whatever this study says of them.
    pub fn of_plan(
        name: &str,
        plan: &Plan,
        results: &Results,
        proofs: &Proofs,
        fields: &BTreeSet<String>,
    ) -> Self {
        let mut side = Self::default().called(name);
        side.counts = true;
        for (index, row) in proofs.rows(plan, results) {
            let mut point = row.point.clone();
            let count = |(name, written): (&String, &Json)| {
                let value = plan.value(name, index).map(to_json);
                (name.clone(), value.unwrap_or_else(|| written.clone()))
            };
            let mut counted: Fields = point.iter().map(count).collect();
            let is_absent = |field: &&String| !row.point.contains_key(*field);
            let absent: Vec<&String> = fields.iter().filter(is_absent).collect();
            // A point's document is made anew, and most often nobody asks for more than its row has.
            let planned = match absent.is_empty() {
                true => None,
                false => plan.point(index),
            };
            for field in absent {
                let value = planned.as_ref();
                let value = value.and_then(|planned| planned.point.document.at_path(field));
                let value = value.map(|value| (field.clone(), to_json(value)));
                counted.extend(value.clone());
                point.extend(value);
            }
            side.add([point, counted], row);
        }
        side
    }

    /// Rows as `run --format json` prints them, one on a line.
    ///
    /// # Errors
    /// The number of the first line that is none, and why.
    pub fn of_lines(text: &str) -> Result<Self, (usize, String)> {
        let mut side = Self::default();
        // Windows programs put a byte order mark in front of their text files.
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let lines = text.lines().enumerate();
        for (number, line) in lines.filter(|(_, line)| !line.trim().is_empty()) {
            let fail = |why: String| (number + 1, why);
            let mut object: Map<String, Json> =
                serde_json::from_str(line).map_err(|error| fail(format!("no row: {error}")))?;
            let verdict = object.remove("verdict");
            let mut row = Row::from_object(object).map_err(|why| fail(format!("the row {why}")))?;
            row.verdict = verdict.as_ref().and_then(Json::as_str).map(Into::into);
            side.add([row.point.clone(), row.point.clone()], row);
        }
        Ok(side)
    }

    /// The same by this name.
    pub fn called(mut self, name: &str) -> Self {
        name.clone_into(&mut self.name);
        self
    }

    /// The fields that tell its points apart.
    pub fn fields(&self) -> BTreeSet<String> {
        let fields = self.groups.iter().flat_map(|group| group.point.keys());
        fields.cloned().collect()
    }

    /// Are there no results?
    pub fn is_empty(&self) -> bool {
        self.groups.is_empty()
    }

    /// Adds a row of a point, which is given as written and as counted.
    fn add(&mut self, [mut point, mut counted]: [Fields; 2], row: Row) {
        point.remove("repeat");
        counted.remove("repeat");
        let keys = [key(&counted), key(&point)];
        let verdict = row.text("verdict").map(str::to_owned);
        match self.places[0]
            .get(&keys[0])
            .and_then(|&at| self.groups.get_mut(at))
        {
            // Shards may have printed a point several times.
            Some(group) if group.has(&row) => {}
            Some(group) => group.rows.push(row),
            None => {
                for (places, key) in self.places.iter_mut().zip(keys) {
                    places.insert(key, self.groups.len());
                }
                self.groups.push(Group {
                    point,
                    counted,
                    rows: vec![row],
                    verdict,
                });
            }
        }
    }

    /// The same point here: one that counts the same or, where one of the two does not know what units count, one that is written the same.
    fn find(&self, group: &Group, of: &Self) -> Option<&Group> {
        let [counted, written] = &self.places;
        let place = counted.get(&key(&group.counted));
        let place = match self.counts && of.counts {
            true => place,
            false => place.or_else(|| written.get(&key(&group.point))),
        };
        self.groups.get(*place?)
    }

    /// Points that both have, in the order of this side.
    pub(super) fn shared<'a>(
        &'a self,
        other: &'a Self,
    ) -> impl Iterator<Item = (&'a Group, &'a Group)> {
        let groups = self.groups.iter();
        groups.filter_map(|group| Some((group, other.find(group, self)?)))
    }

    /// Points that the other side does not have.
    pub(super) fn without(&self, other: &Self) -> Vec<Fields> {
        let groups = self.groups.iter();
        let alone = groups.filter(|group| other.find(group, self).is_none());
        alone.map(|group| group.point.clone()).collect()
    }
}

/// A text that two points share if and only if their fields have the same values, in whatever order.
fn key(point: &Fields) -> String {
    let sorted: BTreeMap<&String, String> = point
        .iter()
        .map(|(name, value)| (name, value_key(value)))
        .collect();
    format!("{sorted:?}")
}

/// `1` and `1.0` are the same number.
fn value_key(value: &Json) -> String {
    match value {
        Json::Number(number) => number
            .as_f64()
            .map_or_else(|| number.to_string(), |number| format!("{number:?}")),
        Json::Object(table) => key(table),
        Json::Array(items) => {
            let items: Vec<String> = items.iter().map(value_key).collect();
            format!("{items:?}")
        }
        other => other.to_string(),
    }
}
