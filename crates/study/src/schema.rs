//! The JSON schema of study files, and of each of their tables, made from the registries and
//! the typed tables.
//!
//! Editors that know JSON schema complete and check studies with it; the committed
//! `turnwise.schema.json` is this text, and a test fails when it is stale.
//!
//! The schema refuses nothing that the reader accepts, so it lacks what only a reader can know: what
//! fits together, and what depends on the network. Tests hold both against each other.

use crate::columns::LOAD;
use crate::ethernet::EthernetTable;
use crate::outline::{ReportTable, StudyTable};
use crate::router::RouterTable;
use crate::simulation::SimulationTable;
use crate::traffic::TrafficTable;
use crate::units::{Fields, anywhere};
use serde_json::{Map, Value as Json, json};
use std::sync::LazyLock;
use turnwise_config::registry::{Entry, Family, Registered, schema_of};
use turnwise_config::units::Quantity;
use turnwise_network::topologies;
use turnwise_network::{ChannelInterval, NamedFaults};
use turnwise_workload::{PLACEMENTS, PatternParameters, Placement, SeatingFields, WORKLOADS};

mod inside;
mod lists;
mod places;
mod plain;
mod required;
mod scale;
mod sweep;

pub use inside::{Inner, SELECTS, required as required_fields, table_in, tables_inside};
use lists::{classes, job, then};
pub use places::help;
pub(crate) use places::tables_with;
pub use plain::{forms, own, quantity};
use sweep::Swept;

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
        schema: || own(schema_of::<NamedFaults>()),
    },
    Table {
        name: "routing",
        summary: "How packets may go: a routing algorithm",
        schema: || shared(turnwise_routing::REGISTRY, "kind", &routing_fields(), &[]),
    },
    Table {
        name: "router",
        summary: "What the routers are like; what is not said is as in BookSim2's input-queued router",
        schema: || own(schema_of::<RouterTable>()),
    },
    Table {
        name: "ethernet",
        summary: "Instead of routers: switches of lossless Ethernet, which pass on whole frames, and what they do about congestion",
        schema: || own(schema_of::<EthernetTable>()),
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
        name: "workload",
        summary: "Instead of traffic: terminals that answer what arrives",
        schema: || shared(WORKLOADS, "kind", &[], &[]),
    },
    Table {
        name: "placement",
        summary: "Where the ranks of a workload are; in the order of the terminals if not given",
        schema: || shared(PLACEMENTS, "kind", &placement_fields(), &[]),
    },
    Table {
        name: "simulation",
        summary: "How long to simulate, and what to measure",
        schema: || own(schema_of::<SimulationTable>()),
    },
    Table {
        name: "sweep",
        summary: "Fields to vary: dotted paths and their values; the points are the product of all",
        schema: sweep::outline,
    },
    Table {
        name: "scale",
        summary: "Other sizes of the study: what is different at each; `study.scale` chooses one",
        schema: scale::outline,
    },
    Table {
        name: "report",
        summary: "What plots are drawn against, and which fields name their curves",
        schema: || own(schema_of::<ReportTable>()),
    },
];

/// A table's name, and what makes its schema.
type Property = (&'static str, fn() -> Json);

/// The tables as they are in the schema.
const PROPERTIES: [Property; 10] = [
    ("study", || own(schema_of::<StudyTable>())),
    ("network", || {
        family(topologies::REGISTRY, "kind", &network_fields())
    }),
    ("routing", || {
        family(turnwise_routing::REGISTRY, "kind", &routing_fields())
    }),
    ("router", || own(schema_of::<RouterTable>())),
    ("ethernet", || own(schema_of::<EthernetTable>())),
    ("traffic", || {
        family(turnwise_workload::REGISTRY, "pattern", &traffic_fields())
    }),
    ("workload", workload),
    ("placement", || {
        family(PLACEMENTS, "kind", &placement_fields())
    }),
    ("simulation", || own(schema_of::<SimulationTable>())),
    ("report", || own(schema_of::<ReportTable>())),
];

fn properties() -> Json {
    object(PROPERTIES.map(|(name, schema)| (name, schema())))
}

/// Values by their names. They are moved, where the macro for JSON would copy them, and there are megabytes of them.
fn object<const N: usize>(fields: [(&str, Json); N]) -> Json {
    let fields = fields.into_iter();
    Json::Object(
        fields
            .map(|(name, value)| (name.to_owned(), value))
            .collect(),
    )
}

/// What the fields of a point count: whole cycles, flits and so on, as their types say.
pub fn quantities() -> &'static Fields {
    // Table by table, so that one of them is in memory at a time.
    static FIELDS: LazyLock<Fields> = LazyLock::new(|| {
        let of_table =
            |&(name, schema): &(&str, fn() -> Json)| sweep::quantities(&object([(name, schema())]));
        PROPERTIES.iter().flat_map(of_table).collect()
    });
    &FIELDS
}

