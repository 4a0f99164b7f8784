//! What a study must have: a sweep may supply it, so only what no sweep touches is insisted on. So may
//! the scale that the study names, and then nothing is.

use crate::outline::FULL;
use serde_json::{Value as Json, json};

/// One condition for each table: if no swept key lies in it, it is complete as it stands.
///
/// `properties` are the tables; `also` are further fields that a table with a pattern must have.
pub(super) fn unless_swept(properties: &Json, also: &[&str]) -> Vec<Json> {
    let families = [
        ("network", "kind", &[][..]),
        ("routing", "kind", &[]),
        ("traffic", "pattern", also),
        ("workload", "kind", &[]),
        ("placement", "kind", &[]),
    ];
    let rule = |(table, key, also): (&str, &str, &[&str])| {
        let entries = properties[table]["anyOf"].as_array();
        let mut whole = json!({ "required": also });
        // Traffic of several classes has a pattern for each of them.
        whole["anyOf"] = match table {
            "traffic" => json!([{ "required": [key] }, { "required": ["classes"] }]),
            _ => json!([{ "required": [key] }]),
        };
        let entries = entries.into_iter().flatten();
        let rules: Vec<Json> = entries
            .flat_map(|entry| complete_with(entry, key))
            .collect();
        if !rules.is_empty() {
            whole["allOf"] = rules.into();
        }
        let mut then = json!({ "properties": { table: whole } });
        // The other tables are needed by some commands only.
        if table == "network" {
            then["required"] = json!([table]);
        }
        let untouched = json!({ "propertyNames": { "not": { "pattern": format!("^{table}") } } });
        let as_written = json!({ "properties": { "scale": { "const": FULL } } });
        json!({ "if": { "properties": { "sweep": untouched, "study": as_written } }, "then": then })
    };
    families.map(rule).into()
}

/// The same for an entry and for what it has several forms of, such as a workload's pattern.
fn complete_with(entry: &Json, key: &str) -> Vec<Json> {
    let forms = entry["anyOf"].as_array().into_iter().flatten();
    let forms = forms.filter_map(|form| complete(form, "pattern"));
    complete(entry, key).into_iter().chain(forms).collect()
}

/// An entry of a registry has what it requires.
fn complete(entry: &Json, key: &str) -> Option<Json> {
    let names = &entry["properties"][key]["enum"];
    let required = entry.get("x-required")?;
    let chosen = json!({ "properties": { key: { "enum": names } }, "required": [key] });
    Some(json!({ "if": chosen, "then": { "required": required } }))
}
