//! Turn models allow exactly the shortest ways without a forbidden turn, and adaptive heads ask for all.

use crate::cases;
use crate::explore::{Explorer, options};
use std::collections::BTreeSet;
use std::sync::Arc;
use turnwise_network::random::{Purpose, Random};
use turnwise_network::topologies::{Hypercube, Mesh, Topology};
use turnwise_network::{
    Congestion, Header, Network, Port, RouterId, Routing, Shape, TerminalId, VcSet,
};
use turnwise_routing::algorithms::*;
use turnwise_routing::{Algorithm, Context};

/// A hop: its dimension, and whether it leads up.
type Direction = (usize, bool);

/// May a packet turn from one direction to another at a router of these coordinates?
type Turns = fn(Direction, Direction, &[u32]) -> bool;

fn west_first(_: Direction, to: Direction, _: &[u32]) -> bool {
    to != (0, false)
}

fn negative_first(from: Direction, to: Direction, _: &[u32]) -> bool {
    !from.1 || to.1
}

fn odd_even(from: Direction, to: Direction, at: &[u32]) -> bool {
    match at[0] % 2 {
        0 => from != (0, true),
        _ => to != (0, false),
    }
}

/// All shortest ways from one router to another without a forbidden turn, as ports.
fn legal(
    network: &Network,
    turns: Turns,
    at: RouterId,
    to: RouterId,
    last: Option<Direction>,
) -> BTreeSet<Vec<Port>> {
    let Shape::Grid(grid) = network.shape() else {
        panic!("a grid")
    };
    let (here, there) = (grid.coordinates(at.0), grid.coordinates(to.0));
    let mut ways = BTreeSet::new();
    if at == to {
        ways.insert(Vec::new());
    }
    for dimension in (0..here.len()).filter(|&d| here[d] != there[d]) {
        let direction = (dimension, there[dimension] > here[dimension]);
        let turn = last.filter(|last| *last != direction);
        if turn.is_none_or(|last| turns(last, direction, &here)) {
            let port = grid.port(direction.0, direction.1);
            let next = network.next_router(at, port).unwrap();
            let rest = legal(network, turns, next, to, Some(direction));
            ways.extend(rest.into_iter().map(|rest| [vec![port], rest].concat()));
        }
    }
    ways
}

/// All ways that a routing may take.
fn taken(
    network: &Network,
    routing: &dyn Routing,
    at: RouterId,
    header: Header,
) -> BTreeSet<Vec<Port>> {
    let mut ways = BTreeSet::new();
    for hop in options(routing, at, header) {
        match network.next_router(at, hop.port) {
            None => ways.extend([Vec::new()]),
            Some(next) => {
                let rest = taken(network, routing, next, hop.header);
                ways.extend(rest.into_iter().map(|rest| [vec![hop.port], rest].concat()));
            }
        }
    }
    ways
}

#[test]
fn exactly_the_shortest_ways_without_a_forbidden_turn_are_taken() {
    let mesh = |sizes: &[u32]| {
        let sizes = sizes.to_vec();
        Arc::new(
            Mesh {
                sizes,
                ..Mesh::default()
            }
            .build(None)
            .unwrap(),
        )
    };
    let models: [(Box<dyn Algorithm>, Turns); 3] = [
        (Box::new(WestFirst::default()), west_first),
        (Box::new(NegativeFirst::default()), negative_first),
        (Box::new(OddEven::default()), odd_even),
    ];
    for (algorithm, turns) in models {
        for network in [mesh(&[5, 4]), mesh(&[4, 5]), mesh(&[3, 3, 2])] {
            let routing = match algorithm.build(&network, &Context::default()) {
                Ok(routing) => routing,
                Err(error) => {
                    assert_eq!(
                        (error.place.as_str(), network.routers().count()),
                        ("kind", 18)
                    );
                    continue;
                }
            };
            for (from, to) in network
                .terminals()
                .flat_map(|from| network.terminals().map(move |to| (from, to)))
            {
                let (source, target) = (network.router_of(from), network.router_of(to));
                let header = routing.start(from, to).unwrap().header;
                let expected = legal(&network, turns, source, target, None);
                assert!(!expected.is_empty());
                assert_eq!(taken(&network, &*routing, source, header), expected);
            }
        }
    }
}

