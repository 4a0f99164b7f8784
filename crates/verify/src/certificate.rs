//! The proof of freedom from deadlock, in a form others can check.
//!
//! A numbering of the virtual channels along which every dependency increases shows that no
//! cycle exists (Dally and Seitz, 1987). Of the many such numberings the certificate holds
//! the canonical one: the number of a vertex is the length of the longest chain of
//! dependencies that ends there. So it is unique, and any altered number can be told. What the
//! numbering does not depend on, such as channels that nothing waits for, a digest binds.
//! A proof by [escape](crate::escape) numbers the virtual channels of the escape along its extended dependencies.
//! Dependencies that [no packet needs](crate::optional) are listed apart.
//! Where terminals [answer](crate::Protocol), their channels are numbered behind those between routers, and the
//! certificate says on which of their virtual channels messages wait, and for which.
//! `tools/check_certificate.py` checks the JSON form without sharing any code with this crate.

use crate::assumptions::Assumptions;
use crate::dependencies::{Dependencies, Vertex};
use crate::terminals::Exchange;
use crate::wait_graph::WaitGraph;
use serde::Serialize;
use sha2::{Digest, Sha256};
use std::fmt;
use turnwise_network::{End, Network, Port, Vc};

/// Name of the JSON form.
pub const FORMAT: &str = "turnwise-certificate";

/// Version of the JSON form.
pub const FORMAT_VERSION: u32 = 3;

/// Version of the JSON form where terminals answer.
pub const FORMAT_VERSION_WITH_ANSWERS: u32 = 4;

/// Version of the JSON form where dependencies are optional, whether terminals answer or not.
pub const FORMAT_VERSION_WITH_OPTIONAL: u32 = 5;

/// A checkable proof that a routing cannot deadlock.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Certificate {
    /// What the proof assumes of the routers.
    pub assumptions: Assumptions,
    /// Virtual channels a channel.
    pub virtual_channels: Vc,
    /// The canonical number of every vertex `channel * virtual_channels + vc`; 0 for unused ones.
    pub numbers: Vec<u32>,
    /// Every dependency (held, wanted), ascending; of a proof by escape those of the extended graph.
    pub dependencies: Vec<(Vertex, Vertex)>,
    /// Changes of the virtual channel along a ring, ascending, that packets may wait for but need not; not among the others.
    pub optional: Vec<(Vertex, Vertex)>,
    /// Of a proof by escape, every virtual channel that the escape offers, ascending; otherwise none.
    pub escape: Vec<Vertex>,
    /// Rings whose own dependencies are excused, in travelling order; each shares one number.
    pub rings: Vec<Vec<Vertex>>,
    /// How many vertices packets can use at all.
    pub used_vertices: usize,
    /// Which messages may wait at terminals for which, ascending: `(received, sent)`. None by default.
    pub answers: Vec<(u8, u8)>,
    /// By terminal, then by answer, on which virtual channels.
    pub exchanges: Vec<Exchange>,
}

impl Certificate {
    pub(crate) fn new(
        dependencies: &Dependencies,
        assumptions: Assumptions,
        graph: &WaitGraph,
        chains: &[u32],
    ) -> Self {
        let vertices = 0..dependencies.vertex_count() as Vertex;
        Self {
            assumptions,
            virtual_channels: dependencies.virtual_channels(),
            numbers: vertices
                .map(|vertex| chains[graph.class_of(vertex) as usize])
                .collect(),
            dependencies: graph.needed(dependencies),
            optional: graph.optional.clone(),
            escape: Vec::new(),
            rings: graph.rings.clone(),
            used_vertices: used(dependencies),
            answers: answers(dependencies),
            exchanges: exchanges(dependencies),
        }
    }

    /// A proof by an escape that offers these vertices, whose extended dependencies are these.
    pub(crate) fn by_escape(
        dependencies: &Dependencies,
        assumptions: Assumptions,
        escape: Vec<Vertex>,
        extended: Vec<(Vertex, Vertex)>,
        numbers: Vec<u32>,
    ) -> Self {
        Self {
            assumptions,
            virtual_channels: dependencies.virtual_channels(),
            numbers,
            dependencies: extended,
            optional: Vec::new(),
            escape,
            rings: Vec::new(),
            used_vertices: used(dependencies),
            answers: answers(dependencies),
            exchanges: exchanges(dependencies),
        }
    }

