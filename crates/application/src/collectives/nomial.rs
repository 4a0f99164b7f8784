//! k-nomial trees: who has something tells k - 1 others at once, and each of them stands for as many as it does then.
//!
//! Counted from the root, a member is below the one whose number is its own without the last digit that is not zero, in digits of base
//! k. The far ones are told first. With k = 2 a tree is binomial.
//!
//! Source: Open MPI, `ompi_coll_base_topo_build_kmtree` of `coll_base_topo.c`.

use super::{Part, Round};

/// The k of Open MPI's.
pub(super) const RADIX: u32 = 4;

/// Rounds from the root to all: the logarithm of how many there are, rounded up.
pub(super) fn rounds(part: &Part, radix: u32) -> u32 {
    let reaches = std::iter::successors(Some(1), |reach| Some(reach * base(radix)));
    reaches
        .take_while(|&reach| reach < part.ranks.into())
        .count() as u32
}

/// A round of going down.
pub(super) fn down(part: &Part, round: u32, radix: u32, bytes: u64, out: &mut Round) {
    let level = rounds(part, radix) - 1 - round;
    let Some((above, below)) = place(part, level, radix) else {
        return;
    };
    match above {
        Some(above) => out.receive(above, bytes),
        None => below.for_each(|child| out.send(child, bytes)),
    }
}

/// A round of going up.
pub(super) fn up(part: &Part, round: u32, radix: u32, bytes: u64, out: &mut Round) {
    let Some((above, below)) = place(part, round, radix) else {
        return;
    };
    match above {
        Some(above) => out.send(above, bytes),
        None => below.for_each(|child| out.receive(child, bytes)),
    }
}

fn base(radix: u32) -> u64 {
    radix.max(2).into()
}

/// Whom a member is below, or who is below it, in the level of a digit; nothing if it has no part in that.
fn place(
    part: &Part,
    digit: u32,
    radix: u32,
) -> Option<(Option<u32>, impl Iterator<Item = u32> + '_)> {
    let reach = base(radix).pow(digit);
    let me = u64::from(part.relative());
    let beyond = me % (reach * base(radix));
    let above = (beyond > 0).then(|| part.absolute((me - beyond) as u32));
    let children = (1..base(radix)).map(move |times| me + times * reach);
    let children = children.take_while(|&child| child < part.ranks.into());
    me.is_multiple_of(reach)
        .then(|| (above, children.map(|child| part.absolute(child as u32))))
}
