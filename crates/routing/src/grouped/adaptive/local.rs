//! The decision by what a router sees itself.

use super::candidates::one_minimal;
use super::judge::Judge;
use super::rule::Rule;
use super::ways::Ways;
use crate::common::draw::Least;
use crate::grouped::phases::AGAIN;
use turnwise_network::random::Random;
use turnwise_network::{Congestion, Header, RouterId, VcSet};

/// Compares the queues of first channels: of a random minimal way and a random detour. Who decides again sees the global channels of
/// minimal ways, and takes the one with the shortest queue.
pub(crate) struct Local(pub(crate) Rule);

impl Judge for Local {
    #[inline(always)]
    fn choose<W: Ways>(
        &self,
        ways: &W,
        at: RouterId,
        header: Header,
        sees: &dyn Congestion,
        rng: &mut Random,
    ) -> Option<W::Way> {
        let minimal = match header.phase {
            AGAIN => shortest(ways, at, header, sees, rng),
            _ => one_minimal(ways, at, header, rng),
        };
        unless_long(self.0, minimal, ways, at, header, sees, rng)
    }
}

/// The same of a random minimal way wherever it is decided, as if those who decide again did not know which queue is the shortest.
pub(crate) struct Drawn(pub(crate) Rule);

impl Judge for Drawn {
    #[inline(always)]
    fn choose<W: Ways>(
        &self,
        ways: &W,
        at: RouterId,
        header: Header,
        sees: &dyn Congestion,
        rng: &mut Random,
    ) -> Option<W::Way> {
        let minimal = one_minimal(ways, at, header, rng);
        unless_long(self.0, minimal, ways, at, header, sees, rng)
    }
}

/// A minimal way, unless its queue is too long beside that of a random detour. No detour is looked for if it is short: no queue is
/// shorter than none.
///
/// Written out, as in other judges of which packets ask one after the other: the compiler leaves a closure that compares apart, with all that
/// it looks at in memory.
#[inline(always)]
fn unless_long<W: Ways>(
    rule: Rule,
    minimal: Option<W::Way>,
    ways: &W,
    at: RouterId,
    header: Header,
    sees: &dyn Congestion,
    rng: &mut Random,
) -> Option<W::Way> {
    let Some(minimal) = minimal else {
        return ways.draw_detour(at, header, rng);
    };
    let its = queue(ways, minimal, sees);
    if !rule.is_short(ways, at, minimal, its)
        && let Some(detour) = ways.draw_detour(at, header, rng)
    {
        let that = queue(ways, detour, sees);
        if !rule.prefers_minimal(ways, at, (minimal, its), (detour, that)) {
            return Some(detour);
        }
    }
    Some(minimal)
}

/// The queue of a way's first channel.
#[inline]
pub(crate) fn queue<W: Ways>(ways: &W, way: W::Way, sees: &dyn Congestion) -> u32 {
    sees.occupancy(ways.port(way), VcSet::EVERY)
}

/// The minimal way with the shortest queue at its first channel.
#[inline(always)]
pub(crate) fn shortest<W: Ways>(
    ways: &W,
    at: RouterId,
    header: Header,
    sees: &dyn Congestion,
    rng: &mut Random,
) -> Option<W::Way> {
    let only = ways.only_minimal(at, header);
    only.or_else(|| shortest_of_all(ways, at, header, sees, rng))
}

#[inline(never)]
fn shortest_of_all<W: Ways>(
    ways: &W,
    at: RouterId,
    header: Header,
    sees: &dyn Congestion,
    rng: &mut Random,
) -> Option<W::Way> {
    let mut least = Least::default();
    ways.each_minimal(at, header, &mut |way| {
        least.offer(queue(ways, way, sees), way, rng);
    });
    least.item()
}
