//! Routers and links as a file lists them, and the network they make.

use super::links::opposite;
use crate::builder::{MAX_CHANNELS, NetworkBuilder, Size};
use crate::faults::Faults;
use crate::ids::{Port, RouterId};
use crate::interval::{ChannelInterval, LONGEST_INTERVAL};
use crate::network::{ChannelClass, Network};
use crate::per_class::PerClass;
use crate::shape::Shape;
use crate::topologies::{ChannelLatency, LONGEST_LATENCY};
use turnwise_config::Flaw;
use turnwise_config::units::Cycles;

/// What a file says of a network; what it leaves open is decided by [`Listing::build`].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Listing {
    /// One line for people.
    pub description: Option<String>,
    /// Latency of injection and ejection channels.
    pub terminal_latency: Option<ListedCycles>,
    /// Cycles that a flit occupies injection and ejection channels for.
    pub terminal_interval: Option<ListedCycles>,
    /// The same by terminal, in the place of one for all.
    pub terminal_intervals: Option<Vec<u32>>,
    /// Where in the text these are, if that is known.
    pub terminal_intervals_at: Option<usize>,
    /// Terminals of the routers that say nothing themselves.
    pub terminals_per_router: Option<u32>,
    /// The routers in the order of their numbers.
    pub routers: Vec<ListedRouter>,
    /// What the routers are called, in the same order; empty if they have only numbers.
    pub names: Vec<String>,
    /// The first terminal that the file has another number for, and that number.
    pub renumbered: Option<[u32; 2]>,
    /// The links in the order of the file.
    pub links: Vec<ListedLink>,
    /// Terminals that have failed although their routers live.
    pub dead_terminals: Vec<u32>,
    /// Where in the text each of those is listed, or where all are.
    pub dead_terminals_at: Vec<usize>,
}

/// Cycles that a file gives in a place of their own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ListedCycles {
    /// How many.
    pub cycles: u32,
    /// Where in the text, if that is known.
    pub offset: Option<usize>,
}

/// A router of a [`Listing`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ListedRouter {
    /// Its terminals.
    pub terminals: Option<u32>,
    /// Its ports, those of terminals and unconnected ones included; as many as needed if open.
    pub ports: Option<u16>,
    /// Has it failed?
    pub dead: bool,
    /// Where in the text it is listed, if that is known.
    pub offset: Option<usize>,
}

/// A link of a [`Listing`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ListedLink {
    /// The numbers of the routers at both ends.
    pub ends: [u32; 2],
    /// The ports at both ends; if open, the next free ones.
    pub ports: Option<[Port; 2]>,
    /// Cycles.
    pub latency: Option<u32>,
    /// Cycles that a flit occupies the link for; 1 if open.
    pub interval: Option<u32>,
    /// The class from the first to the second end.
    pub class: ChannelClass,
    /// Does it carry nothing from the second to the first end?
    pub one_way: bool,
    /// Where in the text it is listed, if that is known.
    pub offset: Option<usize>,
}

fn is_possible(latency: u32) -> bool {
    (1..=LONGEST_LATENCY).contains(&latency)
}

fn is_interval(cycles: u32) -> bool {
    (1..=LONGEST_INTERVAL).contains(&cycles)
}

fn no_interval(found: impl std::fmt::Display) -> String {
    format!("expected an interval of 1 to {LONGEST_INTERVAL} whole cycles, found `{found}`")
}

/// An interval as a file spells it, in whole cycles.
pub(super) fn read_interval(text: &str, offset: usize) -> Result<u32, Flaw> {
    match text.parse() {
        Ok(Cycles(cycles)) if is_interval(cycles) => Ok(cycles),
        _ => Err(Flaw::at(offset, no_interval(text))),
    }
}

fn no_latency(found: impl std::fmt::Display) -> String {
    format!("expected a latency of 1 to {LONGEST_LATENCY} whole cycles, found `{found}`")
}

/// A latency as a file spells it, in whole cycles.
pub(super) fn read_latency(text: &str, offset: usize) -> Result<u32, Flaw> {
    match text.parse() {
        Ok(Cycles(cycles)) => Ok(cycles),
        Err(_) => Err(Flaw::at(offset, no_latency(text))),
    }
}

impl Listing {
    /// A file cannot list more routers than this: it is a slip rather than a network.
    pub const MOST_ROUTERS: u64 = 10_000_000;

