//! Channels that can never move again, although frames wait for them: each is paused by a switch that is full of frames for others of them.
//!
//! A channel may go on when its switch holds little enough of what has come by it. What it holds drains but for the frames in queues of
//! channels that stand still for ever. So, beginning with all that are paused, channels are struck off of which little enough is held
//! by those that are left; what remains is a deadlock, and a search along it finds a cycle. Exact, O(frames) a round.

use super::fabric::{Fabric, Hold};
use super::frames::NOWHERE;
use crate::outcome::WaitingChannel;
use turnwise_network::{ChannelId, Vc};

/// A cycle of channels that wait for each other for ever; empty if there is none.
pub(super) fn find(fabric: &Fabric<'_>) -> Vec<WaitingChannel> {
    let priorities = fabric.priorities;
    let places = fabric.holds.len();
    // A sender that has not been told yet, or is about to be told to go on, still makes room elsewhere.
    let is_still = |(place, hold): (usize, &Hold)| {
        let paused = fabric.senders[place / priorities].paused;
        hold.is_paused && hold.under_way == 0 && paused >> (place % priorities) & 1 == 1
    };
    let mut dead: Vec<bool> = fabric.holds.iter().enumerate().map(is_still).collect();
    let stuck = |dead: &[bool]| {
        let mut stuck = vec![0u64; places];
        let queues = fabric.queues.iter().zip(dead);
        for (queue, _) in queues.filter(|&(_, &dead)| dead) {
            for slot in queue.iter(&fabric.frames) {
                let frame = fabric.frames.get(slot);
                if frame.hold != NOWHERE {
                    stuck[frame.hold as usize] += u64::from(frame.flits);
                }
            }
        }
        stuck
    };
    loop {
        let held = stuck(&dead);
        let mut changed = false;
        for place in 0..places {
            let resume_at = fabric.links[(place / priorities) as u32].resume_at;
            if dead[place] && held[place] <= u64::from(resume_at) {
                dead[place] = false;
                changed = true;
            }
        }
        if !changed {
            break;
        }
    }
    cycle(fabric, &dead)
}

/// Of channels that are all dead, a cycle in which each holds frames for the next.
fn cycle(fabric: &Fabric<'_>, dead: &[bool]) -> Vec<WaitingChannel> {
    let mut next = vec![NOWHERE; dead.len()];
    for (place, queue) in fabric
        .queues
        .iter()
        .enumerate()
        .filter(|&(place, _)| dead[place])
    {
        for slot in queue.iter(&fabric.frames) {
            let hold = fabric.frames.get(slot).hold;
            if hold != NOWHERE && dead[hold as usize] {
                next[hold as usize] = place as u32;
            }
        }
    }
    let Some(mut at) = (0..dead.len()).find(|&place| dead[place] && next[place] != NOWHERE) else {
        return Vec::new();
    };
    let mut seen = vec![false; dead.len()];
    while !seen[at] && next[at] != NOWHERE {
        seen[at] = true;
        at = next[at] as usize;
    }
    let (first, mut waiting) = (at, Vec::new());
    loop {
        waiting.push(WaitingChannel {
            channel: ChannelId((at / fabric.priorities) as u32),
            vc: (at % fabric.priorities) as Vc,
        });
        at = next[at] as usize;
        if at == first || at == NOWHERE as usize {
            return waiting;
        }
    }
}
