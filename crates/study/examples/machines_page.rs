//! Prints `docs/machines.md`, today's largest dragonflies under attack.
//!
//! `cargo run --release -p turnwise-study --example machines_page > docs/machines.md`
#![allow(clippy::unwrap_used, reason = "tests and their helpers may")]

#[path = "../tests/machines_page/mod.rs"]
mod machines_page;
#[path = "../tests/pages/mod.rs"]
mod pages;

use std::io::Write;

fn main() -> std::io::Result<()> {
    let page = machines_page::page();
    std::io::stdout().lock().write_all(page.as_bytes())
}
