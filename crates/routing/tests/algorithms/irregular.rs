//! Algorithms for any network, held to their definitions and to each other.
//!
//! Sources: see the algorithms; figures of meshes and tori are sums of distances.

use crate::explore::{Explorer, can_deadlock, options};
use proptest::prelude::*;
use std::collections::BTreeMap;
use std::sync::Arc;
use turnwise_network::metrics::{Distances, distances};
use turnwise_network::random::{Purpose, Random};
use turnwise_network::topologies::{Mesh, Topology, Torus};
use turnwise_network::{
    ChannelClass, Faults, Network, NetworkBuilder, RouterId, Routing, Shape, TerminalId, VcSet,
};
use turnwise_routing::algorithms::*;
use turnwise_routing::{Algorithm, Context};

/// A random connected network: a tree and some links more, one terminal a router.
fn random(routers: u32, links: u32, seed: u64) -> Arc<Network> {
    graph(routers, &random_links(routers, links, seed), |_| 1)
}

fn random_links(routers: u32, links: u32, seed: u64) -> Vec<(u32, u32)> {
    let mut rng = Random::new(seed, Purpose::Other, 0, 0);
    let mut pairs: Vec<(u32, u32)> = (1..routers).map(|at| (rng.below(at), at)).collect();
    while (pairs.len() as u32) < links.min(routers * (routers - 1) / 2) {
        let (one, other) = (rng.below(routers), rng.below(routers));
        let pair = (one.min(other), one.max(other));
        if one != other && !pairs.contains(&pair) {
            pairs.push(pair);
        }
    }
    pairs
}

/// A network of these links, of which each is as long as its number says.
fn graph(routers: u32, links: &[(u32, u32)], latency: impl Fn(u32) -> u32) -> Arc<Network> {
    let mut builder = NetworkBuilder::new("graph", Shape::Graph);
    let mut ports = vec![1; routers as usize];
    for &(one, other) in links {
        ports[one as usize] += 1;
        ports[other as usize] += 1;
    }
    let all: Vec<RouterId> = ports
        .iter()
        .map(|&count| builder.router(count, 1))
        .collect();
    let mut next = vec![1; routers as usize];
    for (link, &(one, other)) in (0..).zip(links) {
        let end = |router: u32, next: &mut Vec<usize>| {
            let port = next[router as usize];
            next[router as usize] += 1;
            (all[router as usize], port)
        };
        let (a, b) = (end(one, &mut next), end(other, &mut next));
        builder.link(
            a,
            b,
            latency(link),
            ChannelClass::Local,
            ChannelClass::Local,
        );
    }
    Arc::new(builder.build(1).unwrap())
}

pub(crate) fn built(algorithm: &dyn Algorithm, network: &Arc<Network>) -> Box<dyn Routing> {
    algorithm.build(network, &Context::default()).unwrap()
}

/// The routers on the way of a pair, and the virtual channels between them.
fn way(
    network: &Network,
    routing: &dyn Routing,
    (source, destination): (u32, u32),
) -> (Vec<RouterId>, Vec<VcSet>) {
    let (source, destination) = (TerminalId(source), TerminalId(destination));
    let mut header = routing.start(source, destination).unwrap().header;
    let mut routers = vec![network.router_of(source)];
    let mut vcs = Vec::new();
    loop {
        let [hop] = options(routing, routers[routers.len() - 1], header)[..] else {
            panic!("not one way to go")
        };
        let Some(next) = network.next_router(routers[routers.len() - 1], hop.port) else {
            return (routers, vcs);
        };
        vcs.push(hop.vcs);
        header = hop.header;
        routers.push(next);
    }
}

fn pairs(network: &Network) -> impl Iterator<Item = (u32, u32)> + use<> {
    let count = network.terminal_count() as u32;
    let all = (0..count).flat_map(move |from| (0..count).map(move |to| (from, to)));
    all.filter(|(from, to)| from != to)
}

