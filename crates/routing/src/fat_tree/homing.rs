//! Homing: frames go by the ports that d-mod-k has for them, by all ports in turn while these are taken, and come back.
//!
//! Under d-mod-k terminals that each receive from one source never share a channel downwards. So frames that are at home are in nobody's
//! way further on, and what contention there is lies before a switch's own ports, where the switch sees it in the moment in
//! which it arises. A frame goes home if hardly anything waits there. If something does, or did so lately at any of the switch's
//! ports, the switch spreads all its frames, since those at home would now be in the way of others: what goes to a leaf takes the ports
//! in turn, so that every root gets the same share of it, and queues downwards stay as short as there are leaves that send. (Of two
//! queues drawn the shorter one is as even on the way up, but downwards as much waits as chance brings together.)
//! A turn is worth as many flits as a long frame has: short frames between long ones leave no port out.
//! Ports with much more to send than others lose theirs, and so do, for a time, those behind which the destination's leaf has been said
//! to be congested, by a notification that came through; only when all are does a notification go on to its source.
//!
//! Up before down: free of deadlock with one virtual channel, whatever is seen or heard. Routes are minimal. Frames overtake each
//! other while they are spread, and only then.
//!
//! **Faults.** A frame only takes ports behind which some way to its destination survives; a pair without any is not routed.
//!
//! Source: ours; docs/cee.md has its measurements and its price. Ports in turn, by destination: Cao et al., "Per-packet load-balanced,
//! low-latency routing for Clos-based data center networks", CoNEXT 2013. Turns by length: Shreedhar and Varghese, "Efficient fair
//! queuing using deficit round-robin", IEEE/ACM ToN 4(3), 1996.
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
    /// A frame goes home if no more flits than these wait there, and a turn is worth as many; by default 1,500 bytes, a long frame.
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

/// The first words of a switch's table: until when its frames are spread.
const SPREAD_UNTIL: usize = 0;
/// After these, two words for each leaf: the port whose turn it is, and how many flits its turn is still worth.
const TURNS: usize = 2;
/// A port is passed over if its queue is longer than the shortest one by so many turns.
const MUCH: u32 = 4;

impl Homer {
    /// How many flits a turn is worth.
    fn worth(&self) -> u32 {
        self.home_flits.max(1)
    }

    /// The words of a switch's table, made if nothing is in it yet. Each switch begins at another port, and with each leaf at another.
    fn words<'t>(&self, table: &'t mut Vec<u32>, climb: &Climb<'_>) -> &'t mut [u32] {
        if table.is_empty() {
            let ports = climb.ports().len();
            table.resize(TURNS + 2 * self.leaves * (1 + ports), 0);
            let apart = ports.div_ceil(self.leaves);
            for leaf in 0..self.leaves {
                table[TURNS + 2 * leaf] = ((climb.at.index() + leaf) * apart % ports) as u32;
            }
        }
        table
    }

    /// Where it is said whose turn it is, for the leaf of a destination.
    fn turn(&self, destination: TerminalId) -> usize {
        TURNS + 2 * self.network.router_of(destination).index()
    }

    /// Where it is said until when a port has been told to be congested, for the leaf of a destination: after all turns.
    fn note(&self, destination: TerminalId, ports: &Range<Port>, port: Port) -> usize {
        let leaf = self.network.router_of(destination).index();
        TURNS + 2 * (self.leaves + leaf * ports.len() + usize::from(port - ports.start))
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
        let words = self.words(table, climb);
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
        let words = self.words(table, climb);
        let note = |port| self.note(climb.destination(), &ports, port);
        let queued = |port| sees.queued(port, VcSet::EVERY);
        let is_free = queued(usual) <= self.home_flits && time(words, note(usual)) <= passing.now;
        if !is_free {
            set_time(words, SPREAD_UNTIL, passing.now + self.spread_cycles);
        }
        if time(words, SPREAD_UNTIL) <= passing.now {
            return Some(usual);
        }
        let is_congested = |port| time(words, note(port)) > passing.now;
        let shortest = climb.ups().map(queued).min()?;
        let much = shortest.saturating_add(MUCH.saturating_mul(self.worth()));
        let turn = self.turn(climb.destination());
        let (last, left) = (ports.start + words[turn] as Port, words[turn + 1]);
        let in_turn = climb.ups_from(last + Port::from(left == 0));
        let port = in_turn.min_by_key(|&port| (is_congested(port), queued(port) > much))?;
        let is_still = port == last && left > 0;
        let left = if is_still { left } else { self.worth() };
        words[turn] = (port - ports.start).into();
        words[turn + 1] = left.saturating_sub(passing.flits);
        Some(port)
    }
}
