//! Talk that cannot be delivered is dropped: what is written and the exit code stay those of the work.

#![allow(clippy::unwrap_used, reason = "tests and their helpers may")]

#[allow(dead_code)]
mod common;

use common::{GOOD, Ran, content, shell};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use tempfile::TempDir;

const SITE: &str = "\
sizes = [4, 2]
hosts = \"n[1-8]\"
output = \"tables\"

[routing]
kind = \"angara-dor\"
";

/// Command lines that end in every way, at least one of every subcommand.
const LINES: &[&str] = &[
    "",
    "--help",
    "--version",
    "rout study.toml",
    "run study.toml --output out",
    "run study.toml --no-report --set traffic.load=2",
    "run nowhere.toml",
    "plan study.toml",
    "plan study.toml --set network.kind=tours",
    "route study.toml --paths paths.csv",
    "route study.toml --paths nowhere/paths.csv",
    "verify study.toml --certificate proof.json",
    "verify study.toml --failures failures.csv",
    "verify study.toml --set routing.classes=none --certificate proof.json",
    "replay --npb cg.S.4 --export schedule.goal",
    "replay nowhere.goal",
    "network study.toml --export network.json",
    "network study.toml --set network.sizes=[]",
    "report study.toml",
    "serve nowhere.toml",
    "list",
    "describe router",
    "describe router nothing",
    "schema",
    "completions bash",
    "completions nothing",
    "man pages",
    "man study.toml",
    "import booksim.cfg",
    "import booksim.cfg topology=cmesh num_vc=2",
    "import supersim.json",
    "import supersim.json /network/topology=string=torus",
    "import nowhere.cfg",
    "run booksim.cfg",
    "slurm prolog --site site.toml --job 7 --nodes n[1-6]",
    "slurm prolog --site site.toml --job 7 --nodes n1,n8",
    "slurm prolog --site site.toml --job 7 --nodes n9",
    "slurm prolog --site logged.toml --job 7 --nodes n[1-6]",
    "slurm epilog --site site.toml --job 7",
    "slurm epilog --site nowhere.toml --job 7",
    "slurm select 3 --site site.toml",
    "slurm select 3 --site site.toml --busy n[1-8]",
    "slurm export-topology --site site.toml",
];

fn folder() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("study.toml"), GOOD).unwrap();
    fs::write(folder.path().join("site.toml"), SITE).unwrap();
    let booksim = "topology = mesh;\nrouting_function = dor;\n";
    fs::write(folder.path().join("booksim.cfg"), booksim).unwrap();
    let supersim = include_str!("../../../studies/supersim.json");
    fs::write(folder.path().join("supersim.json"), supersim).unwrap();
    let logged = format!("log = \"/dev/full\"\n{SITE}");
    fs::write(folder.path().join("logged.toml"), logged).unwrap();
    folder
}

/// Names of the files below `folder`; times and seconds in some of them differ.
fn names(folder: &Path) -> Vec<String> {
    let all: BTreeMap<_, _> = content(folder);
    let names = all.into_keys();
    names.filter(|name| !name.contains(".lock")).collect()
}

/// Runs the line in a folder of its own with `redirection`.
fn run(line: &str, redirection: &str) -> (Ran, Vec<String>) {
    let folder = folder();
    let ran = shell(
        folder.path(),
        &format!("\"$turnwise\" {line} {redirection}"),
    );
    (ran, names(folder.path()))
}

#[test]
fn every_subcommand_is_tried() {
    let help = run("--help", "").0.stdout;
    let commands = help.split_once("Commands:\n").unwrap().1;
    let commands = commands.split_once("\n\n").unwrap().0.lines();
    for command in commands.filter_map(|line| line.split_whitespace().next()) {
        let tried = LINES.iter().any(|line| line.starts_with(command));
        assert!(tried || command == "help", "{command}");
    }
}

#[test]
fn a_full_standard_error_changes_nothing() {
    for line in LINES {
        let (usual, files) = run(line, "");
        for redirection in ["2>/dev/full", "2>&-"] {
            let (ran, left) = run(line, redirection);
            assert_eq!(ran.code, usual.code, "{line} {redirection}");
            assert_eq!(left, files, "{line} {redirection}");
        }
        assert!(matches!(usual.code, Some(0..=2)), "{line}: {usual:?}");
    }
}

#[test]
fn a_reader_of_errors_who_goes_away_changes_nothing() {
    for line in LINES {
        let (usual, files) = run(line, "");
        let gone =
            "{ { sleep 0.05; \"$turnwise\" LINE >/dev/null; echo $? >&3; } 2>&1 | true; } 3>&1";
        let folder = folder();
        let ran = shell(folder.path(), &gone.replace("LINE", line));
        assert_eq!(ran.stdout.trim().parse().ok(), usual.code, "{line}");
        assert_eq!(names(folder.path()), files, "{line}");
    }
}

/// Data that cannot be delivered is an error, even where nobody hears of it; data that nobody
/// wants to read on is none.
#[test]
fn a_full_or_closed_standard_output_is_told_by_the_exit_code() {
    for line in LINES {
        let (usual, _) = run(line, "");
        let (ran, _) = run(line, ">/dev/full 2>/dev/full");
        let expected = if usual.stdout.is_empty() {
            usual.code
        } else {
            Some(2)
        };
        assert_eq!(ran.code, expected, "{line}: {usual:?}");
        let (ran, _) = run(line, ">&-");
        assert_eq!(ran.code, usual.code, "{line} >&-");
    }
}
