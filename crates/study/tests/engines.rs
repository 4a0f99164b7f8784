//! The routing engines of OpenSM, by their published definitions, against what OpenSM itself made of the same fabrics.
//!
//! Figures of OpenSM 3.3.23 are edge-forwarding indices that were measured on its dumped tables; all others are closed forms.

#![allow(clippy::unwrap_used, reason = "tests and their helpers may")]

use std::sync::Arc;
use turnwise_network::formats::infiniband;
use turnwise_network::tables::ForwardingTable;
use turnwise_network::topologies::{
    Dragonfly, HyperX, InfiniBand, KAryNTree, Megafly, RandomRegular, SlimFly, Topology, Torus,
};
use turnwise_network::{Faults, FlowControl, Network, Vc};
use turnwise_routing::algorithms::{
    Deployment, Dfsssp, Ftree, MinHop, Nue, Root, RootPolicy, Segment, Sssp, Torus2Qos, Turnwise,
    UpDown,
};
use turnwise_routing::{Algorithm, Context};
use turnwise_study::answers;
use turnwise_verify::{Analysis, analyse};

fn found(algorithm: &dyn Algorithm, network: &Arc<Network>) -> Analysis {
    let routing = algorithm.build(network, &Context::default()).unwrap();
    analyse(network, &*routing, FlowControl::Wormhole)
}

fn index(algorithm: &dyn Algorithm, network: &Arc<Network>) -> f64 {
    let found = found(algorithm, network);
    assert_eq!(found.quality.routable_pairs, found.quality.pairs);
    found.quality.edge_forwarding_index
}

fn torus(sizes: &[u32]) -> Arc<Network> {
    let torus = Torus {
        sizes: sizes.to_vec(),
        ..Torus::default()
    };
    Arc::new(torus.build(None).unwrap())
}

fn fabric(file: &str) -> Arc<Network> {
    let text = std::fs::read_to_string(format!("../../{file}")).unwrap();
    let topology = InfiniBand {
        file: file.into(),
        channel_latency: Default::default(),
    };
    Arc::new(topology.build(Some(&text)).unwrap())
}

#[test]
fn min_hop_spreads_as_opensm_does() {
    let five = fabric("tests/reference/opensm/t5x5.net");
    assert_eq!(index(&MinHop::default(), &five), 21.0);
    let four = fabric("studies/infiniband/fabric.net");
    assert_eq!(index(&MinHop::default(), &four), 14.0);
    // A 3-level tree of 8-port switches: every leaf sends to a terminal by the same port, as those of OpenSM do.
    let tree = KAryNTree {
        arity: 8,
        levels: 3,
        ..KAryNTree::default()
    };
    assert_eq!(
        index(&MinHop::default(), &Arc::new(tree.build(None).unwrap())),
        3584.0
    );
}

#[test]
fn sssp_is_nearly_as_even_as_opensms() {
    let five = fabric("tests/reference/opensm/t5x5.net");
    assert_eq!(index(&Sssp::default(), &five), 20.0);
    let four = fabric("studies/infiniband/fabric.net");
    assert!((13.0..=14.0).contains(&index(&Sssp::default(), &four)));
}

#[test]
fn dfsssp_moves_the_routes_of_sssp_and_changes_none() {
    for network in [torus(&[4, 4, 4]), torus(&[5, 5]), torus(&[7])] {
        let [before, after] = [&Sssp::default() as &dyn Algorithm, &Dfsssp::default()]
            .map(|algorithm| found(algorithm, &network));
        assert_eq!(before.quality.loads, after.quality.loads);
        assert!(!before.verdict.is_deadlock_free());
        assert!(after.verdict.is_deadlock_free());
        assert!(after.quality.virtual_channels_used > 1);
    }
    // A ring of 7 breaks into two.
    assert_eq!(
        found(&Dfsssp::default(), &torus(&[7]))
            .quality
            .virtual_channels_used,
        2
    );
    let refused = Dfsssp {
        virtual_lanes: Some(1),
    };
    let why = refused
        .build(&torus(&[5, 5]), &Context::default())
        .err()
        .unwrap();
    assert!(why.message.contains("`dfsssp` needs"), "{why}");
}

