//! The schema and the reader judge alike: a validator that shares no code with us accepts every study
//! that we have, and refuses those that a schema can know to be broken.

#![allow(clippy::unwrap_used, reason = "tests and their helpers may")]

#[allow(dead_code)]
mod common;

use common::{GOOD, shell};
use jsonschema::Validator;
use serde_json::{Value as Json, json};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

static SCHEMA: LazyLock<Json> = LazyLock::new(|| {
    let printed = shell(&root(), "\"$turnwise\" schema").fine().stdout;
    serde_json::from_str(&printed).unwrap()
});

static VALIDATOR: LazyLock<Validator> =
    LazyLock::new(|| jsonschema::validator_for(&SCHEMA).unwrap());

/// What the validator has against a study.
fn complaints(study: &Json) -> Vec<String> {
    let errors = VALIDATOR.iter_errors(study);
    errors
        .map(|error| format!("{}: {error}", error.instance_path()))
        .collect()
}

/// A study as a validator sees it; nothing if it is not even TOML.
fn parsed(text: &str) -> Option<Json> {
    let table: toml::Table = text.parse().ok()?;
    serde_json::to_value(table).ok()
}

fn toml_files(folder: &str) -> Vec<(String, String)> {
    let mut files = Vec::new();
    for entry in fs::read_dir(root().join(folder)).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        // Site files describe a cluster, not a study.
        if name.ends_with(".toml") && !name.ends_with("site.toml") {
            files.push((
                format!("{folder}/{name}"),
                fs::read_to_string(path).unwrap(),
            ));
        }
    }
    files.sort();
    files
}

/// The `toml` blocks of all documents. What a fragment leaves out is supplied.
fn blocks() -> Vec<(String, Json)> {
    let mut found = Vec::new();
    let folders = ["", "docs", "docs/reference"].map(|folder| root().join(folder));
    for entry in folders
        .iter()
        .flat_map(|folder| fs::read_dir(folder).unwrap())
    {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "md") {
            continue;
        }
        let text = fs::read_to_string(&path).unwrap();
        for block in text.split("```toml\n").skip(1) {
            let block = block.split("```").next().unwrap();
            let mut study = parsed(block).unwrap_or_else(|| panic!("{}: {block}", path.display()));
            let table = study.as_object_mut().unwrap();
            if table.contains_key("hosts") {
                continue;
            }
            let network = || json!({ "kind": "torus", "sizes": [4, 4] });
            table.entry("network").or_insert_with(network);
            if let Some(Json::Object(traffic)) = table.get_mut("traffic") {
                traffic.entry("load").or_insert(json!(0.1));
            }
            found.push((format!("{}: {block}", path.display()), study));
        }
    }
    found
}

#[test]
fn every_study_of_ours_is_valid() {
    let folders = [
        "studies",
        "studies/angara",
        "studies/infiniband",
        "studies/machines",
        "studies/propagation-ratio",
        "studies/rhinet2",
        "crates/turnwise/tests/cmd/studies",
        "crates/turnwise/tests/fingerprints",
    ];
    let files = folders.iter().flat_map(|folder| toml_files(folder));
    let studies = files.map(|(name, text)| (name, parsed(&text).unwrap()));
    let all: Vec<(String, Json)> = studies.chain(blocks()).collect();
    assert!(all.len() > 60, "only {} studies", all.len());
    for (name, study) in all {
        assert_eq!(complaints(&study), [""; 0], "{name}");
    }
}

/// The others need to know how a condition is read, what a file says or what a network is like.
#[test]
fn most_broken_studies_are_refused() {
    let files = toml_files("crates/turnwise/tests/bad-studies");
    let readable: Vec<(String, Json)> = files
        .iter()
        .filter_map(|(name, text)| Some((name.clone(), parsed(text)?)))
        .collect();
    let refused = readable
        .iter()
        .filter(|(_, study)| !complaints(study).is_empty());
    let refused = refused.count();
    assert!(refused >= 75, "{refused} of {}", readable.len());
}

