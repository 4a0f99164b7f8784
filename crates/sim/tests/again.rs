//! Heads that ask again: they find what is free, and nothing else changes.
#![allow(clippy::unwrap_used, reason = "tests and their helpers may")]

use crate::toys;

use crate::configurations::{difference, sample};
use crate::storms::{deadlock, model};
use crate::toys::{Adaptive, Again, Escaping, NextHop, Toys, Uniform};
use std::collections::BTreeSet;
use turnwise_network::{FlowControl, Network, Routing};
use turnwise_sim::{Ending, Outcome};

/// Who has but one way to go may ask as often as it likes. (A router at which a head asks is looked at
/// in every cycle, which is all that tells the two apart.)
#[test]
fn asking_again_for_the_only_way_is_waiting() {
    let mut waited = 0;
    for configuration in sample(60, 43) {
        let network = configuration.network();
        let vcs = configuration.model.virtual_channels;
        let injector = configuration.injector(&network);
        let run = |routing: &dyn Routing| configuration.run(&network, routing, &injector, false);
        let waiting = run(&NextHop::shortest(&network, vcs));
        let mut asking = run(&Again(NextHop::shortest(&network, vcs)));
        waited += usize::from(waiting.router_steps != asking.router_steps);
        asking.router_steps = waiting.router_steps;
        assert_eq!(difference(&waiting, &asking), None, "{configuration:?}");
    }
    assert!(waited > 10, "heads waited in only {waited}");
}

#[test]
fn one_to_four_threads_agree_and_every_choice_is_an_option() {
    let mut different = 0;
    for configuration in sample(30, 47) {
        let network = configuration.network();
        let vcs = configuration.model.virtual_channels;
        let routing = Again(Adaptive::new(&network, vcs));
        let injector = configuration.injector(&network);
        let toys = configuration.toys(&network, &routing, &injector);
        let alone = toys.run_on(1);
        for threads in 2..=4 {
            let difference = difference(&alone, &toys.run_on(threads));
            assert_eq!(difference, None, "{threads} threads, {configuration:?}");
        }
        // Nothing is remembered of routes when everything is checked.
        let checked = configuration.run(&network, &routing, &injector, true);
        assert_eq!(difference(&alone, &checked), None, "{configuration:?}");
        let waiting = Adaptive::new(&network, vcs);
        let waiting = configuration.run(&network, &waiting, &injector, false);
        different += usize::from(waiting.fingerprint != alone.fingerprint);
    }
    assert!(different > 5, "asking again changed only {different} runs");
}

/// Full load on a 4x4 mesh for so many cycles.
fn escaping(escape: bool, seed: u64, cycles: u64) -> (Outcome, Network) {
    let network = toys::mesh(&[4, 4], 1, 1, 1);
    let routing = Escaping {
        network: &network,
        vcs: 2,
        escape,
    };
    let injector = Uniform {
        terminals: 16,
        load: 1.0,
        flits: 5,
        seed,
    };
    let outcome = Toys {
        network: &network,
        routing: &routing,
        injector: &injector,
        model: &model(2, 5, FlowControl::VirtualCutThrough),
        phases: &toys::window(cycles - 1_000, 1_000),
        seed,
    }
    .run_on(1);
    (outcome, network)
}

/// The chosen ways of packets close to circles all the time. Nobody is stuck who may still take another.
#[test]
fn an_escape_keeps_packets_moving_and_no_deadlock_is_seen_where_there_is_none() {
    for seed in 0..2 {
        let (outcome, _) = escaping(true, seed, 60_000);
        assert_eq!(outcome.ending, Ending::Completed);
        assert!(outcome.measurement.accepted_load.mean > 0.3);
    }
}

/// In a deadlock of heads that ask again all they may choose is taken.
#[test]
fn without_an_escape_the_deadlock_is_found() {
    for seed in 0..4 {
        let (outcome, network) = escaping(false, seed, 1_000_000);
        let cycle = deadlock(&outcome);
        let routers: BTreeSet<_> = cycle
            .iter()
            .map(|waiting| network.channel(waiting.channel).from_router())
            .collect();
        assert!(routers.len() >= 4, "{cycle:?}");
    }
}