/// The unit of a field's numbers, where its type says it.
///
/// A load is what each terminal offers; other rates, such as those of a host or of a burst, are of one thing.
pub fn unit_of_field(path: &str) -> Option<&'static str> {
    let quantity = quantities().get(&anywhere(path))?;
    let is_load = *quantity == Quantity::Load && path.rsplit('.').next() == Some("load");
    Some(if is_load { LOAD } else { quantity.unit() })
}

/// The schema, pretty-printed.
pub fn text() -> String {
    let properties = properties();
    let Swept {
        table,
        mut definitions,
    } = sweep::of(&properties);
    let (scales, of_scales) = scale::of(&properties);
    definitions.extend(of_scales);
    let mut schema = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Turnwise study",
        "description": "One study: a network, a routing, a workload, and what to vary.",
        "type": "object",
        "additionalProperties": false,
        "properties": properties,
        "allOf": required::unless_swept(&properties, &["load"]),
        "not": { "anyOf": [
            { "required": ["traffic", "workload"] },
            { "required": ["router", "ethernet"] },
        ] },
        "$defs": definitions,
    });
    schema["properties"]["sweep"] = table;
    schema["properties"]["scale"] = scales;
    let mut text = serde_json::to_string_pretty(&schema).unwrap_or_default();
    text.push('\n');
    text
}

