//! Homing: frames go by the ports that d-mod-k has for them, spread over all ports while these are taken, and come back.
//!
//! Under d-mod-k terminals that each receive from one source never share a channel downwards. So frames that are at home are in nobody's
//! way further on, and what contention there is lies before a switch's own ports, where the switch sees it in the moment in
//! which it arises. A frame goes home if hardly anything waits there. If something does, or did so lately at any of the switch's
//! ports, the frame takes the port with the shorter queue of two that are drawn: all frames of the switch do, since those at home would
//! now be in the way of others. Ports behind which the destination's leaf has been said to be congested, by a notification that came
//! through, are taken last, for a time; only when all are does a notification go on to its source.
//!
//! Up before down: free of deadlock with one virtual channel, whatever is seen or heard. Routes are minimal. Frames overtake each
//! other while they are spread, and only then.
//!
//! **Faults.** A frame only takes ports behind which some way to its destination survives; a pair without any is not routed.
//!
//! Source: ours; docs/cee.md has its measurements and its price. Two choices: Mitzenmacher, "The power of two choices in randomized
//! load balancing", IEEE TPDS 12(10), 2001.
//!
//! Complexity: O(1) a hop at home, else O(ports upwards); memory O(leaves x ports upwards) for each switch.

use crate::algorithm::{Algorithm, AlgorithmEntry, Context};
use crate::fat_tree::listening::{self, Choice, Climb};
use schemars::JsonSchema;
use serde::Deserialize;
use std::ops::Range;
use std::sync::Arc;
use turnwise_config::registry::{Entry, parse_as, schema_of};
use turnwise_config::units;
use turnwise_network::random::{mix, scaled};
use turnwise_network::{
    Congestion, Heard, Invalid, Network, Passing, Port, Routing, Shape, TerminalId, Vc, VcSet,
};

pub(crate) const ENTRY: AlgorithmEntry = AlgorithmEntry {
    entry: Entry {
        name: NAME,
        aliases: &[],
        summary: "Fat trees of lossless Ethernet, ours: d-mod-k's ports, and others only while these are taken",
        source: "Turnwise (docs/cee.md)",
        example: "home_flits = 2048",
        schema: schema_of::<Homing>,
        parse: |table, errors| Some(Box::new(parse_as::<Homing, dyn Algorithm>(table, errors)?)),
    },
    fits: |shape| matches!(shape, Shape::FatTree(_)),
};

const NAME: &str = "homing";

/// Parameters of homing.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Homing {
    /// A frame goes home if no more flits than these wait there; by default 1,500 bytes, a long frame.
    #[schemars(transform = units::flits)]
    pub home_flits: Option<u32>,
    /// Cycles for which frames are spread after one has not gone home; by default as long as a link takes for 25,000 bytes: 20 us at
    /// 10 Gb/s.
    #[schemars(range(min = 1), transform = units::cycles)]
    pub spread_cycles: Option<u64>,
    /// Cycles after which what was heard is forgotten; by default as long as a link takes for 125,000 bytes: 0.1 ms at 10 Gb/s.
    #[schemars(range(min = 1), transform = units::cycles)]
    pub timeout_cycles: Option<u64>,
    /// Virtual channels to use: by default all the router has, or else 1.
    pub virtual_channels: Option<Vc>,
}

impl Algorithm for Homing {
    fn build(
        &self,
        network: &Arc<Network>,
        context: &Context<'_>,
    ) -> Result<Box<dyn Routing>, Invalid> {
        let leaf = |terminal| network.router_of(terminal).0;
        let leaves = network
            .terminals()
            .map(leaf)
            .max()
            .map_or(0, |last| last + 1);
        let flits = |bytes| context.measure.flits(bytes);
        let homer = Homer {
            home_flits: self.home_flits.unwrap_or(flits(1_500.0)),
            spread_cycles: self.spread_cycles.unwrap_or(flits(25e3).into()),
            timeout_cycles: self.timeout_cycles.unwrap_or(flits(125e3).into()),
            leaves: leaves as usize,
            network: Arc::clone(network),
        };
        listening::build(NAME, homer, self.virtual_channels, network, context)
    }
}

