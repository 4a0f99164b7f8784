//! What packets do to each other in a router, worked out by hand for each way of building it.
#![allow(clippy::unwrap_used, reason = "tests and their helpers may")]

use crate::toys;

use crate::toys::{Classes, DimensionOrder, Listed, NextHop, Packet, Toys};
use turnwise_network::{Network, Routing};
use turnwise_sim::{Depth, Ending, RouterKind, RouterModel};

/// The latencies of some packets, in ascending order.
fn latencies(
    network: &Network,
    routing: &dyn Routing,
    model: &RouterModel,
    packets: Vec<Packet>,
) -> Vec<u64> {
    let count = packets.len();
    let outcome = Toys {
        network,
        routing,
        injector: &Listed(packets),
        model,
        phases: &toys::until_all_arrive(100),
        seed: 1,
    }
    .run();
    assert_eq!(outcome.ending, Ending::Completed);
    let latencies = &outcome.measurement.latencies;
    let rank = |rank| (f64::from(rank) + 0.5) / count as f64;
    (0..count as u32)
        .map(|index| latencies.quantile(rank(index)).unwrap())
        .collect()
}

/// Two packets of four flits come at once to inputs 0 and 1 and want the same output, which has a virtual
/// channel for each. Alone each would take 3 + 4 + 3 = 10 cycles; all eight flits take 14. Input 1
/// gets its virtual channel a cycle later.
fn two_to_one(model: RouterModel) -> Vec<u64> {
    let network = toys::single_router(3, 1);
    let model = RouterModel {
        virtual_channels: 2,
        ..model
    };
    let packet = |source| Packet {
        source,
        created: 0,
        destination: 2,
        flits: 4,
    };
    let routing = NextHop::shortest(&network, 2);
    latencies(&network, &routing, &model, vec![packet(0), packet(1)])
}

const KINDS: [RouterKind; 2] = [RouterKind::InputQueued, RouterKind::InputOutputQueued];

/// A1 B1 A2 B2 A3 B3 A4 B4: the first one is done three cycles late.
#[test]
fn packets_take_turns_at_an_output() {
    for kind in KINDS {
        let model = RouterModel {
            kind,
            ..RouterModel::default()
        };
        assert_eq!(two_to_one(model), [13, 14], "{kind:?}");
    }
}

/// A1 A2 A3 A4 B1 B2 B3 B4, also if an allocation takes three cycles: then a head is two cycles
/// later, and flits that follow it do not ask.
#[test]
fn a_packet_may_keep_its_way_through_the_crossbar() {
    for kind in KINDS {
        for delay in [1, 3] {
            let model = RouterModel {
                kind,
                hold_switch: true,
                switch_allocation_delay: delay,
                ..RouterModel::default()
            };
            let late = u64::from(delay - 1);
            assert_eq!(two_to_one(model), [10 + late, 14 + late], "{kind:?}");
        }
    }
}

/// Who keeps its way loses it for want of flits or credits: two packets of eight flits share a
/// channel of which each fills less than half, because its buffers hold two flits.
#[test]
fn a_packet_without_flits_keeps_nothing() {
    let network = toys::mesh(&[2], 2, 1, 1);
    let routing = DimensionOrder {
        network: &network,
        vcs: 2,
        classes: Classes::None,
    };
    let packet = |source| Packet {
        source,
        created: 0,
        destination: source + 2,
        flits: 8,
    };
    let run = |hold_switch| {
        let model = RouterModel {
            virtual_channels: 2,
            buffers: Depth::everywhere(2),
            hold_switch,
            ..RouterModel::default()
        };
        let one = latencies(&network, &routing, &model, vec![packet(0)]);
        let both = latencies(&network, &routing, &model, vec![packet(0), packet(1)]);
        (one[0], both)
    };
    let (alone, both) = run(true);
    // Neither stands in the other's way for longer than a pair of flits takes, twice.
    assert!(
        both[0] >= alone && both[1] <= alone + 4,
        "{alone}: {both:?}"
    );
    assert_eq!(run(false).0, alone);
}

/// All flits cross as they come, B a cycle behind A, and wait behind the crossbar in the order
/// A1 A2 B1 A3 B2 A4 B3 B4.
#[test]
fn two_crossbar_outputs_move_the_queue_behind_the_crossbar() {
    let model = RouterModel {
        output_speedup: 2,
        ..RouterModel::default()
    };
    assert_eq!(two_to_one(model), [12, 14]);
    // With a queue for each virtual channel they take turns at the channel instead.
    let model = RouterModel {
        kind: RouterKind::InputOutputQueued,
        output_speedup: 2,
        ..RouterModel::default()
    };
    assert_eq!(two_to_one(model), [13, 14]);
}

/// A packet of one flit has taken the only credit of virtual channel 0 behind a channel of 20 cycles.
/// A second one, from another input, comes ten cycles later; alone it would take 31 cycles.
///
/// Input-queued, it takes virtual channel 0, which is its first choice and free, and wins the switch
/// when the credit is back, `1 + 4 + 2 * 20 + 2 = 47` cycles after the first one did: 37 cycles late.
/// If a channel without a credit is kept from it, it takes the other one at once. Input/output-queued,
/// it waits in the output queue, which is not full, and leaves 36 cycles late.
#[test]
fn a_virtual_channel_without_credits_may_be_kept_from_heads() {
    let network = toys::mesh(&[2], 2, 20, 1);
    let routing = DimensionOrder {
        network: &network,
        vcs: 2,
        classes: Classes::None,
    };
    let packet = |source, created| Packet {
        source,
        created,
        destination: source + 2,
        flits: 1,
    };
    for (kind, busy_when_full, late) in [
        (RouterKind::InputQueued, false, 37),
        (RouterKind::InputQueued, true, 0),
        (RouterKind::InputOutputQueued, false, 36),
        (RouterKind::InputOutputQueued, true, 36),
    ] {
        let model = RouterModel {
            kind,
            virtual_channels: 2,
            buffers: Depth::everywhere(1),
            busy_when_full,
            ..RouterModel::default()
        };
        let packets = vec![packet(0, 0), packet(1, 10)];
        let measured = latencies(&network, &routing, &model, packets);
        assert_eq!(measured, [31, 31 + late], "{kind:?}, {busy_when_full}");
    }
}

#[test]
fn what_is_out_of_range_is_refused() {
    let wrong = |model: RouterModel| model.check().unwrap_err().0;
    let usual = RouterModel::default;
    let model = RouterModel {
        input_speedup: 0,
        ..usual()
    };
    assert_eq!(wrong(model), "input_speedup");
    let model = RouterModel {
        output_speedup: 33,
        ..usual()
    };
    assert_eq!(wrong(model), "output_speedup");
    for flits in [0, 65_536] {
        let model = RouterModel {
            kind: RouterKind::InputOutputQueued,
            output_buffer_flits: Some(flits),
            ..usual()
        };
        assert_eq!(wrong(model), "output_buffer_flits");
    }
}
