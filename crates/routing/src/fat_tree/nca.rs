//! Nearest common ancestor: in a fat tree, up by random ports until the way down begins.
//!
//! At each level every packet takes any of the ports upwards with the same probability,
//! until it is above its destination; the way down is unique. Routes are minimal, spread evenly,
//! and out of order. With `per = "pair"` ports are drawn once for each pair of terminals, whose packets keep their order.
//!
//! Up before down: free of deadlock with one virtual channel. Packets take any of all the
//! router's virtual channels.
//!
//! **Faults.** A packet only takes ports behind which some way to its destination survives;
//! a pair without any is not routed. With `per = "pair"` a pair is not routed either whose ports lead to a dead link.
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

use crate::algorithm::{Algorithm, AlgorithmEntry, Context};
use crate::fat_tree::by_pair::ByPair;
use crate::fat_tree::nearest_ancestor::{NearestAncestor, Up};
use crate::fat_tree::self_routed;
use schemars::JsonSchema;
use serde::Deserialize;
use std::sync::Arc;
use turnwise_config::registry::{Entry, parse_as, schema_of};
use turnwise_network::{Invalid, Network, Routing, Shape, Vc};

pub(crate) const ENTRY: AlgorithmEntry = AlgorithmEntry {
    entry: Entry {
        name: NAME,
        aliases: &["random-nca"],
        summary: "Fat trees: up by random ports to a nearest common ancestor, then down",
        source: "Leiserson et al., The network architecture of the Connection Machine CM-5, JPDC 33(2), 1996",
        example: "virtual_channels = 2",
        schema: schema_of::<Nca>,
        parse: |table, errors| Some(Box::new(parse_as::<Nca, dyn Algorithm>(table, errors)?)),
    },
    fits: |shape| matches!(shape, Shape::FatTree(_)),
};

const NAME: &str = "nca";

/// Parameters of random routing over nearest common ancestors.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Nca {
    /// For what ports are drawn.
    pub per: Per,
    /// Virtual channels to use: by default all the router has, or else 1.
    pub virtual_channels: Option<Vc>,
}

/// For what ports are drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Per {
    /// For every packet.
    #[default]
    Packet,
    /// Once for every pair of terminals, so that its packets keep their order.
    Pair,
}

impl Algorithm for Nca {
    fn build(
        &self,
        network: &Arc<Network>,
        context: &Context<'_>,
    ) -> Result<Box<dyn Routing>, Invalid> {
        let virtual_channels = self.virtual_channels;
        match self.per {
            Per::Packet => {
                NearestAncestor::build(NAME, Up::Random, virtual_channels, network, context)
            }
            Per::Pair => {
                let seed = context.seed;
                let ascent = |_: &Network, _: &_| Ok(ByPair { seed });
                self_routed::build(NAME, ascent, virtual_channels, network, context)
            }
        }
    }
}
