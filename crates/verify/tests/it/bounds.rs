//! Lower bounds: the values known in closed form.

use crate::networks::{graph, graph_of_speeds, mesh, torus};
use turnwise_network::topologies::{self, ChannelLatency, Topology};
use turnwise_network::{Faults, Network};
use turnwise_verify::bounds::{cut_bound, distance_bound};
use turnwise_verify::lower_bound;

fn built(topology: &dyn Topology) -> Network {
    topology.build(None).unwrap()
}

#[test]
fn tori() {
    for sizes in [
        &[4u32][..],
        &[7],
        &[8, 8],
        &[5, 3],
        &[4, 2, 2, 2],
        &[6, 4, 3],
        &[16, 16],
        &[2, 2],
        &[9, 2],
    ] {
        let routers: u32 = sizes.iter().product();
        let dimension = |&size: &u32| match size {
            2 => routers / 2,
            _ => (routers / size * (size * size / 4)).div_ceil(2),
        };
        let expected = sizes.iter().map(dimension).max().unwrap();
        assert_eq!(
            lower_bound(&unit_torus(sizes)).ceil(),
            u64::from(expected),
            "{sizes:?}"
        );
    }
}

fn unit_torus(sizes: &[u32]) -> Network {
    torus(sizes, 1)
}

#[test]
fn meshes() {
    for sizes in [&[5u32][..], &[8, 8], &[4, 3], &[3, 3, 3], &[16, 2]] {
        let routers: u32 = sizes.iter().product();
        let expected = sizes
            .iter()
            .map(|size| routers / size * (size / 2) * size.div_ceil(2))
            .max()
            .unwrap();
        assert_eq!(
            lower_bound(&mesh(sizes)).ceil(),
            u64::from(expected),
            "{sizes:?}"
        );
    }
}

#[test]
fn hypercubes() {
    for dimensions in 1..=8 {
        let channel_latency = ChannelLatency::default();
        let cube = topologies::Hypercube {
            dimensions,
            terminals_per_router: 1,
            channel_latency,
        };
        assert_eq!(lower_bound(&built(&cube)).ceil(), 1 << (dimensions - 1));
    }
}

#[test]
fn complete_graphs_and_hyperx() {
    let channel_latency = ChannelLatency::default();
    for routers in [2, 3, 8, 9] {
        let channel_latency = channel_latency.clone();
        let full = topologies::FullMesh {
            routers,
            terminals_per_router: 1,
            channel_latency,
        };
        assert_eq!(lower_bound(&built(&full)).ceil(), 1);
    }
    let hyperx = topologies::HyperX {
        sizes: vec![4, 8],
        terminals_per_router: 1,
        channel_latency,
    };
    assert_eq!(lower_bound(&built(&hyperx)).ceil(), 8);
}

#[test]
fn dragonflies() {
    for (p, a, h) in [(2, 4, 2), (3, 6, 3), (4, 4, 2)] {
        let dragonfly = topologies::Dragonfly {
            groups: a * h + 1,
            routers_per_group: a,
            terminals_per_router: p,
            global_ports_per_router: Some(h),
            arrangement: Default::default(),
            seed: 0,
            channel_latency: ChannelLatency::default(),
        };
        let cut = cut_bound(&built(&dragonfly)).unwrap();
        assert_eq!(cut.ceil(), u64::from(a * p).pow(2));
        assert!(
            cut.words().ends_with("channels: group 0"),
            "{}",
            cut.words()
        );
    }
}

#[test]
fn megaflies() {
    let (r, groups) = (4, 17);
    let megafly = topologies::Megafly {
        half_radix: r,
        groups,
        wiring: Default::default(),
        seed: 0,
        channel_latency: ChannelLatency::default(),
    };
    let bound = lower_bound(&built(&megafly));
    assert!(bound.ceil() >= u64::from(r.pow(4)), "{}", bound.words());
}

