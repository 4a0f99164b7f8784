//! What becomes of tables when each part of a network fails alone, on several threads.

use crate::in_turn::in_turn;
use turnwise_network::{Forwards, Invalid, Network, Vc};
use turnwise_routing::subnet::failures::{Failing, Failure, Part, Whole, Wiring};

/// Tells of some parts of a network, one after the other, what becomes of its tables when each fails alone, on so many lanes; each service level
/// has the lane of its number, modulo that. `tell` says whether to go on, and is told the same on any number of threads.
///
/// # Errors
/// Tables that can deadlock as they are.
pub fn each_failing(
    (network, tables): (&Network, &dyn Forwards),
    lanes: Vc,
    parts: &[Part],
    threads: usize,
    tell: &mut dyn FnMut(Failure) -> bool,
) -> Result<(), Invalid> {
    let wiring = Wiring::of(network);
    let whole = Whole::of(network, &wiring, tables);
    let threads = threads.min(parts.len()).max(1);
    let all = (0..threads).map(|_| Failing::of(&whole, lanes));
    let all = all.collect::<Result<Vec<_>, _>>()?;
    let makers = all.into_iter();
    let makers = makers.map(|mut failing| move |number: usize| failing.fail(parts[number]));
    in_turn(parts.len(), makers.collect(), &mut |failure| {
        failure.is_none_or(&mut *tell)
    });
    Ok(())
}
