//! Random routers.

use proptest::prelude::*;
use turnwise_network::{FlowControl, PerClass};
use turnwise_sim::{Allocator, Depth, RouterKind, RouterModel, Stages};

/// Any router; buffers may still be too small for a packet, or made for another length.
pub(super) fn model() -> impl Strategy<Value = RouterModel> {
    let registers = prop_oneof![2 => Just(false), 1 => Just(true)];
    let tailored = (any::<bool>(), any::<bool>(), any::<bool>());
    let whole = prop_oneof![1 => Just((false, false, false)), 1 => any::<(bool, bool, bool)>()];
    let further = (0u32..=3, registers, tailored, whole);
    (booksim(), further).prop_map(|(model, further)| {
        let (injection_delay, registers, tailored, whole) = further;
        // Not drawn, so that the other draws stay as they are.
        let (vc_source_queues, permille) =
            (injection_delay % 2 == 1, 500 + 1_000 * injection_delay);
        let depth = |depth, is_tailored| match is_tailored {
            true => Depth::Tailored { permille },
            false => depth,
        };
        let (lock_outputs, vc_crossbar_outputs, whole_packets) = whole;
        let model = RouterModel {
            injection_delay,
            buffers: PerClass {
                terminal: depth(model.buffers.terminal, tailored.0),
                local: depth(model.buffers.local, tailored.1 && tailored.0),
                global: depth(model.buffers.global, tailored.2),
            },
            lock_outputs,
            vc_crossbar_outputs,
            whole_packets,
            vc_source_queues,
            ..model
        };
        if registers {
            with_registers(model)
        } else {
            model
        }
    })
}

/// Registers are for stages of one cycle, and not for everything.
fn with_registers(model: RouterModel) -> RouterModel {
    RouterModel {
        stages: Stages::Registers,
        routing_delay: 1,
        vc_allocation_delay: 1,
        switch_allocation_delay: 1,
        speedup_permille: 1000,
        wait_for_tail_credit: false,
        hold_switch: false,
        ..model
    }
}

/// Any router of BookSim2's kind, or with output queues. These draws stay as they are: fingerprints depend on them.
pub(super) fn booksim() -> impl Strategy<Value = RouterModel> {
    let unit = Just((1, 1, 1, 1, 2));
    let any_stages = (0u32..=3, 1u32..=3, 1u32..=3, 0u32..=2, 0u32..=3);
    let allocator = prop_oneof![
        Just(Allocator::Islip),
        Just(Allocator::SeparableInputFirst),
        Just(Allocator::SeparableOutputFirst)
    ];
    let allocation = (
        (allocator.clone(), allocator),
        1u32..=3,
        prop_oneof![3 => Just(1000u32), 1 => Just(1500), 1 => Just(2000), 1 => 1000u32..=4000],
        prop_oneof![2 => Just(None), 1 => (1u32..=8).prop_map(Some)],
    );
    // What the engine is compiled for separately.
    let plain = Just(((Allocator::Islip, Allocator::Islip), 1, 1000, None));
    let kind = prop_oneof![
        Just(RouterKind::InputQueued),
        Just(RouterKind::InputOutputQueued)
    ];
    let crossbar = (1u32..=3, 1u32..=3, any::<bool>(), any::<bool>());
    // The usual router, one of the other kind, one with a crossbar of its own, and all at once.
    let extras = prop_oneof![
        2 => Just((RouterKind::InputQueued, (1, 1, false, false))),
        1 => kind.clone().prop_map(|kind| (kind, (1, 1, false, false))),
        1 => crossbar.clone().prop_map(|crossbar| (RouterKind::InputQueued, crossbar)),
        1 => (kind, crossbar),
    ];
    let control = prop_oneof![
        2 => Just(FlowControl::Wormhole),
        1 => Just(FlowControl::VirtualCutThrough),
        1 => Just(FlowControl::Bubble),
    ];
    let flits = prop_oneof![4 => 1u32..=8, 1 => 9u32..=40];
    let round_trip = Just(Depth::RoundTrip { packet: 1 });
    let depth = prop_oneof![3 => flits.clone().prop_map(Depth::Flits), 1 => round_trip];
    let unequal =
        (depth.clone(), depth.clone(), depth).prop_map(|(terminal, local, global)| PerClass {
            terminal,
            local,
            global,
        });
    let buffers = prop_oneof![2 => flits.prop_map(Depth::everywhere), 1 => unequal];
    let stages = prop_oneof![1 => unit, 2 => any_stages];
    let allocation = prop_oneof![1 => plain, 2 => allocation];
    let vcs = prop_oneof![8 => 1u8..=4, 1 => 5u8..=20];
    let parts = (vcs, buffers, control, stages, allocation, extras);
    let batched = prop_oneof![Just(Stages::Pipelined), Just(Stages::Batched)];
    (parts, any::<bool>(), batched).prop_map(|(parts, wait, batched)| {
        let (virtual_channels, buffers, flow_control, stages, allocation, extras) = parts;
        let (kind, (input_speedup, output_speedup, busy_when_full, hold_switch)) = extras;
        RouterModel {
            kind,
            virtual_channels,
            buffers,
            flow_control,
            routing_delay: stages.0,
            vc_allocation_delay: stages.1,
            switch_allocation_delay: stages.2,
            switch_traversal_delay: stages.3,
            stages: batched,
            credit_delay: stages.4,
            vc_allocator: allocation.0.0,
            switch_allocator: allocation.0.1,
            allocation_iterations: allocation.1,
            speedup_permille: allocation.2,
            input_speedup,
            output_speedup,
            output_buffer_flits: allocation.3,
            // A ring has bubbles, not whole buffers, to spare.
            wait_for_tail_credit: wait && flow_control != FlowControl::Bubble,
            busy_when_full,
            hold_switch,
            ..RouterModel::default()
        }
    })
}
