//! Drawing one of several things.

use turnwise_network::VcSet;
use turnwise_network::random::Random;

/// A number below `count`, each with the same probability; random numbers are only drawn if there is a choice.
#[inline]
pub(crate) fn below(count: u32, rng: &mut Random) -> u32 {
    if count > 1 { rng.below(count) } else { 0 }
}

/// One of these items, each with the same probability. Goes through them twice.
#[inline]
pub(crate) fn among<T>(items: impl Iterator<Item = T> + Clone, rng: &mut Random) -> Option<T> {
    let count = items.clone().count() as u32;
    let mut items = items;
    items.nth(below(count, rng) as usize)
}

/// One of these virtual channels, each with the same probability; none of none.
#[inline]
pub(crate) fn channel(vcs: VcSet, rng: &mut Random) -> VcSet {
    let mut rest = vcs.0;
    for _ in 0..below(vcs.0.count_ones(), rng) {
        rest &= rest - 1;
    }
    VcSet(rest & rest.wrapping_neg())
}

/// The item with the least key so far, each of equals with the same probability.
#[derive(Clone, Copy)]
pub(crate) struct Least<K, T> {
    best: Option<(K, T)>,
    equals: u32,
}

impl<K, T> Default for Least<K, T> {
    fn default() -> Self {
        Self {
            best: None,
            equals: 0,
        }
    }
}

impl<K: PartialOrd + Copy, T> Least<K, T> {
    #[inline]
    pub(crate) fn offer(&mut self, key: K, item: T, rng: &mut Random) {
        match &self.best {
            Some((least, _)) if key > *least => return,
            Some((least, _)) if key == *least => self.equals += 1,
            _ => self.equals = 1,
        }
        // The n-th of equals takes the place of those before it with probability 1/n.
        if below(self.equals, rng) == 0 {
            self.best = Some((key, item));
        }
    }

    /// Its key, if there was any item.
    #[inline]
    pub(crate) fn key(&self) -> Option<K> {
        self.best.as_ref().map(|&(key, _)| key)
    }

    /// It, if there was any.
    #[inline]
    pub(crate) fn item(self) -> Option<T> {
        self.best.map(|(_, item)| item)
    }
}

/// One of the items with the least key, each with the same probability. Looks at every item once.
pub(crate) fn least<T>(
    items: impl Iterator<Item = T>,
    key: impl Fn(&T) -> u32,
    rng: &mut Random,
) -> Option<T> {
    let mut least = Least::default();
    for item in items {
        least.offer(key(&item), item, rng);
    }
    least.item()
}

/// The only one of what may be two things.
#[inline]
pub(crate) fn only_of_two<T>(things: [Option<T>; 2]) -> Option<T> {
    match things {
        [Some(only), None] | [None, Some(only)] => Some(only),
        _ => None,
    }
}

/// One or two things for a list from which each is drawn with the same probability: where there may be two, an only one counts twice.
pub(crate) fn add_as_one<T: Copy>(things: [Option<T>; 2], may_be_two: bool, all: &mut Vec<T>) {
    all.extend(things.into_iter().flatten());
    all.extend(only_of_two(things).filter(|_| may_be_two));
}

/// One of two things, if there are two, or the only one.
#[inline]
pub(crate) fn one_of_two<T>(things: [Option<T>; 2], rng: &mut Random) -> Option<T> {
    match things {
        [Some(one), Some(other)] => Some(if rng.below(2) == 0 { one } else { other }),
        [one, other] => one.or(other),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use turnwise_network::random::Purpose;

    #[test]
    fn channels_are_drawn_as_things_are() {
        for bits in 1..1 << 6 {
            let vcs = VcSet(bits);
            let [mut one, mut other] =
                [5, 5].map(|seed| Random::new(seed, Purpose::Other, 0, bits));
            let things: Vec<VcSet> = vcs.iter().map(VcSet::one).collect();
            let expected = among(things.into_iter(), &mut other);
            assert_eq!(Some(channel(vcs, &mut one)), expected);
            assert_eq!(one.next_u64(), other.next_u64());
        }
    }

    #[test]
    fn the_least_are_drawn_alike_and_nothing_else() {
        let mut rng = Random::new(1, Purpose::Other, 0, 0);
        let keys = [3, 1, 2, 1, 1, 5];
        let mut counts = [0; 6];
        for _ in 0..3_000 {
            let drawn = least(0..6, |&index: &usize| keys[index], &mut rng);
            counts[drawn.unwrap_or_default()] += 1;
        }
        assert_eq!([counts[0], counts[2], counts[5]], [0; 3]);
        for index in [1, 3, 4] {
            assert!((900..1_100).contains(&counts[index]), "{counts:?}");
        }
        assert_eq!(least(0..0, |_: &usize| 0, &mut rng), None);
    }
}
