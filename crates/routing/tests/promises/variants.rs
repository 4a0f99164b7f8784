//! The variants of an algorithm: its defaults, and each word that a field may take with each of every other.
//!
//! Read off the JSON schema that the registry has of its parameters, so that a new option is tested
//! because it is there. Numbers keep their usual values.

use super::written::read;
use serde_json::Value as Json;
use turnwise_config::registry::Entry;
use turnwise_routing::Algorithm;

/// An algorithm with some of its options.
pub(crate) struct Variant {
    /// Its table, without `kind`.
    pub(crate) fields: String,
    /// The fields that differ from the default; some networks may not allow them.
    pub(crate) varied: Vec<String>,
    pub(crate) algorithm: Box<dyn Algorithm>,
}

/// What makes a variant quick that takes too long with the usual parameters: what is promised does not depend on it.
const QUICK: &[(&str, &str)] = &[("angara-genetic", "population = 4\ngenerations = 3\n")];

pub(crate) fn variants(entry: &Entry<dyn Algorithm>) -> Vec<Variant> {
    let quick = QUICK.iter().find(|(name, _)| *name == entry.name);
    let mut base = quick.map_or("", |(_, fields)| *fields).to_owned();
    let parse = |fields: &str| (entry.parse)(&read(fields), &mut Vec::new());
    if parse(&base).is_none() {
        // What has no defaults for everything is read from files, which have the algorithm's name here.
        let schema = (entry.schema)();
        let root = schema.as_value();
        for (field, value) in needed(root, root, entry.name) {
            base.push_str(&format!("{field} = {value}\n"));
        }
    }
    let mut all = Vec::new();
    let mut add = |choices: &[(&str, &str)]| {
        let lines = choices
            .iter()
            .map(|(field, word)| format!("{field} = {word}\n"));
        let fields = base.clone() + &lines.collect::<String>();
        let algorithm = parse(&fields).unwrap_or_else(|| panic!("{}: {fields}", entry.name));
        all.push(Variant {
            fields,
            varied: choices
                .iter()
                .map(|(field, _)| (*field).to_owned())
                .collect(),
            algorithm,
        });
    };
    add(&[]);
    let schema = (entry.schema)();
    let root = schema.as_value();
    let mut choices: Vec<(&str, String)> = Vec::new();
    for (field, schema) in root["properties"].as_object().into_iter().flatten() {
        choices.extend(
            words(schema, root)
                .into_iter()
                .map(|word| (field.as_str(), word)),
        );
    }
    for (at, (field, word)) in choices.iter().enumerate() {
        add(&[(field, word)]);
        for (other, further) in choices[at..].iter().filter(|(other, _)| other != field) {
            add(&[(field, word), (other, further)]);
        }
    }
    all
}

/// The fields that a table must have, as TOML: a file of this name, or a table of such.
fn needed(schema: &Json, root: &Json, name: &str) -> Vec<(String, String)> {
    if let Some(reference) = schema["$ref"].as_str() {
        let found = root.pointer(reference.trim_start_matches('#'));
        return found.map_or(Vec::new(), |found| needed(found, root, name));
    }
    let fields = schema["required"].as_array().into_iter().flatten();
    let value = |field: &str| {
        let within = needed(&schema["properties"][field], root, name);
        match within.is_empty() {
            true => format!("\"{name}\""),
            false => {
                let fields = within
                    .iter()
                    .map(|(field, value)| format!("{field} = {value}"));
                format!("{{ {} }}", fields.collect::<Vec<_>>().join(", "))
            }
        }
    };
    let fields = fields.filter_map(Json::as_str);
    fields
        .map(|field| (field.to_owned(), value(field)))
        .collect()
}

/// The words a field may be, as TOML; none if it is a number, a list or free text.
fn words(schema: &Json, root: &Json) -> Vec<String> {
    let quoted = |word: &Json| word.as_str().map(|word| format!("\"{word}\""));
    if let Some(reference) = schema["$ref"].as_str() {
        let path = reference.trim_start_matches('#');
        return root
            .pointer(path)
            .map_or(Vec::new(), |found| words(found, root));
    }
    let mut all: Vec<String> = quoted(&schema["const"]).into_iter().collect();
    all.extend(
        schema["enum"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(quoted),
    );
    for choice in ["anyOf", "oneOf", "allOf"] {
        let choices = schema[choice].as_array().into_iter().flatten();
        all.extend(choices.flat_map(|choice| words(choice, root)));
    }
    let is_truth = |kind: &Json| kind == "boolean";
    let kind = &schema["type"];
    if is_truth(kind)
        || kind
            .as_array()
            .is_some_and(|kinds| kinds.iter().any(is_truth))
    {
        all.extend(["true".to_owned(), "false".to_owned()]);
    }
    all
}
