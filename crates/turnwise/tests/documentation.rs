//! The documentation is true: reference pages are current, and what `console` blocks show is what happens.
//!
//! A console block holds commands (`$ turnwise ...`) and what they print. In the output `...` alone
//! on a line stands for any lines. What readers need not see stands in a comment before the block:
//!
//! ```text
//! <!-- exit code 1 -->        the last command of the block ends so
//! <!-- numbers vary -->       seconds and the like: numbers may be others than those shown
//! ```
//!
//! With `TURNWISE_WRITE=1` the numbers shown are renewed; `make docs` does so.

#![allow(clippy::unwrap_used)] // helpers are tests too

mod reference;

use reference::told::{Spot, Told};
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
            // A field of the same name may be described behind it.
            example
                .lines()
                .take_while(|line| !line.is_empty())
                .map(|line| line.trim_start_matches("  ").to_owned() + "\n")
                .collect()
        };
        assert_current(page.file, &page.render(&schema, example));
    }
    assert_current(reference::TABLES_FILE, &reference::render_tables(&schema));
    let columns = serde_json::from_str(&turnwise(&["schema", "--columns"])).unwrap();
    assert_current(
        reference::COLUMNS_FILE,
        &reference::render_columns(&columns),
    );
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

/// Whatever a field is inside of: a table, a list, one of several forms.
#[test]
fn every_field_at_any_depth_is_in_the_reference() {
    let page = |file: &str| std::fs::read_to_string(root().join("docs/reference").join(file));
    let mut told = Told::default();
    told.read(
        reference::TABLES_FILE,
        &page(reference::TABLES_FILE).unwrap(),
        None,
    );
    for family in &reference::PAGES {
        told.read(family.file, &page(family.file).unwrap(), Some(family.table));
    }
    let schema: serde_json::Value = serde_json::from_str(&turnwise(&["schema"])).unwrap();
    let mut looked_for = 0;
    let mut look = |table: &serde_json::Value, spots: &[Spot]| {
        let (missing, all) = told.missing(&schema, table, spots);
        assert!(missing.is_empty(), "told nowhere: {missing:?}");
        looked_for += all;
    };
    for (name, table) in schema["properties"].as_object().unwrap() {
        let Some(family) = reference::PAGES.iter().find(|page| page.table == name) else {
            // Those of a scale are the paths of other tables.
            if name != "scale" {
                look(table, &[Spot::new(reference::TABLES_FILE, name, name)]);
            }
            continue;
        };
        for entry in table["anyOf"].as_array().unwrap() {
            let title = entry["title"].as_str().unwrap();
            let spots = [title, ""].map(|section| Spot::new(family.file, section, name));
            look(entry, &spots);
        }
    }
    assert!(looked_for > 1000, "{looked_for}");
}

/// Documents with console blocks.
const SHOWN: [&str; 7] = [
    "README.md",
    "docs/studies.md",
    "docs/verification.md",
    "docs/simulator.md",
    "docs/workloads.md",
    "docs/slurm.md",
    "docs/infiniband.md",
];

#[test]
fn console_blocks_show_what_happens() {
    let folder = tempfile::tempdir().unwrap();
    std::os::unix::fs::symlink(root().join("tools"), folder.path().join("tools")).unwrap();
    copy(&root().join("studies"), &folder.path().join("studies"));
    let renew = std::env::var_os("TURNWISE_WRITE").is_some();
    let mut commands = 0;
    for file in SHOWN {
        let text = std::fs::read_to_string(root().join(file)).unwrap();
        let mut renewed = text.clone();
        for (at, _) in text.match_indices("```console\n") {
            let note = text[..at]
                .trim_end()
                .rsplit('\n')
                .next()
                .unwrap_or_default();
            let note = if note.starts_with("<!--") { note } else { "" };
            let block = text[at + "```console\n".len()..]
                .split("```")
                .next()
                .unwrap();
            let shown: Vec<&str> = block.split("$ ").skip(1).collect();
            for (index, shown) in shown.iter().enumerate() {
                let (command, expected) = shown.split_once('\n').unwrap_or((shown, ""));
                let code = exit_code(note).filter(|_| index + 1 == shown_count(block));
                let printed = run(file, command, code.unwrap_or(0), folder.path());
                let actual: Vec<&str> = printed.lines().map(str::trim_end).collect();
                let lines: Vec<&str> = expected.trim_end().lines().collect();
                let vary = renew || note.contains("numbers vary");
                let Some(current) = aligned(&lines, &actual, vary) else {
                    panic!(
                        "{file} shows for `{command}`\n{expected}\nbut this is printed:\n{printed}"
                    );
                };
                if renew && !lines.is_empty() {
                    let old = lines.join("\n");
                    renewed = renewed.replacen(&old, &current.join("\n"), 1);
                }
                commands += 1;
            }
        }
        if renewed != text {
            std::fs::write(root().join(file), renewed).unwrap();
        }
    }
    assert!(commands >= 5, "only {commands} commands are shown");
}

