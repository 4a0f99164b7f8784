//! Random irregular graph: so many links between routers drawn at random, which have ports for so many.
//!
//! What clusters look like that have grown: a random tree first, every router linked to a random one before it that has a
//! port left, and then links between random routers until there are as many as wanted. No two routers have two links, and none has one
//! to itself. Drawn again where the last links find no room. Expected O(routers + links), and O(routers^2) where hardly a port is
//! left.
//!
//! Ports: terminals, then the neighbours in ascending order.

use super::Topology;
use super::check;
use super::latency::ChannelLatency;
use super::simple_graph;
use crate::builder::Size;
use crate::network::Network;
use crate::random::{Purpose, Random};
use rustc_hash::FxHashSet;
use schemars::JsonSchema;
use serde::Deserialize;
use turnwise_config::diagnostic::Invalid;
use turnwise_config::registry::{Entry, parse_as, schema_of};

pub(super) const RANDOM_IRREGULAR: Entry<dyn Topology> = Entry {
    name: "random-irregular",
    aliases: &["irregular"],
    summary: "Random connected graph of so many links, with routers of so many ports",
    source: "Silla, Duato, High-performance routing in networks of workstations with irregular topology, \
             IEEE Transactions on Parallel and Distributed Systems 11(7), 2000",
    example: "routers = 16\nlinks = 26\nmost_links = 4\nterminals_per_router = 4\nseed = 1",
    schema: schema_of::<RandomIrregular>,
    parse: |table, errors| {
        Some(Box::new(parse_as::<RandomIrregular, dyn Topology>(
            table, errors,
        )?))
    },
};

/// Parameters of a random irregular graph.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RandomIrregular {
    /// Number of routers.
    #[schemars(range(min = 1))]
    pub routers: u32,
    /// Links between them, in all.
    pub links: u32,
    /// A router has at most so many of them.
    pub most_links: u32,
    /// Terminals at each router.
    #[serde(default = "check::one")]
    #[schemars(range(min = 1))]
    pub terminals_per_router: u32,
    /// Seed of the random choices; the same seed always gives the same network.
    #[serde(default)]
    pub seed: u64,
    /// How long channels are.
    #[serde(default)]
    pub channel_latency: ChannelLatency,
}

impl Default for RandomIrregular {
    fn default() -> Self {
        Self {
            routers: 16,
            links: 26,
            most_links: 4,
            terminals_per_router: 1,
            seed: 0,
            channel_latency: ChannelLatency::default(),
        }
    }
}

impl Topology for RandomIrregular {
    fn size(&self) -> Size {
        let routers = u64::from(self.routers);
        Size {
            routers,
            terminals: routers.saturating_mul(self.terminals_per_router.into()),
            channels: 2 * u64::from(self.links),
        }
    }

    fn build(&self, _: Option<&str>) -> Result<Network, Invalid> {
        const MOST_ATTEMPTS: u32 = 100;
        self.check()?;
        let Self { routers, links, .. } = *self;
        let drawn = (0..MOST_ATTEMPTS).find_map(|attempt| self.draw(attempt));
        let Some(drawn) = drawn else {
            let message =
                format!("no graph with so many links was found in {MOST_ATTEMPTS} attempts");
            let help = "take fewer links, or `random-regular` where every port has one";
            return Err(Invalid::new("links", message).with_help(help));
        };
        let description = format!("random irregular graph of {routers} routers and {links} links");
        let size = (routers, self.terminals_per_router);
        simple_graph::wire(description, size, &drawn, &self.channel_latency)
    }
}

impl RandomIrregular {
    fn check(&self) -> Result<(), Invalid> {
        let [n, links, most] = [self.routers, self.links, self.most_links].map(u64::from);
        check::some(self.routers, "routers", "a graph has at least one router")?;
        check::terminals(self.terminals_per_router)?;
        let terminals = u64::from(self.terminals_per_router);
        check::ports(terminals, "terminals_per_router")?;
        if most < 2 && n > most + 1 {
            let message = format!("{n} routers with at most {most} links each cannot be connected");
            return Err(Invalid::new("most_links", message));
        }
        // Neighbours are other routers, each once.
        let of_all = n * most.min(n - 1) / 2;
        if links < n - 1 {
            let message = format!("{n} routers are connected by {} links at least", n - 1);
            return Err(Invalid::new("links", message));
        }
        if links > of_all {
            let message =
                format!("{n} routers with at most {most} links each have {of_all} of them at most");
            return Err(Invalid::new("links", message));
        }
        check::ports(most.min(n - 1) + terminals, "most_links")?;
        self.size().check("routers")?;
        Ok(())
    }

