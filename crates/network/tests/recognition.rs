//! Topologies are recognised by their wiring alone, however routers and ports are numbered, and nothing is said that is not true.

#![allow(clippy::unwrap_used)]

use proptest::prelude::*;
use std::collections::BTreeSet;
use turnwise_config::document::Value;
use turnwise_config::registry::parse;
use turnwise_network::formats::infiniband;
use turnwise_network::random::{Purpose, Random};
use turnwise_network::recognition::{Lattice, Missing, lattice, recognise};
use turnwise_network::topologies::{EdgeList, Mesh, REGISTRY, Topology, Torus};
use turnwise_network::{ChannelClass, Faults, Network, NetworkBuilder, RouterId, Shape};

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

/// In two dimensions a few links that have failed hide no mesh and no torus, wherever they are.
#[test]
fn missing_links_hide_no_flat_grid() {
    let mut recognised = [0, 0];
    for (sizes, wrap) in [
        (&[16, 16][..], false),
        (&[16, 16], true),
        (&[9, 5], false),
        (&[7, 12], true),
    ] {
        for (seed, lost) in (0..8).flat_map(|seed| [1, 2, 3].map(|lost| (seed, lost))) {
            let faults = Faults {
                random_links: lost.into(),
                seed,
                ..Faults::default()
            };
            let damaged = shuffled(&grid(sizes, wrap).without(&faults).unwrap(), seed);
            recognised[1] += 1;
            if let Some(found) = recognise(&damaged) {
                recognised[0] += 1;
                assert_eq!(found.missing.links, u64::from(lost), "{sizes:?} {found}");
                assert!(is_true(&lattice(&damaged).unwrap(), &damaged), "{sizes:?}");
            } else {
                assert!(lost > 1, "{sizes:?} {wrap} {seed}");
            }
        }
    }
    let [found, all] = recognised;
    assert!(10 * found > 9 * all, "{found} of {all}");
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

/// The living part of a network with its routers, and the ports of each, in another order.
fn disguised(network: &Network, seed: u64) -> Network {
    let mut rng = Random::new(seed, Purpose::Other, 0, 0);
    let mut order: Vec<u32> = (0..network.router_count() as u32).collect();
    order.retain(|&router| network.is_alive(RouterId(router)));
    shuffle(&mut order, &mut rng);
    let mut numbers = vec![None; network.router_count()];
    for (number, &router) in (0..).zip(&order) {
        numbers[router as usize] = Some(RouterId(number));
    }
    let mut builder = NetworkBuilder::new("disguised", Shape::Graph);
    let mut free = Vec::new();
    for &router in &order {
        let router = RouterId(router);
        let terminals = network.living_terminals_of(router).count();
        let ports = terminals + network.neighbours(router).count();
        builder.router(ports, terminals);
        let mut left: Vec<u32> = (terminals as u32..ports as u32).collect();
        shuffle(&mut left, &mut rng);
        free.push(left);
    }
    for router in network.routers() {
        for next in network
            .neighbours(router)
            .filter(|next| router < next.router)
        {
            let ends = [router, next.router].map(|router| {
                let number = numbers[router.index()].unwrap();
                (number, free[number.index()].pop().unwrap() as usize)
            });
            builder.link(
                ends[0],
                ends[1],
                1,
                ChannelClass::Local,
                ChannelClass::Local,
            );
        }
    }
    builder.build(1).unwrap()
}

fn shuffle(numbers: &mut [u32], rng: &mut Random) {
    for last in (1..numbers.len()).rev() {
        numbers.swap(last, rng.below(last as u32 + 1) as usize);
    }
}

fn built(kind: &'static str, fields: &'static str) -> std::sync::Arc<Network> {
    common::examples::Example::of(REGISTRY, kind, fields).network
}

/// What a study says, and what is recognised.
const SHAPES: &[(&str, &str, &str)] = &[
    (
        "torus",
        "sizes = [8, 6, 5]",
        "torus: sizes = [8, 6, 5], terminals_per_router = 1",
    ),
    (
        "torus",
        "sizes = [4, 4, 8]\nterminals_per_router = 3",
        "torus: sizes = [8, 4, 4], terminals_per_router = 3",
    ),
    (
        "torus",
        "sizes = [2, 7, 4, 3]",
        "torus: sizes = [7, 4, 3, 2], terminals_per_router = 1",
    ),
    (
        "torus",
        "sizes = [4, 4, 4]",
        "hypercube: dimensions = 6, terminals_per_router = 1, the same as a torus with sizes = [4, 4, 4]",
    ),
    (
        "mesh",
        "sizes = [5, 9]",
        "mesh: sizes = [9, 5], terminals_per_router = 1",
    ),
    (
        "hypercube",
        "dimensions = 7\nterminals_per_router = 2",
        "hypercube: dimensions = 7, terminals_per_router = 2",
    ),
    (
        "hyperx",
        "sizes = [6, 5, 4]",
        "hyperx: sizes = [6, 5, 4], terminals_per_router = 1",
    ),
    (
        "hyperx",
        "sizes = [9, 5]\nterminals_per_router = 8",
        "hyperx: sizes = [9, 5], terminals_per_router = 8",
    ),
    (
        "full-mesh",
        "routers = 12\nterminals_per_router = 4",
        "full-mesh: routers = 12, terminals_per_router = 4",
    ),
    (
        "dragonfly",
        "groups = 33\nrouters_per_group = 8\nterminals_per_router = 4\nglobal_ports_per_router = 4",
        "dragonfly: groups = 33, routers_per_group = 8, terminals_per_router = 4, global_ports_per_router = 4",
    ),
    (
        "dragonfly",
        "groups = 9\nrouters_per_group = 4\nglobal_ports_per_router = 4\narrangement = \"relative\"",
        "dragonfly: groups = 9, routers_per_group = 4, terminals_per_router = 1, global_ports_per_router = 4",
    ),
    (
        "dragonfly",
        "groups = 13\nrouters_per_group = 6\nglobal_ports_per_router = 2\narrangement = \"palmtree\"",
        "dragonfly: groups = 13, routers_per_group = 6, terminals_per_router = 1, global_ports_per_router = 2",
    ),
    (
        "megafly",
        "half_radix = 4\ngroups = 17",
        "megafly: half_radix = 4, groups = 17",
    ),
    (
        "megafly",
        "half_radix = 6\ngroups = 7\nwiring = \"alltoall\"",
        "megafly: half_radix = 6, groups = 7",
    ),
    (
        "megafly",
        "half_radix = 6\ngroups = 9\nwiring = \"circulant\"",
        "megafly: half_radix = 6, groups = 9",
    ),
    (
        "k-ary-n-tree",
        "arity = 8\nlevels = 3",
        "xgft: m = [8, 8, 8], w = [1, 8, 8]",
    ),
    (
        "k-ary-n-tree",
        "arity = 4\nlevels = 4",
        "xgft: m = [4, 4, 4, 4], w = [1, 4, 4, 4]",
    ),
    (
        "xgft",
        "m = [12, 6, 10]\nw = [1, 5, 4]",
        "xgft: m = [12, 6, 10], w = [1, 5, 4]",
    ),
    (
        "xgft",
        "m = [18, 24]\nw = [1, 9]",
        "xgft: m = [18, 24], w = [1, 9]",
    ),
];

/// Whole dragonflies whose links between groups make triangles as those inside of them do, or that have none at all.
const DENSE: &[(&str, &str, &str)] = &[
    (
        "dragonfly",
        "groups = 4\nrouters_per_group = 8\nglobal_ports_per_router = 4\narrangement = \"absolute\"",
        "dragonfly: groups = 4, routers_per_group = 8, terminals_per_router = 1, global_ports_per_router = 4",
    ),
    (
        "dragonfly",
        "groups = 4\nrouters_per_group = 8\nglobal_ports_per_router = 4\narrangement = \"relative\"",
        "dragonfly: groups = 4, routers_per_group = 8, terminals_per_router = 1, global_ports_per_router = 4",
    ),
    (
        "dragonfly",
        "groups = 4\nrouters_per_group = 8\nglobal_ports_per_router = 4\narrangement = \"palmtree\"",
        "dragonfly: groups = 4, routers_per_group = 8, terminals_per_router = 1, global_ports_per_router = 4",
    ),
    (
        "dragonfly",
        "groups = 6\nrouters_per_group = 8\nglobal_ports_per_router = 4\narrangement = \"palmtree\"",
        "dragonfly: groups = 6, routers_per_group = 8, terminals_per_router = 1, global_ports_per_router = 4",
    ),
    (
        "dragonfly",
        "groups = 10\nrouters_per_group = 16\nglobal_ports_per_router = 8\narrangement = \"palmtree\"",
        "dragonfly: groups = 10, routers_per_group = 16, terminals_per_router = 1, global_ports_per_router = 8",
    ),
    (
        "dragonfly",
        "groups = 6\nrouters_per_group = 5\nglobal_ports_per_router = 4\narrangement = \"absolute\"",
        "dragonfly: groups = 6, routers_per_group = 5, terminals_per_router = 1, global_ports_per_router = 4",
    ),
    (
        "dragonfly",
        "groups = 4\nrouters_per_group = 3\nglobal_ports_per_router = 2\narrangement = \"absolute\"",
        "dragonfly: groups = 4, routers_per_group = 3, terminals_per_router = 1, global_ports_per_router = 2",
    ),
    (
        "dragonfly",
        "groups = 5\nrouters_per_group = 2\nglobal_ports_per_router = 2\narrangement = \"absolute\"",
        "dragonfly: groups = 5, routers_per_group = 2, terminals_per_router = 1, global_ports_per_router = 2",
    ),
    (
        "dragonfly",
        "groups = 9\nrouters_per_group = 2\nglobal_ports_per_router = 4\narrangement = \"relative\"",
        "dragonfly: groups = 9, routers_per_group = 2, terminals_per_router = 1, global_ports_per_router = 4",
    ),
    (
        "dragonfly",
        "groups = 7\nrouters_per_group = 2\nglobal_ports_per_router = 6\narrangement = \"palmtree\"",
        "dragonfly: groups = 7, routers_per_group = 2, terminals_per_router = 1, global_ports_per_router = 6",
    ),
];

/// The text without what depends on the order of dimensions, which nothing but their sizes tells apart.
fn sorted(text: &str) -> String {
    let Some((start, rest)) = text.split_once("sizes = [") else {
        return text.to_owned();
    };
    let (sizes, end) = rest.split_once(']').unwrap();
    let mut sizes: Vec<u32> = sizes
        .split(", ")
        .map(|size| size.parse().unwrap())
        .collect();
    sizes.sort_unstable();
    format!("{start}sizes = {sizes:?}{end}")
}

#[test]
fn topologies_are_recognised_in_disguise_and_from_files() {
    for &(kind, fields, expected) in SHAPES.iter().chain(DENSE) {
        let network = built(kind, fields);
        for seed in 0..3 {
            let disguised = disguised(&network, seed);
            let found = recognise(&disguised).map(|found| sorted(&found.to_string()));
            assert_eq!(found, Some(sorted(expected)), "{kind} {fields} {seed}");
        }
        let text = infiniband::write(&disguised(&network, 9)).unwrap();
        let table = common::written::read("kind = \"ibsim\"\nfile = \"fabric.net\"");
        let read = build(&table, Some(&text));
        let found = recognise(&read).map(|found| sorted(&found.to_string()));
        assert_eq!(found, Some(sorted(expected)), "{kind} {fields} from a file");
    }
}

/// With a twentieth of the links missing it is the same, told with what is missing, or nothing.
#[test]
fn damaged_topologies_are_recognised_or_nothing_is_said() {
    let mut recognised = [0, 0];
    for &(kind, fields, expected) in SHAPES {
        let whole = built(kind, fields);
        let links = whole.channel_count() as u64 / 2;
        for (seed, share) in (0..8).flat_map(|seed| [(seed, 100), (seed, 20)]) {
            let missing = (links / share).max(1);
            let faults = Faults {
                random_links: (missing as u32).into(),
                seed,
                ..Faults::default()
            };
            let damaged = disguised(&whole.without(&faults).unwrap(), seed);
            recognised[1] += 1;
            if let Some(found) = recognise(&damaged) {
                recognised[0] += 1;
                let lost = Missing {
                    routers: 0,
                    links: missing,
                };
                assert_eq!(found.missing, lost, "{kind} {fields} {seed}: {found}");
                let text = found.to_string();
                let (text, _) = text.split_once("; without").unwrap();
                // A router may have lost its last global link, but no group that many.
                assert_eq!(sorted(text), sorted(expected), "{kind} {fields} {seed}");
            }
        }
    }
    let [found, all] = recognised;
    assert!(4 * found > 3 * all, "{found} of {all}");
}

/// What has been lost between groups is counted even where no two groups have more links left than others.
#[test]
fn nothing_damaged_is_called_whole() {
    let cases = [
        (
            "megafly",
            "half_radix = 4\ngroups = 2",
            vec![[8, 12], [9, 13]],
        ),
        ("hyperx", "sizes = [8, 2]", vec![[0, 1]]),
        ("hyperx", "sizes = [8, 2]", vec![[0, 2]]),
    ];
    for (kind, fields, links) in cases {
        let lost = links.len() as u64;
        let whole = built(kind, fields);
        let faults = Faults {
            links: links.clone(),
            ..Faults::default()
        };
        let damaged = whole.without(&faults).unwrap();
        let found = recognise(&disguised(&damaged, 1));
        assert!(
            found
                .as_ref()
                .is_none_or(|found| found.missing.links == lost),
            "{kind} {fields} {links:?}: {}",
            found.unwrap()
        );
    }
}

/// Hosts that are not there are told as links are; of trees, whose upper switches have none, those of the switches that have any.
#[test]
fn missing_hosts_are_told() {
    let without = |kind, fields, terminals: Vec<u32>| {
        let faults = Faults {
            terminals,
            ..Faults::default()
        };
        let damaged = built(kind, fields).without(&faults).unwrap();
        recognise(&disguised(&damaged, 2)).unwrap().to_string()
    };
    let third = (0..60).step_by(3).collect();
    assert_eq!(
        sorted(&without("torus", "sizes = [5, 4, 3]", third)),
        sorted("torus: sizes = [5, 4, 3], terminals_per_router = 1; without 20 of its terminals")
    );
    let tree = without("xgft", "m = [4, 4]\nw = [1, 4]", vec![1, 6]);
    assert!(tree.ends_with("; without 2 of its terminals"), "{tree}");
}

/// Cables side by side are told, and one of them may be missing.
#[test]
fn links_side_by_side_hide_no_structure() {
    for &(kind, fields, expected) in SHAPES {
        if expected.contains("group") {
            continue;
        }
        let network = built(kind, fields);
        let mut text = format!("routers {}\n", network.router_count());
        for router in network.routers() {
            let terminals = network.terminals_of(router).count();
            text.push_str(&format!("terminals {} {terminals}\n", router.0));
            for next in network.neighbours(router) {
                if router < next.router {
                    text.push_str(&format!("{} {}\n", router.0, next.router.0).repeat(2));
                }
            }
        }
        let listed = EdgeList {
            file: "links.txt".to_owned(),
            terminals_per_router: 1,
            channel_latency: Default::default(),
        };
        let doubled = listed.build(Some(&text)).unwrap();
        let one_less = Faults {
            random_links: 1.into(),
            ..Faults::default()
        };
        let damaged = doubled.without(&one_less).unwrap();
        let [whole, damaged] = [&doubled, &damaged].map(|network| {
            let found = recognise(network).map(|found| found.to_string());
            found.unwrap_or_else(|| panic!("{kind} {fields}"))
        });
        let twice = format!("{}; each link 2 times", sorted(expected));
        assert_eq!(sorted(&whole), twice);
        assert_eq!(sorted(&damaged), format!("{twice}; without 1 of its links"));
    }
}

/// What is said of any network at all is as large, and has as many links, as what is built from it.
#[test]
fn what_is_said_can_be_built() {
    let mut kinds = BTreeSet::new();
    for example in common::examples::examples() {
        let Some(found) = recognise(&example.network) else {
            continue;
        };
        let (kind, fields) = found.kind_and_fields();
        let (fields, _) = fields.split_once(", the same as").unwrap_or((&fields, ""));
        let written = format!("network = {{ kind = \"{kind}\", {fields} }}");
        let table = common::written::read(&written);
        let again = build(table.at_path("network").unwrap(), None);
        let size = |network: &Network, missing: Missing| {
            let living = network.routers().filter(|&at| network.is_alive(at)).count() as u64;
            let links = network.channel_count() as u64 / 2;
            (living + missing.routers, links + missing.links)
        };
        let whole = size(&again, Missing::default());
        assert_eq!(
            size(&example.network, found.missing),
            whole,
            "{}: {found}",
            example.fields
        );
        kinds.insert(kind);
    }
    assert!(kinds.len() > 6, "{kinds:?}");
}

fn build(table: &Value, text: Option<&str>) -> Network {
    let mut errors = Vec::new();
    let topology = parse(REGISTRY, table, "kind", &mut errors);
    topology
        .unwrap_or_else(|| panic!("{errors:?}"))
        .build(text)
        .unwrap()
}