/// Values of a swept key, and whether they may stand there.
const SWEEPS: &[(&str, bool)] = &[
    (
        "'traffic.load' = { from = 0.05, to = 0.75, step = 0.05 }",
        true,
    ),
    ("'traffic.load' = { from = 0, to = 1, count = 5 }", true),
    (
        "'traffic.load' = { from = 0.9, to = 1.05, step = 0.1 }",
        true,
    ),
    ("'traffic.load' = [0.1, 1]", true),
    ("traffic.load = [0.1, 0.2]", true),
    ("traffic = { load = [0.1], packet_flits = [1, 2] }", true),
    ("traffic = [{ pattern = 'uniform', load = 0.1 }]", true),
    ("'network.sizes' = [[4, 4], [8, 8]]", true),
    ("'network.sizes[1]' = [4, 8]", true),
    (
        "'network.faults.random_links' = { from = 0, to = 8, step = 2 }",
        true,
    ),
    (
        "network.faults.random_links = { from = 0, to = 8, step = 2 }",
        true,
    ),
    ("'network.faults.links[0][1]' = [1, 4]", true),
    ("'network.faults' = [{ routers = [3] }]", true),
    (
        "'network.channel_latency' = [1, '2 cycles', { local = 3 }]",
        true,
    ),
    ("'network.channel_latency.local' = [1, 2]", true),
    (
        "'network.channel_latency.dimensions' = [[1, '100 ns']]",
        true,
    ),
    (
        "'network.channel_latency.global' = [{ per_group = '2.5 ns' }]",
        true,
    ),
    ("'router.buffer_flits' = ['8 KiB', 16]", true),
    ("'traffic.load' = ['40 Gb/s', '5 GB/s', 0.1]", true),
    (
        "'traffic.load' = { from = '10 Gb/s', to = '1 Tb/s', step = '10 Gb/s' }",
        true,
    ),
    (
        "'simulation.warmup_cycles' = { from = '1 us', to = '3 us', count = 3 }",
        true,
    ),
    (
        "'traffic.packet_flits' = ['64 B', [{ flits = '64 B', share = 1 }]]",
        true,
    ),
    (
        "'network.channel_interval' = [1, '2 cycles', { local = 3 }]",
        true,
    ),
    ("'network.channel_interval.global' = [1, 2]", true),
    (
        "'router.buffer_flits' = [8, 'round-trip', { global = 'round-trip', local = 8 }]",
        true,
    ),
    ("'router.buffer_flits.terminal' = [1, 'round-trip']", true),
    (
        "'routing.kind' = ['dimension-order', 'shortest-path']",
        true,
    ),
    ("'routing.ties' = ['random', 'first']", true),
    ("routing = [{ kind = 'shortest-path' }]", true),
    (
        "'router.virtual_channels' = [8, 6, 4]\nzip = ['a', 'b']\nwhere = 'x < 1'",
        true,
    ),
    (
        "zip = [['a', 'b'], ['c', 'd', 'e']]\nwhere = ['x < 1', 'y > 2']",
        true,
    ),
    ("'traffic.load' = { form = 0, to = 1 }", false),
    ("'traffic.load' = { form = 0, to = 1, step = 0.1 }", false),
    ("'traffic.load' = { from = 0, to = 1 }", false),
    ("'traffic.load' = { from = 0, to = 1, step = 0 }", false),
    (
        "'traffic.load' = { from = 0, to = 1, step = 0.1, count = 3 }",
        false,
    ),
    ("'traffic.load' = { from = 0, to = 2, count = 3 }", false),
    ("'traffic.load' = { from = -1, to = 1, step = 0.5 }", false),
    ("'traffic.load' = { from = 0, to = 1, count = 0 }", false),
    (
        "'traffic.load' = { from = 'low', to = 1, step = 0.1 }",
        false,
    ),
    ("'traffic.load' = [2]", false),
    ("'traffic.load' = [-1]", false),
    ("'traffic.load' = ['high']", false),
    ("'traffic.load' = ['40 ns']", false),
    ("'router.virtual_channels' = ['2 flits']", false),
    ("'simulation.warmup_cycles' = ['1 us', '1 kus']", false),
    ("'traffic.load' = []", false),
    ("'traffic.load' = 0.1", false),
    ("'traffic.load' = {}", false),
    ("'traffic.lod' = [0.1]", false),
    ("traffic.lod = [0.1]", false),
    ("traffic = { lod = [0.1] }", false),
    ("'trafic.load' = [0.1]", false),
    ("'load' = [0.1]", false),
    ("'traffic.' = [0.1]", false),
    ("'traffic.load.x' = [0.1]", false),
    ("'study.seed' = [1, 2]", false),
    ("'network.sizes' = [[4, 0]]", false),
    ("'network.sizes' = [4]", false),
    ("'network.sizes[x]' = [4]", false),
    ("'network.faults.randomlinks' = [1]", false),
    ("'network.faults' = [{ router = [3] }]", false),
    ("'network.channel_latency' = [1.5]", false),
    ("'network.channel_latency' = ['2 nss']", false),
    ("'network.channel_latency' = ['2 GHz']", false),
    ("'network.channel_interval' = [0]", false),
    ("'network.channel_interval' = [1_001]", false),
    ("'network.channel_interval' = [{ groups = 2 }]", false),
    ("'router.buffer_flits' = [0]", false),
    ("'router.buffer_flits' = ['16']", false),
    ("'router.buffer_flits' = [{ groups = 2 }]", false),
    ("'network.channel_latency' = [{ lokal = 3 }]", false),
    ("'routing.kind' = ['dimension-oder']", false),
    ("'routing.kind' = { from = 1, to = 2, step = 1 }", false),
    ("'routing.ties' = [1]", false),
    (
        "routing = [{ kind = 'shortest-path', tie = 'first' }]",
        false,
    ),
    ("'router.virtual_channels' = [33]", false),
    ("'router.virtual_channels' = [0]", false),
    ("'router.kind' = ['magic']", false),
    ("'router.internal_speedup' = [16.0001]", false),
    ("'simulation.drain' = ['yes']", false),
    ("zip = [['a']]", false),
    ("zip = 'a'", false),
    ("where = 3", false),
    ("where = [3]", false),
];

