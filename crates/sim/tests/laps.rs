//! Packets that come round to a virtual channel in which their own tail still is.
//!
//! Nothing keeps such a routing from deadlock, and a study may well be about that. A packet that is granted the same virtual channel once
//! more, because its tail has crossed to it, stands behind itself in that buffer.

use crate::storms::model;
use crate::toys::{self, Listed, Packet, Toys};
use proptest::prelude::*;
use turnwise_network::{
    ChannelClass, FlowControl, Header, Hop, Network, RouterId, Routing, Start, TerminalId, Vc,
    VcSet,
};
use turnwise_sim::{Ending, Outcome, RouterKind, RouterModel, Stages};

/// So many channels clockwise round a ring, which may be several times round.
struct Laps<'a> {
    network: &'a Network,
    channels: u32,
}

impl Routing for Laps<'_> {
    fn virtual_channels(&self) -> Vc {
        1
    }

    fn start(&self, _: TerminalId, destination: TerminalId) -> Option<Start> {
        let header = Header {
            step: self.channels,
            ..Header::to(destination)
        };
        let vcs = VcSet::one(0);
        Some(Start { header, vcs })
    }

    fn options(&self, at: RouterId, header: Header, options: &mut Vec<Hop>) {
        let clockwise = ChannelClass::Dimension {
            dimension: 0,
            positive: true,
        };
        let port = match header.step {
            0 => self.network.terminal_port(header.destination),
            _ => {
                let mut near = self.network.neighbours(at);
                let next = near.find(|n| self.network.channel(n.channel).class == clockwise);
                next.unwrap().port
            }
        };
        options.push(Hop {
            port,
            vcs: VcSet::one(0),
            header: Header {
                step: header.step.saturating_sub(1),
                ..header
            },
        });
    }
}

/// Packets of these sources, cycles and lengths on a ring.
fn lap(size: u32, channels: u32, model: &RouterModel, packets: &[(u32, u64, u16)]) -> [Outcome; 3] {
    let network = toys::torus(&[size], 1);
    let routing = Laps {
        network: &network,
        channels,
    };
    let packet = |&(source, created, flits): &(u32, u64, u16)| Packet {
        source,
        created,
        destination: (source + channels) % size,
        flits,
    };
    let injector = Listed(packets.iter().map(packet).collect());
    let toys = Toys {
        network: &network,
        routing: &routing,
        injector: &injector,
        model,
        phases: &toys::until_all_arrive(5_000),
        seed: 1,
    };
    [toys.run(), toys.run_on(2), toys.run_on(3)]
}

fn models(buffer: u32) -> Vec<RouterModel> {
    let plain = |rule| model(1, buffer, rule);
    let wormhole = plain(FlowControl::Wormhole);
    vec![
        wormhole.clone(),
        plain(FlowControl::VirtualCutThrough),
        RouterModel {
            kind: RouterKind::InputOutputQueued,
            output_buffer_flits: Some(4),
            ..wormhole.clone()
        },
        RouterModel {
            stages: Stages::Registers,
            ..wormhole.clone()
        },
        RouterModel {
            routing_delay: 2,
            ..wormhole
        },
    ]
}

#[test]
fn a_packet_stands_behind_its_own_tail() {
    for model in models(24) {
        // Three buffers hold the packet and more, so its tail comes to the first channel before its head comes round.
        for (size, channels) in [(3, 4), (3, 7), (4, 9)] {
            let outcomes = lap(size, channels, &model, &[(0, 3, 20)]);
            for outcome in &outcomes {
                assert_eq!(outcome.ending, Ending::Completed, "{model:?}");
                assert_eq!(outcome.measurement.packets, 1);
                assert_eq!(outcome.measurement.mean_hops, f64::from(channels));
                assert_eq!(outcome.fingerprint, outcomes[0].fingerprint, "{model:?}");
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 80, failure_persistence: None, ..ProptestConfig::default() })]

    /// Whatever stands between, they arrive, or wait for each other; flits are conserved, and threads agree.
    #[test]
    fn others_may_stand_between(
        size in 3u32..6,
        channels in 1u32..12,
        buffer in 2u32..30,
        packets in prop::collection::vec((0u32..3, 0u64..60, 1u16..40), 1..5),
    ) {
        for model in models(buffer) {
            let longest = packets.iter().map(|packet| u32::from(packet.2)).max().unwrap();
            let is_whole = model.flow_control == FlowControl::VirtualCutThrough;
            if is_whole && longest > buffer {
                continue;
            }
            let outcomes = lap(size, channels, &model, &packets);
            for outcome in &outcomes {
                let completed = outcome.ending == Ending::Completed;
                prop_assert!(completed || matches!(outcome.ending, Ending::Deadlocked(_)), "{:?}", outcome.ending);
                prop_assert!(!completed || outcome.measurement.packets == packets.len() as u64);
                prop_assert_eq!(outcome.fingerprint, outcomes[0].fingerprint);
            }
        }
    }
}
