//! Patterns that send every packet of a terminal to the same place.

use crate::{build, dragonfly, hypercube, send, torus, with_self, without_routers};
use std::collections::BTreeSet;
use turnwise_network::Network;
use turnwise_workload::patterns::*;
use turnwise_workload::{Context, Pattern, PatternParameters};

/// The table of six-bit examples.
#[test]
fn one_of_sixty_four() {
    let network = hypercube(6);
    let to = |pattern: Box<dyn Pattern>| send(&*pattern, 0b00_0001).unwrap();
    assert_eq!(to(build(BitReverse::default(), &network)), 0b10_0000);
    assert_eq!(to(build(Transpose::default(), &network)), 0b00_1000);
    assert_eq!(to(build(Shuffle::default(), &network)), 0b00_0010);
    assert_eq!(to(build(Butterfly::default(), &network)), 0b10_0000);
    assert_eq!(to(build(BitComplement::default(), &network)), 0b11_1110);
}

#[test]
fn more_bits() {
    let network = hypercube(6);
    assert_eq!(
        send(&*build(BitReverse::default(), &network), 0b00_1011),
        Some(0b11_0100)
    );
    assert_eq!(
        send(&*build(Transpose::default(), &network), 0b10_1011),
        Some(0b01_1101)
    );
    assert_eq!(
        send(&*build(Shuffle::default(), &network), 0b10_1010),
        Some(0b01_0101)
    );
    assert_eq!(
        send(&*build(Butterfly::default(), &network), 0b10_1010),
        Some(0b00_1011)
    );
}

fn permutations() -> Vec<(&'static str, Box<dyn PatternParameters>)> {
    vec![
        ("bit-complement", Box::new(BitComplement::default())),
        ("bit-reverse", Box::new(BitReverse::default())),
        ("transpose", Box::new(Transpose::default())),
        ("matrix-transpose", Box::new(MatrixTranspose::default())),
        ("shuffle", Box::new(Shuffle::default())),
        ("butterfly", Box::new(Butterfly::default())),
        ("tornado", Box::new(Tornado::default())),
        (
            "neighbor",
            Box::new(Neighbor {
                dimensions: Some(vec![1]),
            }),
        ),
        (
            "shift",
            Box::new(Shift {
                offset: Some(-3),
                ..Shift::default()
            }),
        ),
        ("random-permutation", Box::new(RandomPermutation::default())),
        ("random-involution", Box::new(RandomInvolution::default())),
    ]
}

#[test]
fn permutations_reach_everybody_once_and_nobody_sends_to_himself() {
    for sizes in [&[4, 4][..], &[8, 8], &[4, 4, 4], &[1]] {
        let network = torus(sizes);
        let everybody: BTreeSet<u32> = (0..network.terminal_count() as u32).collect();
        for (name, parameters) in permutations() {
            if name == "neighbor" && sizes.len() < 2 {
                continue;
            }
            let pattern = parameters
                .build(
                    &network,
                    &Context {
                        send_to_self: true,
                        seed: 3,
                        ..Context::default()
                    },
                )
                .unwrap();
            let reached: BTreeSet<u32> = everybody
                .iter()
                .filter_map(|&source| send(&*pattern, source))
                .collect();
            assert_eq!(reached, everybody, "{name} on {}", network.description());
            let pattern = parameters
                .build(
                    &network,
                    &Context {
                        send_to_self: false,
                        seed: 3,
                        ..Context::default()
                    },
                )
                .unwrap();
            assert!(
                everybody
                    .iter()
                    .all(|&source| send(&*pattern, source) != Some(source)),
                "{name}"
            );
        }
    }
}

#[test]
fn drawn_permutations_have_no_fixed_points_and_follow_the_seed() {
    let network = torus(&[5, 3]);
    let draw = |seed, send_to_self| {
        let context = Context {
            seed,
            send_to_self,
            file: None,
        };
        let pattern = RandomPermutation::default()
            .build(&network, &context)
            .unwrap();
        (0..15)
            .map(|source| send(&*pattern, source))
            .collect::<Vec<_>>()
    };
    assert!((0..50).all(|seed| draw(seed, false).iter().all(Option::is_some)));
    assert_eq!(draw(1, false), draw(1, false));
    assert_ne!(draw(1, false), draw(2, false));
    let fixed = |permutation: Vec<Option<u32>>| {
        permutation
            .iter()
            .zip(0..)
            .any(|(&to, from)| to == Some(from))
    };
    assert!(
        (0..50).any(|seed| fixed(draw(seed, true))),
        "fixed points are allowed here"
    );
}

#[test]
fn pairs_exchange_and_an_odd_one_is_left_over() {
    let network = torus(&[5, 3]);
    let pattern = build(RandomInvolution::default(), &network);
    let idle = (0..15).filter(|&source| match send(&*pattern, source) {
        Some(partner) => {
            assert_eq!(send(&*pattern, partner), Some(source));
            false
        }
        None => true,
    });
    assert_eq!(idle.count(), 1);
}

