//! Phantom congestion: three routers that are all linked to each other by long channels, and two packets from the first to the
//! second, one behind the other. Nothing ever waits, and yet the first one looks like a queue to the second.
#![allow(clippy::unwrap_used, reason = "tests and their helpers may")]

use crate::stack::plan;
use turnwise_network::{Injector, PacketRequest, RouterId, TerminalId};
use turnwise_sim::{Demand, Setup, Simulation};
use turnwise_study::workshop::Experiment;

/// Flits of a packet, and latency of the channels between routers.
const FLITS: u16 = 4;
const LATENCY: u32 = 50;

/// A dragonfly of three groups, of one router with one terminal each.
fn experiment(routing: &str, router: &str) -> Experiment {
    let text = format!(
        "[network]\nkind = 'dragonfly'\ngroups = 3\nrouters_per_group = 1\nterminals_per_router = 1\n\
         channel_latency = {{ global = {LATENCY}, local = 1, terminal = 1 }}\n\
         [routing]\n{routing}\n[router]\n{router}\n\
         [traffic]\npattern = 'uniform'\nload = 0.1\npacket_flits = {FLITS}\n\
         [simulation]\nwarmup_cycles = 0\nmeasure_cycles = 2048\n"
    );
    let plan = plan(&text);
    plan.experiment(&plan.point(0).unwrap(), None).unwrap()
}

/// Two packets from terminal 0 to terminal 1, the second so many cycles after the first.
struct Two {
    apart: u64,
}

impl Injector for Two {
    fn next(&self, from: TerminalId, number: u32, _: Option<u64>) -> Option<PacketRequest> {
        (from.0 == 0 && number < 2).then(|| PacketRequest {
            created: u64::from(number) * self.apart,
            destination: TerminalId(1),
            flits: FLITS,
        })
    }

    fn longest_packet(&self) -> u16 {
        FLITS
    }
}

/// Does the second packet go by the third router? What hops and channels say of it must agree.
fn diverts(experiment: &Experiment, apart: u64) -> bool {
    let hops = experiment.routed.minimal.between();
    let setup = Setup {
        demand: Demand::Open(&Two { apart }),
        minimal: hops.as_ref().map(|hops| hops as _),
        check: true,
        ..experiment.setup()
    };
    let network = &experiment.routed.network;
    let measured = Simulation::new(setup).run().unwrap().measurement;
    assert_eq!((measured.packets, measured.undelivered), (2, 0));
    let flits = |from: u32, to: u32| {
        let mut ports = 0..network.radix(RouterId(from)) as u16;
        let port =
            ports.find(|&port| network.next_router(RouterId(from), port) == Some(RouterId(to)));
        let channel = network.out_channel(RouterId(from), port.unwrap()).unwrap();
        (measured.utilisation[channel.index()] * measured.window as f64).round() as u16
    };
    let diverted = measured.nonminimal_share == Some(0.5);
    let (hops, direct, around) = match diverted {
        true => (1.5, FLITS, FLITS),
        false => (1.0, 2 * FLITS, 0),
    };
    assert_eq!(measured.mean_hops, hops);
    assert_eq!(
        [flits(0, 1), flits(0, 2), flits(2, 1)],
        [direct, around, around]
    );
    diverted
}

/// All that may count as congestion, in flits: a packet diverts if the other one's are more than twice the bias.
fn weighted(bias: f64, more: &str) -> String {
    format!("kind = 'weighted-adaptive'\nnormalised = false\noffset = 0.0\nbias = {bias}\n{more}")
}

const ROUTERS: &[&str] = &[
    "buffer_flits = 128",
    "buffer_flits = 128\ninternal_speedup = 2",
    "kind = 'input-output-queued'\nbuffer_flits = 128",
    "preset = 'supersim-iq'\nbuffer_flits = 128",
    "preset = 'supersim-ioq'\nbuffer_flits = 128",
];

const COMPENSATED: &str = "phantom = { value_coefficient = 1.0, length_coefficient = 2.0 }";

/// The first packet has left by then, and its first credit is far from back.
const SOON: u64 = 20;

#[test]
fn flits_on_their_way_divert_others_unless_they_are_compensated() {
    for router in ROUTERS {
        let at = |bias: f64, more: &str, apart: u64| {
            diverts(&experiment(&weighted(bias, more), router), apart)
        };
        let half = f64::from(FLITS) / 2.0;
        assert!(at(0.0, "", 0), "back to back: {router}");
        assert!(at(half - 0.01, "", SOON), "{router}");
        assert!(!at(half, "", SOON), "a detour must be better: {router}");
        for apart in [0, SOON] {
            assert!(!at(0.0, COMPENSATED, apart), "{router}");
        }
    }
}

