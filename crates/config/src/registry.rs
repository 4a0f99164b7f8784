//! Registries: everything that can be named in a study, described by itself.
//!
//! A registry is a const slice of [`Entry`]s, one line per algorithm, topology or pattern, or of what
//! [holds one](Registered).
//! Parsing, `turnwise list`, `turnwise describe`, the JSON schema, completions and the
//! reference pages are all read off this slice, so that adding one thing is one file and
//! one line.
//!
//! An entry's parameters are a struct that derives `Deserialize` and `JsonSchema`; the
//! keys which belong to the family rather than to the entry (the selecting key itself,
//! and what every member of the family understands) are named once by [`Family`]:
//!
//! ```
//! use schemars::JsonSchema;
//! use serde::Deserialize;
//! use turnwise_config::registry::{Entry, Family, parse_as, schema_of};
//!
//! trait Shape {
//!     fn corners(&self) -> u32;
//! }
//!
//! impl Family for dyn Shape {
//!     const SHARED: &'static [&'static str] = &["kind", "colour"];
//! }
//!
//! /// A regular polygon.
//! #[derive(Deserialize, JsonSchema)]
//! #[serde(deny_unknown_fields)]
//! struct Polygon {
//!     /// How many corners it has.
//!     corners: u32,
//! }
//!
//! impl Shape for Polygon {
//!     fn corners(&self) -> u32 {
//!         self.corners
//!     }
//! }
//!
//! const POLYGON: Entry<dyn Shape> = Entry {
//!     name: "polygon",
//!     aliases: &["n-gon"],
//!     summary: "A regular polygon",
//!     source: "Euclid, Elements, Book IV",
//!     example: "corners = 5",
//!     schema: schema_of::<Polygon>,
//!     parse: |table, errors| Some(Box::new(parse_as::<Polygon, dyn Shape>(table, errors)?)),
//! };
//! ```

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::de::DeserializeOwned;

use crate::diagnostic::{Diagnostic, listed, nearest, suggestion, unknown_key};
use crate::document::{self, Kind, Value};

/// One line of a registry: everything `list`, `describe`, the schema, the docs and the
/// parser need to know about one named thing.
pub struct Entry<T: ?Sized + 'static> {
    /// How a study selects it, in kebab-case.
    pub name: &'static str,
    /// Other names it is known by.
    pub aliases: &'static [&'static str],
    /// One line for lists, without a full stop.
    pub summary: &'static str,
    /// Where it comes from: a citation.
    pub source: &'static str,
    /// TOML lines inside its table, without the selecting key.
    pub example: &'static str,
    /// The JSON schema of its parameters; see [`schema_of`].
    pub schema: fn() -> Schema,
    /// Reads its parameters from its table as written, selecting and shared keys
    /// included; see [`parse_as`].
    pub parse: fn(&Value, &mut Vec<Diagnostic>) -> Option<Box<T>>,
}

/// What a registry is a slice of: an [`Entry`], alone or with what else its family wants to
/// know of a thing before it is read.
pub trait Registered {
    /// What the entry makes.
    type Thing: ?Sized + 'static;

    /// The entry itself.
    fn entry(&self) -> &Entry<Self::Thing>;
}

impl<T: ?Sized + 'static> Registered for Entry<T> {
    type Thing = T;

    fn entry(&self) -> &Self {
        self
    }
}

impl<E: Registered> Registered for &E {
    type Thing = E::Thing;

    fn entry(&self) -> &Entry<Self::Thing> {
        (**self).entry()
    }
}

/// What all entries of one registry have in common.
///
/// Implemented for the trait object the registry makes: `impl Family for dyn Topology`.
pub trait Family {
    /// Keys that may stand in any entry's table but are not the entry's own: the selecting
    /// key (`kind`, `pattern`) and whatever the family itself reads.
    const SHARED: &'static [&'static str];
}

/// The parameters `P` of an entry of the family `T`, from the entry's table.
///
/// The family's [shared keys](Family::SHARED) are not shown to `P`, so it may deny unknown
/// fields; they do appear among the suggestions when a key is misspelt.
pub fn parse_as<P: DeserializeOwned, T: Family + ?Sized>(
    table: &Value,
    errors: &mut Vec<Diagnostic>,
) -> Option<P> {
    document::deserialize_ignoring(table, T::SHARED, errors)
}

/// The JSON schema of an entry's parameters.
pub fn schema_of<P: JsonSchema>() -> Schema {
    SchemaGenerator::default().into_root_schema_for::<P>()
}

/// The entry called `name`, which may be one of its aliases.
pub fn find<'a, E: Registered>(entries: &'a [E], name: &str) -> Option<&'a E> {
    let is_called = |entry: &Entry<E::Thing>| entry.name == name || entry.aliases.contains(&name);
    entries.iter().find(|line| is_called(line.entry()))
}