#[test]
fn fat_trees_with_thin_roots() {
    let channel_latency = ChannelLatency::default();
    let tree = topologies::Xgft {
        m: vec![4, 4],
        w: vec![1, 2],
        channel_latency,
    };
    let bound = lower_bound(&built(&tree));
    assert_eq!(bound.ceil(), 4 * 12 / 2);
}

/// What is read from a file has the bound of what it was made from.
#[test]
fn wiring_alone_tells_the_same_cuts() {
    let megafly = topologies::Megafly {
        half_radix: 2,
        groups: 5,
        ..topologies::Megafly::default()
    };
    let tree = topologies::Xgft {
        m: vec![4, 6, 6],
        w: vec![1, 2, 2],
        ..topologies::Xgft::default()
    };
    let networks = [
        torus(&[8, 6], 2),
        mesh(&[8, 8]),
        mesh(&[4, 4]),
        built(&topologies::HyperX {
            sizes: vec![4, 5],
            terminals_per_router: 3,
            channel_latency: ChannelLatency::default(),
        }),
        built(&tree),
        built(&topologies::Dragonfly::default()),
        built(&megafly),
    ];
    for network in networks {
        let terminals = network
            .routers()
            .map(|router| network.terminals_of(router).count());
        let links = network.routers().flat_map(|router| {
            let next = network.neighbours(router).map(|next| next.router);
            next.filter(move |&next| router < next)
                .map(move |next| (router.0, next.0))
        });
        let wiring = graph(&Vec::from_iter(terminals), &Vec::from_iter(links));
        let [known, found] = [&network, &wiring].map(|network| lower_bound(network).value());
        assert_eq!(known, found, "{}", network.description());
    }
}

#[test]
fn terminals_multiply_the_demand() {
    let one = cut_bound(&unit_torus(&[6, 6])).unwrap();
    let three = cut_bound(&torus(&[6, 6], 3)).unwrap();
    assert_eq!(
        (three.demand, three.channels),
        (9 * one.demand, one.channels)
    );
}

#[test]
fn reasons_are_given_in_words() {
    let bound = lower_bound(&unit_torus(&[16, 16]));
    assert_eq!(
        bound.words(),
        "cut of 128 | 128 terminals over 32 channels: half of dimension x"
    );
    assert_eq!(bound.value(), 512.0);
    let bound = lower_bound(&unit_torus(&[5, 2]));
    assert_eq!(
        bound.words(),
        "cut of 4 | 6 terminals over 4 channels: x = 0..1 of 5"
    );
    let distance = distance_bound(&unit_torus(&[4]));
    assert_eq!(
        distance.words(),
        "16 hops on shortest paths over 8 channels"
    );
}

#[test]
fn only_connected_pairs_count() {
    let network = graph(&[1, 1, 1, 1], &[(0, 1), (2, 3)]);
    assert_eq!(lower_bound(&network).ceil(), 1);
    let lonely = graph(&[2], &[]);
    assert_eq!((lower_bound(&lonely).ceil(), cut_bound(&lonely)), (0, None));
    // There is no channel to be told of.
    assert_eq!(distance_bound(&lonely).words(), "no pair is of two routers");
}

#[test]
fn faults_make_cuts_narrower() {
    let faults = Faults {
        links: vec![[0, 4]],
        ..Faults::default()
    };
    let network = unit_torus(&[4, 4]).without(&faults).unwrap();
    let whole = lower_bound(&unit_torus(&[4, 4]));
    let bound = lower_bound(&network);
    assert!(bound.value() > whole.value(), "{}", bound.words());
}

