//! The page on our own adaptive routing says what its results say.
#![allow(clippy::unwrap_used, reason = "tests and their helpers may")]

use crate::informed_page;

#[test]
fn the_page_is_not_stale() {
    let hint = "cargo run --release -p turnwise-study --example informed_page > docs/informed.md";
    let page = informed_page::page();
    assert!(
        page == include_str!("../../../docs/informed.md"),
        "stale: {hint}"
    );
}
