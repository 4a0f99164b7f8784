//! The page on megaflies says what its results say.
#![allow(clippy::unwrap_used, reason = "tests and their helpers may")]

use crate::megafly_page;

#[test]
fn the_page_is_not_stale() {
    let (page, [delays, candidates]) = megafly_page::page();
    let hint = "cargo run --release -p turnwise-study --example megafly_page > docs/megafly.md";
    assert!(
        page == include_str!("../../../docs/megafly.md"),
        "stale: {hint}"
    );
    let delays_is = include_str!("../../../docs/img/megafly-feedback-delay.svg");
    let candidates_is = include_str!("../../../docs/img/megafly-candidates.svg");
    assert!(
        delays == delays_is && candidates == candidates_is,
        "stale: {hint}"
    );
}
