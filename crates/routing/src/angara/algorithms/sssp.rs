//! Angara's optimised routes: single-source shortest paths under the load of all routes so far.
//!
//! 1. Every pair with a single minimal route gets it.
//! 2. The other pairs are sorted by turns, length and source. All targets of a source with the same
//!    number of turns and the same length are one group, which gets its routes in rounds: the least loaded
//!    minimal route to every target that is left, of these as many as share no channel, target by target;
//!    then loads are updated.
//!
//! The paper finds the least loaded minimal routes by a search from the source, in which every hop weighs the
//! square of the number of nodes and the load of its link besides. All minimal routes of a pair have the
//! same length, so the square only says "minimal", and the candidates of a pair
//! compared one by one give the same routes in less time.
//!
//! **Reconstructed.** A pair's turns are the fewest direction changes of any of its minimal routes. The rest of
//! what the paper leaves open is settled by what makes loads even, and ours:
//!
//! - *Sources* take turns as the fields of a chessboard: those whose coordinates add up to an odd number
//!   come first, and the others level what these left uneven.
//! - *Targets* come by their offset from the source, the same from everywhere: hops up each dimension, X the
//!   lowest digit.
//! - *Equally loaded routes* are told apart by the load of their most loaded channel; then one with a
//!   first or last step goes before one without; then one that goes up from even coordinates and down from
//!   odd ones; then the first in the order in which [`Rules::each_destination`] lists them.
//!
//! Free of deadlock with one virtual channel under bubble flow control.
//!
//! **Faults.** A pair is routed exactly if a path on the routing graph joins it, by a shortest one.
//!
//! Source: Mukosey, Semenov, Tretiakov, arXiv:2110.00851, 2021, algorithms 3 and 4; Hoefler, Schneider,
//! Lumsdaine, "Optimized routing for large-scale InfiniBand networks", HOTI 2009.
//!
//! Complexity: O(pairs x candidates x hops) a round, with as many rounds as a group has targets for each channel
//! that leaves its source; 7 bytes a pair, and 16 and 7 a candidate where there are several.
//!
//! ```
//! use std::sync::Arc;
//! use turnwise_network::topologies::{Topology, Torus};
//! use turnwise_network::{FlowControl, TerminalId};
//! use turnwise_routing::algorithms::{AngaraSssp, SourceRouted};
//! use turnwise_routing::{Algorithm, Context};
//!
//! let torus = Arc::new(Torus { sizes: vec![4, 2, 2], ..Torus::default() }.build(None)?);
//! let algorithm = SourceRouted(AngaraSssp::default());
//! assert_eq!(algorithm.flow_control(), FlowControl::Bubble);
//! let routing = algorithm.build(&torus, &Context::default())?;
//!
//! // From (0,0,0) to (2,1,1): two hops along X, either way, and one along Y and Z each.
//! let start = routing.start(TerminalId(0), TerminalId(11)).expect("no faults");
//! assert!(start.header.via > 0);
//! # Ok::<(), turnwise_network::Invalid>(())
//! ```

use crate::algorithm::{Algorithm, AlgorithmEntry, Context};
use crate::angara::{Generator, RouteTable, Rules, Settings, SourceRouted, System, TurnRule};
use groups::Groups;
use rounds::Rounds;
use schemars::JsonSchema;
use serde::Deserialize;
use turnwise_config::registry::{Entry, parse_as, schema_of};
use turnwise_network::{Invalid, Vc};

mod groups;
mod lines;
mod rounds;

pub(crate) const ENTRY: AlgorithmEntry = AlgorithmEntry {
    entry: Entry {
        name: NAME,
        aliases: &[],
        summary: "Angara: least loaded of the minimal routes, first and last steps included",
        source: "Mukosey, Semenov, Tretiakov, Optimized Graph Based Routing Algorithm for the Angara Interconnect, 2021",
        example: "turns = \"theorem2\"\nunique_first = true",
        schema: schema_of::<AngaraSssp>,
        parse: |table, errors| {
            Some(Box::new(SourceRouted(
                parse_as::<AngaraSssp, dyn Algorithm>(table, errors)?,
            )))
        },
    },
    fits: System::fits,
};

const NAME: &str = "angara-sssp";

/// Parameters of single-source shortest paths on Angara.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct AngaraSssp {
    /// All directions in the order routes take them; positive ones first by default.
    pub order: Option<Vec<String>>,
    /// Turns added to those that keep the order.
    pub turns: TurnRule,
    /// May routes begin with a first step?
    pub first_step: bool,
    /// May routes end with a last step?
    pub last_step: bool,
    /// Route pairs with a single minimal route before all others, or in their groups?
    pub unique_first: bool,
    /// Virtual channels to use: by default all the router has, or else 1.
    pub virtual_channels: Option<Vc>,
}

impl Default for AngaraSssp {
    fn default() -> Self {
        Self {
            order: None,
            turns: TurnRule::default(),
            first_step: true,
            last_step: true,
            unique_first: true,
            virtual_channels: None,
        }
    }
}

impl AngaraSssp {
    /// The table of a system.
    pub fn table(&self, rules: &Rules) -> RouteTable {
        let mut table = RouteTable::new(rules.system());
        let mut rounds = Rounds::new(rules);
        let groups = Groups::new(rules, self.unique_first, |source, target, route| {
            table.set(source, target, route);
            rounds.load(source, route);
        });
        groups.each(|source, targets| rounds.run(source, targets, &mut table));
        table
    }
}

impl Generator for AngaraSssp {
    fn settings(&self) -> Settings<'_> {
        Settings {
            kind: NAME,
            order: self.order.as_deref(),
            turns: self.turns,
            first_step: self.first_step,
            last_step: self.last_step,
            virtual_channels: self.virtual_channels,
        }
    }

    /// Of pairs with a choice all candidates are kept beside the table, in vectors that grow; of others, if they wait for their turn.
    fn bytes_of_pair(&self) -> u64 {
        if self.unique_first { 28 } else { 56 }
    }

    fn generate(&self, rules: &Rules, _: &Context<'_>) -> Result<RouteTable, Invalid> {
        Ok(self.table(rules))
    }
}
