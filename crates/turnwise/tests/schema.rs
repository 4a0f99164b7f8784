//! `turnwise.schema.json` is what the program prints, and the example studies are what they claim to be.

#![allow(clippy::unwrap_used)] // helpers are tests too

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../..")
        .canonicalize()
        .unwrap()
}

fn turnwise(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_turnwise"))
        .args(arguments)
        .current_dir(root())
        .output()
        .unwrap()
}

/// All of them, wherever they are.
fn studies() -> Vec<PathBuf> {
    let below = |folder: &Path| -> Vec<PathBuf> {
        let entries = std::fs::read_dir(folder).unwrap();
        entries.map(|entry| entry.unwrap().path()).collect()
    };
    let folder = root().join("studies");
    let (folders, mut studies): (Vec<_>, Vec<_>) =
        below(&folder).into_iter().partition(|path| path.is_dir());
    studies.extend(folders.iter().flat_map(|folder| below(folder)));
    studies.retain(|path| {
        let name = path.to_string_lossy();
        // Site files describe a cluster, not a study.
        name.ends_with(".toml") && !name.ends_with("-site.toml")
    });
    studies.sort();
    assert!(studies.len() >= 40);
    studies
}

/// What a command does with a study, in its quick scale if it has one: whole ones take an unoptimised build minutes.
fn done_quickly(command: &str, study: &Path, options: &[&str]) -> Output {
    let mut arguments = vec![command, study.to_str().unwrap()];
    arguments.extend(options);
    if std::fs::read_to_string(study)
        .unwrap()
        .contains("[scale.quick]")
    {
        arguments.extend(["--set", "study.scale=quick"]);
    }
    turnwise(&arguments)
}

fn expect_success(what: &str, output: &Output) {
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(
        output.status.success(),
        "{what}: {:?}\n{errors}",
        output.status.code()
    );
}

/// With `TURNWISE_WRITE=1` the file is written instead; `make docs` does so.
#[test]
fn the_schema_is_up_to_date() {
    let output = turnwise(&["schema"]);
    expect_success("turnwise schema", &output);
    let printed = String::from_utf8(output.stdout).unwrap();
    let file = root().join("turnwise.schema.json");
    if std::env::var_os("TURNWISE_WRITE").is_some() {
        std::fs::write(&file, &printed).unwrap();
    }
    let committed = std::fs::read_to_string(&file).unwrap_or_default();
    assert!(
        committed == printed,
        "turnwise.schema.json is stale: run `make docs`"
    );
}

#[test]
fn every_example_study_can_be_planned() {
    for study in studies() {
        let name = study.file_name().unwrap().to_str().unwrap().to_owned();
        let output = done_quickly("plan", &study, &[]);
        expect_success(&name, &output);
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(text.contains(" points, "), "{name}: {text}");
    }
}

#[test]
fn every_example_study_opens_with_its_schema_and_a_comment() {
    for study in studies() {
        let text = std::fs::read_to_string(&study).unwrap();
        let name = study.display();
        let up = if study.parent().unwrap().ends_with("studies") {
            ".."
        } else {
            "../.."
        };
        let opening = format!("#:schema {up}/turnwise.schema.json\n#\n# ");
        assert!(text.starts_with(&opening), "{name}");
        assert!(
            text.contains("turnwise run studies/") || text.contains("turnwise route studies/"),
            "{name}"
        );
    }
}

#[test]
fn every_routing_of_the_examples_is_safe_and_complete() {
    // Detours on whole machines take an unoptimised build minutes; the same algorithms are proved on small ones.
    const LARGE: [&str; 4] = [
        "studies/machines/",
        "studies/informed/",
        "studies/applications/megafly",
        "studies/megafly/",
    ];
    for study in studies() {
        let name = study.display().to_string();
        if LARGE.iter().any(|large| name.contains(large)) {
            continue;
        }
        let output = done_quickly("verify", &study, &["--format", "json"]);
        // What OpenSM had programmed this fabric with is there to be found out.
        if study.ends_with("infiniband/fabric.toml") {
            assert_eq!(output.status.code(), Some(1));
            continue;
        }
        expect_success(&study.display().to_string(), &output);
        for line in String::from_utf8(output.stdout).unwrap().lines() {
            let found: serde_json::Value = serde_json::from_str(line).unwrap();
            assert_eq!(
                found["verdict"],
                "deadlock-free",
                "{}: {line}",
                study.display()
            );
        }
    }
}

#[test]
fn the_quick_examples_run() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["quickstart", "edge-list", "desmos", "angara/desmos"] {
        let study = format!("studies/{name}.toml");
        let output = folder.path().join(name);
        let shorter = [
            "--set",
            "simulation.warmup_cycles=100",
            "--set",
            "simulation.measure_cycles=300",
        ];
        let mut arguments = vec!["run", &study, "--output", output.to_str().unwrap()];
        arguments.extend(shorter);
        expect_success(name, &turnwise(&arguments));
        for file in ["report.html", "results.csv"] {
            assert!(output.join(file).is_file(), "{name} wrote no {file}");
        }
    }
}
