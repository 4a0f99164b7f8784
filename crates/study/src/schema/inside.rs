//! Tables inside tables: the fields that a field has of its own, whether it is a table, a list of
//! tables, or one of several kinds of them.

use super::plain::forms;
use serde_json::{Map, Value as Json, json};

/// Where a schema says that its forms are the entries of a registry: the table and its key,
/// `traffic.pattern`.
pub const SELECTS: &str = "x-selects";

/// A table inside another one.
#[derive(Clone, Debug, PartialEq)]
pub struct Inner {
    /// Where it is: at several paths, if the same table is there.
    pub paths: Vec<String>,
    /// Its schema.
    pub table: Json,
}

/// All tables inside the one at `path`, at any depth, each once.
pub fn tables_inside(path: &str, table: &Json) -> Vec<Inner> {
    let mut found = Vec::new();
    add_inside(path, table, &mut found);
    found
}

fn add_inside(path: &str, table: &Json, found: &mut Vec<Inner>) {
    for (name, field) in table["properties"].as_object().into_iter().flatten() {
        let Some(table) = table_in(field) else {
            continue;
        };
        let path = format!("{path}.{name}");
        match found.iter_mut().find(|known| known.table == table) {
            Some(known) => known.paths.push(path.clone()),
            None => found.push(Inner {
                paths: vec![path.clone()],
                table: table.clone(),
            }),
        }
        add_inside(&path, &table, found);
    }
}

/// The table that a field may be, or may be a list of, with the fields of all its forms; nothing
/// if it has none.
///
/// Of the entries of a registry it has what all of them have: their own fields are told with them.
pub fn table_in(field: &Json) -> Option<Json> {
    let mut found = Vec::new();
    add_forms(field, &mut found);
    let first = found.first()?;
    let mut table = json!({});
    for key in ["description", SELECTS] {
        if let Some(words) = first[key].as_str() {
            table[key] = words.into();
        }
    }
    // No field has to be there that one of the forms does without.
    let mut required = required(first);
    required.retain(|name| found.iter().all(|form| self::required(form).contains(name)));
    let mut properties = Map::new();
    for form in &found {
        for (name, field) in form["properties"].as_object().into_iter().flatten() {
            properties.entry(name).or_insert_with(|| field.clone());
        }
    }
    table["properties"] = properties.into();
    table["required"] = required.into();
    Some(table)
}

/// The forms of a field that are tables.
fn add_forms(field: &Json, found: &mut Vec<Json>) {
    if let Some(selects) = field[SELECTS].as_str() {
        found.push(common(field, selects));
    } else if field["properties"].is_object() {
        let mut form = field.clone();
        // The field itself says what it is for.
        form["description"].take();
        found.push(form);
    } else if let Some(items) = field.get("items") {
        let before = found.len();
        add_forms(items, found);
        if let (Some(form), Some(words)) = (found.get_mut(before), items.get("description")) {
            form["description"] = words.clone();
        }
    } else {
        forms(field).for_each(|form| add_forms(form, found));
    }
}

/// What all entries of a registry have in common, and what selects one of them.
fn common(field: &Json, selects: &str) -> Json {
    let (table, key) = selects.split_once('.').unwrap_or((selects, "kind"));
    let which = json!({
        "type": "string",
        "description": format!("Which one, as in `[{table}]`; each has fields of its own."),
    });
    let mut properties = Map::from_iter([(key.to_owned(), which)]);
    let first = forms(field).next().map(|form| &form["properties"]);
    let shared = first.and_then(Json::as_object).into_iter().flatten();
    let shared = shared.filter(|(name, schema)| {
        forms(field).all(|form| form["properties"].get(name) == Some(schema))
    });
    properties.extend(shared.map(|(name, schema)| (name.clone(), schema.clone())));
    json!({ "properties": properties, "required": required(field), SELECTS: selects })
}

/// The fields that a table must have, whoever supplies them.
pub fn required(table: &Json) -> Vec<String> {
    let lists = ["required", "x-required"].into_iter();
    let names = lists.filter_map(|list| table[list].as_array()).flatten();
    names.filter_map(Json::as_str).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(table: &Json) -> Vec<&str> {
        let fields = table["properties"].as_object().unwrap();
        fields.keys().map(String::as_str).collect()
    }

    #[test]
    fn tables_are_found_in_lists_and_in_several_forms() {
        let whole = json!({ "type": "integer" });
        let per = |name: &str| json!({ "properties": { name: whole }, "required": [name] });
        let either = json!({ "anyOf": [whole, per("steps"), { "anyOf": [per("groups")] }] });
        let table = table_in(&either).unwrap();
        assert_eq!(names(&table), ["steps", "groups"]);
        assert_eq!(table["required"], json!([]));
        let mut item = per("bytes");
        item["description"] = "One exchange.".into();
        let list = table_in(&json!({ "items": item, "description": "All of them." })).unwrap();
        assert_eq!(list["description"], "One exchange.");
        assert_eq!(list["required"], json!(["bytes"]));
        assert_eq!(table_in(&json!({ "items": whole })), None);
    }

    #[test]
    fn entries_of_a_registry_have_in_common_what_is_the_same() {
        let entry = |name: &str, own: &str| json!({ "title": name, "properties": { "kind": { "enum": [name] }, own: {}, "seed": {} } });
        let either = json!({
            "anyOf": [entry("one", "first"), entry("two", "second")],
            "required": ["seed"],
            SELECTS: "placement.kind",
        });
        let table = table_in(&either).unwrap();
        assert_eq!(names(&table), ["kind", "seed"]);
        assert_eq!(table["required"], json!(["seed"]));
        assert_eq!(table[SELECTS], "placement.kind");
    }

    #[test]
    fn a_table_that_is_at_several_paths_is_told_once() {
        let sizes = json!({ "properties": { "flits": {} } });
        let outer = json!({ "properties": { "sizes": sizes } });
        let table = json!({ "properties": { "request": sizes, "reply": sizes, "class": outer } });
        let found = tables_inside("workload", &table);
        let paths: Vec<&[String]> = found.iter().map(|inner| &*inner.paths).collect();
        let sizes = ["workload.request", "workload.reply", "workload.class.sizes"];
        assert_eq!(paths, [&sizes[..], &["workload.class"]]);
    }
}
