//! Ours for any network: balanced shortest paths by forwarding table, each in a virtual lane without circles.
//!
//! Switches of InfiniBand forward by destination address alone, and a packet's service level says which virtual lane it takes. So there is
//! one tree to every terminal, and a lane for every pair of a router and a terminal.
//!
//! **Trees** are of shortest paths, balanced one against the other round after round until the most loaded channel carries little more than the
//! mean (`trees`), slow ones as much less as they are slower (`loads`); where slow ones still carry most, and the network is not large, longer
//! ways lead around them, or slow ones are left out (`slow`). Terminals of one router have trees of their own, unless they are a small part of all. Meshes, tori and
//! hypercubes, also those of which only the wiring is known, keep to dimension order wherever no channel carries more than its share for that,
//! because that needs fewest lanes (`taste`). Small ones that cannot be balanced so are routed without it as well (`fitting`), and carry what is
//! less.
//!
//! **Lanes** (`deployment = "layered"`): routes are put into the first lane in which they close no circle (`layering`). A route keeps
//! to its lane from end to end, which any subnet manager can be told. If the router has more lanes than are needed, the
//! fullest ones are divided, unless `fewest_lanes` is asked for. If it has fewer, trees are grown with regard to what lanes allow, by
//! weights that grow with what arcs carry, and some ways get longer (`confined`, `weighing`); on tori only what finds no lane goes around (`detours`), or they are cut into meshes (`slanted`,
//! `cuts`), with ways around what has failed, whatever carries least (`few_lanes`); on damaged ones what goes as on the whole one has the lane it has there (`undamaged`), and what carries too much is relieved as far as lanes allow it (`relieving`); and small ones that are damaged take fewer lanes than there are if that
//! carries less (`fitting`). Large
//! networks without a structure have lanes that need no search for circles (`orders`) if nearly all routes fit into these, and trees
//! are mended where these do not suffice (`oriented`, `mending`). Every connected network is routed with every number of lanes from one
//! on, if its links carry both ways.
//!
//! Who accepts a connection answers on the service level of who opened it, and does not ask for one. With `mutual_lanes` all routes between two
//! routers have the same lane, in both directions, so that answers are in the proof. That takes more lanes.
//!
//! With `deployment = "transitions"` routes may change lanes on the way (`transitions`), and fewer are needed: two for a torus, unless its
//! rings have 6, 10, 14 .. routers and so cannot be balanced in dimension order. Switches must be told the lane of each service level by
//! ports for that, which a stock OpenSM cannot be. Where lanes or service levels do not suffice, routes keep to lanes as above.
//!
//! Source: trees are grown as in Hoefler, Schneider, Lumsdaine, "Optimized routing for large-scale InfiniBand networks", HOTI
//! 2009, and regrown as wires are in Nair, "A simple yet effective technique for global wiring", IEEE TCAD 6(2), 1987; lanes as
//! in Skeie, Lysne, Theiss, "Layered shortest path (LASH) routing", IPDPS 2002, by the order of Pearce and Kelly, ACM JEA 11, 2006.
//!
//! Complexity: O(terminals x channels x diameter) for each of a few rounds; O(1) a hop; two bytes for each pair of router and terminal,
//! and one for each pair of terminals.
//!
//! ```
//! use std::sync::Arc;
//! use turnwise_network::topologies::{Topology, Torus};
//! use turnwise_routing::algorithms::Turnwise;
//! use turnwise_routing::{Algorithm, Context};
//!
//! let torus = Arc::new(Torus { sizes: vec![4, 4, 4], ..Torus::default() }.build(None)?);
//! let routing = Turnwise::default().build(&torus, &Context::default())?;
//! assert_eq!(routing.virtual_channels(), 1);
//! # Ok::<(), turnwise_network::Invalid>(())
//! ```

mod confined;
mod cuts;
mod datelines;
mod detours;
mod few_lanes;
mod fitting;
mod growing;
mod layering;
mod loads;
mod mending;
mod orders;
mod oriented;
mod relieving;
mod slanted;
mod slow;
mod taste;
mod transitions;
mod trees;
mod undamaged;
mod weighing;

use super::by_destination::{Graph, Layering, NONE, Trees, Turns, forwarding_table};
use super::lanes::{budget_of_levels, lanes, spread};
use super::orientation::both_ways;
use crate::algorithm::{Algorithm, AlgorithmEntry, Context, UnderFaults};
use fitting::{Asked, out_of_order};
use loads::Loads;
use oriented::best_orders;
use schemars::JsonSchema;
use serde::Deserialize;
use std::borrow::Cow;
use std::sync::Arc;
use taste::Sharing;
use transitions::{Changes, changing, is_hopeless, takes_long};
use turnwise_config::registry::{Entry, parse_as, schema_of};
use turnwise_network::tables::{ForwardingTable, SERVICE_LEVELS};
use turnwise_network::{End, Invalid, Network, Port, RouterId, Routing, Shape, Vc};

