//! Networks read from GraphML, as NetworkX, Gephi, yEd and Turnwise itself write it.
//!
//! Format: [`read_graphml`](formats::read_graphml). What the file says of terminals and
//! latencies comes before what the study says.

use super::Topology;
use super::check;
use super::edge_list::wire;
use super::latency::ChannelLatency;
use crate::builder::Size;
use crate::formats;
use crate::network::Network;
use schemars::JsonSchema;
use serde::Deserialize;
use turnwise_config::diagnostic::Invalid;
use turnwise_config::registry::{Entry, parse_as, schema_of};

pub(super) const GRAPHML: Entry<dyn Topology> = Entry {
    name: "graphml",
    aliases: &[],
    summary: "Network from a GraphML file; nodes may have `terminals`, edges `latency`",
    source: "Brandes et al., GraphML progress report, Graph Drawing 2001",
    example: "file = \"network.graphml\"",
    schema: schema_of::<GraphMl>,
    parse: |table, errors| Some(Box::new(parse_as::<GraphMl, dyn Topology>(table, errors)?)),
};

/// Parameters of a network read from GraphML.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GraphMl {
    /// The GraphML file.
    pub file: String,
    /// Terminals at the nodes without `terminals`.
    #[serde(default = "check::one")]
    pub terminals_per_router: u32,
    /// How long channels are whose edges have no `latency`.
    #[serde(default)]
    pub channel_latency: ChannelLatency,
}

impl Topology for GraphMl {
    /// Nothing is known before the file is read.
    fn size(&self) -> Size {
        Size::default()
    }

    fn file(&self) -> Option<&str> {
        Some(&self.file)
    }

    fn build(&self, text: Option<&str>) -> Result<Network, Invalid> {
        let Self {
            file,
            terminals_per_router,
            channel_latency,
        } = self;
        wire(
            file,
            text,
            formats::read_graphml,
            *terminals_per_router,
            channel_latency,
        )
    }
}
