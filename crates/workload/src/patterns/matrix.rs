//! A traffic matrix from a file: how much each terminal sends to each other one.
//!
//! The file is CSV: either one row a source with one weight for each destination, or, below the line
//! `source,destination,weight`, one line for each pair that communicates. Weights are in any unit.
//! Terminals that died send and receive nothing, and the diagonal counts only with `send_to_self`;
//! the other weights stay as they are.
//!
//! Source: measured matrices are the usual input of routing studies, for example Hoefler, Schneider and
//! Lumsdaine, "Multistage switches are not crossbars", Cluster 2008.
//!
//! Complexity: O(log destinations) a packet, 12 bytes for each pair that communicates.
//!
//! ```
//! use turnwise_network::TerminalId;
//! use turnwise_network::random::{Purpose, Random};
//! use turnwise_network::topologies::{Topology, Torus};
//! use turnwise_workload::patterns::{Matrix, Scale};
//! use turnwise_workload::{Context, PatternParameters};
//!
//! let ring = Torus { sizes: vec![3], ..Torus::default() }.build(None)?;
//! let matrix = Matrix { file: "traffic.csv".into(), scale: Scale::Max };
//! let context = Context { file: Some("0, 3, 1\n1, 0, 0\n0, 0, 0\n"), ..Context::default() };
//! let pattern = matrix.build(&ring, &context)?;
//! let mut rng = Random::new(1, Purpose::Injection, 1, 0);
//! assert_eq!(pattern.destination(TerminalId(1), &mut rng), Some(TerminalId(0)));
//! assert_eq!(pattern.destination(TerminalId(2), &mut rng), None);
//! assert_eq!(pattern.share(TerminalId(1)), 0.25);
//! # Ok::<(), turnwise_network::Invalid>(())
//! ```

mod read;

use crate::pattern::{Context, Pattern, PatternParameters};
use crate::sizes::part;
use read::Pair;
use schemars::JsonSchema;
use serde::Deserialize;
use turnwise_config::Flaw;
use turnwise_config::registry::{Entry, parse_as, schema_of};
use turnwise_network::random::Random;
use turnwise_network::{Invalid, Network, TerminalId};

pub(super) const ENTRY: Entry<dyn PatternParameters> = Entry {
    name: "matrix",
    aliases: &["traffic-matrix"],
    summary: "A traffic matrix from a CSV file: how much each terminal sends to each other one",
    source: "Hoefler, Schneider and Lumsdaine, Multistage switches are not crossbars, Cluster 2008, for measured matrices",
    example: "file = \"traffic.csv\"\nscale = \"max\"",
    schema: schema_of::<Matrix>,
    parse: |table, errors| {
        Some(Box::new(parse_as::<Matrix, dyn PatternParameters>(
            table, errors,
        )?))
    },
};

/// Parameters of a traffic matrix.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Matrix {
    /// The CSV file: a row of weights for each source, or lines below `source,destination,weight`.
    pub file: String,
    /// Which sources offer the full load.
    #[serde(default)]
    pub scale: Scale,
}

/// Which sources offer the full load.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Scale {
    /// The busiest one, and the others in proportion to their rows' sums.
    #[default]
    Max,
    /// Every one that sends anything: only the proportions inside a row count.
    Row,
}

impl PatternParameters for Matrix {
    fn file(&self) -> Option<&str> {
        Some(&self.file)
    }

    fn build(&self, network: &Network, context: &Context) -> Result<Box<dyn Pattern>, Invalid> {
        let file = &self.file;
        let text = context
            .file
            .ok_or_else(|| Invalid::new("file", format!("{file} has not been read")))?;
        let terminals = network.terminal_count();
        let mut pairs = read::read(text, terminals).map_err(|flaw| flaw.in_file(file, text))?;
        pairs.retain(|pair| {
            let [source, destination] = [pair.source, pair.destination].map(TerminalId);
            network.is_terminal_alive(source)
                && network.is_terminal_alive(destination)
                && (context.send_to_self || source != destination)
        });
        if pairs.is_empty() {
            let flaw = Flaw::general("no terminal sends anything to another one");
            return Err(flaw.in_file(file, text));
        }
        Ok(Box::new(Rows::new(&pairs, terminals, self.scale)))
    }
}

/// The rows one behind the other.
struct Rows {
    /// By terminal, and one more: where its row begins.
    first: Vec<usize>,
    destinations: Vec<u32>,
    /// Upper ends of the destinations' ranges in 64 random bits; the last one of a row takes the rest.
    ends: Vec<u64>,
    /// By terminal: what it offers, as a share of the load.
    shares: Vec<f64>,
}

impl Rows {
    /// Of pairs sorted by source.
    fn new(pairs: &[Pair], terminals: usize, scale: Scale) -> Self {
        let mut first = vec![0; terminals + 1];
        let mut sums = vec![0.0; terminals];
        for pair in pairs {
            first[pair.source as usize + 1] += 1;
            sums[pair.source as usize] += pair.weight;
        }
        for terminal in 0..terminals {
            first[terminal + 1] += first[terminal];
        }
        let (mut so_far, mut row) = (0.0, u32::MAX);
        let ends = pairs.iter().map(|pair| {
            if pair.source != row {
                (so_far, row) = (0.0, pair.source);
            }
            so_far += pair.weight;
            part(so_far / sums[pair.source as usize])
        });
        let ends = ends.collect();
        let largest = sums.iter().copied().fold(0.0, f64::max);
        let shares = sums.into_iter().map(|sum| match scale {
            Scale::Max if sum > 0.0 => sum / largest,
            Scale::Max | Scale::Row => 1.0,
        });
        Self {
            first,
            destinations: pairs.iter().map(|pair| pair.destination).collect(),
            ends,
            shares: shares.collect(),
        }
    }
}

impl Pattern for Rows {
    fn destination(&self, source: TerminalId, rng: &mut Random) -> Option<TerminalId> {
        let row = self.first[source.index()]..self.first[source.index() + 1];
        let last = row.len().checked_sub(1)?;
        let bits = rng.next_u64();
        let place = self.ends[row.clone()].partition_point(|&end| end <= bits);
        let destinations = &self.destinations[row];
        Some(TerminalId(destinations[place.min(last)]))
    }

    fn share(&self, source: TerminalId) -> f64 {
        self.shares[source.index()]
    }

    fn memory_bytes(&self) -> u64 {
        (12 * self.ends.len() + 16 * self.first.len()) as u64
    }
}

#[cfg(test)]
mod tests;
