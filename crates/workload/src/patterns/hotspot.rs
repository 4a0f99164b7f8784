//! Hotspot: a share of all packets goes to a few hot terminals, the rest anywhere.
//!
//! A packet for a hot terminal that is dead, or is the sender itself, goes anywhere too.
//!
//! Source: Pfister and Norton, "Hot spot contention and combining in multistage interconnection
//! networks", IEEE Trans. Computers 34(10), 1985.
//!
//! Complexity: O(1) a packet, memory O(terminals).
//!
//! ```
//! use turnwise_network::TerminalId;
//! use turnwise_network::random::{Purpose, Random};
//! use turnwise_network::topologies::{Torus, Topology};
//! use turnwise_workload::patterns::Hotspot;
//! use turnwise_workload::{Context, PatternParameters};
//!
//! let torus = Torus::default().build(None)?;
//! let hotspot = Hotspot { terminals: vec![7], fraction: 1.0, ..Hotspot::default() };
//! let pattern = hotspot.build(&torus, &Context::default())?;
//! let mut rng = Random::new(1, Purpose::Injection, 0, 0);
//! assert_eq!(pattern.destination(TerminalId(3), &mut rng), Some(TerminalId(7)));
//! # Ok::<(), turnwise_network::Invalid>(())
//! ```

use crate::blocks::Blocks;
use crate::chance::Chance;
use crate::pattern::{Context, Pattern, PatternParameters};
use schemars::JsonSchema;
use serde::Deserialize;
use std::collections::BTreeSet;
use turnwise_config::registry::{Entry, parse_as, schema_of};
use turnwise_network::random::Random;
use turnwise_network::{Invalid, Network, TerminalId};

pub(super) const ENTRY: Entry<dyn PatternParameters> = Entry {
    name: NAME,
    aliases: &[],
    summary: "A share of all packets goes to a few hot terminals, the rest anywhere",
    source: "Pfister and Norton, Hot spot contention and combining in multistage interconnection networks, 1985",
    example: "terminals = [0, 3]\nweights = [2, 1]\nfraction = 0.2",
    schema: schema_of::<Hotspot>,
    parse: |table, errors| {
        Some(Box::new(parse_as::<Hotspot, dyn PatternParameters>(
            table, errors,
        )?))
    },
};

const NAME: &str = "hotspot";

/// Parameters of hotspot traffic.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Hotspot {
    /// The hot terminals.
    pub terminals: Vec<u32>,
    /// How much each of them gets, relative to the others; equal shares by default.
    pub weights: Option<Vec<u32>>,
    /// Share of packets that go to hot terminals, 0 to 1; 1 is BookSim's hotspot. What a hot terminal would send itself, or to one that is
    /// dead, goes anywhere.
    #[schemars(range(min = 0, max = 1))]
    pub fraction: f64,
}

impl Default for Hotspot {
    fn default() -> Self {
        Self {
            terminals: vec![0],
            weights: None,
            fraction: 0.1,
        }
    }
}

impl PatternParameters for Hotspot {
    fn build(&self, network: &Network, context: &Context) -> Result<Box<dyn Pattern>, Invalid> {
        let chance = Chance::new(self.fraction, "fraction")?;
        let weights = self
            .weights
            .clone()
            .unwrap_or_else(|| vec![1; self.terminals.len()]);
        if weights.len() != self.terminals.len() {
            let message = format!(
                "{} weights for {} terminals",
                weights.len(),
                self.terminals.len()
            );
            return Err(Invalid::new("weights", message));
        }
        let (mut hot, mut cumulative, mut total) = (Vec::new(), Vec::new(), 0u32);
        let mut seen = BTreeSet::new();
        for (index, (&terminal, weight)) in self.terminals.iter().zip(weights).enumerate() {
            if terminal as usize >= network.terminal_count() {
                let message = format!("there is no terminal {terminal}");
                let help = format!(
                    "terminals are numbered 0 to {}",
                    network.terminal_count().saturating_sub(1)
                );
                return Err(Invalid::new(format!("terminals[{index}]"), message).with_help(help));
            }
            if !seen.insert(terminal) {
                let message = format!("terminal {terminal} is listed twice");
                let help = "give it more weight instead: weights = [2, ...]";
                return Err(Invalid::new(format!("terminals[{index}]"), message).with_help(help));
            }
            let sum = total.checked_add(weight);
            total = sum.ok_or_else(|| Invalid::new("weights", "they add up to 2^32 or more"))?;
            if weight > 0 {
                hot.push(TerminalId(terminal));
                cumulative.push(total);
            }
        }
        if self.terminals.is_empty() {
            return Err(Invalid::new(
                "terminals",
                "at least one terminal must be hot",
            ));
        }
        if total == 0 {
            let message = "at least one weight must be more than 0";
            return Err(Invalid::new("weights", message));
        }
        let blocks = Blocks::whole(network);
        if !hot.iter().any(|&terminal| blocks.is_alive(terminal)) {
            let message = "all hot terminals are dead, so that no packet would go to one";
            return Err(Invalid::new("terminals", message));
        }
        Ok(Box::new(HotspotPattern {
            chance,
            hot,
            cumulative,
            total,
            blocks,
            send_to_self: context.send_to_self,
        }))
    }
}

struct HotspotPattern {
    chance: Chance,
    hot: Vec<TerminalId>,
    cumulative: Vec<u32>,
    total: u32,
    blocks: Blocks,
    send_to_self: bool,
}

impl Pattern for HotspotPattern {
    fn destination(&self, source: TerminalId, rng: &mut Random) -> Option<TerminalId> {
        if self.chance.occurs(rng) {
            let drawn = rng.below(self.total);
            let hot = self.hot[self.cumulative.partition_point(|&sum| sum <= drawn)];
            if self.blocks.is_alive(source)
                && self.blocks.is_alive(hot)
                && (self.send_to_self || hot != source)
            {
                return Some(hot);
            }
        }
        self.blocks.draw(0, source, self.send_to_self, rng)
    }
}
