//! How much a saturated switch carries, against results that somebody proved.
//!
//! Karol, Hluchyj, Morgan, "Input versus output queueing on a space-division packet switch",
//! IEEE Trans. Communications 35(12), 1987, on slotted switches with input queues. The router is
//! such a switch in two ways. With look-ahead and two allocation steps a cycle a packet of one
//! flit takes its output in the first step and the switch in the second, so a slot is a cycle.
//! With one step a cycle a head takes its output in one cycle, and its `S` flits follow in `S`
//! more, so a slot is `S + 1` cycles of which `S` carry a flit.
#![allow(clippy::unwrap_used, reason = "tests and their helpers may")]

use crate::toys;

use crate::toys::{Greedy, Length, NextHop, Toys, Uniform};
use turnwise_network::{Header, Hop, Injector, RouterId, Routing, Start, TerminalId, Vc, VcSet};
use turnwise_sim::{Allocator, Depth, Ending, RouterKind, RouterModel};

const ALLOCATORS: [Allocator; 3] = [
    Allocator::Islip,
    Allocator::SeparableInputFirst,
    Allocator::SeparableOutputFirst,
];

/// Flits per terminal and cycle that a router with so many terminals carries.
fn carried(terminals: u32, injector: &dyn Injector, model: &RouterModel, cycles: u64) -> f64 {
    let network = toys::single_router(terminals as usize, 1);
    let inner = NextHop::shortest(&network, model.virtual_channels);
    let by_destination = PerDestination(&inner);
    let routing: &dyn Routing = match model.virtual_channels {
        1 => &inner,
        _ => &by_destination,
    };
    let phases = toys::window(2_000, cycles);
    let outcome = Toys {
        network: &network,
        routing,
        injector,
        model,
        phases: &phases,
        seed: 1,
    }
    .run();
    assert_eq!(outcome.ending, Ending::Completed);
    outcome.measurement.accepted_load.mean
}

/// Look-ahead, and so many allocation steps a cycle.
fn look_ahead(speedup: u32) -> RouterModel {
    RouterModel {
        buffers: Depth::everywhere(4_096),
        routing_delay: 0,
        speedup_permille: 1000 * speedup,
        ..RouterModel::default()
    }
}

fn assert_within(share: f64, measured: f64, expected: f64, what: &str) {
    assert!(
        (measured / expected - 1.0).abs() <= share,
        "{what}: {measured}, not {expected}"
    );
}

/// Throughput of an `N` by `N` switch whose input queues are first-in-first-out and never empty.
///
/// With N = 2, 3, 4, 8 from Karol's Table I; with 16 from the stationary distribution of the
/// same Markov chain (how many packets at the fronts of the queues want each output).
/// The paper lets chance decide who is served. That does not matter: every output that anybody
/// wants serves exactly one, and who comes to the front then wants a random output, so
/// the chain is the same for any rule that looks at neither. Round robin is one.
const SATURATION: [(u32, f64); 6] = [
    (1, 1.0),
    (2, 0.75),
    (3, 0.6825),
    (4, 0.6553),
    (8, 0.6184),
    (16, 0.6016),
];

#[test]
fn head_of_line_blocking_saturates_where_karol_says() {
    for (terminals, expected) in SATURATION {
        let injector = Uniform {
            terminals,
            load: 1.0,
            flits: 1,
            seed: 8,
        };
        for allocator in ALLOCATORS {
            let model = RouterModel {
                vc_allocator: allocator,
                switch_allocator: allocator,
                ..look_ahead(2)
            };
            let measured = carried(terminals, &injector, &model, 60_000);
            assert_within(
                0.005,
                measured,
                expected,
                &format!("{terminals} terminals, {allocator:?}"),
            );
        }
    }
}

/// Queues behind a crossbar that passes a packet a slot stay empty, and heads of line block as before.
/// If it passes two, queues at the inputs no longer grow: nothing is lost.
#[test]
fn output_queues_need_a_crossbar_that_fills_them() {
    for (terminals, blocked) in SATURATION {
        let injector = Uniform {
            terminals,
            load: 1.0,
            flits: 1,
            seed: 8,
        };
        for (speedup, expected) in [(2, blocked), (4, 1.0)] {
            let model = RouterModel {
                kind: RouterKind::InputOutputQueued,
                output_buffer_flits: Some(256),
                ..look_ahead(speedup)
            };
            let measured = carried(terminals, &injector, &model, 60_000);
            assert_within(
                0.01,
                measured,
                expected,
                &format!("{terminals} terminals, {speedup} steps a cycle"),
            );
        }
    }
}

/// The same without speedup: everybody starts in the first cycle, all packets are equally long, so
/// slots stay in step for ever, and cost one cycle more than they carry flits.
#[test]
fn a_slot_without_speedup_is_a_packet_and_a_cycle() {
    for (terminals, expected) in SATURATION {
        for flits in [1, 4, 7] {
            let injector = Greedy {
                terminals,
                length: Length::Fixed(flits),
                seed: 8,
            };
            let slot = u64::from(flits) + 1;
            let measured = carried(terminals, &injector, &look_ahead(1), 20_000 * slot);
            let expected = expected * f64::from(flits) / slot as f64;
            assert_within(
                0.01,
                measured,
                expected,
                &format!("{terminals} terminals, {flits} flits"),
            );
        }
    }
}

/// Packets whose remaining length is always a surprise, out of step: `N` packets that wander
/// between `N` servers, a closed network of queues with product form. A server is busy with
/// probability `N / (2 N - 1)`; one half as N grows. (Gordon and Newell, "Closed queuing systems
/// with exponential servers", Operations Research 15(2), 1967.)
#[test]
fn packets_of_random_length_are_a_closed_network_of_queues() {
    const MEAN: f64 = 200.0;
    for terminals in [2, 4, 8] {
        let injector = Greedy {
            terminals,
            length: Length::Geometric(MEAN),
            seed: 3,
        };
        let measured = carried(terminals, &injector, &look_ahead(1), 700_000);
        let n = f64::from(terminals);
        let expected = n / (2.0 * n - 1.0) * MEAN / (MEAN + 1.0);
        assert_within(0.015, measured, expected, &format!("{terminals} terminals"));
    }
}

/// Virtual output queues: at the injection channel, a virtual channel for each destination.
struct PerDestination<'a>(&'a NextHop<'a>);

impl Routing for PerDestination<'_> {
    fn virtual_channels(&self) -> Vc {
        self.0.virtual_channels()
    }

    fn start(&self, source: TerminalId, destination: TerminalId) -> Option<Start> {
        let start = self.0.start(source, destination)?;
        let vcs = VcSet::one(destination.0 as Vc);
        Some(Start { vcs, ..start })
    }

    fn options(&self, at: RouterId, header: Header, options: &mut Vec<Hop>) {
        self.0.options(at, header, options);
    }
}

/// iSLIP with one iteration carries everything if each input has a queue for each output and
/// traffic is uniform. (McKeown, "The iSLIP scheduling algorithm for input-queued switches",
/// IEEE/ACM Trans. Networking 7(2), 1999.) At a load of one queues grow without end, and the last
/// percent comes only with them.
#[test]
fn a_queue_for_each_output_lifts_the_limit() {
    for terminals in [2, 4, 8] {
        let injector = Uniform {
            terminals,
            load: 1.0,
            flits: 1,
            seed: 8,
        };
        let model = RouterModel {
            virtual_channels: terminals as Vc,
            ..look_ahead(1)
        };
        let measured = carried(terminals, &injector, &model, 100_000);
        assert_within(0.01, measured, 1.0, &format!("{terminals} terminals"));
    }
}
