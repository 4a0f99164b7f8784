//! `turnwise report --compare`, as its users and their scripts see it.

#![allow(clippy::unwrap_used, reason = "tests and their helpers may")]

#[allow(dead_code)]
mod common;

use common::{Ran, good_study, refuse, shell, turnwise};
use serde_json::Value as Json;
use std::fs;
use std::path::Path;

const LOADS: &str = "sweep.traffic.load=[0.1, 0.2]";

/// Runs the good study with something changed, and keeps its rows in a file.
fn keep(folder: &Path, name: &str, changes: &[&str]) {
    let mut arguments = vec![
        "run",
        "study.toml",
        "--fresh",
        "--format",
        "json",
        "--report",
    ];
    arguments.extend(["--set", LOADS, "--set", "simulation.measure_cycles=4_000"]);
    arguments.extend(changes.iter().flat_map(|change| ["--set", change]));
    let ran = turnwise(folder, &arguments);
    assert!(matches!(ran.code, Some(0 | 1)), "{ran:#?}");
    fs::write(folder.join(name), ran.stdout).unwrap();
}

fn compare(folder: &Path, arguments: &[&str]) -> Ran {
    turnwise(folder, &[&["report", "--compare"], arguments].concat())
}

fn findings(ran: &Ran) -> Vec<Json> {
    let lines = ran.stdout.lines();
    lines
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

#[test]
fn nothing_in_common_is_nothing_that_passes() {
    let folder = good_study();
    keep(folder.path(), "before.jsonl", &[]);
    keep(folder.path(), "after.jsonl", &["sweep.traffic.load=[0.3]"]);
    let files = ["before.jsonl", "after.jsonl"];
    let ran = compare(folder.path(), &files).fine();
    assert!(ran.stdout.contains("have no point in common"), "{ran:#?}");
    assert!(!ran.stdout.contains("No figure differs"), "{ran:#?}");
    for what in ["change", "difference"] {
        let ran = compare(folder.path(), &[&files[..], &["--fail-on", what]].concat());
        assert_eq!(ran.code, Some(1), "{ran:#?}");
        assert_eq!(ran.stderr, "negative: there is no point in common\n");
    }
}

#[test]
fn a_slower_channel_is_a_change_of_latency_and_of_nothing_else() {
    let folder = good_study();
    keep(folder.path(), "before.jsonl", &[]);
    keep(folder.path(), "after.jsonl", &["network.channel_latency=3"]);
    let files = ["before.jsonl", "after.jsonl"];
    let ran = compare(folder.path(), &[&files[..], &["--format", "json"]].concat()).fine();
    let findings = findings(&ran);
    let changed = |finding: &&Json| finding["finding"] == "changed";
    let changes: Vec<&Json> = findings.iter().filter(changed).collect();
    assert_eq!(changes.len(), 2, "{ran:#?}");
    for (change, load) in changes.iter().zip([0.1, 0.2]) {
        assert_eq!(change["metric"], "mean_packet_latency");
        assert_eq!(change["point"]["traffic.load"], load);
        let [before, after, by, half_width, chance] =
            ["before", "after", "change", "half_width", "chance"]
                .map(|key| change[key].as_f64().unwrap());
        assert!((after - before - by).abs() < 1e-6 && by > 2.0 && half_width < by);
        assert!(chance <= 0.01);
    }
    let ran = compare(
        folder.path(),
        &[&files[..], &["--fail-on", "change"]].concat(),
    );
    assert_eq!(ran.code, Some(1), "{ran:#?}");
    let first = "2 of 4 figures that can be tested changed from before.jsonl to after.jsonl, by more than chance does in 1 % of comparisons.";
    assert_eq!(ran.stdout.lines().next(), Some(first));
    assert!(ran.stdout.contains("\nChanged\npoint"), "{}", ran.stdout);
    assert!(
        ran.stderr.starts_with("negative: 2 figures changed, "),
        "{}",
        ran.stderr
    );
}

#[test]
fn findings_are_lines_of_csv_with_their_units() {
    let folder = good_study();
    keep(folder.path(), "before.jsonl", &[]);
    keep(folder.path(), "after.jsonl", &["network.channel_latency=3"]);
    let files = ["before.jsonl", "after.jsonl"];
    let told = |format| compare(folder.path(), &[&files[..], &["--format", format]].concat());
    let (csv, json) = (told("csv").fine(), told("json").fine());
    let mut lines = csv.stdout.lines();
    let header = "finding,traffic.load,metric,unit,before,after,change,half_width,chance";
    assert_eq!(lines.next(), Some(header));
    let lines: Vec<Vec<&str>> = lines.map(|line| line.split(',').collect()).collect();
    let findings = findings(&json);
    assert_eq!(lines.len(), findings.len());
    let cell = |value: &Json| match value {
        Json::Null => String::new(),
        Json::String(text) => text.clone(),
        other => other.to_string(),
    };
    for (line, finding) in lines.iter().zip(&findings) {
        let known = [
            "metric",
            "before",
            "after",
            "change",
            "half_width",
            "chance",
        ];
        let known = known.map(|name| cell(&finding[name]));
        let [metric, before, after, change, half_width, chance] = known.each_ref();
        let load = cell(&finding["point"]["traffic.load"]);
        let unit = if metric.contains("latency") {
            "cycles"
        } else {
            line[3]
        };
        let kind = cell(&finding["finding"]);
        let expected = [
            &kind, &load, metric, unit, before, after, change, half_width, chance,
        ];
        assert_eq!(line[..], expected);
    }
    let units: Vec<&str> = lines.iter().map(|line| line[3]).collect();
    assert!(units.contains(&"cycles"), "{}", csv.stdout);
}

#[test]
fn another_seed_is_a_difference_and_no_change() {
    let folder = good_study();
    keep(folder.path(), "one.jsonl", &[]);
    keep(folder.path(), "other.jsonl", &["study.seed=99"]);
    let files = ["one.jsonl", "other.jsonl"];
    let with = |fail_on: &str| {
        compare(
            folder.path(),
            &[&files[..], &["--fail-on", fail_on]].concat(),
        )
    };
    let ran = with("change").fine();
    assert!(
        ran.stdout.contains("\nDifferent, without an interval\n"),
        "{}",
        ran.stdout
    );
    assert_eq!(ran.stderr, "");
    assert_eq!(with("difference").code, Some(1));
    let same = compare(
        folder.path(),
        &["one.jsonl", "one.jsonl", "--fail-on", "difference"],
    )
    .fine();
    assert!(
        same.stdout
            .contains("Both have 2 points, 2 of them with the same simulation, packet by packet."),
        "{}",
        same.stdout
    );
}

#[test]
fn another_verdict_is_a_change_without_a_test() {
    let folder = good_study();
    keep(folder.path(), "safe.jsonl", &[]);
    keep(folder.path(), "cyclic.jsonl", &["routing.classes=none"]);
    let ran = compare(
        folder.path(),
        &["safe.jsonl", "cyclic.jsonl", "--fail-on", "change"],
    );
    assert_eq!(ran.code, Some(1), "{ran:#?}");
    assert!(
        ran.stdout
            .starts_with("The proof has another outcome at 2 points."),
        "{}",
        ran.stdout
    );
    assert!(
        ran.stdout.contains("verdict  deadlock-free  cyclic"),
        "{}",
        ran.stdout
    );
}

/// A study beside another one, and beside rows; what only one sweeps is looked up in the other.
#[test]
fn studies_are_compared_where_their_results_are() {
    let folder = good_study();
    let path = folder.path();
    let other = common::GOOD.replace("load = 0.1", "");
    fs::write(
        path.join("other.toml"),
        other + "[sweep]\n\"traffic.load\" = [0.1, 0.3]\n",
    )
    .unwrap();
    refuse(
        path,
        &["report", "--compare", "study.toml", "other.toml"],
        &[
            "there are no results of study.toml in ",
            "run it first: turnwise run study.toml",
        ],
    );
    for study in ["study.toml", "other.toml"] {
        turnwise(path, &["run", study]).fine();
    }
    let ran = compare(path, &["study.toml", "other.toml", "--output", "compared"]).fine();
    for words in [
        "Both have 1 point, 1 of them with the same simulation",
        "1 point only in other.toml.",
        "traffic.load = 0.3",
        "page: compared/comparison.html",
    ] {
        assert!(ran.stdout.contains(words), "{words} in {}", ran.stdout);
    }
    let page = fs::read_to_string(path.join("compared/comparison.html")).unwrap();
    assert!(
        page.contains("<h1>study.toml against other.toml</h1>")
            && page.contains("Only in other.toml")
    );
    let kept = shell(path, "$turnwise run other.toml --format json > kept.json");
    assert_eq!(kept.code, Some(0));
    let ran = compare(
        path,
        &["kept.json", "other.toml", "--fail-on", "difference"],
    )
    .fine();
    assert!(
        ran.stdout.contains("Both have 2 points, 2 of them"),
        "{}",
        ran.stdout
    );
}

/// However its value is written, and whether or not both sweep it, a load is the same load.
#[test]
fn points_are_the_same_in_whatever_units() {
    let folder = good_study();
    let path = folder.path();
    let text = common::GOOD.replace("load = 0.1", "");
    let text = format!("[study]\nclock = '1 GHz'\nflit_size = '16 B'\n{text}");
    let write = |name: &str, load: &str, sweep: &str| {
        let text = text.replace("[traffic]", &format!("[traffic]\n{load}"));
        fs::write(path.join(name), format!("{text}[sweep]\n{sweep}\n")).unwrap();
        turnwise(path, &["run", name, "--no-report"]).fine();
    };
    write(
        "one.toml",
        "load = '12.8 Gb/s'",
        "'network.sizes' = [[4, 4], [8, 8]]",
    );
    write(
        "units.toml",
        "",
        "'traffic.load' = ['12.8 Gb/s', '25.6 Gb/s']",
    );
    write("plain.toml", "", "'traffic.load' = [0.1, 0.3]");
    for pair in [["units.toml", "plain.toml"], ["plain.toml", "units.toml"]] {
        let ran = compare(path, &pair).fine();
        assert!(
            ran.stdout
                .contains("Both have 1 point, 1 of them with the same"),
            "{}",
            ran.stdout
        );
    }
    // What is written the same is another point where flits are longer.
    let lengths = |flit: &str| {
        let sweep = "[sweep]\n'traffic.packet_flits' = ['64 B', '128 B']\n";
        let text = text.replace("[traffic]", "[traffic]\nload = 0.1");
        let name = format!("flits-of-{flit}.toml");
        let text = text.replace("16 B", &format!("{flit} B"));
        fs::write(path.join(&name), format!("{text}{sweep}")).unwrap();
        turnwise(path, &["run", &name, "--no-report"]).fine();
        name
    };
    let names = [lengths("16"), lengths("32")];
    for pair in [[0, 1], [1, 0]] {
        let [one, other] = pair.map(|at: usize| names[at].as_str());
        let ran = compare(path, &[one, other]).fine();
        assert!(ran.stdout.contains("Both have 1 point"), "{}", ran.stdout);
        for alone in [one, other] {
            let says = format!("1 point only in {alone}");
            assert!(ran.stdout.contains(&says), "{}", ran.stdout);
        }
    }
    // The network of the others is one of the two.
    for other in ["units.toml", "plain.toml"] {
        let ran = compare(path, &["one.toml", other]).fine();
        assert!(ran.stdout.contains("Both have 1 point"), "{}", ran.stdout);
    }
}

#[test]
fn what_cannot_be_compared_is_said_with_its_place() {
    let folder = good_study();
    let path = folder.path();
    keep(path, "good.jsonl", &[]);
    let good = fs::read_to_string(path.join("good.jsonl")).unwrap();
    fs::write(path.join("half.jsonl"), &good[..good.len() / 2 + 100]).unwrap();
    fs::write(
        path.join("foreign.jsonl"),
        "{\"point\": {}, \"cycles\": 1}\n",
    )
    .unwrap();
    fs::write(path.join("empty.jsonl"), "\n").unwrap();
    fs::write(path.join("bytes.jsonl"), b"\xff\xfe").unwrap();
    for (file, words) in [
        ("half.jsonl", "error: half.jsonl:2: no row: "),
        (
            "foreign.jsonl",
            "error: foreign.jsonl:1: the row has no `offered_load`",
        ),
        (
            "foreign.jsonl",
            "expected what `turnwise run STUDY --format json` prints",
        ),
        ("empty.jsonl", "error: empty.jsonl: there are no rows in it"),
        ("bytes.jsonl", "error: bytes.jsonl: this is no text"),
        ("goof.jsonl", "did you mean `good.jsonl`?"),
    ] {
        refuse(path, &["report", "--compare", "good.jsonl", file], &[words]);
    }
    refuse(path, &["report", "--compare", "good.jsonl"], &["<OTHER>"]);
    refuse(
        path,
        &["report", "good.jsonl", "good.jsonl"],
        &["--compare"],
    );
    refuse(
        path,
        &["report", "study.toml", "--fail-on", "change"],
        &["--compare"],
    );
}

/// Tables and what comes from a pipe are no studies: what rows are read from is said, and not what is wrong with them as TOML.
#[test]
fn what_is_no_study_is_told_what_is_compared() {
    let folder = good_study();
    fs::write(folder.path().join("results.CSV"), "load,latency\n0.1,12\n").unwrap();
    fs::write(folder.path().join("rows"), "{\"load\":0.1}\n").unwrap();
    for line in [
        "\"$turnwise\" report --compare results.CSV study.toml",
        "\"$turnwise\" report --compare rows study.toml",
        "\"$turnwise\" report --compare - study.toml < rows",
    ] {
        let ran = shell(folder.path(), line);
        assert_eq!(ran.code, Some(2), "{ran:#?}");
        assert!(ran.stderr.contains("is no study"), "{ran:#?}");
        assert!(ran.stderr.contains("`.json` or `.jsonl`"), "{ran:#?}");
    }
}
