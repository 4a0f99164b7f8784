//! Tables of fields in Markdown.

use serde_json::{Map, Value as Json};
use std::fmt::Write;
use turnwise_study::schema::{Inner, required_fields, tables_inside};

pub(super) fn fields(schema: &Json) -> &Map<String, Json> {
    schema["properties"].as_object().unwrap()
}

pub(super) fn strings(array: &Json) -> impl Iterator<Item = &str> {
    array
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(Json::as_str)
}

/// A Markdown table of some fields, followed by what their named values mean.
pub(super) fn fields_table(schema: &Json, names: &[&String], text: &mut String) {
    if names.is_empty() {
        return;
    }
    let required = required_fields(schema);
    text.push_str("| field | type | default | meaning |\n|---|---|---|---|\n");
    for &name in names {
        let field = &schema["properties"][name.as_str()];
        let default = match &field["default"] {
            _ if required.contains(name) => "required".to_owned(),
            Json::Null => String::new(),
            value => format!("`{value}`"),
        };
        let meaning = field["description"].as_str().unwrap_or_default();
        writeln!(
            text,
            "| `{name}` | {} | {default} | {} |",
            cell(&kind(field)),
            cell(meaning)
        )
        .unwrap();
    }
    text.push('\n');
    let mut any = false;
    for &name in names {
        for (value, meaning) in named_values(&schema["properties"][name.as_str()]) {
            writeln!(text, "- `{name} = \"{value}\"`: {meaning}").unwrap();
            any = true;
        }
    }
    if any {
        text.push('\n');
    }
}

/// The tables inside those of these fields that have any.
pub(super) fn inside(path: &str, schema: &Json, names: &[&String]) -> Vec<Inner> {
    let mut some = schema.clone();
    let fields = some["properties"].as_object_mut().unwrap();
    fields.retain(|name, _| names.contains(&name));
    tables_inside(path, &some)
}

/// All fields of a table that is inside another.
pub(super) fn inner_table(inner: &Inner, text: &mut String) {
    if let Some(what) = inner.table["description"].as_str() {
        write!(text, "{what}\n\n").unwrap();
    }
    let names: Vec<&String> = fields(&inner.table).keys().collect();
    fields_table(&inner.table, &names, text);
}

/// Where a table is, as text of a page.
pub(super) fn places(inner: &Inner) -> String {
    format!("`{}`", inner.paths.join("`, `"))
}

/// The strings a field may be, with their meanings.
fn named_values(schema: &Json) -> Vec<(&str, &str)> {
    if let Some(value) = schema["const"].as_str() {
        return vec![(value, schema["description"].as_str().unwrap_or_default())];
    }
    let alternatives = ["oneOf", "anyOf"]
        .into_iter()
        .filter_map(|how| schema[how].as_array());
    alternatives.flatten().flat_map(named_values).collect()
}

/// A field's type in a few words.
fn kind(schema: &Json) -> String {
    let mut kinds: Vec<String> = Vec::new();
    let mut add = |kind: String| {
        if !kinds.contains(&kind) {
            kinds.push(kind);
        }
    };
    for alternative in ["oneOf", "anyOf"]
        .into_iter()
        .filter_map(|how| schema[how].as_array())
        .flatten()
    {
        match alternative["const"].as_str() {
            Some(_) => add("name".to_owned()),
            None if alternative["type"] == "null" => {}
            None => add(kind(alternative)),
        }
    }
    let types = match &schema["type"] {
        Json::String(name) => vec![name.as_str()],
        other => strings(other).collect(),
    };
    for name in types.into_iter().filter(|name| *name != "null") {
        add(match name {
            "array" => format!("list of {}", kind(&schema["items"])),
            "object" => "table".to_owned(),
            "integer" => "whole number".to_owned(),
            "boolean" => "true or false".to_owned(),
            "string" if schema["x-unit"].is_string() => "text with a unit".to_owned(),
            other => other.to_owned(),
        });
    }
    kinds.join(" or ")
}

/// Text as a cell of a Markdown table.
pub(super) fn cell(text: &str) -> String {
    text.replace('\n', " ").replace('|', "\\|")
}
