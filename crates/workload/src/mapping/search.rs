//! Better places by simulated annealing: two ranks change places, or one goes to a free terminal.
//!
//! What is minimised on the way is the sum of high powers of all loads, which a swap changes at few channels and whose
//! smallest values have small maxima; of all placements met, the one with the smallest maximum is kept, and among equals
//! the one with the least load in all. The temperature falls geometrically. Everything is drawn from one stream, so the
//! same seed finds the same places.
//!
//! Source: Kirkpatrick, Gelatt, Vecchi, "Optimization by simulated annealing", Science 220, 1983; Bhatele et al., "Mapping
//! applications with collectives over sub-communicators on torus networks", SC 2012, for channel loads as objective.
//!
//! Complexity: O(partners of two ranks x hops) a move.

use super::loads::Loads;
use super::matrix::Matrix;
use super::routes::Routes;
use turnwise_network::TerminalId;
use turnwise_network::random::Random;

/// The power of loads that is summed up.
const POWER: i32 = 8;
/// The temperature at the beginning and at the end, in shares of the sum of powers.
const HOT: f64 = 0.1;
const COLD: f64 = 1e-4;

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
    let (scale, mut best) = (loads.largest(), (Worth::of(&loads), places.clone()));
    let seats = ranks + spare.len() as u32;
    if scale == 0.0 || seats < 2 {
        return places;
    }
    let power = |load: f64| (load / scale).powi(POWER);
    let mut energy: f64 = loads.all().iter().copied().map(power).sum();
    let cooling = (COLD / HOT).powf(1.0 / f64::from(moves.max(1)));
    let mut temperature = HOT;
    for _ in 0..moves {
        temperature *= cooling;
        let one = rng.below(ranks);
        let other = rng.below(seats);
        if one == other {
            continue;
        }
        let mut change = 0.0;
        let mut go = |places: &mut Vec<_>, spare: &mut Vec<_>, change: &mut f64| {
            let mut changed = |before, after| *change += power(after) - power(before);
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
        go(&mut places, &mut spare, &mut change);
        let draw = rng.next_u32();
        let chance = (-change / (temperature * energy)).exp();
        if change <= 0.0 || f64::from(draw) < chance * 2f64.powi(32) {
            energy = (energy + change).max(f64::MIN_POSITIVE);
            let worth = Worth::of(&loads);
            if worth.is_better_than(&best.0) {
                best = (worth, places.clone());
            }
        } else {
            go(&mut places, &mut spare, &mut change);
        }
    }
    best.1
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
    fn of(loads: &Loads<'_>) -> Self {
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
