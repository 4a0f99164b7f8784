//! Who breaks a promise is caught by being registered, and by the test of that very promise.

use crate::registered::broken;
use crate::scratch::*;
use turnwise_config::registry::Registered;
use turnwise_routing::AlgorithmEntry;

/// The promises that a registry of one breaks.
fn broken_by(entry: AlgorithmEntry) -> Vec<&'static str> {
    let name = entry.entry().name;
    let broken = broken(&[entry]);
    for (promise, all) in &broken {
        println!(
            "{name} breaks {promise} {} times, first {}",
            all.len(),
            all[0]
        );
    }
    broken.into_keys().collect()
}

#[test]
fn the_honest_break_nothing() {
    assert_eq!(broken_by(HONEST), Vec::<&str>::new());
}

#[test]
fn every_turn_allowed_is_caught_by_its_deadlock() {
    assert_eq!(broken_by(EVERY_TURN), ["deadlock"]);
}

#[test]
fn ignored_faults_are_caught_by_the_dead() {
    assert_eq!(broken_by(IGNORES_FAULTS), ["faults"]);
}

#[test]
fn refused_pairs_are_caught_by_the_routes_that_survive() {
    assert_eq!(broken_by(REFUSES_PAIRS), ["faults"]);
}

#[test]
fn a_virtual_channel_that_no_option_offers_is_caught_by_the_choices() {
    assert_eq!(broken_by(UNOFFERED_VC), ["choices"]);
    assert_eq!(broken_by(UNOFFERED_VC_IN_CONGESTION), ["choices"]);
}

#[test]
fn other_lies_are_caught_too() {
    assert_eq!(broken_by(MISSING_VC), ["virtual channels"]);
    assert_eq!(broken_by(SETTLES_OTHERWISE), ["settled"]);
    assert_eq!(broken_by(PROMISES_ORDER), ["order"]);
    assert_eq!(broken_by(DISTINGUISHES_TERMINALS), ["terminals"]);
    assert!(broken_by(KEEPS_PACKETS).contains(&"arrival"));
    assert_eq!(broken_by(DENIES_MESHES), ["building"]);
    assert_eq!(broken_by(CLAIMS_EVERYTHING), ["building"]);
}
