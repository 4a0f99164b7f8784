//! The variants of an algorithm: its defaults, its example, and each word that one of its fields may take.
//!
//! Read off the JSON schema that the registry has of its parameters, so that a new option is tested
//! because it is there.

use crate::written::read;
use serde_json::Value as Json;
use turnwise_network::registry::Entry;
use turnwise_routing::Algorithm;

/// An algorithm with some of its options.
pub(crate) struct Variant {
    /// Its table, without `kind`.
    pub(crate) fields: String,
    /// The field that differs from the default; some networks may not allow it.
    pub(crate) varied: Option<String>,
    pub(crate) algorithm: Box<dyn Algorithm>,
}

/// What makes a variant quick that takes too long with the usual parameters: what is promised does not depend on it.
const QUICK: &[(&str, &str)] = &[("angara-genetic", "population = 4\ngenerations = 3\n")];

pub(crate) fn variants(entry: &Entry<dyn Algorithm>) -> Vec<Variant> {
    let quick = QUICK.iter().find(|(name, _)| *name == entry.name);
    let mut base = quick.map_or("", |(_, fields)| *fields).to_owned();
    let parse = |fields: &str| (entry.parse)(&read(fields), &mut Vec::new());
    if parse(&base).is_none() {
        base.push_str("file = \"table\"\n");
    }
    let mut all = Vec::new();
    let mut add = |fields: String, varied: Option<&str>| {
        let algorithm = parse(&fields).unwrap_or_else(|| panic!("{}: {fields}", entry.name));
        all.push(Variant {
            fields,
            varied: varied.map(str::to_owned),
            algorithm,
        });
    };
    add(base.clone(), None);
    let schema = (entry.schema)();
    let root = schema.as_value();
    for (field, schema) in root["properties"].as_object().into_iter().flatten() {
        for word in words(schema, root) {
            add(format!("{base}{field} = {word}\n"), Some(field));
        }
    }
    all
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
