//! Prints `docs/megafly.md`, the paper against Turnwise, and writes its figures.
//!
//! `cargo run --release -p turnwise-study --example megafly_page > docs/megafly.md`
#![allow(clippy::unwrap_used, reason = "tests and their helpers may")]

#[path = "../tests/megafly_page/mod.rs"]
mod megafly_page;
#[path = "../tests/pages/mod.rs"]
mod pages;

use std::io::Write;

fn main() -> std::io::Result<()> {
    let (page, [delays, candidates]) = megafly_page::page();
    std::fs::write("docs/img/megafly-feedback-delay.svg", delays)?;
    std::fs::write("docs/img/megafly-candidates.svg", candidates)?;
    std::io::stdout().lock().write_all(page.as_bytes())
}
