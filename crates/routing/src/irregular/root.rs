//! Where the tree of up*/down* routing is rooted.

use super::layers::Layers;
use super::orientation::{Orientation, first_with_most, parts};
use schemars::JsonSchema;
use serde::Deserialize;
use turnwise_network::metrics::{UNREACHABLE, distances};
use turnwise_network::random::{Purpose, Random};
use turnwise_network::{Invalid, Network, RouterId};

/// Where the tree is rooted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(
    untagged,
    expecting = "expected \"min-ecc\", \"lowest-id\", \"max-degree\", \"best-avg\", \"random\" or the number of a router"
)]
pub enum Root {
    /// Found by a policy.
    Policy(RootPolicy),
    /// This router.
    Router(u32),
}

impl Default for Root {
    fn default() -> Self {
        Self::Policy(RootPolicy::MinEcc)
    }
}

/// How a root is found. Of equals it is the router with the lowest number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum RootPolicy {
    /// The centre: its farthest router is as near as possible.
    #[serde(alias = "min_ecc")]
    MinEcc,
    /// The router with the lowest number.
    #[serde(alias = "lowest_id")]
    LowestId,
    /// The router with most links to others.
    #[serde(alias = "max_degree")]
    MaxDegree,
    /// The root with the shortest mean legal path, of the 64 routers that are nearest to all others.
    #[serde(alias = "best_avg")]
    BestAvg,
    /// Any router, drawn from the study's seed.
    Random,
}

impl Root {
    /// The order by trees from such a root; parts of the network that a given root is not in have theirs at their first router.
    ///
    /// O(routers + channels); times the routers for `min-ecc` and `best-avg`, which takes 64 searches of all pairs more.
    ///
    /// # Errors
    /// A root that there is not, or that has failed.
    pub(crate) fn orient(self, network: &Network, seed: u64) -> Result<Orientation, Invalid> {
        if let Self::Router(root) = self {
            let count = network.router_count();
            if root as usize >= count {
                let message = format!("there is no router {root}; there are {count}, from 0");
                return Err(Invalid::new("root", message));
            }
            if !network.is_alive(RouterId(root)) {
                let message = format!("router {root} has failed");
                let help = "choose another one, or a policy such as min-ecc";
                return Err(Invalid::new("root", message).with_help(help));
            }
        }
        let roots = parts(network).into_iter().map(|part| match self {
            Self::Router(root) if part.contains(&RouterId(root)) => RouterId(root),
            Self::Router(_) => part[0],
            Self::Policy(policy) => policy.root(network, &part, seed),
        });
        Ok(Orientation::rooted(network, roots.collect()))
    }
}

impl RootPolicy {
    fn root(self, network: &Network, part: &[RouterId], seed: u64) -> RouterId {
        let degree = |router: &RouterId| network.neighbours(*router).count();
        let farthest = |router: &RouterId| reached(network, *router).max();
        match self {
            Self::LowestId => part[0],
            Self::MinEcc => first_with_most(part, |router| std::cmp::Reverse(farthest(router))),
            Self::MaxDegree => first_with_most(part, degree),
            Self::BestAvg => best_average(network, part),
            Self::Random => {
                let mut rng = Random::new(seed, Purpose::Topology, part[0].0, 0);
                part[rng.below(part.len() as u32) as usize]
            }
        }
    }
}

/// The distances of all that can be reached.
fn reached(network: &Network, from: RouterId) -> impl Iterator<Item = u32> {
    let distances = distances(network, from).into_iter();
    distances.filter(|&distance| distance != UNREACHABLE)
}

/// How many routers `best-avg` tries.
const CANDIDATES: usize = 64;

fn best_average(network: &Network, part: &[RouterId]) -> RouterId {
    let mut central = part.to_vec();
    central.sort_by_cached_key(|&router| {
        let sum: u64 = reached(network, router).map(u64::from).sum();
        (sum, router)
    });
    central.truncate(CANDIDATES);
    central.sort_unstable();
    first_with_most(&central, |&root| {
        let order = Orientation::rooted(network, vec![root]);
        std::cmp::Reverse(Layers::new(vec![order], 1).total_hops(network, part))
    })
}
