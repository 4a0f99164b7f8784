//! Networks as Slurm knows them: trees of switches from a `topology.conf`.
//!
//! Format: [`read_topology_conf`](formats::read_topology_conf). Switches are routers and nodes are terminals. Latencies are the study's, since the
//! file knows none.

use super::Topology;
use super::edge_list::wire;
use super::latency::ChannelLatency;
use crate::builder::Size;
use crate::formats;
use crate::identities::Identities;
use crate::network::Network;
use schemars::JsonSchema;
use serde::Deserialize;
use turnwise_config::diagnostic::Invalid;
use turnwise_config::registry::{Entry, parse_as, schema_of};

pub(super) const TOPOLOGY_CONF: Entry<dyn Topology> = Entry {
    name: "topology-conf",
    aliases: &["slurm"],
    summary: "Tree of switches from a `topology.conf` of Slurm",
    source: "Slurm, topology.conf(5), plugin topology/tree",
    example: "file = \"topology.conf\"",
    schema: schema_of::<TopologyConf>,
    parse: |table, errors| {
        Some(Box::new(parse_as::<TopologyConf, dyn Topology>(
            table, errors,
        )?))
    },
};

/// Parameters of a network read from a `topology.conf`.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TopologyConf {
    /// The file.
    pub file: String,
    /// How long channels are: those between switches are local ones.
    #[serde(default)]
    pub channel_latency: ChannelLatency,
}

impl Topology for TopologyConf {
    /// Nothing is known before the file is read.
    fn size(&self) -> Size {
        Size::default()
    }

    fn file(&self) -> Option<&str> {
        Some(&self.file)
    }

    fn build(&self, text: Option<&str>) -> Result<Network, Invalid> {
        let (mut switches, mut nodes) = (Vec::new(), Vec::new());
        let read = |text: &str| {
            let tree = formats::read_topology_conf(text)?;
            (switches, nodes) = (tree.switches, tree.nodes);
            Ok(tree.listing)
        };
        let network = wire(&self.file, text, read, 0, &self.channel_latency)?;
        // Switches of Slurm may have more nodes than those of a subnet have ports; these keep their numbers.
        let Ok(mut known) = Identities::made_up(&network) else {
            return Ok(network);
        };
        for (switch, name) in known.switches.iter_mut().zip(switches) {
            switch.name = name;
        }
        for (adapter, name) in known.adapters.iter_mut().zip(nodes) {
            adapter.name = name;
        }
        Ok(network.with_identities(known))
    }
}
