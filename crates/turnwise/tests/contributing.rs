//! The worked examples of `CONTRIBUTING.md` are compiled and run: this holds that nobody unhooks them.
//!
//! The examples are doctests of `turnwise-study`, the only crate that sees everything they use.

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

#[test]
fn every_extension_point_has_an_example_that_runs() {
    let text = read("CONTRIBUTING.md");
    for heading in [
        "A topology",
        "A routing algorithm",
        "A traffic pattern",
        "A workload",
        "A section of the report",
    ] {
        let (_, section) = text
            .split_once(&format!("\n### {heading}\n"))
            .unwrap_or_else(|| panic!("no section \"{heading}\""));
        let section = section.split("\n### ").next().unwrap();
        let (_, code) = section
            .split_once("```rust\n")
            .unwrap_or_else(|| panic!("\"{heading}\" has no code that runs"));
        let code = code.split("```").next().unwrap();
        assert!(code.lines().count() > 20, "\"{heading}\" is not complete");
        assert!(code.contains("assert"), "\"{heading}\" proves nothing");
    }
    for switched_off in ["ignore", "no_run", "compile_fail", "should_panic"] {
        assert!(
            !text.contains(&format!("```rust,{switched_off}")),
            "examples run, none is `{switched_off}`"
        );
    }
}
