//! Optimised: places where the program's messages load the most loaded channel as little as a search finds.
//!
//! What is known is how much each rank sends to each other over the whole program, and which channels the study's routing
//! takes between any two terminals. The load of a channel is the bytes that cross it, times the cycles that a flit occupies
//! it for. The search begins at the best of linear, random and in turns by router and by group, so its result is at least as good
//! as each of them. All messages count as if they met, or those of each round of messages.
//!
//! Source: Bhatele et al., "Mapping applications with collectives over sub-communicators on torus networks", SC 2012;
//! Kirkpatrick, Gelatt, Vecchi, "Optimization by simulated annealing", Science 220, 1983.
//!
//! Complexity: O(moves x partners x hops); memory for the routes that were asked for.

use super::{ByGroup, Linear, Random as AtRandom, RoundRobin};
use crate::mapping::{Loads, Matrix, Routes, Together, search};
use crate::placement::{Gain, Placement, Seats, Site};
use schemars::JsonSchema;
use serde::Deserialize;
use turnwise_config::registry::{Entry, parse_as, schema_of};
use turnwise_network::random::{Purpose, Random};
use turnwise_network::{Invalid, TerminalId};

pub(super) const ENTRY: Entry<dyn Placement> = Entry {
    name: "optimised",
    aliases: &["optimized"],
    summary: "Where the program's messages load the most loaded channel least, as far as a search finds",
    source: "Bhatele et al., Mapping applications with collectives over sub-communicators on torus networks, SC 2012",
    example: "moves = 20_000\ntogether = \"rounds\"",
    schema: schema_of::<Optimised>,
    parse: |table, errors| {
        Some(Box::new(parse_as::<Optimised, dyn Placement>(
            table, errors,
        )?))
    },
};

/// Parameters of optimised placement.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Optimised {
    /// How many moves of ranks are tried.
    pub moves: u32,
    /// Which messages count as being under way together.
    pub together: Together,
    /// Seed of the search; that of the study if not given.
    pub seed: Option<u64>,
}

impl Default for Optimised {
    fn default() -> Self {
        Self {
            moves: 100_000,
            together: Together::All,
            seed: None,
        }
    }
}

impl Placement for Optimised {
    fn place(&self, site: &Site<'_>, ranks: u32) -> Result<Seats, Invalid> {
        let Some(program) = site.program else {
            let message = "`optimised` needs a program, whose messages can be counted before";
            return Err(Invalid::new("kind", message));
        };
        let Some(routing) = site.routing else {
            let message = "`optimised` places ranks by the ways between them, and this routing chooses its ways by the places";
            let invalid = Invalid::new("kind", message);
            return Err(invalid.with_help("another placement, or another routing"));
        };
        let matrix = Matrix::of(program, self.together);
        let mut routes = Routes::new(site.network, routing);
        let mut load = |places: &[TerminalId]| Loads::new(&matrix, places, &mut routes).largest();
        let linear = Linear::default().place(site, ranks)?.terminals;
        let of_linear = load(&linear);
        let mut best = (of_linear, linear);
        let seed = self.seed.unwrap_or(site.seed);
        let others: [Box<dyn Placement>; 3] = [
            Box::new(AtRandom { seed: Some(seed) }),
            Box::new(RoundRobin::default()),
            Box::new(ByGroup::default()),
        ];
        // What does not fit this network is no candidate.
        for seats in others.iter().flat_map(|other| other.place(site, ranks)) {
            let found = load(&seats.terminals);
            if found < best.0 {
                best = (found, seats.terminals);
            }
        }
        let spare = site.without(&best.1);
        let mut rng = Random::new(seed, Purpose::Placement, 1, 0);
        let start = best.1.clone();
        let found = search(&matrix, start, spare, &mut routes, self.moves, &mut rng);
        // Added up anew: on the way sums are rounded again and again.
        let largest = Loads::new(&matrix, &found, &mut routes).largest();
        if largest <= best.0 {
            best = (largest, found);
        }
        let (largest, terminals) = best;
        Ok(Seats {
            terminals,
            gain: Some(Gain { largest, of_linear }),
        })
    }
}