    /// Is every link that leads both ways listed from both ends?
    ///
    /// Other programs write graphs so, and mean one link. Who says at which ports a link is means each of them.
    pub fn is_listed_twice(&self) -> bool {
        let links = self.links.iter();
        let links = links.filter(|link| !link.one_way && link.ports.is_none());
        let mut ways: Vec<(u32, u32, bool)> = links
            .map(|link| {
                let [a, b] = link.ends;
                (a.min(b), a.max(b), a < b)
            })
            .collect();
        ways.sort_unstable();
        let pairs = ways.chunk_by(|one, other| (one.0, one.1) == (other.0, other.1));
        let from_both = |pair: &[(u32, u32, bool)]| {
            let down = pair.iter().filter(|(.., is_up)| !is_up).count();
            2 * down == pair.len()
        };
        !ways.is_empty() && pairs.into_iter().all(from_both)
    }

    /// The network, with the study's answers to what the file leaves open.
    ///
    /// Ports that the file leaves open are numbered after the terminals' in the order of
    /// the links.
    ///
    /// # Errors
    /// No routers, links to routers or ports that do not exist or are used twice, links of
    /// a router to itself, more of anything than a network can have.
    pub fn build(
        self,
        description: String,
        terminals_per_router: u32,
        latency: &ChannelLatency,
    ) -> Result<Network, Flaw> {
        self.check_links()?;
        let terminals_per_router = self.terminals_per_router.unwrap_or(terminals_per_router);
        let terminals = |router: &ListedRouter| router.terminals.unwrap_or(terminals_per_router);
        Size {
            routers: self.routers.len() as u64,
            terminals: self
                .routers
                .iter()
                .map(|router| u64::from(terminals(router)))
                .sum(),
            channels: 2 * self.links.len() as u64,
        }
        .check("")?;
        let ports = self.count_ports(terminals)?;
        self.check_ports(&ports, terminals)?;
        let description = self.description.unwrap_or(description);
        let mut builder = NetworkBuilder::new(description, Shape::Graph);
        for (router, &ports) in self.routers.iter().zip(&ports) {
            builder.router(ports.into(), terminals(router) as usize);
        }
        let mut next: Vec<u32> = self.routers.iter().map(terminals).collect();
        for link in &self.links {
            let mut end = |side: usize| {
                let router = link.ends[side];
                let port = link
                    .ports
                    .map_or(next[router as usize], |ports| ports[side].into());
                next[router as usize] = port + 1;
                (RouterId(router), port as usize)
            };
            let (a, b) = (end(0), end(1));
            let latency = link.latency.unwrap_or(latency.of_local(1));
            builder.interval(link.interval.unwrap_or(1));
            match link.one_way {
                true => builder.channel(a, b, latency, link.class),
                false => builder.link(a, b, latency, link.class, opposite(link.class)),
            }
        }
        let terminal_latency = self.terminal_latency.map(|listed| listed.cycles);
        let network = builder.build(terminal_latency.unwrap_or(latency.of_terminal()))?;
        let intervals = ChannelInterval(PerClass {
            terminal: self.terminal_interval.map(|listed| Cycles(listed.cycles)),
            ..PerClass::default()
        });
        let mut network = network.with_intervals(&intervals)?;
        if let Some(intervals) = self.terminal_intervals {
            let slowed = network.slow_terminals(&intervals);
            slowed.map_err(|invalid| Flaw {
                place: self.terminal_intervals_at,
                ..invalid.into()
            })?;
        }
        network.names = self.names.into();
        let dead = (0..)
            .zip(&self.routers)
            .filter_map(|(id, router)| router.dead.then_some(id));
        let faults = Faults {
            routers: dead.collect(),
            terminals: self.dead_terminals,
            ..Faults::default()
        };
        if faults.is_empty() {
            return Ok(network);
        }
        let at = self.dead_terminals_at;
        let mut survivor = network.without(&faults).map_err(|invalid| {
            let index = invalid
                .place
                .trim_matches(|digit: char| !digit.is_ascii_digit());
            let own = index.parse().ok().and_then(|index: usize| at.get(index));
            let message = format!("dead_{}: {}", invalid.place, invalid.message);
            let invalid: Flaw = invalid.into();
            Flaw {
                place: own.or(at.first()).copied(),
                message,
                ..invalid
            }
        })?;
        // The file's own description has told of its dead already.
        network.description().clone_into(&mut survivor.description);
        Ok(survivor)
    }

