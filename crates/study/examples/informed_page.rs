//! Prints `docs/informed.md`, the page on our own adaptive routing.
//!
//! `cargo run --release -p turnwise-study --example informed_page > docs/informed.md`
#![allow(clippy::unwrap_used, reason = "tests and their helpers may")]

#[path = "../tests/informed_page/mod.rs"]
mod informed_page;
#[path = "../tests/pages/mod.rs"]
mod pages;

use std::io::Write;

fn main() -> std::io::Result<()> {
    let page = informed_page::page();
    std::io::stdout().lock().write_all(page.as_bytes())
}
