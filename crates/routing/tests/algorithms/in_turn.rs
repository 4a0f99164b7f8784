//! Ports in turn, frame by frame: how evenly frames are spread, and when a port loses its turn.

use std::sync::Arc;
use turnwise_network::topologies::{Topology, Xgft};
use turnwise_network::{
    Congestion, Heard, Network, Notification, Passing, Port, RouterId, Routing, TerminalId, VcSet,
};
use turnwise_routing::algorithms::InTurn;
use turnwise_routing::{Algorithm, Context};

const LEAVES: u32 = 4;
const ROOTS: u32 = 4;
const LONG: u32 = 1500;

/// Flits in the output queues of a switch, by port.
struct Queues([u32; 8]);

impl Congestion for Queues {
    fn unacknowledged(&self, _: Port, _: VcSet) -> u32 {
        0
    }

    fn queued(&self, port: Port, _: VcSet) -> u32 {
        self.0[usize::from(port)]
    }

    fn capacity(&self, _: Port) -> u32 {
        u32::MAX
    }

    fn memory(&self) -> &[u32] {
        &[]
    }
}

/// The first leaf of a tree, whose four ports upwards come after those of its four terminals.
struct Leaf {
    network: Arc<Network>,
    routing: Box<dyn Routing>,
    table: Vec<u32>,
    queues: Queues,
}

impl Leaf {
    fn new() -> Self {
        let tree = Xgft {
            m: vec![4, LEAVES],
            w: vec![1, ROOTS],
            ..Xgft::default()
        };
        let network = Arc::new(tree.build(None).unwrap());
        let in_turn = InTurn {
            turn_flits: Some(LONG),
            ..InTurn::default()
        };
        let routing = in_turn.build(&network, &Context::default()).unwrap();
        Self {
            network,
            routing,
            table: Vec::new(),
            queues: Queues([0; 8]),
        }
    }

    /// The port that a frame takes.
    fn send(&mut self, destination: u32, flits: u32, now: u64) -> Port {
        let [source, destination] = [0, destination].map(TerminalId);
        let header = self.routing.start(source, destination).unwrap().header;
        let passing = Passing { source, flits, now };
        let snooping = self.routing.snooping().unwrap();
        let hop = snooping.choose(
            self.network.router_of(source),
            header,
            passing,
            &self.queues,
            &mut self.table,
        );
        hop.unwrap().port
    }
}

const UPWARDS: std::ops::Range<Port> = 4..8;
/// A terminal of each of the three other leaves.
const OTHERS: [u32; 3] = [4, 8, 12];

/// What goes to each leaf is spread to within a frame, in whatever order leaves and lengths come.
#[test]
fn every_root_gets_its_share_of_what_goes_to_a_leaf() {
    let orders: [&[(usize, u32)]; 4] = [
        &[(0, LONG)],
        &[(0, LONG), (1, LONG), (2, LONG), (0, LONG)],
        // An even number of ports: if each frame were a turn, long ones would only go by every other port.
        &[(0, LONG), (0, 64)],
        &[(0, 64), (1, 900), (0, LONG), (2, 300), (1, 64)],
    ];
    for order in orders {
        let mut leaf = Leaf::new();
        let mut flits = [[0; 8]; OTHERS.len()];
        for &(to, length) in order.iter().cycle().take(4000) {
            let port = leaf.send(OTHERS[to], length, 0);
            flits[to][usize::from(port)] += length;
        }
        for by_port in flits {
            let [most, least] = [by_port[4..].iter().max(), by_port[4..].iter().min()];
            let apart = most.unwrap() - least.unwrap();
            assert!(apart <= 2 * LONG, "{order:?}: {by_port:?}");
        }
    }
}

/// A port whose queue is much longer than the others is passed over, and so is one behind which a notification has told of congestion, for
/// the leaf of which it told.
#[test]
fn bad_ports_are_passed_over() {
    let mut leaf = Leaf::new();
    leaf.queues.0[4..].fill(LONG);
    leaf.queues.0[6] = 10 * LONG;
    let taken = |leaf: &mut Leaf, to| sorted((0..3).map(|_| leaf.send(to, LONG, 0)).collect());
    assert_eq!(taken(&mut leaf, OTHERS[0]), [4, 5, 7]);
    leaf.queues.0[6] = 0;
    let heard = Heard {
        notification: Notification {
            source: TerminalId(0),
            destination: TerminalId(OTHERS[1]),
            severity: 9,
        },
        port: 5,
        is_local: false,
        now: 0,
    };
    let snooping = leaf.routing.snooping().unwrap();
    assert!(!snooping.hear(RouterId(0), &heard, &mut leaf.table));
    assert_eq!(taken(&mut leaf, OTHERS[1]), [4, 6, 7]);
    let four = sorted((0..4).map(|_| leaf.send(OTHERS[2], LONG, 0)).collect());
    assert_eq!(four, UPWARDS.collect::<Vec<_>>());
}

fn sorted(mut ports: Vec<Port>) -> Vec<Port> {
    ports.sort_unstable();
    ports
}
