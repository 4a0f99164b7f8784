//! Results: their columns, where they are kept, and when they are found again.

#![allow(clippy::unwrap_used, reason = "tests and their helpers may")]

#[allow(dead_code)]
mod common;

use common::{content, examples, rows, turnwise};
use serde_json::Value;
use std::collections::BTreeSet;
use std::fs;

/// The cells of a CSV text without quotes.
fn table(text: &str) -> Vec<Vec<&str>> {
    assert!(!text.contains('"'));
    text.lines().map(|line| line.split(',').collect()).collect()
}

/// What the design promises to scripts, in this order.
const PROMISED: [&str; 19] = [
    "offered_load",
    "accepted_load",
    "mean_packet_latency",
    "mean_network_latency",
    "latency_p50",
    "latency_p99",
    "latency_p999",
    "latency_max",
    "mean_hops",
    "mean_routers",
    "nonminimal_share",
    "saturated",
    "deadlocked",
    "cycles",
    "flit_hops",
    "packets",
    "fingerprint",
    "seconds",
    "point",
];

#[test]
fn rows_have_the_promised_columns_in_every_format() {
    let folder = examples();
    let run = |more: &[&str]| {
        turnwise(
            folder.path(),
            &[&["run", "dragonfly.toml", "--fresh"], more].concat(),
        )
        .fine()
    };
    let lines = run(&["--format", "json"]);
    let rows: Vec<Value> = lines
        .stdout
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(rows.len(), 4);
    for row in &rows {
        for column in PROMISED {
            assert!(
                row.get(column).is_some_and(|value| !value.is_null()),
                "{column} in {row}"
            );
        }
        let point: Vec<&String> = row["point"].as_object().unwrap().keys().collect();
        assert_eq!(point, ["routing.kind", "traffic.load"]);
    }
    let csv = run(&["--format", "csv", "--csv", "rows.csv"]).stdout;
    let cells = table(&csv);
    assert_eq!(cells.len(), 5);
    assert_eq!(
        cells[0][..3],
        ["routing.kind", "traffic.load", "offered_load"]
    );
    for (cells_of_row, row) in cells[1..].iter().zip(&rows) {
        for (column, cell) in cells[0]
            .iter()
            .zip(cells_of_row)
            .filter(|(column, _)| **column != "seconds")
        {
            let value = row.get(*column).or(row["point"].get(*column)).unwrap();
            let text = value
                .as_str()
                .map_or_else(|| value.to_string(), str::to_owned);
            assert_eq!(*cell, if value.is_null() { "" } else { &text }, "{column}");
        }
    }
    assert_eq!(
        fs::read_to_string(folder.path().join("rows.csv")).unwrap(),
        csv
    );
}

/// The report, its plots and its CSV file are all there, and tell of all points.
#[test]
fn a_report_is_whole() {
    let folder = examples();
    turnwise(folder.path(), &["run", "dragonfly.toml", "--no-report"]).fine();
    let output = folder.path().join("turnwise-out/dragonfly");
    assert!(!output.join("report.html").exists());
    let reported = turnwise(folder.path(), &["report", "dragonfly.toml"]).fine();
    assert_eq!(
        reported.stdout,
        "report: turnwise-out/dragonfly/report.html\n"
    );
    let html = fs::read_to_string(output.join("report.html")).unwrap();
    for words in [
        "<!DOCTYPE html>",
        "Minimal or Valiant?",
        "valiant",
        "deadlock-free",
        "</html>",
    ] {
        assert!(html.contains(words), "{words}");
    }
    assert!(
        !html.contains("<script src") && !html.contains("<link rel=\"stylesheet\""),
        "it must be self-contained"
    );
    let plots: Vec<String> = content(&output.join("plots")).into_keys().collect();
    assert!(
        plots.len() > 3 && plots.iter().all(|name| name.ends_with(".svg")),
        "{plots:?}"
    );
    let ran = turnwise(
        folder.path(),
        &["run", "dragonfly.toml", "--output", "elsewhere"],
    )
    .fine();
    assert!(
        ran.stdout.ends_with("report: elsewhere/report.html\n"),
        "{}",
        ran.stdout
    );
    let csv = fs::read_to_string(folder.path().join("elsewhere/results.csv")).unwrap();
    assert_eq!(csv.lines().count(), 5);
}

