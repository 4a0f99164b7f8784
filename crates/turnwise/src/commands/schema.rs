//! `turnwise schema`: the JSON schema of study files, and what the columns of results are.

use crate::arguments::SchemaArguments;
use crate::failure::{Failure, Status};
use crate::output;
use serde_json::{Value as Json, json};
use turnwise_study::{columns, schema};

pub(crate) fn schema(arguments: &SchemaArguments) -> Result<Status, Failure> {
    output::print(&match arguments.columns {
        true => columns(),
        false => schema::text(),
    })?;
    Ok(Status::Fine)
}

/// An array with a column a line.
fn columns() -> String {
    let column = |about: columns::About| {
        let unit = (!about.unit.is_empty()).then_some(about.unit);
        let (kind, meaning) = (about.kind.name(), about.meaning);
        json!({ "name": about.name, "type": kind, "unit": unit, "meaning": meaning })
    };
    let lines: Vec<String> = columns::all()
        .map(column)
        .map(|column: Json| format!("  {column}"))
        .collect();
    format!("[\n{}\n]\n", lines.join(",\n"))
}
