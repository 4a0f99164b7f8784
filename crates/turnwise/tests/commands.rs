//! The commands, as their users see them: transcripts, files, and whether these agree.
//!
//! The transcripts in `tests/cmd/*.md` are documentation that cannot be wrong. To renew them:
//!
//! ```text
//! TRYCMD=overwrite cargo test -p turnwise --test commands transcripts
//! ```
//!
//! `[..]` in them stands for anything on the line, such as seconds.

#![allow(clippy::unwrap_used, reason = "tests and their helpers may")]

#[allow(dead_code)]
mod common;

#[test]
fn transcripts() {
    trycmd::TestCases::new().case("tests/cmd/*.md");
}

use common::{Ran, content, shell, turnwise};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;

/// The studies of the transcripts, in a folder of their own.
fn folder() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in content(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cmd/studies")) {
        fs::write(folder.path().join(name), text.unwrap()).unwrap();
    }
    folder
}

/// The only JSON line on stdout.
fn json(ran: &Ran) -> Value {
    serde_json::from_str(&ran.stdout).unwrap()
}

/// The rows on stdout, but for their seconds.
fn rows(ran: &Ran) -> Vec<Value> {
    let mut rows: Vec<Value> = ran.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    rows.iter_mut().for_each(|row| drop(row.as_object_mut().unwrap().remove("seconds")));
    rows
}

/// The cells of a CSV text without quotes.
fn table(text: &str) -> Vec<Vec<&str>> {
    assert!(!text.contains('"'));
    text.lines().map(|line| line.split(',').collect()).collect()
}

/// What the design promises to scripts, in this order.
const PROMISED: [&str; 19] = [
    "offered_load", "accepted_load", "mean_packet_latency", "mean_network_latency", "latency_p50", "latency_p99",
    "latency_p999", "latency_max", "mean_hops", "mean_routers", "nonminimal_share", "saturated", "deadlocked",
    "cycles", "flit_hops", "packets", "fingerprint", "seconds", "point",
];

#[test]
fn rows_have_the_promised_columns_in_every_format() {
    let folder = folder();
    let run = |more: &[&str]| turnwise(folder.path(), &[&["run", "dragonfly.toml", "--fresh"], more].concat()).fine();
    let lines = run(&["--format", "json"]);
    let rows: Vec<Value> = lines.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(rows.len(), 4);
    for row in &rows {
        for column in PROMISED {
            assert!(row.get(column).is_some_and(|value| !value.is_null()), "{column} in {row}");
        }
        let point: Vec<&String> = row["point"].as_object().unwrap().keys().collect();
        assert_eq!(point, ["routing.kind", "traffic.load"]);
    }
    let csv = run(&["--format", "csv", "--csv", "rows.csv"]).stdout;
    let cells = table(&csv);
    assert_eq!(cells.len(), 5);
    assert_eq!(cells[0][..3], ["routing.kind", "traffic.load", "offered_load"]);
    for (cells_of_row, row) in cells[1..].iter().zip(&rows) {
        for (column, cell) in cells[0].iter().zip(cells_of_row).filter(|(column, _)| **column != "seconds") {
            let value = row.get(*column).or(row["point"].get(*column)).unwrap();
            let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            assert_eq!(*cell, if value.is_null() { "" } else { &text }, "{column}");
        }
    }
    assert_eq!(fs::read_to_string(folder.path().join("rows.csv")).unwrap(), csv);
}

/// The report, its plots and its CSV file are all there, and tell of all points.
#[test]
fn a_report_is_whole() {
    let folder = folder();
    turnwise(folder.path(), &["run", "dragonfly.toml", "--no-report"]).fine();
    let output = folder.path().join("turnwise-out/dragonfly");
    assert!(!output.join("report.html").exists());
    let reported = turnwise(folder.path(), &["report", "dragonfly.toml"]).fine();
    assert_eq!(reported.stdout, "report: turnwise-out/dragonfly/report.html\n");
    let html = fs::read_to_string(output.join("report.html")).unwrap();
    for words in ["<!DOCTYPE html>", "Minimal or Valiant?", "valiant", "deadlock-free", "</html>"] {
        assert!(html.contains(words), "{words}");
    }
    assert!(!html.contains("<script src") && !html.contains("<link rel=\"stylesheet\""), "it must be self-contained");
    let plots: Vec<String> = content(&output.join("plots")).into_keys().collect();
    assert!(plots.len() > 3 && plots.iter().all(|name| name.ends_with(".svg")), "{plots:?}");
    let ran = turnwise(folder.path(), &["run", "dragonfly.toml", "--output", "elsewhere"]).fine();
    assert!(ran.stdout.ends_with("report: elsewhere/report.html\n"), "{}", ran.stdout);
    let csv = fs::read_to_string(folder.path().join("elsewhere/results.csv")).unwrap();
    assert_eq!(csv.lines().count(), 5);
}

