//! `[sweep]` in the schema: the paths that can be swept, and for each the values of its field.
//!
//! A path is written in one piece (`"traffic.load" = [...]`), in steps (`traffic.load = [...]`, which
//! is a table in a table), or partly so. Each path has a definition, to which all spellings refer.

use super::plain::{forms, quantity};
use crate::outline::{MOST_POINTS, ROOTS, THREADS};
use crate::units::Fields;
use serde_json::{Map, Value as Json, json};
use std::collections::BTreeMap;
use turnwise_config::units::Quantity;

/// The schema of `[sweep]`, and the definitions it refers to.
pub(super) struct Swept {
    pub(super) table: Json,
    pub(super) definitions: Map<String, Json>,
}

/// What `[sweep]` may hold, given the schemas of the tables.
pub(super) fn of(tables: &Json) -> Swept {
    let paths = Paths::of(tables, ROOTS).without(THREADS);
    let mut definitions = Map::new();
    for (path, fields) in &paths.0 {
        definitions.insert(name(path), axis(path, fields, &paths));
    }
    let mut table = outline();
    paths.enter("", &mut table, &name);
    table["additionalProperties"] = false.into();
    Swept { table, definitions }
}

/// What the fields at all paths count, as far as they do.
pub(super) fn quantities(tables: &Json) -> Fields {
    let mut found = Fields::new();
    for root in ROOTS {
        count(&mut root.to_owned(), &tables[root], &mut found);
    }
    found
}

/// What is counted at a path and inside it.
fn count(path: &mut String, schema: &Json, found: &mut Fields) {
    if let Some(quantity) = quantity(schema) {
        found.insert(path.clone(), quantity);
    }
    let length = path.len();
    for form in forms(schema) {
        count(path, form, found);
    }
    for (field, inner) in schema["properties"].as_object().into_iter().flatten() {
        path.extend([".", field]);
        count(path, inner, found);
        path.truncate(length);
    }
    if let Some(items) = schema.get("items") {
        path.push_str("[]");
        count(path, items, found);
        path.truncate(length);
    }
}

/// `[sweep]` without its paths, for people.
pub(super) fn outline() -> Json {
    let names = json!({ "type": "array", "minItems": 2, "items": { "type": "string" } });
    let conditions = json!({ "type": "array", "items": { "type": "string" } });
    json!({
        "type": "object",
        "description": "Fields to vary: dotted paths and their values. The points are the product of all.",
        "properties": {
            "zip": {
                "anyOf": [names, { "type": "array", "items": names }],
                "description": "Groups of keys that advance together.",
            },
            "where": {
                "anyOf": [{ "type": "string" }, conditions],
                "description": "Conditions that a point must meet, such as `traffic.load < 0.5`.",
            },
        },
    })
}

/// One of the schemas that a field of this path may have: of one kind of network, say.
struct Field {
    /// Where in the schema it is.
    pointer: String,
    schema: Json,
}

/// Every path that can be swept, or changed by a scale; `[]` in it stands for an index.
pub(super) struct Paths(BTreeMap<String, Vec<Field>>);

impl Paths {
    /// What lies in some of the tables.
    pub(super) fn of<'a>(tables: &Json, roots: impl IntoIterator<Item = &'a str>) -> Self {
        let mut paths = Self(BTreeMap::new());
        for root in roots {
            paths.collect(root, &format!("#/properties/{root}"), &tables[root]);
        }
        paths
    }

    /// The same but for one field.
    fn without(mut self, path: &str) -> Self {
        self.0.remove(path);
        self
    }

    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }

    /// References to the schemas that a field may have.
    pub(super) fn values(&self, path: &str) -> impl Iterator<Item = Json> {
        let fields = self.0.get(path).into_iter().flatten();
        fields.map(|field| json!({ "$ref": field.pointer }))
    }

    fn collect(&mut self, path: &str, pointer: &str, schema: &Json) {
        let fields = self.0.entry(path.to_owned()).or_default();
        if fields.iter().all(|known| known.schema != *schema) {
            fields.push(Field {
                pointer: pointer.to_owned(),
                schema: schema.clone(),
            });
        }
        self.inside(path, pointer, schema);
    }

    /// What lies in a field: fields of a table, elements of an array.
    fn inside(&mut self, path: &str, pointer: &str, schema: &Json) {
        for how in ["anyOf", "oneOf"] {
            for (index, inner) in schema[how].as_array().into_iter().flatten().enumerate() {
                self.inside(path, &format!("{pointer}/{how}/{index}"), inner);
            }
        }
        for (field, inner) in schema["properties"].as_object().into_iter().flatten() {
            let pointer = format!("{pointer}/properties/{field}");
            self.collect(&format!("{path}.{field}"), &pointer, inner);
        }
        if let Some(items) = schema.get("items") {
            self.collect(&format!("{path}[]"), &format!("{pointer}/items"), items);
        }
    }

    /// Gives a table the paths below `outer` as keys, each a reference to its definition, which has the
    /// name that `called` makes of the path.
    pub(super) fn enter(&self, outer: &str, table: &mut Json, called: &dyn Fn(&str) -> String) {
        for path in self.0.keys() {
            let inner = match outer {
                "" => Some(path.as_str()),
                outer => path
                    .strip_prefix(outer)
                    .and_then(|rest| rest.strip_prefix('.')),
            };
            let Some(inner) = inner else { continue };
            let reference = json!({ "$ref": format!("#/$defs/{}", called(path)) });
            put(table, inner, reference);
        }
    }
}

