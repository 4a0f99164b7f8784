//! By group: the groups of a dragonfly or megafly, or the largest subtrees of a fat tree, take turns.
//!
//! Inside a group ranks fill router after router. Spreading a job over groups is what keeps its traffic from the few links
//! between two of them.
//!
//! Source: Jain et al., "Maximizing throughput on a dragonfly network", SC 2014, which compares placements by the level at
//! which they take turns.
//!
//! Complexity: O(free terminals).

use crate::placement::{Placement, Seats, Site, in_turn};
use crate::workload::check_range;
use schemars::JsonSchema;
use serde::Deserialize;
use turnwise_config::registry::{Entry, parse_as, schema_of};
use turnwise_network::{Invalid, Network, Shape, TerminalId};

pub(super) const ENTRY: Entry<dyn Placement> = Entry {
    name: "by-group",
    aliases: &[],
    summary: "Groups, or the largest subtrees of a fat tree, take turns with one rank each",
    source: "Jain et al., Maximizing throughput on a dragonfly network, SC 2014",
    example: "block = 2",
    schema: schema_of::<ByGroup>,
    parse: |table, errors| Some(Box::new(parse_as::<ByGroup, dyn Placement>(table, errors)?)),
};

/// Parameters of placement by group.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ByGroup {
    /// So many successive ranks stay together, as far as there are free terminals.
    #[schemars(range(min = 1))]
    pub block: u32,
}

impl Default for ByGroup {
    fn default() -> Self {
        Self { block: 1 }
    }
}

impl Placement for ByGroup {
    fn check(&self) -> Result<(), Invalid> {
        check_range("block", self.block.into(), 1, u32::MAX.into())
    }

    fn place(&self, site: &Site<'_>, ranks: u32) -> Result<Seats, Invalid> {
        self.check()?;
        let mut groups: Vec<Vec<TerminalId>> = Vec::new();
        for &terminal in site.free {
            let group = group(site.network, terminal)? as usize;
            if group >= groups.len() {
                groups.resize(group + 1, Vec::new());
            }
            groups[group].push(terminal);
        }
        let mut order = in_turn(groups, self.block as usize);
        order.truncate(ranks as usize);
        Ok(order.into())
    }
}

/// The group or subtree that a terminal is in.
fn group(network: &Network, terminal: TerminalId) -> Result<u32, Invalid> {
    let router = network.router_of(terminal);
    if let Shape::FatTree(tree) = network.shape() {
        let (level, index) = tree.level_and_index(router.0);
        // The digit that only roots lack; what is below a single switch is one subtree.
        let top = tree.label(level, index).pop().unwrap_or(0);
        return Ok(if tree.height() > 1 { top } else { 0 });
    }
    network.shape().group(router).ok_or_else(|| {
        let message = format!(
            "`by-group` needs groups or subtrees; this network is \"{}\"",
            network.description()
        );
        Invalid::new("kind", message).with_help("`round-robin` takes turns by router")
    })
}
