//! Broadcasts.

use super::{Algorithm, Part, Round};

pub(super) const ALGORITHMS: &[Algorithm] = &[
    Algorithm {
        name: "binomial",
        summary: "Those who have it tell as many again",
        needs_power_of_two: false,
        rounds: Part::doublings,
        round: |part, round, out| {
            let (me, distance) = (part.relative(), 1 << round);
            if me < distance && me + distance < part.ranks {
                out.send(part.absolute(me + distance), part.collective.bytes);
            } else if (distance..2 * distance).contains(&me) {
                out.receive(part.absolute(me - distance), part.collective.bytes);
            }
        },
    },
    Algorithm {
        name: "scatter-all-gather",
        summary: "A part to each by halves, then around a ring (van de Geijn)",
        needs_power_of_two: false,
        rounds: |part| part.doublings() + part.ranks - 1,
        round: scatter_then_ring,
    },
    Algorithm {
        name: "chain",
        summary: "From each to the next, in segments of 128 KiB",
        needs_power_of_two: false,
        rounds: |part| match part.ranks {
            1 => 0,
            ranks => segments(part) + ranks - 2,
        },
        round: chain,
    },
];

const SEGMENT: u64 = 128 << 10;

fn segments(part: &Part) -> u32 {
    let count = part.collective.bytes.div_ceil(SEGMENT).max(1);
    u32::try_from(count).unwrap_or(u32::MAX - 1)
}

/// Segment s goes from the member before `me` to it in round s + me - 1.
fn chain(part: &Part, round: u32, out: &mut Round) {
    let me = part.relative();
    let bytes = |begun: u32| {
        let segment = round.checked_sub(begun)?;
        let start = u64::from(segment) * SEGMENT;
        let left = part.collective.bytes.saturating_sub(start);
        (segment < segments(part)).then_some(left.min(SEGMENT))
    };
    if let Some(bytes) = me.checked_sub(1).and_then(bytes) {
        out.receive(part.absolute(me - 1), bytes);
    }
    if let Some(bytes) = bytes(me).filter(|_| me + 1 < part.ranks) {
        out.send(part.absolute(me + 1), bytes);
    }
}

fn scatter_then_ring(part: &Part, round: u32, out: &mut Round) {
    let (me, ranks, doublings) = (part.relative(), part.ranks, part.doublings());
    if round < doublings {
        // Those whose number is a multiple of twice the distance have as many blocks, and give half away.
        let distance = 1 << (doublings - 1 - round);
        if me.is_multiple_of(2 * distance) && me + distance < ranks {
            let bytes = part.blocks(me + distance, distance);
            out.send(part.absolute(me + distance), bytes);
        } else if me % (2 * distance) == distance {
            out.receive(part.absolute(me - distance), part.blocks(me, distance));
        }
        return;
    }
    let step = round - doublings;
    let block = |member: u32| part.blocks((member + ranks - step % ranks) % ranks, 1);
    let before = (me + ranks - 1) % ranks;
    out.receive(part.absolute(before), block(before));
    out.send(part.absolute(me + 1), block(me));
}
