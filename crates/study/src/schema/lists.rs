//! Lists in the schema whose elements are entries of a registry, each with fields of the list's own:
//! phases and classes of traffic, and jobs.

use super::{SELECTS, family, own, placement_fields};
use crate::traffic::{ClassTable, PhaseTable};
use serde_json::{Value as Json, json};
use turnwise_config::registry::schema_of;
use turnwise_workload::agents::JobFields;
use turnwise_workload::{PLACEMENTS, WORKLOADS};

/// `traffic.then`: each phase has keys of its own, and perhaps a pattern and what that asks for.
pub(super) fn then() -> Json {
    let mut item = with_pattern(schema_of::<PhaseTable>());
    let mut alone = own(schema_of::<PhaseTable>());
    alone["additionalProperties"] = false.into();
    if let Some(forms) = item["anyOf"].as_array_mut() {
        forms.push(alone);
    }
    item["required"] = json!(["at"]);
    json!({
        "type": "array",
        "items": item,
        "minItems": 1,
        "description": "What the traffic becomes, phase by phase: each has `at`, the cycle it begins in, and a `pattern` with its fields, a `load`, or both.",
    })
}

/// Any pattern, with its fields and those of a table.
fn with_pattern(table: schemars::Schema) -> Json {
    let table = own(table);
    let fields = table["properties"].as_object().into_iter().flatten();
    let fields = fields.map(|(name, schema)| (name.as_str(), schema.clone()));
    let fields: Vec<(&str, Json)> = fields.collect();
    let mut patterns = family(turnwise_workload::REGISTRY, "pattern", &fields);
    patterns[SELECTS] = "traffic.pattern".into();
    patterns
}

/// `traffic.classes`: each class has keys of its own, a pattern, and what that pattern asks for.
pub(super) fn classes() -> Json {
    let mut item = with_pattern(schema_of::<ClassTable>());
    item["required"] = json!(["name", "share", "pattern"]);
    json!({
        "type": "array",
        "items": item,
        "minItems": 1,
        "description": "Instead of a pattern: several classes of packets, each with a `name`, a `share` of the load, a `pattern` with its fields, and if need be its own `packet_flits` and `send_to_self`.",
    })
}

/// A job of `workload.jobs`: a program with its fields, and what every job has.
pub(super) fn job() -> Json {
    let own = own(schema_of::<JobFields>());
    let mut shared: Vec<(&str, Json)> = Vec::new();
    for (name, schema) in own["properties"].as_object().into_iter().flatten() {
        let schema = match name.as_str() {
            "placement" => {
                let mut placements = family(PLACEMENTS, "kind", &placement_fields());
                placements[SELECTS] = "placement.kind".into();
                described(placements, schema)
            }
            _ => schema.clone(),
        };
        shared.push((name, schema));
    }
    let programs = WORKLOADS.iter().filter(|line| line.counts_bytes);
    let programs: Vec<_> = programs.map(|line| &line.entry).collect();
    let mut job = family(&programs, "kind", &shared);
    job["required"] = json!(["name"]);
    job["x-required"] = json!(["kind"]);
    job[SELECTS] = "workload.kind".into();
    job
}

/// A schema with the description of another.
fn described(mut schema: Json, other: &Json) -> Json {
    schema["description"] = other["description"].clone();
    schema
}
