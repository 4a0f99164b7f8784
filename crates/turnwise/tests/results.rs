//! Results: their columns, and where they are kept.

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
const PROMISED: [&str; 25] = [
    "offered_load",
    "injected_load",
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
    "max_channel_utilisation",
    "fairness",
    "min_terminal_load",
    "max_terminal_load",
    "ending",
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
    let elsewhere = folder.path().join("elsewhere");
    let csv = fs::read_to_string(elsewhere.join("results.csv")).unwrap();
    assert_eq!(csv.lines().count(), 5);
    let metadata = fs::read_to_string(elsewhere.join("results.csv-metadata.json")).unwrap();
    let metadata: Value = serde_json::from_str(&metadata).unwrap();
    assert_eq!(metadata["url"], "results.csv");
    assert!(html.contains(metadata["notes"][0]["study digest"].as_str().unwrap()));
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

/// What a part has found anew is not put in the place of what is known of all.
#[test]
fn a_fresh_shard_leaves_the_report_of_all() {
    let folder = examples();
    turnwise(folder.path(), &["run", "dragonfly.toml"]).fine();
    let before = content(folder.path());
    let shard = ["run", "dragonfly.toml", "--fresh", "--shard", "1/2"];
    let ran = turnwise(folder.path(), &shard).fine();
    assert!(
        ran.stderr
            .contains("2 of 4 points are those of other shards"),
        "{}",
        ran.stderr
    );
    assert_eq!(content(folder.path()), before);
}

/// Shards that log into one folder leave each other's logs, and take away those of points that there are no more.
#[test]
fn logs_of_shards_lie_side_by_side() {
    let folder = tempfile::tempdir().unwrap();
    let study = "[study]\nclock = '1 GHz'\nflit_size = '16 B'\n[network]\nkind = 'mesh'\nsizes = [2, 2]\n[routing]\nkind = 'dimension-order'\n\
                 [workload]\nkind = 'collective'\ncollective = 'barrier'\n[sweep]\n'network.channel_latency' = [1, 2, 3, 4]\n";
    fs::write(folder.path().join("study.toml"), study).unwrap();
    let logs = folder.path().join("logs");
    fs::create_dir_all(logs.join("point-6.csv")).unwrap();
    for old in ["point-2.csv", "point-5.csv", "mine.csv"] {
        fs::write(logs.join(old), "old").unwrap();
    }
    for shard in ["0/2", "1/2"] {
        let line = format!("run study.toml --fresh --no-report --messages logs --shard {shard}");
        let arguments: Vec<&str> = line.split(' ').collect();
        turnwise(folder.path(), &arguments).fine();
    }
    let left: Vec<String> = content(&logs).into_keys().collect();
    let points = [
        "point-0.csv",
        "point-1.csv",
        "point-2.csv",
        "point-3.csv",
        "point-6.csv",
    ];
    assert_eq!(left, [&["mine.csv"], &points[..]].concat());
    assert_ne!(fs::read_to_string(logs.join("point-2.csv")).unwrap(), "old");
}

/// Rows of the CSV file that a run or a report leaves.
fn csv_rows(folder: &std::path::Path) -> Option<usize> {
    let csv = fs::read_to_string(folder.join("turnwise-out/dragonfly/results.csv")).ok()?;
    Some(csv.lines().count() - 1)
}

/// Whichever shard ends last sees what all have stored; before, there is nothing to tell of.
#[test]
fn concurrent_shards_leave_all_rows() {
    let folder = examples();
    let start = |shard: &str| {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_turnwise"));
        command.current_dir(folder.path());
        command.args(["run", "dragonfly.toml", "--shard", shard]);
        command.stdout(std::process::Stdio::null());
        command.spawn().unwrap()
    };
    let shards = ["0/3", "1/3"].map(start);
    for mut shard in shards {
        assert!(shard.wait().unwrap().success());
    }
    assert_eq!(csv_rows(folder.path()), None, "one shard is missing");
    let last = turnwise(folder.path(), &["run", "dragonfly.toml", "--shard", "2/3"]).fine();
    assert_eq!(csv_rows(folder.path()), Some(4), "{}", last.stdout);
    fs::remove_dir_all(folder.path().join("turnwise-out")).unwrap();
    let shards = ["0/2", "1/2"].map(start);
    for mut shard in shards {
        assert!(shard.wait().unwrap().success());
    }
    assert_eq!(csv_rows(folder.path()), Some(4));
}

/// The documented recipe for array jobs: shards without reports, then the report.
#[test]
fn the_report_of_shards_has_all_rows() {
    let folder = examples();
    for shard in ["0/2", "1/2"] {
        let run = ["run", "dragonfly.toml", "--no-report", "--shard", shard];
        turnwise(folder.path(), &run).fine();
    }
    assert_eq!(csv_rows(folder.path()), None);
    turnwise(folder.path(), &["report", "dragonfly.toml"]).fine();
    assert_eq!(csv_rows(folder.path()), Some(4));
}

#[test]
fn a_fresh_run_without_a_report_names_no_folder() {
    let folder = examples();
    let run = ["run", "dragonfly.toml", "--fresh", "--no-report"];
    let ran = turnwise(folder.path(), &run).fine();
    assert_eq!(ran.stdout, "4 points simulated, none stored\n");
    assert!(!folder.path().join("turnwise-out").exists());
}

/// A program that has not come to its end has no makespan, which is no success.
/// What only some points measure has its columns, wherever in the sweep these are; the others have nothing there.
#[test]
fn columns_are_those_of_any_point() {
    let folder = tempfile::tempdir().unwrap();
    let study = "[network]\nkind = 'torus'\nsizes = [4, 4]\n[routing]\nkind = 'dimension-order'\n\
        [study]\nclock = '1 GHz'\n[simulation]\nmeasure_cycles = 500\n\
        [sweep]\ntraffic = [{ pattern = 'uniform', load = 0.1 },\n\
        { pattern = 'uniform', load = 0.1, message_flits = 3 },\n\
        { pattern = 'uniform', load = 0.1, then = [{ at = 700, load = 0.2 }] }]\n";
    fs::write(folder.path().join("study.toml"), study).unwrap();
    let run = turnwise(
        folder.path(),
        &["run", "study.toml", "--fresh", "--format", "csv"],
    );
    let text = run.fine().stdout.replace('"', "");
    let mut lines = text.lines();
    let header: Vec<&str> = lines.next().unwrap().split(',').collect();
    let from_end = |name: &str| {
        header
            .iter()
            .rev()
            .position(|column| *column == name)
            .unwrap()
    };
    let lines: Vec<&str> = lines.collect();
    for (column, point) in [
        ("messages", 1),
        ("mean_message_latency", 1),
        ("mean_message_latency_ns", 1),
        ("settled_latency", 2),
        ("settled_latency_ns", 2),
    ] {
        for (index, line) in lines.iter().enumerate() {
            let cell = line.rsplit(',').nth(from_end(column)).unwrap();
            assert_eq!(
                cell.parse::<f64>().is_ok(),
                index == point,
                "{column} of {line}"
            );
        }
    }
}

#[test]
fn what_is_cut_off_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let study = "[study]\nname = \"cut\"\nclock = \"1 GHz\"\nflit_size = \"8 B\"\n\
        [network]\nkind = \"torus\"\nsizes = [4]\n[routing]\nkind = \"dimension-order\"\n\
        [workload]\nkind = \"collective\"\ncollective = \"all-reduce\"\nbytes = 10_000_000\n\
        [simulation]\ncycles_limit = 50_000\n";
    std::fs::write(folder.path().join("cut.toml"), study).unwrap();
    let told = |more: &[&str]| turnwise(folder.path(), &[&["run", "cut.toml"], more].concat());
    let sentence = "1 of them cut off at `simulation.cycles_limit` before all was done";
    let ran = told(&[]).fine();
    assert!(ran.stdout.contains(sentence), "{}", ran.stdout);
    let ran = told(&["--set", "workload.bytes=1000"]).fine();
    assert!(!ran.stdout.contains("cut off"), "{}", ran.stdout);
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

/// What the files of a point say adds up to its row.
#[test]
fn details_agree_with_their_rows() {
    let folder = examples();
    let found = rows(
        &turnwise(
            folder.path(),
            &["run", "dragonfly.toml", "--format", "json"],
        )
        .fine(),
    );
    turnwise(
        folder.path(),
        &["report", "dragonfly.toml", "--details", "more/files"],
    )
    .fine();
    let file = |point: usize, name: &str| {
        let path = format!("more/files/point-{point}/{name}.csv");
        fs::read_to_string(folder.path().join(path)).unwrap()
    };
    let column = |text: &str, name: &str| -> Vec<f64> {
        let cells = table(text);
        let at = cells[0].iter().position(|cell| *cell == name).unwrap();
        cells[1..]
            .iter()
            .filter_map(|row| row[at].parse().ok())
            .collect()
    };
    for (point, row) in found.iter().enumerate() {
        let figure = |name: &str| row[name].as_f64().unwrap();
        // Labels of routers may hold commas, so cells are counted from the end.
        let loads: Vec<f64> = file(point, "terminals")
            .lines()
            .skip(1)
            .map(|line| line.rsplit(',').nth(2).unwrap().parse().unwrap())
            .collect();
        let mean = loads.iter().sum::<f64>() / loads.len() as f64;
        assert!((mean - figure("injected_load")).abs() < 1e-6);
        let histogram = file(point, "histogram");
        let recorded: f64 = column(&histogram, "packets").iter().sum();
        assert!(recorded > 0.0 && recorded <= figure("packets"));
        assert!(column(&histogram, "latency_to").last().unwrap() >= &figure("latency_max"));
        let busiest = file(point, "channels");
        let busiest = busiest
            .lines()
            .skip(1)
            .map(|line| line.rsplit(',').next().unwrap());
        let busiest = busiest
            .map(|cell| cell.parse::<f64>().unwrap())
            .fold(0.0, f64::max);
        assert!((busiest - figure("max_channel_utilisation")).abs() < 1e-6);
        let course = file(point, "time");
        let all: f64 = column(&course, "packets").iter().sum();
        assert!(all >= recorded);
    }
    turnwise(
        folder.path(),
        &["run", "torus.toml", "--set", "simulation.details=false"],
    )
    .fine();
    let none = turnwise(
        folder.path(),
        &[
            "report",
            "torus.toml",
            "--details",
            "none",
            "--set",
            "simulation.details=false",
        ],
    )
    .fine();
    assert!(
        none.stderr.contains("1 of 1 points have no details"),
        "{}",
        none.stderr
    );
    assert!(!folder.path().join("none").exists());
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

/// Results stay where they are, and what is made of them goes elsewhere, as page, table and data.
#[test]
fn a_report_can_be_written_elsewhere_than_the_results() {
    let folder = examples();
    turnwise(folder.path(), &["run", "dragonfly.toml", "--no-report"]).fine();
    let results = folder.path().join("turnwise-out/dragonfly");
    let before = content(&results);
    let alone = turnwise(
        folder.path(),
        &["report", "dragonfly.toml", "--output", "pub"],
    );
    assert_eq!(alone.code, Some(2), "{alone:?}");
    assert!(
        alone.stderr.contains("--results turnwise-out/dragonfly"),
        "{}",
        alone.stderr
    );
    let places = ["--results", "turnwise-out/dragonfly", "--output", "pub"];
    let report = |more: &[&str]| {
        let arguments = [&["report", "dragonfly.toml"], &places[..], more].concat();
        turnwise(folder.path(), &arguments).fine()
    };
    assert_eq!(report(&[]).stdout, "report: pub/report.html\n");
    let csv = report(&["--format", "csv"]).stdout;
    assert_eq!(
        fs::read_to_string(folder.path().join("pub/results.csv")).unwrap(),
        csv
    );
    let rows = rows(&report(&["--format", "json"]));
    assert_eq!(rows.len(), 4);
    assert!(rows.iter().all(|row| row["verdict"] == "deadlock-free"));
    assert_eq!(content(&results), before, "the results were touched");
}

/// After shards, `report` leaves the table of all points, whatever the shards left.
#[test]
fn a_report_after_shards_has_every_row() {
    let folder = examples();
    for shard in ["0/2", "1/2"] {
        let arguments = ["run", "dragonfly.toml", "--no-report", "--shard", shard];
        turnwise(folder.path(), &arguments).fine();
    }
    turnwise(folder.path(), &["report", "dragonfly.toml"]).fine();
    let csv = fs::read_to_string(folder.path().join("turnwise-out/dragonfly/results.csv"));
    assert_eq!(csv.unwrap().lines().count(), 5);
}

/// What plots are drawn against is no part of a point, and several networks share a plot.
#[test]
fn plots_can_be_drawn_anew_without_simulating() {
    let folder = examples();
    let more = "\n[report]\nx = 'routing.kind'\ncurves = ['traffic.load']\n";
    let name = folder.path().join("dragonfly.toml");
    turnwise(folder.path(), &["run", "dragonfly.toml", "--no-report"]).fine();
    let text = fs::read_to_string(&name).unwrap() + more;
    fs::write(&name, text).unwrap();
    let plan = turnwise(
        folder.path(),
        &["plan", "dragonfly.toml", "--format", "json"],
    )
    .fine();
    assert_eq!(plan.stdout.matches("\"done\":true").count(), 4);
    turnwise(folder.path(), &["report", "dragonfly.toml"]).fine();
    let plots = content(&folder.path().join("turnwise-out/dragonfly/plots"));
    let svg = plots
        .get("accepted-load-adversarial.svg")
        .cloned()
        .flatten()
        .unwrap();
    let svg = String::from_utf8(svg).unwrap();
    for words in [">valiant</text>", ">load 0.05</text>", ">load 0.2</text>"] {
        assert!(svg.contains(words), "{words}");
    }
}
