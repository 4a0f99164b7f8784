//! Snooping: switches of a fat tree route around what they hear of congestion.
//!
//! A switch of lossless Ethernet that sees a congestion notification pass notes that the flow's destination is congested behind
//! the port by which it came, or behind its own if it has sent it. Frames to that destination then take other ports upwards, in turn. Only
//! when all are congested does the notification go on to the source, which slows down. A note is forgotten after a time
//! without another, or when a notification says that it is over. Frames go up by d-mod-k where nothing is known, always down by the only way.
//!
//! Up before down: free of deadlock with one virtual channel, whatever is heard. Routes are minimal, and out of order while they change.
//! In a network without notifications this is d-mod-k.
//!
//! **Faults.** A frame only takes ports behind which some way to its destination survives; a pair without any is not routed.
//!
//! Source: Minkenberg, Scicchitano and Gusat, "Adaptive routing for Convergence Enhanced Ethernet", HPSR 2009; Luijten, "Adaptive
//! routing on CEE for HPC", 2010. How notes are forgotten, how several add up and whose turn it is is not published; `timeout_cycles`, `keep`, `feedback` and `turn` are our
//! reading.
//!
//! Complexity: O(1) a hop where nothing is noted, else O(ports upwards); memory O(terminals) for each switch that has heard
//! something, and O(ports upwards) for each destination that it has heard of.

use crate::algorithm::{Algorithm, AlgorithmEntry, Context};
use crate::fat_tree::listening::{self, Choice, Climb};
use crate::fat_tree::notes::Notes;
use schemars::JsonSchema;
use serde::Deserialize;
use std::sync::Arc;
use turnwise_config::registry::{Entry, parse_as, schema_of};
use turnwise_config::units;
use turnwise_network::{Congestion, Heard, Invalid, Network, Passing, Port, Routing, Shape, Vc};

pub(crate) const ENTRY: AlgorithmEntry = AlgorithmEntry {
    entry: Entry {
        name: NAME,
        aliases: &[],
        summary: "Fat trees of lossless Ethernet: around what switches hear of congestion; d-mod-k without notifications",
        source: "Minkenberg, Scicchitano and Gusat, Adaptive routing for Convergence Enhanced Ethernet, HPSR 2009",
        example: "timeout_cycles = 100000",
        schema: schema_of::<Snooping>,
        parse: |table, errors| {
            Some(Box::new(parse_as::<Snooping, dyn Algorithm>(
                table, errors,
            )?))
        },
    },
    fits: |shape| matches!(shape, Shape::FatTree(_)),
};

const NAME: &str = "snooping";

/// Parameters of snooping.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Snooping {
    /// Cycles after which a note is forgotten; by default 1 ms.
    #[schemars(range(min = 1), transform = units::cycles)]
    pub timeout_cycles: Option<u64>,
    /// Does a switch keep notifications to itself as long as it knows a way around?
    pub keep: bool,
    /// How the severities of several notifications add up.
    pub feedback: Feedback,
    /// How long frames keep to a way around.
    pub turn: Turn,
    /// Virtual channels to use: by default all the router has, or else 1.
    pub virtual_channels: Option<Vc>,
}

impl Default for Snooping {
    fn default() -> Self {
        Self {
            timeout_cycles: None,
            keep: true,
            feedback: Feedback::Sum,
            turn: Turn::Frame,
            virtual_channels: None,
        }
    }
}

/// How severities add up, where all ports are congested and the least bad one is looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Feedback {
    /// Their sum.
    Sum,
    /// The worst of them.
    Worst,
    /// Their moving average: of each new one a quarter, of what was there the rest.
    Average,
}

impl Feedback {
    /// What was noted, 0 if nothing was, and what is new.
    fn together(self, before: u64, new: u64) -> u64 {
        match self {
            Self::Sum => before.saturating_add(new),
            Self::Worst => before.max(new),
            Self::Average if before == 0 => new,
            Self::Average => before - before / 4 + new / 4,
        }
    }
}

/// How long frames keep to a way around. That it is taken in turn is published, but not whose turn it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Turn {
    /// Each frame takes the next one.
    Frame,
    /// All take the same one until it is congested itself.
    Notification,
}