#[test]
fn sweeps_are_judged_one_by_one() {
    for (sweep, valid) in SWEEPS {
        let study = parsed(&format!("{GOOD}\n[sweep]\n{sweep}")).unwrap();
        assert_eq!(
            complaints(&study).is_empty(),
            *valid,
            "{sweep}: {:?}",
            complaints(&study)
        );
    }
}

/// What may be different at a scale, in a study that sweeps the load.
const SCALES: &[(&str, bool)] = &[
    ("'traffic.load' = [0.1, 0.2]", true),
    (
        "'traffic.load' = { from = 0.1, to = 0.3, step = 0.1 }",
        true,
    ),
    ("'traffic.load' = 0.1", true),
    ("traffic.load = [0.1]", true),
    ("traffic = { load = [0.1], packet_flits = 2 }", true),
    (
        "simulation = { warmup_cycles = 10, measure_cycles = 20 }",
        true,
    ),
    ("'simulation.drain' = false", true),
    ("'study.repeat' = 2", true),
    ("study = { repeat = 2, seed = 3 }", true),
    ("'report.x' = 'traffic.load'", true),
    ("'network.sizes' = [2, 2]", true),
    ("'network.sizes[1]' = 2", true),
    ("'network.faults.routers' = [3]", true),
    ("network.faults = { routers = [3] }", true),
    ("'network.channel_latency' = { local = 3 }", true),
    ("'traffic.packet_flits' = [{ flits = 2, share = 1 }]", true),
    ("'sweep.network.sizes' = [[2, 2], [3, 3]]", true),
    ("sweep.network.sizes = [[2, 2], [3, 3]]", true),
    ("'sweep.network.sizes[1]' = [2, 3]", true),
    ("'sweep.where' = 'traffic.load < 0.35'", true),
    ("", true),
    ("'traffic.load' = []", false),
    ("'traffic.load' = ['much']", false),
    ("'traffic.lod' = 0.1", false),
    ("traffic.lod = 0.1", false),
    ("'trafic.load' = 0.1", false),
    ("'simulation.drain' = 'yes'", false),
    ("'simulation.measure_cycles' = -1", false),
    ("'study.repeat' = 0", false),
    ("'network.sizes' = [0]", false),
    ("'sweep.network.sizes' = [4]", false),
    ("'sweep.zip' = 3", false),
    ("sweep.trafic.load = [0.1]", false),
    ("'scale.slow' = {}", false),
];

/// Both judge a scale alike. What only a network can tell, the reader says to who asks for the scale; the rest, to everybody.
#[test]
fn scales_are_judged_one_by_one() {
    let folder = tempfile::tempdir().unwrap();
    let sweep = "[sweep]\n'traffic.load' = [0.3, 0.4]";
    for (scale, valid) in SCALES {
        let text = format!("{GOOD}\n{sweep}\n[scale.quick]\n{scale}\n");
        let found = complaints(&parsed(&text).unwrap());
        assert_eq!(found.is_empty(), *valid, "{scale}: {found:?}");
        fs::write(folder.path().join("s.toml"), text).unwrap();
        let asked = shell(
            folder.path(),
            "\"$turnwise\" plan s.toml --set study.scale=quick",
        );
        assert_eq!(asked.code == Some(0), *valid, "{scale}: {asked:?}");
        let other = shell(folder.path(), "\"$turnwise\" plan s.toml");
        let needs_network = scale.contains("[0]");
        let passes = *valid || needs_network;
        assert_eq!(other.code == Some(0), passes, "{scale}: {other:?}");
    }
    let named = |name| format!("{GOOD}\n[scale.{name}]\nstudy.repeat = 2\n");
    assert_eq!(complaints(&parsed(&named("quick")).unwrap()), [""; 0]);
    assert_ne!(complaints(&parsed(&named("full")).unwrap()), [""; 0]);
}

/// What the file lacks the scale that it names may supply.
#[test]
fn a_scale_may_supply_what_is_missing() {
    let missing = GOOD.replace("load = ", "# ");
    let supplied = format!("[scale.quick]\ntraffic.load = 0.1\n{missing}");
    assert_ne!(complaints(&parsed(&supplied).unwrap()), [""; 0]);
    let named = format!("[study]\nscale = 'quick'\n{supplied}");
    assert_eq!(complaints(&parsed(&named).unwrap()), [""; 0]);
}

