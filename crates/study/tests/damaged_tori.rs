//! Tori of which links are missing, wherever these were and however routers and ports are numbered: hardly worse than whole ones, and no worse with
//! more lanes. And what fewest lanes leave free.

#![allow(clippy::unwrap_used, reason = "tests and their helpers may")]

use std::sync::Arc;
use turnwise_network::random::{Purpose, Random};
use turnwise_network::topologies::{Dragonfly, Mesh, Topology, Torus};
use turnwise_network::{
    ChannelClass, Faults, FlowControl, Network, NetworkBuilder, RouterId, Shape,
};
use turnwise_routing::algorithms::Turnwise;
use turnwise_routing::{Algorithm, Context};
use turnwise_verify::{Quality, analyse};

/// The wiring of a topology and no more, numbered at random, without some of its links.
fn shuffled(topology: &dyn Topology, links: usize, seed: u64) -> Arc<Network> {
    let whole = topology.build(None).unwrap();
    let mut rng = Random::new(seed, Purpose::Other, 0, 0);
    let mut shuffle = |all: &mut Vec<u32>| {
        for last in (1..all.len()).rev() {
            all.swap(last, rng.below(last as u32 + 1) as usize);
        }
    };
    let mut names: Vec<u32> = whole.routers().map(|router| router.0).collect();
    shuffle(&mut names);
    let ends = whole.routers().flat_map(|router| {
        let next = whole.neighbours(router);
        next.map(move |next| [router.0, next.router.0])
    });
    let ends: Vec<[u32; 2]> = ends.filter(|[one, other]| one < other).collect();
    let mut order: Vec<u32> = (0..ends.len() as u32).collect();
    shuffle(&mut order);
    let ends = order[links..].iter().map(|&link| ends[link as usize]);
    let ends = ends.map(|ends| ends.map(|router| names[router as usize]));
    let ends: Vec<[u32; 2]> = ends.collect();
    let mut builder = NetworkBuilder::new(format!("{links} links less, {seed}"), Shape::Graph);
    for router in 0..names.len() as u32 {
        let links = ends.iter().flatten().filter(|&&end| end == router);
        builder.router(links.count() + 1, 1);
    }
    let mut next = vec![1; names.len()];
    for ends in ends {
        let [one, other] = ends.map(|router| {
            let port = next[router as usize];
            next[router as usize] += 1;
            (RouterId(router), port)
        });
        builder.link(one, other, 1, ChannelClass::Local, ChannelClass::Local);
    }
    Arc::new(builder.build(1).unwrap())
}

/// Proved by the verifier.
fn routed(network: &Arc<Network>, lanes: u8) -> Quality {
    let ours = Turnwise {
        virtual_lanes: Some(lanes),
        fewest_lanes: true,
        ..Turnwise::default()
    };
    let routing = ours.build(network, &Context::default()).unwrap();
    let found = analyse(network, &*routing, FlowControl::Wormhole);
    assert!(found.verdict.is_deadlock_free());
    assert_eq!(found.quality.routable_pairs, found.quality.pairs);
    found.quality
}

fn torus(sizes: &[u32]) -> Torus {
    Torus {
        sizes: sizes.to_vec(),
        ..Torus::default()
    }
}

/// With eight lanes nearly all routes stay as they are, and those around what has failed are spread. Rings of different lengths once were eased
/// to the mean of all, which nothing can reach, and rings of 10 below what dimension order can do: routes so made needed more lanes.
#[test]
fn what_is_missing_of_a_torus_costs_little_with_eight_lanes() {
    for (sizes, links, most) in [
        (vec![10, 6, 4], 1, 1.06),
        (vec![10, 6, 4], 3, 1.06),
        (vec![6, 6, 6], 2, 1.06),
        (vec![7, 6, 5], 1, 1.06),
        (vec![12, 8], 1, 1.2),
        (vec![16, 10], 2, 1.2),
    ] {
        let whole = routed(&shuffled(&torus(&sizes), 0, 0), 8);
        for seed in 0..4 {
            let found = routed(&shuffled(&torus(&sizes), links, seed), 8);
            let share = found.edge_forwarding_index / whole.edge_forwarding_index;
            let hops = found.mean_hops / whole.mean_hops;
            assert!(share <= most && hops < 1.02, "{sizes:?}, {seed}: {share}");
        }
    }
}