impl Algorithm for Snooping {
    fn build(
        &self,
        network: &Arc<Network>,
        context: &Context<'_>,
    ) -> Result<Box<dyn Routing>, Invalid> {
        let usual = context.measure.cycles(1e6);
        let snooper = Snooper {
            timeout_cycles: listening::positive("timeout_cycles", self.timeout_cycles, usual)?,
            parameters: self.clone(),
            terminals: network.terminal_count(),
        };
        listening::build(NAME, snooper, self.virtual_channels, network, context)
    }
}

struct Snooper {
    timeout_cycles: u64,
    parameters: Snooping,
    terminals: usize,
}

impl Choice for Snooper {
    fn hear(&self, climb: &Climb<'_>, heard: &Heard, table: &mut Vec<u32>) -> bool {
        let ports = climb.ports();
        let place = |port: Port| usize::from(port - ports.start);
        if heard.notification.severity == 0 {
            let known = Notes::known(table, self.terminals, ports.len(), climb.destination());
            if let Some(mut notes) = known {
                notes.forget(place(heard.port));
            }
            return true;
        }
        let mut notes = Notes::of(table, self.terminals, ports.len(), climb.destination());
        let until = heard.now + self.timeout_cycles;
        let feedback = self.parameters.feedback;
        notes.add(place(heard.port), heard, until, |before, new| {
            feedback.together(before, new)
        });
        let knows_another = climb
            .ups()
            .any(|port| !notes.is_congested(place(port), heard.now));
        !(self.parameters.keep && knows_another)
    }

    fn up(
        &self,
        climb: &Climb<'_>,
        passing: Passing,
        _: &dyn Congestion,
        table: &mut Vec<u32>,
    ) -> Option<Port> {
        let usual = climb.usual()?;
        let ports = climb.ports();
        let known = Notes::known(table, self.terminals, ports.len(), climb.destination());
        let Some(mut notes) = known else {
            return Some(usual);
        };
        let place = |port: Port| usize::from(port - ports.start);
        if !notes.is_congested(place(usual), passing.now) {
            return Some(usual);
        }
        let ways = climb.ups();
        let is_free =
            |port: &Port, notes: &Notes<'_>| !notes.is_congested(place(*port), passing.now);
        let count = ways.clone().filter(|port| is_free(port, &notes)).count();
        if count > 0 {
            if self.parameters.turn == Turn::Notification {
                // From the port that was taken last on, the first that is free.
                let last = ports.start + notes.turn() as Port % (ports.end - ports.start);
                let mut in_turn = climb.ups_from(last);
                let port = in_turn.find(|port| is_free(port, &notes))?;
                notes.set_turn((port - ports.start).into());
                return Some(port);
            }
            let turn = notes.turn().wrapping_add(1);
            notes.set_turn(turn);
            let mut free = ways.filter(|port| is_free(port, &notes));
            return free.nth(turn as usize % count);
        }
        // Ties go to what is congested elsewhere, then to the port that comes first after the usual one.
        let order =
            |port: Port| (port + ports.end - ports.start - usual) % (ports.end - ports.start);
        ways.min_by_key(|&port| {
            (
                notes.severity(place(port)),
                notes.is_local(place(port)),
                order(port),
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Severities 40, 8, 8, ..: their sum grows, the worst stays, and of their average three quarters of the distance are left by each.
    #[test]
    fn severities_add_up_as_is_asked() {
        let after = |feedback: Feedback, later: usize| {
            let all = std::iter::once(40 << 8).chain(std::iter::repeat_n(8 << 8, later));
            all.fold(0, |before, new| feedback.together(before, new))
        };
        assert_eq!(after(Feedback::Sum, 3), 64 << 8);
        assert_eq!(after(Feedback::Worst, 3), 40 << 8);
        assert_eq!(after(Feedback::Average, 0), 40 << 8);
        assert_eq!(after(Feedback::Average, 1), 32 << 8);
        assert_eq!(after(Feedback::Average, 2), 26 << 8);
        assert!(after(Feedback::Average, 40).abs_diff(8 << 8) < 4);
    }
}
