//! The page on the propagation ratio says what its results say.
#![allow(clippy::unwrap_used, reason = "tests and their helpers may")]

use crate::pages;
use crate::propagation_page;

#[test]
fn the_page_is_not_stale() {
    let (page, [attack, uniform]) = propagation_page::page();
    let hint = "cargo run --release -p turnwise-study --example propagation_page > docs/propagation-ratio.md";
    assert!(
        page == include_str!("../../../docs/propagation-ratio.md"),
        "stale: {hint}"
    );
    let attack_is = include_str!("../../../docs/img/propagation-group-attack.svg");
    let uniform_is = include_str!("../../../docs/img/propagation-uniform.svg");
    assert!(
        attack == attack_is && uniform == uniform_is,
        "stale: {hint}"
    );
}

#[test]
fn quoted_cells_are_read() {
    let csv = pages::Csv::read("a,b,c\n1,\"{\"\"x\"\":\"\"y,z\"\"}\",\n,\"\",\"p,q\"\n");
    let rows: Vec<[&str; 3]> = csv
        .records()
        .map(|row| ["a", "b", "c"].map(|name| row.text(name)))
        .collect();
    assert_eq!(rows, [["1", "{\"x\":\"y,z\"}", ""], ["", "", "p,q"]]);
}
