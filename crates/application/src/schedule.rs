//! The schedule of a rank that is known whole, as small as it can be: programs of millions of tasks are kept like this.
//!
//! Complexity: O(1) for everything asked of one task; 28 bytes of memory a task, 4 a condition, and 4 more for a task's line.

use crate::graph::{Condition, RankGraph};
use crate::task::{Message, Task, Work};
use crate::window::Moment;

/// The tasks of a rank, and who waits for each.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RankSchedule {
    tasks: Vec<Packed>,
    /// By task, and one more for where the last one's followers end.
    first: Vec<u32>,
    /// Those that wait for a task, one task after the other.
    followers: Vec<Follower>,
    lines: Vec<u32>,
}

/// A task without what another kind of work would need beside it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Packed {
    /// Bytes, picoseconds, or where the script proceeds.
    amount: u64,
    peer: u32,
    tag: u32,
    context: u32,
    kind: Kind,
    processor: u8,
    interface: u8,
    is_offloaded: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Send,
    Receive,
    Compute,
    Proceed,
}

/// The number of a task that waits, twice, and one more if it waits for a start only.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Follower(u32);

impl Default for RankSchedule {
    fn default() -> Self {
        Self {
            tasks: Vec::new(),
            first: vec![0],
            followers: Vec::new(),
            lines: Vec::new(),
        }
    }
}

impl RankSchedule {
    /// Of tasks and conditions in any order. What waits for the same task keeps its order.
    pub fn of(graph: &RankGraph) -> Self {
        let tasks = graph.tasks.len();
        let mut first = vec![0; tasks + 1];
        for condition in &graph.conditions {
            first[condition.after as usize] += 1;
        }
        let mut end = 0;
        for place in &mut first {
            end += *place;
            *place = end;
        }
        // From behind, each place goes back to its first one.
        let mut followers = vec![Follower(0); graph.conditions.len()];
        for condition in graph.conditions.iter().rev() {
            let place = &mut first[condition.after as usize];
            *place -= 1;
            followers[*place as usize] = Follower::new(condition.task, condition.moment);
        }
        Self {
            tasks: graph.tasks.iter().map(Packed::new).collect(),
            first,
            followers,
            lines: graph.lines.clone(),
        }
    }

    /// Another task.
    pub(crate) fn add(&mut self, task: &Task) {
        self.tasks.push(Packed::new(task));
        self.first.push(self.followers.len() as u32);
    }

    /// A task, there already or still to come, waits for the one that was added last.
    pub(crate) fn follow(&mut self, task: u32, moment: Moment) {
        self.followers.push(Follower::new(task, moment));
        if let Some(end) = self.first.last_mut() {
            *end += 1;
        }
    }

    /// Forgets everything but its memory, for a reader to fill again.
    pub(crate) fn clear(&mut self) {
        self.tasks.clear();
        self.first.truncate(1);
        self.followers.clear();
        self.lines.clear();
    }

    /// How many tasks there are.
    pub fn len(&self) -> usize {
        self.tasks.len()
    }

    /// Is there none?
    pub fn is_empty(&self) -> bool {
        self.tasks.is_empty()
    }

    /// A task, by its number.
    #[inline]
    pub fn task(&self, number: u32) -> Task {
        self.tasks[number as usize].task()
    }

    /// All tasks, in the order of their numbers.
    pub fn tasks(&self) -> impl Iterator<Item = Task> {
        self.tasks.iter().map(Packed::task)
    }

    /// The line of a task in its source, or its node, if that is known.
    pub fn line(&self, task: u64) -> Option<u32> {
        self.lines.get(usize::try_from(task).ok()?).copied()
    }

    /// Who waits for whom, by what is waited for; what becomes ready at one moment does so in this order.
    pub fn conditions(&self) -> impl Iterator<Item = Condition> {
        let of_task = |after| {
            let followers = &self.followers[self.followers_of(after)];
            followers.iter().map(move |follower| Condition {
                task: follower.task(),
                after,
                moment: follower.moment(),
            })
        };
        (0..self.len() as u32).flat_map(of_task)
    }

    /// Where those stand that wait for a task.
    #[inline]
    pub(crate) fn followers_of(&self, task: u32) -> std::ops::Range<usize> {
        let at = task as usize;
        self.first[at] as usize..self.first[at + 1] as usize
    }

    /// Who stands there, and what it waits for.
    #[inline]
    pub(crate) fn follower(&self, place: usize) -> (u32, Moment) {
        let follower = self.followers[place];
        (follower.task(), follower.moment())
    }

    /// By task: how many moments of others it waits for.
    pub(crate) fn waits(&self) -> Vec<u32> {
        let mut waits = vec![0; self.len()];
        for follower in &self.followers {
            waits[follower.task() as usize] += 1;
        }
        waits
    }

    /// Does any wait for a start only?
    pub(crate) fn has_starts(&self) -> bool {
        let mut all = self.followers.iter();
        all.any(|follower| follower.moment() == Moment::Started)
    }

