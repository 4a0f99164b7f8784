//! Drawing one of several things.

use turnwise_network::random::Random;

/// A number below `count`, each with the same probability; random numbers are only drawn if there is a choice.
#[inline]
pub(crate) fn below(count: u32, rng: &mut Random) -> u32 {
    if count > 1 { rng.below(count) } else { 0 }
}

/// One of these items, each with the same probability. Goes through them twice.
pub(crate) fn among<T>(items: impl Iterator<Item = T> + Clone, rng: &mut Random) -> Option<T> {
    let count = items.clone().count() as u32;
    let mut items = items;
    items.nth(below(count, rng) as usize)
}

/// One of the items with the least key, each with the same probability. Looks at every item once.
pub(crate) fn least<T>(
    items: impl Iterator<Item = T>,
    key: impl Fn(&T) -> u32,
    rng: &mut Random,
) -> Option<T> {
    let mut best: Option<(u32, T)> = None;
    let mut equals = 0;
    for item in items {
        let found = key(&item);
        match &best {
            Some((least, _)) if found > *least => continue,
            Some((least, _)) if found == *least => equals += 1,
            _ => equals = 1,
        }
        // The n-th of equals takes the place of those before it with probability 1/n.
        if below(equals, rng) == 0 {
            best = Some((found, item));
        }
    }
    best.map(|(_, item)| item)
}

/// One of two things, if there are two, or the only one.
#[inline]
pub(crate) fn one_of_two<T>(things: [Option<T>; 2], rng: &mut Random) -> Option<T> {
    match things {
        [Some(one), Some(other)] => Some(if rng.below(2) == 0 { one } else { other }),
        [one, other] => one.or(other),
    }
}
