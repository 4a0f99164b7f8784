//! `turnwise describe`: a table of a study with its fields, or one entry of a registry with its
//! parameters and an example; and whatever is inside them.

mod fields;
mod place;

use crate::arguments::{DescribeArguments, Table};
use crate::failure::{Failure, Status};
use crate::output;
use clap::ValueEnum;
use place::{Place, Way};
use turnwise_config::diagnostic::suggestion;
use turnwise_config::registry::{Entry, Registered, find};
use turnwise_network::topologies;
use turnwise_study::schema::{self, TABLES, Table as StudyTable, of_entry};

pub(crate) fn describe(arguments: &DescribeArguments) -> Result<Status, Failure> {
    let steps = arguments.steps();
    let text = match arguments.table() {
        Some(table) => page(table, &steps)?,
        None => pages(&steps)?,
    };
    output::print(&text)?;
    Ok(Status::Fine)
}

/// The tables in which something is chosen by its name.
const FAMILIES: [Table; 5] = [
    Table::Network,
    Table::Routing,
    Table::Traffic,
    Table::Workload,
    Table::Placement,
];

/// The names that can be chosen in a table, the other names of what they are called included.
fn names(table: Table) -> Vec<&'static str> {
    fn all<E: Registered>(registry: &'static [E]) -> Vec<&'static str> {
        let entries = registry.iter().map(E::entry);
        let names = entries.flat_map(|entry| std::iter::once(&entry.name).chain(entry.aliases));
        names.copied().collect()
    }
    match table {
        Table::Network => all(topologies::REGISTRY),
        Table::Routing => all(turnwise_routing::REGISTRY),
        Table::Traffic => all(turnwise_workload::REGISTRY),
        Table::Workload => all(turnwise_workload::WORKLOADS),
        Table::Placement => all(turnwise_workload::PLACEMENTS),
        _ => Vec::new(),
    }
}

/// The tables in which something of this name can be chosen.
fn homes(name: &str) -> impl Iterator<Item = Table> {
    FAMILIES
        .into_iter()
        .filter(move |&table| names(table).contains(&name))
}

/// What there is to say of a name of which the table is not told: of one in each table that has it.
fn pages(steps: &[&str]) -> Result<String, Failure> {
    let name = steps.first().copied().unwrap_or_default();
    let (mut pages, mut failure) = (Vec::new(), None);
    for table in homes(name) {
        match page(table, steps) {
            Ok(page) => pages.push(page),
            Err(why) => failure = failure.or(Some(why)),
        }
    }
    // What is in one of several tables need not be in the others.
    match (pages.is_empty(), failure) {
        (false, _) => return Ok(pages.join("\n")),
        (true, Some(why)) => return Err(why),
        (true, None) => {}
    }
    let tables = || TABLES.iter().map(|table| table.name);
    let known = tables().chain(FAMILIES.into_iter().flat_map(names));
    let help = schema::help(name, "the tables are", known, tables());
    Err(Failure::Plain(
        format!("nothing is called `{name}`"),
        Some(help),
    ))
}

/// What there is to say of a table, or of what is some steps inside it.
fn page(table: Table, steps: &[&str]) -> Result<String, Failure> {
    match table {
        Table::Network => family_page(topologies::REGISTRY, table, steps, "kind"),
        Table::Routing => family_page(turnwise_routing::REGISTRY, table, steps, "kind"),
        Table::Traffic => family_page(turnwise_workload::REGISTRY, table, steps, "pattern"),
        Table::Workload => family_page(turnwise_workload::WORKLOADS, table, steps, "kind"),
        Table::Placement => family_page(turnwise_workload::PLACEMENTS, table, steps, "kind"),
        Table::Formats => Err(Failure::plain(
            "formats have no parameters; `turnwise list formats` says it all",
        )),
        table => table_page(schema_of(table)?, steps),
    }
}

fn schema_of(table: Table) -> Result<&'static StudyTable, Failure> {
    let value = table.to_possible_value();
    let name = value.as_ref().map_or("", |value| value.get_name());
    let found = TABLES.iter().find(|table| table.name == name);
    found.ok_or_else(|| Failure::plain(format!("there is no table called `{name}`")))
}

/// A whole table, one inside it, or one field.
fn table_page(table: &StudyTable, steps: &[&str]) -> Result<String, Failure> {
    let place = Place::new(table.name, table.summary, (table.schema)());
    way_page(place.walk(steps)?)
}

