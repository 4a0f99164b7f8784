//! `turnwise describe`: a table of a study with its fields, or one entry of a registry with its
//! parameters and an example.

use crate::arguments::{DescribeArguments, Table};
use crate::failure::{Failure, Status};
use crate::output;
use clap::ValueEnum;
use serde_json::Value as Json;
use turnwise_config::diagnostic::suggestion;
use turnwise_config::registry::{Entry, Registered, find};
use turnwise_network::topologies;
use turnwise_study::schema::{TABLES, Table as StudyTable, forms, own, quantity};

pub(crate) fn describe(arguments: &DescribeArguments) -> Result<Status, Failure> {
    let name = arguments.name.as_deref();
    let text = match arguments.table {
        Table::Network => family_page(topologies::REGISTRY, arguments.table, name, "kind"),
        Table::Routing => family_page(turnwise_routing::REGISTRY, arguments.table, name, "kind"),
        Table::Traffic => family_page(
            turnwise_workload::REGISTRY,
            arguments.table,
            name,
            "pattern",
        ),
        Table::Workload => family_page(turnwise_workload::WORKLOADS, arguments.table, name, "kind"),
        Table::Placement => {
            family_page(turnwise_workload::PLACEMENTS, arguments.table, name, "kind")
        }
        Table::Formats => Err(Failure::plain(
            "formats have no parameters; `turnwise list formats` says it all",
        )),
        table => table_page(schema_of(table)?, name),
    }?;
    output::print(&text)?;
    Ok(Status::Fine)
}

fn schema_of(table: Table) -> Result<&'static StudyTable, Failure> {
    let value = table.to_possible_value();
    let name = value.as_ref().map_or("", |value| value.get_name());
    let found = TABLES.iter().find(|table| table.name == name);
    found.ok_or_else(|| Failure::plain(format!("there is no table called `{name}`")))
}

/// A whole table, or one field of it.
fn table_page(table: &StudyTable, field: Option<&str>) -> Result<String, Failure> {
    let name = table.name;
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

/// A table with entries of its own: the table, one entry, or a field that all or some have.
fn family_page<E: Registered>(
    registry: &[E],
    table: Table,
    name: Option<&str>,
    key: &str,
) -> Result<String, Failure> {
    let table = schema_of(table)?;
    let Some(name) = name else {
        return table_page(table, None);
    };
    if let Some(entry) = find(registry, name) {
        let page = entry_page(entry.entry(), table.name, key);
        // Its own fields are on its page.
        let own = entry.entry().name;
        let others: Vec<&E> = registry
            .iter()
            .filter(|line| line.entry().name != own)
            .collect();
        let also = field_page(&others, table.name, name, key);
        return Ok(also.map_or(page.clone(), |field| format!("{page}\n{field}")));
    }
    let shared = (table.schema)();
    let shared = shared["properties"].as_object();
    if shared.is_some_and(|fields| fields.contains_key(name)) {
        return table_page(table, Some(name));
    }
    if let Some(page) = field_page(registry, table.name, name, key) {
        return Ok(page);
    }
    let names = || registry.iter().map(|line| line.entry().name);
    let fields = shared.into_iter().flat_map(|fields| fields.keys());
    let all = names().chain(fields.map(String::as_str));
    let help = suggestion(name, "the names are", all, names());
    let table = table.name;
    Err(Failure::Plain(
        format!("there is no {table} called `{name}`, and no such field in [{table}]"),
        Some(help),
    ))
}

/// A field that some entries have, if any do.
fn field_page<E: Registered>(registry: &[E], table: &str, name: &str, key: &str) -> Option<String> {
    let holders = fields_called(registry, name);
    let rows: String = holders
        .iter()
        .map(|(entry, field)| format!("\n{key} = \"{entry}\":\n{field}"))
        .collect();
    (!holders.is_empty()).then(|| format!("[{table}] {name}: not everywhere the same\n{rows}"))
}

/// The entries that have a field of this name, and what it is there.
fn fields_called<E: Registered>(registry: &[E], name: &str) -> Vec<(&'static str, String)> {
    let entries = registry.iter().map(E::entry).filter_map(|entry| {
        let mut schema = own((entry.schema)());
        let fields = schema["properties"].as_object_mut()?;
        fields.retain(|known, _| known == name);
        let found = !fields.is_empty();
        found.then(|| (entry.name, parameters(&schema)))
    });
    entries.collect()
}

fn entry_page<T: ?Sized>(entry: &Entry<T>, table: &str, key: &str) -> String {
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
    text
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
        let unit = quantity(property).map_or(String::new(), |quantity| {
            format!(" (with a unit: \"{}\")", quantity.example())
        });
        rows.push((name.clone(), description(property) + &unit + &default));
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
    let mut found: Vec<(&str, String)> = forms(property).flat_map(choices).collect();
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
