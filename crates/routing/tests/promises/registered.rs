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

#[test]
fn every_algorithm_keeps_every_promise_on_every_network_it_fits() {
    let broken = broken(REGISTRY);
    let lines: Vec<String> = broken
        .iter()
        .flat_map(|(promise, all)| all.iter().map(move |who| format!("{promise}: {who}")))
        .collect();
    assert!(
        lines.is_empty(),
        "{} broken promises:\n{}",
        lines.len(),
        lines.join("\n")
    );
}
