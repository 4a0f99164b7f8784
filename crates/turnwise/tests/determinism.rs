//! The same study gives the same bytes: whatever the threads, the day, the build profile.
//!
//! The studies in `tests/fingerprints` and the fingerprints of all their points, committed in
//! `tests/fingerprints/expected.txt`, pin down what is simulated. `make test` runs this test
//! with the command as it is built for tests and, as `$TURNWISE`, optimised; both compare with the same file.
//!
//! A change that is *meant* to change what is simulated comes with new fingerprints:
//!
//! ```text
//! UPDATE_FINGERPRINTS=1 cargo test -p turnwise --test determinism
//! git diff crates/turnwise/tests/fingerprints/expected.txt
//! ```

#![allow(clippy::unwrap_used, reason = "tests and their helpers may")]

#[allow(dead_code)]
mod common;

use common::turnwise;
use serde_json::Value;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fingerprints")
}

/// The names of the studies, in order.
fn studies() -> Vec<String> {
    let names = fs::read_dir(folder())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> = names.filter(|name| name.ends_with(".toml")).collect();
    names.sort();
    names
}

/// The rows of a study, but for the seconds they took.
fn rows(study: &str, more: &[&str]) -> Vec<Value> {
    let path = folder().join(study);
    let elsewhere = tempfile::tempdir().unwrap();
    let arguments = ["run", path.to_str().unwrap(), "--fresh", "--format", "json"];
    let ran = turnwise(elsewhere.path(), &[&arguments[..], more].concat()).fine();
    let row = |line: &str| {
        let mut row: Value = serde_json::from_str(line).unwrap();
        let seconds = row.as_object_mut().unwrap().remove("seconds");
        assert!(
            seconds
                .and_then(|seconds| seconds.as_f64())
                .is_some_and(|seconds| seconds > 0.0)
        );
        row
    };
    ran.stdout.lines().map(row).collect()
}

fn fingerprints(rows: &[Value]) -> Vec<&str> {
    rows.iter()
        .map(|row| row["fingerprint"].as_str().unwrap())
        .collect()
}

#[test]
fn fingerprints_are_the_committed_ones() {
    let mut text = String::from("# Written by tests/determinism.rs, which says how to renew it.\n");
    for study in studies() {
        for row in rows(&study, &[]) {
            let [fingerprint, cycles, packets] =
                ["fingerprint", "cycles", "packets"].map(|column| row[column].clone());
            let fingerprint = fingerprint.as_str().unwrap();
            writeln!(
                text,
                "{study} {} {fingerprint} {cycles} cycles {packets} packets",
                row["point"]
            )
            .unwrap();
        }
    }
    let expected = folder().join("expected.txt");
    if std::env::var_os("UPDATE_FINGERPRINTS").is_some() {
        fs::write(&expected, &text).unwrap();
    }
    let committed = fs::read_to_string(&expected).unwrap_or_default();
    let differing: Vec<String> = text
        .lines()
        .filter(|line| !committed.lines().any(|known| known == *line))
        .map(|line| format!("{line}\n"))
        .collect();
    assert_eq!(
        text.lines().count(),
        committed.lines().count(),
        "other points than in {}",
        expected.display()
    );
    assert!(
        differing.is_empty(),
        "not in {}:\n{}",
        expected.display(),
        differing.concat()
    );
}

/// Every column of every point, with one thread, two threads, and two threads again.
#[test]
fn threads_leave_no_trace() {
    for study in studies() {
        let one = rows(&study, &["--threads", "1"]);
        assert!(
            one.iter().all(|row| row["packets"].as_u64() > Some(100)),
            "{study} does too little to tell"
        );
        assert_eq!(one, rows(&study, &["--threads", "2"]), "{study}");
        assert_eq!(one, rows(&study, &["--threads", "2"]), "{study}, once more");
    }
}

/// Whatever `check` checks, it changes nothing.
#[test]
fn checking_leaves_no_trace() {
    for study in studies() {
        assert_eq!(
            rows(&study, &[]),
            rows(&study, &["--set", "simulation.check=true"]),
            "{study}"
        );
    }
}

/// Neither do the order of the points and what else is in the study.
#[test]
fn points_do_not_know_of_each_other() {
    let sizes = |list: &str| {
        rows(
            "hyperx.toml",
            &["--set", &format!("sweep.network.sizes={list}")],
        )
    };
    let (forth, back) = (sizes("[[4, 3], [8]]"), sizes("[[8], [4, 3], [3]]"));
    assert_eq!(forth[0], back[1]);
    assert_eq!(forth[1], back[0]);
}

#[test]
fn seeds_and_repetitions_differ() {
    for study in studies() {
        let (first, second) = (rows(&study, &[]), rows(&study, &["--set", "study.seed=2"]));
        for (one, other) in fingerprints(&first).iter().zip(fingerprints(&second)) {
            assert_ne!(*one, other, "{study}");
        }
    }
    let repeated = rows(
        "hyperx.toml",
        &["--set", "study.repeat=3", "--set", "network.sizes=[4, 3]"],
    );
    let mut distinct = fingerprints(&repeated);
    assert_eq!(distinct.len(), 3);
    distinct.sort_unstable();
    distinct.dedup();
    assert_eq!(distinct.len(), 3);
    assert_eq!(
        repeated[0]["fingerprint"],
        rows("hyperx.toml", &[])[0]["fingerprint"],
        "the first has the study's own seed"
    );
}
