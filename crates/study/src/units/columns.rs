//! Columns of rows that say in ns and Gb/s what others say in cycles and flits per cycle.
//!
//! They are worked out where rows are written: what is stored knows no clock, so that a clock can be
//! added to a study, or changed, without a simulation running again.

use crate::columns::{Derived, RATES, TIMES};
use crate::row::{Cell, Row, number};
use serde_json::{Map, Value as Json};
use turnwise_config::units::Scale;

/// A column that only some studies have: as it is measured, or in units of its own.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Column {
    /// What it is called.
    pub name: &'static str,
    from: &'static str,
    /// `None` if the figure is the measured one.
    factor: Option<f64>,
}

impl Column {
    /// A column of rows as it is.
    pub(crate) fn measured(name: &'static str) -> Self {
        Self {
            name,
            from: name,
            factor: None,
        }
    }

    /// The column of rows that it is made from.
    pub(crate) fn from(&self) -> &'static str {
        self.from
    }

    /// What a row has for it.
    pub fn cell(&self, row: &Row) -> Cell {
        let Some(factor) = self.factor else {
            return row.cell(self.from).clone();
        };
        row.figure(self.from).map(|figure| figure * factor).into()
    }
}

/// The columns that rows have on this scale, after all others.
pub(super) fn columns(scale: &Scale) -> Vec<Column> {
    let derived = |all: &'static [Derived], factor: Option<f64>| {
        let column = move |factor| {
            let factor = Some(factor);
            all.iter()
                .map(move |&(name, from)| Column { name, from, factor })
        };
        factor.into_iter().flat_map(column)
    };
    derived(TIMES, scale.nanoseconds())
        .chain(derived(RATES, scale.gigabits()))
        .collect()
}

/// Adds the columns to a row that has been written as an object.
pub(super) fn extend(columns: &[Column], object: &mut Map<String, Json>) {
    for column in columns {
        let Some(factor) = column.factor else {
            continue;
        };
        let known = match object.get(column.from) {
            None => continue,
            Some(figure) => figure.as_f64(),
        };
        let own = known.map_or(Json::Null, |figure| number(figure * factor));
        object.insert(column.name.to_owned(), own);
    }
    for parts in ["classes", "jobs"] {
        let parts = object.get_mut(parts).and_then(Json::as_array_mut);
        for part in parts.into_iter().flatten() {
            if let Some(part) = part.as_object_mut() {
                extend(columns, part);
            }
        }
    }
}
