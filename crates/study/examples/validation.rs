//! Prints `docs/validation.md`: every figure compared with BookSim2's and SuperSim's, and what explains the differences.
//!
//! `cargo run --release -p turnwise-study --example validation > docs/validation.md`
#![allow(clippy::unwrap_used, reason = "tests and their helpers may")]

#[path = "../tests/booksim/mod.rs"]
mod booksim;
#[path = "../tests/comparison/mod.rs"]
mod comparison;
#[path = "../tests/stack/mod.rs"]
mod stack;
#[path = "../tests/supersim/mod.rs"]
mod supersim;

use booksim::{Group, compare, experiments, first_table, second_table};
use std::io::Write;

const DOCUMENT: &str = include_str!("validation.template.md");

fn main() -> std::io::Result<()> {
    let mut text = DOCUMENT.to_owned();
    for (group, name) in [
        (Group::Barred, "barred"),
        (Group::Adaptive, "adaptive"),
        (Group::Shapes, "shapes"),
        (Group::Options, "options"),
        (Group::Further, "further"),
    ] {
        let comparisons = compare(experiments(group));
        text = text.replace(
            &format!("{{{{{name} latency}}}}\n"),
            &first_table(&comparisons, group),
        );
        text = text.replace(
            &format!("{{{{{name} throughput}}}}\n"),
            &second_table(&comparisons, group),
        );
    }
    for (reference, name) in [
        (supersim::MINIMAL, "supersim"),
        (supersim::ADAPTIVE, "supersim adaptive"),
    ] {
        let comparisons = supersim::compare(supersim::experiments(reference));
        text = text.replace(
            &format!("{{{{{name} latency}}}}\n"),
            &supersim::first_table(&comparisons),
        );
        text = text.replace(
            &format!("{{{{{name} throughput}}}}\n"),
            &supersim::second_table(&comparisons),
        );
    }
    std::io::stdout().lock().write_all(text.as_bytes())
}
