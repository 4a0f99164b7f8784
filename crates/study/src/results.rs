//! The rows of a study in memory: a study may have a million of them.
//!
//! A row has some thirty cells, which as values take a kilobyte; here they are text.

use crate::provenance::REVISION;
use crate::row::Row;
use crate::sweep::PointId;
use std::collections::BTreeMap;
use std::path::Path;
use turnwise_config::diagnostic::count;

/// Results by point identity. They do not say what their points are: that is for the plan to
/// say, see [`Plan::row`](crate::Plan::row).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Results {
    rows: BTreeMap<PointId, Box<str>>,
    /// By revision of the program that they are of, if not this one's: how many.
    others: BTreeMap<String, usize>,
}

impl Results {
    /// None yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Are there none?
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Is there a result of this point?
    pub fn contains_key(&self, id: &PointId) -> bool {
        self.rows.contains_key(id)
    }

    /// Adds a point's row; a point that is there already keeps its first row.
    pub fn insert(&mut self, id: PointId, row: &Row) {
        self.rows.entry(id).or_insert_with(|| packed(row));
    }

    /// Adds a row that was found, of the revision of the program it is of. A point that is there already keeps its first row.
    pub(crate) fn insert_found(&mut self, id: PointId, row: &Row, revision: String) {
        if revision != REVISION && !self.contains_key(&id) {
            *self.others.entry(revision).or_default() += 1;
        }
        self.insert(id, row);
    }

    /// The revisions of the program, of this version, that found results are of beside its own, and of how many.
    pub fn others(&self) -> impl Iterator<Item = (&str, usize)> {
        self.others
            .iter()
            .map(|(revision, &count)| (&**revision, count))
    }

    /// What is to be said of results of other revisions, which are in this folder: what was changed since is not in them.
    pub fn found_again(&self, stored: &Path) -> Option<String> {
        let said =
            |(revision, number)| format!("{} of revision {revision}", count(number, "result"));
        let others: Vec<String> = self.others().map(said).collect();
        (!others.is_empty()).then(|| {
            format!(
                "found again, not simulated: {}, where this is {REVISION}; without {} all are simulated anew",
                others.join(", "),
                stored.display()
            )
        })
    }

    /// A point's row, without the swept fields of the point.
    pub fn get(&self, id: &PointId) -> Option<Row> {
        Some(unpacked(self.rows.get(id)?))
    }
}

/// The text of which cells they are, of all cells, of the classes and of the jobs.
fn packed(row: &Row) -> Box<str> {
    let text = serde_json::to_string(&(row.kind(), &row.cells, [&row.classes, &row.jobs]));
    text.unwrap_or_default().into()
}

fn unpacked(text: &str) -> Row {
    match serde_json::from_str(text) {
        Ok((kind, cells, parts)) => Row::unpacked(kind, cells, parts),
        Err(_) => Row::nothing(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::row::Cell;
    use serde_json::json;

    #[test]
    fn a_row_comes_back_as_it_was_but_for_its_point() {
        let values = [
            Cell::Nothing,
            Cell::Number(serde_json::Number::from_f64(0.1).unwrap()),
            Cell::Flag(true),
            Cell::Text("a\"b".into()),
            Cell::from(u64::MAX),
        ];
        for classes in [None, Some(json!([1, {"x": 2}]))] {
            let mut row = Row::nothing();
            let cells = row.cells.iter_mut().zip(values.iter().cycle());
            cells.for_each(|(cell, value)| *cell = value.clone());
            row.classes = classes.clone().map(Box::new);
            row.jobs = classes.clone().map(|_| Box::new(json!([{"makespan": 7}])));
            let id = PointId {
                hash: 1,
                file: classes.map(|_| 2),
            };
            let mut results = Results::new();
            let mut whole = row.clone();
            whole.point.insert("traffic.load".into(), json!(0.1));
            results.insert(id, &whole);
            results.insert(id, &Row::nothing());
            results.insert_found(id, &Row::nothing(), "another".into());
            assert_eq!(results.get(&id).unwrap(), row);
            assert_eq!(results.others().next(), None);
        }
    }
}
