//! What goes wrong is told: exit code 2, the place, the nearest name, and nothing left behind.
//!
//! Every file of `tests/bad-studies` is a broken study that says itself how it is broken, in
//! comments at its end:
//!
//! ```toml
//! #! 2:8 unknown kind "tours" => did you mean `torus`?
//! #! - the table [routing] is missing
//! ```
//!
//! Each of these lines is one error: `line:column` (`-` for none), words of the message, and
//! after `=>` words of the help. There must be no other errors.

#![allow(clippy::unwrap_used, reason = "tests and their helpers may")]

#[allow(dead_code)]
mod common;

use common::{Ran, content, shell, turnwise};
use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

const GOOD: &str = "\
[network]
kind = \"torus\"
sizes = [4, 4]

[routing]
kind = \"dimension-order\"

[traffic]
pattern = \"uniform\"
load = 0.1

[simulation]
warmup_cycles = 50
measure_cycles = 200
";

/// A folder with a good study in it.
fn folder() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("study.toml"), GOOD).unwrap();
    folder
}

fn bad_studies() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/bad-studies")
}

/// A refusal is quiet on stdout, not a panic, and has exit code 2.
fn assert_refused(ran: &Ran, what: &str) {
    assert_eq!(ran.code, Some(2), "{what}: {ran:#?}");
    assert_eq!(ran.stdout, "", "{what}");
    assert!(!ran.stderr.contains("panicked"), "{what}: {}", ran.stderr);
}

/// Runs a command that must be refused with all of these words and leave everything as it was.
fn refuse(folder: &Path, arguments: &[&str], words: &[&str]) -> Ran {
    let before = content(folder);
    let ran = turnwise(folder, arguments);
    let what = arguments.join(" ");
    assert_refused(&ran, &what);
    for words in words {
        assert!(ran.stderr.contains(words), "{what}: expected {words:?} in\n{}", ran.stderr);
    }
    assert_eq!(content(folder), before, "{what}: something was left behind");
    ran
}

/// One `#!` line of a broken study.
struct Expected {
    place: Option<String>,
    message: String,
    help: Option<String>,
}

fn expectations(study: &str) -> Vec<Expected> {
    let lines = study.lines().filter_map(|line| line.strip_prefix("#! "));
    let read = |line: &str| {
        let (place, words) = line.split_once(' ').unwrap();
        let (message, help) = match words.split_once(" => ") {
            Some((message, help)) => (message, Some(help.trim().to_owned()).filter(|help| !help.is_empty())),
            None => (words, None),
        };
        let place = Some(place).filter(|place| *place != "-").map(str::to_owned);
        Expected { place, message: message.to_owned(), help }
    };
    lines.map(read).collect()
}

/// Splits what was said into errors: each begins with `error: ` and goes up to the next.
fn errors(stderr: &str) -> Vec<String> {
    let mut errors: Vec<String> = Vec::new();
    for line in stderr.lines() {
        match errors.last_mut() {
            _ if line.starts_with("error: ") => errors.push(line.to_owned()),
            Some(error) => *error += &format!("\n{line}"),
            None => errors.push(line.to_owned()),
        }
    }
    errors
}

/// What is wrong with what was said about the study `name`.
fn problems(name: &str, stderr: &str, expected: &[Expected]) -> Vec<String> {
    let found = errors(stderr);
    let mut problems = Vec::new();
    if found.len() != expected.len() {
        problems.push(format!("{} errors instead of {}", found.len(), expected.len()));
    }
    for Expected { place, message, help } in expected {
        let start = match place {
            Some(place) => format!("error: {name}:{place}: "),
            None => format!("error: {name}: "),
        };
        let first_line = |error: &str| error.lines().next().unwrap_or_default().to_owned();
        let told = |error: &&String| error.starts_with(&start) && first_line(error).contains(message);
        let Some(error) = found.iter().find(told) else {
            problems.push(format!("no \"{start}... {message}\""));
            continue;
        };
        let helped = |help: &String| error.split_once("help: ").is_some_and(|(_, told)| told.contains(help));
        if !help.as_ref().is_none_or(helped) {
            problems.push(format!("no help {help:?} with {message:?}"));
        }
        let line = place.as_deref().and_then(|place| Some(place.split_once(':')?.0));
        if line.is_some_and(|line| !error.contains(&format!(" {line} │ "))) {
            problems.push(format!("line {line:?} is not shown with {message:?}"));
        }
    }
    let counted = stderr.ends_with(&format!("\n{} errors\n", expected.len()));
    if counted != (expected.len() > 1) {
        problems.push("the errors are not counted at the end".to_owned());
    }
    problems
}

#[test]
fn broken_studies_say_where_and_why() {
    let folder = tempfile::tempdir().unwrap();
    let mut names = Vec::new();
    for (name, text) in content(&bad_studies()) {
        let path = folder.path().join(&name);
        match text {
            Some(text) => fs::write(&path, text).unwrap(),
            None => fs::create_dir(&path).unwrap(),
        }
        names.extend(name.ends_with(".toml").then_some(name));
    }
    let before = content(folder.path());
    let mut all = String::new();
    for name in &names {
        let expected = expectations(&fs::read_to_string(folder.path().join(name)).unwrap());
        let ran = turnwise(folder.path(), &["run", name, "--no-report"]);
        let mut problems = problems(name, &ran.stderr, &expected);
        if ran.code != Some(2) || !ran.stdout.is_empty() || ran.stderr.contains("panicked") {
            problems.push(format!("exit code {:?}, on stdout {:?}", ran.code, ran.stdout));
        }
        if turnwise(folder.path(), &["plan", name]).stderr != ran.stderr {
            problems.push("`plan` says something else than `run`".to_owned());
        }
        if !problems.is_empty() {
            all += &format!("{name}: {}\n{}\n", problems.join("; "), ran.stderr);
        }
    }
    assert!(all.is_empty(), "{all}");
    assert_eq!(content(folder.path()), before, "something was left behind");
    assert!(names.len() >= 100, "only {} broken studies", names.len());
}
