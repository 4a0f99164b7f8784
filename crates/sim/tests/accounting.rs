//! What a run says of itself when it ends: what was offered, what is missing, how long it took.
#![allow(clippy::unwrap_used, reason = "tests and their helpers may")]

use crate::toys;

use crate::toys::{Listed, NextHop, Packet, Toys};
use turnwise_network::Network;
use turnwise_sim::{Ending, Outcome, Phases, RouterModel};

fn run(network: &Network, packets: Vec<Packet>, phases: &Phases) -> Outcome {
    let routing = NextHop::shortest(network, 1);
    Toys {
        network,
        routing: &routing,
        injector: &Listed(packets),
        model: &RouterModel::default(),
        phases,
        seed: 1,
    }
    .run()
}

fn packet(created: u64, flits: u16) -> Packet {
    Packet {
        source: 0,
        created,
        destination: 1,
        flits,
    }
}

/// An overloaded source has asked for few of its packets when the run ends; all of them were offered.
#[test]
fn packets_that_wait_at_their_source_were_offered() {
    let network = toys::single_router(2, 1);
    let packets = || (0..400).map(|created| packet(created, 4)).collect();
    let outcome = run(&network, packets(), &toys::window(100, 200));
    let measured = &outcome.measurement;
    assert_eq!(outcome.ending, Ending::Completed);
    assert_eq!(measured.injected_load, 4.0 / 2.0);
    assert_eq!(measured.packets + measured.undelivered, 200);
    // Given up in the middle of the window: what had been created by then.
    let early = Phases {
        limit: 150,
        ..toys::window(100, 200)
    };
    let outcome = run(&network, packets(), &early);
    let measured = &outcome.measurement;
    assert_eq!(
        (outcome.ending, measured.window),
        (Ending::LimitReached, 50)
    );
    assert_eq!(measured.injected_load, 4.0 / 2.0);
    assert_eq!(measured.packets + measured.undelivered, 50);
}

/// A packet that would have been created after the end was neither offered nor lost.
#[test]
fn packets_of_the_future_were_not_offered() {
    let network = toys::single_router(2, 1);
    let phases = Phases {
        limit: 60,
        ..toys::window(0, 200)
    };
    let outcome = run(&network, vec![packet(5, 1), packet(90, 1)], &phases);
    assert_eq!(outcome.measurement.undelivered, 0);
    assert_eq!(outcome.measurement.injected_load, 1.0 / (2.0 * 60.0));
}

/// A drained run ends with the last arrival, however far away the next packet is.
#[test]
fn a_drained_run_ends_with_its_last_arrival() {
    let network = toys::single_router(2, 1);
    let outcome = run(
        &network,
        vec![packet(20, 3), packet(5_000, 1)],
        &toys::until_all_arrive(21),
    );
    let latency = outcome.measurement.latencies.max().unwrap();
    assert_eq!(outcome.ending, Ending::Completed);
    assert_eq!(outcome.cycles, 20 + latency);
}
