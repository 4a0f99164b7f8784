//! The proof of freedom from deadlock, in a form others can check.
//!
//! A numbering of the virtual channels along which every dependency increases shows that no
//! cycle exists (Dally and Seitz, 1987). Of the many such numberings the certificate holds
//! the canonical one: the number of a vertex is the length of the longest chain of
//! dependencies that ends there. So it is unique, and any altered number can be told.
//! `tools/check_certificate.py` checks the JSON form without sharing any code with this crate.

use crate::dependencies::{Dependencies, Vertex};
use crate::wait_graph::WaitGraph;
use serde::Serialize;
use std::fmt;
use turnwise_network::FlowControl;
use turnwise_network::{Network, Vc};

/// Name of the JSON form.
pub const FORMAT: &str = "turnwise-certificate";

/// Version of the JSON form.
pub const FORMAT_VERSION: u32 = 1;

/// A checkable proof that a routing cannot deadlock.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Certificate {
    /// What the proof assumes of the flow control.
    pub flow_control: FlowControl,
    /// Virtual channels a channel.
    pub virtual_channels: Vc,
    /// The canonical number of every vertex `channel * virtual_channels + vc`; 0 for unused ones.
    pub numbers: Vec<u32>,
    /// Every dependency (held, wanted), ascending.
    pub dependencies: Vec<(Vertex, Vertex)>,
    /// Rings whose own dependencies are excused, in travelling order; each shares one number.
    pub rings: Vec<Vec<Vertex>>,
    /// How many vertices packets can use at all.
    pub used_vertices: usize,
}

impl Certificate {
    pub(crate) fn new(
        network: &Network,
        dependencies: &Dependencies,
        flow_control: FlowControl,
        graph: &WaitGraph,
        chains: &[u32],
    ) -> Self {
        let vertices =
            0..(network.channel_count() * usize::from(dependencies.virtual_channels())) as Vertex;
        Self {
            flow_control,
            virtual_channels: dependencies.virtual_channels(),
            numbers: vertices
                .clone()
                .map(|vertex| chains[graph.class_of(vertex) as usize])
                .collect(),
            dependencies: dependencies.sorted(),
            rings: graph.rings.clone(),
            used_vertices: vertices
                .filter(|&vertex| dependencies.is_used(vertex))
                .count(),
        }
    }

    /// The longest chain of dependencies: the highest number.
    pub fn longest_chain(&self) -> u32 {
        self.numbers.iter().copied().max().unwrap_or(0)
    }

    /// The JSON form; `routing` is how the caller calls the algorithm.
    ///
    /// The bytes depend on nothing but the arguments.
    pub fn to_json(&self, network: &Network, routing: &str) -> String {
        Document {
            certificate: self,
            network,
            routing,
        }
        .to_string()
    }
}

struct Document<'a> {
    certificate: &'a Certificate,
    network: &'a Network,
    routing: &'a str,
}

impl fmt::Display for Document<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Certificate {
            flow_control,
            virtual_channels,
            numbers,
            dependencies,
            rings,
            ..
        } = self.certificate;
        writeln!(f, "{{")?;
        field(f, "format", FORMAT)?;
        field(f, "version", FORMAT_VERSION)?;
        field(f, "tool", concat!("turnwise ", env!("CARGO_PKG_VERSION")))?;
        field(f, "network", self.network.description())?;
        field(f, "routing", self.routing)?;
        field(f, "flow_control", flow_control.name())?;
        field(f, "virtual_channels", virtual_channels)?;
        let channels = self.network.channels().filter_map(|(id, channel)| {
            let (from, to) = (channel.from_router()?, channel.to_router()?);
            Some((id.0, from.0, to.0, channel.class.name()))
        });
        rows(f, "channels", channels)?;
        rows(f, "rings", rings)?;
        rows(f, "dependencies", dependencies)?;
        write!(f, "\"numbers\": {}\n}}\n", json(numbers)?)
    }
}

fn field(f: &mut fmt::Formatter<'_>, name: &str, value: impl Serialize) -> fmt::Result {
    writeln!(f, "\"{name}\": {},", json(value)?)
}

/// One entry a line, so that certificates can be compared line by line.
fn rows<T: Serialize>(
    f: &mut fmt::Formatter<'_>,
    name: &str,
    rows: impl IntoIterator<Item = T>,
) -> fmt::Result {
    write!(f, "\"{name}\": [")?;
    for (index, row) in rows.into_iter().enumerate() {
        let separator = if index == 0 { "\n" } else { ",\n" };
        write!(f, "{separator}{}", json(row)?)?;
    }
    writeln!(f, "],")
}

fn json(value: impl Serialize) -> Result<String, fmt::Error> {
    serde_json::to_string(&value).map_err(|_| fmt::Error)
}