/// Channels of all ways together.
fn total(network: &Network, routing: &dyn Routing) -> u64 {
    let mut explorer = Explorer::new("total", routing, network);
    let hops = |(from, to)| {
        let (_, most) = explorer.pair(TerminalId(from), TerminalId(to)).unwrap();
        u64::from(most)
    };
    pairs(network).map(hops).sum()
}

fn descending(layers: u8) -> Dl {
    Dl {
        layers: Some(layers),
        ..Dl::default()
    }
}

/// Levels of a tree, the root at 0.
fn levels(network: &Network, root: u32) -> Vec<(u32, RouterId)> {
    let levels = distances(network, RouterId(root));
    levels.into_iter().zip(network.routers()).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]

    /// Brute force over all legal paths says the same.
    #[test]
    fn up_down_takes_shortest_legal_paths(routers in 2u32..14, more in 0u32..14, seed: u64, root in 0u32..14) {
        let network = random(routers, routers - 1 + more, seed);
        let root = root % routers;
        let up_down = UpDown { root: Root::Router(root), ..UpDown::default() };
        let routing = built(&up_down, &network);
        let level = levels(&network, root);
        for pair in pairs(&network) {
            let (ways, _) = way(&network, &*routing, pair);
            let ups: Vec<bool> = ways.windows(2).map(|hop| level[hop[1].index()] < level[hop[0].index()]).collect();
            let turn = ups.iter().position(|up| !up).unwrap_or(ups.len());
            prop_assert!(ups[turn..].iter().all(|up| !up), "{ways:?} goes up again");
            // Sets of routers that are reached going up, and going down after that.
            let mut reached = vec![[false; 2]; routers as usize];
            reached[pair.0 as usize][0] = true;
            let mut hops = 0;
            while !reached[pair.1 as usize].contains(&true) {
                let mut next = reached.clone();
                for at in network.routers() {
                    for to in network.neighbours(at) {
                        let up = level[to.router.index()] < level[at.index()];
                        let [rising, falling] = reached[at.index()];
                        next[to.router.index()][0] |= rising && up;
                        next[to.router.index()][1] |= (rising || falling) && !up;
                    }
                }
                reached = next;
                hops += 1;
            }
            prop_assert_eq!(ways.len() - 1, hops);
        }
    }

    /// Who gets there by going down only does, by a shortest way of that kind; all others go up, to where it is least far.
    #[test]
    fn up_down_by_destination_goes_down_where_it_can(
        routers in 2u32..14,
        more in 0u32..14,
        seed: u64,
        ties in prop::sample::select(vec![TieBreak::Balanced, TieBreak::First, TieBreak::Random]),
    ) {
        let network = random(routers, routers - 1 + more, seed);
        let root = Root::Router(0);
        let up_down = UpDown { root, ties, per: RoutesPer::Destination, ..UpDown::default() };
        let routing = built(&up_down, &network);
        prop_assert!(routing.forwards().is_some());
        prop_assert!(!can_deadlock(&*routing, &network));
        let level = levels(&network, 0);
        let is_up = |from: RouterId, to: RouterId| level[to.index()] < level[from.index()];
        let mut from_above: Vec<RouterId> = network.routers().collect();
        from_above.sort_by_key(|at| level[at.index()]);
        for destination in network.routers() {
            // By the definition: what is behind channels downwards is known from below, what is behind others from above.
            let mut expected = vec![None; routers as usize];
            expected[destination.index()] = Some(0);
            let least = |expected: &[Option<usize>], at: RouterId, up: bool| {
                let next = network.neighbours(at).filter(|to| is_up(at, to.router) == up);
                next.filter_map(|to| expected[to.router.index()]).min()
            };
            for &at in from_above.iter().rev().filter(|&&at| at != destination) {
                expected[at.index()] = least(&expected, at, false).map(|hops| hops + 1);
            }
            for &at in &from_above {
                if expected[at.index()].is_none() {
                    expected[at.index()] = least(&expected, at, true).map(|hops| hops + 1);
                }
            }
            for from in network.routers().filter(|&from| from != destination) {
                let (ways, _) = way(&network, &*routing, (from.0, destination.0));
                prop_assert_eq!(Some(ways.len() - 1), expected[from.index()]);
            }
        }
    }

    /// One layer is up*/down*, path for path; more layers are no longer, and in the end as short as can be. Then they are as many
    /// as transition-oriented routing takes, whose paths need not be the same.
    #[test]
    fn more_layers_shorten_paths(routers in 2u32..14, more in 0u32..14, seed: u64) {
        let network = random(routers, routers - 1 + more, seed);
        let up_down = built(&UpDown::default(), &network);
        let one = built(&descending(1), &network);
        for pair in pairs(&network) {
            prop_assert_eq!(way(&network, &*up_down, pair), way(&network, &*one, pair));
        }
        let tor = built(&Tor::default(), &network);
        let shortest = Distances::of(&network).total;
        prop_assert_eq!(total(&network, &*tor), shortest);
        let mut before = u64::MAX;
        for layers in 1..=tor.virtual_channels() {
            let total = total(&network, &*built(&descending(layers), &network));
            prop_assert!(total <= before);
            prop_assert_eq!(total == shortest, layers == tor.virtual_channels());
            before = total;
        }
    }

    /// Descents and transitions come one after the other, and only where a packet turns up again.
    #[test]
    fn layers_are_left_exactly_where_packets_turn_up_again(routers in 2u32..14, more in 0u32..14, seed: u64) {
        let network = random(routers, routers - 1 + more, seed);
        let root = Root::Router(0);
        let tor = Tor { root, ..Tor::default() };
        let dl = Dl { root, ..descending(4) };
        let level = levels(&network, 0);
        for (routing, first, step) in [(built(&tor, &network), 0, 1), (built(&dl, &network), 3, -1)] {
            for pair in pairs(&network) {
                let (ways, vcs) = way(&network, &*routing, pair);
                let mut expected = first;
                let mut falls = false;
                for (hop, vcs) in ways.windows(2).zip(vcs) {
                    let up = level[hop[1].index()] < level[hop[0].index()];
                    if up && falls {
                        expected += step;
                    }
                    falls = !up;
                    prop_assert_eq!(vcs, VcSet::one(expected as u8));
                }
            }
        }
    }

    /// Whatever is cut, all that is still connected is routed, without circles, and lanes keep to their paths.
    #[test]
    fn they_route_what_is_left_without_circles(routers in 2u32..12, more in 0u32..12, seed: u64, dead in 0u32..6) {
        let network = random(routers, routers - 1 + more, seed);
        let dead = dead.min(network.channel_count() as u32 / 2);
        let faults = Faults { random_links: dead.into(), seed, ..Faults::default() };
        let network = Arc::new(network.without(&faults).unwrap());
        let balanced = Dl { start: StartLayer::Balanced, ..descending(3) };
        let apart = Dl { root_per_layer: true, ..descending(3) };
        let algorithms: [Box<dyn Algorithm>; 7] = [
            Box::new(UpDown::default()),
            Box::new(balanced),
            Box::new(apart),
            Box::new(Tor::default()),
            Box::new(Sbp::default()),
            Box::new(Lash::default()),
            Box::new(Lash { virtual_lanes: Some(8), ..Lash::default() }),
        ];
        for algorithm in algorithms {
            let routing = built(&*algorithm, &network);
            for (from, to) in pairs(&network) {
                let connected = distances(&network, RouterId(from))[to as usize] != u32::MAX;
                prop_assert_eq!(routing.start(TerminalId(from), TerminalId(to)).is_some(), connected);
            }
            prop_assert!(!can_deadlock(&*routing, &network));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]

    /// However few lanes there are, ours routes all that is connected without circles, and in no more of them; with enough of them by
    /// shortest paths.
    #[test]
    fn every_budget_of_lanes_is_enough(routers in 2u32..20, more in 0u32..30, seed: u64, dead in 0u32..6, lanes in 1u8..5) {
        let network = random(routers, routers - 1 + more, seed);
        let dead = dead.min(network.channel_count() as u32 / 2);
        let faults = Faults { random_links: dead.into(), seed, ..Faults::default() };
        let network = Arc::new(network.without(&faults).unwrap());
        let ours = |lanes| Turnwise { virtual_lanes: lanes, ..Turnwise::default() };
        let few = built(&ours(Some(lanes)), &network);
        let enough = built(&ours(None), &network);
        prop_assert_eq!(few.virtual_channels(), lanes);
        for (from, to) in pairs(&network) {
            let distance = distances(&network, RouterId(from))[to as usize];
            let (source, destination) = (TerminalId(from), TerminalId(to));
            for routing in [&few, &enough] {
                prop_assert_eq!(routing.start(source, destination).is_some(), distance != u32::MAX);
            }
            if distance != u32::MAX {
                let (ways, _) = way(&network, &*enough, (from, to));
                prop_assert_eq!(ways.len() as u32 - 1, distance);
                let (_, vcs) = way(&network, &*few, (from, to));
                prop_assert!(vcs.windows(2).all(|hop| hop[0] == hop[1]), "{:?}", vcs);
            }
        }
        for routing in [few, enough] {
            prop_assert!(!can_deadlock(&*routing, &network));
        }
    }
}