#[test]
fn a_report_of_some_points_says_so() {
    let folder = folder();
    turnwise(folder.path(), &["run", "dragonfly.toml", "--no-report", "--shard", "0/2"]).fine();
    let ran = turnwise(folder.path(), &["report", "dragonfly.toml"]).fine();
    assert_eq!(ran.stderr, "2 of 4 points have no results yet\n");
}

#[test]
fn json_reads_back_as_the_same_network() {
    let folder = folder();
    for (study, set) in [
        ("torus.toml", "network.channel_latency=3"),
        ("dragonfly.toml", "network.faults={ random_links = 5, routers = [7], seed = 3 }"),
        ("cables.toml", "network.faults={ links = [[0, 1]] }"),
    ] {
        let network = |arguments: &[&str]| {
            let ran = turnwise(folder.path(), &[&["network"], arguments, &["--format", "json"]].concat());
            assert!(ran.stderr.is_empty(), "{ran:?}");
            json(&ran)
        };
        let facts = network(&[study, "--set", set, "--export", "network.json"]);
        let read = "network={ kind = \"edge-list\", file = \"network.json\" }";
        assert_eq!(network(&["torus.toml", "--set", read, "--export", "again.json"]), facts, "{study}");
        // Labels come from the shape, which files do not keep.
        let [first, again] = ["network.json", "again.json"].map(|name| {
            let mut network: Value = serde_json::from_slice(&fs::read(folder.path().join(name)).unwrap()).unwrap();
            let routers = network["routers"].as_array_mut().unwrap();
            routers.iter_mut().for_each(|router| drop(router.as_object_mut().unwrap().remove("label")));
            network
        });
        assert_eq!(first, again, "{study}");
        // GraphML keeps what matters to routing.
        network(&[study, "--set", set, "--export", "network.graphml"]);
        let read = "network={ kind = \"graphml\", file = \"network.graphml\" }";
        let graphml = network(&["torus.toml", "--set", read]);
        for fact in ["routers", "terminals", "channels", "diameter", "mean_distance", "disconnected_pairs"] {
            assert_eq!(graphml[fact], facts[fact], "{study}: {fact}");
        }
    }
}

#[test]
fn dot_is_a_graph() {
    let folder = folder();
    turnwise(folder.path(), &["network", "cables.toml", "--export", "cables.dot"]).fine();
    let dot = fs::read_to_string(folder.path().join("cables.dot")).unwrap();
    assert!(dot.starts_with("graph ") && dot.trim_end().ends_with('}'), "{dot}");
    assert_eq!(dot.matches(" -- ").count(), 4, "{dot}");
}

#[test]
fn the_schema_is_json_and_knows_every_name() {
    let folder = folder();
    let schema = json(&turnwise(folder.path(), &["schema"]).fine());
    let list = turnwise(folder.path(), &["list", "--format", "json"]).fine();
    for entry in list.stdout.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()) {
        let (table, key) = match entry["family"].as_str().unwrap() {
            "network" => ("network", "kind"),
            "routing" => ("routing", "kind"),
            "pattern" => ("traffic", "pattern"),
            _ => continue,
        };
        let family = &schema["properties"][table];
        let alternatives = family["anyOf"].as_array().or(family["oneOf"].as_array()).unwrap();
        let names = |alternative: &Value| alternative["properties"][key]["enum"].as_array().cloned().unwrap();
        assert!(alternatives.iter().any(|alternative| names(alternative).contains(&entry["name"])), "{entry}");
    }
}

