//! The documentation is true: reference pages are current, and what `console` blocks show is what happens.
//!
//! A console block holds commands (`$ turnwise ...`), what they print, and, if it is not 0, their
//! exit code (`? 1`). In the output `...` alone on a line stands for any lines, `[..]` for any
//! text within one.

#![allow(clippy::unwrap_used)] // helpers are tests too

mod reference;

use std::path::{Path, PathBuf};
use std::process::Command;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../..")
        .canonicalize()
        .unwrap()
}

fn turnwise(arguments: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_turnwise"))
        .args(arguments)
        .output()
        .unwrap();
    assert!(output.status.success(), "turnwise {arguments:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// With `TURNWISE_WRITE=1` the pages are written instead; `make docs` does so.
#[test]
fn the_reference_pages_are_up_to_date() {
    let schema = serde_json::from_str(&turnwise(&["schema"])).unwrap();
    for page in reference::PAGES {
        let example = |name: &str| {
            let described = turnwise(&["describe", page.family, name]);
            let (_, example) = described
                .split_once("\nexample:\n")
                .expect("every entry has an example");
            example
                .lines()
                .map(|line| line.trim_start_matches("  ").to_owned() + "\n")
                .collect()
        };
        assert_current(page.file, &page.render(&schema, example));
    }
    assert_current(reference::TABLES_FILE, &reference::render_tables(&schema));
}

fn assert_current(name: &str, rendered: &str) {
    let file = root().join("docs/reference").join(name);
    if std::env::var_os("TURNWISE_WRITE").is_some() {
        std::fs::write(&file, rendered).unwrap();
    }
    let committed = std::fs::read_to_string(&file).unwrap_or_default();
    assert!(
        committed == rendered,
        "docs/reference/{name} is stale: run `make docs`"
    );
}

#[test]
fn nothing_listed_is_missing_from_the_reference() {
    for page in reference::PAGES {
        let text = std::fs::read_to_string(root().join("docs/reference").join(page.file)).unwrap();
        let kind = format!("{}s", page.family);
        for line in turnwise(&["list", &kind, "--format", "json"]).lines() {
            let entry: serde_json::Value = serde_json::from_str(line).unwrap();
            let heading = format!("\n## {}\n", entry["name"].as_str().unwrap());
            assert!(
                text.contains(&heading),
                "{} does not describe {line}",
                page.file
            );
        }
    }
}

#[test]
fn console_blocks_show_what_happens() {
    let folder = tempfile::tempdir().unwrap();
    for shared in ["studies", "tools"] {
        std::os::unix::fs::symlink(root().join(shared), folder.path().join(shared)).unwrap();
    }
    let mut commands = 0;
    for file in [
        "README.md",
        "docs/studies.md",
        "docs/verification.md",
        "docs/simulator.md",
        "docs/slurm.md",
    ] {
        let text = std::fs::read_to_string(root().join(file)).unwrap();
        for block in text.split("```console\n").skip(1) {
            let block = block.split("```").next().unwrap();
            for shown in block.split("$ ").skip(1) {
                let (command, expected) = shown.split_once('\n').unwrap_or((shown, ""));
                run(file, command, expected, folder.path());
                commands += 1;
            }
        }
    }
    assert!(commands >= 5, "only {commands} commands are shown");
}

fn run(file: &str, command: &str, expected: &str, folder: &Path) {
    let (status, lines): (Vec<&str>, Vec<&str>) = expected
        .trim_end()
        .lines()
        .partition(|line| line.starts_with("? "));
    let status = status
        .first()
        .map_or(0, |line| line[2..].trim().parse().unwrap());
    let programs = Path::new(env!("CARGO_BIN_EXE_turnwise")).parent().unwrap();
    let path = format!(
        "{}:{}",
        programs.display(),
        std::env::var("PATH").unwrap_or_default()
    );
    let output = Command::new("bash")
        .args(["-c", &format!("{command} 2>&1")])
        .current_dir(folder)
        .env("PATH", path)
        .env("NO_COLOR", "1")
        .output()
        .unwrap();
    let printed = String::from_utf8(output.stdout).unwrap();
    let actual: Vec<&str> = printed.lines().map(str::trim_end).collect();
    assert_eq!(
        output.status.code(),
        Some(status),
        "{file}: {command}\n{printed}"
    );
    assert!(
        matches(&lines, &actual),
        "{file} shows for `{command}`\n{expected}\nbut this is printed:\n{printed}"
    );
}

/// Do the lines match, `...` standing for any lines?
fn matches(shown: &[&str], actual: &[&str]) -> bool {
    match shown.split_first() {
        None => actual.is_empty(),
        Some((&"...", rest)) => (0..=actual.len()).any(|skipped| matches(rest, &actual[skipped..])),
        Some((line, rest)) => actual.split_first().is_some_and(|(first, others)| {
            matches_line(line.trim_end(), first) && matches(rest, others)
        }),
    }
}

/// Does a line match, `[..]` standing for any text?
fn matches_line(shown: &str, actual: &str) -> bool {
    let Some((before, after)) = shown.split_once("[..]") else {
        return shown == actual;
    };
    let Some(rest) = actual.strip_prefix(before) else {
        return false;
    };
    let ends = rest.char_indices().map(|(at, _)| at).chain([rest.len()]);
    ends.into_iter().any(|at| matches_line(after, &rest[at..]))
}

#[test]
fn wildcards_match_what_they_should() {
    assert!(matches(&["a", "...", "z"], &["a", "b", "c", "z"]));
    assert!(!matches(&["a", "z"], &["a", "b", "z"]));
    assert!(matches_line("took [..] s", "took 0.25 s"));
    assert!(!matches_line("took [..] s", "took 0.25 ms, or not"));
}
