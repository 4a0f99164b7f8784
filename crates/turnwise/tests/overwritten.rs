//! No command writes over what it reads: a study, the files that it names, a program.

#![allow(clippy::unwrap_used, reason = "tests and their helpers may")]

#[allow(dead_code)]
mod common;

use common::{content, refuse};
use std::fs;

const STUDY: &str = r#"
[network]
kind = "edge-list"
file = "links.csv"
[routing]
kind = "up-down"
[workload]
kind = "goal"
file = "ring.goal"
cycle_ns = 1
flit_bytes = 8
"#;

const PROGRAM: &str =
    "num_ranks 2\nrank 0 {\n l1: send 8b to 1\n}\nrank 1 {\n l1: recv 8b from 0\n}\n";

#[test]
fn what_is_read_is_not_overwritten() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    write("study.csv", STUDY);
    write("study.json", STUDY);
    write("links.net", "0 1\n1 2\n2 0\n");
    write("links.csv", "0 1\n1 2\n2 0\n");
    write("ring.goal", PROGRAM);
    // Results to make a report of.
    common::turnwise(folder.path(), &["run", "study.csv", "--no-report"]).fine();
    let before = content(folder.path());
    for (line, says) in [
        (
            "run study.csv --csv study.csv",
            "--csv would overwrite study.csv, which is the study",
        ),
        (
            "run study.csv --export ./study.csv",
            "--export would overwrite ./study.csv, which is",
        ),
        (
            "run study.csv --csv links.csv",
            "--csv would overwrite links.csv, which the study reads",
        ),
        (
            "run study.csv --csv ring.goal",
            "--csv would overwrite ring.goal, which the study reads",
        ),
        (
            "run study.csv --csv turnwise-out/study/report.html",
            "--csv would overwrite turnwise-out/study/report.html, the report",
        ),
        (
            "run study.csv --csv turnwise-out/study/results/shard0-writer0.sqlite",
            "--csv would overwrite turnwise-out/study/results/shard0-writer0.sqlite, where results are stored",
        ),
        (
            "report study.csv --output out --results turnwise-out/study --export turnwise-out/study/results/new.csv",
            "--export would overwrite turnwise-out/study/results/new.csv, where results are stored",
        ),
        (
            "run study.csv --csv new.csv --export new.csv",
            "--csv and --export would both write new.csv",
        ),
        (
            "run study.csv --export a.csv --export a.csv",
            "--export and --export would both write a.csv",
        ),
        (
            "report study.csv --export study.csv",
            "--export would overwrite study.csv, which is the study",
        ),
        (
            "report study.csv --export links.csv",
            "--export would overwrite links.csv, which the study reads",
        ),
        (
            "network study.json --export study.json",
            "--export would overwrite study.json, which is",
        ),
        (
            "network study.csv --set network.file='links.net' --export links.net",
            "which the study reads",
        ),
        (
            "route study.csv --paths links.csv",
            "--paths would overwrite links.csv, which the study reads",
        ),
        (
            "verify study.csv --certificate links.csv",
            "--certificate would overwrite links.csv, which the",
        ),
        (
            "replay ring.goal --export ring.goal",
            "--export would overwrite ring.goal, which FILE reads",
        ),
        (
            "replay ring.goal --ranks a.csv --messages a.csv",
            "--ranks and --messages would both write a.csv",
        ),
    ] {
        let arguments: Vec<&str> = line.split_whitespace().collect();
        refuse(folder.path(), &arguments, &[says]);
    }
    assert!(before == content(folder.path()), "something was written");
}

/// Patterns and lists lead to files that no option names, and not every command reads all that a study names.
#[test]
fn what_is_read_by_a_detour_is_not_overwritten() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    write("a0.txt", "0 compute 100\n0 finalize\n");
    write("a1.txt", "1 compute 100\n1 finalize\n");
    write("list.txt", "a0.txt\na1.txt\n");
    write("matrix.csv", "0,1\n1,0\n");
    let traffic = "[network]\nkind = \"full-mesh\"\nrouters = 2\n[routing]\nkind = \"shortest-path\"\n\
                   [traffic]\npattern = \"matrix\"\nfile = \"matrix.csv\"\nload = 0.1\n";
    write("matrix.toml", traffic);
    fs::create_dir(folder.path().join("logs")).unwrap();
    write("logs/point-0.csv", PROGRAM);
    write(
        "logged.toml",
        &STUDY.replace("ring.goal", "logs/point-0.csv"),
    );
    write("links.csv", "0 1\n1 2\n2 0\n");
    let before = content(folder.path());
    for (line, says) in [
        (
            "replay list.txt --ranks a1.txt",
            "--ranks would overwrite a1.txt, which FILE reads",
        ),
        (
            "replay a*.txt --export a0.txt",
            "--export would overwrite a0.txt, which FILE reads",
        ),
        (
            "route matrix.toml --paths matrix.csv",
            "--paths would overwrite matrix.csv, which the study reads",
        ),
        (
            "verify matrix.toml --certificate ./matrix.csv",
            "--certificate would overwrite ./matrix.csv, which the",
        ),
        (
            "run logged.toml --messages logs",
            "--messages writes a file of the same name as that of the study, ",
        ),
    ] {
        let arguments: Vec<&str> = line.split_whitespace().collect();
        refuse(folder.path(), &arguments, &[says]);
    }
    assert!(before == content(folder.path()), "something was written");
}