    fn check_links(&self) -> Result<(), Flaw> {
        if self.terminal_interval.is_some() && self.terminal_intervals.is_some() {
            let message = "terminal_intervals: terminal_interval has said this for all terminals";
            return Err(Flaw::new(self.terminal_intervals_at, message));
        }
        if self.routers.is_empty() {
            return Err(Flaw::at(0, "there are no routers in this file"));
        }
        for link in &self.links {
            let flaw = |message: String| Flaw::new(link.offset, message);
            if let Some(router) = link
                .ends
                .iter()
                .find(|&&end| end as usize >= self.routers.len())
            {
                let help = format!("routers are numbered 0 to {}", self.routers.len() - 1);
                return Err(flaw(format!("there is no router {router}")).with_help(help));
            }
            let [a, b] = link.ends;
            if a == b {
                return Err(flaw(format!("router {a} is linked to itself")));
            }
            if let Some(cycles) = link.latency.filter(|&cycles| !is_possible(cycles)) {
                return Err(flaw(no_latency(cycles)));
            }
            if let Some(cycles) = link.interval.filter(|&cycles| !is_interval(cycles)) {
                return Err(flaw(no_interval(cycles)));
            }
        }
        for (listed, is_known, complaint) in [
            (
                self.terminal_interval,
                is_interval as fn(u32) -> bool,
                no_interval as fn(u32) -> String,
            ),
            (self.terminal_latency, is_possible, no_latency),
        ] {
            if let Some(ListedCycles { cycles, offset }) =
                listed.filter(|listed| !is_known(listed.cycles))
            {
                return Err(Flaw::new(offset, complaint(cycles)));
            }
        }
        Ok(())
    }

    /// No port that the file names is used twice; the first ones are the terminals'.
    fn check_ports(
        &self,
        ports: &[Port],
        terminals: impl Fn(&ListedRouter) -> u32,
    ) -> Result<(), Flaw> {
        let mut first = Vec::with_capacity(ports.len());
        let mut taken: Vec<[bool; 2]> = Vec::new();
        for (router, &ports) in self.routers.iter().zip(ports) {
            first.push(taken.len());
            let end = taken.len() + usize::from(ports);
            taken.resize(taken.len() + terminals(router) as usize, [true; 2]);
            taken.resize(end, [false; 2]);
        }
        for link in &self.links {
            let Some(ports) = link.ports else { continue };
            for (side, (&router, port)) in link.ends.iter().zip(ports).enumerate() {
                let taken = &mut taken[first[router as usize] + usize::from(port)];
                // Packets leave by the first end, and come by the second one.
                for (way, taken) in taken.iter_mut().enumerate() {
                    let is_used = !link.one_way || way == side;
                    if is_used && std::mem::replace(taken, true) {
                        let message = format!("port {port} of router {router} is used twice");
                        return Err(Flaw::new(link.offset, message));
                    }
                }
            }
        }
        Ok(())
    }

    fn count_ports(&self, terminals: impl Fn(&ListedRouter) -> u32) -> Result<Vec<Port>, Flaw> {
        let mut counts: Vec<u64> = self.routers.iter().map(|r| terminals(r).into()).collect();
        for (side, link) in self.links.iter().flat_map(|link| [(0, link), (1, link)]) {
            let count = &mut counts[link.ends[side] as usize];
            *count = match link.ports {
                Some(ports) => (*count).max(u64::from(ports[side]) + 1),
                None => *count + 1,
            };
        }
        let counted = counts.into_iter().zip(&self.routers).enumerate();
        let ports = counted.map(|(id, (needed, router))| match router.ports {
            Some(ports) if u64::from(ports) < needed => {
                let message = format!(
                    "router {id} has {ports} ports, but its terminals and links need {needed}"
                );
                Err(Flaw::new(router.offset, message))
            }
            Some(ports) => Ok(ports),
            None => Port::try_from(needed).map_err(|_| {
                let most = Port::MAX;
                let message =
                    format!("router {id} would have {needed} ports; at most {most} are possible");
                Flaw::new(router.offset, message)
            }),
        });
        let ports: Vec<Port> = ports.collect::<Result<_, _>>()?;
        let total: u64 = ports.iter().map(|&ports| u64::from(ports)).sum();
        if total > MAX_CHANNELS {
            let message = format!(
                "the routers of this file have {total} ports together; at most {MAX_CHANNELS} are possible"
            );
            return Err(Flaw::general(message));
        }
        Ok(ports)
    }
}