#[test]
fn everything_that_is_listed_is_described() {
    let folder = folder();
    let list = turnwise(folder.path(), &["list", "--format", "json"]).fine();
    let mut families = BTreeSet::new();
    for entry in list.stdout.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()) {
        let (family, name) = (entry["family"].as_str().unwrap(), entry["name"].as_str().unwrap());
        families.insert(family.to_owned());
        if family == "format" {
            continue;
        }
        let ran = turnwise(folder.path(), &["describe", family, name]).fine();
        assert!(ran.stdout.starts_with(&format!("{name}: ")), "{}", ran.stdout);
        for alias in entry["aliases"].as_array().unwrap() {
            assert_eq!(turnwise(folder.path(), &["describe", family, alias.as_str().unwrap()]).fine().stdout, ran.stdout);
        }
    }
    assert_eq!(families.into_iter().collect::<Vec<_>>(), ["format", "network", "pattern", "routing"]);
}

#[test]
fn shells_and_man_get_their_files() {
    let folder = folder();
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let script = turnwise(folder.path(), &["completions", shell]).fine().stdout;
        assert!(script.contains("turnwise") && script.contains("verify"), "{shell}");
    }
    let checked = shell(folder.path(), "\"$turnwise\" completions bash | bash -n");
    assert_eq!((checked.code, checked.stderr.as_str()), (Some(0), ""));
    turnwise(folder.path(), &["man", "pages/man1"]).fine();
    let pages = content(&folder.path().join("pages/man1"));
    for page in ["turnwise.1", "turnwise-run.1", "turnwise-verify.1"] {
        let text = String::from_utf8(pages[page].clone().unwrap()).unwrap();
        assert!(text.contains(".TH turnwise"), "{page}");
    }
}

/// Recomputes, from the CSV file alone, what `route` says of a single-path routing.
#[test]
fn paths_agree_with_the_table() {
    let folder = folder();
    for (study, set) in [
        ("torus.toml", "routing.ties=parity"),
        ("cables.toml", "routing.ties=first"),
        ("torus.toml", "network={ kind = \"mesh\", sizes = [3, 4], terminals_per_router = 2 }"),
    ] {
        let arguments = ["route", study, "--set", set, "--format", "json", "--paths", "paths.csv"];
        let told = json(&turnwise(folder.path(), &arguments).fine());
        let text = fs::read_to_string(folder.path().join("paths.csv")).unwrap();
        let cells = table(&text);
        assert_eq!(cells[0], ["source", "destination", "hop", "router", "port", "next_router", "vc"]);
        let mut crossings: BTreeMap<(&str, &str), u64> = BTreeMap::new();
        let mut paths: BTreeMap<(&str, &str), Vec<(&str, &str)>> = BTreeMap::new();
        for row in &cells[1..] {
            *crossings.entry((row[3], row[4])).or_default() += 1;
            let path = paths.entry((row[0], row[1])).or_default();
            assert_eq!(row[2], path.len().to_string(), "hops are in order");
            assert!(path.last().is_none_or(|(_, next)| *next == row[3]), "hops join");
            path.push((row[3], row[5]));
        }
        let whole = |name: &str| told[name].as_u64().unwrap();
        assert_eq!(crossings.values().max(), Some(&whole("edge_forwarding_index")), "{study} {set}");
        assert_eq!(crossings.values().min(), Some(&whole("min_load")), "{study} {set}");
        let mean = |sum: usize, count: u64| sum as f64 / count as f64;
        let near = |name: &str, value: f64| assert!((told[name].as_f64().unwrap() - value).abs() < 1e-6, "{name}: {value}");
        near("mean_hops", mean(cells.len() - 1, whole("pairs")));
        near("mean_load", mean(cells.len() - 1, crossings.len() as u64));
        assert_eq!(paths.values().map(Vec::len).max(), Some(whole("diameter") as usize));
        assert_eq!(whole("pairs"), whole("routable_pairs"));
    }
}

fn checker() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tools/check_certificate.py")
}

