//! Broadcasts.
//!
//! The split binary tree is Open MPI's (`coll_base_bcast.c`): halves go down the two sides of a tree whose sides are
//! equally large, and are exchanged between pairs.

use super::tree::{Flow, Place};
use super::{Algorithm, PLAIN, Part, Round, chain, nomial, scatter};

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
        ..PLAIN
    },
    Algorithm {
        name: "scatter-all-gather",
        summary: "A part to each by halves, then around a ring (van de Geijn)",
        needs_power_of_two: false,
        rounds: |part| part.doublings() + part.ranks - 1,
        round: scatter_then_ring,
        ..PLAIN
    },
    Algorithm {
        name: "scatter-doubling",
        summary: "A part to each by halves, then all to all by doubling",
        needs_power_of_two: true,
        rounds: |part| 2 * part.doublings(),
        round: scatter_then_doubling,
        ..PLAIN
    },
    Algorithm {
        name: "chain",
        summary: "From each to the next, segment by segment",
        needs_power_of_two: false,
        rounds: chain::rounds,
        round: chain::from_root,
        ..PLAIN
    },
    Algorithm {
        name: "tree",
        summary: "Down a tree whose radix may be chosen, segment by segment",
        needs_power_of_two: false,
        rounds: |part| Flow::rounds(part.deepest_level(), part.segments(part.collective.bytes)),
        round: |part, round, out| {
            let flow = Flow {
                place: &part.levels(),
                deepest: part.deepest_level(),
                bytes: part.collective.bytes,
                parts: part.segments(part.collective.bytes),
            };
            flow.down(round, out);
        },
        ..PLAIN
    },
    Algorithm {
        name: "split-binary",
        summary: "Halves down the two sides of a tree, segment by segment, then exchanged between pairs",
        needs_power_of_two: false,
        rounds: |part| match part.ranks {
            1 => 0,
            _ => Flow::rounds(level(part.ranks - 1), part.segments(half(part, 1))) + 1,
        },
        round: split_binary,
        ..PLAIN
    },
    Algorithm {
        name: "linear",
        summary: "From the root to all at once",
        needs_power_of_two: false,
        rounds: Part::one_if_several,
        round: scatter::linear,
        ..PLAIN
    },
    Algorithm {
        name: "knomial",
        summary: "Those who have it tell k - 1 others each, the far ones first (Open MPI)",
        needs_power_of_two: false,
        radix: nomial::RADIX,
        rounds: |part| nomial::rounds(part, part.tuning.radix),
        round: |part, round, out| {
            nomial::down(part, round, part.tuning.radix, part.collective.bytes, out);
        },
        ..PLAIN
    },
];

/// A round of scattering: those whose number is a multiple of twice the distance have as many blocks, and give half away.
fn halve(part: &Part, round: u32, out: &mut Round) {
    let me = part.relative();
    let distance = 1 << (part.doublings() - 1 - round);
    if me.is_multiple_of(2 * distance) && me + distance < part.ranks {
        let bytes = part.blocks(me + distance, distance);
        out.send(part.absolute(me + distance), bytes);
    } else if me % (2 * distance) == distance {
        out.receive(part.absolute(me - distance), part.blocks(me, distance));
    }
}

fn scatter_then_doubling(part: &Part, round: u32, out: &mut Round) {
    let (me, doublings) = (part.relative(), part.doublings());
    if round < doublings {
        return halve(part, round, out);
    }
    let distance = 1 << (round - doublings);
    let first = |member: u32| member & !(distance - 1);
    let other = me ^ distance;
    let with = part.absolute(other);
    out.receive(with, part.blocks(first(other), distance));
    out.send(with, part.blocks(first(me), distance));
}

fn scatter_then_ring(part: &Part, round: u32, out: &mut Round) {
    let (me, ranks, doublings) = (part.relative(), part.ranks, part.doublings());
    if round < doublings {
        return halve(part, round, out);
    }
    let step = round - doublings;
    let block = |member: u32| part.blocks((member + ranks - step % ranks) % ranks, 1);
    let before = (me + ranks - 1) % ranks;
    out.receive(part.absolute(before), block(before));
    out.send(part.absolute(me + 1), block(me));
}

/// The level of a member in a tree with 2^l members in level l, whose sides are the odd and the even ones.
fn level(member: u32) -> u32 {
    (member + 1).ilog2()
}

/// The first or the second half of the vector: what odd members get first, or even ones.
fn half(part: &Part, member: u32) -> u64 {
    let first = part.collective.bytes.div_ceil(2);
    match member % 2 {
        1 => first,
        _ => part.collective.bytes - first,
    }
}

fn split_binary(part: &Part, round: u32, out: &mut Round) {
    let (me, last) = (part.relative(), part.ranks - 1);
    let (deepest, segments) = (level(last), part.segments(half(part, 1)));
    if round < Flow::rounds(deepest, segments) {
        let width = 1 << level(me);
        let below = [me + width, me + 2 * width].map(|child| (child <= last).then_some(child));
        // The one above is half a level back if it is in that level, or a whole one.
        let near = me.saturating_sub(width / 2);
        let above = if near + 1 < width {
            near
        } else {
            me.saturating_sub(width)
        };
        let mut flow = |bytes, parent: Option<u32>, children: &[u32]| {
            let place = Place {
                depth: level(me),
                parent: parent.map(|parent| part.absolute(parent)),
                children: children.iter().map(|&child| part.absolute(child)).collect(),
            };
            let flow = Flow {
                place: &place,
                deepest,
                bytes,
                parts: segments,
            };
            flow.down(round, out);
        };
        match me {
            // The root sends a half to each side.
            0 => below
                .into_iter()
                .flatten()
                .for_each(|child| flow(half(part, child), None, &[child])),
            _ => {
                let below: Vec<u32> = below.into_iter().flatten().collect();
                flow(half(part, me), Some(above), &below);
            }
        }
        return;
    }
    // Pairs are an odd member and the next; an odd one without a next gets its other half from the root.
    let with = match me {
        0 => None,
        me if me % 2 == 0 => Some(me - 1),
        me if me < last => Some(me + 1),
        _ => Some(0),
    };
    match (me, with) {
        (0, _) if last % 2 == 1 => out.send(part.absolute(last), half(part, 0)),
        (_, Some(0)) => out.receive(part.absolute(0), half(part, 0)),
        (_, Some(with)) => {
            out.receive(part.absolute(with), half(part, with));
            out.send(part.absolute(with), half(part, me));
        }
        _ => {}
    }
}
