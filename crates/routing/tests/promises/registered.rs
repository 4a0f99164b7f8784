//! The registry as it is: nobody in it breaks a promise.

use crate::promises::broken;
use crate::promises::examples::examples;
use crate::promises::subjects::each;
use std::collections::BTreeSet;
use turnwise_routing::REGISTRY;

/// Promises are worth as much as what they are held to.
#[test]
fn damage_costs_routes_and_every_option_is_met() {
    let (mut lost, mut met) = (0, BTreeSet::new());
    each(REGISTRY, &examples(), |name, subject| {
        let subject = subject.unwrap_or_else(|message| panic!("{name}: {message}"));
        let routed = subject.healthy.graph.starts.len();
        let left = subject
            .damaged
            .iter()
            .map(|damaged| damaged.graph.starts.len());
        lost += left.map(|left| routed - left).sum::<usize>();
        met.insert(name.split(", on ").next().unwrap_or_default().to_owned());
    });
    assert!(lost > 10_000, "only {lost} pairs lost their route");
    for who in [
        "shortest-path, ties = \"random\", wormhole",
        "valiant, via = \"leaf\", intra_group = \"valiant\", wormhole",
        "dimension-order, bubble",
        "angara-table, file = \"angara-table\", bubble",
    ] {
        assert!(met.contains(who), "{who} is not among {met:#?}");
    }
}

/// Asked of a quarter of the registry, so that several processors have something to do.
fn every_algorithm_keeps_every_promise_on_every_network_it_fits(quarter: usize) {
    let quarters = REGISTRY.chunks(REGISTRY.len().div_ceil(4));
    let broken = quarters.skip(quarter).take(1).map(broken);
    let lines: Vec<String> = broken
        .flatten()
        .flat_map(|(promise, all)| all.into_iter().map(move |who| format!("{promise}: {who}")))
        .collect();
    assert!(
        lines.is_empty(),
        "{} broken promises:\n{}",
        lines.len(),
        lines.join("\n")
    );
}

#[test]
fn the_first_quarter_keeps_its_promises() {
    every_algorithm_keeps_every_promise_on_every_network_it_fits(0);
}

#[test]
fn the_second_quarter_keeps_its_promises() {
    every_algorithm_keeps_every_promise_on_every_network_it_fits(1);
}

#[test]
fn the_third_quarter_keeps_its_promises() {
    every_algorithm_keeps_every_promise_on_every_network_it_fits(2);
}

#[test]
fn the_last_quarter_keeps_its_promises() {
    every_algorithm_keeps_every_promise_on_every_network_it_fits(3);
}
