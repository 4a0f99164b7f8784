//! Fields of a table for people, and those of the tables inside it.

use serde_json::Value as Json;
use turnwise_study::schema::{forms, quantity, required_fields, tables_inside};

/// The fields of the table at `path`, and behind them those of each table inside it.
pub(super) fn fields(path: &str, table: &Json) -> String {
    let mut text = rows(table);
    for inner in tables_inside(path, table) {
        let (paths, what) = (inner.paths.join(", "), description(&inner.table));
        let heading = format!("fields of {paths}: {what}");
        text.push_str(&format!("\n{}\n", heading.trim_end()));
        text.push_str(&rows(&inner.table));
    }
    text
}

/// One line per field: name, description, unit, default; below it the words to choose from, if there
/// are only so many.
fn rows(table: &Json) -> String {
    let required = required_fields(table);
    let mut rows: Vec<(&str, String)> = Vec::new();
    for (name, field) in table["properties"].as_object().into_iter().flatten() {
        let default = match &field["default"] {
            _ if required.contains(name) => " (required)".to_owned(),
            Json::Null => String::new(),
            value => format!(" (default {value})"),
        };
        let unit = quantity(field).map_or(String::new(), |quantity| {
            format!(" (with a unit: \"{}\")", quantity.example())
        });
        rows.push((name, description(field) + &unit + &default));
        let choices = choices(field);
        let width = choices
            .iter()
            .map(|(word, _)| word.len())
            .max()
            .unwrap_or(0);
        rows.extend(choices.iter().map(|(word, what)| {
            (
                "",
                format!("  \"{word}\"{:1$}  {what}", "", width - word.len()),
            )
        }));
    }
    if rows.is_empty() {
        return "  none\n".to_owned();
    }
    let width = rows.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
    rows.iter()
        .map(|(name, what)| format!("  {name:<width$}  {what}\n"))
        .collect()
}

/// What a schema says of itself, in one line.
pub(super) fn description(schema: &Json) -> String {
    schema["description"]
        .as_str()
        .unwrap_or_default()
        .replace('\n', " ")
}

/// The words that fit a field, with their descriptions.
fn choices(field: &Json) -> Vec<(&str, String)> {
    let mut found: Vec<(&str, String)> = forms(field).flat_map(choices).collect();
    found.extend(
        field["const"]
            .as_str()
            .map(|word| (word, description(field))),
    );
    found.extend(
        field["enum"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(|word| Some((word.as_str()?, String::new()))),
    );
    found
}
