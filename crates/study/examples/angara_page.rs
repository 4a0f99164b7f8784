//! Prints `docs/angara.md`, the paper against Turnwise, and writes `docs/img/angara-figure5.svg`.
//!
//! `cargo run --release -p turnwise-study --example angara_page > docs/angara.md`
#![allow(clippy::unwrap_used, reason = "tests and their helpers may")]

#[path = "../tests/angara_kinds/mod.rs"]
mod angara_kinds;
#[path = "../tests/angara_page/mod.rs"]
mod angara_page;
#[path = "../tests/pages/mod.rs"]
mod pages;

use std::io::Write;

fn main() -> std::io::Result<()> {
    let (page, figure) = angara_page::page();
    std::fs::write("docs/img/angara-figure5.svg", figure)?;
    std::io::stdout().lock().write_all(page.as_bytes())
}