#[test]
fn torus_2qos_takes_two_lanes_and_the_positive_way_of_two() {
    // Of a ring of n, halfway round goes one way: n/2 (n/2 + 1) / 2 routes a channel there, times the others' sizes.
    for (sizes, expected) in [
        (vec![8, 8, 8], 640.0),
        (vec![16, 16], 576.0),
        (vec![5, 5], 15.0),
    ] {
        let found = found(&Torus2Qos::default(), &torus(&sizes));
        assert!(found.verdict.is_deadlock_free(), "{sizes:?}");
        assert_eq!(found.quality.edge_forwarding_index, expected, "{sizes:?}");
        assert_eq!(found.quality.virtual_channels_used, 2, "{sizes:?}");
    }
    let five = fabric("tests/reference/opensm/t5x5.net");
    assert_eq!(index(&Torus2Qos::default(), &five), 15.0);
}

#[test]
fn nue_needs_one_lane_and_gets_better_with_more() {
    let random = RandomRegular {
        routers: 32,
        degree: 4,
        seed: 3,
        ..RandomRegular::default()
    };
    let random = Arc::new(random.build(None).unwrap());
    let hops = |lanes: u8, network: &Arc<Network>| {
        let nue = Nue {
            virtual_lanes: Some(lanes),
            ..Nue::default()
        };
        let found = found(&nue, network);
        assert!(found.verdict.is_deadlock_free());
        assert_eq!(found.quality.routable_pairs, found.quality.pairs);
        found.quality.mean_hops
    };
    for network in [random, torus(&[6, 6])] {
        assert!(hops(8, &network) < hops(1, &network));
    }
}

/// Nue and ours on so many lanes.
fn on_lanes(lanes: Vc) -> (Nue, Turnwise) {
    let virtual_lanes = Some(lanes);
    let nue = Nue {
        virtual_lanes,
        ..Nue::default()
    };
    let ours = Turnwise {
        virtual_lanes,
        ..Turnwise::default()
    };
    (nue, ours)
}

/// Others may tell ways by the port that packets come by, or leave out what makes a table; few lanes carry no more all the same.
#[test]
fn few_lanes_carry_no_more_than_those_of_others() {
    let random = |routers, degree| {
        let random = RandomRegular {
            routers,
            degree,
            seed: 1,
            ..RandomRegular::default()
        };
        Arc::new(random.build(None).unwrap())
    };
    let root = Root::Policy(RootPolicy::BestAvg);
    let networks = [
        random(16, 3),
        random(64, 3),
        random(80, 5),
        random(64, 8),
        torus(&[5, 5]),
    ];
    for network in networks {
        let by_central_segments = Segment {
            root,
            ..Segment::default()
        };
        let up_down = UpDown {
            root,
            ..UpDown::default()
        };
        let others: [&dyn Algorithm; 4] = [
            &Nue::default(),
            &Segment::default(),
            &by_central_segments,
            &up_down,
        ];
        let least = others.map(|other| index(other, &network));
        let least = least.into_iter().fold(f64::INFINITY, f64::min);
        for lanes in 1..=3 {
            let (nue, ours) = on_lanes(lanes);
            let found = found(&ours, &network);
            assert!(found.verdict.is_deadlock_free());
            assert_eq!(found.quality.routable_pairs, found.quality.pairs);
            let most = index(&nue, &network).min(least);
            let carried = found.quality.edge_forwarding_index;
            let what = network.description();
            assert!(carried <= most, "{what}, {lanes}: {carried}, {most}");
        }
    }
}