/// More lanes are no worse than fewer, on the busiest channel: what fewer lanes do is looked at as well where that is not far from the best.
#[test]
fn more_lanes_are_no_worse_on_damaged_tori() {
    for (sizes, links) in [
        (vec![7, 7], 2),
        (vec![9, 5], 1),
        (vec![12, 8], 1),
        (vec![7, 6, 5], 1),
        (vec![5, 5, 4], 3),
    ] {
        for seed in 0..4 {
            let network = shuffled(&torus(&sizes), links, seed);
            let mut before = f64::INFINITY;
            for lanes in 1..=8 {
                let index = routed(&network, lanes).edge_forwarding_index;
                assert!(index <= before, "{sizes:?}, {seed}: {index} on {lanes}");
                before = index;
            }
        }
    }
}

/// The same where the shape is known: once what two lanes took was twice what one does.
#[test]
fn more_lanes_are_no_worse_on_grids_of_a_known_shape() {
    let mesh = Mesh {
        sizes: vec![12, 12],
        ..Mesh::default()
    };
    let [eight, ten, sixteen] = [8, 10, 16].map(|size| torus(&[size, size]));
    let all: [(&dyn Topology, u32, u64); 4] = [
        (&mesh, 3, 1),
        (&ten, 2, 2),
        (&eight, 4, 2),
        (&sixteen, 0, 1),
    ];
    for (topology, links, seed) in all {
        let faults = Faults {
            random_links: links.into(),
            seed,
            ..Faults::default()
        };
        let whole = topology.build(None).unwrap();
        let network = Arc::new(whole.without(&faults).unwrap());
        let mut before = f64::INFINITY;
        for lanes in 1..=8 {
            let index = routed(&network, lanes).edge_forwarding_index;
            assert!(index <= before, "{links}, {seed}: {index} on {lanes}");
            before = index;
        }
    }
}

/// Where each two groups have one link, routes by that go from smaller groups to greater ones in one lane and back in another; all that are
/// shorter by a third group fit in with these.
#[test]
fn dragonflies_take_two_lanes() {
    for (routers_per_group, ports) in [(4, 2), (6, 3), (8, 4)] {
        let dragonfly = Dragonfly {
            groups: routers_per_group * ports + 1,
            routers_per_group,
            terminals_per_router: 1,
            global_ports_per_router: Some(ports),
            ..Dragonfly::default()
        };
        for seed in 0..2 {
            let network = shuffled(&dragonfly, 0, seed);
            let [two, eight] = [2, 8].map(|lanes| routed(&network, lanes));
            assert_eq!(eight.virtual_channels_used, 2, "{routers_per_group}");
            assert_eq!(two.loads, eight.loads);
        }
    }
}

/// The same with more routers than all can be tried for: the busiest channel of what has lost little carries a little more than that of the whole grid, on
/// eight lanes. Once three links less had all rings cut, on half of the lanes, and a third more on the busiest channel; later twenty had, since
/// lanes came to forbid other turns around what was missing than elsewhere, until routes through several rings found room in none.
#[test]
fn large_grids_get_worse_little_by_little() {
    let [cubic, long, square] = [&[10, 10, 10][..], &[16, 16, 8], &[32, 32]].map(torus);
    let mesh = Mesh {
        sizes: vec![32, 32],
        ..Mesh::default()
    };
    /// Links and routers that are missing, and how much more the busiest channel may carry.
    type Losses<'a> = &'a [(u32, u32, f64)];
    let all: [(&dyn Topology, Losses<'_>); 4] = [
        (&cubic, &[(5, 0, 1.05)]),
        (&long, &[(3, 0, 1.03), (20, 0, 1.05), (0, 1, 1.03)]),
        (&square, &[(0, 2, 1.5)]),
        (&mesh, &[(3, 1, 1.05)]),
    ];
    for (topology, losses) in all {
        let whole = Arc::new(topology.build(None).unwrap());
        let before = routed(&whole, 8);
        for &(links, routers, most) in losses {
            let faults = Faults {
                random_links: links.into(),
                random_routers: routers.into(),
                seed: 1,
                ..Faults::default()
            };
            let damaged = Arc::new(whole.without(&faults).unwrap());
            let found = routed(&damaged, 8);
            let share = found.edge_forwarding_index / before.edge_forwarding_index;
            let hops = found.mean_hops / before.mean_hops;
            let what = damaged.description();
            assert!(share <= most && hops < 1.01, "{what}: {share}, {hops}");
        }
    }
}
