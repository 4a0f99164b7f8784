//! Drawing one of several things.

use turnwise_network::random::Random;

/// A number below `count`, each with the same probability; dice are only thrown if there is a choice.
#[inline]
pub(crate) fn below(count: u32, dice: &mut Random) -> u32 {
    if count > 1 { dice.below(count) } else { 0 }
}

/// One of these items, each with the same probability. Goes through them twice.
pub(crate) fn among<T>(items: impl Iterator<Item = T> + Clone, dice: &mut Random) -> Option<T> {
    let count = items.clone().count() as u32;
    let mut items = items;
    items.nth(below(count, dice) as usize)
}
