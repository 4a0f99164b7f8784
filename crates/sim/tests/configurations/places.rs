//! Random networks, and ways to route on them.

use crate::toys::{self, Adaptive, Classes, DimensionOrder, NextHop};
use proptest::prelude::*;
use turnwise_network::topologies::{Dragonfly, HyperX, KAryNTree, Topology};
use turnwise_network::{FlowControl, Network, PerClass, Routing, Vc};

/// What is wired to what.
#[derive(Clone, Debug)]
pub(crate) enum Wires {
    Torus {
        sizes: Vec<u32>,
    },
    Mesh {
        sizes: Vec<u32>,
    },
    HyperX {
        sizes: Vec<u32>,
    },
    Dragonfly {
        groups: u32,
        routers: u32,
    },
    FatTree {
        arity: u32,
        levels: u32,
    },
    Graph {
        routers: u32,
        chords: u32,
    },
    /// Nothing but terminals, so many more.
    Router {
        more: u32,
    },
}

/// How packets go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Way {
    /// One dimension after the other, on meshes and tori.
    Order { dateline: bool },
    /// Inside one tree of the network.
    Tree,
    /// The same shortest path for each pair.
    Shortest,
    /// Any shortest path, by congestion.
    Adaptive,
}

/// A network and its routing.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    pub(crate) wires: Wires,
    pub(crate) way: Way,
    pub(crate) terminals: u32,
    pub(crate) latency: u32,
    pub(crate) terminal_latency: u32,
    /// Cycles that a flit occupies channels for.
    pub(crate) intervals: PerClass<u32>,
}

impl Place {
    pub(super) fn network(&self, seed: u64) -> Network {
        toys::slowed(self.wired(seed), self.intervals)
    }

    fn wired(&self, seed: u64) -> Network {
        let Self {
            terminals,
            latency,
            terminal_latency: outer,
            ..
        } = *self;
        let channel_latency = toys::latencies(latency, outer);
        let topology: Box<dyn Topology> = match &self.wires {
            Wires::Torus { sizes } => return toys::torus_with(sizes, terminals, latency, outer),
            Wires::Mesh { sizes } => return toys::mesh(sizes, terminals, latency, outer),
            &Wires::Graph { routers, chords } => {
                return toys::graph(routers, chords, terminals, latency, outer, seed);
            }
            &Wires::Router { more } => {
                return toys::single_router((terminals + more) as usize, outer);
            }
            Wires::HyperX { sizes } => Box::new(HyperX {
                sizes: sizes.clone(),
                terminals_per_router: terminals,
                channel_latency,
            }),
            &Wires::Dragonfly { groups, routers } => Box::new(Dragonfly {
                groups,
                routers_per_group: routers,
                terminals_per_router: terminals,
                channel_latency,
                ..Dragonfly::default()
            }),
            &Wires::FatTree { arity, levels } => Box::new(KAryNTree {
                arity,
                levels,
                channel_latency,
            }),
        };
        topology.build(None).unwrap()
    }

    fn has_dateline(&self, vcs: Vc) -> bool {
        self.way == (Way::Order { dateline: true }) && vcs > 1
    }

    /// The routing, if there are so many virtual channels.
    pub(crate) fn routing_on<'a>(&self, network: &'a Network, vcs: Vc) -> Box<dyn Routing + 'a> {
        self.routing(network, vcs)
    }

    pub(super) fn routing<'a>(&self, network: &'a Network, vcs: Vc) -> Box<dyn Routing + 'a> {
        let classes = match self.has_dateline(vcs) {
            true => Classes::Dateline,
            false => Classes::None,
        };
        match self.way {
            Way::Order { .. } => Box::new(DimensionOrder {
                network,
                vcs,
                classes,
            }),
            Way::Tree => Box::new(NextHop::tree(network, vcs)),
            Way::Shortest => Box::new(NextHop::shortest(network, vcs)),
            Way::Adaptive => Box::new(Adaptive::new(network, vcs)),
        }
    }

    pub(super) fn is_cyclic(&self, network: &Network, vcs: Vc, flow_control: FlowControl) -> bool {
        let ordered = matches!(self.way, Way::Order { .. });
        let bubble = flow_control == FlowControl::Bubble;
        match &self.wires {
            // In a ring of three, nobody goes further than one hop.
            Wires::Torus { sizes } if ordered => {
                sizes.iter().any(|&size| size > 3) && !self.has_dateline(vcs) && !bubble
            }
            Wires::Mesh { .. } if ordered => false,
            Wires::Router { .. } => false,
            _ => match self.way {
                Way::Tree => false,
                Way::Adaptive => !Adaptive::new(network, vcs).is_by_hop(),
                _ => true,
            },
        }
    }

    /// Do packets of one source and destination arrive as they were sent?
    pub(crate) fn keeps_order(&self, vcs: Vc) -> bool {
        let ties =
            matches!(self.wires, Wires::Torus { .. }) && matches!(self.way, Way::Order { .. });
        vcs == 1 && self.way != Way::Adaptive && !ties
    }
}

pub(super) fn place() -> impl Strategy<Value = Place> {
    let sizes = |largest: u32| prop::collection::vec(1u32..=largest, 1..=2);
    let grid = prop_oneof![
        3 => sizes(5).prop_map(|sizes| Wires::Torus { sizes }),
        1 => sizes(5).prop_map(|sizes| Wires::Mesh { sizes }),
    ];
    let ordered = (grid.clone(), any::<bool>())
        .prop_map(|(wires, dateline)| (wires, Way::Order { dateline }));
    let wires = prop_oneof![
        1 => grid,
        1 => sizes(3).prop_map(|sizes| Wires::HyperX { sizes }),
        1 => (1u32..=4, 1u32..=3).prop_map(|(groups, routers)| Wires::Dragonfly { groups, routers }),
        1 => (2u32..=3, 1u32..=2).prop_map(|(arity, levels)| Wires::FatTree { arity, levels }),
        2 => (2u32..=8, 0u32..=8).prop_map(|(routers, chords)| Wires::Graph { routers, chords }),
        1 => prop_oneof![9 => Just(1), 1 => 60u32..100].prop_map(|more| Wires::Router { more }),
    ];
    let way = prop_oneof![Just(Way::Tree), Just(Way::Shortest), Just(Way::Adaptive)];
    let lengths = (1u32..=3, 1u32..=5, 1u32..=3);
    let interval = || prop_oneof![1 => Just(1u32), 1 => 2u32..=4];
    let slow =
        (interval(), interval(), interval()).prop_map(|(terminal, local, global)| PerClass {
            terminal,
            local,
            global,
        });
    // What the engine is compiled for separately.
    let intervals = prop_oneof![2 => Just(PerClass::all(1)), 1 => slow];
    (prop_oneof![ordered, (wires, way)], lengths, intervals).prop_map(
        |((wires, way), (terminals, latency, terminal_latency), intervals)| Place {
            wires,
            way,
            terminals,
            latency,
            terminal_latency,
            intervals,
        },
    )
}
