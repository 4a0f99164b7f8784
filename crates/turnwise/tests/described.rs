//! Every table and field of the language describes itself, whatever it is inside of.

#![allow(clippy::unwrap_used, reason = "tests and their helpers may")]

#[allow(dead_code)]
mod common;

use common::{good_study, refuse, turnwise};
use serde_json::{Value as Json, json};
use std::collections::BTreeSet;

#[test]
fn every_field_of_every_table_is_described() {
    let folder = good_study();
    let schema: Json = serde_json::from_str(&turnwise(folder.path(), &["schema"]).stdout).unwrap();
    let mut tried = 0;
    for (table, schema) in schema["properties"].as_object().unwrap() {
        let alternatives = schema["anyOf"]
            .as_array()
            .cloned()
            .unwrap_or(vec![schema.clone()]);
        let fields = alternatives
            .iter()
            .flat_map(|one| one["properties"].as_object().unwrap().keys());
        // The paths of a sweep are fields of the other tables.
        let own = |field: &&String| table != "sweep" || ["zip", "where"].contains(&field.as_str());
        for field in fields.filter(own).collect::<BTreeSet<_>>() {
            let ran = turnwise(folder.path(), &["describe", table, field]).fine();
            let is_told = ran.stdout.contains(&format!("  {field}  "));
            assert!(is_told, "{table} {field}: {}", ran.stdout);
            tried += 1;
        }
    }
    assert!(tried > 80, "{tried}");
    let load = turnwise(folder.path(), &["describe", "traffic", "load"])
        .fine()
        .stdout;
    assert!(
        load.starts_with("[traffic]: ") && load.contains("Offered load"),
        "{load}"
    );
    let seed = turnwise(folder.path(), &["describe", "network", "seed"])
        .fine()
        .stdout;
    let alike = "kind = \"random-regular\", \"random-irregular\":\n";
    assert!(seed.contains(alike), "{seed}");
    refuse(
        folder.path(),
        &["describe", "traffic", "laod"],
        &[
            "no traffic called `laod`, and no such field in [traffic]",
            "did you mean `load`?",
        ],
    );
}

/// Whatever can be chosen by a name is described by that name alone; a table that it is not in says which it is in.
#[test]
fn a_name_is_described_without_its_table() {
    let folder = good_study();
    let describe = |words: &[&str]| turnwise(folder.path(), &[&["describe"], words].concat());
    let list = turnwise(folder.path(), &["list", "--format", "json"]).fine();
    let mut tried = 0;
    for line in list.stdout.lines() {
        let entry: Json = serde_json::from_str(line).unwrap();
        let (table, name) = (&entry["family"], entry["name"].as_str().unwrap());
        let table = match table.as_str().unwrap() {
            "table" | "format" => continue,
            table => table,
        };
        let alone = describe(&[name]).fine().stdout;
        let page = describe(&[table, name]).fine().stdout;
        let example = page.split_once("\nexample:\n").unwrap().0;
        assert!(alone.contains(example), "{name}: {alone}");
        tried += 1;
    }
    assert!(tried > 80, "{tried}");
    let both = describe(&["random"]).fine().stdout;
    let [pattern, placement] =
        ["  [traffic]\n", "  [placement]\n"].map(|table| both.contains(table));
    assert!(pattern && placement, "{both}");
    let seed = describe(&["random", "seed"]).fine().stdout;
    assert!(seed.contains("Seed of the places"), "{seed}");
    let folder = folder.path();
    refuse(
        folder,
        &["describe", "network", "ugal"],
        &["`turnwise describe routing ugal` is of it"],
    );
    refuse(
        folder,
        &["describe", "dimension-ordre"],
        &["nothing is called", "did you mean `dimension-order`?"],
    );
    refuse(
        folder,
        &["describe", "load"],
        &["nothing is called", "`traffic.load`"],
    );
}

/// The paths of the fields of a table, those inside it included; those of entries of registries are described there.
fn paths(path: &str, table: &Json, found: &mut BTreeSet<(String, String)>) {
    let forms = ["anyOf", "oneOf"].into_iter();
    let forms = forms.filter_map(|how| table[how].as_array()).flatten();
    for form in forms.chain(table.get("items")) {
        if !form["title"].is_string() {
            paths(path, form, found);
        }
    }
    for (name, field) in table["properties"].as_object().into_iter().flatten() {
        let path = format!("{path}.{name}");
        let meaning = field["description"].as_str().unwrap_or_default();
        found.insert((path.clone(), meaning.replace('\n', " ")));
        paths(&path, field, found);
    }
}

/// A field inside another is described by its path, in one word or in two, and on the page of whatever it is in.
#[test]
fn every_field_inside_another_is_described() {
    let folder = good_study();
    let describe = |words: &[&str]| {
        let words = [&["describe"], words].concat();
        turnwise(folder.path(), &words).fine().stdout
    };
    let schema: Json = serde_json::from_str(&turnwise(folder.path(), &["schema"]).stdout).unwrap();
    let mut tried = BTreeSet::new();
    for (table, schema) in schema["properties"].as_object().unwrap() {
        if ["sweep", "scale"].contains(&table.as_str()) {
            continue;
        }
        let itself = std::slice::from_ref(schema);
        for one in schema["anyOf"].as_array().map_or(itself, Vec::as_slice) {
            let mut found = BTreeSet::new();
            paths(
                table,
                &json!({ "properties": one["properties"] }),
                &mut found,
            );
            let page = match one["title"].as_str().filter(|_| schema["anyOf"].is_array()) {
                Some(entry) => describe(&[table, entry]) + &describe(&[table]),
                None => describe(&[table]),
            };
            for (path, meaning) in found
                .iter()
                .filter(|(path, _)| path.matches('.').count() > 1)
            {
                let name = path.rsplit('.').next().unwrap();
                let is_told = |page: &str| {
                    let is_it = |line: &str| line.trim_start().starts_with(&format!("{name} "));
                    page.lines()
                        .any(|line| is_it(line) && line.contains(meaning))
                };
                assert!(is_told(&page), "{path}: {page}");
                if tried.insert(path.clone()) {
                    let (_, inside) = path.split_once('.').unwrap();
                    let told = describe(&[path]);
                    assert!(is_told(&told), "{path}: {told}");
                    assert_eq!(told, describe(&[table, inside]));
                }
            }
        }
    }
    assert!(tried.len() > 50, "{tried:?}");
    let placed = describe(&["workload.jobs[0].placement.block"]);
    assert_eq!(placed, describe(&["placement", "block"]));
    assert_eq!(
        describe(&["workload.npb.host"]),
        describe(&["workload", "npb.host"])
    );
    let wrong = [
        (
            "ethernet.congestion.gian",
            "no field called `gian` in [ethernet.congestion]",
        ),
        ("workload.host.egaer_bytes", "did you mean `eager_bytes`?"),
        (
            "ethernet.priorities.most",
            "`priorities` in [ethernet] has no fields of its own",
        ),
        ("ethernt.congestion", "nothing is called `ethernt`"),
    ];
    for (path, message) in wrong {
        refuse(folder.path(), &["describe", path], &[message]);
    }
}
