//! The worked examples of `CONTRIBUTING.md` are compiled and run: this holds that nobody unhooks them.
//!
//! Those that need what only their crate sees are files of it, compiled for its tests alone; all others are doctests of
//! `turnwise-study`, the only crate that sees everything they use.

use std::path::Path;

fn read(path: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../..")
        .join(path);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

#[test]
fn the_examples_are_doctests() {
    let library = read("crates/study/src/lib.rs");
    let hook = "#[doc = include_str!(\"../../../CONTRIBUTING.md\")]";
    assert!(
        library.contains(hook),
        "crates/study/src/lib.rs must contain {hook}"
    );
    let (_, rest) = library.split_once(hook).unwrap();
    assert!(
        library.contains("#[cfg(doctest)]"),
        "the hook is for doctests"
    );
    assert!(
        rest.trim_start().starts_with("pub struct"),
        "rustdoc runs doctests of public items"
    );
}

/// Extension points whose examples are files: the crate, the module that names them, the file, and the test that
/// holds it to what is promised by being registered.
const FILES: [(&str, &str, &str, &str, &str); 2] = [
    (
        "A topology",
        "crates/network",
        "src/topologies/mod.rs",
        "folded_hypercube",
        "assert_form(",
    ),
    (
        "A routing algorithm",
        "crates/routing",
        "src/lib.rs",
        "north_last",
        "promises::broken(&[north_last::ENTRY])",
    ),
];

/// The text between "### heading" and the next heading.
fn section<'a>(text: &'a str, heading: &str) -> &'a str {
    let (_, section) = text
        .split_once(&format!("\n### {heading}\n"))
        .unwrap_or_else(|| panic!("no section \"{heading}\""));
    section.split("\n### ").next().unwrap()
}

/// The fenced blocks of a language.
fn blocks<'a>(text: &'a str, language: &str) -> Vec<&'a str> {
    let fence = format!("```{language}\n");
    let opened = text.split(&fence).skip(1);
    opened
        .map(|rest| rest.split("```").next().unwrap())
        .collect()
}

/// Without indentation, which differs where something stands in the middle of a file.
fn flush_left(text: &str) -> String {
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    lines.join("\n")
}

fn assert_complete(heading: &str, code: &str) {
    assert!(code.lines().count() > 20, "\"{heading}\" is not complete");
    assert!(code.contains("assert"), "\"{heading}\" proves nothing");
}

#[test]
fn every_extension_point_has_an_example_that_runs() {
    let text = read("CONTRIBUTING.md");
    let headings = text.lines().filter_map(|line| line.strip_prefix("### "));
    let as_files = FILES.map(|(heading, ..)| heading);
    let mut points = 0;
    for heading in headings {
        points += 1;
        let is_file = as_files.contains(&heading);
        let code = blocks(section(&text, heading), if is_file { "rs" } else { "rust" });
        let code = code
            .first()
            .unwrap_or_else(|| panic!("\"{heading}\" has no code that runs"));
        assert_complete(heading, code);
    }
    assert!(points >= 4, "only {points} extension points");
    for heading in [
        "A topology",
        "A routing algorithm",
        "A traffic pattern",
        "A workload",
        "A section of the report",
    ] {
        section(&text, heading);
    }
    for switched_off in ["ignore", "no_run", "compile_fail", "should_panic"] {
        assert!(
            !text.contains(&format!("```rust,{switched_off}")),
            "examples run, none is `{switched_off}`"
        );
    }
}

#[test]
fn examples_that_are_files_are_shown_as_they_are() {
    let text = read("CONTRIBUTING.md");
    let mut shown = 0;
    for (heading, folder, _, name, _) in FILES {
        let blocks = blocks(section(&text, heading), "rs");
        let file = read(&format!("{folder}/tests/contributing/{name}.rs"));
        assert!(
            blocks[0] == file,
            "\"{heading}\" does not show {folder}/tests/contributing/{name}.rs as it is"
        );
        // What goes into the files of others, which the example's own tests have as well.
        let beside = flush_left(&read(&format!("{folder}/tests/contributing/mod.rs")));
        for block in &blocks[1..] {
            let block = flush_left(block);
            assert!(beside.contains(&block), "nobody compiles {block}");
        }
        shown += blocks.len();
    }
    assert_eq!(blocks(&text, "rs").len(), shown, "nobody compiles the rest");
}

#[test]
fn examples_that_are_files_are_compiled_and_held_to_the_promises() {
    for (heading, folder, parent, name, held) in FILES {
        let parent = read(&format!("{folder}/{parent}"));
        let hook = "/tests/contributing/mod.rs\"]\nmod contributing;";
        let (before, _) = parent
            .split_once(hook)
            .unwrap_or_else(|| panic!("nobody compiles the example of \"{heading}\""));
        let (before, path) = before.rsplit_once("#[path = \"").unwrap();
        assert!(path.split('/').all(|part| part == ".."), "{path}");
        assert!(before.ends_with("#[cfg(test)]\n"), "tests alone need it");
        let module = read(&format!("{folder}/tests/contributing/mod.rs"));
        assert!(module.contains(&format!("\nmod {name};\n")), "{module}");
        let (_, tests) = module.split_once("#[test]\n").unwrap();
        assert!(tests.contains(held), "\"{heading}\" is held to nothing");
        assert!(!module.contains("#[ignore"), "its tests run");
        let file = read(&format!("{folder}/tests/contributing/{name}.rs"));
        assert!(file.contains("#[test]\n") && !file.contains("#[ignore"));
    }
}
