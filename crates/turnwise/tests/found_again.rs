//! Results that are kept: when they are found again, and when not.

#![allow(clippy::unwrap_used, reason = "tests and their helpers may")]

#[allow(dead_code)]
mod common;

use common::{content, examples, rows, turnwise};
use serde_json::Value;
use std::fs;

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

/// Every point was once told by the digest of the last of its swept files.
#[test]
fn results_do_not_outlive_the_file_of_their_traffic() {
    let folder = examples();
    let write = |name: &str, to: [u32; 3]| {
        let lines: Vec<String> = (0..)
            .zip(to)
            .map(|(from, to)| format!("{from},{to},1\n"))
            .collect();
        let text = format!("source,destination,weight\n{}", lines.concat());
        fs::write(folder.path().join(name), text).unwrap();
    };
    write("a.csv", [1, 2, 3]);
    write("b.csv", [5, 7, 6]);
    let whole = "[{ pattern = \"matrix\", load = 0.1, file = \"a.csv\" }, { pattern = \"matrix\", load = 0.1, file = \"b.csv\" }]";
    let one = "traffic={ pattern = \"matrix\", load = 0.1 }";
    for sweep in [
        &[
            "--set",
            one,
            "--set",
            "sweep.traffic.file=[\"a.csv\", \"b.csv\"]",
        ][..],
        &["--set", &format!("sweep.traffic={whole}")],
    ] {
        let run = [&["run", "cables.toml", "--format", "json"], sweep].concat();
        write("a.csv", [1, 2, 3]);
        let first = rows(&turnwise(folder.path(), &run).fine());
        write("a.csv", [3, 4, 5]);
        let second = rows(&turnwise(folder.path(), &run).fine());
        assert_ne!(second[0]["fingerprint"], first[0]["fingerprint"]);
        assert_eq!(second[1], first[1]);
    }
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

/// Results of another build of the same version are found again, and whoever reads them is told whose they are.
#[test]
fn it_is_told_whose_results_are_found() {
    let folder = examples();
    let run = || turnwise(folder.path(), &["run", "torus.toml"]).fine();
    run();
    assert!(!run().stderr.contains("found again"));
    let stores = folder.path().join("turnwise-out/torus/results");
    let store = fs::read_dir(stores).unwrap();
    let store = store.map(|entry| entry.unwrap().path());
    let store = store.filter(|path| path.extension().is_some_and(|of| of == "sqlite"));
    let connection = rusqlite::Connection::open(store.last().unwrap()).unwrap();
    let changed = connection.execute("UPDATE results SET revision = '0123456789ab'", []);
    assert_eq!(changed, Ok(1));
    let told = "found again, not simulated: 1 result of revision 0123456789ab, where this is ";
    let found = run();
    assert!(found.stderr.contains(told), "{}", found.stderr);
    for file in ["report.html", "results.csv-metadata.json"] {
        let text = fs::read_to_string(folder.path().join("turnwise-out/torus").join(file)).unwrap();
        assert!(text.contains("1 of revision 0123456789ab"), "{file}");
    }
    let reported = turnwise(folder.path(), &["report", "torus.toml"]).fine();
    assert!(reported.stderr.contains(told), "{}", reported.stderr);
}