/// What is at the end of a way.
fn way_page(way: Way<'_>) -> Result<String, Failure> {
    match way {
        Way::Found(place, only) => Ok(place.page(only)),
        Way::Elsewhere(table, steps) => {
            let table = Table::from_str(&table, false);
            page(table.map_err(Failure::plain)?, steps)
        }
    }
}

/// A table with entries of its own: the table, one entry, or a field that all or some have.
fn family_page<E: Registered>(
    registry: &[E],
    table: Table,
    steps: &[&str],
    key: &str,
) -> Result<String, Failure> {
    let table = schema_of(table)?;
    let Some((&name, rest)) = steps.split_first() else {
        return table_page(table, steps);
    };
    let entry = find(registry, name).map(E::entry);
    if let (Some(entry), []) = (entry, rest) {
        let page = entry_page(entry, table.name, key);
        // Its own fields are on its page.
        let others = registry
            .iter()
            .filter(|line| line.entry().name != entry.name);
        let also = field_page(others, table.name, steps, key);
        let also = also.map_or(Ok(String::new()), |field| Ok(format!("\n{}", field?)));
        return also.map(|field| page + &field);
    }
    let inside = entry.map(|entry| way_page(entry_place(entry, table.name).walk(rest)?));
    if let Some(Ok(page)) = inside {
        return Ok(page);
    }
    let shared = (table.schema)();
    let shared = shared["properties"].as_object();
    if shared.is_some_and(|fields| fields.contains_key(name)) {
        return table_page(table, steps);
    }
    if let Some(page) = field_page(registry.iter(), table.name, steps, key).or(inside) {
        return page;
    }
    let names = || registry.iter().map(|line| line.entry().name);
    let fields = shared.into_iter().flat_map(|fields| fields.keys());
    let all = names().chain(fields.map(String::as_str));
    let help = match homes(name).next() {
        Some(home) => format!(
            "`turnwise describe {} {name}` is of it",
            schema_of(home)?.name
        ),
        None => suggestion(name, "the names are", all, names()),
    };
    let table = table.name;
    Err(Failure::Plain(
        format!("there is no {table} called `{name}`, and no such field in [{table}]"),
        Some(help),
    ))
}

/// A field that some entries have, if any do; those in which it is the same are told together.
fn field_page<'a, E: Registered + 'a>(
    entries: impl Iterator<Item = &'a E>,
    table: &str,
    steps: &[&str],
    key: &str,
) -> Option<Result<String, Failure>> {
    let mut trouble = None;
    let mut found: Vec<(String, Vec<String>)> = Vec::new();
    for entry in entries.map(E::entry) {
        let place = entry_place(entry, table);
        if !steps.first().is_some_and(|name| place.has(name)) {
            continue;
        }
        let text = match place.walk(steps) {
            Ok(Way::Found(place, only)) => place.fields(only),
            Ok(way) => return Some(way_page(way)),
            Err(error) => {
                trouble = Some(Err(error));
                continue;
            }
        };
        let holder = format!("\"{}\"", entry.name);
        match found.iter_mut().find(|(known, _)| *known == text) {
            Some((_, holders)) => holders.push(holder),
            None => found.push((text, vec![holder])),
        }
    }
    let name = steps.join(".");
    let how = match found.len() {
        0 => return trouble,
        1 => "where there is one",
        _ => "not everywhere the same",
    };
    let groups: String = found
        .iter()
        .map(|(text, holders)| format!("\n{key} = {}:\n{text}", holders.join(", ")))
        .collect();
    Some(Ok(format!("[{table}] {name}: {how}\n{groups}")))
}

/// An entry as a table.
fn entry_place<T: ?Sized>(entry: &Entry<T>, table: &str) -> Place {
    Place::new(table, entry.summary, of_entry(entry))
}

fn entry_page<T: ?Sized>(entry: &Entry<T>, table: &str, key: &str) -> String {
    let mut text = format!("{}: {}\n", entry.name, entry.summary);
    if !entry.aliases.is_empty() {
        text.push_str(&format!("also called: {}\n", entry.aliases.join(", ")));
    }
    text.push_str(&format!("source: {}\n\nparameters:\n", entry.source));
    text.push_str(&entry_place(entry, table).fields(None));
    text.push_str(&format!(
        "\nexample:\n  [{table}]\n  {key} = \"{}\"\n",
        entry.name
    ));
    for line in entry.example.lines() {
        text.push_str(&format!("  {line}\n"));
    }
    text
}
