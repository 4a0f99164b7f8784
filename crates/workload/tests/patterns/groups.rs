//! Patterns between groups.

use crate::{build, counts, dragonfly, megafly, send, torus, with_self, without_routers};
use turnwise_network::topologies::{Dragonfly, Topology};
use turnwise_workload::patterns::*;
use turnwise_workload::{Context, PatternParameters};

fn attack(group_mode: GroupMode, destination_mode: DestinationMode) -> GroupAttack {
    GroupAttack {
        group_mode,
        destination_mode,
    }
}

#[test]
fn attacked_groups_and_terminals() {
    let network = dragonfly();
    let to = |group_mode, destination_mode, source| {
        send(
            &*build(attack(group_mode, destination_mode), &network),
            source,
        )
    };
    assert_eq!(
        to(GroupMode::Half, DestinationMode::Peer, 6 * 8 + 3),
        Some(8 + 3)
    );
    assert_eq!(
        to(GroupMode::Half, DestinationMode::Complement, 3),
        Some(4 * 8 + 4)
    );
    assert_eq!(
        to(GroupMode::Opposite, DestinationMode::Peer, 3),
        Some(8 * 8 + 3)
    );
    assert_eq!(
        to(GroupMode::Offset(-1), DestinationMode::Peer, 3),
        Some(8 * 8 + 3)
    );
    // The middle group is its own opposite, and a peer there is oneself.
    assert_eq!(
        to(GroupMode::Opposite, DestinationMode::Peer, 4 * 8 + 3),
        None
    );
    assert_eq!(
        to(GroupMode::Opposite, DestinationMode::Complement, 4 * 8 + 3),
        Some(4 * 8 + 4)
    );
    let itself = with_self(attack(GroupMode::Opposite, DestinationMode::Peer), &network);
    assert_eq!(send(&*itself, 4 * 8 + 3), Some(4 * 8 + 3));
}

#[test]
fn thirty_three_groups_attack_half_way_round() {
    let dragonfly = Dragonfly {
        groups: 33,
        routers_per_group: 8,
        terminals_per_router: 4,
        ..Dragonfly::default()
    };
    let network = dragonfly.build(None).unwrap();
    let pattern = build(GroupAttack::default(), &network);
    assert_eq!(send(&*pattern, 5), Some(16 * 32 + 26));
    assert_eq!(send(&*pattern, 20 * 32), Some(3 * 32 + 31));
}

#[test]
fn random_members_of_a_group_are_equally_likely() {
    for (parameters, first) in [
        (
            Box::new(BadDragon::default()) as Box<dyn PatternParameters>,
            0,
        ),
        (
            Box::new(Adversarial {
                offset: 3,
                ..Adversarial::default()
            }),
            16,
        ),
        (
            Box::new(attack(GroupMode::Half, DestinationMode::Random)),
            24,
        ),
    ] {
        let network = dragonfly();
        let pattern = parameters.build(&network, &Context::default()).unwrap();
        // From the last group around the end.
        let counts = counts(&*pattern, &network, 8 * 8 + 2, 8000);
        for (terminal, count) in counts.into_iter().enumerate() {
            match (first..first + 8).contains(&terminal) {
                true => assert!((850..1150).contains(&count), "{terminal}: {count}"),
                false => assert_eq!(count, 0),
            }
        }
    }
}

#[test]
fn consecutive_groups_share_evenly() {
    let network = dragonfly();
    let pattern = build(AdversarialConsecutive { groups: Some(3) }, &network);
    let counts = counts(&*pattern, &network, 7 * 8, 12_000);
    let by_group: Vec<u32> = counts.chunks(8).map(|group| group.iter().sum()).collect();
    assert!(
        [8, 0, 1]
            .iter()
            .all(|&group: &usize| (3700..4300).contains(&by_group[group])),
        "{by_group:?}"
    );
    assert_eq!(by_group.iter().sum::<u32>(), 12_000);
    // By default as many as a router has global ports.
    let pattern = build(AdversarialConsecutive::default(), &network);
    let counts = crate::counts(&*pattern, &network, 0, 1000);
    assert_eq!(counts[8..24].iter().sum::<u32>(), 1000);
}

