//! Readers and writers of network files: text in, values out, and the other way round.
//!
//! Readers turn a text into a [`Listing`], which topologies wire, or into a [`Fabric`](infiniband::Fabric), which has one; what is
//! wrong in a text is a [`Flaw`](turnwise_config::Flaw) with its line and column. Writers turn any [`Network`] into a text and are all
//! listed in [`WRITERS`].

mod anynet;
mod dot;
mod edge_list;
mod graphml;
pub mod infiniband;
mod json;
mod links;
mod listing;
mod topology_conf;
mod words;

pub use anynet::read as read_anynet;
pub use dot::write as write_dot;
pub use edge_list::read as read_edge_list;
pub use graphml::{read as read_graphml, write as write_graphml};
pub use infiniband::read as read_fabric;
pub use json::{read as read_json, write as write_json};
pub use listing::{ListedCycles, ListedLink, ListedRouter, Listing};
pub use topology_conf::{SwitchTree, read as read_topology_conf};

use crate::network::Network;
use turnwise_config::diagnostic::Invalid;

/// One way to write a network as text.
#[derive(Clone, Copy, Debug)]
pub struct Writer {
    /// How the command line selects it; also the usual extension of its files.
    pub name: &'static str,
    /// One line for lists, without a full stop.
    pub summary: &'static str,
    /// Writes a network.
    ///
    /// # Errors
    /// A network that the format cannot hold.
    pub write: fn(&Network) -> Result<String, Invalid>,
}

impl Writer {
    /// What the format cannot say of this network although it is meant to be read again, if anything.
    pub fn leaves_out(&self, network: &Network) -> Option<&'static str> {
        match self.name {
            "net" => {
                let ids = 0..network.total_channel_count();
                let mut all = ids.map(|id| network.channel(id.into()));
                let latencies = all.any(|channel| channel.latency != 1);
                match (latencies, !infiniband::tells_speeds(network)) {
                    (true, true) => Some("latencies and speeds of channels"),
                    (true, false) => Some("latencies of channels"),
                    (false, true) => Some("speeds of channels"),
                    (false, false) => None,
                }
            }
            "conf" if topology_conf::flattens(network) => Some(
                "links between switches: Slurm knows trees only, and all of them hang on one here",
            ),
            _ => None,
        }
    }
}

/// Every format a network can be written in.
pub const WRITERS: &[Writer] = &[
    Writer {
        name: "dot",
        summary: "Graphviz, to be drawn by dot or neato",
        write: |network| Ok(dot::write(network)),
    },
    Writer {
        name: "graphml",
        summary: "GraphML, read by NetworkX, Gephi, yEd and `kind = \"graphml\"`",
        write: |network| Ok(graphml::write(network)),
    },
    Writer {
        name: "json",
        summary: "JSON with every port, class and latency, read by `kind = \"edge-list\"`",
        write: |network| Ok(json::write(network)),
    },
    Writer {
        name: "net",
        summary: "InfiniBand fabric, read by ibsim and `kind = \"ibsim\"`",
        write: infiniband::write,
    },
    Writer {
        name: "conf",
        summary: "topology.conf of Slurm, for its plugin topology/tree, read by `kind = \"topology-conf\"`",
        write: topology_conf::write,
    },
];

/// The writer called `name`, in letters of either case, since extensions of files have both.
pub fn writer(name: &str) -> Option<&'static Writer> {
    WRITERS
        .iter()
        .find(|writer| writer.name.eq_ignore_ascii_case(name))
}
