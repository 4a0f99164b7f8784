//! Whatever the configuration: nothing is lost or made, and every run ends in a way it may end.
//!
//! 500 configurations each; with `TURNWISE_SOAK_CONFIGURATIONS=10000` so many, and others
//! with another `PROPTEST_RNG_SEED`. `make soak` sets both.
#![allow(clippy::unwrap_used, reason = "tests and their helpers may")]

use crate::configurations::{Configuration, configuration, difference};
use crate::toys::{Listed, Packet, Witness};
use proptest::prelude::*;
use proptest::test_runner::{Config, RngSeed};
use turnwise_network::random::{Purpose, Random};
use turnwise_network::{FlowControl, Injector, Network, TerminalId};
use turnwise_sim::{Ending, Measurement, Outcome, Phases};

/// A few packets of different lengths from everywhere to everywhere, in a burst.
fn burst(terminals: u32, longest: u16, seed: u64) -> Listed {
    let mut rng = Random::new(seed, Purpose::Other, 1, 0);
    let mut packets: Vec<Packet> = (0..12 * terminals)
        .map(|_| Packet {
            source: rng.below(terminals),
            created: 40 + u64::from(rng.below(100)),
            destination: rng.below(terminals),
            flits: 1 + rng.below(longest.into()) as u16,
        })
        .collect();
    packets.sort_by_key(|packet| packet.created);
    // No terminal creates two packets at once.
    packets.dedup_by_key(|packet| (packet.source, packet.created));
    let mut last = vec![0; terminals as usize];
    for packet in &mut packets {
        let last = &mut last[packet.source as usize];
        packet.created = packet.created.max(*last + 1);
        *last = packet.created;
    }
    Listed(packets)
}

/// May a run that did not complete end like this?
///
/// At its limit only under an overload in which every terminal still gets packets through. Three times
/// the cycles (more on slow channels) are simulated to see that, because a terminal far from where all packets go has a small share.
fn may_end(configuration: &Configuration, network: &Network, outcome: &Outcome) -> bool {
    match &outcome.ending {
        Ending::Deadlocked(cycle) => configuration.is_cyclic(network) && !cycle.is_empty(),
        Ending::LimitReached => {
            let injector = configuration.injector(network);
            let created = |terminal| created_before(&injector, terminal, outcome.cycles);
            let all: u64 = network.terminals().map(created).sum();
            let overloaded = outcome.packets < all - all / 20;
            overloaded && (may_starve(configuration) || starved(configuration, network).is_empty())
        }
        _ => false,
    }
}

/// Does flow control itself let a packet wait for ever? One that needs a bubble, if others leave no room
/// for it; a long one under virtual cut-through, if short ones take the room that it waits for.
fn may_starve(configuration: &Configuration) -> bool {
    match configuration.model.flow_control {
        FlowControl::Wormhole | FlowControl::Pause => false,
        FlowControl::VirtualCutThrough => configuration.traffic.varied,
        FlowControl::Bubble => true,
    }
}

/// Terminals that have packets to send and get none through between the limit and three times as many cycles, or
/// more on slow channels.
fn starved(configuration: &Configuration, network: &Network) -> Vec<u32> {
    let arrived = |limit| {
        let phases = Phases {
            limit,
            ..configuration.phases
        };
        let configuration = Configuration {
            phases,
            ..configuration.clone()
        };
        let witness = Witness::new(network, configuration.routing(network));
        let injector = configuration.injector(network);
        let outcome = configuration.run(network, &witness, &injector, true);
        (outcome.ending, witness.arrived_from())
    };
    let limit = configuration.phases.limit;
    let (_, before) = arrived(limit);
    let slowest = configuration.place.intervals.each().into_iter().max();
    let (ending, after) = arrived(3 * limit * u64::from(slowest.copied().unwrap_or(1)));
    // A longer run may have got everything through after all.
    if ending != Ending::LimitReached {
        return Vec::new();
    }
    let injector = configuration.injector(network);
    let senders = network
        .terminals()
        .filter(|&terminal| injector.next(terminal, 0, None).is_some());
    let stuck = senders.filter(|terminal| after.get(&terminal.0) == before.get(&terminal.0));
    stuck.map(|terminal| terminal.0).collect()
}

fn created_before(injector: &dyn Injector, terminal: TerminalId, cycle: u64) -> u64 {
    let (mut count, mut after) = (0, None);
    while let Some(packet) = injector.next(terminal, count, after)
        && packet.created < cycle
    {
        (count, after) = (count + 1, Some(packet.created));
    }
    count.into()
}

