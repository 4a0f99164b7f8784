//! A placement as a study has it: which terminals, and how many ranks share one.

use crate::placement::{Placement, RANKS_PER_TERMINAL};
use crate::placements::REGISTRY;
use crate::residents::Residents;
use crate::workload::check_range;
use schemars::JsonSchema;
use serde::Deserialize;
use turnwise_config::diagnostic::Diagnostic;
use turnwise_config::document::{Value, deserialize_ignoring};
use turnwise_config::registry::parse;
use turnwise_network::Invalid;

/// What placements have beside the fields of their kind.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct SeatingFields {
    /// Up to so many ranks of a program share a terminal. What they send each other is copied in its memory.
    #[schemars(range(min = 1, max = 256))]
    pub ranks_per_terminal: u32,
}

impl Default for SeatingFields {
    fn default() -> Self {
        Self {
            ranks_per_terminal: 1,
        }
    }
}

/// A placement as written in a study.
pub struct Seating {
    /// Which terminals come first.
    pub placement: Box<dyn Placement>,
    /// Ranks that may share each.
    pub ranks_per_terminal: u32,
}

impl Seating {
    /// Reads the table of a placement.
    ///
    /// Returns nothing exactly when it adds to `errors`.
    pub fn read(table: &Value, errors: &mut Vec<Diagnostic>) -> Option<Self> {
        let placement = parse(REGISTRY, table, "kind", errors);
        let names = table.table()?.keys().map(|key| key.name.as_str());
        let of_kind: Vec<&str> = names.filter(|&name| name != RANKS_PER_TERMINAL).collect();
        let fields: Option<SeatingFields> = deserialize_ignoring(table, &of_kind, errors);
        Some(Self {
            placement: placement?,
            ranks_per_terminal: fields?.ranks_per_terminal,
        })
    }

    /// What is wrong with it, whatever the network.
    ///
    /// # Errors
    /// A value that makes no sense, on its field.
    pub fn check(&self) -> Result<(), Invalid> {
        let ranks = self.ranks_per_terminal;
        check_range(RANKS_PER_TERMINAL, ranks.into(), 1, Residents::MOST.into())?;
        self.placement.check()
    }
}
