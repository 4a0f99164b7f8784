//! S-mod-k: in a fat tree, the source decides on the way up.
//!
//! On the way up, a switch of level `l` takes parent number
//! `floor(s / (m_1 .. m_(l-1))) mod w_(l+1)`, where `s` is the source's number; the way
//! down is unique. So all packets of a terminal go up
//! over the same root: the mirror image of `d-mod-k`. With
//! `variant = "w"` the products are those of `w_1 .. w_l` instead, which is the same
//! in a tree that is not slimmed.
//!
//! Up before down: free of deadlock with one virtual channel. Packets take any of all the
//! router's virtual channels. Routes are minimal.
//!
//! **Faults.** A pair is routed if its only route survives.
//!
//! Source: Leiserson et al., "The network architecture of the Connection Machine CM-5", JPDC
//! 33(2), 1996; Rodriguez et al., "Oblivious routing schemes in extended generalized fat tree
//! networks", CLUSTER 2009.
//!
//! Complexity: O(1) a hop, memory O(levels x terminals); with faults each packet's route is
//! walked once when it sets out.
//!
//! ```
//! use std::sync::Arc;
//! use turnwise_network::topologies::{KAryNTree, Topology};
//! use turnwise_network::{RouterId, TerminalId};
//! use turnwise_routing::algorithms::SModK;
//! use turnwise_routing::{Algorithm, Context};
//!
//! let tree = Arc::new(KAryNTree { arity: 4, levels: 2, ..KAryNTree::default() }.build(None)?);
//! let routing = SModK::default().build(&tree, &Context::default())?;
//! // From terminal 1 to terminal 14: 1 mod 4 = 1, and up ports follow the 4 down ports.
//! let start = routing.start(TerminalId(1), TerminalId(14)).expect("no faults");
//! let mut options = Vec::new();
//! routing.options(RouterId(0), start.header, &mut options);
//! assert_eq!(options.len(), 1);
//! assert_eq!(options[0].port, 4 + 1);
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
        aliases: &["smodk"],
        summary: "Fat trees: the source decides on the way up",
        source: "Rodriguez et al., Oblivious routing schemes in extended generalized fat tree networks, CLUSTER 2009",
        example: "variant = \"w\"",
        schema: schema_of::<SModK>,
        parse: |table, errors| Some(Box::new(parse_as::<SModK, dyn Algorithm>(table, errors)?)),
    },
    fits: self_routed::fits,
};

const NAME: &str = "s-mod-k";

/// Parameters of s-mod-k routing.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct SModK {
    /// What the terminal's number is divided by.
    pub variant: Variant,
    /// Virtual channels to use: by default all the router has, or else 1.
    pub virtual_channels: Option<Vc>,
}

impl Algorithm for SModK {
    fn build(
        &self,
        network: &Arc<Network>,
        context: &Context<'_>,
    ) -> Result<Box<dyn Routing>, Invalid> {
        let (key, variant) = (Key::Source, self.variant);
        let ascent =
            |network: &Network, shape: &_| Ok(ByNumber::plain(network, shape, key, variant));
        self_routed::build(NAME, ascent, self.virtual_channels, network, context)
    }
}