#[test]
fn local_attacks_stay_in_their_group() {
    let network = dragonfly();
    let peer = AdversarialLocal {
        offset: -1,
        destination_mode: DestinationMode::Peer,
    };
    assert_eq!(send(&*build(peer, &network), 8 + 1), Some(8 + 7));
    let pattern = build(AdversarialLocal::default(), &network);
    let counts = counts(&*pattern, &network, 8 + 7, 2000);
    assert_eq!(counts[8] + counts[9], 2000);
    assert!((900..1100).contains(&counts[8]));
    // Leaves of a megafly come before its spines.
    let pattern = build(
        AdversarialLocal {
            destination_mode: DestinationMode::Peer,
            ..AdversarialLocal::default()
        },
        &megafly(),
    );
    assert_eq!(send(&*pattern, 4 + 3), Some(4 + 1));
}

#[test]
fn local_and_remote_packets_have_their_shares() {
    let network = dragonfly();
    let pattern = build(
        LocalRandomRemoteAttack {
            local_fraction: 0.25,
            offset: -2,
        },
        &network,
    );
    let counts = counts(&*pattern, &network, 3, 8000);
    let local: u32 = counts[..8].iter().sum();
    assert!((1850..2150).contains(&local), "{local}");
    assert_eq!(counts[3], 0);
    assert_eq!(local + counts[7 * 8..8 * 8].iter().sum::<u32>(), 8000);
    let wrong = LocalRandomRemoteAttack {
        local_fraction: 1.5,
        offset: 1,
    };
    assert_eq!(
        wrong
            .build(&network, &Context::default())
            .err()
            .unwrap()
            .place,
        "local_fraction"
    );
}

#[test]
fn groups_are_needed_and_offsets_must_lead_somewhere() {
    let plain = Context::default();
    let field = |parameters: &dyn PatternParameters, network| {
        parameters.build(network, &plain).err().unwrap().place
    };
    let (flat, grouped) = (torus(&[4, 4]), dragonfly());
    for parameters in [
        &BadDragon::default() as &dyn PatternParameters,
        &Adversarial::default(),
        &AdversarialLocal::default(),
        &AdversarialConsecutive::default(),
        &GroupAttack::default(),
        &LocalRandomRemoteAttack::default(),
    ] {
        assert_eq!(field(parameters, &flat), "pattern");
        assert!(parameters.build(&megafly(), &plain).is_ok());
    }
    assert_eq!(
        field(
            &Adversarial {
                offset: 9,
                ..Adversarial::default()
            },
            &grouped
        ),
        "offset"
    );
    assert_eq!(
        field(
            &AdversarialLocal {
                offset: 4,
                ..AdversarialLocal::default()
            },
            &grouped
        ),
        "offset"
    );
    assert_eq!(
        field(
            &attack(GroupMode::Offset(0), DestinationMode::Peer),
            &grouped
        ),
        "group_mode"
    );
    assert_eq!(
        field(&AdversarialConsecutive { groups: Some(9) }, &grouped),
        "groups"
    );
}

#[test]
fn dead_groups_are_spared() {
    // Group 1 loses its first router, group 2 all of them.
    let network = without_routers(&dragonfly(), &[4, 8, 9, 10, 11]);
    let pattern = build(BadDragon::default(), &network);
    let attacked = counts(&*pattern, &network, 0, 3000);
    assert_eq!(attacked[8] + attacked[9], 0);
    assert_eq!(attacked[10..16].iter().sum::<u32>(), 3000);
    assert_eq!(send(&*pattern, 8 + 5), None, "nobody lives in group 2");
    assert_eq!(send(&*pattern, 8), None, "dead terminals send nothing");
    let peer = build(
        attack(GroupMode::Offset(1), DestinationMode::Peer),
        &network,
    );
    assert_eq!(send(&*peer, 1), None);
    assert_eq!(send(&*peer, 3), Some(8 + 3));
    let consecutive = build(AdversarialConsecutive { groups: Some(2) }, &network);
    let all = counts(&*consecutive, &network, 8 + 5, 500);
    assert_eq!(all[24..32].iter().sum::<u32>(), 500);
    // What a dead group does not get is shared by all others.
    let consecutive = build(AdversarialConsecutive { groups: Some(4) }, &network);
    let all = counts(&*consecutive, &network, 8 + 5, 12_000);
    let by_group: Vec<u32> = all.chunks(8).map(|group| group.iter().sum()).collect();
    assert_eq!(by_group[2], 0);
    let shares = &by_group[3..6];
    assert!(
        shares.iter().all(|share| (3700..4300).contains(share)),
        "{by_group:?}"
    );
}