    /// The links in ascending order, each with its lower router first.
    fn draw(&self, attempt: u32) -> Option<Vec<(u32, u32)>> {
        let mut random = Random::new(self.seed, Purpose::Topology, 0, attempt);
        let mut drawing = Drawing::new(self);
        drawing.grow_tree(&mut random);
        drawing.add_quickly(&mut random);
        drawing.add_remaining(&mut random);
        let mut links = drawing.links;
        links.sort_unstable();
        (links.len() == self.links as usize).then_some(links)
    }
}

/// A graph that is being drawn.
struct Drawing {
    wanted: usize,
    /// By router: how many links it has room for.
    room: Vec<u32>,
    /// Routers with room.
    open: Vec<u32>,
    /// By router: its place among those, if it has one.
    places: Vec<u32>,
    links: Vec<(u32, u32)>,
    present: FxHashSet<(u32, u32)>,
}

impl Drawing {
    fn new(graph: &RandomIrregular) -> Self {
        Self {
            wanted: graph.links as usize,
            room: vec![graph.most_links; graph.routers as usize],
            open: Vec::new(),
            places: vec![0; graph.routers as usize],
            links: Vec::with_capacity(graph.links as usize),
            present: FxHashSet::default(),
        }
    }

    /// Links every router, in random order, to one before it.
    fn grow_tree(&mut self, random: &mut Random) {
        let mut order: Vec<u32> = (0..self.room.len() as u32).collect();
        random.shuffle(&mut order);
        for router in order {
            if !self.open.is_empty() {
                let other = self.open[random.below(self.open.len() as u32) as usize];
                self.add(router, other);
            }
            if self.room[router as usize] > 0 {
                self.places[router as usize] = self.open.len() as u32;
                self.open.push(router);
            }
        }
    }

    /// Adds links of random routers as long as some are soon found.
    fn add_quickly(&mut self, random: &mut Random) {
        const MOST_MISSES: u32 = 100;
        let mut misses = 0;
        while self.links.len() < self.wanted && self.open.len() > 1 && misses < MOST_MISSES {
            let [one, other] =
                [(); 2].map(|()| self.open[random.below(self.open.len() as u32) as usize]);
            misses = match self.is_free(one, other) {
                true => {
                    self.add(one, other);
                    0
                }
                false => misses + 1,
            };
        }
    }

    /// Adds links of those that are left, in random order.
    fn add_remaining(&mut self, random: &mut Random) {
        if self.links.len() == self.wanted {
            return;
        }
        let open = self.open.clone();
        let pairs = open
            .iter()
            .enumerate()
            .flat_map(|(at, &one)| open[at + 1..].iter().map(move |&other| (one, other)));
        let mut pairs: Vec<(u32, u32)> = pairs
            .filter(|&(one, other)| self.is_free(one, other))
            .collect();
        random.shuffle(&mut pairs);
        for (one, other) in pairs {
            let has_room = [one, other]
                .iter()
                .all(|&router| self.room[router as usize] > 0);
            if has_room && self.links.len() < self.wanted {
                self.add(one, other);
            }
        }
    }

    fn is_free(&self, one: u32, other: u32) -> bool {
        one != other && !self.present.contains(&(one.min(other), one.max(other)))
    }

    fn add(&mut self, one: u32, other: u32) {
        let link = (one.min(other), one.max(other));
        self.links.push(link);
        self.present.insert(link);
        for router in [one, other] {
            self.room[router as usize] -= 1;
            if self.room[router as usize] == 0 {
                self.close(router);
            }
        }
    }

    /// Takes a router off those with room, if it is among them: one that has just come may be full at once.
    fn close(&mut self, router: u32) {
        let place = self.places[router as usize] as usize;
        if self.open.get(place) == Some(&router) {
            self.open.swap_remove(place);
            if let Some(&moved) = self.open.get(place) {
                self.places[moved as usize] = place as u32;
            }
        }
    }
}