/// The most loaded channel of a torus carries no more than the mean of the channels along its longest dimension, of which no routing by
/// shortest paths makes less, and in few lanes.
#[test]
fn ours_loads_all_channels_of_a_torus_alike() {
    for (sizes, least, lanes) in [
        // Nobody goes round a ring of four, wherever it is known from.
        (vec![4, 4], 8, 1),
        (vec![4, 4, 4], 32, 1),
        (vec![5, 5], 15, 3),
        (vec![8, 8], 64, 3),
        (vec![7, 7, 3], 126, 3),
    ] {
        let torus = torus(&sizes);
        let network = Arc::new(torus.build(None).unwrap());
        let routing = built(&Turnwise::default(), &network);
        // Where only the wiring is known, with other numbers, it does as well.
        let last = network.router_count() as u32 - 1;
        let hops = network.routers().flat_map(|from| {
            let to = network.neighbours(from);
            to.map(move |to| (last - from.0, last - to.router.0))
        });
        let links: Vec<(u32, u32)> = hops.filter(|(from, to)| from < to).collect();
        let nameless = graph(last + 1, &links, |_| 1);
        let again = built(&Turnwise::default(), &nameless);
        assert_eq!(most_loaded(&nameless, &*again), least, "{sizes:?}");
        assert!(again.virtual_channels() <= lanes, "{sizes:?}");
        assert_eq!(
            (most_loaded(&network, &*routing), routing.virtual_channels()),
            (least, lanes),
            "{sizes:?}"
        );
    }
}

