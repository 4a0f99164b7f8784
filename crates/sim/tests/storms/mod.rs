//! So much traffic that whatever can stop for good does, and how the stop is looked at.
#![allow(dead_code)]

use crate::toys::{self, Classes, DimensionOrder, Senders, Toys, Uniform};
use turnwise_network::{ChannelClass, FlowControl, Network, Vc};
use turnwise_sim::{Depth, Ending, Outcome, RouterModel, WaitingChannel};

/// A router with unit delays.
pub(crate) fn model(
    virtual_channels: Vc,
    buffer_flits: u32,
    flow_control: FlowControl,
) -> RouterModel {
    RouterModel {
        virtual_channels,
        buffers: Depth::everywhere(buffer_flits),
        flow_control,
        ..RouterModel::default()
    }
}

/// Uniform traffic at full load for so many cycles.
pub(crate) fn storm(
    network: &Network,
    classes: Classes,
    model: &RouterModel,
    flits: u16,
    cycles: u64,
) -> Outcome {
    let routing = DimensionOrder {
        network,
        vcs: model.virtual_channels,
        classes,
    };
    let terminals = network.terminal_count() as u32;
    let injector = Uniform {
        terminals,
        load: 1.0,
        flits,
        seed: 3,
    };
    let phases = toys::window(cycles - cycles / 4, cycles / 4);
    Toys {
        network,
        routing: &routing,
        injector: &injector,
        model,
        phases: &phases,
        seed: 4,
    }
    .run()
}

/// Everybody sends to the other side of a ring as fast as possible.
pub(crate) fn half_way_round(
    network: &Network,
    model: &RouterModel,
    flits: u16,
    cycles: u64,
) -> Outcome {
    let routing = DimensionOrder {
        network,
        vcs: model.virtual_channels,
        classes: Classes::None,
    };
    let size = network.terminal_count() as u32;
    let pairs = (0..size).map(|source| (source, (source + size / 2) % size));
    let injector = Senders {
        pairs: pairs.collect(),
        flits,
    };
    let phases = toys::window(cycles - cycles / 4, cycles / 4);
    Toys {
        network,
        routing: &routing,
        injector: &injector,
        model,
        phases: &phases,
        seed: 4,
    }
    .run()
}

/// Each channel leads to where the next one starts, all along one ring; returns the ring's routers.
pub(crate) fn assert_ring_cycle(network: &Network, cycle: &[WaitingChannel]) -> usize {
    let channel = |waiting: &WaitingChannel| network.channel(waiting.channel);
    assert!(!cycle.is_empty());
    for (index, waiting) in cycle.iter().enumerate() {
        let next = channel(&cycle[(index + 1) % cycle.len()]);
        assert_eq!(
            channel(waiting).to_router(),
            next.from_router(),
            "{cycle:?} is broken at {index}"
        );
        assert_eq!(
            channel(waiting).class,
            next.class,
            "{cycle:?} leaves its ring at {index}"
        );
        assert!(matches!(next.class, ChannelClass::Dimension { .. }));
    }
    let mut routers: Vec<_> = cycle
        .iter()
        .map(|waiting| channel(waiting).from_router())
        .collect();
    routers.sort_unstable();
    routers.dedup();
    routers.len()
}

/// The cycle that a run ended with.
pub(crate) fn deadlock(outcome: &Outcome) -> &[WaitingChannel] {
    match &outcome.ending {
        Ending::Deadlocked(cycle) => cycle,
        other => panic!(
            "expected a deadlock, not {other:?} after {} cycles",
            outcome.cycles
        ),
    }
}
