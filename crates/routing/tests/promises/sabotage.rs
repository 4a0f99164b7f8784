//! Who breaks a promise is caught by being registered, and by the test of that very promise.

use crate::promises::broken;
use crate::scratch::*;
use turnwise_config::registry::Registered;
use turnwise_routing::AlgorithmEntry;

/// A registry of one breaks this promise and no other, and it is said how.
#[track_caller]
fn assert_caught(entry: AlgorithmEntry, promise: &str, words: &str) {
    let name = entry.entry().name;
    let broken = broken(&[entry]);
    let promises: Vec<&str> = broken.keys().copied().collect();
    assert_eq!(promises, [promise], "{name}: {broken:#?}");
    let said = broken.values().flatten();
    assert!(
        said.clone().all(|line| line.contains(words)),
        "{name}: {broken:#?}"
    );
}

#[test]
fn the_honest_break_nothing() {
    let broken = broken(&[HONEST]);
    assert!(broken.is_empty(), "{broken:#?}");
}

#[test]
fn every_turn_allowed_is_caught_by_its_deadlock() {
    assert_caught(EVERY_TURN, "deadlock", "packets may wait in a circle for");
}

#[test]
fn ignored_faults_are_caught_by_the_dead() {
    assert_caught(IGNORES_FAULTS, "faults", "leads onto a dead port");
}

#[test]
fn refused_pairs_are_caught_by_the_routes_that_survive() {
    let words = "routed false, a route of the rule survives true";
    assert_caught(REFUSES_PAIRS, "faults", words);
}

#[test]
fn what_no_option_offers_is_caught_by_the_choices() {
    assert_caught(UNOFFERED_VC, "choices", "is none of");
    assert_caught(UNOFFERED_VC_IN_CONGESTION, "choices", "is none of");
    assert_caught(UNOFFERED_ESCAPE, "choices", "is no part of");
    assert_caught(MISTELLS_VOID, "choices", "leads nowhere, beside");
}

#[test]
fn undeclared_starts_are_caught() {
    assert_caught(SETS_OUT_OTHERWISE, "starts", "is none of");
    assert_caught(HIDES_STARTS, "starts", "of one way");
    assert_caught(REFUSES_CLASSES, "starts", "of class 1");
}

#[test]
fn other_lies_are_caught_too() {
    let words = "tables take 1 bytes, where 0 were foreseen";
    assert_caught(UNDERSTATES_MEMORY, "memory", words);
    assert_caught(MISTELLS_PHASES, "phases", " by ");
    assert_caught(MISSING_VC, "virtual channels", "of 1 at");
    assert_caught(SETTLES_OTHERWISE, "settled", "is settled at");
    assert_caught(PROMISES_ORDER, "order", "VcSet(3)");
    let words = "goes other ways than its neighbours";
    assert_caught(DISTINGUISHES_TERMINALS, "terminals", words);
    let words = "in other ways than its neighbours";
    assert_caught(TELLS_SENDERS_APART, "terminals", words);
    assert_caught(INSISTS, "asking again", "is never asked for again at");
    assert_caught(MISTELLS_QUEUES, "notices", "and its queue is");
    assert_caught(MISTELLS_RELATION, "relations", "and do not do it");
    assert_caught(DENIES_MESHES, "building", "");
    assert_caught(CLAIMS_EVERYTHING, "building", "refused");
}

/// Nothing to do is more than one broken promise: nobody arrives, and no route survives.
#[test]
fn packets_that_are_kept_are_caught_by_their_arrival() {
    let broken = broken(&[KEEPS_PACKETS]);
    let said = broken.get("arrival").into_iter().flatten();
    assert!(
        said.clone().any(|line| line.contains("nothing to do at 0")),
        "{broken:#?}"
    );
}
