//! Breadth-first search on Angara's routing graph: one tree of routes a source, towards little load.
//!
//! Source after source, a breadth-first search on the routing graph gives every member the first shortest
//! route that reaches it. Inside a level, vertices are visited in ascending order of the weights of the
//! edges that leave them, and so are the edges of each vertex; afterwards every edge weighs one more for each
//! new route over it, where all edges over the same link weigh the same. The next source is the one farthest
//! from this one.
//!
//! **Reconstructed.** The paper sorts "by outgoing edge weights": vertices by the least of them
//! (`sort_by = "min"`) with the edge to the end among them (`end_edges = true`), on the graph without
//! duplicates (`prune = true`). Equal vertices keep the order in which they were discovered, equal edges that of
//! their directions, regular hops before steps. The first source is the first member, and of several farthest
//! nodes the last is next, X the fastest coordinate. Of 946,176 readings (example `angara_readings`) 16 give the
//! largest and the least load of all four boxes in the paper's Table II; this is the plainest of them.
//!
//! **Pruning.** Steps that repeat a regular route are left out, and with them some detours around
//! faults, `+X +Y -X -X` say. With faults the whole graph is searched too, and gives the routes
//! that the pruned one does not have or has only longer.
//!
//! Free of deadlock with one virtual channel under bubble flow control.
//!
//! **Faults.** A pair is routed exactly if a path on the routing graph joins it, by a shortest one.
//!
//! Source: Mukosey, Semenov, Tretiakov, arXiv:2110.00851, 2021, algorithms 1 and 2.
//!
//! Complexity: O(nodes x (vertices + edges of the routing graph)) time, 7 bytes a pair.
//!
//! ```
//! use std::sync::Arc;
//! use turnwise_network::topologies::{Topology, Torus};
//! use turnwise_network::{FlowControl, TerminalId};
//! use turnwise_routing::algorithms::{AngaraBfs, SourceRouted};
//! use turnwise_routing::{Algorithm, Context};
//!
//! let torus = Arc::new(Torus { sizes: vec![4, 2], ..Torus::default() }.build(None)?);
//! let algorithm = SourceRouted(AngaraBfs::default());
//! assert_eq!(algorithm.flow_control(), FlowControl::Bubble);
//! let routing = algorithm.build(&torus, &Context::default())?;
//!
//! // From (0,0) to (2,1): two hops along X, either way, and one along Y.
//! let start = routing.start(TerminalId(0), TerminalId(5)).expect("no faults");
//! assert_eq!(start.header.via.to_le_bytes().iter().sum::<u8>(), 3);
//! # Ok::<(), turnwise_network::Invalid>(())
//! ```

use crate::algorithm::{Algorithm, AlgorithmEntry, Context};
use crate::angara::{Generator, RouteTable, Rules, Settings, SourceRouted, System, TurnRule};
use schemars::JsonSchema;
use serde::Deserialize;
use trees::Trees;
use turnwise_config::registry::{Entry, parse_as, schema_of};
use turnwise_network::{Invalid, Vc};

mod trees;

pub(crate) const ENTRY: AlgorithmEntry = AlgorithmEntry {
    entry: Entry {
        name: NAME,
        aliases: &[],
        summary: "Angara: shortest routes by breadth-first search, edges of little load first",
        source: "Mukosey, Semenov, Tretiakov, Optimized Graph Based Routing Algorithm for the Angara Interconnect, 2021",
        example: "sort_by = \"min\"\nend_edges = true",
        schema: schema_of::<AngaraBfs>,
        parse: |table, errors| {
            Some(Box::new(SourceRouted(
                parse_as::<AngaraBfs, dyn Algorithm>(table, errors)?,
            )))
        },
    },
    fits: System::fits,
};

const NAME: &str = "angara-bfs";

/// Parameters of breadth-first search on Angara's routing graph.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct AngaraBfs {
    /// All directions in the order routes take them; positive ones first by default.
    pub order: Option<Vec<String>>,
    /// Turns added to those that keep the order.
    pub turns: TurnRule,
    /// May routes begin with a first step?
    pub first_step: bool,
    /// May routes end with a last step?
    pub last_step: bool,
    /// What of its outgoing edges' weights says when a vertex of a level is visited: the least first.
    pub sort_by: SortBy,
    /// Are the edges to a node's end among the outgoing edges?
    pub end_edges: bool,
    /// Leave out edges that only repeat regular routes?
    pub prune: bool,
    /// Virtual channels to use: by default all the router has, or else 1.
    pub virtual_channels: Option<Vc>,
}

impl Default for AngaraBfs {
    fn default() -> Self {
        Self {
            order: None,
            turns: TurnRule::default(),
            first_step: true,
            last_step: true,
            sort_by: SortBy::Min,
            end_edges: true,
            prune: true,
            virtual_channels: None,
        }
    }
}

/// One number for the weights of all edges that leave a vertex.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SortBy {
    /// The least weight.
    #[default]
    Min,
    /// The largest weight.
    Max,
    /// All weights together.
    Sum,
    /// The mean weight.
    Mean,
}

impl AngaraBfs {
    /// The table of a system.
    pub fn table(&self, rules: &Rules) -> RouteTable {
        let mut table = RouteTable::new(rules.system());
        let mut trees = Trees::new(rules, self);
        let members = rules.system().members();
        let (mut processed, mut lengths) = (vec![false; members.len()], vec![0; members.len()]);
        let mut next = (!members.is_empty()).then_some(0);
        while let Some(place) = next {
            processed[place] = true;
            let source = members[place];
            trees.grow(source);
            for (place, &target) in members.iter().enumerate() {
                let route = trees.route(source, target);
                lengths[place] = route.len();
                if !route.is_empty() {
                    table.set(source, target, route);
                }
            }
            // Nodes are numbered with X the fastest here, and the last of the farthest is next.
            let distance = |&place: &usize| {
                let [x, y, z, w] = rules.system().coordinates(members[place]);
                (lengths[place], [w, z, y, x])
            };
            let left = (0..members.len()).filter(|&place| !processed[place]);
            next = left.max_by_key(distance);
        }
        table
    }
}

impl Generator for AngaraBfs {
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

    fn generate(&self, rules: &Rules, _: &Context<'_>) -> Result<RouteTable, Invalid> {
        Ok(self.table(rules))
    }
}
