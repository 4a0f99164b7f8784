//! Patterns that draw a destination for every packet.

use crate::{build, counts, send, torus, with_self, without_routers};
use turnwise_workload::patterns::*;
use turnwise_workload::{Context, PatternParameters};

#[test]
fn uniform_traffic_is_uniform_among_the_others() {
    let network = torus(&[4, 4]);
    let others = counts(&*build(Uniform::default(), &network), &network, 5, 15_000);
    assert_eq!(others[5], 0);
    assert!(
        others
            .iter()
            .enumerate()
            .all(|(to, count)| to == 5 || (850..1150).contains(count)),
        "{others:?}"
    );
    let all = counts(
        &*with_self(Uniform::default(), &network),
        &network,
        5,
        16_000,
    );
    assert!(
        all.iter().all(|count| (850..1150).contains(count)),
        "{all:?}"
    );
}

#[test]
fn uniform_traffic_spares_the_dead() {
    let network = without_routers(&torus(&[4, 4]), &[0, 6]);
    let pattern = build(Uniform::default(), &network);
    let others = counts(&*pattern, &network, 5, 13_000);
    let dead = [0, 5, 6];
    assert!(
        others
            .iter()
            .enumerate()
            .all(|(to, count)| match dead.contains(&to) {
                true => *count == 0,
                false => (850..1150).contains(count),
            })
    );
    assert_eq!(send(&*pattern, 6), None);
}

#[test]
fn hot_terminals_get_their_share_and_the_rest_is_uniform() {
    let network = torus(&[4, 4]);
    let hotspot = Hotspot {
        terminals: vec![3, 9],
        weights: Some(vec![3, 1]),
        fraction: 0.4,
    };
    let all = counts(&*build(hotspot.clone(), &network), &network, 5, 20_000);
    // 0.4 * 3/4 and 0.4 * 1/4 of the packets, and a fifteenth of the rest.
    assert!((6550..7050).contains(&all[3]), "{all:?}");
    assert!((2600..3000).contains(&all[9]), "{all:?}");
    assert!((700..900).contains(&all[0]), "{all:?}");
    let own = counts(&*build(hotspot, &network), &network, 3, 20_000);
    assert_eq!(own[3], 0);
    assert_eq!(own.iter().sum::<u32>(), 20_000);
    let field = |terminals: &[u32], weights: Option<&[u32]>, fraction| {
        let hotspot = Hotspot {
            terminals: terminals.to_vec(),
            weights: weights.map(<[u32]>::to_vec),
            fraction,
        };
        hotspot
            .build(&network, &Context::default())
            .err()
            .unwrap()
            .place
    };
    assert_eq!(field(&[1, 16], None, 0.1), "terminals[1]");
    assert_eq!(field(&[], None, 0.1), "terminals");
    assert_eq!(field(&[1], Some(&[1, 2]), 0.1), "weights");
    assert_eq!(field(&[1, 2], Some(&[u32::MAX, 1]), 0.1), "weights");
    assert_eq!(field(&[1], None, f64::NAN), "fraction");
}

#[test]
fn halves_exchange() {
    let network = torus(&[5, 3]);
    let pattern = build(RandomExchange::default(), &network);
    let from_below = counts(&*pattern, &network, 6, 8000);
    assert!(
        from_below[7..]
            .iter()
            .all(|count| (850..1150).contains(count)),
        "{from_below:?}"
    );
    let from_above = counts(&*pattern, &network, 7, 7000);
    assert!(
        from_above[..7]
            .iter()
            .all(|count| (850..1150).contains(count)),
        "{from_above:?}"
    );
    assert_eq!(from_above[7..].iter().sum::<u32>(), 0);
}

#[test]
fn stencils_talk_to_neighbours_wherever_they_run() {
    let network = without_routers(&torus(&[4, 5]), &[2, 3]);
    let sizes = Some(vec![3, 3]);
    let linear = Stencil {
        sizes: sizes.clone(),
        ..Stencil::default()
    };
    let pattern = build(linear, &network);
    // Processes 0, 1, 2, .. run on terminals 0, 1, 4, ..; the neighbours of 0 are 1, 2, 3 and 6.
    let all = counts(&*pattern, &network, 0, 4000);
    let reached: Vec<usize> = (0..20).filter(|&to| all[to] > 900).collect();
    assert_eq!(reached, [1, 4, 5, 8]);
    assert_eq!(send(&*pattern, 19), None, "only nine processes run");
    let random = Stencil {
        sizes,
        mapping: Mapping::Random,
        periodic: false,
        ..Stencil::default()
    };
    let pattern = build(random, &network);
    let senders = (0..20)
        .filter(|&source| send(&*pattern, source).is_some())
        .count();
    assert_eq!(senders, 9);
    let field = |stencil: Stencil| {
        stencil
            .build(&network, &Context::default())
            .err()
            .unwrap()
            .place
    };
    assert_eq!(
        field(Stencil {
            sizes: Some(vec![3, 3, 3]),
            ..Stencil::default()
        }),
        "sizes"
    );
    assert_eq!(
        field(Stencil {
            sizes: Some(vec![5, 4]),
            ..Stencil::default()
        }),
        "sizes"
    );
    assert_eq!(
        field(Stencil {
            sizes: Some(vec![5, 0]),
            ..Stencil::default()
        }),
        "sizes"
    );
}
