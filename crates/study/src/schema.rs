//! The JSON schema of study files, and of each of their tables, made from the registries and
//! the typed tables.
//!
//! Editors that know JSON schema complete and check studies with it; the committed
//! `turnwise.schema.json` is this text, and a test fails when it is stale.

use crate::specification::{RouterTable, SimulationTable, StudyTable, TrafficTable};
use serde_json::{Map, Value as Json, json};
use turnwise_network::Faults;
use turnwise_network::registry::{Entry, schema_of};
use turnwise_network::topologies;

/// A table of a study, described apart from the others.
pub struct Table {
    /// As it is written between brackets.
    pub name: &'static str,
    /// What it is for, in a few words.
    pub summary: &'static str,
    /// Its schema. Of a table with a `kind` or `pattern`, what all of these have.
    pub schema: fn() -> Json,
}

/// The tables of a study, in the order they are documented.
pub const TABLES: &[Table] = &[
    Table {
        name: "study",
        summary: "What the study is called, its seed and how often it is repeated",
        schema: || own(schema_of::<StudyTable>()),
    },
    Table {
        name: "network",
        summary: "What is wired to what: a topology, and what of it has failed",
        schema: || shared(topologies::REGISTRY, "kind", &network_fields(), &[]),
    },
    Table {
        name: "network.faults",
        summary: "What of the network has failed, listed or drawn at random",
        schema: || own(schema_of::<Faults>()),
    },
    Table {
        name: "routing",
        summary: "How packets may go: a routing algorithm",
        schema: || shared(turnwise_routing::REGISTRY, "kind", &[], &[]),
    },
    Table {
        name: "router",
        summary: "What the routers are like; what is not said is as in BookSim2's input-queued router",
        schema: || own(schema_of::<RouterTable>()),
    },
    Table {
        name: "traffic",
        summary: "Who sends what to whom: a pattern, a load, packets",
        schema: || {
            let registry = turnwise_workload::REGISTRY;
            shared(registry, "pattern", &traffic_fields(), &["load"])
        },
    },
    Table {
        name: "simulation",
        summary: "How long to simulate, and what to measure",
        schema: || own(schema_of::<SimulationTable>()),
    },
    Table {
        name: "sweep",
        summary: "Fields to vary: dotted paths and their values; the points are the product of all",
        schema: sweep,
    },
];

/// The schema, pretty-printed.
pub fn text() -> String {
    let schema = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Turnwise study",
        "description": "One study: a network, a routing, a workload, and what to vary.",
        "type": "object",
        "additionalProperties": false,
        "properties": {
            "study": own(schema_of::<StudyTable>()),
            "network": family(topologies::REGISTRY, "kind", &network_fields()),
            "routing": family(turnwise_routing::REGISTRY, "kind", &[]),
            "router": own(schema_of::<RouterTable>()),
            "traffic": family(turnwise_workload::REGISTRY, "pattern", &traffic_fields()),
            "simulation": own(schema_of::<SimulationTable>()),
            "sweep": sweep(),
        },
    });
    let mut text = serde_json::to_string_pretty(&schema).unwrap_or_default();
    text.push('\n');
    text
}

/// A schema of its own as part of a larger one: without references.
pub fn own(schema: schemars::Schema) -> Json {
    let mut schema = schema.to_value();
    if let Some(object) = schema.as_object_mut() {
        object.remove("$schema");
    }
    inlined(schema)
}

/// References into a schema's own `$defs` would break once it is part of a larger one.
fn inlined(mut schema: Json) -> Json {
    let definitions = schema
        .as_object_mut()
        .and_then(|object| object.remove("$defs"));
    if let Some(definitions) = definitions {
        replace_references(&mut schema, &definitions, 0);
    }
    schema
}

fn replace_references(schema: &mut Json, definitions: &Json, depth: usize) {
    // No parameter type contains itself; the limit only keeps a mistake from being endless.
    const DEEPEST: usize = 16;
    if depth > DEEPEST {
        return;
    }
    match schema {
        Json::Object(object) => {
            let name = object
                .get("$ref")
                .and_then(Json::as_str)
                .and_then(|path| path.strip_prefix("#/$defs/"));
            if let Some(definition) = name.and_then(|name| definitions.get(name)).cloned() {
                object.remove("$ref");
                for (key, value) in definition.as_object().into_iter().flatten() {
                    object.entry(key.clone()).or_insert_with(|| value.clone());
                }
            }
            for value in object.values_mut() {
                replace_references(value, definitions, depth + 1);
            }
        }
        Json::Array(items) => {
            for item in items {
                replace_references(item, definitions, depth + 1);
            }
        }
        _ => {}
    }
}