/// A packet diverts as soon as the flits before it are known: a cycle later for every cycle that the sensor is later.
#[test]
fn late_sensors_see_them_late() {
    for router in ROUTERS {
        let first = |latency: u32| {
            let routing = weighted(0.0, &format!("sensor_latency = {latency}"));
            let diverts = |&apart: &u64| diverts(&experiment(&routing, router), apart);
            (0..SOON).find(diverts)
        };
        // Back to back they are as far apart as the first is long.
        assert_eq!(first(1), Some(0), "{router}");
        let [eight, twelve] = [8, 12].map(|latency| first(latency).unwrap());
        assert_eq!(twelve, eight + 4, "{router}");
        assert!((8..=9).contains(&eight), "{router}: {eight}");
    }
}

/// The same as a share of what a virtual channel holds, as SuperSim counts: 4 of 19 flits are more than twice 0.1, and 4 of 20 are not.
#[test]
fn or_as_a_share() {
    let at = |depth: u32, more: &str| {
        let routing = format!("kind = 'weighted-adaptive'\noffset = 0.0\n{more}");
        diverts(
            &experiment(&routing, &format!("buffer_flits = {depth}")),
            SOON,
        )
    };
    assert!(at(19, "") && !at(20, ""));
    assert!(!at(19, COMPENSATED) && !at(4, COMPENSATED));
    // Of four flits, one and a half and two remain.
    let part = |value: f64| {
        format!("phantom = {{ value_coefficient = {value}, length_coefficient = 2.0 }}")
    };
    assert!(at(9, &part(0.5)) && !at(10, &part(0.5)));
}

/// Others decide by the same queues: UGAL with no threshold, by the queue of the first channel alone.
#[test]
fn whoever_compares_queues_can_compensate() {
    for kind in ["ugal", "par", "piggyback", "ugal-g"] {
        let at = |threshold: i32, more: &str| {
            let routing = format!("kind = '{kind}'\nthreshold_flits = {threshold}\n{more}");
            diverts(&experiment(&routing, "buffer_flits = 128"), SOON)
        };
        let flits = i32::from(FLITS);
        let compensated = format!("{COMPENSATED}\n");
        for whole in ["", "whole_queues = true"] {
            assert!(at(flits - 1, whole) && !at(flits, whole), "{kind} {whole}");
            // Also where a flit that leaves has been counted before, as waiting.
            assert!(!at(0, &(compensated.clone() + whole)), "{kind} {whole}");
        }
    }
    let informed = |bias: u16, more: &str| {
        let routing = format!("kind = 'informed'\nbias_flits = {bias}\n{more}");
        diverts(&experiment(&routing, "buffer_flits = 128"), SOON)
    };
    // Twice the bias, which is drawn from half of that to one and a half.
    assert!(informed((FLITS - 1) / 3, "") && !informed(FLITS, ""));
    assert!(!informed(0, COMPENSATED));
}

/// A flit counts as waiting from the cycle on in which it has been under way for longer than was said, until its credit is back.
#[test]
fn a_flit_waits_that_is_under_way_for_too_long() {
    for router in ROUTERS {
        let which = |more: &str| -> Vec<u64> {
            let experiment = experiment(&weighted(0.0, more), router);
            (0..150)
                .filter(|&apart| diverts(&experiment, apart))
                .collect()
        };
        let window = |latencies: f64| {
            which(&format!(
                "phantom = {{ value_coefficient = 1.0, length_coefficient = {latencies} }}"
            ))
        };
        let (always, one, two) = (which(""), window(1.0), window(2.0));
        for seen in [&always, &one, &two] {
            let (first, last) = (seen[0], seen[seen.len() - 1]);
            assert_eq!(seen.len() as u64, last - first + 1, "{router}: {seen:?}");
            assert_eq!(last, always[always.len() - 1], "{router}");
        }
        assert_eq!(always[0], 0, "{router}");
        assert_eq!(two[0] - one[0], u64::from(LATENCY), "{router}");
        // What is left of a round trip: the pipeline, and the flits of the packet.
        assert!((1..16).contains(&two.len()), "{router}: {two:?}");
        assert!(window(2.5).is_empty(), "{router}");
    }
}

/// What a decision sees is one cycle old with SuperSim's routers, as their sensor is with a latency of 1. A head is routed in the cycle after it has
/// come; a flit counts from 3 cycles after its arrival on. Its last credit counts `2 L + 7` (`ioq`) or `2 L + 6` (`iq`) cycles after the tail came, which
/// is three cycles after the head.
#[test]
fn supersims_routers_see_what_was_a_cycle_ago() {
    for (router, after_tail) in [("supersim-ioq", 7), ("supersim-iq", 6)] {
        let preset = format!("preset = '{router}'\nbuffer_flits = 128");
        let experiment = experiment(&weighted(0.0, ""), &preset);
        let first = 2 * u64::from(LATENCY) + after_tail + u64::from(FLITS) - 1 - 1;
        assert!(diverts(&experiment, first - 1), "{router}");
        assert!(!diverts(&experiment, first), "{router}");
    }
}