/// Rings of four are lines to it, but one of which a link is missing is not whole: it once took eleven lanes on 4x8x8 then.
#[test]
fn ours_knows_a_ring_of_four_that_is_damaged() {
    for (sizes, link, most) in [(vec![4, 8, 8], (0, 64), 270), (vec![4, 4, 8], (0, 8), 135)] {
        let links = vec![link.into()];
        let faults = Faults {
            links,
            ..Faults::default()
        };
        let torus = torus(&sizes).build(None).unwrap();
        let network = Arc::new(torus.without(&faults).unwrap());
        let routing = built(&Turnwise::default(), &network);
        assert!(routing.virtual_channels() <= 4, "{sizes:?}");
        let found = most_loaded(&network, &*routing);
        assert!(found <= most, "{sizes:?}: {found}");
    }
}

/// Rings of 6, 10, 14 .. routers cannot be shared out evenly in dimension order: the busiest channel of a torus of 6x6 once carried 30 routes where
/// 27 is the mean. More lanes are no worse.
#[test]
fn ours_leaves_dimension_order_where_that_is_uneven() {
    for (sizes, least) in [
        (vec![6, 6], 27),
        (vec![10, 10], 125),
        (vec![6, 6, 3], 81),
        (vec![6, 6, 6], 162),
    ] {
        let torus = torus(&sizes);
        let network = Arc::new(torus.build(None).unwrap());
        for deployment in [Deployment::Layered, Deployment::Transitions] {
            let mut before = u32::MAX;
            for lanes in 1..=8 {
                let ours = Turnwise {
                    virtual_lanes: Some(lanes),
                    deployment,
                    ..Turnwise::default()
                };
                let busiest = most_loaded(&network, &*built(&ours, &network));
                assert!(busiest <= before, "{sizes:?}: {busiest} on {lanes}");
                before = busiest;
            }
            assert!(before * 100 <= least * 105, "{sizes:?}: {before}");
        }
    }
}

