//! Prints `docs/rhinet2.md`, the paper against Turnwise, and writes its figure.
//!
//! `cargo run --release -p turnwise-study --example rhinet2_page > docs/rhinet2.md`
#![allow(clippy::unwrap_used, reason = "tests and their helpers may")]

#[path = "../tests/pages/mod.rs"]
mod pages;
#[path = "../tests/rhinet2_page/mod.rs"]
mod rhinet2_page;

use std::io::Write;

fn main() -> std::io::Result<()> {
    let (page, clusters) = rhinet2_page::page();
    std::fs::write("docs/img/rhinet2-clusters.svg", clusters)?;
    std::io::stdout().lock().write_all(page.as_bytes())
}
