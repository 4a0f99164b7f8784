//! Where a setting belongs, for who has written it without its table.

use super::{PROPERTIES, forms};
use serde_json::Value as Json;
use std::collections::BTreeSet;
use std::sync::LazyLock;
use turnwise_config::diagnostic::{listed, nearest, suggestion};

/// All tables with their settings, of whichever kind.
static SETTINGS: LazyLock<BTreeSet<(&'static str, String)>> = LazyLock::new(|| {
    let mut settings = BTreeSet::new();
    for (table, schema) in PROPERTIES {
        collect(table, &schema(), &mut settings);
    }
    settings
});

/// The tables that have a setting of this name, of whichever kind.
pub(crate) fn tables_with(name: &str) -> Vec<&'static str> {
    let settings = SETTINGS.iter().filter(|(_, setting)| setting == name);
    settings.map(|&(table, _)| table).collect()
}

/// Help with a name that is none of a table: what it may have been, and `what` the choices are. That is the nearest spelling of a table,
/// or else settings of this or a near name in the tables: `load` is `traffic.load`.
pub fn help<'a>(
    wrong: &str,
    what: &str,
    spellings: impl IntoIterator<Item = &'a str> + Clone,
    tables: impl IntoIterator<Item = &'a str> + Clone,
) -> String {
    let place = match nearest(wrong, spellings.clone()) {
        Some(_) => None,
        None => did_you_mean(wrong, tables.clone()),
    };
    let choices = suggestion(wrong, what, spellings, tables);
    match place {
        Some(question) => format!("{question} {choices}"),
        None => choices,
    }
}

fn did_you_mean<'a>(
    name: &str,
    tables: impl IntoIterator<Item = &'a str> + Clone,
) -> Option<String> {
    let is_asked = |table| tables.clone().into_iter().any(|other| other == table);
    let settings = SETTINGS.iter().filter(|(table, _)| is_asked(*table));
    let names = || settings.clone().map(|(_, setting)| setting.as_str());
    let exact = names().find(|&known| known == name);
    let name = exact.or_else(|| nearest(name, names()))?;
    let places = settings.clone().filter(|(_, setting)| setting == name);
    let paths: Vec<String> = places
        .map(|(table, setting)| format!("{table}.{setting}"))
        .collect();
    let one_of = if paths.len() > 1 { "one of " } else { "" };
    let paths = listed(paths.iter().map(String::as_str));
    Some(format!("did you mean {one_of}{paths}?"))
}

fn collect(table: &'static str, schema: &Json, settings: &mut BTreeSet<(&'static str, String)>) {
    for form in forms(schema) {
        collect(table, form, settings);
    }
    let fields = schema["properties"].as_object();
    let names = fields.into_iter().flat_map(|fields| fields.keys());
    settings.extend(names.map(|name| (table, name.clone())));
}