fn network_fields() -> [(&'static str, Json); 2] {
    [
        ("channel_interval", own(schema_of::<ChannelInterval>())),
        ("faults", own(schema_of::<NamedFaults>())),
    ]
}

fn routing_fields() -> [(&'static str, Json); 1] {
    let mut seed = own(schema_of::<Option<u64>>());
    seed["description"] = "Seed of what the algorithm draws at random for its tables; that of the study if not given.".into();
    [("seed", seed)]
}

/// What `[placement]` has whatever its kind, read off the type.
fn placement_fields() -> Vec<(&'static str, Json)> {
    let schema = own(schema_of::<SeatingFields>());
    let fields = <dyn Placement>::SHARED.iter();
    let fields =
        fields.filter_map(|&field| Some((field, schema["properties"].get(field)?.clone())));
    fields.collect()
}

/// What a table has whichever entry of the registry it names.
fn shared<E: Registered>(
    entries: &[E],
    key: &str,
    fields: &[(&str, Json)],
    required: &[&str],
) -> Json {
    let choices = entries
        .iter()
        .map(E::entry)
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

/// What `[traffic]` has whatever the pattern, read off the type: what the patterns leave to it.
fn traffic_fields() -> Vec<(&'static str, Json)> {
    let schema = own(schema_of::<TrafficTable>());
    let fields = <dyn PatternParameters>::SHARED.iter();
    let fields = fields.filter(|&&field| field != "classes" && field != "then");
    let fields =
        fields.filter_map(|&field| Some((field, schema["properties"].get(field)?.clone())));
    let lists = [("classes", classes()), ("then", then())];
    fields.chain(lists).collect()
}

/// `[workload]`: a workload, and if that has one, a pattern with its fields.
fn workload() -> Json {
    let mut workloads = family(WORKLOADS, "kind", &[]);
    let entries = workloads["anyOf"].as_array_mut().into_iter().flatten();
    for (entry, line) in entries.zip(WORKLOADS) {
        if !line.has_pattern() {
            continue;
        }
        let mut patterns = family(turnwise_workload::REGISTRY, "pattern", &[]);
        for pattern in patterns["anyOf"].as_array_mut().into_iter().flatten() {
            // Fields of the workload stand beside those of the pattern.
            if let Some(pattern) = pattern.as_object_mut() {
                pattern.remove("additionalProperties");
            }
        }
        entry["anyOf"] = patterns["anyOf"].take();
        entry["x-required"] = json!(["pattern"]);
        if let Some(entry) = entry.as_object_mut() {
            entry.remove("additionalProperties");
        }
        entry["unevaluatedProperties"] = false.into();
    }
    workloads
}

/// The parameters of an entry of a registry. Jobs are of entries themselves, which no type knows.
pub fn of_entry<T: ?Sized>(entry: &Entry<T>) -> Json {
    let mut schema = own((entry.schema)());
    if let Some(jobs) = schema.pointer_mut("/properties/jobs") {
        jobs["items"] = job();
    }
    schema
}

/// `anyOf` over the entries of a registry, told apart by the selecting key.
fn family<E: Registered>(entries: &[E], key: &str, shared: &[(&str, Json)]) -> Json {
    let alternatives = entries.iter().map(E::entry).map(|entry| {
        let mut schema = of_entry(entry);
        let names: Vec<&str> = std::iter::once(entry.name)
            .chain(entry.aliases.iter().copied())
            .collect();
        let mut properties = Map::new();
        properties.insert(
            key.to_owned(),
            json!({ "enum": names, "description": entry.summary }),
        );
        if let Some(own) = schema.get_mut("properties").and_then(Json::as_object_mut) {
            properties.extend(std::mem::take(own));
        }
        properties.extend(
            shared
                .iter()
                .map(|(name, schema)| ((*name).to_owned(), schema.clone())),
        );
        schema["properties"] = properties.into();
        // Whatever a table lacks, a sweep may supply: see `required`. People and the reference
        // pages want to know anyway.
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
    object([("anyOf", Json::Array(alternatives.collect()))])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A load that is swept is counted as the loads that are found.
    #[test]
    fn loads_are_of_terminals_and_other_rates_are_not() {
        assert_eq!(unit_of_field("traffic.load"), Some(LOAD));
        assert_eq!(
            unit_of_field("workload.host.copy_rate"),
            Some("flits per cycle")
        );
        assert_eq!(unit_of_field("traffic.packet_flits"), Some("flits"));
        assert_eq!(unit_of_field("routing.kind"), None);
    }

    /// Whoever adds a field that counts says what, or it could not be written in units.
    #[test]
    fn what_counts_says_so() {
        let quantities = quantities();
        let counted = |name: &str| match name.rsplit('_').next() {
            Some("cycles" | "delay" | "latency") => Some(Quantity::Cycles),
            Some("flits") => Some(Quantity::Flits),
            Some("load") => Some(Quantity::Load),
            Some("bytes") => Some(Quantity::Bytes),
            _ => None,
        };
        let mut found = 0;
        for (path, fields) in sweep::fields(&properties()) {
            let name = path.rsplit('.').next().unwrap_or(&path);
            let numbers = fields.iter().filter(|field| sweep::is_numeric(field));
            for field in numbers.clone() {
                assert_eq!(quantity(field), quantities.get(&path).copied(), "{path}");
            }
            if let (Some(expected), Some(_)) = (counted(name), numbers.clone().next()) {
                assert_eq!(quantities.get(&path), Some(&expected), "{path}");
                found += 1;
            }
        }
        assert!(found > 15, "{found}");
    }

    #[test]
    fn every_table_of_a_study_is_described() {
        let names: Vec<&str> = TABLES.iter().map(|table| table.name).collect();
        let top = names.iter().copied().filter(|name| !name.contains('.'));
        assert!(top.eq(crate::outline::TABLES.iter().copied()));
        for table in TABLES {
            let schema = (table.schema)();
            let inside = tables_inside(table.name, &schema);
            for table in inside.iter().map(|inner| &inner.table).chain([&schema]) {
                let properties = table["properties"].as_object();
                let described = |field: &Json| field["description"].is_string();
                assert!(
                    properties.is_some_and(|fields| fields.values().all(described)),
                    "{table}",
                );
            }
        }
    }
}
