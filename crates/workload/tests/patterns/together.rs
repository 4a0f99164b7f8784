//! Packets made together are those made one at a time, for every pattern.

use crate::written::read;
use crate::{MATRIX, dragonfly, hypercube, parameters, torus, without_routers, without_terminals};
use proptest::prelude::*;
use std::collections::BTreeSet;
use turnwise_config::registry::parse;
use turnwise_network::random::{Purpose, Random};
use turnwise_network::{Injector, Network, PacketRequest, TerminalId};
use turnwise_workload::{Context, OpenLoop, Pattern, REGISTRY};

/// Healthy and damaged ones, so that every pattern fits some.
fn networks() -> Vec<Network> {
    vec![
        torus(&[4, 4]),
        dragonfly(),
        without_routers(&dragonfly(), &[0, 5, 17]),
        without_routers(&hypercube(6), &[1, 2, 60]),
        without_terminals(&hypercube(6), &[1, 2, 60]),
    ]
}

/// Every pattern on every network that it fits, with a name for messages.
fn patterns(context: &Context) -> Vec<(String, Box<dyn Pattern>, u32)> {
    let mut patterns = Vec::new();
    for entry in REGISTRY {
        // As written without parameters, and with those of the example.
        for example in ["", entry.example] {
            let Some(parameters) = parameters(entry, example) else {
                continue;
            };
            for network in networks() {
                if let Ok(pattern) = parameters.build(&network, context) {
                    let name = format!("{} on {}", entry.name, network.description());
                    patterns.push((name, pattern, network.terminal_count() as u32));
                }
            }
        }
    }
    patterns
}

#[test]
fn a_choice_is_all_that_a_destination_depends_on() {
    let (mut all, mut simple) = (0, 0);
    let mut names = BTreeSet::new();
    for send_to_self in [false, true] {
        for (name, pattern, terminals) in patterns(&Context {
            seed: 3,
            send_to_self,
            file: Some(MATRIX),
        }) {
            all += terminals;
            for source in (0..terminals).map(TerminalId) {
                // What some do with random numbers is more than that.
                let Some(choice) = pattern.choice(source) else {
                    continue;
                };
                simple += 1;
                names.extend(name.split(' ').next().map(str::to_owned));
                for packet in 0..20 {
                    let mut rng = Random::new(1, Purpose::Injection, source.0, packet);
                    let mut others = rng.clone();
                    let destination = pattern.destination(source, &mut rng);
                    assert_eq!(choice.draw(&mut others), destination, "{name}: {source}");
                    if destination.is_some() {
                        assert_eq!(rng.next_u32(), others.next_u32(), "{name}: {source}");
                    }
                }
            }
        }
    }
    assert!(names.contains("uniform"), "{names:?}");
    assert!(
        4 * simple > 3 * all,
        "only {simple} of {all} terminals say what their packets are drawn from, so that most are made one at a time"
    );
}

/// What `next_few` means.
fn one_at_a_time(
    source: &OpenLoop,
    terminal: TerminalId,
    sequence: u32,
    mut after: Option<u64>,
    most: usize,
) -> Vec<PacketRequest> {
    let mut packets = Vec::new();
    while packets.len() < most {
        let number = sequence.wrapping_add(packets.len() as u32);
        let Some(packet) = source.next(terminal, number, after) else {
            break;
        };
        after = Some(packet.created);
        packets.push(packet);
    }
    packets
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn packets_made_together_are_those_made_one_at_a_time(
        seed: u64,
        send_to_self: bool,
        // From none and far too few for any simulation to one every cycle.
        load in prop::sample::select(vec![0.0, 1e-14, 1e-9, 1e-4, 0.01, 0.4, 0.93, 1.0, 3.0]),
        sequence in prop_oneof![0..20u32, u32::MAX - 12..=u32::MAX],
        // From before the first cycle to the last that there is.
        after in prop_oneof![
            Just(None),
            (0..1000u64).prop_map(Some),
            (u64::MAX / 2 - 30..u64::MAX / 2 + 9).prop_map(Some),
            (u64::MAX - 30..=u64::MAX).prop_map(Some),
        ],
        most in 0..35usize,
    ) {
        for (name, pattern, terminals) in patterns(&Context { seed, send_to_self, file: Some(MATRIX) }) {
            let source = OpenLoop::new(pattern, load, 1, seed).unwrap();
            for terminal in (0..terminals).step_by(5).map(TerminalId) {
                let mut few = vec![PacketRequest::default(); most];
                let made = source.next_few(terminal, sequence, after, &mut few);
                let alone = one_at_a_time(&source, terminal, sequence, after, most);
                prop_assert_eq!(&few[..made], &alone[..], "{}: {}", &name, terminal);
            }
        }
    }
}

/// Packets of the first version: results of the same version are comparable for ever.
#[test]
fn packets_are_the_committed_ones() {
    let torus = torus(&[8, 8]);
    let golden = |name: &str, load: f64| {
        let written = format!("pattern = \"{name}\"");
        let parameters = parse(REGISTRY, &read(&written), "pattern", &mut Vec::new()).unwrap();
        let pattern = parameters.build(&torus, &Context::default()).unwrap();
        let source = OpenLoop::new(pattern, load, 1, 42).unwrap();
        let mut few = [PacketRequest::default(); 8];
        source.next_few(TerminalId(5), 0, None, &mut few);
        few.map(|packet| (packet.created, packet.destination.0))
    };
    assert_eq!(
        golden("uniform", 0.4),
        [
            (4, 22),
            (11, 1),
            (12, 30),
            (15, 63),
            (16, 43),
            (19, 12),
            (21, 25),
            (24, 50)
        ]
    );
    assert_eq!(
        golden("hotspot", 0.004),
        [
            (332, 57),
            (702, 0),
            (966, 7),
            (1011, 44),
            (1223, 21),
            (1248, 49),
            (1444, 29),
            (2157, 48)
        ]
    );
    assert_eq!(
        golden("tornado", 1.0),
        [
            (0, 24),
            (1, 24),
            (2, 24),
            (3, 24),
            (4, 24),
            (5, 24),
            (6, 24),
            (7, 24)
        ]
    );
}
