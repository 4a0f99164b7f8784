//! The page on today's machines says what its results say.
#![allow(clippy::unwrap_used, reason = "tests and their helpers may")]

use crate::machines_page;

#[test]
fn the_page_is_not_stale() {
    let hint = "cargo run --release -p turnwise-study --example machines_page > docs/machines.md";
    let page = machines_page::page();
    assert!(
        page == include_str!("../../../docs/machines.md"),
        "stale: {hint}"
    );
}
