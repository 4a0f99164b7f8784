//! D-mod-k: in a fat tree, the destination decides on the way up.
//!
//! On the way up, a switch of level `l` takes parent number
//! `floor(d / (m_1 .. m_(l-1))) mod w_(l+1)`, where `d` is the destination's number; the way
//! down is unique. So all packets to a terminal come down
//! over the same root, and what contends for a terminal contends nowhere else. With
//! `variant = "w"` the products are those of `w_1 .. w_l` instead, which is the same
//! in a tree that is not slimmed.
//!
//! Up before down: free of deadlock with one virtual channel. Packets take any of all the
//! router's virtual channels. Routes are minimal.
//!
//! **Faults.** A pair is routed if its only route survives.
//!
//! Source: Gómez et al., "Deterministic versus adaptive routing in fat-trees", IPDPS 2007;
//! Zahavi, "Fat-tree routing and node ordering providing contention free traffic for MPI
//! global collectives", JPDC 72(11), 2012; Rodriguez et al., CLUSTER 2009.
//!
//! Complexity: O(1) a hop, memory O(levels x terminals); with faults each packet's route is
//! walked once when it sets out.
//!
//! ```
//! use std::sync::Arc;
//! use turnwise_network::topologies::{KAryNTree, Topology};
//! use turnwise_network::{RouterId, TerminalId};
//! use turnwise_routing::algorithms::DModK;
//! use turnwise_routing::{Algorithm, Context};
//!
//! let tree = Arc::new(KAryNTree { arity: 4, levels: 2, ..KAryNTree::default() }.build(None)?);
//! let routing = DModK::default().build(&tree, &Context::default())?;
//! // From terminal 1 to terminal 14: 14 mod 4 = 2, and up ports follow the 4 down ports.
//! let start = routing.start(TerminalId(1), TerminalId(14)).expect("no faults");
//! let mut options = Vec::new();
//! routing.options(RouterId(0), start.header, &mut options);
//! assert_eq!(options.len(), 1);
//! assert_eq!(options[0].port, 4 + 2);
//! # Ok::<(), turnwise_network::Invalid>(())
//! ```

use crate::algorithm::{Algorithm, AlgorithmEntry, Context};
use crate::fat_tree::by_number::{ByNumber, Key, Variant};
use crate::fat_tree::self_routed;
use schemars::JsonSchema;
use serde::Deserialize;
use std::sync::Arc;
use turnwise_config::registry::{Entry, parse_as, schema_of};
use turnwise_network::{Invalid, Network, Routing, Vc};

pub(crate) const ENTRY: AlgorithmEntry = AlgorithmEntry {
    entry: Entry {
        name: NAME,
        aliases: &["dmodk"],
        summary: "Fat trees: the destination decides on the way up",
        source: "Gómez et al., Deterministic versus adaptive routing in fat-trees, IPDPS 2007",
        example: "variant = \"w\"",
        schema: schema_of::<DModK>,
        parse: |table, errors| Some(Box::new(parse_as::<DModK, dyn Algorithm>(table, errors)?)),
    },
    fits: self_routed::fits,
};

const NAME: &str = "d-mod-k";

/// Parameters of d-mod-k routing.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct DModK {
    /// What the terminal's number is divided by.
    pub variant: Variant,
    /// Virtual channels to use: by default all the router has, or else 1.
    pub virtual_channels: Option<Vc>,
}

impl Algorithm for DModK {
    fn build(
        &self,
        network: &Arc<Network>,
        context: &Context<'_>,
    ) -> Result<Box<dyn Routing>, Invalid> {
        let (key, variant) = (Key::Destination, self.variant);
        let ascent =
            |network: &Network, shape: &_| Ok(ByNumber::plain(network, shape, key, variant));
        self_routed::build(NAME, ascent, self.virtual_channels, network, context)
    }
}
