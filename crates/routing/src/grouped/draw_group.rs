//! Drawing an intermediate group.

use crate::common::draw;
use turnwise_network::random::Random;

/// How often to draw blindly on a network with faults before looking at everything that survives.
pub(crate) const BLIND_DRAWS: u32 = 16;

/// A uniformly random group that is none of two (which may be the same).
#[inline]
pub(crate) fn draw_group(groups: u32, one: u32, other: u32, rng: &mut Random) -> Option<u32> {
    let (low, high) = (one.min(other), one.max(other));
    let excluded = 1 + u32::from(low != high);
    let among = groups.checked_sub(excluded).filter(|&among| among > 0)?;
    let mut group = draw::below(among, rng);
    group += u32::from(group >= low);
    group += u32::from(low != high && group >= high);
    Some(group)
}

#[cfg(test)]
mod tests {
    use super::*;
    use turnwise_network::random::Purpose;

    #[test]
    fn drawn_groups_are_uniform_among_the_others() {
        let mut rng = Random::new(1, Purpose::Other, 0, 0);
        for (one, other, expected) in [(1, 3, 3), (3, 1, 3), (2, 2, 4), (0, 4, 3)] {
            let mut counts = [0; 5];
            for _ in 0..4000 {
                counts[draw_group(5, one, other, &mut rng).unwrap() as usize] += 1;
            }
            assert_eq!(counts[one as usize] + counts[other as usize], 0);
            let drawn = counts.iter().filter(|&&count| count > 800);
            assert_eq!(drawn.count(), expected, "{counts:?}");
        }
        assert_eq!(draw_group(2, 0, 1, &mut rng), None);
        assert_eq!(draw_group(1, 0, 0, &mut rng), None);
    }
}
