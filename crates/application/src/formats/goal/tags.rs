//! Tags that stand for tag and context: GOAL has one context only.
//!
//! Messages of a context other than the world's get tags that nobody else has. A receive of any tag takes them for its own all the
//! same, so there must be none where it is.

use crate::calls::OF_COLLECTIVE;
use crate::graph::Graph;
use crate::schedule::RankSchedule;
use crate::task::{ANY, Message, Work};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::hash_map::Entry;

/// Tags that stand for tag and context.
pub(super) struct Tags {
    others: FxHashMap<(u32, u32), u32>,
}

impl Tags {
    /// Of all that is sent and received.
    ///
    /// # Errors
    /// In words, which receive of any tag could take a message of another context, or that there are too many tags.
    pub(super) fn of(graph: &Graph) -> Result<Self, String> {
        if let Some(words) = mistakable(graph) {
            return Err(words);
        }
        let tasks = || graph.schedules().flat_map(RankSchedule::tasks);
        let messages = || tasks().filter_map(|task| task.work.message().copied());
        let own = messages().filter(|message| message.context == 0 && message.tag != ANY);
        let own: FxHashSet<u32> = own.map(|message| message.tag).collect();
        let next = own.iter().max().map_or(0, |highest| highest + 1);
        // Those below only where there are no more above.
        let mut free = (next..ANY).chain(0..next).filter(|tag| !own.contains(tag));
        let mut others = FxHashMap::default();
        for message in messages().filter(|message| message.context != 0 && message.tag != ANY) {
            if let Entry::Vacant(place) = others.entry((message.context, message.tag)) {
                place.insert(
                    free.next()
                        .ok_or("there are more tags than GOAL can tell apart")?,
                );
            }
        }
        Ok(Self { others })
    }

    /// The tag of a message.
    pub(super) fn tag(&self, message: &Message) -> u32 {
        match message.tag {
            ANY => ANY,
            tag => {
                let other = self.others.get(&(message.context, tag));
                other.copied().unwrap_or(tag)
            }
        }
    }
}

/// A receive of any tag, and messages of another context that may come to it.
fn mistakable(graph: &Graph) -> Option<String> {
    let tasks = || {
        let ranks = (0..).zip(graph.schedules());
        ranks.flat_map(|(rank, schedule)| schedule.tasks().map(move |task| (rank, task.work)))
    };
    // By rank and peer, the contexts of its receives of any tag.
    let mut open: FxHashMap<(u32, u32), Vec<u32>> = FxHashMap::default();
    for (rank, work) in tasks() {
        if let Work::Receive(message) = work
            && message.tag == ANY
        {
            let contexts = open.entry((rank, message.peer)).or_default();
            if !contexts.contains(&message.context) {
                contexts.push(message.context);
            }
        }
    }
    if open.is_empty() {
        return None;
    }
    tasks().find_map(|(sender, work)| {
        let Work::Send(message) = work else {
            return None;
        };
        let rank = message.peer;
        [sender, ANY].into_iter().find_map(|peer| {
            let contexts = open.get(&(rank, peer))?;
            let own = contexts.iter().find(|&&own| own != message.context)?;
            let peer = match peer {
                ANY => "any rank".to_owned(),
                peer => format!("rank {peer}"),
            };
            Some(format!(
                "rank {rank} receives any tag from {peer} in {}, and rank {sender} also sends it messages in {}: \
                 GOAL has no communicators, so one would be taken for the other",
                named(*own),
                named(message.context)
            ))
        })
    })
}

fn named(context: u32) -> String {
    let communicator = match context & !OF_COLLECTIVE {
        0 => "the world's communicator".to_owned(),
        number => format!("communicator {number}"),
    };
    match context & OF_COLLECTIVE {
        0 => communicator,
        _ => format!("collectives of {communicator}"),
    }
}
