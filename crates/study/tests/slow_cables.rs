//! Our own tables where cables are not all as fast, held to closed forms and to tables that know nothing of speeds.
#![allow(clippy::unwrap_used, reason = "tests and their helpers may")]

use std::sync::Arc;
use turnwise_network::random::{Purpose, Random};
use turnwise_network::topologies::{RandomRegular, Topology, Torus};
use turnwise_network::{
    ChannelClass, End, Faults, FlowControl, Network, NetworkBuilder, RouterId, Routing, Shape,
};
use turnwise_routing::algorithms::Turnwise;
use turnwise_routing::{Algorithm, Context};
use turnwise_verify::{Quality, analyse, lower_bound};

/// Leaves with so many hosts, spines, and so many cables between each two of them; how many cycles a flit occupies a cable for is
/// told by leaf, spine and number.
fn leaves_and_spines(
    [leaves, hosts, spines, cables]: [u32; 4],
    interval: impl Fn(u32, u32, u32) -> u32,
) -> Arc<Network> {
    let mut builder = NetworkBuilder::new("leaves and spines", Shape::Graph);
    for _ in 0..leaves {
        builder.router((hosts + spines * cables) as usize, hosts as usize);
    }
    for _ in 0..spines {
        builder.router((leaves * cables) as usize, 0);
    }
    for leaf in 0..leaves {
        for spine in 0..spines {
            for cable in 0..cables {
                builder.interval(interval(leaf, spine, cable));
                let up = (RouterId(leaf), (hosts + spine * cables + cable) as usize);
                let down = (RouterId(leaves + spine), (leaf * cables + cable) as usize);
                builder.link(up, down, 1, ChannelClass::Local, ChannelClass::Local);
            }
        }
    }
    Arc::new(builder.build(1).unwrap())
}

/// Of two dimensions.
fn torus(size: u32, terminals_per_router: u32) -> Network {
    let torus = Torus {
        sizes: vec![size, size],
        terminals_per_router,
        ..Torus::default()
    };
    torus.build(None).unwrap()
}

/// The same routers, each link with an interval of its own.
fn with_speeds(network: &Network, mut interval: impl FnMut() -> u32) -> Arc<Network> {
    let mut builder = NetworkBuilder::new("with speeds", Shape::Graph);
    for router in network.routers() {
        let terminals = network.living_terminals_of(router).count();
        builder.router(network.radix(router), terminals);
    }
    for link in network.links() {
        let channel = network.channel(link);
        let back = network.channel(network.reverse(link).unwrap());
        let end = |end| match end {
            End::Router(router, port) => (router, usize::from(port)),
            End::Terminal(_) => unreachable!("links join routers"),
        };
        builder.interval(interval());
        let ends = (end(channel.source), end(back.source));
        builder.link(ends.0, ends.1, 1, ChannelClass::Local, ChannelClass::Local);
    }
    Arc::new(builder.build(1).unwrap())
}

fn ours(network: &Arc<Network>, lanes: Option<u8>) -> Box<dyn Routing> {
    let algorithm = Turnwise {
        virtual_lanes: lanes,
        ..Turnwise::default()
    };
    algorithm.build(network, &Context::default()).unwrap()
}

/// How good these routes are on a network that may be another one by its speeds alone.
fn quality(network: &Network, routing: &dyn Routing) -> Quality {
    let analysis = analyse(network, routing, FlowControl::Wormhole);
    assert!(analysis.verdict.is_deadlock_free());
    assert_eq!(analysis.quality.routable_pairs, analysis.quality.pairs);
    analysis.quality
}

/// What the busiest channel carries by our tables, and by ours for a network that is as fast everywhere.
fn known_and_blind(slow: &Arc<Network>, lanes: Option<u8>) -> [f64; 2] {
    let plain = with_speeds(slow, || 1);
    let tables = [ours(slow, lanes), ours(&plain, lanes)];
    tables.map(|routing| quality(slow, &*routing).edge_forwarding_index)
}

/// What the twelve hosts of a leaf send to a host takes one cable: 36 times twelve routes leave a leaf by 12 cables. Beside one at a sixth of the
/// speed eleven have four times twelve at most, and it none, as once would be as much as six.
#[test]
fn a_cable_that_trained_badly_holds_nobody_up() {
    let slow = leaves_and_spines(
        [4, 12, 2, 6],
        |leaf, spine, cable| {
            if leaf + spine + cable == 0 { 6 } else { 1 }
        },
    );
    assert_eq!(known_and_blind(&slow, None), [48.0, 216.0]);
    assert!(lower_bound(&slow).value() > 38.0);
}

/// Half of the cables at a third of the speed: not far from the bound, which the loads are too coarse to meet.
#[test]
fn slow_and_fast_cables_share_by_their_speeds() {
    let slow = leaves_and_spines([4, 12, 2, 6], |_, spine, _| 1 + 2 * spine);
    let [known, blind] = known_and_blind(&slow, None);
    assert_eq!((lower_bound(&slow).value(), blind), (54.0, 108.0));
    assert!(known <= 72.0, "{known}");
}

/// A torus with one slow link is a torus without one in all but what that still carries: the bound is met.
#[test]
fn a_slow_link_of_a_torus_is_gone_around() {
    let torus = torus(8, 1);
    let mut first = 8;
    let slow = with_speeds(&torus, || std::mem::replace(&mut first, 1));
    assert_eq!(lower_bound(&slow).ceil(), 68);
    assert_eq!(known_and_blind(&slow, None), [68.0, 512.0]);
    for (lanes, most) in [(1, 160.0), (2, 125.0), (3, 70.0)] {
        let [known, blind] = known_and_blind(&slow, Some(lanes));
        assert!(known <= most && blind >= 512.0, "{lanes}: {known} {blind}");
    }
}

