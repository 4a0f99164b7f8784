//! Prints `docs/propagation-ratio.md`, the paper against Turnwise, and writes its figures.
//!
//! `cargo run --release -p turnwise-study --example propagation_page > docs/propagation-ratio.md`
#![allow(clippy::unwrap_used, reason = "tests and their helpers may")]

#[path = "../tests/pages/mod.rs"]
mod pages;
#[path = "../tests/propagation_page/mod.rs"]
mod propagation_page;

use std::io::Write;

fn main() -> std::io::Result<()> {
    let (page, [attack, uniform]) = propagation_page::page();
    std::fs::write("docs/img/propagation-group-attack.svg", attack)?;
    std::fs::write("docs/img/propagation-uniform.svg", uniform)?;
    std::io::stdout().lock().write_all(page.as_bytes())
}
