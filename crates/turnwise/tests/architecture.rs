//! The invariants of `ARCHITECTURE.md` that a look at the sources can hold.

#![allow(clippy::unwrap_used)] // helpers are tests too

use serde_json::Value as Json;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Which of our crates each may depend on, for tests and benches too.
const FLOORS: [(&str, &[&str]); 16] = [
    ("turnwise-unified", &[]),
    ("turnwise-config", &["turnwise-unified"]),
    ("turnwise-application", &["turnwise-config"]),
    ("turnwise-network", &["turnwise-config"]),
    ("turnwise-routing", &["turnwise-config", "turnwise-network"]),
    ("turnwise-verify", &["turnwise-network"]),
    (
        "turnwise-workload",
        &[
            "turnwise-application",
            "turnwise-config",
            "turnwise-network",
        ],
    ),
    ("turnwise-sim", &["turnwise-config", "turnwise-network"]),
    ("turnwise-report", &[]),
    ("turnwise-serve", &[]),
    (
        "turnwise-study",
        &[
            "turnwise-application",
            "turnwise-config",
            "turnwise-network",
            "turnwise-routing",
            "turnwise-verify",
            "turnwise-workload",
            "turnwise-sim",
            "turnwise-report",
        ],
    ),
    (
        "turnwise-slurm",
        &[
            "turnwise-config",
            "turnwise-network",
            "turnwise-routing",
            "turnwise-verify",
            "turnwise-study",
        ],
    ),
    ("turnwise-cluster", &["turnwise-config", "turnwise-study"]),
    ("turnwise-mpi", &["turnwise-sim"]),
    (
        "turnwise",
        &[
            "turnwise-application",
            "turnwise-config",
            "turnwise-network",
            "turnwise-routing",
            "turnwise-verify",
            "turnwise-workload",
            "turnwise-sim",
            "turnwise-report",
            "turnwise-study",
            "turnwise-serve",
            "turnwise-slurm",
            "turnwise-cluster",
            "turnwise-mpi",
        ],
    ),
    (
        "turnwise-python",
        &[
            "turnwise",
            "turnwise-config",
            "turnwise-network",
            "turnwise-verify",
            "turnwise-study",
            "turnwise-cluster",
        ],
    ),
];

/// The crates below `study`: values in, values out.
const PURE: [&str; 8] = [
    "application",
    "config",
    "network",
    "routing",
    "verify",
    "workload",
    "sim",
    "report",
];

fn root() -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    root.canonicalize().unwrap()
}