#[test]
fn turn_models_refuse_rings() {
    let torus = &cases::grids()[0];
    let context = Context::default();
    for error in [
        WestFirst::default().build(torus, &context).err(),
        NegativeFirst::default().build(torus, &context).err(),
        OddEven::default().build(torus, &context).err(),
    ] {
        assert_eq!(error.unwrap().place, "kind");
    }
    let cube = Hypercube {
        dimensions: 3,
        ..Hypercube::default()
    };
    let cube = Arc::new(cube.build(None).unwrap());
    assert!(NegativeFirst::default().build(&cube, &context).is_ok());
    assert!(WestFirst::default().build(&cube, &context).is_err());
}

/// Every port but one is full.
struct Full(Port);

impl Congestion for Full {
    fn unacknowledged(&self, port: Port, _: VcSet) -> u32 {
        if port == self.0 { 0 } else { 1000 }
    }

    fn queued(&self, _: Port, _: VcSet) -> u32 {
        0
    }

    fn capacity(&self, _: Port) -> u32 {
        1000
    }

    fn memory(&self) -> &[u32] {
        &[]
    }
}

/// What a deadlock proof takes for granted: whatever the queues, a head comes to ask for everything, the
/// escape included. But at first it takes the least congested port.
#[test]
fn heads_that_ask_again_come_to_ask_for_all_they_may_do() {
    let mut several = 0;
    for case in cases::all() {
        let (routing, network) = (case.build(), &*case.network);
        if !routing.asks_again() {
            continue;
        }
        let mut explorer = Explorer::new(&case.name, &*routing, network);
        for to in network.terminals() {
            explorer.pair(TerminalId(0), to);
        }
        for (at, header) in explorer.states() {
            let options = options(&*routing, at, header);
            several += usize::from(options.len() > 1);
            for least in &options {
                let queues = Full(least.port);
                let mut rng = Random::new(2, Purpose::RoutingAgain, at.0, 0);
                let first = routing.choose(at, header, &queues, &mut rng);
                assert_eq!(first.map(|hop| hop.port), Some(least.port), "{}", case.name);
                let again: BTreeSet<Port> = (0..100)
                    .filter_map(|_| routing.choose_again(at, header, &queues, &mut rng))
                    .inspect(|hop| assert!(options.contains(hop), "{}", case.name))
                    .map(|hop| hop.port)
                    .collect();
                let all: BTreeSet<Port> = options.iter().map(|hop| hop.port).collect();
                assert_eq!(again, all, "{}", case.name);
            }
            let mut escapes = Vec::new();
            routing.escape(at, header, &mut escapes);
            let is_option =
                |escape: &turnwise_network::Hop| options.iter().any(|hop| escape.is_part_of(hop));
            assert!(escapes.iter().all(is_option), "{}", case.name);
        }
    }
    assert!(several > 100);
}

#[test]
fn too_few_virtual_channels_for_an_escape_are_refused() {
    let torus = &cases::grids()[0];
    let few = MinimalAdaptive {
        virtual_channels: Some(2),
        ..MinimalAdaptive::default()
    };
    let error = few.build(torus, &Context::default()).err().unwrap();
    assert_eq!(error.place, "virtual_channels");
    assert_eq!(
        error.help.as_deref(),
        Some("take virtual_channels = 3 or more")
    );
    let router = Context {
        router_virtual_channels: Some(2),
        ..Context::default()
    };
    let error = MinimalAdaptive::default()
        .build(torus, &router)
        .err()
        .unwrap();
    assert_eq!(error.place, "virtual_channels");
}