pub(crate) const ENTRY: AlgorithmEntry = AlgorithmEntry {
    entry: Entry {
        name: NAME,
        aliases: &[],
        summary: "Any network: balanced shortest paths by forwarding table, each in a lane without circles",
        source: "Hoefler, Schneider, Lumsdaine, HOTI 2009; Nair, IEEE TCAD 6(2), 1987; Skeie, Lysne, Theiss, IPDPS 2002",
        example: "virtual_lanes = 8\ndeployment = \"layered\"\nmutual_lanes = true",
        schema: schema_of::<Turnwise>,
        parse: |table, errors| {
            Some(Box::new(parse_as::<Turnwise, dyn Algorithm>(
                table, errors,
            )?))
        },
    },
    fits: |_| true,
};

const NAME: &str = "turnwise";

/// Parameters of Turnwise's own routing.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Turnwise {
    /// Virtual lanes to use, at most 16: by default all the router has, or else as many as are needed.
    pub virtual_lanes: Option<Vc>,
    /// How packets change lanes.
    pub deployment: Deployment,
    /// Leave lanes free that are not needed, so that fewer pairs need a service level of their own.
    pub fewest_lanes: bool,
    /// Give both directions of a pair the same lane, and so the same service level, as those need it who answer on the level of what they answer.
    /// Lanes that are not needed are left free, and where routes need more than there are, all take one, by longer ways if need be.
    pub mutual_lanes: bool,
}

/// How packets change lanes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Deployment {
    /// Not at all: the service level of a pair is the lane of its route.
    #[default]
    Layered,
    /// Wherever that makes fewer lanes enough: switches tell the lane by service level and both ports.
    Transitions,
}

impl Algorithm for Turnwise {
    fn under_faults(&self, _: &Shape) -> UnderFaults {
        UnderFaults::EveryRoute
    }

    fn table_bytes(&self, network: &Network, _: &Context<'_>) -> u64 {
        let (routers, terminals) = (network.router_count(), network.terminal_count());
        // Trees and their lanes several times while they grow, and the table.
        let trees = (terminals * (routers * 24 + terminals)) as u64;
        let turns = network
            .routers()
            .map(|router| network.radix(router).pow(2) as u64);
        match self.deployment {
            Deployment::Layered => trees,
            // A lane for each service level and turn, while they are found and in the table, and lanes that are refused.
            Deployment::Transitions => trees + 4 * u64::from(SERVICE_LEVELS) * turns.sum::<u64>(),
        }
    }

    fn build(
        &self,
        network: &Arc<Network>,
        context: &Context<'_>,
    ) -> Result<Box<dyn Routing>, Invalid> {
        let most = budget_of_levels(self.virtual_lanes, network, context)?;
        let is_mutual = self.mutual_lanes;
        if is_mutual && self.deployment == Deployment::Transitions {
            let message = "both directions have the same lane only where routes keep to theirs";
            let help = "take deployment = \"layered\"";
            return Err(Invalid::new("mutual_lanes", message).with_help(help));
        }
        // Where links carry one way only, there and back can be a circle by themselves.
        if is_mutual && both_ways(NAME, network).is_err() {
            let message = "both directions have the same lane only where links carry both ways";
            return Err(Invalid::new("mutual_lanes", message));
        }
        let sharing = match is_mutual {
            true => Sharing::Mutual,
            false => Sharing::None,
        };
        Asked::of(network, (context.seed, sharing), |asked, bare| {
            self.table(asked, bare, most, context)
        })
    }
}

impl Turnwise {
    /// The table of what is asked, with so many lanes at most.
    fn table(
        &self,
        asked: &Asked<'_>,
        bare: &Trees,
        most: Vc,
        context: &Context<'_>,
    ) -> Result<Box<dyn Routing>, Invalid> {
        let &Asked {
            graph,
            steps,
            taste,
            ease,
            sharing,
            ..
        } = asked;
        let balanced = |ease| bare.clone().balanced(graph, taste, ease);
        let trees = match self.deployment {
            Deployment::Layered => balanced(ease),
            Deployment::Transitions => {
                let lanes = most.into();
                let has_gentle = ease != ease.at_once();
                let gentle = (has_gentle && takes_long(bare)).then(|| balanced(ease));
                let is_hopeless = |trees| is_hopeless(graph, trees, steps, lanes);
                match gentle {
                    Some(gentle) if is_hopeless(&gentle) => gentle,
                    gentle => {
                        // Lanes that change have room for ways that leave those of a grid.
                        let trees = balanced(ease.at_once());
                        let free = out_of_order(graph, bare, steps, &trees);
                        let changes = |trees, steps| changing(graph, trees, steps, lanes);
                        let found = free
                            .as_ref()
                            .and_then(|free| Some((free, changes(free, None)?)))
                            .or_else(|| Some((&trees, changes(&trees, steps)?)));
                        if let Some((changing, changes)) = found {
                            let gentle = if has_gentle { None } else { Some(&trees) };
                            let found = (changing, changes.count);
                            let kept = self.or_kept(asked, (bare, gentle), most, found);
                            return match kept {
                                // Lanes that are left are what changing them is for.
                                Some(kept) => self.kept_table(asked, kept, true, context),
                                None => self.changing_table(asked, changing, &changes, context),
                            };
                        }
                        match (gentle, has_gentle) {
                            (Some(gentle), _) => gentle,
                            (None, true) => balanced(ease),
                            (None, false) => trees,
                        }
                    }
                }
            }
        };
        let layered = self.layered(asked, bare, &trees, most)?;
        let layered = self.or_without_slow(asked, layered, most);
        let has_fewest = self.fewest_lanes || sharing == Sharing::Mutual;
        self.kept_table(asked, layered, has_fewest, context)
    }

