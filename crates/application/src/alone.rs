//! A rank by itself: what it sends, and how much of it is under way at once at most, to be told before anything is simulated.
//!
//! It is played without any others. Whatever it has started is done only when nothing else can start, the oldest first, so that
//! as much is under way as its program lets be.
//!
//! Complexity: O(tasks that are looked at).

use crate::rank::Rank;
use crate::script::Program;
use crate::task::{ANY, Message, Task, Work};
use crate::window::TaskId;
use rustc_hash::FxHashSet;
use std::collections::VecDeque;

/// What a rank does by itself.
#[derive(Clone, Debug, Default)]
pub struct Alone {
    /// What it sends, in the order in which it does.
    pub sends: Vec<Message>,
    /// Bytes of memory of its script and of its tasks that are not done.
    pub bytes: u64,
    /// Messages that are on their way out at once.
    pub leaving: u64,
    /// Receives that are posted at once.
    pub posted: u64,
    /// Ranks that it sends to.
    pub receivers: u64,
    /// Ranks that it receives from. A receive from anybody counts for one more.
    pub senders: u64,
}

impl Alone {
    /// Looks at about so many of a rank's tasks.
    pub fn of(program: &dyn Program, rank: u32, most: u64) -> Self {
        let others = u64::from(program.ranks().saturating_sub(1));
        let mut alone = Self::default();
        let (mut receivers, mut senders) = (FxHashSet::default(), FxHashSet::default());
        let (mut started, mut leaving, mut posted, mut from_any) = (0, 0, 0, 0);
        let mut under_way: VecDeque<TaskId> = VecDeque::new();
        let mut ready = Vec::new();
        let mut rank = Rank::new(program.script(rank));
        rank.begin();
        loop {
            rank.take_ready(&mut ready);
            for id in ready.drain(..) {
                match rank.task(id).map(|task| task.work) {
                    Some(Work::Send(message)) => {
                        receivers.insert(message.peer);
                        alone.sends.push(message);
                        leaving += 1;
                    }
                    Some(Work::Receive(message)) if message.peer == ANY => {
                        from_any += 1;
                        posted += 1;
                    }
                    Some(Work::Receive(message)) => {
                        senders.insert(message.peer);
                        posted += 1;
                    }
                    _ => {}
                }
                started += 1;
                rank.started(id);
                under_way.push_back(id);
            }
            if !rank.is_idle() && started < most {
                continue;
            }
            alone.leaving = alone.leaving.max(leaving);
            alone.posted = alone.posted.max(posted);
            alone.bytes = alone.bytes.max(rank.memory_bytes());
            let Some(oldest) = under_way.pop_front().filter(|_| started < most) else {
                break;
            };
            match rank.task(oldest).map(|task| task.work) {
                Some(Work::Send(_)) => leaving -= 1,
                Some(Work::Receive(_)) => posted -= 1,
                _ => {}
            }
            rank.done(oldest);
        }
        alone.receivers = (receivers.len() as u64).min(others);
        alone.senders = (senders.len() as u64 + from_any).min(others);
        alone
    }
}

/// Visits all tasks of a rank, each as if those before it were done, in little memory.
///
/// Complexity: O(tasks); memory for a few of them.
pub fn visit(program: &dyn Program, rank: u32, mut look: impl FnMut(&Task)) {
    let mut ready = Vec::new();
    let mut rank = Rank::new(program.script(rank));
    rank.begin();
    while !rank.is_idle() {
        rank.take_ready(&mut ready);
        for id in ready.drain(..) {
            rank.task(id).into_iter().for_each(&mut look);
            rank.started(id);
            rank.done(id);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::calls::Calls;
    use crate::collectives::{Collective, Kind, Preset, Selection};
    use crate::repeated::{Members, Repeated};

    /// An all-to-all of 16 ranks, twice.
    fn all_to_all(algorithm: &str) -> Alone {
        let program = Repeated {
            collective: Collective::new(Kind::AllToAll, 8),
            ranks: 16,
            groups: 1,
            members: Members::default(),
            times: 2,
            computing: 0,
        };
        let selection = Selection::new(Preset::default());
        let selection = selection.with(Kind::AllToAll, algorithm).unwrap();
        Alone::of(&Calls::new(Box::new(program), selection), 3, u64::MAX)
    }

    #[test]
    fn as_much_is_under_way_as_the_algorithm_lets_be() {
        for (algorithm, at_once) in [("pairwise", 1), ("linear", 15)] {
            let alone = all_to_all(algorithm);
            assert_eq!((alone.leaving, alone.posted), (at_once, at_once));
            assert_eq!((alone.receivers, alone.senders), (15, 15));
            assert_eq!(alone.sends.len(), 30);
        }
        assert!(all_to_all("linear").bytes > all_to_all("pairwise").bytes);
    }
}
