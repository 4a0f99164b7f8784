//! DFSSSP: the routes of SSSP, moved from lane to lane until no lane has a circle.
//!
//! All routes are in the first lane at first. As long as dependencies of a lane close a circle, the one of its dependencies that the fewest
//! routes cause is taken out, with all these routes, which go to the next lane. Lanes that are left over take routes of the fullest
//! ones.
//!
//! Source: Domke, Hoefler, Nagel, "Deadlock-free oblivious routing for arbitrary topologies", IPDPS 2011, with the heuristic
//! "weakest edge"; routes as in [`sssp`](super::sssp).
//!
//! Complexity: as SSSP, and O(hops of all routes + dependencies x circles that are found) for each lane; O(1) a hop; two bytes for each
//! pair of router and terminal, one for each pair of terminals.

use super::by_destination::{
    Graph, NONE, Trees, Turns, forwarding_table, heavy_trees, table_bytes,
};
use super::lanes::{budget_of_levels, lanes, spread};
use crate::algorithm::{Algorithm, AlgorithmEntry, Context, UnderFaults};
use schemars::JsonSchema;
use serde::Deserialize;
use std::sync::Arc;
use turnwise_config::registry::{Entry, parse_as, schema_of};
use turnwise_network::tables::SERVICE_LEVELS;
use turnwise_network::{Invalid, Network, Routing, Shape, Vc};

pub(crate) const ENTRY: AlgorithmEntry = AlgorithmEntry {
    entry: Entry {
        name: NAME,
        aliases: &[],
        summary: "Any network: the routes of SSSP, in lanes whose circles are broken one by one",
        source: "Domke, Hoefler, Nagel, Deadlock-free oblivious routing for arbitrary topologies, IPDPS 2011",
        example: "virtual_lanes = 8",
        schema: schema_of::<Dfsssp>,
        parse: |table, errors| Some(Box::new(parse_as::<Dfsssp, dyn Algorithm>(table, errors)?)),
    },
    fits: |_| true,
};

const NAME: &str = "dfsssp";

/// Parameters of DFSSSP.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Dfsssp {
    /// Virtual lanes to use, at most 16: by default all the router has, or else as many as are needed.
    pub virtual_lanes: Option<Vc>,
}

impl Algorithm for Dfsssp {
    fn under_faults(&self, _: &Shape) -> UnderFaults {
        UnderFaults::EveryRoute
    }

    fn table_bytes(&self, network: &Network, _: &Context<'_>) -> u64 {
        // Every route stands in the list of each of its turns.
        let (routers, terminals) = (
            network.router_count() as u64,
            network.terminal_count() as u64,
        );
        table_bytes(network) + 32 * routers * terminals
    }

    fn build(
        &self,
        network: &Arc<Network>,
        context: &Context<'_>,
    ) -> Result<Box<dyn Routing>, Invalid> {
        budget_of_levels(self.virtual_lanes, network, context)?;
        let graph = Graph::new(network);
        let trees = heavy_trees(network, &graph);
        let turns = Turns::new(&graph);
        let mut found = vec![0u8; trees.next.len()];
        let mut left: Vec<u32> = trees.routed(&graph).map(|route| route as u32).collect();
        let mut needed = 0;
        while !left.is_empty() {
            for &route in &left {
                found[route as usize] = needed as u8;
            }
            needed += 1;
            if needed > u32::from(SERVICE_LEVELS) {
                let message = format!(
                    "`{NAME}` needs more than {SERVICE_LEVELS} virtual lanes on this network to be free of deadlock, as many as there are \
                     service levels"
                );
                return Err(Invalid::new("virtual_lanes", message));
            }
            left = Layer::new(&turns, &trees, &left).broken();
        }
        let plan = lanes(NAME, self.virtual_lanes, needed.max(1), network, context)?;
        let used = plan.used.min(SERVICE_LEVELS);
        spread(&mut found, trees.routed(&graph), needed.max(1), used);
        Ok(Box::new(forwarding_table(
            network, &graph, &trees, &found, plan.total,
        )?))
    }
}

/// A lane whose circles are broken.
struct Layer<'a> {
    turns: &'a Turns<'a>,
    trees: &'a Trees,
    /// By turn: the routes that cause it, those that have gone included, and how many have not.
    routes: Vec<Vec<u32>>,
    left: Vec<u32>,
    /// By route that is here: has it gone? In ascending order of routes.
    here: Vec<u32>,
    gone: Vec<bool>,
}

