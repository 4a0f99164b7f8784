//! `turnwise describe`: a table of a study with its fields, or one entry of a registry with its
//! parameters and an example.

use crate::arguments::{DescribeArguments, Table};
use crate::failure::{Failure, Status};
use crate::output;
use clap::ValueEnum;
use serde_json::Value as Json;
use turnwise_network::diagnostic::suggestion;
use turnwise_network::registry::{Entry, find};
use turnwise_network::topologies;
use turnwise_study::schema::{TABLES, own};

pub(crate) fn describe(arguments: &DescribeArguments) -> Result<Status, Failure> {
    let text = match (arguments.table, &arguments.name) {
        (Table::Network, Some(name)) => page(topologies::REGISTRY, name, "network", "kind"),
        (Table::Routing, Some(name)) => page(turnwise_routing::REGISTRY, name, "routing", "kind"),
        (Table::Traffic, Some(name)) => {
            page(turnwise_workload::REGISTRY, name, "traffic", "pattern")
        }
        (Table::Formats, _) => Err(Failure::plain(
            "formats have no parameters; `turnwise list formats` says it all",
        )),
        (table, field) => table_page(table, field.as_deref()),
    }?;
    output::print(&text)?;
    Ok(Status::Fine)
}

/// A whole table, or one field of it.
fn table_page(table: Table, field: Option<&str>) -> Result<String, Failure> {
    let value = table.to_possible_value();
    let name = value.as_ref().map_or("", |value| value.get_name());
    let Some(table) = TABLES.iter().find(|table| table.name == name) else {
        return Err(Failure::plain(format!("there is no table called `{name}`")));
    };
    let mut schema = (table.schema)();
    if let (Some(field), Some(fields)) = (field, schema["properties"].as_object_mut()) {
        if !fields.contains_key(field) {
            let names = || fields.keys().map(String::as_str);
            let help = suggestion(field, "the fields are", names(), names());
            return Err(Failure::Plain(
                format!("there is no field called `{field}` in [{name}]"),
                Some(help),
            ));
        }
        fields.retain(|known, _| known == field);
    }
    let fields = parameters(&schema);
    Ok(format!("[{name}]: {}\n\nfields:\n{fields}", table.summary))
}

fn page<T: ?Sized>(
    registry: &[Entry<T>],
    name: &str,
    table: &str,
    key: &str,
) -> Result<String, Failure> {
    let Some(entry) = find(registry, name) else {
        let names = || registry.iter().map(|entry| entry.name);
        let help = suggestion(name, "the names are", names(), names());
        return Err(Failure::Plain(
            format!("there is no {table} called `{name}`"),
            Some(help),
        ));
    };
    let mut text = format!("{}: {}\n", entry.name, entry.summary);
    if !entry.aliases.is_empty() {
        text.push_str(&format!("also called: {}\n", entry.aliases.join(", ")));
    }
    text.push_str(&format!("source: {}\n\nparameters:\n", entry.source));
    text.push_str(&parameters(&own((entry.schema)())));
    text.push_str(&format!(
        "\nexample:\n  [{table}]\n  {key} = \"{}\"\n",
        entry.name
    ));
    for line in entry.example.lines() {
        text.push_str(&format!("  {line}\n"));
    }
    Ok(text)
}

/// One line per property of a schema: name, first sentence of its description, default; below
/// it the words to choose from, if there are only so many.
fn parameters(schema: &Json) -> String {
    let required: Vec<&str> = schema["required"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(Json::as_str)
        .collect();
    let properties = schema["properties"].as_object();
    let mut rows: Vec<(String, String)> = Vec::new();
    for (name, property) in properties.into_iter().flatten() {
        let default = match &property["default"] {
            _ if required.contains(&name.as_str()) => " (required)".to_owned(),
            Json::Null => String::new(),
            value => format!(" (default {value})"),
        };
        rows.push((name.clone(), description(property) + &default));
        let choices = choices(property);
        let width = choices
            .iter()
            .map(|(word, _)| word.len())
            .max()
            .unwrap_or(0);
        rows.extend(choices.iter().map(|(word, what)| {
            (
                String::new(),
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

fn description(schema: &Json) -> String {
    schema["description"]
        .as_str()
        .unwrap_or_default()
        .replace('\n', " ")
}

/// The words that fit a property, with their descriptions.
fn choices(property: &Json) -> Vec<(&str, String)> {
    let alternatives = ["oneOf", "anyOf"]
        .iter()
        .flat_map(|key| property[*key].as_array().into_iter().flatten());
    let mut found: Vec<(&str, String)> = alternatives.flat_map(choices).collect();
    found.extend(
        property["const"]
            .as_str()
            .map(|word| (word, description(property))),
    );
    found.extend(
        property["enum"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(|word| Some((word.as_str()?, String::new()))),
    );
    found
}
