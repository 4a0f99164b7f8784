//! Several ways to choose from, and the best of them. Nothing is allocated.

use super::ways::Ways;
use crate::common::draw;
use turnwise_network::random::Random;
use turnwise_network::{Header, Invalid, RouterId};

/// The most candidates of a kind.
pub(crate) const MOST: usize = 64;

/// How many candidates of a kind a study asks for, or else so many.
///
/// # Errors
/// None, or more than [`MOST`].
pub(crate) fn count(asked: Option<u32>, usual: usize) -> Result<usize, Invalid> {
    match asked.map_or(usual, |count| count as usize) {
        count if (1..=MOST).contains(&count) => Ok(count),
        count => {
            let message = format!("expected 1 to {MOST}, found {count}");
            Err(Invalid::new("paths", message))
        }
    }
}

/// Draws for each detour that is wanted, before fewer are taken.
const DRAWS: usize = 4;

/// A random minimal way.
#[inline(always)]
pub(crate) fn one_minimal<W: Ways>(
    ways: &W,
    at: RouterId,
    header: Header,
    rng: &mut Random,
) -> Option<W::Way> {
    let only = ways.only_minimal(at, header);
    only.or_else(|| ways.draw_minimal(at, header, rng))
}

/// So many different minimal ways, or all if there are no more, each selection with the same probability.
///
/// Goes through all of them twice, unless one is enough or there is but one.
pub(crate) fn minimal<W: Ways>(
    ways: &W,
    at: RouterId,
    header: Header,
    most: usize,
    rng: &mut Random,
    mut each: impl FnMut(W::Way, &mut Random),
) {
    let only = ways.only_minimal(at, header);
    if most == 1 || only.is_some() {
        if let Some(way) = only.or_else(|| ways.draw_minimal(at, header, rng)) {
            each(way, rng);
        }
        return;
    }
    let mut left = 0;
    ways.each_minimal(at, header, &mut |_| left += 1);
    let mut wanted = (most as u32).min(left);
    // Knuth, The art of computer programming, volume 2, algorithm 3.4.2 S.
    ways.each_minimal(at, header, &mut |way| {
        if wanted == left || draw::below(left, rng) < wanted {
            wanted -= 1;
            each(way, rng);
        }
        left -= 1;
    });
}

/// So many random detours whose first global channels differ, [`MOST`] at most; fewer if four draws for each do not find
/// as many.
pub(crate) fn detours<W: Ways>(
    ways: &W,
    at: RouterId,
    header: Header,
    most: usize,
    rng: &mut Random,
    mut each: impl FnMut(W::Way, &mut Random),
) {
    if most == 1 {
        if let Some(way) = ways.draw_detour(at, header, rng) {
            each(way, rng);
        }
        return;
    }
    let mut seen = [0; MOST];
    let most = most.min(MOST);
    let mut count = 0;
    for _ in 0..most * DRAWS {
        if count == most {
            return;
        }
        let Some(way) = ways.draw_detour(at, header, rng) else {
            return;
        };
        let link = ways.link(way);
        if !seen[..count].contains(&link) {
            seen[count] = link;
            count += 1;
            each(way, rng);
        }
    }
}