fn check(folder: &Path, arguments: &[&str]) -> Ran {
    let mut command = Command::new("python3");
    command.arg(checker()).args(arguments).current_dir(folder).output().unwrap().into()
}

/// Certificates convince a checker that shares no code with what made them, and not if altered.
#[test]
fn certificates_convince_a_stranger() {
    let folder = folder();
    let set = |text| ["--set", text];
    for (study, set) in [
        ("torus.toml", set("routing.ties=random")),
        ("torus.toml", set("router.flow_control=bubble")),
        ("cables.toml", set("routing.ties=first")),
        ("dragonfly.toml", set("sweep.routing.kind=[\"minimal\"]")),
        ("dragonfly.toml", set("sweep.routing.kind=[\"valiant\"]")),
    ] {
        let proof = [&["verify", study, "--certificate", "proof.json"], &set[..]].concat();
        turnwise(folder.path(), &proof).fine();
        turnwise(folder.path(), &[&["route", study, "--paths", "paths.csv"], &set[..]].concat()).fine();
        let ran = check(folder.path(), &["proof.json", "--paths", "paths.csv"]);
        assert_eq!(ran.code, Some(0), "{study} {set:?}: {ran:?}");
        assert!(ran.stdout.starts_with("accepted: "), "{}", ran.stdout);

        let text = fs::read_to_string(folder.path().join("proof.json")).unwrap();
        let mut certificate: Value = serde_json::from_str(&text).unwrap();
        let count = certificate["numbers"].as_array().unwrap().len();
        for vertex in [0, count / 2, count - 1] {
            for difference in [-1, 1] {
                let number = certificate["numbers"][vertex].as_i64().unwrap();
                certificate["numbers"][vertex] = (number + difference).into();
                fs::write(folder.path().join("altered.json"), certificate.to_string()).unwrap();
                certificate["numbers"][vertex] = number.into();
                let ran = check(folder.path(), &["altered.json"]);
                assert_eq!(ran.code, Some(1), "{study} {set:?}, number {vertex}: {ran:?}");
                assert!(ran.stdout.starts_with("refuted: ") || ran.stdout.starts_with("refused: "), "{}", ran.stdout);
            }
        }
    }
}

/// Where there is no proof, no file says there is.
#[test]
fn no_certificate_without_a_proof() {
    let folder = folder();
    let ran = turnwise(folder.path(), &["verify", "torus.toml", "--set", "routing.classes=none", "--certificate", "proof.json"]);
    assert_eq!(ran.code, Some(1));
    assert_eq!(ran.stderr, "no certificate written: there is no proof\n");
    assert!(!folder.path().join("proof.json").exists());
}