#[test]
fn a_report_of_some_points_says_so() {
    let folder = examples();
    turnwise(
        folder.path(),
        &["run", "dragonfly.toml", "--no-report", "--shard", "0/2"],
    )
    .fine();
    let ran = turnwise(folder.path(), &["report", "dragonfly.toml"]).fine();
    assert_eq!(ran.stderr, "2 of 4 points have no results yet\n");
}

#[test]
fn shards_make_up_the_whole() {
    let folder = examples();
    let run = |more: &[&str]| {
        rows(
            &turnwise(
                folder.path(),
                &[&["run", "dragonfly.toml", "--format", "json"], more].concat(),
            )
            .fine(),
        )
    };
    let whole = run(&["--fresh"]);
    let alone = |shard: &str| run(&["--shard", shard, "--fresh"]);
    assert_eq!(alone("0/2"), [whole[0].clone(), whole[2].clone()]);
    assert_eq!(alone("1/2"), [whole[1].clone(), whole[3].clone()]);
    assert_eq!(run(&["--shard", "0/2"]).len(), 2);
    assert_eq!(
        run(&["--shard", "1/2"]),
        whole,
        "the second task sees what the first has stored"
    );
    assert_eq!(
        run(&["--shard", "5/9"]),
        whole,
        "a task without points has nothing to do"
    );
    let stores: Vec<String> = content(&folder.path().join("turnwise-out/dragonfly/results"))
        .into_keys()
        .collect();
    assert_eq!(stores, ["shard0-writer0.sqlite", "shard1-writer0.sqlite"]);
    assert_eq!(run(&[]), whole);
}

#[test]
fn results_are_found_again_until_something_changes() {
    let folder = examples();
    let done = |more: &[&str]| {
        let plan = turnwise(
            folder.path(),
            &[&["plan", "dragonfly.toml", "--format", "json"], more].concat(),
        )
        .fine();
        plan.stdout.matches("\"done\":true").count()
    };
    assert_eq!(done(&[]), 0);
    turnwise(folder.path(), &["run", "dragonfly.toml", "--no-report"]).fine();
    assert_eq!(done(&[]), 4);
    // A name, a title or threads change no answer; another seed or load does.
    let text = fs::read_to_string(folder.path().join("dragonfly.toml")).unwrap();
    fs::write(
        folder.path().join("dragonfly.toml"),
        text.replace("Minimal or Valiant?", "Valiant!"),
    )
    .unwrap();
    assert_eq!(done(&["--set", "simulation.threads=2"]), 4);
    assert_eq!(done(&["--set", "study.seed=2"]), 0);
    assert_eq!(done(&["--set", "sweep.traffic.load=[0.05, 0.06]"]), 2);
    assert_eq!(
        done(&["--set", "study.name=other"]),
        0,
        "other names, other folders"
    );
}

/// Results are found whatever study they were computed for, and told in terms of this one.
#[test]
fn rows_name_the_fields_of_the_study_that_asks() {
    let folder = examples();
    let run = |set: &[&str]| {
        rows(
            &turnwise(
                folder.path(),
                &[&["run", "torus.toml", "--format", "json"], set].concat(),
            )
            .fine(),
        )
    };
    assert_eq!(run(&[])[0]["point"], serde_json::json!({}));
    let swept = run(&[
        "--set",
        "sweep.traffic.load=[0.05, 0.1]",
        "--set",
        "study.repeat=2",
    ]);
    let points: Vec<&Value> = swept.iter().map(|row| &row["point"]).collect();
    let expected =
        |load: f64, repeat: u64| serde_json::json!({ "traffic.load": load, "repeat": repeat });
    assert_eq!(
        points,
        [
            &expected(0.05, 0),
            &expected(0.05, 1),
            &expected(0.1, 0),
            &expected(0.1, 1)
        ]
    );
    assert_eq!(run(&[])[0]["point"], serde_json::json!({}));
}

/// The file a network is read from is part of the question.
#[test]
fn results_do_not_outlive_the_file_of_their_network() {
    let folder = examples();
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
    let folder = examples();
    let before = content(folder.path());
    let fresh = rows(
        &turnwise(
            folder.path(),
            &["run", "torus.toml", "--fresh", "--format", "json"],
        )
        .fine(),
    );
    assert_eq!(content(folder.path()), before);
    let stored = rows(&turnwise(folder.path(), &["run", "torus.toml", "--format", "json"]).fine());
    assert_eq!(fresh, stored);
    let store = content(&folder.path().join("turnwise-out"));
    turnwise(
        folder.path(),
        &["run", "torus.toml", "--fresh", "--format", "json"],
    )
    .fine();
    assert_eq!(content(&folder.path().join("turnwise-out")), store);
}