    /// Trees near to these whose routes keep to their lanes, of so many, and those lanes.
    fn layered(
        &self,
        asked: &Asked<'_>,
        bare: &Trees,
        trees: &Trees,
        most: Vc,
    ) -> Result<(Trees, Layering), Invalid> {
        let &Asked {
            network,
            graph,
            taste,
            sharing,
            ..
        } = asked;
        // Where a search for circles would take longest, orders are mostly as good.
        let by_orders = taste.is_none()
            && sharing == Sharing::None
            && graph.is_large()
            && both_ways(NAME, network).is_ok();
        let fit = by_orders.then(|| best_orders(graph, trees, most.into()));
        let found = self.fitted(asked, trees, fit, most)?;
        match sharing {
            Sharing::None => {
                let found = self.or_by_fewer(asked, trees, found, most)?;
                let found = self.or_out_of_order(asked, bare, found, most)?;
                Ok(self.or_around_slow(asked, found, most))
            }
            Sharing::Mutual => Ok(found),
        }
    }

    /// What keeps to its lanes, if it needs fewer than these trees do that change them, and carries as much. Where there are many pairs of
    /// routers nobody looks. The trees to begin with may be there already.
    fn or_kept(
        &self,
        asked: &Asked<'_>,
        (bare, gentle): (&Trees, Option<&Trees>),
        most: Vc,
        (changing, lanes): (&Trees, u32),
    ) -> Option<(Trees, Layering)> {
        if lanes < 2 || takes_long(bare) {
            return None;
        }
        let graph = asked.graph;
        let balanced = || bare.clone().balanced(graph, asked.taste, asked.ease);
        let trees = gentle.map_or_else(|| Cow::Owned(balanced()), Cow::Borrowed);
        let kept = self.layered(asked, bare, &trees, most).ok()?;
        let quality = |trees: &Trees| Loads::of_trees(graph, trees).quality();
        (kept.1.count < lanes && quality(&kept.0) <= quality(changing)).then_some(kept)
    }

    /// The forwarding table of trees whose routes keep to their lanes, spread over those that there are unless these shall be the fewest.
    fn kept_table(
        &self,
        asked: &Asked<'_>,
        (trees, mut layering): (Trees, Layering),
        has_fewest: bool,
        context: &Context<'_>,
    ) -> Result<Box<dyn Routing>, Invalid> {
        let (network, graph, count) = (asked.network, asked.graph, layering.count);
        let plan = lanes(NAME, self.virtual_lanes, count, network, context)?;
        let used = match has_fewest {
            true => count as Vc,
            false => plan.used.min(SERVICE_LEVELS),
        };
        spread(&mut layering.lanes, trees.routed(graph), count, used);
        let table = forwarding_table(network, graph, &trees, &layering.lanes, plan.total)?;
        Ok(Box::new(table))
    }

    /// The same of trees whose routes change them.
    fn changing_table(
        &self,
        asked: &Asked<'_>,
        trees: &Trees,
        changes: &Changes,
        context: &Context<'_>,
    ) -> Result<Box<dyn Routing>, Invalid> {
        let (network, graph) = (asked.network, asked.graph);
        let plan = lanes(NAME, self.virtual_lanes, changes.count, network, context)?;
        let table = changing_table(network, graph, trees, changes, plan.total)?;
        Ok(Box::new(table))
    }
}

/// The forwarding table of trees whose routes change lanes.
fn changing_table(
    network: &Arc<Network>,
    graph: &Graph,
    trees: &Trees,
    changes: &Changes,
    total: Vc,
) -> Result<ForwardingTable, Invalid> {
    let turns = Turns::new(graph);
    let arcs = graph.by_port(network);
    let arc = |router: RouterId, port: Port| {
        let arc = arcs[network.port_range(router).start + usize::from(port)];
        (arc != NONE).then_some(arc)
    };
    let table = forwarding_table(network, graph, trees, &changes.levels, SERVICE_LEVELS)?;
    table.with_lanes_by_ports(total, |router, from, to, level| {
        let Some(to) = arc(router, to) else { return 0 };
        let channel = network.in_channel(router, from);
        match channel.map(|channel| network.channel(channel).source) {
            Some(End::Router(before, port)) => match arc(before, port) {
                Some(from) => changes.lane(&turns, Some(from), to, level),
                None => 0,
            },
            _ => changes.lane(&turns, None, to, level),
        }
    })
}
