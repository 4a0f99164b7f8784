//! Networks read from BookSim2's `anynet` files.
//!
//! Format: [`read_anynet`](formats::read_anynet), which says all there is to know.

use super::Topology;
use super::edge_list::wire;
use super::latency::ChannelLatency;
use crate::builder::Size;
use crate::formats;
use crate::network::Network;
use schemars::JsonSchema;
use serde::Deserialize;
use turnwise_config::diagnostic::Invalid;
use turnwise_config::registry::{Entry, parse_as, schema_of};

pub(super) const ANYNET: Entry<dyn Topology> = Entry {
    name: "anynet",
    aliases: &[],
    summary: "Network from an `anynet` file of BookSim2",
    source: "BookSim2, src/networks/anynet.cpp",
    example: "file = \"network.anynet\"",
    schema: schema_of::<AnyNet>,
    parse: |table, errors| Some(Box::new(parse_as::<AnyNet, dyn Topology>(table, errors)?)),
};

/// Parameters of a network read from an `anynet` file.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AnyNet {
    /// The file. Terminals are numbered router by router, also where its nodes are not.
    pub file: String,
}

impl Topology for AnyNet {
    /// Nothing is known before the file is read.
    fn size(&self) -> Size {
        Size::default()
    }

    fn file(&self) -> Option<&str> {
        Some(&self.file)
    }

    fn build(&self, text: Option<&str>) -> Result<Network, Invalid> {
        let latency = ChannelLatency::default();
        let mut renumbered = None;
        let read = |text: &str| {
            let listing = formats::read_anynet(text)?;
            renumbered = listing.renumbered;
            Ok(listing)
        };
        let mut network = wire(&self.file, text, read, 0, &latency)?;
        network.remark = renumbered.map(|[terminal, node]| {
            let remark = format!(
                "terminals are numbered router by router, and the nodes of {} are not: node {node} is terminal {terminal}, so that patterns and \
                 placements that go by numbers are others than BookSim2's; number the nodes router by router to have the same",
                self.file
            );
            remark.into()
        });
        Ok(network)
    }
}
