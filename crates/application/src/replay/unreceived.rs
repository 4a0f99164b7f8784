//! Messages of a program that nobody receives, without playing it.
//!
//! If a program comes to its end all its receives have a message, so that a rank is sent as many messages in vain as there are more of them
//! than of its receives. Which they are is looked for at the first such rank: receives of any source or any tag take what no
//! other takes.
//!
//! Complexity: O(tasks), twice if there are any; 8 bytes of memory a rank, and some for each message of one rank.

use super::Remarkable;
use crate::alone::visit;
use crate::script::Program;
use crate::task::{ANY, Message, Work};
use std::collections::BTreeMap;

/// Messages that no receive is left for; none of a program that does not end.
pub fn unreceived(program: &dyn Program) -> Remarkable {
    let mut excess = vec![0_i64; program.ranks() as usize];
    for rank in 0..program.ranks() {
        visit(program, rank, |task| {
            let (of, by) = match task.work {
                Work::Send(message) => (message.peer, 1),
                Work::Receive(_) => (rank, -1),
                _ => return,
            };
            if let Some(excess) = excess.get_mut(of as usize) {
                *excess += by;
            }
        });
    }
    let count = excess.iter().filter(|&&excess| excess > 0).sum::<i64>() as u64;
    let first = (0..).zip(&excess).find(|&(_, &excess)| excess > 0);
    let first = first.and_then(|(to, _)| first_in_vain(program, to));
    Remarkable { count, first }
}

/// The first message to a rank that no receive is left for, and who sends it.
fn first_in_vain(program: &dyn Program, to: u32) -> Option<(u32, Message)> {
    let mut sent: Vec<(u32, Message)> = Vec::new();
    for rank in 0..program.ranks() {
        visit(program, rank, |task| {
            if let Work::Send(message) = task.work
                && message.peer == to
            {
                sent.push((rank, message));
            }
        });
    }
    let mut receives: BTreeMap<(u32, u32, u32), u64> = BTreeMap::new();
    visit(program, to, |task| {
        if let Work::Receive(message) = task.work {
            let key = (message.peer, message.tag, message.context);
            *receives.entry(key).or_default() += 1;
        }
    });
    // Those that say most take theirs first.
    for (any_peer, any_tag) in [(false, false), (true, false), (false, true), (true, true)] {
        sent.retain(|(from, message)| {
            let peer = if any_peer { ANY } else { *from };
            let tag = if any_tag { ANY } else { message.tag };
            match receives.get_mut(&(peer, tag, message.context)) {
                Some(left @ 1..) => {
                    *left -= 1;
                    false
                }
                _ => true,
            }
        });
    }
    sent.into_iter().next()
}
