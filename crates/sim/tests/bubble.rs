//! Bubble flow control keeps rings moving, and nothing less does.
//!
//! Puente, Beivide, Gregorio, Prellezo, Duato, Izu, "Adaptive bubble router: a design to improve
//! performance in torus networks", ICPP 1999: a ring of one virtual channel never stops if a
//! packet enters it only where two packets fit. Where one is enough it fills up.
#![allow(clippy::unwrap_used, reason = "tests and their helpers may")]

use crate::toys;

use crate::storms::{assert_ring_cycle, deadlock, half_way_round, model, storm};
use crate::toys::{Classes, DimensionOrder, Listed, Packet, Toys};
use turnwise_network::{FlowControl, Injector, PacketRequest, TerminalId};
use turnwise_sim::{Ending, RouterKind, RouterModel};

/// Cycles of the bubble's trial by storm: 10^5, or what `TURNWISE_SOAK_CYCLES` says.
fn soak_cycles() -> u64 {
    std::env::var("TURNWISE_SOAK_CYCLES")
        .ok()
        .and_then(|cycles| cycles.parse().ok())
        .unwrap_or(100_000)
}

/// Rings and tori, and packets: what the bubble rule must keep moving, and nothing else does.
/// All have one virtual channel and buffers of two packets.
const CUT_THROUGH_STORMS: &[(&[u32], u16)] = &[
    (&[7], 1),
    (&[7], 4),
    (&[4, 4], 4),
    (&[5, 4], 1),
    (&[3, 4, 3], 1),
];

/// A ring of eight, everybody sends to the opposite router as fast as possible, buffers of two
/// packets: a million cycles with room for two packets asked for, and a few with room for one.
#[test]
fn a_million_cycles_with_bubbles_and_not_ten_thousand_without() {
    let network = toys::torus(&[8], 1);
    let flits = 4;
    let with = |rule| model(1, 2 * u32::from(flits), rule);
    let bubbles = half_way_round(&network, &with(FlowControl::Bubble), flits, 1_000_000);
    assert_eq!(bubbles.ending, Ending::Completed);
    assert_eq!(bubbles.cycles, 1_000_000);
    // The window is the last quarter.
    let accepted = bubbles.measurement.accepted_load.mean;
    assert!(accepted > 0.1, "{accepted}");
    let rule = FlowControl::VirtualCutThrough;
    let none = half_way_round(&network, &with(rule), flits, 1_000_000);
    assert_eq!(assert_ring_cycle(&network, deadlock(&none)), 8);
    assert!(none.cycles < 10_000, "{}", none.cycles);
}

/// A full 10^6 cycles with `TURNWISE_SOAK_CYCLES=1000000`.
#[test]
fn bubbles_keep_rings_moving() {
    for &(sizes, flits) in CUT_THROUGH_STORMS {
        let network = toys::torus(sizes, 1);
        let model = model(1, 2 * u32::from(flits), FlowControl::Bubble);
        let cycles = soak_cycles() / network.router_count() as u64 * 7;
        let mut outcomes = vec![storm(&network, Classes::None, &model, flits, cycles)];
        if sizes.len() == 1 {
            outcomes.push(half_way_round(&network, &model, flits, cycles));
        }
        for outcome in outcomes {
            assert_eq!(outcome.ending, Ending::Completed);
            // The window is the last part of the run: it moved to the end.
            let accepted = outcome.measurement.accepted_load.mean;
            assert!(accepted > 0.05, "{sizes:?} with {flits} flits: {accepted}");
        }
    }
}

/// Each of several virtual channels has a ring of its own: who changes to another enters it.
#[test]
fn rings_of_several_virtual_channels_keep_moving() {
    for &(sizes, flits) in CUT_THROUGH_STORMS {
        let network = toys::torus(sizes, 1);
        let cycles = soak_cycles() / network.router_count() as u64;
        let with = |rule| model(2, 2 * u32::from(flits), rule);
        let bubbles = with(FlowControl::Bubble);
        let outcome = storm(&network, Classes::None, &bubbles, flits, cycles);
        assert_eq!(outcome.ending, Ending::Completed);
        assert!(outcome.measurement.accepted_load.mean > 0.05);
        let cut_through = with(FlowControl::VirtualCutThrough);
        deadlock(&storm(
            &network,
            Classes::None,
            &cut_through,
            flits,
            100_000,
        ));
    }
}

/// What a queue behind the crossbar holds is promised a place behind the channel, so it takes no bubble away.
#[test]
fn output_queues_swallow_no_bubbles() {
    for &(sizes, flits) in CUT_THROUGH_STORMS {
        let network = toys::torus(sizes, 1);
        for queue in [1, 8] {
            let with = |rule| RouterModel {
                kind: RouterKind::InputOutputQueued,
                output_buffer_flits: Some(queue),
                speedup_permille: 2000,
                ..model(1, 2 * u32::from(flits), rule)
            };
            let cycles = soak_cycles() / network.router_count() as u64;
            let model = with(FlowControl::Bubble);
            let outcome = storm(&network, Classes::None, &model, flits, cycles);
            assert_eq!(outcome.ending, Ending::Completed);
            assert!(outcome.measurement.accepted_load.mean > 0.05);
            let model = with(FlowControl::VirtualCutThrough);
            let outcome = storm(&network, Classes::None, &model, flits, 100_000);
            assert_ring_cycle(&network, deadlock(&outcome));
        }
    }
}

#[test]
fn without_the_rule_they_deadlock() {
    for &(sizes, flits) in CUT_THROUGH_STORMS {
        let network = toys::torus(sizes, 1);
        let model = model(1, 2 * u32::from(flits), FlowControl::VirtualCutThrough);
        let outcome = storm(&network, Classes::None, &model, flits, 100_000);
        assert_ring_cycle(&network, deadlock(&outcome));
    }
}

/// Atomic virtual channels hold one packet each however deep they are: the free space that
/// the rule leaves is of no use to a ring.
#[test]
fn bubbles_and_atomic_virtual_channels_do_not_go_together() {
    let model = RouterModel {
        wait_for_tail_credit: true,
        ..model(1, 8, FlowControl::Bubble)
    };
    assert_eq!(model.check().unwrap_err().0, "wait_for_tail_credit");
}

/// The rule leaves room for the longest packet that was declared; a longer one would take more.
#[test]
fn a_packet_longer_than_declared_is_a_violation() {
    struct Understated(Listed);
    impl Injector for Understated {
        fn next(&self, from: TerminalId, number: u32, after: Option<u64>) -> Option<PacketRequest> {
            self.0.next(from, number, after)
        }

        fn longest_packet(&self) -> u16 {
            4
        }
    }
    let network = toys::torus(&[4], 1);
    let routing = DimensionOrder {
        network: &network,
        vcs: 1,
        classes: Classes::None,
    };
    let packet = |created, flits| Packet {
        source: 0,
        created,
        destination: 2,
        flits,
    };
    for (last, is_wrong) in [(4, false), (5, true)] {
        let injector = Understated(Listed(vec![packet(3, 4), packet(40, last)]));
        let toys = Toys {
            network: &network,
            routing: &routing,
            injector: &injector,
            model: &model(1, 16, FlowControl::Bubble),
            phases: &toys::until_all_arrive(100),
            seed: 1,
        };
        let outcome = toys.try_run(true);
        assert_eq!(outcome.is_err(), is_wrong);
        if let Err(violation) = outcome {
            assert!(
                violation.what.contains("a packet of 5 flits"),
                "{violation}"
            );
        }
    }
}
