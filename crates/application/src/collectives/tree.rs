//! Trees that several collectives go by, up and down, a part of the vector after the other.
//!
//! A round is a step of a pipeline: while a member gets a part from those below it, the part before goes on to the one
//! above. Rounds are counted so that all members agree on what goes where in which.

use super::{Part, Round};

/// A member's place in a tree.
pub(super) struct Place {
    /// Links from the root.
    pub(super) depth: u32,
    /// Whom it is below.
    pub(super) parent: Option<u32>,
    /// Who is below it.
    pub(super) children: Vec<u32>,
}

/// What goes through a tree.
pub(super) struct Flow<'a> {
    pub(super) place: &'a Place,
    /// Of the lowest members.
    pub(super) deepest: u32,
    /// So many bytes, in so many parts that are as equal as can be.
    pub(super) bytes: u64,
    pub(super) parts: u32,
}

impl Part {
    /// Segments that so many bytes are cut into, at least one.
    pub(super) fn segments(&self, bytes: u64) -> u32 {
        let count = bytes.div_ceil(self.tuning.segment.max(1)).max(1);
        // A number of rounds stays a number.
        u32::try_from(count).unwrap_or(u32::MAX).min(1 << 28)
    }

    /// Members in levels, each with as many below it as the radix says, counted from the root.
    pub(super) fn levels(&self) -> Place {
        let (radix, me) = (self.tuning.radix.max(1), self.relative());
        let first = u64::from(me) * u64::from(radix) + 1;
        let below = first..(first + u64::from(radix)).min(self.ranks.into());
        Place {
            depth: depth(me, radix),
            parent: (me > 0).then(|| self.absolute((me - 1) / radix)),
            children: below.map(|child| self.absolute(child as u32)).collect(),
        }
    }

    /// How deep those levels are.
    pub(super) fn deepest_level(&self) -> u32 {
        depth(self.ranks - 1, self.tuning.radix.max(1))
    }
}

/// The level of a member, if each has so many below it.
fn depth(mut member: u32, radix: u32) -> u32 {
    if radix == 1 {
        return member;
    }
    let mut depth = 0;
    while member > 0 {
        member = (member - 1) / radix;
        depth += 1;
    }
    depth
}

/// The strands of who goes up and down: the root does both as one.
pub(super) fn strands_of_both(is_root: bool) -> &'static [usize] {
    if is_root { &[0, 0] } else { &[0, 1] }
}

impl Flow<'_> {
    /// Rounds of going up, or of going down.
    pub(super) fn rounds(deepest: u32, parts: u32) -> u32 {
        match deepest {
            0 => 0,
            deepest => (deepest - 1).saturating_add(parts),
        }
    }

    /// Rounds of going up and down again by two strands, each part as soon as the root has it.
    pub(super) fn rounds_of_both(deepest: u32, parts: u32) -> u32 {
        match deepest {
            0 => 0,
            deepest => 2 * (2 * (deepest - 1)).saturating_add(parts),
        }
    }

    /// A round of going up. Part 0 leaves the lowest level in the first.
    pub(super) fn up(&self, round: u32, out: &mut Round) {
        let waits = self.deepest - self.place.depth;
        if let Some(bytes) = self.part(round, waits.wrapping_sub(1)) {
            for &child in &self.place.children {
                out.receive(child, bytes);
            }
        }
        if let (Some(bytes), Some(parent)) = (self.part(round, waits), self.place.parent) {
            out.send(parent, bytes);
        }
    }

    /// A round of going down. Part 0 leaves the root in the first.
    pub(super) fn down(&self, round: u32, out: &mut Round) {
        let waits = self.place.depth;
        if let (Some(bytes), Some(parent)) =
            (self.part(round, waits.wrapping_sub(1)), self.place.parent)
        {
            out.receive(parent, bytes);
        }
        if let Some(bytes) = self.part(round, waits) {
            for &child in &self.place.children {
                out.send(child, bytes);
            }
        }
    }

    /// A round of going up, or of going down again: the root sends a part down in the round after it has got it.
    pub(super) fn both(&self, round: u32, out: &mut Round) {
        match (round / 2).checked_sub(self.deepest - 1) {
            _ if round.is_multiple_of(2) => self.up(round / 2, out),
            Some(down) => self.down(down, out),
            None => {}
        }
    }

    /// Bytes of the part that is moved in a round, if whoever moves it has waited for so many rounds. One less than none is for
    /// ever: the root gets nothing from above, nor the lowest from below.
    fn part(&self, round: u32, waits: u32) -> Option<u64> {
        let part = round.checked_sub(waits)?;
        let end =
            |part: u32| (u128::from(self.bytes) * u128::from(part) / u128::from(self.parts)) as u64;
        (part < self.parts).then(|| end(part + 1) - end(part))
    }
}
