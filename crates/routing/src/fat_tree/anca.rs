//! Adaptive nearest common ancestor: in a fat tree, up by the less used of two random ports.
//!
//! At each level a packet draws two of the ports upwards, possibly the same, and takes the one
//! with fewer flits sent and not yet credited (over all virtual channels; the first if
//! equal), until it is above its destination; the way down is unique. Two choices are
//! nearly as good as looking at all ports. Routes are minimal and out of order.
//!
//! Up before down: free of deadlock with one virtual channel. Packets take any of all the
//! router's virtual channels.
//!
//! **Faults.** A packet only draws ports behind which some way to its destination survives;
//! a pair without any is not routed.
//!
//! Source: `anca` in BookSim2's fat tree (`routefunc.cpp`, commit 28f43299); Mitzenmacher, "The
//! power of two choices in randomized load balancing", IEEE TPDS 12(10), 2001.
//!
//! Complexity: O(1) a hop (with faults O(ports upwards)), memory O(levels x terminals); with
//! faults also routers squared bits, made in O(routers x channels).
//!
//! ```
//! use std::sync::Arc;
//! use turnwise_network::random::{Purpose, Random};
//! use turnwise_network::topologies::{KAryNTree, Topology};
//! use turnwise_network::{Congestion, Port, RouterId, TerminalId, VcSet};
//! use turnwise_routing::algorithms::Anca;
//! use turnwise_routing::{Algorithm, Context};
//!
//! /// Only port 4 is idle.
//! struct Busy;
//! impl Congestion for Busy {
//!     fn unacknowledged(&self, port: Port, _: VcSet) -> u32 {
//!         u32::from(port != 4)
//!     }
//!     fn queued(&self, _: Port, _: VcSet) -> u32 {
//!         0
//!     }
//!     fn capacity(&self, _: Port) -> u32 {
//!         1
//!     }
//!     fn memory(&self) -> &[u32] {
//!         &[]
//!     }
//! }
//!
//! let tree = Arc::new(KAryNTree { arity: 4, levels: 2, ..KAryNTree::default() }.build(None)?);
//! let routing = Anca::default().build(&tree, &Context::default())?;
//! let header = routing.start(TerminalId(1), TerminalId(14)).expect("no faults").header;
//! let mut idle = 0;
//! for packet in 0..1600 {
//!     let mut rng = Random::new(1, Purpose::Routing, 1, packet);
//!     let hop = routing.choose(RouterId(0), header, &Busy, &mut rng).expect("a way up");
//!     idle += u32::from(hop.port == 4);
//! }
//! // One of two draws finds the idle port with probability 7/16.
//! assert!((650..750).contains(&idle));
//! # Ok::<(), turnwise_network::Invalid>(())
//! ```

use crate::algorithm::{Algorithm, AlgorithmEntry, Context};
use crate::fat_tree::nearest_ancestor::{NearestAncestor, Up};
use schemars::JsonSchema;
use serde::Deserialize;
use std::sync::Arc;
use turnwise_config::registry::{Entry, parse_as, schema_of};
use turnwise_network::{Invalid, Network, Routing, Shape, Vc};

pub(crate) const ENTRY: AlgorithmEntry = AlgorithmEntry {
    entry: Entry {
        name: NAME,
        aliases: &["adaptive-nca"],
        summary: "Fat trees: up by the less used of two random ports, then down",
        source: "Mitzenmacher, The power of two choices in randomized load balancing, IEEE TPDS 12(10), 2001; BookSim2",
        example: "virtual_channels = 2",
        schema: schema_of::<Anca>,
        parse: |table, errors| Some(Box::new(parse_as::<Anca, dyn Algorithm>(table, errors)?)),
    },
    fits: |shape| matches!(shape, Shape::FatTree(_)),
};

const NAME: &str = "anca";

/// Parameters of adaptive routing over nearest common ancestors.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Anca {
    /// Virtual channels to use: by default all the router has, or else 1.
    pub virtual_channels: Option<Vc>,
}

impl Algorithm for Anca {
    fn build(
        &self,
        network: &Arc<Network>,
        context: &Context<'_>,
    ) -> Result<Box<dyn Routing>, Invalid> {
        let up = Up::LessUsedOfTwo;
        NearestAncestor::build(NAME, up, self.virtual_channels, network, context)
    }
}
