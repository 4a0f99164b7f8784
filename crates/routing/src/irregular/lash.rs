//! LASH: layered shortest paths. Each path keeps to one virtual lane, in which all of them together close no circle.
//!
//! Paths are shortest ones, one for each pair of routers. They are put into lanes one after the other: each into the
//! first one in which its dependencies close no circle with those that are there, or else into a new one. `order` says which come first.
//! The lane is the pair's for all of the way, so a service level that is mapped to it is all a switch must know. Lanes that
//! are left over take paths of the fullest ones.
//!
//! Source: Skeie, Lysne, Theiss, "Layered shortest path (LASH) routing in irregular system area networks", IPDPS 2002.
//!
//! Complexity: O(pairs of routers x diameter) dependencies, each of which costs a search of a part of its lane's graph of channels at most;
//! O(1) a hop; two or three bytes for each pair of routers.

use super::acyclic::Acyclic;
use super::lanes::{budget, lanes, spread};
use super::search::{Search, TieBreak};
use super::ways::AnyWay;
use crate::algorithm::{Algorithm, AlgorithmEntry, Context, UnderFaults};
use crate::common::endpoints::ejection;
use crate::common::only_way::{OnlyWay, Rule};
use crate::common::vc_plan::VcPlan;
use schemars::JsonSchema;
use serde::Deserialize;
use std::sync::Arc;
use turnwise_config::registry::{Entry, parse_as, schema_of};
use turnwise_network::random::{Purpose, Random};
use turnwise_network::tables::NextHopTable;
use turnwise_network::{
    Header, Hop, Invalid, Network, PopulatedRouters, RouterId, Routing, Shape, Start, TerminalId,
    Vc, VcSet,
};

pub(crate) const ENTRY: AlgorithmEntry = AlgorithmEntry {
    entry: Entry {
        name: NAME,
        aliases: &[],
        summary: "Any network: shortest paths, each in one of several lanes without circles",
        source: "Skeie, Lysne, Theiss, Layered shortest path (LASH) routing, IPDPS 2002",
        example: "ties = \"balanced\"\norder = \"by-length\"",
        schema: schema_of::<Lash>,
        parse: |table, errors| Some(Box::new(parse_as::<Lash, dyn Algorithm>(table, errors)?)),
    },
    fits: |_| true,
};

const NAME: &str = "lash";

/// Parameters of LASH.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Lash {
    /// Which of several equally near next hops to take.
    pub ties: TieBreak,
    /// Which paths are put into lanes first.
    pub order: PathOrder,
    /// Virtual lanes to use: by default all the router has, or else as many as are needed.
    pub virtual_lanes: Option<Vc>,
}

/// Which paths are put into lanes first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum PathOrder {
    /// Those of the first source, of the second one, and so on.
    #[default]
    Sources,
    /// The longest ones, which have most dependencies.
    ByLength,
    /// Drawn from the study's seed.
    Random,
}

impl Algorithm for Lash {
    fn under_faults(&self, _: &Shape) -> UnderFaults {
        UnderFaults::EveryRoute
    }

    fn table_bytes(&self, network: &Network, _: &Context<'_>) -> u64 {
        // A port of two bytes, the lane, and the pairs while they are sorted, with their lengths.
        28 * (network.router_count() as u64).pow(2)
    }

    fn build(
        &self,
        network: &Arc<Network>,
        context: &Context<'_>,
    ) -> Result<Box<dyn Routing>, Invalid> {
        budget(self.virtual_lanes, network, context)?;
        let mut search = Search::new(network, &AnyWay, self.ties, context.seed);
        let table = NextHopTable::new(network, |destination, ports| {
            search.routes(destination, ports);
        })?;
        let ends = PopulatedRouters::new(network);
        let paths = Paths {
            network,
            table: &table,
            ends: &ends,
        };
        let pairs = self.order.sorted(&paths, context.seed);
        let (mut found, needed) = paths.layered(&pairs);
        let plan = lanes(NAME, self.virtual_lanes, needed, network, context)?;
        let all = pairs.iter().map(|&(from, to)| ends.pair(from, to));
        spread(&mut found, all, needed, plan.used);
        Ok(Box::new(OnlyWay(Layered {
            network: network.clone(),
            table,
            ends,
            lanes: found,
            plan,
        })))
    }
}