/// Gives a table a path as a key.
pub(super) fn put(table: &mut Json, path: &str, schema: Json) {
    match path.contains("[]") {
        false => table["properties"][path] = schema,
        true => {
            let pattern = path.replace('.', "\\.").replace("[]", "\\[[0-9]+\\]");
            table["patternProperties"][format!("^{pattern}$")] = schema;
        }
    }
}

/// What the definition of a path is called.
pub(super) fn name(path: &str) -> String {
    format!("sweep.{}", path.replace("[]", ".element"))
}

/// What one key runs through: values of its field, a range if it is a number, or keys inside it.
fn axis(path: &str, fields: &[Field], paths: &Paths) -> Json {
    let reference = |field: &Field| json!({ "$ref": field.pointer });
    let values = |fields: &mut dyn Iterator<Item = &Field>| {
        let mut references: Vec<Json> = fields.map(reference).collect();
        match references.len() {
            1 => references.remove(0),
            _ => json!({ "anyOf": references }),
        }
    };
    let list = json!({ "type": "array", "minItems": 1, "items": values(&mut fields.iter()) });
    let mut forms = vec![list];
    let numeric = || fields.iter().filter(|field| is_numeric(&field.schema));
    if numeric().next().is_some() {
        let quantity = numeric().find_map(|field| quantity(&field.schema));
        forms.extend(ranges(&values(&mut numeric()), quantity));
    }
    let mut inside = json!({ "type": "object", "minProperties": 1, "additionalProperties": false });
    paths.enter(path, &mut inside, &name);
    if inside.get("properties").is_some() {
        forms.push(inside);
    }
    let described = fields
        .iter()
        .find_map(|field| field.schema["description"].as_str());
    let mut axis = json!({ "anyOf": forms });
    if let Some(text) = described {
        axis["description"] = text.into();
    }
    axis
}

/// The two forms of a range over numbers that are `value`s, or texts with units if they count something.
fn ranges(value: &Json, quantity: Option<Quantity>) -> [Json; 2] {
    let number = || match quantity {
        None => json!({ "type": "number" }),
        Some(quantity) => json!({ "type": ["number", "string"], "pattern": quantity.pattern() }),
    };
    let mut end = number();
    end["allOf"] = json!([value]);
    let form = |to: &Json, last: &str, how: Json| {
        json!({
            "type": "object",
            "properties": { "from": end, "to": to, last: how },
            "required": ["from", "to", last],
            "additionalProperties": false,
        })
    };
    // The last step may stop short of `to`, which therefore need not be a value itself.
    let mut step = number();
    if let Some(quantity) = quantity {
        // Only a step leads downwards.
        let pattern = quantity.pattern();
        step["pattern"] = pattern.replacen(r"^\s*", r"^\s*-?", 1).into();
    }
    step["not"] = json!({ "const": 0 });
    let count = json!({ "type": "integer", "minimum": 1, "maximum": MOST_POINTS });
    [form(&number(), "step", step), form(&end, "count", count)]
}

/// The schemas that the field at each path may have.
#[cfg(test)]
pub(super) fn fields(tables: &Json) -> Vec<(String, Vec<Json>)> {
    let paths = Paths::of(tables, ROOTS).without(THREADS).0.into_iter();
    let schemas = |fields: Vec<Field>| fields.into_iter().map(|field| field.schema).collect();
    paths
        .map(|(path, fields)| (path, schemas(fields)))
        .collect()
}

pub(super) fn is_numeric(schema: &Json) -> bool {
    let is_number = |name: &Json| matches!(name.as_str(), Some("integer" | "number"));
    let several = schema["type"].as_array();
    is_number(&schema["type"])
        || several.is_some_and(|types| types.iter().any(is_number))
        || forms(schema).any(is_numeric)
}