fn network_fields() -> [(&'static str, Json); 1] {
    [("faults", own(schema_of::<Faults>()))]
}

/// What a table has whichever entry of the registry it names.
fn shared<T: ?Sized>(
    entries: &[Entry<T>],
    key: &str,
    fields: &[(&str, Json)],
    required: &[&str],
) -> Json {
    let choices = entries
        .iter()
        .map(|entry| json!({ "const": entry.name, "description": entry.summary }));
    let choice = json!({
        "description": "Which one; each has fields of its own.",
        "oneOf": choices.collect::<Vec<_>>(),
    });
    let mut properties = Map::from_iter([(key.to_owned(), choice)]);
    properties.extend(
        fields
            .iter()
            .map(|(name, schema)| ((*name).to_owned(), schema.clone())),
    );
    let required: Vec<&str> = [key].iter().chain(required).copied().collect();
    json!({ "type": "object", "properties": properties, "required": required })
}

fn traffic_fields() -> Vec<(&'static str, Json)> {
    let schema = own(schema_of::<TrafficTable>());
    let fields = ["load", "packet_flits", "send_to_self"];
    fields
        .map(|field| (field, schema["properties"][field].clone()))
        .into()
}

/// `anyOf` over the entries of a registry, told apart by the selecting key.
fn family<T: ?Sized>(entries: &[Entry<T>], key: &str, shared: &[(&str, Json)]) -> Json {
    let alternatives = entries.iter().map(|entry| {
        let mut schema = own((entry.schema)());
        let names: Vec<&str> = std::iter::once(entry.name)
            .chain(entry.aliases.iter().copied())
            .collect();
        let mut properties = Map::new();
        properties.insert(
            key.to_owned(),
            json!({ "enum": names, "description": entry.summary }),
        );
        if let Some(own) = schema.get("properties").and_then(Json::as_object) {
            properties.extend(own.clone());
        }
        properties.extend(
            shared
                .iter()
                .map(|(name, schema)| ((*name).to_owned(), schema.clone())),
        );
        schema["properties"] = properties.into();
        // Whatever a table lacks, a sweep may supply: an editor must not insist, but people
        // and the reference pages want to know.
        if let Some(required) = schema
            .as_object_mut()
            .and_then(|object| object.remove("required"))
        {
            schema["x-required"] = required;
        }
        schema["title"] = entry.name.into();
        schema["description"] = format!("{}. {}", entry.summary, entry.source).into();
        schema["type"] = "object".into();
        schema["additionalProperties"] = false.into();
        schema
    });
    json!({ "anyOf": alternatives.collect::<Vec<_>>() })
}

fn sweep() -> Json {
    let range = |last: &str| {
        let mut range = json!({
            "type": "object",
            "properties": { "from": { "type": "number" }, "to": { "type": "number" } },
            "required": ["from", "to", last],
            "additionalProperties": false,
        });
        range["properties"][last] = json!({ "type": "number" });
        range
    };
    let texts = json!({ "type": "array", "items": { "type": "string" } });
    json!({
        "type": "object",
        "description": "Fields to vary: dotted paths and their values. The points are the product of all.",
        "properties": {
            "zip": {
                "type": "array",
                "items": { "oneOf": [texts, { "type": "string" }] },
                "description": "Groups of keys that advance together.",
            },
            "where": {
                "oneOf": [{ "type": "string" }, texts],
                "description": "Conditions that a point must meet, such as `traffic.load < 0.5`.",
            },
        },
        "additionalProperties": {
            "oneOf": [{ "type": "array", "minItems": 1 }, range("step"), range("count"), { "type": "object" }],
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_table_of_a_study_is_described() {
        let names: Vec<&str> = TABLES.iter().map(|table| table.name).collect();
        let top = names.iter().copied().filter(|name| !name.contains('.'));
        assert!(top.eq(crate::specification::TABLES.iter().copied()));
        for table in TABLES {
            let schema = (table.schema)();
            let properties = schema["properties"].as_object();
            let described = |field: &Json| field["description"].is_string();
            assert!(
                properties.is_some_and(|fields| fields.values().all(described)),
                "[{}]",
                table.name
            );
        }
    }
}