    /// Does an escape prove it, rather than dependencies without a cycle?
    pub fn is_by_escape(&self) -> bool {
        !self.escape.is_empty()
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

/// How many vertices packets can hold.
fn used(dependencies: &Dependencies) -> usize {
    let vertices = 0..dependencies.vertex_count() as Vertex;
    vertices
        .filter(|&vertex| dependencies.is_used(vertex))
        .count()
}

fn answers(dependencies: &Dependencies) -> Vec<(u8, u8)> {
    let terminals = dependencies.terminals();
    terminals.map_or(Vec::new(), |all| all.answers().to_vec())
}

fn exchanges(dependencies: &Dependencies) -> Vec<Exchange> {
    let terminals = dependencies.terminals();
    terminals.map_or(Vec::new(), |all| all.all_exchanges().to_vec())
}

struct Document<'a> {
    certificate: &'a Certificate,
    network: &'a Network,
    routing: &'a str,
}

impl fmt::Display for Document<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Certificate {
            assumptions,
            virtual_channels,
            numbers,
            dependencies,
            optional,
            escape,
            rings,
            ..
        } = self.certificate;
        writeln!(f, "{{")?;
        field(f, "format", FORMAT)?;
        let answers = &self.certificate.answers;
        let version = match (optional.is_empty(), answers.is_empty()) {
            (true, true) => FORMAT_VERSION,
            (true, false) => FORMAT_VERSION_WITH_ANSWERS,
            (false, _) => FORMAT_VERSION_WITH_OPTIONAL,
        };
        field(f, "version", version)?;
        field(f, "tool", concat!("turnwise ", env!("CARGO_PKG_VERSION")))?;
        field(f, "network", self.network.description())?;
        field(f, "routing", self.routing)?;
        field(f, "flow_control", assumptions.flow_control.name())?;
        field(f, "one_packet_buffers", assumptions.one_packet_buffers)?;
        field(f, "virtual_channels", virtual_channels)?;
        rows(f, "channels", self.channels())?;
        if !answers.is_empty() {
            field(f, "answers", answers)?;
            rows(f, "terminals", self.terminals())?;
        }
        rows(f, "rings", rings)?;
        writeln!(f, "\"escape\": {},", json(escape)?)?;
        rows(f, "dependencies", dependencies)?;
        if !optional.is_empty() {
            rows(f, "optional", optional)?;
        }
        writeln!(f, "\"numbers\": {},", json(numbers)?)?;
        write!(f, "\"sha256\": {}\n}}\n", json(self.digest())?)
    }
}

/// Id, router and port at either end, class.
type Row = (u32, u32, Port, u32, Port, String);

/// Id, router, port; for each answer the virtual channels that messages wait on, and those they wait for.
type TerminalRow = (u32, u32, Port, Vec<[u32; 2]>);

impl Document<'_> {
    fn channels(&self) -> impl Iterator<Item = Row> {
        let channels = self.network.channels();
        channels.filter_map(|(id, channel)| match (channel.source, channel.target) {
            (End::Router(from, out), End::Router(to, into)) => {
                let class = channel.class.name();
                Some((id.0, from.0, out, to.0, into, class))
            }
            _ => None,
        })
    }

    fn terminals(&self) -> impl Iterator<Item = TerminalRow> {
        let Certificate {
            answers, exchanges, ..
        } = self.certificate;
        let terminals = self.network.terminals();
        let each = terminals.zip(exchanges.chunks(answers.len().max(1)));
        each.map(|(terminal, exchanges)| {
            let masks = exchanges.iter();
            let masks = masks.map(|exchange| [exchange.ejected.0, exchange.injected.0]);
            let router = self.network.router_of(terminal);
            let port = self.network.terminal_port(terminal);
            (terminal.0, router.0, port, masks.collect())
        })
    }

    /// SHA-256 of all that is proved and of what, one row a line, as the checker computes it too.
    fn digest(&self) -> String {
        let proof = self.certificate;
        let mut digest = Sha256::new();
        let mut line = |text: String| digest.update(text + "\n");
        line(format!("network {}", self.network.description()));
        line(format!("routing {}", self.routing));
        let assumed = proof.assumptions;
        line(format!("flow_control {}", assumed.flow_control.name()));
        line(format!("one_packet_buffers {}", assumed.one_packet_buffers));
        line(format!("virtual_channels {}", proof.virtual_channels));
        line("channels".to_owned());
        for (id, from, out, to, into, class) in self.channels() {
            line(format!("{id} {from} {out} {to} {into} {class}"));
        }
        if !proof.answers.is_empty() {
            line("answers".to_owned());
            for (received, sent) in &proof.answers {
                line(format!("{received} {sent}"));
            }
            line("terminals".to_owned());
            for (id, router, port, masks) in self.terminals() {
                let masks = masks.concat();
                let masks: Vec<String> = masks.iter().map(u32::to_string).collect();
                line(format!("{id} {router} {port} {}", masks.join(" ")));
            }
        }
        line("rings".to_owned());
        for ring in &proof.rings {
            let vertices: Vec<String> = ring.iter().map(Vertex::to_string).collect();
            line(vertices.join(" "));
        }
        line("escape".to_owned());
        for vertex in &proof.escape {
            line(vertex.to_string());
        }
        line("dependencies".to_owned());
        for (held, wanted) in &proof.dependencies {
            line(format!("{held} {wanted}"));
        }
        if !proof.optional.is_empty() {
            line("optional".to_owned());
            for (held, wanted) in &proof.optional {
                line(format!("{held} {wanted}"));
            }
        }
        line("numbers".to_owned());
        for number in &proof.numbers {
            line(number.to_string());
        }
        let bytes = digest.finalize();
        bytes.iter().map(|byte| format!("{byte:02x}")).collect()
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
