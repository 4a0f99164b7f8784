//! The registry as it is: nobody in it breaks a promise.

use crate::promises::relations::Relations;
use crate::promises::{Broken, broken_and};
use std::collections::BTreeSet;
use std::sync::OnceLock;
use turnwise_routing::REGISTRY;

/// What was found of a quarter of the registry.
struct Quarter {
    broken: Broken,
    relations: Relations,
    /// Pairs that lost their route with damage.
    lost: usize,
    /// Who was met, with which options.
    met: BTreeSet<String>,
    /// Who promised to have two phases.
    phased: BTreeSet<String>,
}

/// A quarter at a time, so that several processors have something to do; each is looked at once. Every fourth entry is in the same one, because
/// neighbours are alike and take about as long.
static QUARTERS: [OnceLock<Quarter>; 4] = [const { OnceLock::new() }; 4];

fn quarter(number: usize) -> &'static Quarter {
    QUARTERS[number].get_or_init(|| {
        let entries: Vec<_> = REGISTRY
            .iter()
            .skip(number)
            .step_by(QUARTERS.len())
            .collect();
        let (mut lost, mut met, mut phased) = (0, BTreeSet::new(), BTreeSet::new());
        let mut relations = Relations::default();
        let broken = broken_and(&entries, &mut relations, |name, subject| {
            let routed = subject.healthy.graph.starts.len();
            let left = subject.damaged.iter();
            let left = left.map(|damaged| damaged.graph.starts.len());
            lost += left.map(|left| routed - left).sum::<usize>();
            met.insert(name.split(", on ").next().unwrap_or_default().to_owned());
            if subject.healthy.routing.two_phases().is_some() {
                phased.insert(name.split(',').next().unwrap_or_default().to_owned());
            }
        });
        Quarter {
            broken,
            relations,
            lost,
            met,
            phased,
        }
    })
}

/// Promises are worth as much as what they are held to.
#[test]
fn damage_costs_routes_and_every_option_is_met() {
    // From the last one, while the tests below begin with the first.
    let quarters = || (0..QUARTERS.len()).rev().map(quarter);
    let lost: usize = quarters().map(|quarter| quarter.lost).sum();
    assert!(lost > 10_000, "only {lost} pairs lost their route");
    for who in [
        "shortest-path, ties = \"random\", wormhole",
        "valiant, via = \"leaf\", intra_group = \"valiant\", wormhole",
        "dimension-order, bubble",
        "angara-table, file = \"angara-table\", bubble",
    ] {
        let is_met = quarters().any(|quarter| quarter.met.contains(who));
        assert!(is_met, "{who} is not met");
    }
    for who in ["valiant", "ugal", "ugal-g", "piggyback"] {
        let is_met = quarters().any(|quarter| quarter.phased.contains(who));
        assert!(is_met, "{who} is not met with two phases");
    }
}

/// Of the whole registry, and not for want of anybody who says the same as others.
#[test]
fn who_says_the_same_does_the_same() {
    let mut all = Relations::default();
    for quarter in (0..QUARTERS.len()).rev().map(quarter) {
        all.merge(quarter.relations.clone()).unwrap();
    }
    let several = all.0.values().filter(|said| said.algorithms.len() > 1);
    let shared: BTreeSet<&String> = several.flat_map(|said| &said.algorithms).collect();
    for who in ["par", "kapr", "ugal-g", "piggyback", "crt", "snooping"] {
        assert!(
            shared.contains(&who.to_owned()),
            "{who} is alone: {shared:?}"
        );
    }
}

fn every_algorithm_keeps_every_promise_on_every_network_it_fits(number: usize) {
    let broken = &quarter(number).broken;
    let lines = broken
        .iter()
        .flat_map(|(promise, all)| all.iter().map(move |who| format!("{promise}: {who}")));
    let lines: Vec<String> = lines.collect();
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