/// What one link holds is found in any tree, and in a small network whatever holds least.
#[test]
fn no_cut_of_a_small_network_and_no_bridge_is_missed() {
    let terminals = [2, 3, 3, 0, 2, 1, 1, 0, 1, 3, 1];
    let links = [
        (0, 1),
        (3, 8),
        (1, 2),
        (3, 4),
        (0, 3),
        (4, 6),
        (8, 10),
        (1, 7),
        (8, 9),
        (0, 5),
    ];
    let tree = graph(&terminals, &links);
    assert_eq!(cut_bound(&tree).unwrap().ceil(), 72);
    // Two stars of fifteen, and as many more routers on a line between them, are too many for all sets.
    let mut links: Vec<(u32, u32)> = (1..15).map(|leaf| (0, leaf)).collect();
    links.extend((1..15).map(|leaf| (15, 15 + leaf)));
    links.extend([(0, 30), (30, 31), (31, 32), (32, 15)]);
    let mut terminals = vec![1; 30];
    terminals.extend([0; 3]);
    let stars = graph(&terminals, &links);
    assert_eq!(cut_bound(&stars).unwrap().ceil(), 15 * 15);

    let mut state = 7u32;
    let mut below = |limit: u32| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 16) % limit
    };
    for routers in (4..10).chain(4..10) {
        let mut links: Vec<(u32, u32)> = (1..routers).map(|at| (below(at), at)).collect();
        links.extend((0..below(routers)).map(|_| {
            let one = below(routers);
            (one, (one + 1 + below(routers - 1)) % routers)
        }));
        let terminals: Vec<usize> = (0..routers).map(|_| below(4) as usize).collect();
        let all: usize = terminals.iter().sum();
        let cut = |set: u32| {
            let is_in = |at: u32| set >> at & 1 == 1;
            let inside: usize = (0..routers)
                .filter(|&at| is_in(at))
                .map(|at| terminals[at as usize])
                .sum();
            let crossing = links.iter().filter(|&&(a, b)| is_in(a) != is_in(b)).count();
            (inside * (all - inside)) as f64 / crossing as f64
        };
        let best = (1..(1 << routers) - 1).map(cut).fold(0.0, f64::max);
        let found = cut_bound(&graph(&terminals, &links));
        let found = found.map_or(0.0, |bound| bound.value());
        assert!(
            (found - best).abs() < 1e-9,
            "{links:?} {terminals:?}: {found} {best}"
        );
    }
}

/// Channels share what they carry by their speeds, which may be no whole multiples of each other.
#[test]
fn slow_channels_count_for_less() {
    let links = [(0, 1), (0, 1), (1, 2)];
    let bound_of = |intervals: &[u32]| {
        let network = graph_of_speeds(&[4, 3, 0], &links, intervals);
        cut_bound(&network).unwrap()
    };
    // Twelve pairs each way over two cables, of which one is a quarter as fast.
    let bound = bound_of(&[1, 4, 1]);
    assert_eq!((bound.demand, bound.channels), (12, 2));
    assert!((bound.value() - 12.0 / 1.25).abs() < 1e-12);
    assert_eq!(bound.ceil(), 10);
    assert_eq!(
        bound.words(),
        "cut of 4 | 3 terminals over 2 channels, as good as 1.25 of the fastest: router 0"
    );
    // All as slow are as good as all as fast.
    assert_eq!(bound_of(&[7, 7, 7]).value(), 6.0);
    assert_eq!(bound_of(&[7, 7, 7]).words(), bound_of(&[1, 1, 1]).words());
    // Two thirds as fast: 12 over 1 + 2/3, and hops over all four channels likewise.
    assert!((bound_of(&[2, 3, 2]).value() - 12.0 / (5.0 / 3.0)).abs() < 1e-12);
    let network = graph_of_speeds(&[4, 3, 0], &links, &[2, 3, 2]);
    assert!((distance_bound(&network).value() - 24.0 / (2.0 * 8.0 / 3.0)).abs() < 1e-12);
    // So many speeds that parts are rounded up: never above what holds.
    let many = [997, 1009, 1013];
    let exact = 12.0 / (1.0 + 997.0 / 1009.0);
    let bound = bound_of(&many).value();
    assert!(bound <= exact && bound > exact - 1e-4, "{bound} {exact}");
}
