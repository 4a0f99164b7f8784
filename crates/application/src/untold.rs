//! The tasks of a program that is known whole, of which only those are in a window that nothing keeps any more.
//!
//! Complexity: O(1) a task and a condition; 4 bytes of memory for each task, beside the schedule's own.

use crate::graph::RankGraph;
use crate::schedule::RankSchedule;
use crate::task::Task;
use crate::window::Moment;
use std::ops::Range;
use std::sync::Arc;

/// Tasks that have come into the window, and those that have not.
pub(crate) struct Untold {
    schedule: Arc<RankSchedule>,
    /// By task: moments of others that it waits for.
    waits: Vec<u32>,
    /// Does anybody wait for a start?
    pub(crate) has_starts: bool,
}

impl Untold {
    /// Nothing has happened yet.
    pub(crate) fn new(schedule: Arc<RankSchedule>) -> Self {
        Self {
            waits: schedule.waits(),
            has_starts: schedule.has_starts(),
            schedule,
        }
    }

    /// Tasks that wait for nothing from the beginning.
    pub(crate) fn first(&self) -> Vec<u32> {
        let waits = (0..).zip(&self.waits);
        let free = waits.filter(|&(_, &waits)| waits == 0);
        free.map(|(task, _)| task).collect()
    }

    #[inline]
    pub(crate) fn task(&self, number: u32) -> Task {
        self.schedule.task(number)
    }

    /// The next of a task's followers, from one on, whom a moment of it leaves nothing else to wait for.
    #[inline]
    pub(crate) fn satisfy(
        &mut self,
        followers: &mut Range<usize>,
        happens: impl Fn(Moment) -> bool,
    ) -> Option<u32> {
        followers.find_map(|place| {
            let (task, moment) = self.schedule.follower(place);
            if !happens(moment) {
                return None;
            }
            let waits = &mut self.waits[task as usize];
            *waits -= 1;
            (*waits == 0).then_some(task)
        })
    }

    /// Where those stand that wait for a task.
    #[inline]
    pub(crate) fn followers(&self, number: u64) -> Range<usize> {
        self.schedule.followers_of(number as u32)
    }

    /// Tasks that wait.
    pub(crate) fn waiting(&self) -> impl Iterator<Item = (u64, Task)> {
        let all = (0..).zip(self.schedule.tasks()).zip(&self.waits);
        all.filter(|&(_, &waits)| waits > 0).map(|(task, _)| task)
    }

    /// The tasks, and their conditions by what is waited for.
    pub(crate) fn told(&self) -> RankGraph {
        self.schedule.graph()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::Condition;
    use crate::task::Work;
    use crate::window::{State, TaskId, Window};
    use proptest::prelude::*;

    /// A window with the tasks that are ready or started in it.
    struct Played {
        window: Window,
        open: Vec<TaskId>,
    }

    impl Played {
        fn new(tell: impl FnOnce(&mut Window)) -> Self {
            let (mut window, mut open) = (Window::default(), Vec::new());
            tell(&mut window);
            window.open(&mut open);
            Self { window, open }
        }

        /// Every task computes as long as its number says.
        fn number(&self, id: TaskId) -> u64 {
            match self.window.get(id).map(|task| task.work) {
                Some(Work::Compute(number)) => number,
                other => panic!("{other:?} is open"),
            }
        }

        /// One of those that are open starts, if it may, or is done.
        fn play(&mut self, which: usize, starts: bool) {
            let at = which % self.open.len();
            let id = self.open[at];
            let number = self.number(id);
            let ready = |(of, _, state): (u64, Task, State)| of == number && state == State::Ready;
            let is_ready = self.window.pending().any(ready);
            match starts && is_ready {
                true => self.window.start(id, &mut self.open),
                false => {
                    self.open.remove(at);
                    self.window.finish(id, &mut self.open);
                }
            }
        }

        /// The numbers of those that are open, in the order in which they were set free, and how far all have come.
        fn seen(&self) -> (Vec<u64>, Vec<(u64, Task, State)>, u32) {
            let mut all: Vec<_> = self.window.pending().collect();
            all.sort_by_key(|&(number, ..)| number);
            let open = self.open.iter().map(|&id| self.number(id)).collect();
            (open, all, self.window.live())
        }
    }

    proptest! {
        #[test]
        fn whole_programs_do_what_those_do_that_are_told_one_by_one(
            tasks in 1..40u32,
            pairs in prop::collection::vec((any::<u32>(), any::<u32>(), any::<bool>()), 0..80),
            played in prop::collection::vec((any::<u16>(), any::<bool>()), 120),
        ) {
            let condition = |&(one, other, starts): &(u32, u32, bool)| Condition {
                task: one % tasks,
                after: other % tasks,
                moment: if starts { Moment::Started } else { Moment::Done },
            };
            let graph = RankGraph {
                tasks: (0..tasks).map(|task| Task::new(Work::Compute(task.into()))).collect(),
                // Mostly from one to one behind it, so that much of it can be done.
                conditions: pairs
                    .iter()
                    .map(condition)
                    .filter(|condition| condition.after <= condition.task)
                    .collect(),
                lines: Vec::new(),
            };
            let mut whole = Played::new(|window| window.add_whole(Arc::new(RankSchedule::of(&graph))));
            let mut told = Played::new(|window| {
                let ids: Vec<_> = graph.tasks.iter().map(|&task| window.add(task)).collect();
                for condition in &graph.conditions {
                    let [task, after] = [condition.task, condition.after].map(|at| ids[at as usize]);
                    window.after(task, after, condition.moment);
                }
            });
            prop_assert_eq!(whole.seen(), told.seen());
            for (which, starts) in played {
                if whole.open.is_empty() {
                    break;
                }
                whole.play(which.into(), starts);
                told.play(which.into(), starts);
                prop_assert_eq!(whole.seen(), told.seen());
            }
        }
    }
}
