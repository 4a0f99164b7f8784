//! In turn: what goes from a switch to a leaf takes all ports upwards one after the other.
//!
//! So every root gets the same share of what goes from a leaf to a leaf, to within a frame, and each of its queues downwards stays as short
//! as there are leaves that send: what comes together there is bounded, however long all links are full. Where ports are drawn, even the
//! shorter of two queues, it grows with the root of time, since a switch sees its own queues and not the roots'.
//! A turn is worth as many flits as a long frame has: short frames between long ones leave no port out, and follow each other by one way.
//!
//! Ports with much more to send than others lose their turn, and so do, for a time, those behind which the destination's leaf has been
//! said to be congested, by a notification that came through; only when all are does a notification go on to its source.
//!
//! Up before down: free of deadlock with one virtual channel, whatever is seen or heard. Routes are minimal. Frames overtake each other.
//!
//! **Faults.** A frame only takes ports behind which some way to its destination survives; a pair without any is not routed.
//!
//! Source: ours; docs/cee.md has its measurements and its price. Ports in turn by destination, whatever is seen or heard: Cao et al.,
//! "Per-packet load-balanced, low-latency routing for Clos-based data center networks", CoNEXT 2013. Turns by length: Shreedhar and
//! Varghese, "Efficient fair queuing using deficit round-robin", IEEE/ACM ToN 4(3), 1996.
//!
//! Complexity: O(ports upwards) a hop; memory O(leaves x ports upwards) for each switch.

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
        // What another algorithm of ours was called, which it replaces.
        aliases: &["homing"],
        summary: "Fat trees of lossless Ethernet, ours: what goes to a leaf takes all ports one after the other",
        source: "Turnwise (docs/cee.md)",
        example: "turn_flits = 2048",
        schema: schema_of::<InTurn>,
        parse: |table, errors| Some(Box::new(parse_as::<InTurn, dyn Algorithm>(table, errors)?)),
    },
    fits: |shape| matches!(shape, Shape::FatTree(_)),
};

const NAME: &str = "in-turn";

/// Parameters of taking ports in turn.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct InTurn {
    /// Flits that a port is sent in its turn; by default 1,500 bytes, a long frame.
    #[schemars(range(min = 1), transform = units::flits)]
    pub turn_flits: Option<u32>,
    /// Cycles after which what was heard is forgotten; by default as long as the slowest link between switches takes for 125,000 bytes: 0.1 ms at 10 Gb/s.
    #[schemars(range(min = 1), transform = units::cycles)]
    pub timeout_cycles: Option<u64>,
    /// Virtual channels to use: by default all the router has, or else 1.
    pub virtual_channels: Option<Vc>,
}

impl Algorithm for InTurn {
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
        let flits = |bytes| u64::from(context.measure.flits(bytes));
        let turn_flits = self.turn_flits.map(u64::from);
        let intervals = network.channels().map(|(_, channel)| channel.interval);
        let slowest = u64::from(intervals.max().unwrap_or(1));
        let taker = Taker {
            turn_flits: listening::positive("turn_flits", turn_flits, flits(1_500.0))? as u32,
            timeout_cycles: listening::positive(
                "timeout_cycles",
                self.timeout_cycles,
                flits(125e3) * slowest,
            )?,
            leaves: leaves as usize,
            network: Arc::clone(network),
        };
        listening::build(NAME, taker, self.virtual_channels, network, context)
    }
}

struct Taker {
    turn_flits: u32,
    timeout_cycles: u64,
    leaves: usize,
    network: Arc<Network>,
}

/// A port is passed over if its queue is longer than the shortest one by so many turns.
const MUCH: u32 = 4;

impl Taker {
    /// The words of a switch's table, made if nothing is in it yet: two for each leaf, the port whose turn it is and how many flits its
    /// turn is still worth; then two for each leaf and port, until when it has been said to be congested there.
    /// Each switch begins at another port, and with each leaf at another.
    fn words<'t>(&self, table: &'t mut Vec<u32>, climb: &Climb<'_>) -> &'t mut [u32] {
        if table.is_empty() {
            let ports = climb.ports().len();
            table.resize(2 * self.leaves * (1 + ports), 0);
            let apart = ports.div_ceil(self.leaves);
            for leaf in 0..self.leaves {
                table[2 * leaf] = ((climb.at.index() + leaf) * apart % ports) as u32;
            }
        }
        table
    }

    fn leaf(&self, destination: TerminalId) -> usize {
        self.network.router_of(destination).index()
    }

    /// Where the note of a port is, for the leaf of a destination.
    fn note(&self, destination: TerminalId, ports: &Range<Port>, port: Port) -> usize {
        let place = usize::from(port - ports.start);
        2 * (self.leaves + self.leaf(destination) * ports.len() + place)
    }
}

fn time(words: &[u32], at: usize) -> u64 {
    u64::from(words[at + 1]) << 32 | u64::from(words[at])
}

fn set_time(words: &mut [u32], at: usize, time: u64) {
    [words[at], words[at + 1]] = [time as u32, (time >> 32) as u32];
}

impl Choice for Taker {
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
        passing: Passing,
        sees: &dyn Congestion,
        table: &mut Vec<u32>,
    ) -> Option<Port> {
        let ports = climb.ports();
        let words = self.words(table, climb);
        let note = |port| self.note(climb.destination(), &ports, port);
        let queued = |port| sees.queued(port, VcSet::EVERY);
        let is_congested = |port| time(words, note(port)) > passing.now;
        let shortest = climb.ups().map(queued).min()?;
        let much = shortest.saturating_add(MUCH.saturating_mul(self.turn_flits));
        let turn = 2 * self.leaf(climb.destination());
        let (last, left) = (ports.start + words[turn] as Port, words[turn + 1]);
        let in_turn = climb.ups_from(last + Port::from(left == 0));
        let port = in_turn.min_by_key(|&port| (is_congested(port), queued(port) > much))?;
        let is_still = port == last && left > 0;
        let left = if is_still { left } else { self.turn_flits };
        words[turn] = (port - ports.start).into();
        words[turn + 1] = left.saturating_sub(passing.flits);
        Some(port)
    }
}
