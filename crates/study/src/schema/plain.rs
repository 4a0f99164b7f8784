//! Schemas as derived from types, made plain: without references, without what TOML does not have,
//! with the units that numbers may be written in, and with the bounds of virtual channels, which many
//! tables have.

use serde_json::{Map, Value as Json};
use turnwise_config::units::{KEY, Quantity};
use turnwise_network::VcSet;

/// A schema of its own as part of a larger one: without references.
pub fn own(schema: schemars::Schema) -> Json {
    let mut schema = schema.to_value();
    if let Some(object) = schema.as_object_mut() {
        object.remove("$schema");
    }
    let mut schema = inlined(schema);
    tidy(&mut schema);
    bound_shared(&mut schema);
    schema
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

/// Says formats as bounds, which every validator checks, and leaves out `null`, which TOML lacks.
fn tidy(schema: &mut Json) {
    match schema {
        Json::Object(object) => {
            tidy_object(object);
            object.values_mut().for_each(tidy);
        }
        Json::Array(items) => items.iter_mut().for_each(tidy),
        _ => {}
    }
}

fn tidy_object(object: &mut Map<String, Json>) {
    let most = match object.get("format").and_then(Json::as_str) {
        Some("uint32") => Some(i64::from(u32::MAX)),
        // Whole numbers of TOML have 64 bits with their sign.
        Some("uint64") => Some(i64::MAX),
        _ => None,
    };
    if let Some(most) = most {
        object.entry("maximum").or_insert(most.into());
    }
    // Except as the name of a property, which is an object.
    if object.get("format").is_some_and(Json::is_string) {
        object.remove("format");
    }
    if object.get("default").is_some_and(Json::is_null) {
        object.remove("default");
    }
    if let Some(Json::Array(types)) = object.get_mut("type") {
        types.retain(|name| name != "null");
        if let [only] = types.as_slice() {
            let only = only.clone();
            object.insert("type".to_owned(), only);
        }
    }
    if let Some(Json::Array(alternatives)) = object.get_mut("anyOf") {
        alternatives.retain(|alternative| alternative["type"] != "null");
        if let [only] = alternatives.as_slice() {
            let only = only.as_object().cloned().unwrap_or_default();
            object.remove("anyOf");
            only.into_iter().for_each(|(key, value)| {
                object.entry(key).or_insert(value);
            });
        }
    }
    let quantity = object.get(KEY).and_then(Json::as_str);
    if let Some(quantity) = quantity.and_then(Quantity::named) {
        allow_units(object, quantity);
    }
}

/// What a number counts, whichever of several forms of a field it is.
pub fn quantity(schema: &Json) -> Option<Quantity> {
    let own = schema[KEY].as_str().and_then(Quantity::named);
    own.or_else(|| forms(schema).find_map(quantity))
}

/// The forms that a field may have instead of one another.
pub fn forms(schema: &Json) -> impl Iterator<Item = &Json> {
    let alternatives = ["oneOf", "anyOf"].into_iter();
    alternatives
        .filter_map(|how| schema[how].as_array())
        .flatten()
}

/// A number that counts something may be text with a unit. Bounds hold for numbers, the pattern for
/// texts.
fn allow_units(object: &mut Map<String, Json>, quantity: Quantity) {
    if let Some(Json::String(number)) = object.get("type").cloned() {
        object.insert("type".to_owned(), vec![number, "string".to_owned()].into());
        object.insert("pattern".to_owned(), quantity.pattern().into());
    }
}

/// A field that means the same in whichever table it is.
fn bound_shared(schema: &mut Json) {
    let properties = schema.get_mut("properties").and_then(Json::as_object_mut);
    if let Some(field) = properties.and_then(|fields| fields.get_mut("virtual_channels")) {
        field["minimum"] = 1.into();
        field["maximum"] = VcSet::CAPACITY.into();
    }
}
