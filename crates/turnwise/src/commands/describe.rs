//! `turnwise describe`: one entry of a registry, with its parameters and an example.

use crate::arguments::{DescribeArguments, Kind};
use crate::failure::{Failure, Status};
use crate::output;
use serde_json::Value as Json;
use turnwise_network::diagnostic::suggestion;
use turnwise_network::registry::{Entry, find};
use turnwise_network::topologies;

pub(crate) fn describe(arguments: &DescribeArguments) -> Result<Status, Failure> {
    let name = &arguments.name;
    let text = match arguments.kind {
        Kind::Networks => page(topologies::REGISTRY, name, "network", "kind"),
        Kind::Routings => page(turnwise_routing::REGISTRY, name, "routing", "kind"),
        Kind::Patterns => page(turnwise_workload::REGISTRY, name, "traffic", "pattern"),
        Kind::Formats => {
            return Err(Failure::plain(
                "formats have no parameters; `turnwise list formats` says it all",
            ));
        }
    }?;
    output::print(&text)?;
    Ok(Status::Fine)
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
    text.push_str(&parameters(&turnwise_study::schema::own((entry.schema)())));
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
