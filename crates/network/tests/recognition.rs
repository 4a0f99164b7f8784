//! Grids are recognised by their wiring alone, however their routers are numbered, and nothing else is taken for one.

#![allow(clippy::unwrap_used)]

use proptest::prelude::*;
use std::collections::BTreeSet;
use turnwise_network::random::{Purpose, Random};
use turnwise_network::recognition::{Lattice, lattice};
use turnwise_network::topologies::{EdgeList, Mesh, Topology, Torus};
use turnwise_network::{Faults, Network, RouterId};

#[allow(dead_code)]
mod common;

/// The same wiring with other numbers, through an edge list.
fn shuffled(network: &Network, seed: u64) -> Network {
    let count = network.router_count() as u32;
    let mut numbers: Vec<u32> = (0..count).collect();
    let mut rng = Random::new(seed, Purpose::Other, 0, 0);
    for last in (1..count).rev() {
        numbers.swap(last as usize, rng.below(last + 1) as usize);
    }
    let mut text = format!("routers {count}\n");
    for router in network.routers() {
        for next in network
            .neighbours(router)
            .filter(|next| router < next.router)
        {
            let [a, b] = [router, next.router].map(|router| numbers[router.index()]);
            text += &format!("{a} {b}\n");
        }
    }
    let list = EdgeList {
        file: "links.txt".into(),
        terminals_per_router: 1,
        channel_latency: Default::default(),
    };
    list.build(Some(&text)).unwrap()
}

/// Sizes and whether they are rings, in some order; a ring of four counts as two dimensions of two, of one router as none.
fn dimensions(sizes: &[u32], wrap: bool) -> Vec<(u32, bool)> {
    let mut all = Vec::new();
    for &size in sizes {
        match size {
            1 => {}
            4 if wrap => all.extend([(2, false); 2]),
            size => all.push((size, wrap && size > 2)),
        }
    }
    all.sort_unstable();
    all
}

/// Does every link lead one step along one dimension, and has every router with links a place of its own?
fn is_true(lattice: &Lattice, network: &Network) -> bool {
    let is_linked = |router: &RouterId| network.neighbours(*router).next().is_some();
    let linked: Vec<RouterId> = network.routers().filter(is_linked).collect();
    let places: BTreeSet<&[u32]> = linked.iter().map(|&router| lattice.place(router)).collect();
    let is_step = |from: RouterId, to: RouterId| {
        let places = lattice.place(from).iter().zip(lattice.place(to));
        let differing = places.enumerate().filter(|(_, (one, other))| one != other);
        let all: Vec<(usize, u32)> = differing
            .map(|(at, (one, other))| (at, one.abs_diff(*other)))
            .collect();
        match all[..] {
            [(at, steps)] => steps == 1 || lattice.rings[at] && steps == lattice.sizes[at] - 1,
            _ => false,
        }
    };
    let mut hops = network.routers().flat_map(|from| {
        let to = network.neighbours(from);
        to.map(move |to| (from, to.router))
    });
    places.len() == linked.len() && hops.all(|(from, to)| is_step(from, to))
}

fn grid(sizes: &[u32], wrap: bool) -> Network {
    let sizes = sizes.to_vec();
    let network = match wrap {
        true => Torus {
            sizes,
            ..Torus::default()
        }
        .build(None),
        false => Mesh {
            sizes,
            ..Mesh::default()
        }
        .build(None),
    };
    network.unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn grids_are_recognised(sizes in proptest::collection::vec(1u32..8, 1..4), wrap: bool, seed: u64) {
        // A single ring has no squares to tell it from anything else by, nor has a line.
        prop_assume!(sizes.iter().filter(|&&size| size > 1).count() > 1);
        let network = shuffled(&grid(&sizes, wrap), seed);
        let found = lattice(&network);
        prop_assert!(found.is_some(), "{:?}", sizes);
        let found = found.unwrap();
        let mut all: Vec<(u32, bool)> = found.sizes.iter().copied().zip(found.rings.iter().copied()).collect();
        all.sort_unstable();
        prop_assert_eq!(all, dimensions(&sizes, wrap));
        prop_assert!(is_true(&found, &network));
    }

    /// What is said of a grid with links missing is true, if anything is said.
    #[test]
    fn nothing_false_is_said_of_damaged_grids(sizes in proptest::collection::vec(2u32..8, 2..4), wrap: bool, seed: u64, dead in 0u32..6) {
        let dead = dead.min(sizes.iter().product::<u32>() / 2);
        let faults = Faults { random_links: dead.into(), seed, ..Faults::default() };
        let network = shuffled(&grid(&sizes, wrap).without(&faults).unwrap(), seed);
        if let Some(found) = lattice(&network) {
            prop_assert!(is_true(&found, &network));
        }
    }
}

/// A router that is not in the file at all leaves a hole.
#[test]
fn an_absent_router_hides_no_torus() {
    let torus = grid(&[8, 5, 3], true);
    let mut text = String::new();
    let name = |router: RouterId| router.0 - u32::from(router.0 > 50);
    for router in torus.routers() {
        for next in torus.neighbours(router).filter(|next| router < next.router) {
            if router.0 != 50 && next.router.0 != 50 {
                text += &format!("{} {}\n", name(router), name(next.router));
            }
        }
    }
    let network = common::edge_list().build(Some(&text)).unwrap();
    assert_eq!(network.router_count(), 119);
    let found = lattice(&network).unwrap();
    assert!(is_true(&found, &network));
    assert_eq!(found.sizes.iter().product::<u32>(), 120);
}

/// One link or router that has failed does not hide a torus.
#[test]
fn a_fault_hides_no_torus() {
    for sizes in [&[5, 5][..], &[8, 8], &[4, 4, 4], &[8, 8, 8], &[5, 4, 3]] {
        for seed in 0..6 {
            let link = Faults {
                random_links: 1.into(),
                seed,
                ..Faults::default()
            };
            let router = Faults {
                random_routers: 1.into(),
                seed,
                ..Faults::default()
            };
            for faults in [link, router] {
                let damaged = grid(sizes, true).without(&faults).unwrap();
                let found = lattice(&damaged);
                assert!(
                    found.is_some_and(|found| is_true(&found, &damaged)),
                    "{sizes:?}, seed {seed}"
                );
            }
        }
    }
}

/// What is said to be a grid is one, whatever it was built as; some small networks are.
#[test]
fn nothing_else_is_taken_for_a_grid() {
    let mut grids = BTreeSet::new();
    for example in common::examples::examples() {
        if let Some(found) = lattice(&example.network) {
            let (kind, fields) = (example.kind, example.fields);
            assert!(is_true(&found, &example.network), "{kind} {fields}");
            grids.insert(kind);
        }
    }
    assert!(
        grids.contains("torus") && grids.contains("hypercube"),
        "{grids:?}"
    );
}
