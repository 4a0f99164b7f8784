//! Nearest common ancestor: in a fat tree, up by random ports until the way down begins.
//!
//! At each level every packet takes any of the ports upwards with the same probability,
//! until it is above its destination; the way down is unique. Routes are minimal, spread evenly,
//! and out of order.
//!
//! Up before down: free of deadlock with one virtual channel. Packets take any of all the
//! router's virtual channels.
//!
//! **Faults.** A packet only takes ports behind which some way to its destination survives;
//! a pair without any is not routed.
//!
//! Source: Valiant's idea on trees; Leiserson et al., "The network architecture of the
//! Connection Machine CM-5", JPDC 33(2), 1996; as `nca` in BookSim's fat tree.
//!
//! Complexity: O(1) a hop (with faults O(ports upwards)), memory O(levels x terminals); with
//! faults also routers squared bits, made in O(routers x channels).
//!
//! ```
//! use std::sync::Arc;
//! use turnwise_network::topologies::{KAryNTree, Topology};
//! use turnwise_network::{RouterId, TerminalId};
//! use turnwise_routing::algorithms::Nca;
//! use turnwise_routing::{Algorithm, Context};
//!
//! let tree = Arc::new(KAryNTree { arity: 4, levels: 2, ..KAryNTree::default() }.build(None)?);
//! let routing = Nca::default().build(&tree, &Context::default())?;
//! let start = routing.start(TerminalId(1), TerminalId(14)).expect("no faults");
//! let mut options = Vec::new();
//! routing.options(RouterId(0), start.header, &mut options);
//! assert_eq!(options.iter().map(|hop| hop.port).collect::<Vec<_>>(), [4, 5, 6, 7]);
//! # Ok::<(), turnwise_network::Invalid>(())
//! ```

use crate::algorithm::{Algorithm, Context, misfit};
use crate::draw;
use crate::lanes::Lanes;
use crate::survivors::Survivors;
use crate::tree::Tree;
use schemars::JsonSchema;
use serde::Deserialize;
use std::sync::Arc;
use turnwise_network::random::Random;
use turnwise_network::registry::{Entry, parse_as, schema_of};
use turnwise_network::{
    Congestion, Header, Hop, Invalid, Network, Port, RouterId, Routing, Shape, Start, TerminalId,
    Vc,
};

pub(super) const ENTRY: Entry<dyn Algorithm> = Entry {
    name: NAME,
    aliases: &["random-nca"],
    summary: "Fat trees: up by random ports to a nearest common ancestor, then down",
    source: "Leiserson et al., The network architecture of the Connection Machine CM-5, JPDC 33(2), 1996",
    example: "virtual_channels = 2",
    schema: schema_of::<Nca>,
    parse: |table, errors| Some(Box::new(parse_as::<Nca, dyn Algorithm>(table, errors)?)),
};

const NAME: &str = "nca";

/// Parameters of random routing over nearest common ancestors.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Nca {
    /// Virtual channels to use: by default all the router has, or else 1.
    pub virtual_channels: Option<Vc>,
}

impl Algorithm for Nca {
    fn fits(&self, shape: &Shape) -> bool {
        matches!(shape, Shape::FatTree(_))
    }

    fn build(
        &self,
        network: &Arc<Network>,
        context: &Context<'_>,
    ) -> Result<Box<dyn Routing>, Invalid> {
        let Shape::FatTree(shape) = network.shape() else {
            return Err(misfit(NAME, "fat trees", network));
        };
        let default = self
            .virtual_channels
            .or(context.router_virtual_channels)
            .unwrap_or(1);
        let lanes = Lanes::new(NAME, self.virtual_channels, default, context)?;
        let tree = Tree::new(network, shape);
        let may = |at, destination, port: Port| {
            let Some(terminal) = network.terminals_of(destination).next().map(TerminalId) else {
                return false;
            };
            match tree.is_above(at, terminal) {
                true => port == tree.down_port(at, terminal),
                false => tree.up_ports(at).contains(&port),
            }
        };
        let survivors = (!tree.complete).then(|| Survivors::of_rule(network, may));
        Ok(Box::new(NcaRouting {
            tree,
            lanes,
            survivors,
        }))
    }
}

struct NcaRouting {
    tree: Tree,
    lanes: Lanes,
    survivors: Option<Survivors>,
}

impl NcaRouting {
    /// The way down, or out; `None` while there is a choice of ways up.
    fn down(&self, at: RouterId, header: Header) -> Option<Hop> {
        let tree = &self.tree;
        let destination = tree.network.router_of(header.destination);
        if at == destination {
            let port = tree.network.terminal_port(header.destination);
            return Some(Hop {
                port,
                vcs: self.lanes.all(),
                header,
            });
        }
        tree.is_above(at, header.destination)
            .then(|| self.hop(tree.down_port(at, header.destination), header))
    }

    fn hop(&self, port: Port, header: Header) -> Hop {
        Hop {
            port,
            vcs: self.lanes.every_class(),
            header,
        }
    }

    /// The ports upwards behind which the destination can be reached.
    fn ups(&self, at: RouterId, header: Header) -> impl Iterator<Item = Port> + Clone {
        let network = &self.tree.network;
        let destination = network.router_of(header.destination);
        self.tree.up_ports(at).filter(move |&port| {
            self.survivors.as_ref().is_none_or(|survivors| {
                network
                    .next_router(at, port)
                    .is_some_and(|next| survivors.reaches(next, destination))
            })
        })
    }
}

impl Routing for NcaRouting {
    fn virtual_channels(&self) -> Vc {
        self.lanes.total
    }

    fn start(&self, source: TerminalId, destination: TerminalId) -> Option<Start> {
        let network = &self.tree.network;
        let alive = network.is_terminal_alive(source) && network.is_terminal_alive(destination);
        let (from, to) = (network.router_of(source), network.router_of(destination));
        let reaches = self
            .survivors
            .as_ref()
            .is_none_or(|survivors| survivors.reaches(from, to));
        (alive && reaches).then(|| Start {
            header: Header::to(destination),
            vcs: self.lanes.all(),
        })
    }

    fn options(&self, at: RouterId, header: Header, options: &mut Vec<Hop>) {
        match self.down(at, header) {
            Some(hop) => options.push(hop),
            None => options.extend(self.ups(at, header).map(|port| self.hop(port, header))),
        }
    }

    fn choose(
        &self,
        at: RouterId,
        header: Header,
        _: &dyn Congestion,
        dice: &mut Random,
    ) -> Option<Hop> {
        if let Some(hop) = self.down(at, header) {
            return Some(hop);
        }
        let port = if self.survivors.is_none() {
            let ups = self.tree.up_ports(at);
            let drawn = draw::below(u32::from(ups.end - ups.start), dice) as Port;
            (!ups.is_empty()).then_some(ups.start + drawn)
        } else {
            draw::among(self.ups(at, header), dice)
        };
        port.map(|port| self.hop(port, header))
    }
}