/// A torus without a switch on four lanes: what OpenSM's torus-2QoS makes of it there was measured.
#[test]
fn a_torus_without_a_switch_is_better_than_that_of_torus_2qos() {
    let faults = Faults {
        routers: vec![73],
        ..Faults::default()
    };
    let damaged = Arc::new(torus(&[8, 8, 8]).without(&faults).unwrap());
    let ours = Turnwise {
        virtual_lanes: Some(4),
        ..Turnwise::default()
    };
    let found = found(&ours, &damaged);
    assert!(found.verdict.is_deadlock_free());
    assert_eq!(found.quality.routable_pairs, found.quality.pairs);
    let index = found.quality.edge_forwarding_index;
    assert!(index < 831.0, "{index}");
}

#[test]
fn every_terminal_has_a_root_of_its_own_in_ftree() {
    for (arity, levels) in [(2, 3), (4, 2), (3, 3), (8, 3)] {
        let tree = KAryNTree {
            arity,
            levels,
            ..KAryNTree::default()
        };
        let tree = Arc::new(tree.build(None).unwrap());
        let terminals = arity.pow(levels);
        // A leaf's up channel carries what its share of terminals sends elsewhere, and no channel more.
        assert_eq!(
            index(&Ftree::default(), &tree),
            f64::from(terminals - arity)
        );
    }
}

#[test]
fn lanes_that_change_are_fewer() {
    let ours = |deployment| Turnwise {
        deployment,
        ..Turnwise::default()
    };
    let both = |network: &Arc<Network>| {
        [Deployment::Layered, Deployment::Transitions].map(|deployment| {
            let found = found(&ours(deployment), network);
            assert!(found.verdict.is_deadlock_free());
            assert_eq!(found.quality.routable_pairs, found.quality.pairs);
            found.quality
        })
    };
    for (sizes, load) in [
        (vec![8, 8, 8], 512.0),
        (vec![16, 16], 512.0),
        (vec![5, 5, 5], 75.0),
    ] {
        let [_, changing] = both(&torus(&sizes));
        assert_eq!(
            (
                changing.edge_forwarding_index,
                changing.virtual_channels_used
            ),
            (load, 2),
            "{sizes:?}"
        );
    }
    let mut saved = 0;
    for seed in 0..6 {
        let random = RandomRegular {
            routers: 96,
            degree: 5,
            seed,
            ..RandomRegular::default()
        };
        let [layered, changing] = both(&Arc::new(random.build(None).unwrap()));
        assert_eq!(layered.loads, changing.loads);
        let lanes = [layered, changing].map(|quality| quality.virtual_channels_used);
        assert!(lanes[1] <= lanes[0], "{lanes:?}");
        saved += lanes[0] - lanes[1];
    }
    assert!(saved > 0);
}

#[test]
fn segments_forbid_one_turn_of_a_ring() {
    // A ring of 6 without one turn: of the 30 pairs, those whose shortest way has the turn go around the other way.
    let found = found(&Segment::default(), &torus(&[6]));
    assert!(found.verdict.is_deadlock_free());
    let minimal = (2 * (1 + 2) + 3) as f64 / 5.0;
    let detour = found.quality.mean_hops - minimal;
    // Two pairs of two hops go four; of those of three hops some, at the same cost.
    assert!((detour * 30.0 - 4.0).abs() < 1e-9, "{detour}");
}