struct Homer {
    home_flits: u32,
    spread_cycles: u64,
    timeout_cycles: u64,
    leaves: usize,
    network: Arc<Network>,
}

/// The first words of a switch's table: until when its frames are spread, and how many have been.
const SPREAD_UNTIL: usize = 0;
const SPREAD: usize = 2;
/// After these, two words for each leaf and port: until when it has been said to be congested there.
const NOTES: usize = 3;

impl Homer {
    /// The words of a switch's table, made if nothing is in it yet.
    fn words<'t>(&self, table: &'t mut Vec<u32>, ports: usize) -> &'t mut [u32] {
        if table.is_empty() {
            table.resize(NOTES + 2 * self.leaves * ports, 0);
        }
        table
    }

    /// Where the note of a port is, for the leaf of a destination.
    fn note(&self, destination: TerminalId, ports: &Range<Port>, port: Port) -> usize {
        let leaf = self.network.router_of(destination).index();
        NOTES + 2 * (leaf * ports.len() + usize::from(port - ports.start))
    }
}

fn time(words: &[u32], at: usize) -> u64 {
    u64::from(words[at + 1]) << 32 | u64::from(words[at])
}

fn set_time(words: &mut [u32], at: usize, time: u64) {
    [words[at], words[at + 1]] = [time as u32, (time >> 32) as u32];
}

impl Choice for Homer {
    fn hear(&self, climb: &Climb<'_>, heard: &Heard, table: &mut Vec<u32>) -> bool {
        let is_over = heard.notification.severity == 0;
        // Its own queues a switch sees anyway.
        if heard.is_local {
            return is_over;
        }
        let ports = climb.ports();
        let words = self.words(table, ports.len());
        let note = |port| self.note(climb.destination(), &ports, port);
        if is_over {
            set_time(words, note(heard.port), 0);
            return true;
        }
        set_time(words, note(heard.port), heard.now + self.timeout_cycles);
        !climb.ups().any(|port| time(words, note(port)) <= heard.now)
    }

    fn up(
        &self,
        climb: &Climb<'_>,
        usual: Port,
        passing: Passing,
        sees: &dyn Congestion,
        table: &mut Vec<u32>,
    ) -> Option<Port> {
        let ports = climb.ports();
        let words = self.words(table, ports.len());
        let note = |port| self.note(climb.destination(), &ports, port);
        let queued = |port| sees.queued(port, VcSet::EVERY);
        let is_free = queued(usual) <= self.home_flits && time(words, note(usual)) <= passing.now;
        if !is_free {
            set_time(words, SPREAD_UNTIL, passing.now + self.spread_cycles);
        }
        if time(words, SPREAD_UNTIL) <= passing.now {
            return Some(usual);
        }
        words[SPREAD] = words[SPREAD].wrapping_add(1);
        let seed = mix(u64::from(climb.at.0) << 32 | u64::from(words[SPREAD]));
        let is_congested = |port: &Port| time(words, note(*port)) > passing.now;
        let ways = climb.ups();
        let good = ways.clone().filter(|port| !is_congested(port));
        let drawn = match good.clone().count() as u32 {
            0 => two_of(ways.clone(), ways.count() as u32, seed),
            count => two_of(good, count, seed),
        };
        drawn.into_iter().flatten().min_by_key(|&port| queued(port))
    }
}

/// Two of so many ports, different ones if there are two, drawn by a seed.
fn two_of(ports: impl Iterator<Item = Port> + Clone, count: u32, seed: u64) -> [Option<Port>; 2] {
    let first = scaled(seed, count);
    let other = (first + 1 + scaled(mix(seed), count.saturating_sub(1))) % count.max(1);
    [first, other].map(|number| ports.clone().nth(number as usize))
}