#[test]
fn saturation_lies_where_the_curves_bend() {
    let folder = examples();
    // With a single virtual channel a class, one-flit packets leave two of three cycles unused.
    let common = [
        "run",
        "dragonfly.toml",
        "--format",
        "json",
        "--set",
        "routing.virtual_channels=16",
        "--set",
    ];
    let run = |more: &[&str]| rows(&turnwise(folder.path(), &[&common[..], more].concat()).fine());
    let found = run(&[
        "sweep.traffic.load=[0.01]",
        "--set",
        "simulation.find_saturation=true",
    ]);
    let load = |row: &Value| row["saturation_load"].as_f64().unwrap();
    // Under the adversary, all 8 terminals of a group share one global channel of the minimal
    // routes, so these end at 1/8; Valiant's use all, but twice, and end below 1/2.
    assert!(
        (0.10..=0.135).contains(&load(&found[0])),
        "minimal: {}",
        load(&found[0])
    );
    assert!(
        (0.25..=0.5).contains(&load(&found[1])),
        "valiant: {}",
        load(&found[1])
    );
    for (row, kind) in found.iter().zip(["minimal", "valiant"]) {
        for (share, saturated) in [(0.9, false), (1.15, true)] {
            let at = format!("sweep.traffic.load=[{}]", load(row) * share);
            let point = run(&[&at]);
            let row = point
                .iter()
                .find(|row| row["point"]["routing.kind"] == kind)
                .unwrap();
            assert_eq!(
                row["saturated"], saturated,
                "{kind} at {share} of its saturation"
            );
        }
    }
}

/// Other kinds have other fields, so a sweep over kinds sweeps tables.
#[test]
fn sweeps_go_over_kinds_and_their_fields() {
    let folder = examples();
    let kinds = "sweep.routing=[{ kind = \"minimal\" }, { kind = \"valiant\", via = \"group\" }, { kind = \"valiant\", via = \"router\" }]";
    let run = |format: &str| {
        let ran = turnwise(
            folder.path(),
            &[
                "run",
                "dragonfly.toml",
                "--fresh",
                "--format",
                format,
                "--set",
                kinds,
                "--set",
                "sweep.routing.kind=[\"x\"]",
            ],
        );
        assert_eq!(
            ran.code,
            Some(2),
            "a field of a swept table cannot be swept away"
        );
        let text = fs::read_to_string(folder.path().join("dragonfly.toml")).unwrap();
        fs::write(
            folder.path().join("kinds.toml"),
            text.replace("\"routing.kind\" = [\"minimal\", \"valiant\"]", &kinds[6..]),
        )
        .unwrap();
        turnwise(
            folder.path(),
            &["run", "kinds.toml", "--fresh", "--format", format],
        )
        .fine()
    };
    let found = rows(&run("json"));
    assert_eq!(found.len(), 6);
    let prints: BTreeSet<&str> = found
        .iter()
        .map(|row| row["fingerprint"].as_str().unwrap())
        .collect();
    assert_eq!(prints.len(), 6, "all are different");
    assert_eq!(
        found[2]["point"]["routing"],
        serde_json::json!({ "kind": "valiant", "via": "group" })
    );
    let csv = run("csv").stdout;
    assert!(
        csv.lines()
            .nth(3)
            .unwrap()
            .starts_with("\"{\"\"kind\"\":\"\"valiant\"\",\"\"via\"\":\"\"group\"\"}\",0.05,"),
        "{csv}"
    );
}

#[test]
fn overrides_go_on_top_in_order() {
    let folder = examples();
    let arguments = [
        "plan",
        "dragonfly.toml",
        "--format",
        "json",
        "--set",
        "traffic.load=0.3",
        "--set",
        "traffic.load=0.4",
    ];
    let plan = turnwise(folder.path(), &arguments).fine();
    let points: Vec<Value> = plan
        .stdout
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap()["point"].clone())
        .collect();
    let expected = |kind: &str| serde_json::json!({ "routing.kind": kind, "traffic.load": 0.4 });
    assert_eq!(points, [expected("minimal"), expected("valiant")]);
}