/// Answers on the level of what they answer are proved, too, if both directions have the same, which takes more lanes: on tori one for each set
/// of rings whose edges routes cross. Where there are not enough all take one.
#[test]
fn both_directions_have_one_lane_if_that_is_asked_for() {
    let ours = Turnwise {
        virtual_lanes: Some(8),
        mutual_lanes: true,
        ..Turnwise::default()
    };
    let random = RandomRegular {
        routers: 64,
        degree: 6,
        terminals_per_router: 2,
        ..RandomRegular::default()
    };
    let damaged = Faults {
        random_links: 3.into(),
        ..Faults::default()
    };
    let damaged = torus(&[6, 6]).without(&damaged).unwrap();
    let dragonfly = Dragonfly::default().build(None).unwrap();
    for (network, index, lanes) in [
        (torus(&[8]), 9.0, 2),
        (torus(&[5, 5]), 15.0, 4),
        (torus(&[16, 16]), 528.0, 4),
        (torus(&[8, 8, 8]), 576.0, 8),
        (torus(&[3, 4, 5]), 40.0, 8),
        (Arc::new(dragonfly), 70.0, 4),
        (Arc::new(random.build(None).unwrap()), f64::INFINITY, 8),
        (Arc::new(damaged), f64::INFINITY, 8),
    ] {
        let found = found(&ours, &network);
        let what = network.description();
        assert!(found.verdict.is_deadlock_free(), "{what}");
        assert_eq!(found.quality.routable_pairs, found.quality.pairs);
        let carried = found.quality.edge_forwarding_index;
        let used = found.quality.virtual_channels_used;
        assert!(
            carried <= index && used <= lanes,
            "{what}: {carried} on {used} lanes"
        );
        let routing = ours.build(&network, &Context::default()).unwrap();
        let tables = ForwardingTable::in_routing(&*routing).unwrap();
        let unlike = answers::judge(&network, tables, FlowControl::Wormhole.into());
        assert_eq!(unlike, None, "{what}");
    }
    // Where each has its own, that can close a circle.
    let ring = torus(&[8]);
    let own = Turnwise::default()
        .build(&ring, &Context::default())
        .unwrap();
    let own = ForwardingTable::in_routing(&*own).unwrap();
    let judged = answers::judge(&ring, own, FlowControl::Wormhole.into());
    assert!(judged.unwrap().circle.is_some());
    let changing = Turnwise {
        deployment: Deployment::Transitions,
        ..ours
    };
    assert!(changing.build(&ring, &Context::default()).is_err());
}

/// With few lanes tori are cut into meshes, and who has lost a link goes around it. With two lanes the most loaded channel carries a
/// few hundredths more than on a whole mesh, at most; with one lane ways are rare, and it is up to two thirds.
#[test]
fn damaged_tori_with_few_lanes_are_hardly_worse_than_whole_ones() {
    for (seed, links, routers) in [(1, 1, 0), (2, 3, 0), (3, 0, 1), (4, 2, 1)] {
        let faults = Faults {
            random_links: links.into(),
            random_routers: routers.into(),
            seed,
            ..Faults::default()
        };
        let damaged = Arc::new(torus(&[6, 6, 6]).without(&faults).unwrap());
        for lanes in 1..=4 {
            let ours = Turnwise {
                virtual_lanes: Some(lanes),
                ..Turnwise::default()
            };
            let found = found(&ours, &damaged);
            assert!(found.verdict.is_deadlock_free(), "{faults:?}, {lanes}");
            assert_eq!(found.quality.routable_pairs, found.quality.pairs);
            let of_mesh = 36.0 * 9.0;
            let most = of_mesh * if lanes == 1 { 1.67 } else { 1.03 };
            let index = found.quality.edge_forwarding_index;
            assert!(index <= most, "{faults:?}, {lanes}: {index}");
        }
    }
}

/// Where there are too many channels to look for circles, few lanes are enough all the same: every pair is routed, without deadlock, and
/// with more lanes ways get shorter.
#[test]
fn large_networks_are_routed_with_any_number_of_lanes() {
    let random = RandomRegular {
        routers: 600,
        degree: 14,
        ..RandomRegular::default()
    };
    let whole = random.build(None).unwrap();
    let faults = Faults {
        random_routers: 2.into(),
        random_links: 5.into(),
        ..Faults::default()
    };
    for network in [whole.without(&faults).unwrap(), whole] {
        let network = Arc::new(network);
        let mut before = f64::INFINITY;
        for lanes in [1, 2, 4] {
            let ours = Turnwise {
                virtual_lanes: Some(lanes),
                ..Turnwise::default()
            };
            let found = found(&ours, &network);
            assert!(found.verdict.is_deadlock_free(), "{lanes}");
            assert_eq!(found.quality.routable_pairs, found.quality.pairs);
            assert_eq!(found.quality.virtual_channels_used, u32::from(lanes));
            assert!(found.quality.mean_hops < before);
            before = found.quality.mean_hops;
        }
    }
}

