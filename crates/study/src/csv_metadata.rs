//! What a CSV file of results is of, and what its columns hold: a file of JSON beside it.
//!
//! A CSV file says neither its units nor where it comes from. The W3C's *Metadata Vocabulary for Tabular Data* (Recommendation,
//! 2015) has a place for both, where its readers look by themselves: the file's name and `-metadata.json`. Types, units and meanings are those of
//! [`record_batch`](crate::record_batch).

use crate::plan::Plan;
use crate::results::Results;
use arrow_schema::{DataType, Field, Schema};
use serde_json::{Map, Value as Json, json};
use std::io::{self, Write};

/// Writes what is known of a study's rows in a CSV file of this name in the same folder, whose columns are those of the schema.
///
/// # Errors
/// Whatever writing says.
pub fn write(
    plan: &Plan,
    results: &Results,
    schema: &Schema,
    name: &str,
    out: &mut dyn Write,
) -> io::Result<()> {
    let columns: Vec<Json> = schema.fields().iter().map(|field| column(field)).collect();
    let provenance = plan.provenance_of(results).into_iter();
    let provenance: Map<String, Json> = provenance
        .map(|(name, value)| (name, Json::from(value)))
        .collect();
    let table = json!({
        "@context": "http://www.w3.org/ns/csvw",
        "url": name,
        "dc:title": plan.study.title.as_ref().unwrap_or(&plan.name),
        "notes": [provenance],
        "tableSchema": { "columns": columns },
    });
    serde_json::to_writer_pretty(&mut *out, &table)?;
    writeln!(out)
}

fn column(field: &Field) -> Json {
    let kind = match field.data_type() {
        DataType::Boolean => "boolean",
        DataType::Int64 => "integer",
        DataType::Float64 => "double",
        _ => "string",
    };
    let mut column = json!({ "titles": field.name(), "datatype": kind });
    for (key, property) in [("meaning", "dc:description"), ("unit", "schema:unitText")] {
        if let Some(words) = field.metadata().get(key) {
            column[property] = words.as_str().into();
        }
    }
    column
}