/// The entry which `table` selects by its `key` (`kind` or `pattern`).
///
/// A missing key, a value that is not a string, and an unknown name (with the nearest
/// known one) are added to `errors`.
pub fn select<'a, E: Registered>(
    entries: &'a [E],
    table: &Value,
    key: &str,
    errors: &mut Vec<Diagnostic>,
) -> Option<&'a E> {
    let names = || entries.iter().map(|line| line.entry().name);
    let Some(fields) = table.table() else {
        let message = format!("expected a table, found {}", table.describe());
        errors.push(Diagnostic::at(table.span, message));
        return None;
    };
    let Some(value) = fields.get(key) else {
        let message = format!("missing key `{key}`");
        // Other programs call it an algorithm, a topology or a type.
        let mut named = fields.iter().filter_map(|(other, value)| {
            let name = value.as_str()?;
            let is_own = |line: &E| field_names(&(line.entry().schema)()).contains(&other.name);
            let is_name = find(entries, name).is_some() && !entries.iter().any(is_own);
            is_name.then_some((other, name))
        });
        if let Some((other, name)) = named.next() {
            let help = format!("write {key} = \"{name}\" instead of `{}`", other.name);
            errors.push(Diagnostic::at(other.span, message).with_help(help));
            return None;
        }
        let written = fields.keys().map(|key| key.name.as_str());
        let slip = nearest(key, written).and_then(|near| fields.entry(near));
        let place = slip.map_or(table.span, |(near, _)| near.span);
        let names = listed(names());
        let help = format!("write {key} = \"...\" with one of {names}");
        errors.push(Diagnostic::at(place, message).with_help(help));
        return None;
    };
    let Some(name) = value.as_str() else {
        let message = format!("expected a string, found {}", value.describe());
        let help = format!("the names are {}", listed(names()));
        errors.push(Diagnostic::at(value.span, message).with_help(help));
        return None;
    };
    let entry = find(entries, name);
    if entry.is_none() {
        let spellings = entries
            .iter()
            .map(E::entry)
            .flat_map(|entry| std::iter::once(entry.name).chain(entry.aliases.iter().copied()));
        let help = suggestion(name, "the names are", spellings, names());
        let unknown = format!("unknown {key} \"{name}\"");
        errors.push(Diagnostic::at(value.span, unknown).with_help(help));
    }
    entry
}

/// Reads `table` into whatever its `key` (`kind` or `pattern`) selects.
///
/// Returns nothing exactly when it adds to `errors`.
pub fn parse<E: Registered>(
    entries: &[E],
    table: &Value,
    key: &str,
    errors: &mut Vec<Diagnostic>,
) -> Option<Box<E::Thing>> {
    let entry = select(entries, table, key, errors)?.entry();
    (entry.parse)(table, errors)
}

/// As [`parse`], in a place where of the family's [shared keys](Family::SHARED) only some stand beside the entry's own: those that are
/// suggested when a key is misspelt, and looked up only then. Of the others, the place itself complains.
///
/// Returns nothing exactly when it adds to `errors`.
pub fn parse_beside<E: Registered>(
    entries: &[E],
    table: &Value,
    key: &str,
    beside: impl FnOnce() -> Vec<String>,
    errors: &mut Vec<Diagnostic>,
) -> Option<Box<E::Thing>>
where
    E::Thing: Family,
{
    let entry = select(entries, table, key, errors)?.entry();
    let thing = (entry.parse)(table, &mut Vec::new());
    if thing.is_some() {
        return thing;
    }
    let mut known = field_names(&(entry.schema)());
    known.push(key.to_owned());
    known.extend(beside());
    let known: Vec<&str> = known.iter().map(String::as_str).collect();
    let is_known = |name| known.contains(&name) || <E::Thing>::SHARED.contains(&name);
    let mut rest = table.clone();
    let keys = table.table().into_iter().flat_map(|fields| fields.keys());
    for key in keys.filter(|key| !is_known(key.name.as_str())) {
        errors.push(unknown_key(key.span, &key.name, known.iter().copied()));
        if let Kind::Table(fields) = &mut rest.kind {
            fields.remove(&key.name);
        }
    }
    // What else is wrong with it.
    (entry.parse)(&rest, errors);
    None
}

/// The names of the fields that a schema has.
pub fn field_names(schema: &Schema) -> Vec<String> {
    let properties = schema
        .get("properties")
        .and_then(|properties| properties.as_object());
    let names = properties.into_iter().flat_map(|fields| fields.keys());
    names.cloned().collect()
}

/// Everything wrong with a registry, for the test that every registry has.
///
/// Names and aliases must be unique and in kebab-case, and every entry needs a one-line
/// summary, a source and an example.
pub fn health<E: Registered>(entries: &[E]) -> Vec<String> {
    let mut problems = Vec::new();
    let mut seen: Vec<&str> = Vec::new();
    for entry in entries.iter().map(E::entry) {
        let name = entry.name;
        for &spelling in std::iter::once(&name).chain(entry.aliases) {
            if !is_kebab_case(spelling) {
                problems.push(format!("{name}: \"{spelling}\" is not in kebab-case"));
            }
            if seen.contains(&spelling) {
                problems.push(format!("{name}: \"{spelling}\" is taken"));
            }
            seen.push(spelling);
        }
        let texts = [
            ("summary", entry.summary),
            ("source", entry.source),
            ("example", entry.example),
        ];
        for (what, text) in texts {
            if text.trim().is_empty() {
                problems.push(format!("{name}: no {what}"));
            }
        }
        if entry.summary.contains('\n') || entry.summary.ends_with('.') {
            problems.push(format!(
                "{name}: the summary is not one line without a full stop"
            ));
        }
    }
    problems
}

fn is_kebab_case(name: &str) -> bool {
    let word = |word: &str| {
        let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
        !word.is_empty() && word.bytes().all(plain)
    };
    name.split('-').all(word)
}

#[cfg(test)]
mod tests;