/// The more links a router has, the more ways two orders allow, and the less a search for circles finds; a single order allows few at any rate.
#[test]
fn dense_networks_carry_less_than_those_of_nue() {
    for (routers, degree, lanes, most) in [(512, 17, 1, 0.7), (256, 16, 2, 0.4)] {
        let random = RandomRegular {
            routers,
            degree,
            ..RandomRegular::default()
        };
        let network = Arc::new(random.build(None).unwrap());
        let (nue, ours) = on_lanes(lanes);
        let (theirs, ours) = (index(&nue, &network), index(&ours, &network));
        assert!(ours < most * theirs, "{routers}: {ours}, {theirs}");
    }
}

/// Where every route turns at most once, two lanes are enough for shortest ones, whatever these are.
#[test]
fn large_networks_of_diameter_two_need_two_lanes() {
    let slim = SlimFly {
        q: 17,
        terminals_per_router: Some(1),
        ..SlimFly::default()
    };
    let ours = Turnwise {
        fewest_lanes: true,
        ..Turnwise::default()
    };
    let found = found(&ours, &Arc::new(slim.build(None).unwrap()));
    assert!(found.verdict.is_deadlock_free());
    assert_eq!(found.quality.routable_pairs, found.quality.pairs);
    assert_eq!(found.quality.virtual_channels_used, 2);
    assert_eq!(found.quality.diameter, 2);
}

/// The same wiring, of which nothing but that is known.
fn as_fabric(topology: &dyn Topology) -> Arc<Network> {
    let text = infiniband::write(&topology.build(None).unwrap()).unwrap();
    let topology = InfiniBand {
        file: "written.net".into(),
        channel_latency: Default::default(),
    };
    Arc::new(topology.build(Some(&text)).unwrap())
}

/// What a fabric is recognised as is routed as that: on the busiest channel no more than there must be, on few lanes.
#[test]
fn known_structures_carry_the_least_on_few_lanes() {
    let torus = Torus {
        sizes: vec![8, 8, 8],
        ..Torus::default()
    };
    let hyperx = HyperX {
        sizes: vec![6, 6, 6],
        terminals_per_router: 2,
        channel_latency: Default::default(),
    };
    let tree = KAryNTree {
        arity: 8,
        levels: 3,
        ..KAryNTree::default()
    };
    let megafly = Megafly {
        half_radix: 4,
        groups: 17,
        ..Megafly::default()
    };
    let dragonfly = Dragonfly {
        groups: 33,
        routers_per_group: 8,
        terminals_per_router: 1,
        global_ports_per_router: Some(4),
        ..Dragonfly::default()
    };
    let all: [(&dyn Topology, u32, f64); 5] = [
        (&torus, 5, 512.0),
        (&hyperx, 1, 144.0),
        (&tree, 1, 504.0),
        (&megafly, 1, 268.0),
        // A twentieth above the bound, of 65.
        (&dragonfly, 2, 68.0),
    ];
    for (topology, lanes, most) in all {
        let network = as_fabric(topology);
        let name = format!("of {most}");
        let found = found(&Turnwise::default(), &network);
        assert!(found.verdict.is_deadlock_free(), "{name}");
        assert!(found.quality.edge_forwarding_index <= most, "{name}");
        assert!(found.quality.virtual_channels_used <= lanes, "{name}");
    }
}