    /// Tasks and conditions, each in a list of its own, without lines.
    pub(crate) fn graph(&self) -> RankGraph {
        RankGraph {
            tasks: self.tasks().collect(),
            conditions: self.conditions().collect(),
            lines: Vec::new(),
        }
    }

    /// Memory that is taken, beside that of a window in which it is played.
    pub(crate) fn memory_bytes(&self) -> u64 {
        let tasks = self.tasks.capacity() * size_of::<Packed>();
        let numbers = self.first.capacity() + self.followers.capacity() + self.lines.capacity();
        (tasks + numbers * size_of::<u32>()) as u64
    }

    /// Memory of a window in which it is played, at least: those that wait for nothing from the beginning, and what each waits for.
    pub(crate) fn window_bytes(&self) -> u64 {
        let at_once = self.len().saturating_sub(self.followers.len());
        (self.len() * 4 + at_once * (size_of::<Task>() + 40)) as u64
    }
}

impl From<RankGraph> for RankSchedule {
    fn from(graph: RankGraph) -> Self {
        Self::of(&graph)
    }
}

impl Packed {
    fn new(task: &Task) -> Self {
        let none = Message::new(0, 0, 0);
        let (kind, message) = match task.work {
            Work::Send(message) => (Kind::Send, message),
            Work::Receive(message) => (Kind::Receive, message),
            Work::Compute(bytes) => (Kind::Compute, Message { bytes, ..none }),
            Work::Proceed(point) => (
                Kind::Proceed,
                Message {
                    bytes: point.into(),
                    ..none
                },
            ),
        };
        Self {
            amount: message.bytes,
            peer: message.peer,
            tag: message.tag,
            context: message.context,
            kind,
            processor: task.processor,
            interface: task.interface,
            is_offloaded: task.is_offloaded,
        }
    }

    #[inline]
    fn task(&self) -> Task {
        let message = Message {
            peer: self.peer,
            tag: self.tag,
            context: self.context,
            bytes: self.amount,
        };
        Task {
            work: match self.kind {
                Kind::Send => Work::Send(message),
                Kind::Receive => Work::Receive(message),
                Kind::Compute => Work::Compute(self.amount),
                Kind::Proceed => Work::Proceed(self.amount as u32),
            },
            processor: self.processor,
            interface: self.interface,
            is_offloaded: self.is_offloaded,
        }
    }
}

impl Follower {
    fn new(task: u32, moment: Moment) -> Self {
        debug_assert!(task <= u32::MAX >> 1, "a rank has fewer tasks than that");
        Self(task << 1 | u32::from(moment == Moment::Started))
    }

    #[inline]
    fn task(self) -> u32 {
        self.0 >> 1
    }

    #[inline]
    fn moment(self) -> Moment {
        match self.0 & 1 {
            0 => Moment::Done,
            _ => Moment::Started,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn task() -> impl Strategy<Value = Task> {
        let message = (any::<u32>(), any::<u32>(), any::<u32>(), any::<u64>());
        let message = message.prop_map(|(peer, tag, context, bytes)| Message {
            peer,
            tag,
            context,
            bytes,
        });
        let work = prop_oneof![
            message.clone().prop_map(Work::Send),
            message.prop_map(Work::Receive),
            any::<u64>().prop_map(Work::Compute),
            any::<u32>().prop_map(Work::Proceed),
        ];
        let all = (work, any::<u8>(), any::<u8>(), any::<bool>());
        all.prop_map(|(work, processor, interface, is_offloaded)| Task {
            work,
            processor,
            interface,
            is_offloaded,
        })
    }

    proptest! {
        /// What comes out is what went in; only conditions of different tasks may have changed their order.
        #[test]
        fn nothing_is_lost(
            tasks in prop::collection::vec(task(), 1..20),
            conditions in prop::collection::vec((any::<u32>(), any::<u32>(), any::<bool>()), 0..60),
        ) {
            let count = tasks.len() as u32;
            let condition = |&(task, after, starts): &(u32, u32, bool)| Condition {
                task: task % count,
                after: after % count,
                moment: if starts { Moment::Started } else { Moment::Done },
            };
            let mut graph = RankGraph {
                tasks,
                conditions: conditions.iter().map(condition).collect(),
                lines: Vec::new(),
            };
            let schedule = RankSchedule::of(&graph);
            graph.conditions.sort_by_key(|condition| condition.after);
            prop_assert_eq!(&schedule.graph(), &graph);
            let mut one_by_one = RankSchedule::default();
            for (number, task) in (0..).zip(&graph.tasks) {
                one_by_one.add(task);
                let own = graph.conditions.iter().filter(|condition| condition.after == number);
                own.for_each(|condition| one_by_one.follow(condition.task, condition.moment));
            }
            prop_assert_eq!(one_by_one, schedule);
        }
    }
}
