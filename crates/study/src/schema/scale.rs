//! `[scale]` in the schema: the fields that may be different at a scale, each with its own values or,
//! if it is swept, with what it may run through.

use super::sweep::{self, Paths, put};
use crate::outline::{FULL, ROOTS, TABLES, THREADS};
use serde_json::{Map, Value as Json, json};

/// The schema of `[scale]`, and the definitions it refers to.
pub(super) fn of(tables: &Json) -> (Json, Map<String, Json>) {
    let no_fields = ["sweep", "scale"];
    let roots = TABLES
        .iter()
        .copied()
        .filter(|table| !no_fields.contains(table));
    let paths = Paths::of(tables, roots);
    let mut definitions = Map::new();
    let mut one = json!({ "type": "object", "additionalProperties": false });
    paths.enter("", &mut one, &name);
    // What a scale sweeps anew has the keys that it has in `[sweep]`.
    one["properties"]["sweep"] = json!({ "$ref": "#/properties/sweep" });
    for word in ["zip", "where"] {
        let pointer = format!("#/properties/sweep/properties/{word}");
        one["properties"][format!("sweep.{word}")] = json!({ "$ref": pointer });
    }
    for path in paths.names() {
        definitions.insert(name(path), field(path, &paths));
        if is_swept(path) {
            put(&mut one, &format!("sweep.{path}"), swept(path));
        }
    }
    definitions.insert("scale".to_owned(), one);
    let table = json!({
        "type": "object",
        "description": "Other sizes of the study, each with a name that `study.scale` may choose.",
        "properties": {},
        "propertyNames": { "not": { "const": FULL } },
        "additionalProperties": { "$ref": "#/$defs/scale" },
    });
    (table, definitions)
}

/// `[scale]`, for people.
pub(super) fn outline() -> Json {
    json!({
        "type": "object",
        "properties": {
            "NAME": {
                "type": "object",
                "description": "What is different at the scale of this name: dotted paths and their values, as `--set` takes them; a swept field has what it runs through instead.",
            },
        },
    })
}

fn name(path: &str) -> String {
    format!("scale.{}", path.replace("[]", ".element"))
}

fn is_swept(path: &str) -> bool {
    path != THREADS && ROOTS.iter().any(|root| path.starts_with(root))
}

fn swept(path: &str) -> Json {
    json!({ "$ref": format!("#/$defs/{}", sweep::name(path)) })
}

/// What one key may be: a value of its field, what the field runs through, or keys inside it.
fn field(path: &str, paths: &Paths) -> Json {
    // A whole table of the study is never replaced, only what lies in it.
    let is_table = !path.contains('.');
    let values = paths.values(path).filter(|_| !is_table);
    let mut forms: Vec<Json> = values.collect();
    forms.extend(is_swept(path).then(|| swept(path)));
    let mut inside = json!({ "type": "object", "additionalProperties": false });
    paths.enter(path, &mut inside, &name);
    if inside.get("properties").is_some() {
        forms.push(inside);
    }
    json!({ "anyOf": forms })
}