#[test]
fn coordinates_move_as_they_should() {
    let network = torus(&[8, 5]);
    let at = |x: u32, y: u32| x * 5 + y;
    assert_eq!(
        send(&*build(Tornado::default(), &network), at(6, 1)),
        Some(at(1, 3))
    );
    assert_eq!(
        send(
            &*build(
                Tornado {
                    dimensions: Some(vec![0])
                },
                &network
            ),
            at(6, 1)
        ),
        Some(at(1, 1))
    );
    assert_eq!(
        send(&*build(Neighbor::default(), &network), at(7, 4)),
        Some(at(0, 0))
    );
    let square = torus(&[4, 4]);
    assert_eq!(
        send(&*build(MatrixTranspose::default(), &square), 4 + 3),
        Some(12 + 1)
    );
    assert_eq!(send(&*build(MatrixTranspose::default(), &square), 5), None);
    assert_eq!(
        send(&*with_self(MatrixTranspose::default(), &square), 5),
        Some(5)
    );
}

#[test]
fn shifts_go_by_terminal_or_by_group_and_router() {
    let network = dragonfly();
    assert_eq!(
        send(
            &*build(
                Shift {
                    offset: Some(-1),
                    ..Shift::default()
                },
                &network
            ),
            0
        ),
        Some(71)
    );
    let grouped = Shift {
        group_offset: Some(1),
        router_offset: Some(-1),
        ..Shift::default()
    };
    // Group 8, router 0, port 1 goes to group 0, router 3, port 1.
    assert_eq!(send(&*build(grouped, &network), 8 * 8 + 1), Some(3 * 2 + 1));
}

fn error(parameters: impl PatternParameters, network: &Network) -> (String, String) {
    let error = parameters
        .build(network, &Context::default())
        .err()
        .expect("should be refused");
    (error.place, error.message)
}

/// A study of nothing passes for one in which all is well.
#[test]
fn shifts_that_move_nobody_are_refused() {
    let network = dragonfly();
    let by_number = |offset| Shift {
        offset: Some(offset),
        ..Shift::default()
    };
    for offset in [0, 72, -144] {
        let (field, message) = error(by_number(offset), &network);
        assert_eq!(field, "offset");
        assert!(
            message.ends_with("leaves packets where they are"),
            "{message}"
        );
    }
    let grouped = |group_offset, router_offset| Shift {
        offset: None,
        group_offset,
        router_offset,
    };
    for (group, router, place) in [
        (Some(0), None, "group_offset"),
        (Some(9), Some(0), "group_offset"),
        (None, Some(4), "router_offset"),
    ] {
        let (field, message) = error(grouped(group, router), &network);
        assert_eq!(field, place);
        assert!(
            message.ends_with("leave packets where they are"),
            "{message}"
        );
    }
}

#[test]
fn impossible_networks_are_refused() {
    let (field, message) = error(BitComplement::default(), &dragonfly());
    assert_eq!(field, "pattern");
    assert_eq!(
        message,
        "`bit-complement` needs a power of two of terminals; this network has 72"
    );
    assert!(
        error(Transpose::default(), &hypercube(5))
            .1
            .contains("32 terminals have 5")
    );
    assert!(
        error(Transpose::default(), &dragonfly())
            .1
            .contains("power of two")
    );
    assert!(
        error(Tornado::default(), &dragonfly())
            .1
            .contains("routers with coordinates")
    );
    assert!(
        error(MatrixTranspose::default(), &torus(&[8, 4]))
            .1
            .contains("the same backwards")
    );
    assert_eq!(
        error(
            Neighbor {
                dimensions: Some(vec![0, 2])
            },
            &torus(&[8, 4])
        )
        .0,
        "dimensions[1]"
    );
    let both = Shift {
        offset: Some(1),
        group_offset: Some(1),
        router_offset: None,
    };
    assert_eq!(error(both, &dragonfly()).0, "offset");
    let grouped = Shift {
        group_offset: Some(1),
        ..Shift::default()
    };
    assert_eq!(error(grouped, &torus(&[4, 4])).0, "pattern");
}

#[test]
fn the_dead_neither_send_nor_receive() {
    let network = without_routers(&hypercube(4), &[0, 5]);
    for (name, parameters) in permutations() {
        if ["tornado", "neighbor", "matrix-transpose"].contains(&name) {
            continue;
        }
        let pattern = parameters
            .build(
                &network,
                &Context {
                    send_to_self: true,
                    seed: 1,
                    ..Context::default()
                },
            )
            .unwrap();
        for source in 0..16 {
            let destination = send(&*pattern, source);
            let dead = [Some(0), Some(5)];
            assert!(!dead.contains(&destination), "{name}");
            assert!(
                destination.is_none() || !dead.contains(&Some(source)),
                "{name}"
            );
        }
    }
}
