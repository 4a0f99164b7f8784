//! Better places by simulated annealing: two ranks change places, or one goes to a free terminal.
//!
//! What is minimised on the way is not the largest load but a norm close to it, the root of the sum of high powers, which
//! rewards relief of other channels too; norms of rounds are added up. Of all placements met, the one with the smallest maxima is kept, and among equals
//! the one with the least load in all. The temperature falls geometrically. Everything is drawn from one stream, so the
//! same seed finds the same places.
//!
//! Source: Kirkpatrick, Gelatt, Vecchi, "Optimization by simulated annealing", Science 220, 1983; Bhatele et al., "Mapping
//! applications with collectives over sub-communicators on torus networks", SC 2012, for channel loads as objective.
//!
//! Complexity: O(partners of two ranks x hops) a move, and where it is made O(rounds) and the channels of those rounds whose busiest channel it
//! relieves.

use super::loads::{Change, Loads};
use super::matrix::Matrix;
use super::routes::Routes;
use turnwise_network::TerminalId;
use turnwise_network::random::Random;

/// The power of loads that is summed up.
const POWER: i32 = 4;
/// The temperature at the beginning and at the end, in shares of the norm.
const HOT: f64 = 0.02;
const COLD: f64 = 1e-3;

/// Moves ranks about, beginning at `places`; `spare` are the free terminals that they leave. The best placement met.
pub(crate) fn search(
    matrix: &Matrix,
    mut places: Vec<TerminalId>,
    mut spare: Vec<TerminalId>,
    routes: &mut Routes<'_>,
    moves: u32,
    rng: &mut Random,
) -> Vec<TerminalId> {
    let mut loads = Loads::new(matrix, &places, routes);
    let ranks = places.len() as u32;
    let (scale, mut best) = (loads.largest(), (Worth::of(&mut loads), places.clone()));
    let seats = ranks + spare.len() as u32;
    if scale == 0.0 || seats < 2 {
        return places;
    }
    let power = |load: f64| (load / scale).powi(POWER);
    let sum = |round: &[f64]| round.iter().copied().map(power).sum();
    let mut sums: Vec<f64> = loads.rounds().map(sum).collect();
    let mut energy = norm(&sums);
    let cooling = (COLD / HOT).powf(1.0 / f64::from(moves.max(1)));
    let mut temperature = HOT;
    for _ in 0..moves {
        temperature *= cooling;
        let one = rng.below(ranks);
        let other = rng.below(seats);
        if one == other {
            continue;
        }
        let mut exchange = |places: &mut Vec<_>, spare: &mut Vec<_>, sums: &mut Vec<f64>| {
            let mut changed = |change: Change| {
                sums[change.round as usize] += power(change.after) - power(change.before);
            };
            let partner = (other < ranks).then_some(other);
            loads.shift(one, None, -1.0, places, routes, &mut changed);
            if let Some(partner) = partner {
                loads.shift(partner, Some(one), -1.0, places, routes, &mut changed);
            }
            swap(places, spare, one, other);
            loads.shift(one, None, 1.0, places, routes, &mut changed);
            if let Some(partner) = partner {
                loads.shift(partner, Some(one), 1.0, places, routes, &mut changed);
            }
        };
        exchange(&mut places, &mut spare, &mut sums);
        let (changed, draw) = (norm(&sums), rng.next_u32());
        let chance = ((energy - changed) / (temperature * energy)).exp();
        if changed <= energy || f64::from(draw) < chance * 2f64.powi(32) {
            energy = changed;
            let worth = Worth::of(&mut loads);
            if worth.is_better_than(&best.0) {
                best = (worth, places.clone());
            }
        } else {
            exchange(&mut places, &mut spare, &mut sums);
        }
    }
    best.1
}

/// The sum of the fourth roots of sums of powers.
fn norm(sums: &[f64]) -> f64 {
    // What is left of nothing may be less than nothing.
    let root = |sum: &f64| sum.max(0.0).sqrt().sqrt();
    sums.iter().map(root).sum()
}

/// A rank and another seat, a rank's or a spare one, change places.
fn swap(places: &mut [TerminalId], spare: &mut [TerminalId], one: u32, other: u32) {
    let (one, other) = (one as usize, other as usize);
    match other.checked_sub(places.len()) {
        None => places.swap(one, other),
        Some(seat) => std::mem::swap(&mut places[one], &mut spare[seat]),
    }
}

/// What a placement is judged by.
struct Worth {
    largest: f64,
    total: f64,
}

impl Worth {
    fn of(loads: &mut Loads<'_>) -> Self {
        Self {
            largest: loads.largest(),
            total: loads.total(),
        }
    }

    /// By more than sums of numbers err.
    fn is_better_than(&self, other: &Self) -> bool {
        let less = |one: f64, other: f64| one < other * (1.0 - 1e-9);
        less(self.largest, other.largest)
            || !less(other.largest, self.largest) && less(self.total, other.total)
    }
}
