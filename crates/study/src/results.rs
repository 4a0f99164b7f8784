//! The rows of a study in memory: a study may have a million of them.
//!
//! A row is a JSON object of some thirty columns, which as a tree takes kilobytes; here it is
//! the text of its values, without the names that all rows have in common.

use crate::row::{COLUMNS, Row};
use crate::sweep::PointId;
use serde_json::{Map, Value as Json};
use std::collections::BTreeMap;

/// Results by point identity. They do not say what their points are: that is for the plan to
/// say, see [`Plan::row`](crate::Plan::row).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Results {
    rows: BTreeMap<PointId, Box<str>>,
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

    /// A point's row, without the swept fields of the point.
    pub fn get(&self, id: &PointId) -> Option<Row> {
        Some(unpacked(self.rows.get(id)?))
    }
}

/// The values of all columns in order, and an object of what else there is.
fn packed(row: &Row) -> Box<str> {
    let columns = COLUMNS.iter().map(|column| row.0.get(*column));
    let mut values: Vec<Json> = columns
        .map(|value| value.cloned().unwrap_or(Json::Null))
        .collect();
    let is_other = |name: &str| name != "point" && !COLUMNS.contains(&name);
    let others = row.0.iter().filter(|(name, _)| is_other(name));
    let others: Map<String, Json> = others
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect();
    if !others.is_empty() {
        values.push(others.into());
    }
    Json::Array(values).to_string().into()
}

fn unpacked(text: &str) -> Row {
    let mut values: Vec<Json> = serde_json::from_str(text).unwrap_or_default();
    let others = match values.len() > COLUMNS.len() {
        true => values.pop(),
        false => None,
    };
    let names = COLUMNS.iter().map(|column| (*column).to_owned());
    let mut row = Map::new();
    row.insert("point".into(), Map::new().into());
    row.extend(names.zip(values));
    if let Some(Json::Object(others)) = others {
        row.extend(others);
    }
    Row(row)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_row_comes_back_as_it_was_but_for_its_point() {
        let values = [
            json!(null),
            json!(0.1),
            json!(true),
            json!("a\"b"),
            json!(-3),
            json!([1, {"x": 2}]),
        ];
        let columns = COLUMNS.iter().zip(values.iter().cycle());
        let mut row: Map<String, Json> = columns
            .map(|(name, value)| ((*name).to_owned(), value.clone()))
            .collect();
        for more in [None, Some("other")] {
            row.extend(more.map(|name| (name.to_owned(), json!(7))));
            let id = PointId {
                hash: 1,
                file: more.map(|_| 2),
            };
            let mut results = Results::new();
            let mut whole = row.clone();
            whole.insert("point".into(), json!({"traffic.load": 0.1}));
            results.insert(id, &Row(whole));
            results.insert(id, &Row(Map::new()));
            let found = results.get(&id).unwrap().0;
            let mut expected = Map::new();
            expected.insert("point".into(), json!({}));
            expected.extend(row.clone());
            assert_eq!(found, expected);
            assert!(found.keys().eq(expected.keys()), "the order is part of it");
        }
    }
}
