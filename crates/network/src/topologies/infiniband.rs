//! InfiniBand fabrics: what `ibnetdiscover` prints of a real one, and the net files of its simulator `ibsim`.
//!
//! Format: [`read_fabric`](formats::read_fabric). Switches are routers and every adapter's port is a terminal. Latencies are the
//! study's, since the file knows none. How fast cables are it does know: a flit occupies the fastest for a cycle.

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

pub(super) const IBNETDISCOVER: Entry<dyn Topology> = Entry {
    name: "ibnetdiscover",
    aliases: &[],
    summary: "InfiniBand fabric as `ibnetdiscover` prints it",
    source: "infiniband-diags, ibnetdiscover(8)",
    example: "file = \"fabric.out\"",
    schema: schema_of::<InfiniBand>,
    parse: |table, errors| {
        Some(Box::new(parse_as::<InfiniBand, dyn Topology>(
            table, errors,
        )?))
    },
};

pub(super) const IBSIM: Entry<dyn Topology> = Entry {
    name: "ibsim",
    summary: "InfiniBand fabric from a net file of `ibsim`",
    source: "ibsim, net-examples",
    example: "file = \"fabric.net\"",
    ..IBNETDISCOVER
};

/// Parameters of a fabric read from a file.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct InfiniBand {
    /// The file.
    pub file: String,
    /// How long channels are: those between switches are local ones.
    #[serde(default)]
    pub channel_latency: ChannelLatency,
}

impl Topology for InfiniBand {
    /// Nothing is known before the file is read.
    fn size(&self) -> Size {
        Size::default()
    }

    fn file(&self) -> Option<&str> {
        Some(&self.file)
    }

    fn build(&self, text: Option<&str>) -> Result<Network, Invalid> {
        let mut identities = None;
        let read = |text: &str| {
            let fabric = formats::read_fabric(text)?;
            identities = Some(fabric.identities()?);
            fabric.listing()
        };
        let network = wire(&self.file, text, read, 0, &self.channel_latency)?;
        Ok(match identities {
            Some(identities) => network.with_identities(identities),
            None => network,
        })
    }
}