/// Studies say in comments what to do with them.
#[test]
fn commands_in_comments_of_studies_are_understood() {
    let mut folders = vec![root().join("studies")];
    let mut commands = 0;
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let text = std::fs::read_to_string(&path).unwrap();
            let comments = text.lines().filter_map(|line| line.strip_prefix('#'));
            let shown = comments.filter_map(|comment| comment.trim().strip_prefix("turnwise "));
            for shown in shown {
                // Behind it stands what it is for, or what its output goes to.
                let ends = ["  ", " |", " #"].map(|end| shown.find(end));
                let end = ends.into_iter().flatten().min().unwrap_or(shown.len());
                let words = shown[..end].split_whitespace();
                let words = words.map(|word| word.trim_matches(['"', '\'']));
                // Help is told of what is understood, instead of doing it.
                turnwise(&words.chain(["--help"]).collect::<Vec<_>>());
                commands += 1;
            }
        }
    }
    assert!(commands >= 50, "only {commands} commands are shown");
}

/// Copies studies. A slow machine gets the time that it needs, so that what is printed is the same.
fn copy(from: &Path, to: &Path) {
    std::fs::create_dir(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &target);
            continue;
        }
        let text = std::fs::read_to_string(entry.path()).unwrap();
        let limit = "time_limit = \"0.25 s\"";
        let text = text.replace(limit, "time_limit = \"3000 s\"");
        std::fs::write(target, text).unwrap();
    }
}

fn shown_count(block: &str) -> usize {
    block.matches("$ ").count()
}

/// The number in `<!-- exit code 1 -->`.
fn exit_code(note: &str) -> Option<i32> {
    let (_, rest) = note.split_once("exit code ")?;
    rest.split_whitespace()
        .next()?
        .trim_end_matches([',', ';'])
        .parse()
        .ok()
}

fn run(file: &str, command: &str, code: i32, folder: &Path) -> String {
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
    assert_eq!(
        output.status.code(),
        Some(code),
        "{file}: {command}\n{printed}"
    );
    printed
}

/// What to show instead of `shown`, with `...` where it leaves lines out; nothing if the lines
/// differ, in more than their numbers if these may `vary`.
fn aligned<'a>(shown: &[&'a str], actual: &[&'a str], vary: bool) -> Option<Vec<&'a str>> {
    let Some((&line, rest)) = shown.split_first() else {
        return actual.is_empty().then(Vec::new);
    };
    let before = |line, rest: Vec<&'a str>| [vec![line], rest].concat();
    if line == "..." {
        let mut ends = (0..=actual.len()).filter_map(|end| aligned(rest, &actual[end..], vary));
        return ends.next().map(|rest| before(line, rest));
    }
    let (&first, others) = actual.split_first()?;
    let same = line.trim_end() == first || vary && without_numbers(line) == without_numbers(first);
    same.then(|| aligned(rest, others, vary))
        .flatten()
        .map(|rest| before(first, rest))
}

/// Words of a line with `#` for every number, for columns are as wide as their numbers.
fn without_numbers(line: &str) -> Vec<String> {
    let word = |word: &str| {
        let mut shown = String::new();
        for character in word.chars() {
            match character.is_ascii_digit() {
                true if shown.ends_with('#') => {}
                true => shown.push('#'),
                false => shown.push(character),
            }
        }
        shown.replace("#.#", "#")
    };
    line.split_whitespace().map(word).collect()
}

#[test]
fn lines_match_when_they_should() {
    let found = aligned(&["a", "...", "z 1"], &["a", "b", "c", "z 12"], true);
    assert_eq!(found, Some(vec!["a", "...", "z 12"]));
    assert_eq!(aligned(&["a 1"], &["a 2"], false), None);
    assert_eq!(aligned(&["a", "z"], &["a", "b", "z"], true), None);
    assert_eq!(
        aligned(&["took  0.25 s"], &["took 13 s"], true),
        Some(vec!["took 13 s"])
    );
    assert_eq!(exit_code("<!-- exit code 2; numbers vary -->"), Some(2));
}