/// The injected load of a whole window, from the injector alone.
fn injected(phases: &Phases, network: &Network, injector: &dyn Injector) -> f64 {
    let window = phases.warmup..phases.warmup + phases.measure;
    let mut flits = 0;
    for terminal in network.living_terminals() {
        let (mut number, mut after) = (0, None);
        while let Some(packet) = injector.next(terminal, number, after)
            && packet.created < window.end
        {
            if window.contains(&packet.created) {
                flits += u64::from(packet.flits);
            }
            (number, after) = (number + 1, Some(packet.created));
        }
    }
    flits as f64 / (network.living_terminals().count() as f64 * phases.measure as f64)
}

/// Do terminals, intervals and means tell of the same flits?
fn sums_agree(measured: &Measurement, terminals: usize) -> bool {
    let sum = |part: fn(&turnwise_sim::TerminalFlits) -> u64| -> u64 {
        measured.terminals.iter().map(part).sum()
    };
    let (injected, accepted) = (sum(|flits| flits.injected), sum(|flits| flits.accepted));
    let close = |load: f64| (load * (terminals as u64 * measured.window) as f64).round() as u64;
    let course: u64 = measured
        .series
        .intervals()
        .iter()
        .map(|interval| interval.injected_flits)
        .sum();
    injected == close(measured.injected_load)
        && accepted == sum(|flits| flits.received)
        && course >= injected
        && measured
            .fairness()
            .is_none_or(|fairness| (0.0..=1.0 + 1e-9).contains(&fairness))
}

fn config() -> Config {
    let set = |name: &str| std::env::var(name).ok()?.parse().ok();
    let seed = set("PROPTEST_RNG_SEED").unwrap_or(5);
    let cases = set("TURNWISE_SOAK_CONFIGURATIONS").unwrap_or(500);
    Config {
        cases: cases as u32,
        rng_seed: RngSeed::Fixed(seed),
        failure_persistence: None,
        ..Config::default()
    }
}

proptest! {
    #![proptest_config(config())]

    /// Random traffic: the engine's own audit holds, the run ends as it may, and once more the same way,
    /// whether anybody checks or not.
    #[test]
    fn open_loop_runs_end_as_they_may(configuration in configuration()) {
        let network = configuration.network();
        let routing = configuration.routing(&network);
        let injector = configuration.injector(&network);
        let outcome = configuration.run(&network, &*routing, &injector, true);
        let measured = &outcome.measurement;
        if outcome.ending == Ending::Completed {
            prop_assert!(!configuration.phases.drain || measured.undelivered == 0);
            prop_assert_eq!(measured.packets, measured.latencies.count());
            // What comes out in the window was made before: at most a flit a cycle.
            prop_assert!(measured.accepted_load.mean <= 1.0);
            prop_assert_eq!(measured.injected_load, injected(&configuration.phases, &network, &injector));
        } else {
            let may = may_end(&configuration, &network, &outcome);
            prop_assert!(may, "{:?} after {} cycles", outcome.ending, outcome.cycles);
        }
        for ((_, channel), &busy) in network.channels().zip(&measured.utilisation) {
            // A flit that sets out at the end of the window counts whole.
            let over = f64::from(channel.interval - 1) / measured.window.max(1) as f64;
            prop_assert!(busy <= 1.0 + over + 1e-9, "a channel takes a flit an interval: {busy}, {channel:?}");
        }
        prop_assert!(sums_agree(measured, network.living_terminals().count()));
        let again = configuration.run(&network, &*routing, &injector, false);
        prop_assert_eq!(difference(&outcome, &again), None);
    }

    /// A finite burst: everything sent arrives, unless a cycle catches it.
    #[test]
    fn bursts_arrive_whole(configuration in configuration()) {
        let network = configuration.network();
        let flits = configuration.traffic.flits;
        let mut list = burst(network.terminal_count() as u32, flits, configuration.seed);
        // The bubble rule is proved for packets of one length.
        if configuration.model.flow_control == FlowControl::Bubble {
            list.0.iter_mut().for_each(|packet| packet.flits = flits);
        }
        let phases = Phases { warmup: 0, drain: true, limit: 100_000, ..configuration.phases };
        let configuration = Configuration { phases, ..configuration };
        let witness = Witness::new(&network, configuration.routing(&network));
        let outcome = configuration.run(&network, &witness, &list, true);
        let (sent, flits): (u64, u64) =
            list.0.iter().fold((0, 0), |(sent, flits), packet| (sent + 1, flits + u64::from(packet.flits)));
        match &outcome.ending {
            Ending::Completed => {
                prop_assert_eq!(outcome.packets, sent);
                prop_assert!(outcome.flit_hops >= flits);
                prop_assert_eq!(witness.count() as u64, sent);
            }
            Ending::Deadlocked(_) => prop_assert!(configuration.is_cyclic(&network)),
            other => prop_assert!(false, "{other:?} after {} cycles", outcome.cycles),
        }
        if configuration.place.keeps_order(configuration.model.virtual_channels) {
            prop_assert_eq!(witness.disorder(), None);
        }
    }
}