/// On two lanes that packets keep to, whole tori or not: OpenSM's torus-2QoS has 576 and 640 routes on the busiest channel of the first two, on two lanes
/// that packets change, and where rings were cut alike in all dimensions 1,024 were left on the first three, and 83 on the last.
#[test]
fn ours_needs_no_more_than_two_lanes_for_little_more() {
    for (sizes, links, most) in [
        (vec![16, 16], 0, 560),
        (vec![8, 8, 8], 0, 639),
        (vec![16, 16], 1, 580),
        (vec![8, 8], 0, 70),
    ] {
        let torus = torus(&sizes);
        let faults = Faults {
            random_links: links.into(),
            seed: 1,
            ..Faults::default()
        };
        let network = torus.build(None).unwrap().without(&faults).unwrap();
        let network = Arc::new(network);
        let ours = Turnwise {
            virtual_lanes: Some(2),
            ..Turnwise::default()
        };
        let busiest = most_loaded(&network, &*built(&ours, &network));
        assert!(busiest <= most, "{sizes:?}: {busiest}");
    }
}

/// Where all lines are torn but one that nobody sends along, the others carry thousands of times as much: weights by that once overflowed.
#[test]
fn ours_weighs_torn_lines_beside_an_idle_one() {
    let torus = Torus {
        sizes: vec![8, 8],
        terminals_per_router: 4,
        ..Torus::default()
    };
    let torn = [
        [25, 33],
        [50, 58],
        [11, 19],
        [36, 44],
        [61, 5],
        [22, 30],
        [47, 55],
        [2, 3],
        [15, 8],
        [20, 21],
        [25, 26],
        [38, 39],
        [43, 44],
        [48, 49],
        [61, 62],
    ];
    let idle = (0..8).flat_map(|line| 32 * line..32 * line + 4);
    let faults = Faults {
        links: torn.to_vec(),
        terminals: idle.collect(),
        ..Faults::default()
    };
    let network = torus.build(None).unwrap().without(&faults).unwrap();
    let network = Arc::new(network);
    let ours = Turnwise {
        virtual_lanes: Some(2),
        ..Turnwise::default()
    };
    assert_eq!(built(&ours, &network).virtual_channels(), 2);
}

fn torus(sizes: &[u32]) -> Torus {
    Torus {
        sizes: sizes.to_vec(),
        ..Torus::default()
    }
}

/// Routes over the channel that carries most.
pub(crate) fn most_loaded(network: &Network, routing: &dyn Routing) -> u32 {
    let mut loads = BTreeMap::new();
    for pair in pairs(network) {
        let (ways, _) = way(network, routing, pair);
        for hop in ways.windows(2) {
            *loads.entry((hop[0], hop[1])).or_insert(0) += 1;
        }
    }
    loads.into_values().max().unwrap_or(0)
}