/// What the search for circles knows of an arc.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mark {
    New,
    /// On the way that is looked at.
    Open,
    /// No circle passes here.
    Done,
}

impl<'a> Layer<'a> {
    fn new(turns: &'a Turns<'a>, trees: &'a Trees, here: &[u32]) -> Self {
        let mut layer = Self {
            turns,
            trees,
            routes: vec![Vec::new(); turns.count()],
            left: vec![0; turns.count()],
            here: here.to_vec(),
            gone: vec![false; here.len()],
        };
        for place in 0..here.len() {
            layer.each_turn(place, |layer, turn| {
                layer.routes[turn].push(place as u32);
                layer.left[turn] += 1;
            });
        }
        layer
    }

    /// The turns of the route at a place.
    fn each_turn(&mut self, place: usize, mut each: impl FnMut(&mut Self, usize)) {
        let route = self.here[place] as usize;
        let tree = self.trees.to(route / self.trees.width);
        let mut arc = tree[route % self.trees.width];
        loop {
            let next = tree[self.turns.graph.to(arc) as usize];
            if next == NONE {
                return;
            }
            each(self, self.turns.number(arc, next));
            arc = next;
        }
    }

    /// Breaks all circles; the routes that had to go.
    fn broken(mut self) -> Vec<u32> {
        let graph = self.turns.graph;
        let mut marks = vec![Mark::New; graph.arcs()];
        // An arc on the way, and which of the arcs behind it are looked at next.
        let mut way: Vec<(u32, u32)> = Vec::new();
        let mut first = 0;
        while first < graph.arcs() as u32 {
            if marks[first as usize] == Mark::New {
                marks[first as usize] = Mark::Open;
                way.push((first, 0));
            }
            while let Some(&mut (arc, ref mut looked_at)) = way.last_mut() {
                let next = graph.leaving(graph.to(arc)).nth(*looked_at as usize);
                let Some(next) = next else {
                    marks[arc as usize] = Mark::Done;
                    way.pop();
                    continue;
                };
                let turn = self.turns.number(arc, next);
                if self.left[turn] == 0 || marks[next as usize] == Mark::Done {
                    *looked_at += 1;
                } else if marks[next as usize] == Mark::New {
                    *looked_at += 1;
                    marks[next as usize] = Mark::Open;
                    way.push((next, 0));
                } else {
                    self.break_circle(&way, next);
                    // Whoever is taken off the way has not been looked at to the end.
                    let cut = self.cut(&mut way, &mut marks);
                    first = cut.map_or(first, |cut| first.min(cut));
                }
            }
            first += u32::from(marks[first as usize] == Mark::Done);
        }
        let places = 0..self.here.len();
        places
            .filter(|&place| self.gone[place])
            .map(|place| self.here[place])
            .collect()
    }

    /// Takes out the turn of a circle that the fewest routes cause: from an arc on the way to its last one, and back.
    fn break_circle(&mut self, way: &[(u32, u32)], back_to: u32) {
        let begin = way.iter().position(|&(arc, _)| arc == back_to).unwrap_or(0);
        let circle = &way[begin..];
        let pairs = circle.windows(2).map(|pair| (pair[0].0, pair[1].0));
        let last = circle.last().map(|&(arc, _)| (arc, back_to));
        let turns = pairs
            .chain(last)
            .map(|(arc, next)| self.turns.number(arc, next));
        let Some(weakest) = turns.min_by_key(|&turn| self.left[turn]) else {
            return;
        };
        for place in std::mem::take(&mut self.routes[weakest]) {
            if !std::mem::replace(&mut self.gone[place as usize], true) {
                self.each_turn(place as usize, |layer, turn| layer.left[turn] -= 1);
            }
        }
    }

    /// Goes back to where the way still holds together; the first of the arcs that have left it.
    fn cut(&self, way: &mut Vec<(u32, u32)>, marks: &mut [Mark]) -> Option<u32> {
        let pairs = way.windows(2);
        let holds = |pair: &[(u32, u32)]| self.left[self.turns.number(pair[0].0, pair[1].0)] > 0;
        let kept = 1 + pairs.take_while(|pair| holds(pair)).count();
        let cut = way.drain(kept..).map(|(arc, _)| {
            marks[arc as usize] = Mark::New;
            arc
        });
        cut.min()
    }
}
