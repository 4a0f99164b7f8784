//! Prints `docs/results/angara-failures.csv`: 2,000 systems with failures, and who still routes them.
//!
//! `cargo run --release -p turnwise-study --example angara_failures > docs/results/angara-failures.csv`
#![allow(clippy::unwrap_used, reason = "tests and their helpers may")]

#[path = "../tests/angara_failures/mod.rs"]
mod angara_failures;
#[path = "../tests/angara_kinds/mod.rs"]
mod angara_kinds;

use angara_failures::{Case, outcome};
use std::io::Write;

const KINDS: [&str; 4] = ["angara-dor", "angara-bfs", "angara-sssp", "angara-balanced"];

fn main() -> std::io::Result<()> {
    let mut out = std::io::stdout().lock();
    write!(out, "case,sizes,failed_links,failed_nodes,nodes")?;
    for kind in KINDS {
        write!(out, ",{kind} unroutable,{kind} index")?;
    }
    writeln!(out)?;
    for number in 0..2_000 {
        let case = Case::new(number);
        write!(out, "{case},{}", case.network.living_terminals().count())?;
        for kind in KINDS {
            let outcome = outcome(&case, kind);
            assert_eq!(outcome.unroutable, outcome.impossible, "{kind}, {case}");
            write!(out, ",{},{}", outcome.unroutable, outcome.index)?;
        }
        writeln!(out)?;
    }
    Ok(())
}