/// A study for each entry of a table, made from its example.
fn bases(table: &str) -> Vec<(String, Json)> {
    let pages: Vec<(String, Json)> = blocks();
    let entries = SCHEMA["properties"][table]["anyOf"].as_array().unwrap();
    let key = if table == "traffic" {
        "pattern"
    } else {
        "kind"
    };
    let examples = entries.iter().map(|entry| {
        let name = entry["title"].as_str().unwrap();
        let is_its = |(place, study): &&(String, Json)| {
            place.contains("docs/reference") && study[table][key] == name
        };
        let (_, study) = pages
            .iter()
            .find(is_its)
            .unwrap_or_else(|| panic!("{name}"));
        (name.to_owned(), study.clone())
    });
    examples.collect()
}

/// Values just outside the bounds of a number, and its lower bound itself.
fn outside(field: &Json) -> Vec<Json> {
    let bounds = [("minimum", -1.0), ("maximum", 1.0)];
    let step = |whole: bool| if whole { 1.0 } else { 0.001 };
    let mut values = Vec::new();
    for (bound, sign) in bounds {
        let types = [&field["type"], &field["type"][0]];
        let whole = types.iter().any(|name| **name == "integer");
        let Some(limit) = field[bound].as_f64().filter(|limit| limit.abs() < 9e15) else {
            continue;
        };
        let value = limit + sign * step(whole);
        values.push(if whole {
            json!(value as i64)
        } else {
            json!(value)
        });
    }
    values
}

/// Every number with bounds: where it is, and values outside.
fn numbers(schema: &Json) -> Vec<(String, Vec<Json>)> {
    let fields = schema["properties"].as_object().into_iter().flatten();
    let mut found = Vec::new();
    for (name, field) in fields {
        let element = field["items"].as_object().map(|items| json!(items));
        let (schema, list) = match element {
            Some(items) => (items, true),
            None => (field.clone(), false),
        };
        let value = |value| if list { json!([value]) } else { value };
        let values: Vec<Json> = outside(&schema).into_iter().map(value).collect();
        if !values.is_empty() {
            found.push((name.clone(), values));
        }
    }
    found
}

/// The schema is no stricter than the reader: what it refuses is refused, on account of that field.
#[test]
fn bounds_of_the_schema_are_those_of_the_reader() {
    let folder = tempfile::tempdir().unwrap();
    let mut tried = 0;
    let mut refused = |study: &Json, table: &str, field: &str, value: &Json| {
        let mut study = study.clone();
        // Of a list, only the first element is wrong.
        match (study[table][field].as_array_mut(), &value[0]) {
            (Some(list), element) if !element.is_null() => list[0] = element.clone(),
            _ => study[table][field] = value.clone(),
        }
        let text = toml::to_string(&study).unwrap();
        fs::write(folder.path().join("study.toml"), text).unwrap();
        let command = if table == "network" {
            "network"
        } else {
            "plan"
        };
        let ran = shell(
            folder.path(),
            &format!("\"$turnwise\" {command} study.toml"),
        );
        assert!(
            !complaints(&study).is_empty(),
            "schema: {table}.{field} = {value}"
        );
        assert_eq!(ran.code, Some(2), "{table}.{field} = {value}: {ran:?}");
        let line = |line: &str| line.starts_with(&format!("{field} = "));
        let text = toml::to_string(&study).unwrap();
        let section = text.find(&format!("[{table}]")).unwrap();
        let at = text[section..].lines().position(line).unwrap();
        let at = text[..section].lines().count() + at + 1;
        let place = format!("study.toml:{at}:");
        assert!(
            ran.stderr.contains(&place),
            "{table}.{field} = {value}: {}",
            ran.stderr
        );
        tried += 1;
    };
    let good = parsed(GOOD).unwrap();
    for table in ["study", "router", "simulation"] {
        for (field, values) in numbers(&SCHEMA["properties"][table]) {
            let mut study = good.clone();
            if study.get(table).is_none() {
                study[table] = json!({});
            }
            values
                .iter()
                .for_each(|value| refused(&study, table, &field, value));
        }
    }
    for (name, study) in bases("network") {
        let entries = SCHEMA["properties"]["network"]["anyOf"].as_array().unwrap();
        let entry = entries.iter().find(|entry| entry["title"] == name).unwrap();
        for (field, values) in numbers(entry) {
            values
                .iter()
                .for_each(|value| refused(&study, "network", &field, value));
        }
    }
    let uniform = &SCHEMA["properties"]["traffic"]["anyOf"][0];
    for (field, values) in numbers(uniform) {
        values
            .iter()
            .for_each(|value| refused(&good, "traffic", &field, value));
    }
    assert!(tried >= 60, "{tried}");
}