/// The predecessors on the routes from a router, found as BookSim2's `AnyNet::route` does: of all that are left the nearest with the
/// lowest number comes first, and only what is nearer replaces what was found.
fn predecessors(network: &Network, start: RouterId) -> Vec<Option<RouterId>> {
    let count = network.router_count();
    let (mut distance, mut before) = (vec![u64::MAX; count], vec![None; count]);
    let mut left: Vec<RouterId> = network.routers().collect();
    distance[start.index()] = 0;
    while let Some(&nearest) = left.iter().min_by_key(|at| (distance[at.index()], at.0)) {
        left.retain(|&at| at != nearest);
        let mut neighbours: Vec<_> = network.neighbours(nearest).collect();
        neighbours.sort_by_key(|next| next.router);
        for next in neighbours {
            let length = u64::from(network.channel(next.channel).latency);
            let further = distance[nearest.index()].saturating_add(length);
            if further < distance[next.router.index()] {
                distance[next.router.index()] = further;
                before[next.router.index()] = Some(nearest);
            }
        }
    }
    before
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]

    /// Without classes, shortest paths are those of BookSim2's `anynet`.
    #[test]
    fn without_classes_paths_are_those_of_anynet(routers in 2u32..16, more in 0u32..20, seed: u64, metric in prop_oneof![Just(Metric::Hops), Just(Metric::Latency)]) {
        let links = random_links(routers, routers - 1 + more, seed);
        let network = graph(routers, &links, |link| 1 + link % 4);
        let anynet = ShortestPath { classes: PathClasses::None, metric, ..ShortestPath::default() };
        let routing = built(&anynet, &network);
        for (from, to) in pairs(&network) {
            let before = predecessors(&network, RouterId(from));
            let mut next = RouterId(to);
            while let Some(previous) = before[next.index()].filter(|at| at.0 != from) {
                next = previous;
            }
            let (ways, _) = way(&network, &*routing, (from, to));
            prop_assert_eq!(ways[1], next);
        }
    }
}

/// A path that every further layer shortens, as on the slides: 7 hops up and down, 5 with two layers, 4 with three, which is a
/// shortest path. Found by a search of random networks.
#[test]
fn each_further_layer_shortens_the_slides_path() {
    let network = random(16, 20, SLIDES);
    let sbp = built(&Sbp::default(), &network);
    let hops = |routing: &dyn Routing, pair| way(&network, routing, pair).0.len() - 1;
    let layered = [1, 2, 3].map(|layers| {
        let root = Root::Policy(RootPolicy::LowestId);
        built(
            &Dl {
                root,
                ..descending(layers)
            },
            &network,
        )
    });
    let is_the_slides = |pair: &(u32, u32)| {
        let by_layers = [0, 1, 2].map(|layers| hops(&*layered[layers], *pair));
        by_layers == [7, 5, 4] && hops(&*sbp, *pair) == 4
    };
    assert!(pairs(&network).any(|pair| is_the_slides(&pair)));
}

/// The seed of that network.
const SLIDES: u64 = 18_088;

/// Up*/down* paths are shortest ones on a 4x4 mesh from its corner and on a 4x4 torus.
#[test]
fn up_down_is_minimal_on_small_grids() {
    let mesh = Mesh {
        sizes: vec![4, 4],
        ..Mesh::default()
    };
    let torus = Torus {
        sizes: vec![4, 4],
        ..Torus::default()
    };
    let up_down = UpDown {
        root: Root::Router(0),
        ..UpDown::default()
    };
    // Mean distances of 2.667 and 2.133 channels between 240 pairs.
    for (network, expected) in [(mesh.build(None), 640), (torus.build(None), 512)] {
        let network = Arc::new(network.unwrap());
        assert_eq!(total(&network, &*built(&up_down, &network)), expected);
    }
}

