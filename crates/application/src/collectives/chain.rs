//! Chains of members, from each to the next, segment by segment.

use super::{Part, Round};

/// Rounds of a chain.
pub(super) fn rounds(part: &Part) -> u32 {
    match part.ranks {
        1 => 0,
        ranks => part.segments(part.collective.bytes) + ranks - 2,
    }
}

/// A round from the root to the last.
pub(super) fn from_root(part: &Part, round: u32, out: &mut Round) {
    let place = part.relative();
    let before = place.checked_sub(1).map(|before| part.absolute(before));
    let after = (place + 1 < part.ranks).then(|| part.absolute(place + 1));
    along(part, round, place, [before, after], out);
}

/// A round from the last to the root.
pub(super) fn to_root(part: &Part, round: u32, out: &mut Round) {
    let me = part.relative();
    let before = (me + 1 < part.ranks).then(|| part.absolute(me + 1));
    let after = me.checked_sub(1).map(|after| part.absolute(after));
    along(part, round, part.ranks - 1 - me, [before, after], out);
}

/// Segment s comes to the member at a place from the one before it in round s + place - 1, and goes on in the next.
fn along(part: &Part, round: u32, place: u32, [before, after]: [Option<u32>; 2], out: &mut Round) {
    let whole = part.collective.bytes;
    // If there would be more segments than can be counted they are longer.
    let length = whole
        .div_ceil(part.segments(whole).into())
        .max(part.tuning.segment);
    let segment = |begun: u32| {
        let number = round.checked_sub(begun)?;
        let left = whole.saturating_sub(u64::from(number).saturating_mul(length));
        (number < part.segments(whole)).then_some(left.min(length))
    };
    if let Some((before, bytes)) = before.and_then(|before| Some((before, segment(place - 1)?))) {
        out.receive(before, bytes);
    }
    if let Some((after, bytes)) = after.and_then(|after| Some((after, segment(place)?))) {
        out.send(after, bytes);
    }
}