/// Whatever is slow: never worse than without knowing, and far better in the mean.
#[test]
fn knowing_speeds_is_worth_it_on_random_networks() {
    for (lanes, worth) in [(None, 0.8), (Some(1), 0.65), (Some(2), 0.75)] {
        let mut shares = Vec::new();
        for seed in 0..40 {
            let graph = RandomRegular {
                routers: 24,
                degree: 5,
                terminals_per_router: 2,
                seed,
                channel_latency: Default::default(),
            };
            let mut rng = Random::new(seed, Purpose::Other, 0, 0);
            let slower = 2 + rng.below(7);
            let speed = || if rng.below(4) == 0 { slower } else { 1 };
            let slow = with_speeds(&graph.build(None).unwrap(), speed);
            let [known, blind] = known_and_blind(&slow, lanes);
            assert!(known <= blind, "{seed}, {lanes:?}: {known} {blind}");
            shares.push(known / blind);
        }
        let mean = shares.iter().sum::<f64>() / shares.len() as f64;
        assert!(mean < worth, "{lanes:?}: {mean}");
    }
}

/// Where all are as slow, nothing changes but the time it takes.
#[test]
fn one_speed_is_as_good_as_another() {
    let torus = torus(6, 1);
    for lanes in [None, Some(2)] {
        let [fast, slow] = [1, 7].map(|interval| {
            let network = with_speeds(&torus, || interval);
            quality(&network, &*ours(&network, lanes))
        });
        assert_eq!(fast, slow);
    }
}

/// Where the shortest way is a slow one longer ones are taken, however many lanes there are: of a quarter of the links slow, some at a thirteenth,
/// shortest ways alone leave 2,912 on the busiest channel.
#[test]
fn longer_ways_are_taken_around_slow_channels() {
    let torus = torus(8, 4);
    let mut rng = Random::new(7, Purpose::Other, 0, 0);
    let slow = [3, 5, 13, 2];
    let speed = || match rng.below(3) {
        0 => slow[rng.below(4) as usize],
        _ => 1,
    };
    let slow = with_speeds(&torus, speed);
    for (lanes, most) in [(2, 4_300.0), (3, 2_900.0), (8, 2_500.0)] {
        let [known, blind] = known_and_blind(&slow, Some(lanes));
        assert!(
            known <= most && blind > 13_000.0,
            "{lanes}: {known} {blind}"
        );
    }
}

/// A slow cable is no worse than none, in how few lanes ever: in one lane it once carried four times what is left where it is pulled out.
#[test]
fn a_slow_cable_is_no_worse_than_none() {
    let torus = torus(8, 2);
    let mut first = 25;
    let slow = with_speeds(&torus, || std::mem::replace(&mut first, 1));
    let channel = slow.links().next().unwrap();
    let pulled = slow.without_channels(|id| id == channel);
    assert_eq!(pulled.channel_count(), slow.channel_count() - 2);
    let pulled = Arc::new(pulled);
    for (lanes, mutual_lanes) in [(1, false), (2, false), (4, false), (4, true)] {
        let [with, without] = [&slow, &pulled].map(|network| {
            let algorithm = Turnwise {
                virtual_lanes: Some(lanes),
                mutual_lanes,
                ..Turnwise::default()
            };
            let routing = algorithm.build(network, &Context::default()).unwrap();
            quality(network, &*routing).edge_forwarding_index
        });
        assert!(with <= without, "{lanes}, {mutual_lanes}: {with} {without}");
    }
}

/// Of cables side by side the slow ones carry as much less, also where rings are cut.
#[test]
fn cables_side_by_side_share_by_their_speeds() {
    let torus = torus(6, 2);
    let mut builder = NetworkBuilder::new("doubled", Shape::Graph);
    for router in torus.routers() {
        builder.router(2 * torus.radix(router) - 2, 2);
    }
    for link in torus.links() {
        let ends = [link, torus.reverse(link).unwrap()].map(|id| match torus.channel(id).source {
            End::Router(router, port) => (router, usize::from(port)),
            End::Terminal(_) => unreachable!("links join routers"),
        });
        // The second cable is at the port four further on.
        for (interval, more) in [(1, 0), (4, 4)] {
            builder.interval(interval);
            let [a, b] = ends.map(|(router, port)| (router, port + more));
            builder.link(a, b, 1, ChannelClass::Local, ChannelClass::Local);
        }
    }
    let doubled = Arc::new(builder.build(1).unwrap());
    let single = quality(&torus, &*ours(&Arc::new(torus.clone()), None)).edge_forwarding_index;
    for lanes in [None, Some(2), Some(1)] {
        let [known, blind] = known_and_blind(&doubled, lanes);
        assert!(known < blind, "{lanes:?}: {known} {blind}");
        assert!(lanes.is_some() || known < single, "{known} {single}");
    }
}

/// Who has no channel left says nothing about how much others have to carry: once nobody was balanced any more beside such a router.
#[test]
fn a_router_without_channels_changes_nothing_for_others() {
    let faults = Faults {
        links: vec![[0, 1], [0, 7], [0, 8], [0, 56]],
        ..Faults::default()
    };
    let network = Arc::new(torus(8, 2).without(&faults).unwrap());
    let analysis = analyse(&network, &*ours(&network, None), FlowControl::Wormhole);
    assert_eq!(analysis.quality.edge_forwarding_index, 268.0);
}