#[test]
fn structured_pools_are_one_more_than_the_diameter_or_as_many() {
    let mesh = Mesh {
        sizes: vec![4, 4],
        ..Mesh::default()
    };
    let network = Arc::new(mesh.build(None).unwrap());
    let with = |virtual_channels| {
        let sbp = Sbp {
            virtual_channels,
            ..Sbp::default()
        };
        sbp.build(&network, &Context::default())
    };
    assert_eq!(with(None).unwrap().virtual_channels(), 7);
    for lanes in [6, 7, 9] {
        assert!(!can_deadlock(&*with(Some(lanes)).unwrap(), &network));
    }
    let refused = with(Some(5)).err().unwrap();
    assert_eq!(refused.place, "virtual_channels");
    assert!(refused.message.contains("6 hops"), "{}", refused.message);
}

#[test]
fn layers_without_a_channel_of_their_own_are_refused() {
    let ring = Torus {
        sizes: vec![6],
        ..Torus::default()
    };
    let network = Arc::new(ring.build(None).unwrap());
    let with = |layers, virtual_channels| {
        let dl = Dl {
            layers,
            virtual_channels,
            ..Dl::default()
        };
        dl.build(&network, &Context::default())
    };
    for (layers, lanes) in [(Some(3), Some(3)), (Some(2), Some(5)), (None, Some(1))] {
        assert!(!can_deadlock(&*with(layers, lanes).unwrap(), &network));
    }
    let refused = with(Some(3), Some(2)).err().unwrap();
    assert_eq!(refused.place, "virtual_channels");
    assert!(refused.message.contains("3 layers"), "{}", refused.message);
}

#[test]
fn roots_are_found_as_their_policy_says() {
    // A line of five routers, of which the second has two leaves more.
    let network = graph(7, &[(0, 1), (1, 2), (2, 3), (3, 4), (1, 5), (1, 6)], |_| 1);
    let hops = |root: Root| {
        let up_down = UpDown {
            root,
            ..UpDown::default()
        };
        built(&up_down, &network)
    };
    let policy = |policy| hops(Root::Policy(policy));
    for (found, root) in [
        (policy(RootPolicy::MinEcc), 2),
        (policy(RootPolicy::LowestId), 0),
        (policy(RootPolicy::MaxDegree), 1),
    ] {
        let expected = hops(Root::Router(root));
        for pair in pairs(&network) {
            assert_eq!(
                way(&network, &*found, pair),
                way(&network, &*expected, pair)
            );
        }
    }
    let beyond = UpDown {
        root: Root::Router(7),
        ..UpDown::default()
    };
    let refused = beyond.build(&network, &Context::default()).err().unwrap();
    assert_eq!(refused.place, "root");
}

/// The root with the shortest mean legal path is no worse than any other.
#[test]
fn no_root_is_better_than_the_best() {
    let network = random(14, 24, 3);
    let with = |root| {
        let up_down = UpDown {
            root,
            ..UpDown::default()
        };
        total(&network, &*built(&up_down, &network))
    };
    let best = with(Root::Policy(RootPolicy::BestAvg));
    let least = (0..14).map(|root| with(Root::Router(root))).min();
    assert_eq!(Some(best), least);
}

/// Too few lanes are refused, by their name; with more of them each is used.
#[test]
fn lanes_are_refused_or_used() {
    let torus = Torus {
        sizes: vec![6, 6],
        ..Torus::default()
    };
    let network = Arc::new(torus.build(None).unwrap());
    let needed = built(&Lash::default(), &network).virtual_channels();
    assert!(needed > 1);
    let with = |lanes| {
        let lash = Lash {
            virtual_lanes: Some(lanes),
            ..Lash::default()
        };
        lash.build(&network, &Context::default())
    };
    let refused = with(needed - 1).err().unwrap();
    assert_eq!(refused.place, "virtual_lanes");
    let more = with(needed + 2).unwrap();
    let mut used = VcSet(0);
    for pair in pairs(&network) {
        let (_, vcs) = way(&network, &*more, pair);
        assert!(vcs.windows(2).all(|hop| hop[0] == hop[1]), "{vcs:?}");
        used.0 |= vcs[0].0;
    }
    assert_eq!(used, VcSet::all(needed + 2));
}
