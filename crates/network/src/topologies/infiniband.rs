//! InfiniBand fabrics: what `ibnetdiscover` prints of a real one, and the net files of its simulator `ibsim`.
//!
//! Format: [`read_fabric`](formats::read_fabric). Switches are routers and every adapter's port is a terminal. Latencies are the
//! study's, since the file knows none. How fast cables are it does know: a flit occupies the fastest for a cycle.

use super::Topology;
use super::edge_list::wire;
use super::latency::ChannelLatency;
use crate::builder::Size;
use crate::formats;
use crate::ids::ChannelId;
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
        let mut network = match identities {
            Some(identities) => network.with_identities(identities),
            None => network,
        };
        network.remark = slow_cables(&network).map(Into::into);
        Ok(network)
    }
}

/// Of so many cables one may be slower without anybody having meant it.
const MANY: usize = 10;

/// What is to be said of cables that are slower than most: they may have trained badly.
fn slow_cables(network: &Network) -> Option<String> {
    let switches = network.links().collect();
    let injection = |terminal| network.injection_channel(terminal);
    let adapters = network.terminals().map(injection).collect();
    let said = [("between switches", switches), ("of adapters", adapters)].map(
        |(which, cables): (_, Vec<ChannelId>)| {
            let interval = |&cable: &ChannelId| network.channel(cable).interval;
            let usual = cables.iter().map(interval).min()?;
            let slow = cables.iter().filter(|&cable| interval(cable) > usual);
            let slow: Vec<&ChannelId> = slow.collect();
            let (first, all) = (*slow.first()?, cables.len());
            let is_few = slow.len() * MANY <= all;
            is_few.then(|| {
                let (verb, example) = match slow.len() {
                    1 => ("is", ""),
                    _ => ("are", "for example "),
                };
                format!(
                    "{} of {all} cables {which} {verb} slower than the others, {example}{}: a flit takes {} cycles there where it takes {usual}",
                    slow.len(),
                    network.channel_label(*first),
                    interval(first),
                )
            })
        },
    );
    let said: Vec<String> = said.into_iter().flatten().collect();
    (!said.is_empty()).then(|| said.join("; "))
}