#[test]
fn paths_of_another_routing_do_not_pass() {
    let folder = folder();
    turnwise(folder.path(), &["verify", "torus.toml", "--certificate", "proof.json", "--set", "routing.ties=positive"]).fine();
    turnwise(folder.path(), &["route", "torus.toml", "--paths", "paths.csv", "--set", "routing.order=[1, 0]"]).fine();
    let ran = check(folder.path(), &["proof.json", "--paths", "paths.csv"]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert!(ran.stdout.contains("the certificate does not list the dependency"), "{}", ran.stdout);
}

#[test]
fn shards_make_up_the_whole() {
    let folder = folder();
    let run = |more: &[&str]| {
        rows(&turnwise(folder.path(), &[&["run", "dragonfly.toml", "--format", "json"], more].concat()).fine())
    };
    let whole = run(&["--fresh"]);
    let alone = |shard: &str| run(&["--shard", shard, "--fresh"]);
    assert_eq!(alone("0/2"), [whole[0].clone(), whole[2].clone()]);
    assert_eq!(alone("1/2"), [whole[1].clone(), whole[3].clone()]);
    assert_eq!(run(&["--shard", "0/2"]).len(), 2);
    assert_eq!(run(&["--shard", "1/2"]), whole, "the second task sees what the first has stored");
    assert_eq!(run(&["--shard", "5/9"]), whole, "a task without points has nothing to do");
    let stores: Vec<String> = content(&folder.path().join("turnwise-out/dragonfly/results")).into_keys().collect();
    assert_eq!(stores, ["shard0-writer0.sqlite", "shard1-writer0.sqlite"]);
    assert_eq!(run(&[]), whole);
}

#[test]
fn results_are_found_again_until_something_changes() {
    let folder = folder();
    let done = |more: &[&str]| {
        let plan = turnwise(folder.path(), &[&["plan", "dragonfly.toml", "--format", "json"], more].concat()).fine();
        plan.stdout.matches("\"done\":true").count()
    };
    assert_eq!(done(&[]), 0);
    turnwise(folder.path(), &["run", "dragonfly.toml", "--no-report"]).fine();
    assert_eq!(done(&[]), 4);
    // A name, a title or threads change no answer; another seed or load does.
    let text = fs::read_to_string(folder.path().join("dragonfly.toml")).unwrap();
    fs::write(folder.path().join("dragonfly.toml"), text.replace("Minimal or Valiant?", "Valiant!")).unwrap();
    assert_eq!(done(&["--set", "simulation.threads=2"]), 4);
    assert_eq!(done(&["--set", "study.seed=2"]), 0);
    assert_eq!(done(&["--set", "sweep.traffic.load=[0.05, 0.06]"]), 2);
    assert_eq!(done(&["--set", "study.name=other"]), 0, "other names, other folders");
}

/// Results are found whatever study they were computed for, and told in terms of this one.
#[test]
fn rows_name_the_fields_of_the_study_that_asks() {
    let folder = folder();
    let run = |set: &[&str]| rows(&turnwise(folder.path(), &[&["run", "torus.toml", "--format", "json"], set].concat()).fine());
    assert_eq!(run(&[])[0]["point"], serde_json::json!({}));
    let swept = run(&["--set", "sweep.traffic.load=[0.05, 0.1]", "--set", "study.repeat=2"]);
    let points: Vec<&Value> = swept.iter().map(|row| &row["point"]).collect();
    let expected = |load: f64, repeat: u64| serde_json::json!({ "traffic.load": load, "repeat": repeat });
    assert_eq!(points, [&expected(0.05, 0), &expected(0.05, 1), &expected(0.1, 0), &expected(0.1, 1)]);
    assert_eq!(run(&[])[0]["point"], serde_json::json!({}));
}

/// The file a network is read from is part of the question.
#[test]
fn results_do_not_outlive_the_file_of_their_network() {
    let folder = folder();
    let traffic = "traffic={ pattern = \"uniform\", load = 0.1 }";
    let run = ["run", "cables.toml", "--set", traffic, "--format", "json"];
    let first = rows(&turnwise(folder.path(), &run).fine());
    assert_eq!(rows(&turnwise(folder.path(), &run).fine()), first);
    let cables = folder.path().join("cables.txt");
    let text = fs::read_to_string(&cables).unwrap();
    fs::write(&cables, format!("{text}0 3\n")).unwrap();
    let second = rows(&turnwise(folder.path(), &run).fine());
    assert_ne!(second[0]["fingerprint"], first[0]["fingerprint"]);
    fs::write(&cables, text).unwrap();
    assert_eq!(rows(&turnwise(folder.path(), &run).fine()), first);
}

#[test]
fn fresh_results_are_not_stored() {
    let folder = folder();
    let before = content(folder.path());
    let fresh = rows(&turnwise(folder.path(), &["run", "torus.toml", "--fresh", "--format", "json"]).fine());
    assert_eq!(content(folder.path()), before);
    let stored = rows(&turnwise(folder.path(), &["run", "torus.toml", "--format", "json"]).fine());
    assert_eq!(fresh, stored);
    let store = content(&folder.path().join("turnwise-out"));
    turnwise(folder.path(), &["run", "torus.toml", "--fresh", "--format", "json"]).fine();
    assert_eq!(content(&folder.path().join("turnwise-out")), store);
}

#[test]
fn saturation_lies_where_the_curves_bend() {
    let folder = folder();
    // With a single virtual channel a class, one-flit packets leave two of three cycles unused.
    let common = ["run", "dragonfly.toml", "--format", "json", "--set", "routing.virtual_channels=16", "--set"];
    let run = |more: &[&str]| rows(&turnwise(folder.path(), &[&common[..], more].concat()).fine());
    let found = run(&["sweep.traffic.load=[0.01]", "--set", "simulation.find_saturation=true"]);
    let load = |row: &Value| row["saturation_load"].as_f64().unwrap();
    // Under the adversary, all 8 terminals of a group share one global channel of the minimal
    // routes, so these end at 1/8; Valiant's use all, but twice, and end below 1/2.
    assert!((0.10..=0.135).contains(&load(&found[0])), "minimal: {}", load(&found[0]));
    assert!((0.25..=0.5).contains(&load(&found[1])), "valiant: {}", load(&found[1]));
    for (row, kind) in found.iter().zip(["minimal", "valiant"]) {
        for (share, saturated) in [(0.9, false), (1.15, true)] {
            let at = format!("sweep.traffic.load=[{}]", load(row) * share);
            let point = run(&[&at]);
            let row = point.iter().find(|row| row["point"]["routing.kind"] == kind).unwrap();
            assert_eq!(row["saturated"], saturated, "{kind} at {share} of its saturation");
        }
    }
}

#[test]
fn a_study_can_come_from_a_pipe() {
    let folder = folder();
    let direct = turnwise(folder.path(), &["run", "cables.toml", "--fresh"]);
    assert_eq!(direct.code, Some(2), "cables.toml has no traffic");
    let line = "cat cables.toml | \"$turnwise\" route - --format json";
    let (mut piped, mut direct) =
        (json(&shell(folder.path(), line).fine()), json(&turnwise(folder.path(), &["route", "cables.toml", "--format", "json"]).fine()));
    for told in [&mut piped, &mut direct] {
        told["seconds"] = 0.into();
    }
    assert_eq!(piped, direct, "file names in it start where the command runs");
    let ran = shell(folder.path(), "cat torus.toml | \"$turnwise\" run - --no-report").fine();
    assert_eq!(ran.stdout, "1 point in turnwise-out/study/results\n");
}

/// Other kinds have other fields, so a sweep over kinds sweeps tables.
#[test]
fn sweeps_go_over_kinds_and_their_fields() {
    let folder = folder();
    let kinds = "sweep.routing=[{ kind = \"minimal\" }, { kind = \"valiant\", via = \"group\" }, { kind = \"valiant\", via = \"router\" }]";
    let run = |format: &str| {
        let ran = turnwise(folder.path(), &["run", "dragonfly.toml", "--fresh", "--format", format, "--set", kinds, "--set", "sweep.routing.kind=[\"x\"]"]);
        assert_eq!(ran.code, Some(2), "a field of a swept table cannot be swept away");
        let text = fs::read_to_string(folder.path().join("dragonfly.toml")).unwrap();
        fs::write(folder.path().join("kinds.toml"), text.replace("\"routing.kind\" = [\"minimal\", \"valiant\"]", &kinds[6..])).unwrap();
        turnwise(folder.path(), &["run", "kinds.toml", "--fresh", "--format", format]).fine()
    };
    let found = rows(&run("json"));
    assert_eq!(found.len(), 6);
    let prints: BTreeSet<&str> = found.iter().map(|row| row["fingerprint"].as_str().unwrap()).collect();
    assert_eq!(prints.len(), 6, "all are different");
    assert_eq!(found[2]["point"]["routing"], serde_json::json!({ "kind": "valiant", "via": "group" }));
    let csv = run("csv").stdout;
    assert!(csv.lines().nth(3).unwrap().starts_with("\"{\"\"kind\"\":\"\"valiant\"\",\"\"via\"\":\"\"group\"\"}\",0.05,"), "{csv}");
}

#[test]
fn overrides_go_on_top_in_order() {
    let folder = folder();
    let arguments = ["plan", "dragonfly.toml", "--format", "json", "--set", "traffic.load=0.3", "--set", "traffic.load=0.4"];
    let plan = turnwise(folder.path(), &arguments).fine();
    let points: Vec<Value> = plan.stdout.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()["point"].clone()).collect();
    let expected = |kind: &str| serde_json::json!({ "routing.kind": kind, "traffic.load": 0.4 });
    assert_eq!(points, [expected("minimal"), expected("valiant")]);
}
