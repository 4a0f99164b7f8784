//! Results as an Arrow record batch: typed columns that say what they hold and in which unit.
//!
//! Columns are those of `results.csv`. Their fields carry `unit` and `meaning` as metadata, and the whole what it is of: turnwise and its
//! version, the digest of the study, seed and platform.
//! A swept field is a column of numbers, truth values or texts if all its values are; tables and arrays are
//! texts of JSON.

use crate::columns::{Kind, about};
use crate::plan::Plan;
use crate::proofs::Proofs;
use crate::row::{COLUMNS, Cell, Row};
use crate::schema::unit_of_field;
use crate::store::Results;
use arrow_array::{ArrayRef, BooleanArray, Float64Array, Int64Array, RecordBatch, StringArray};
use arrow_schema::{ArrowError, DataType, Field, Metadata, Schema};
use serde_json::Value as Json;
use std::sync::Arc;

/// All results there are, in the order of the points.
///
/// # Errors
/// None: columns are as long as each other.
pub fn record_batch(
    plan: &Plan,
    results: &Results,
    proofs: &Proofs,
) -> Result<RecordBatch, ArrowError> {
    let rows: Vec<Row> = proofs.rows(plan, results).map(|(_, row)| row).collect();
    let repeat = plan.is_repeated().then_some("repeat");
    let keys = plan.keys.iter().map(String::as_str).chain(repeat);
    let mut columns: Vec<(Field, ArrayRef)> = keys.map(|key| swept(key, &rows)).collect();
    let usual = COLUMNS.iter().copied().chain(["verdict"]);
    columns.extend(usual.map(|name| measured(name, rows.iter().map(|row| row.cell(name).clone()))));
    for column in plan.columns() {
        let cells = rows.iter().map(|row| column.cell(row));
        columns.push(measured(column.name, cells));
    }
    let (fields, arrays): (Vec<Field>, Vec<ArrayRef>) = columns.into_iter().unzip();
    let provenance = plan.provenance_of(results);
    let provenance = provenance.into_iter().collect::<Metadata>();
    let schema = Schema::new_with_metadata(fields, provenance);
    RecordBatch::try_new(Arc::new(schema), arrays)
}

/// A column of what was measured.
fn measured(name: &str, cells: impl Iterator<Item = Cell>) -> (Field, ArrayRef) {
    let about = about(name);
    let number = |cell: &Cell| match cell {
        Cell::Number(number) => Some(number.clone()),
        _ => None,
    };
    let array: ArrayRef = match about.map_or(Kind::Figure, |about| about.kind) {
        Kind::Flag => Arc::new(BooleanArray::from_iter(cells.map(|cell| match cell {
            Cell::Flag(flag) => Some(flag),
            _ => None,
        }))),
        Kind::Count => Arc::new(Int64Array::from_iter(
            cells.map(|cell| number(&cell)?.as_i64()),
        )),
        Kind::Figure => Arc::new(Float64Array::from_iter(
            cells.map(|cell| number(&cell)?.as_f64()),
        )),
        Kind::Word => Arc::new(StringArray::from_iter(cells.map(|cell| match cell {
            Cell::Text(text) => Some(text),
            _ => None,
        }))),
    };
    let metadata = about.into_iter().flat_map(|about| {
        let all = [("unit", about.unit), ("meaning", about.meaning)];
        all.into_iter().filter(|(_, words)| !words.is_empty())
    });
    (field(name, &array, metadata), array)
}

/// A column of a swept field's values.
fn swept(key: &str, rows: &[Row]) -> (Field, ArrayRef) {
    let values = || rows.iter().map(|row| row.point.get(key));
    let known = || values().flatten().filter(|value| !value.is_null());
    let array: ArrayRef = if known().all(Json::is_i64) {
        Arc::new(Int64Array::from_iter(values().map(|value| value?.as_i64())))
    } else if known().all(Json::is_number) {
        Arc::new(Float64Array::from_iter(
            values().map(|value| value?.as_f64()),
        ))
    } else if known().all(Json::is_boolean) {
        Arc::new(BooleanArray::from_iter(
            values().map(|value| value?.as_bool()),
        ))
    } else {
        let text = |value: &Json| match value {
            Json::Null => None,
            Json::String(text) => Some(text.clone()),
            other => Some(other.to_string()),
        };
        Arc::new(StringArray::from_iter(values().map(|value| text(value?))))
    };
    let unit = unit_of_field(key).filter(|_| array.data_type().is_numeric());
    let unit = unit.map(|unit| ("unit", unit));
    let metadata = unit.into_iter().chain([("meaning", "swept field")]);
    (field(key, &array, metadata), array)
}

fn field<'a>(
    name: &str,
    array: &ArrayRef,
    metadata: impl IntoIterator<Item = (&'a str, &'a str)>,
) -> Field {
    let kind: DataType = array.data_type().clone();
    let metadata = metadata.into_iter();
    let metadata = metadata.map(|(key, words)| (key.to_owned(), words.to_owned()));
    Field::new(name, kind, true).with_metadata(metadata.collect::<Metadata>())
}
