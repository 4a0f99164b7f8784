//! Angara tables of systems with failures are proved, or refused only where no legal route exists.
#![allow(clippy::unwrap_used, reason = "tests and their helpers may")]

use crate::angara_page;

use crate::angara_failures::{Case, outcome};

#[test]
fn failures_are_routed_around_wherever_the_rules_allow_it() {
    let mut whole = [0; 2];
    for number in 0..150 {
        let case = Case::new(number);
        let kinds = ["angara-dor", "angara-balanced"];
        let outcomes = kinds.map(|kind| outcome(&case, kind));
        for (count, outcome) in whole.iter_mut().zip(&outcomes) {
            assert_eq!(outcome.unroutable, outcome.impossible, "{case}");
            *count += u32::from(outcome.unroutable == 0);
        }
        let [order, steps] = &outcomes;
        assert!(steps.index > 0.0 || steps.unroutable > 0, "{case}");
        assert!(steps.unroutable <= order.unroutable, "{case}");
    }
    assert!(
        whole[1] > whole[0],
        "first and last steps route more: {whole:?}"
    );
}

#[test]
fn the_page_is_not_stale() {
    let (page, figure) = angara_page::page();
    let hint = "cargo run --release -p turnwise-study --example angara_page > docs/angara.md";
    assert!(
        page == include_str!("../../../docs/angara.md"),
        "stale: {hint}"
    );
    assert!(
        figure == include_str!("../../../docs/img/angara-figure5.svg"),
        "stale: {hint}"
    );
}