/// Every file below a folder with one of these extensions, sorted.
fn files(folder: &Path, extensions: &[&str]) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            let extension = path.extension().and_then(|extension| extension.to_str());
            if path.is_dir() {
                folders.push(path);
            } else if extension.is_some_and(|extension| extensions.contains(&extension)) {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The text without what follows `//` on a line; good enough for words that no string of ours has.
fn without_comments(text: &str) -> String {
    let code = text
        .lines()
        .map(|line| line.find("//").map_or(line, |at| &line[..at]));
    code.collect::<Vec<_>>().join("\n")
}

/// Source files of a crate, without its unit tests in files of their own.
fn sources(name: &str) -> Vec<PathBuf> {
    let mut sources = files(&root().join("crates").join(name).join("src"), &["rs"]);
    sources.retain(|path| path.file_name().is_some_and(|name| name != "tests.rs"));
    sources
}

#[test]
fn a_floor_knows_only_those_below_it() {
    let output = Command::new(env!("CARGO"))
        .args([
            "metadata",
            "--no-deps",
            "--offline",
            "--format-version",
            "1",
        ])
        .current_dir(root())
        .output()
        .unwrap();
    let metadata: Json =
        serde_json::from_slice(&output.stdout).expect("cargo metadata prints JSON");
    let floors: BTreeMap<&str, &[&str]> = FLOORS.into();
    let mut seen = 0;
    for package in metadata["packages"].as_array().unwrap() {
        let name = package["name"].as_str().unwrap();
        let allowed = floors
            .get(name)
            .unwrap_or_else(|| panic!("{name} is on no floor: add it to ARCHITECTURE.md"));
        for dependency in package["dependencies"].as_array().unwrap() {
            let needed = dependency["name"].as_str().unwrap();
            let ours = floors.contains_key(needed);
            assert!(
                !ours || allowed.contains(&needed),
                "{name} must not depend on {needed}"
            );
        }
        seen += 1;
    }
    assert_eq!(seen, FLOORS.len());
}

#[test]
fn below_study_nothing_touches_the_world() {
    let modules = ["fs", "env", "time", "thread", "net", "process"];
    let mut forbidden: Vec<String> = modules
        .iter()
        .map(|module| format!("std::{module}"))
        .collect();
    forbidden.extend(
        [
            "println!",
            "eprintln!",
            "print!(",
            "SystemTime",
            "Instant::now",
        ]
        .map(String::from),
    );
    for name in PURE {
        for path in sources(name) {
            let code = without_comments(&read(&path));
            // One simulation on several threads; how many is for the caller to say.
            let starts_threads = path.ends_with("sim/src/engine/parallel.rs");
            for word in &forbidden {
                assert!(
                    !code.contains(word.as_str()) || starts_threads && word == "std::thread",
                    "{} mentions {word}",
                    path.display()
                );
            }
            // `use std::{fs, io}` hides a module from the search above.
            assert!(
                !code.contains("use std::{"),
                "{}: import from std one module a line",
                path.display()
            );
        }
    }
}

#[test]
fn nothing_below_study_keeps_global_state() {
    for name in PURE {
        for path in sources(name) {
            for line in without_comments(&read(&path)).lines() {
                let line = line
                    .trim_start()
                    .trim_start_matches("pub(crate) ")
                    .trim_start_matches("pub ");
                let global = line.starts_with("static ") || line.starts_with("thread_local!");
                assert!(!global, "{}: {line}", path.display());
            }
        }
    }
}

/// Where code is that the compiler does not check, and how many blocks of it there are at most.
const UNCHECKED: [(&str, usize); 2] = [
    // Three for whole arrays, two for parts of them, and one to give a part to another thread.
    ("crates/sim/src/engine/unchecked.rs", 6),
    // One for vector instructions that every processor of the architecture has.
    ("crates/network/src/random/block.rs", 1),
];

#[test]
fn unchecked_code_stays_where_it_is() {
    let word = concat!("un", "safe");
    for path in files(&root().join("crates"), &["rs"]) {
        let allowed = UNCHECKED.iter().find(|(only, _)| path.ends_with(only));
        let most = allowed.map_or(0, |(_, most)| *most);
        let code = without_comments(&read(&path));
        let used = |rest: &&str| rest.starts_with([' ', '{', '\n', '(']);
        let blocks = code.split(word).skip(1).filter(used).count();
        assert!(
            blocks <= most,
            "{} contains {blocks} blocks of {word} code, {most} are allowed",
            path.display()
        );
    }
}

#[test]
fn every_module_says_what_it_is_for() {
    for path in files(&root().join("crates"), &["rs"]) {
        let is_unit_test = path.file_name().is_some_and(|name| name == "tests.rs");
        let text = read(&path);
        let first = text.lines().next().unwrap_or_default();
        assert!(
            is_unit_test || first.starts_with("//! "),
            "{} does not open with `//! ...`",
            path.display()
        );
    }
}

#[test]
fn files_stay_short() {
    let mut lengths: Vec<(usize, PathBuf)> = files(&root().join("crates"), &["rs"])
        .into_iter()
        .map(|path| (read(&path).lines().count(), path))
        .collect();
    lengths.sort();
    let (median, _) = lengths[lengths.len() / 2];
    assert!(median < 250, "the median file has {median} lines");
    let (longest, path) = lengths.last().unwrap();
    assert!(*longest < 700, "{} has {longest} lines", path.display());
}

/// Where the files of tests are modules of one program, what that does not name would not even be compiled.
#[test]
fn no_file_of_tests_is_left_out() {
    let mut modules = 0;
    for manifest in files(&root().join("crates"), &["toml"]) {
        if !read(&manifest).contains("\nautotests = false\n") {
            continue;
        }
        let folder = manifest.with_file_name("tests");
        let program = read(&folder.join("main.rs"));
        for path in files(&folder, &["rs"]) {
            let name = path.strip_prefix(&folder).unwrap().with_extension("");
            let name = name.to_str().unwrap();
            let module = ["/mod", "/main"]
                .iter()
                .find_map(|end| name.strip_suffix(end))
                .unwrap_or(name);
            // Other files of a folder are for its own module to name.
            if module != "main" && !module.contains('/') {
                let named = program.contains(&format!("\nmod {module};\n"));
                assert!(named, "{} is left out", path.display());
                modules += 1;
            }
        }
    }
    assert!(modules > 50, "only {modules} files");
}

#[test]
fn nothing_is_left_to_do() {
    let mut all = Vec::new();
    for folder in ["crates", "docs", "scripts", "studies", "tools"] {
        all.extend(files(
            &root().join(folder),
            &["rs", "md", "sh", "py", "toml", "js", "css"],
        ));
    }
    for file in [
        "README.md",
        "ARCHITECTURE.md",
        "CONTRIBUTING.md",
        "CHANGELOG.md",
        "Makefile",
        "Cargo.toml",
    ] {
        all.push(root().join(file));
    }
    for path in all {
        let text = read(&path);
        for word in [
            concat!("TO", "DO"),
            concat!("FIX", "ME"),
            concat!("XX", "X"),
        ] {
            assert!(!text.contains(word), "{} contains {word}", path.display());
        }
    }
}

#[test]
fn the_invariants_name_tests_that_exist() {
    let text = read(&root().join("ARCHITECTURE.md"));
    let mut tests = String::new();
    for path in files(&root().join("crates"), &["rs"]) {
        tests.push_str(&read(&path));
    }
    let (_, invariants) = text
        .split_once("## Architecture invariants")
        .expect("there is such a heading");
    let invariants = invariants.split("\n## ").next().unwrap();
    let mut count = 0;
    for line in invariants.lines().filter(|line| line.starts_with("- ")) {
        let (_, names) = line
            .rsplit_once("Test")
            .unwrap_or_else(|| panic!("no test is named: {line}"));
        let names: Vec<&str> = names.split('`').skip(1).step_by(2).collect();
        assert!(!names.is_empty(), "no test is named: {line}");
        for name in names {
            let function = name.rsplit("::").next().unwrap();
            assert!(
                tests.contains(&format!("fn {function}(")),
                "there is no test `{name}`"
            );
        }
        count += 1;
    }
    assert!(count >= 10, "only {count} invariants");
}
