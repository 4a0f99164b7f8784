//! Networks read from a list of links, or from the JSON that `turnwise network` writes.
//!
//! Formats: [`read_edge_list`](formats::read_edge_list) and [`read_json`](formats::read_json);
//! a text that starts with `{` is JSON. What the file says of terminals and latencies comes
//! before what the study says.

use super::Topology;
use super::check;
use super::latency::ChannelLatency;
use crate::builder::Size;
use crate::formats::{self, Listing};
use crate::network::Network;
use schemars::JsonSchema;
use serde::Deserialize;
use turnwise_config::Flaw;
use turnwise_config::diagnostic::Invalid;
use turnwise_config::registry::{Entry, parse_as, schema_of};

pub(super) const EDGE_LIST: Entry<dyn Topology> = Entry {
    name: "edge-list",
    aliases: &[],
    summary: "Network from a file: one link `a b [latency]` a line, or JSON",
    source: "Turnwise's own format; `a b` lines are what most graph tools read and write",
    example: "file = \"links.txt\"\nterminals_per_router = 4",
    schema: schema_of::<EdgeList>,
    parse: |table, errors| Some(Box::new(parse_as::<EdgeList, dyn Topology>(table, errors)?)),
};

/// Parameters of a network read from an edge list or JSON.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct EdgeList {
    /// The file: a line `a b [latency]` for each link, of routers' numbers or names, and, if wanted, `routers 8`, `terminals_per_router 4` and
    /// `terminals 0 16` for a router by itself; `#` begins a comment. Or JSON, as `turnwise network --export` writes it.
    pub file: String,
    /// Terminals at the routers of which the file says nothing.
    #[serde(default = "check::one")]
    pub terminals_per_router: u32,
    /// How long channels are of which the file says nothing.
    #[serde(default)]
    pub channel_latency: ChannelLatency,
}

impl Topology for EdgeList {
    /// Nothing is known before the file is read.
    fn size(&self) -> Size {
        Size::default()
    }

    fn file(&self) -> Option<&str> {
        Some(&self.file)
    }

    fn build(&self, text: Option<&str>) -> Result<Network, Invalid> {
        let read = |text: &str| match text.trim_start().starts_with('{') {
            true => formats::read_json(text),
            false => formats::read_edge_list(text),
        };
        wire(
            &self.file,
            text,
            read,
            self.terminals_per_router,
            &self.channel_latency,
        )
    }
}

/// Reads a file's text and wires what it lists.
pub(super) fn wire(
    file: &str,
    text: Option<&str>,
    read: impl FnOnce(&str) -> Result<Listing, Flaw>,
    terminals_per_router: u32,
    latency: &ChannelLatency,
) -> Result<Network, Invalid> {
    let text = text.ok_or_else(|| Invalid::new("file", format!("{file} has not been read")))?;
    // Windows programs put a byte order mark in front of their text files.
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let build = |listing: Listing| {
        let is_listed_twice = listing.is_listed_twice();
        let mut network = listing.build(file.to_owned(), terminals_per_router, latency)?;
        if is_listed_twice {
            let remark = format!(
                "{file} lists every link from both ends, and each time it is a link here: two of them join the routers; list it once if one is meant"
            );
            network.remark = Some(remark.into());
        }
        Ok(network)
    };
    read(text)
        .and_then(build)
        .map_err(|flaw| flaw.in_file(file, text))
}
