//! Two trees at once, half of the vector through each, so that all have about as much to do: who has others below it in
//! one tree has none in the other.
//!
//! Source: Sanders, Speck and Träff, "Two-tree algorithms for full bandwidth broadcast, reduction and scan", Parallel
//! Computing 35(12), 2009; the trees are NCCL's.

use super::tree::{Flow, Place};
use super::{Part, Round};

/// Rounds of a member.
pub(super) fn rounds(part: &Part) -> u32 {
    2 * Flow::rounds_of_both(deepest(part), part.segments(halves(part)[0]))
}

/// Up and down the first tree and the second, which a root does as one.
pub(super) fn strands(part: &Part) -> &'static [usize] {
    let second_root = if part.ranks.is_multiple_of(2) {
        part.ranks - 1
    } else {
        1
    };
    match part.me {
        0 => &[0, 0, 1, 2],
        me if me == second_root => &[0, 1, 2, 2],
        _ => &[0, 1, 2, 3],
    }
}

/// The halves of the vector, the larger one first.
fn halves(part: &Part) -> [u64; 2] {
    let first = part.collective.bytes.div_ceil(2);
    [first, part.collective.bytes - first]
}

/// A round: of the first tree, or of the second.
pub(super) fn round(part: &Part, number: u32, out: &mut Round) {
    let is_second = number % 4 >= 2;
    let place = match is_second {
        false => in_order(part.me, part.ranks),
        true => second(part),
    };
    let flow = Flow {
        place: &place,
        deepest: deepest(part),
        bytes: halves(part)[usize::from(is_second)],
        parts: part.segments(halves(part)[0]),
    };
    flow.both(number / 4 * 2 + number % 2, out);
}

/// The second tree is the mirror image of the first, or the first a member further if there is one in the middle.
fn second(part: &Part) -> Place {
    let ranks = part.ranks;
    let is_even = ranks.is_multiple_of(2);
    let there = match is_even {
        true => ranks - 1 - part.me,
        false => (part.me + ranks - 1) % ranks,
    };
    let back = |member: u32| match is_even {
        true => ranks - 1 - member,
        false => (member + 1) % ranks,
    };
    let place = in_order(there, ranks);
    Place {
        depth: place.depth,
        parent: place.parent.map(back),
        children: place.children.into_iter().map(back).collect(),
    }
}

/// The depth of the lowest members of a tree in order, or more.
fn deepest(part: &Part) -> u32 {
    match part.ranks - 1 {
        0 => 0,
        last => 1 + last.ilog2(),
    }
}

/// A place in the tree in order, under its root 0: members are in the middle of those below them, so that one whose number ends with
/// k zeros has k levels below it.
fn in_order(me: u32, ranks: u32) -> Place {
    let children = match me {
        0 => ranks
            .checked_sub(2)
            .map(|last| 1 << (last + 1).ilog2())
            .into_iter()
            .collect(),
        _ => {
            let half = (1 << me.trailing_zeros()) / 2;
            let before = (half > 0).then(|| me - half);
            // The one after it, or who is in its place where that is missing.
            let halves = std::iter::successors(Some(half), |half| Some(half / 2));
            let after = halves
                .take_while(|&half| half > 0)
                .map(|half| me + half)
                .find(|&after| after < ranks);
            before.into_iter().chain(after).collect()
        }
    };
    let (mut depth, mut parent, mut member) = (0, None, me);
    while member > 0 {
        member = above(member, ranks);
        parent = parent.or(Some(member));
        depth += 1;
    }
    Place {
        depth,
        parent,
        children,
    }
}

/// Who is above a member other than 0.
fn above(member: u32, ranks: u32) -> u32 {
    let bit = 1 << member.trailing_zeros();
    let before = member ^ bit;
    match u64::from(before) | u64::from(bit) << 1 {
        above if above < ranks.into() => above as u32,
        _ => before,
    }
}
