//! What notices are good for: a source that knows which global channels of its group are congested.
#![allow(clippy::unwrap_used, reason = "tests and their helpers may")]

use crate::toys::{Piggyback, Toys, Uniform, latencies, window};
use turnwise_network::topologies::{Dragonfly, Topology};
use turnwise_network::{Injector, Network, PacketRequest, TerminalId};
use turnwise_sim::{Depth, Outcome, RouterModel};

/// Seventeen groups, of which every pair has one link.
fn dragonfly() -> Network {
    let dragonfly = Dragonfly {
        groups: 17,
        routers_per_group: 4,
        terminals_per_router: 2,
        global_ports_per_router: Some(4),
        channel_latency: latencies(2, 1),
        ..Dragonfly::default()
    };
    dragonfly.build(None).unwrap()
}

/// Everybody sends to the next group.
struct NextGroup(Uniform);

impl Injector for NextGroup {
    fn next(&self, from: TerminalId, number: u32, after: Option<u64>) -> Option<PacketRequest> {
        let packet = self.0.next(from, number, after)?;
        let destination = TerminalId((from.0 + 8) % 136);
        Some(PacketRequest {
            destination,
            ..packet
        })
    }

    fn longest_packet(&self) -> u16 {
        self.0.longest_packet()
    }
}

/// On so many threads, or on one with all invariants checked.
fn run(network: &Network, talks: bool, threads: Option<usize>) -> Outcome {
    let routing = Piggyback::new(network, talks, 10);
    let model = RouterModel {
        virtual_channels: Piggyback::VIRTUAL_CHANNELS,
        buffers: Depth::everywhere(32),
        ..RouterModel::default()
    };
    let injector = NextGroup(Uniform {
        terminals: 136,
        load: 0.3,
        flits: 2,
        seed: 3,
    });
    let toys = Toys {
        network,
        routing: &routing,
        injector: &injector,
        model: &model,
        phases: &window(1_000, 3_000),
        seed: 7,
    };
    match threads {
        Some(threads) => toys.run_on(threads),
        None => toys.run(),
    }
}

/// At nearly five times what the shortest ways can carry, and close to what detours can, it takes 79 cycles
/// instead of 123.
#[test]
fn who_is_told_need_not_wait_until_full_buffers_reach_back() {
    let network = dragonfly();
    let told = run(&network, true, None).measurement;
    let deaf = run(&network, false, None).measurement;
    let (told, deaf) = (told.packet_latency.mean, deaf.packet_latency.mean);
    println!("{told} {deaf}");
    assert!(told * 1.3 < deaf, "{told} and {deaf} cycles");
}

#[test]
fn groups_cut_in_two_hear_the_same() {
    let network = dragonfly();
    let alone = run(&network, true, Some(1));
    for threads in 2..=4 {
        let together = run(&network, true, Some(threads));
        assert_eq!(alone.fingerprint, together.fingerprint, "{threads} threads");
        assert_eq!(
            format!("{:?}", alone.measurement),
            format!("{:?}", together.measurement)
        );
    }
}