impl PathOrder {
    /// Pairs of different routers with terminals, in the order in which their paths are put into lanes.
    fn sorted(self, paths: &Paths<'_>, seed: u64) -> Vec<(RouterId, RouterId)> {
        let ends = &paths.ends.routers;
        let from = |from: RouterId| ends.iter().map(move |&to| (from, to));
        let all = ends.iter().flat_map(|&router| from(router));
        let mut pairs: Vec<_> = all
            .filter(|&(from, to)| paths.table.port(from, to).is_some())
            .collect();
        match self {
            Self::Sources => {}
            Self::ByLength => {
                let mut path = Vec::new();
                pairs.sort_by_cached_key(|&(from, to)| {
                    paths.follow(from, to, &mut path);
                    std::cmp::Reverse(path.len())
                });
            }
            Self::Random => {
                let mut rng = Random::new(seed, Purpose::Permutation, 0, 0);
                rng.shuffle(&mut pairs);
            }
        }
        pairs
    }
}

/// The paths that are put into lanes.
struct Paths<'a> {
    network: &'a Network,
    table: &'a NextHopTable,
    ends: &'a PopulatedRouters,
}

impl Paths<'_> {
    /// The channels on the way from one router to another one.
    fn follow(&self, from: RouterId, to: RouterId, path: &mut Vec<u32>) {
        path.clear();
        let mut at = from;
        while let Some(port) = self.table.port(at, to)
            && let Some(channel) = self.network.out_channel(at, port)
            && let Some(next) = self.network.channel(channel).to_router()
        {
            path.push(channel.0);
            at = next;
        }
    }

    /// The lane of each pair: the first one in which its path closes no circle. And how many there are.
    fn layered(&self, pairs: &[(RouterId, RouterId)]) -> (Vec<u8>, u32) {
        let mut lanes = vec![0; self.ends.pairs()];
        let mut graphs: Vec<Acyclic> = Vec::new();
        let (mut path, mut added) = (Vec::new(), Vec::new());
        for &(from, to) in pairs {
            self.follow(from, to, &mut path);
            let fits = |graph: &mut Acyclic| graph.add_chain(&path, &mut added);
            let lane = graphs.iter_mut().position(fits).unwrap_or(graphs.len());
            if lane == graphs.len() {
                let mut graph = Acyclic::new(self.network.channel_count());
                graph.add_chain(&path, &mut added);
                graphs.push(graph);
            }
            lanes[self.ends.pair(from, to)] = lane.min(u8::MAX.into()) as u8;
        }
        (lanes, graphs.len() as u32)
    }
}

/// Routes of a table, each in a lane of its own. `Header::class` is the lane.
struct Layered {
    network: Arc<Network>,
    table: NextHopTable,
    ends: PopulatedRouters,
    /// By pair of routers with terminals.
    lanes: Vec<u8>,
    plan: VcPlan,
}

impl Rule for Layered {
    fn plan(&self) -> &VcPlan {
        &self.plan
    }

    fn start(&self, source: TerminalId, destination: TerminalId) -> Option<Start> {
        let start = self.table.start(source, destination)?;
        let [from, to] = [source, destination].map(|terminal| self.network.router_of(terminal));
        let class = self.lanes[self.ends.pair(from, to)].into();
        Some(Start {
            header: Header {
                class,
                ..start.header
            },
            vcs: self.plan.all(),
        })
    }

    fn hop(&self, at: RouterId, header: Header) -> Option<Hop> {
        let destination = self.network.router_of(header.destination);
        if at == destination {
            return Some(ejection(&self.network, header, self.plan.all()));
        }
        Some(Hop {
            port: self.table.port(at, destination)?,
            vcs: VcSet::one(header.class as Vc),
            header,
        })
    }

    fn memory_bytes(&self) -> u64 {
        self.table.memory_bytes() + self.lanes.len() as u64
    }
}
