//! The tasks of a rank that are not done, and what they wait for.

use crate::graph::{Condition, RankGraph};
use crate::schedule::RankSchedule;
use crate::script::Script;
use crate::task::{Task, Work};
use crate::untold::Untold;
use std::collections::VecDeque;
use std::sync::Arc;

/// A task in a window. It stays valid, and is known to be done, after the task has gone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TaskId {
    slot: u32,
    /// Which of those that were in the slot; names nothing twice before four billion tasks have been in one.
    stamp: u32,
}

/// What a task waits for at another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Moment {
    /// It has started: it had the processor, or a receive was posted.
    Started,
    /// It is done.
    Done,
}

/// Tasks that are not done. Room is used again, so it is as large as the most that ever were under way at once.
///
/// Complexity: O(1) for everything, apart from what a task sets free.
#[derive(Default)]
pub struct Window {
    nodes: Vec<Node>,
    free_nodes: Vec<u32>,
    edges: Vec<Edge>,
    free_edges: u32,
    /// Added and not opened yet.
    fresh: Vec<u32>,
    /// Those that proceed, and may.
    proceeding: VecDeque<TaskId>,
    /// Where tasks come from of whom nobody has told one by one.
    untold: Option<Box<Untold>>,
    added: u64,
    live: u32,
}

struct Node {
    task: Task,
    number: u64,
    stamp: u32,
    /// Moments of others that it waits for.
    waits: u32,
    first: u32,
    last: u32,
    state: State,
}

/// How far a task has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// It waits for other tasks.
    Waiting,
    /// Nothing in the rank's program keeps it from starting.
    Ready,
    /// It has started and is not done.
    Started,
    /// There is none.
    Vacant,
}

struct Edge {
    to: u32,
    next: u32,
    moment: Moment,
}

/// No node, no edge; one more than an index, so that the default is none.
const NONE: u32 = 0;

impl Window {
    /// Adds a task; it may start once everything has happened that [`after`](Self::after) says of it before the
    /// script returns.
    pub fn add(&mut self, task: Task) -> TaskId {
        let number = self.added;
        self.added += u64::from(!matches!(task.work, Work::Proceed(_)));
        self.live += 1;
        let slot = self.place(task, number);
        self.fresh.push(slot);
        let stamp = self.nodes[slot as usize].stamp;
        TaskId { slot, stamp }
    }

    /// Adds all tasks of a rank, each with its number, to a window that never had any, and no others are to be added. Memory is taken for
    /// those only that wait for nothing any more.
    pub fn add_whole(&mut self, schedule: Arc<RankSchedule>) {
        debug_assert!(self.added == 0, "a window is whole or is not");
        self.added = schedule.len() as u64;
        self.live = schedule.len() as u32;
        let untold = Untold::new(schedule);
        for number in untold.first() {
            let slot = self.place(untold.task(number), number.into());
            self.fresh.push(slot);
        }
        self.untold = Some(untold.into());
    }

    /// Takes room for a task.
    fn place(&mut self, task: Task, number: u64) -> u32 {
        let slot = self.free_nodes.pop().unwrap_or_else(|| {
            self.nodes.push(Node {
                task,
                number,
                stamp: 0,
                waits: 0,
                first: NONE,
                last: NONE,
                state: State::Vacant,
            });
            self.nodes.len() as u32 - 1
        });
        let node = &mut self.nodes[slot as usize];
        *node = Node {
            task,
            number,
            stamp: node.stamp,
            waits: 0,
            first: NONE,
            last: NONE,
            state: State::Waiting,
        };
        slot
    }

    /// A task that has just been added waits for a moment of another. What has happened is not waited for.
    pub fn after(&mut self, task: TaskId, other: TaskId, moment: Moment) {
        let node = &self.nodes[other.slot as usize];
        let is_over = match moment {
            Moment::Started => node.state == State::Started,
            Moment::Done => false,
        };
        if node.stamp != other.stamp || is_over {
            return;
        }
        let edge = Edge {
            to: task.slot,
            next: NONE,
            moment,
        };
        let index = match self.free_edges {
            NONE => {
                self.edges.push(edge);
                self.edges.len() as u32
            }
            index => {
                let place = &mut self.edges[index as usize - 1];
                self.free_edges = place.next;
                *place = edge;
                index
            }
        };
        let node = &mut self.nodes[other.slot as usize];
        let last = std::mem::replace(&mut node.last, index);
        match last {
            NONE => node.first = index,
            last => self.edges[last as usize - 1].next = index,
        }
        self.nodes[task.slot as usize].waits += 1;
    }

    /// The task, unless it is done.
    pub fn get(&self, id: TaskId) -> Option<&Task> {
        let node = &self.nodes[id.slot as usize];
        (node.stamp == id.stamp).then_some(&node.task)
    }

    /// How many tasks have been added in all, without those that proceed.
    pub fn added(&self) -> u64 {
        self.added
    }

    /// Bytes of memory that it takes, without what a whole schedule does.
    pub(crate) fn memory_bytes(&self) -> u64 {
        let numbers = self.free_nodes.capacity() + self.fresh.capacity();
        let nodes = self.nodes.capacity() * size_of::<Node>();
        let edges = self.edges.capacity() * size_of::<Edge>();
        (nodes + edges + numbers * size_of::<u32>()) as u64
    }

    /// How many are not done.
    pub fn live(&self) -> u32 {
        self.live
    }

    /// The tasks that are not done: number, task, state. Those that proceed have the next one's number.
    pub fn pending(&self) -> impl Iterator<Item = (u64, Task, State)> {
        let live = |node: &&Node| node.state != State::Vacant;
        let nodes = self.nodes.iter().filter(live);
        let untold = self.untold.iter().flat_map(|untold| untold.waiting());
        let untold = untold.map(|(number, task)| (number, task, State::Waiting));
        nodes
            .map(|node| (node.number, node.task, node.state))
            .chain(untold)
    }

    /// Lets those that were added start if they wait for nothing, in the order in which they were added.
    pub(crate) fn open(&mut self, ready: &mut Vec<TaskId>) {
        let mut fresh = std::mem::take(&mut self.fresh);
        for slot in fresh.drain(..) {
            self.free(slot, ready);
        }
        self.fresh = fresh;
    }

    fn free(&mut self, slot: u32, ready: &mut Vec<TaskId>) {
        let node = &mut self.nodes[slot as usize];
        if node.waits == 0 && node.state == State::Waiting {
            node.state = State::Ready;
            let stamp = node.stamp;
            let id = TaskId { slot, stamp };
            match node.task.work {
                Work::Proceed(_) => self.proceeding.push_back(id),
                _ => ready.push(id),
            }
        }
    }

    /// A task that proceeds, and may: where its script goes on. The task is done with that.
    pub(crate) fn next_point(&mut self, ready: &mut Vec<TaskId>) -> Option<u32> {
        let id = self.proceeding.pop_front()?;
        let Work::Proceed(point) = self.nodes[id.slot as usize].task.work else {
            return None;
        };
        self.finish(id, ready);
        Some(point)
    }

    /// A task has started; what waited for no more than that is ready now.
    pub(crate) fn start(&mut self, id: TaskId, ready: &mut Vec<TaskId>) {
        let node = &mut self.nodes[id.slot as usize];
        debug_assert!(node.stamp == id.stamp && node.state == State::Ready);
        node.state = State::Started;
        let mut edge = std::mem::replace(&mut node.first, NONE);
        node.last = NONE;
        // Those that wait for the end stay, in their order.
        let (mut kept, mut first) = (NONE, NONE);
        while edge != NONE {
            let Edge { to, next, moment } = self.edges[edge as usize - 1];
            match moment {
                Moment::Started => {
                    self.recycle(edge);
                    self.satisfy(to, ready);
                }
                Moment::Done => {
                    match kept {
                        NONE => first = edge,
                        kept => self.edges[kept as usize - 1].next = edge,
                    }
                    kept = edge;
                    self.edges[edge as usize - 1].next = NONE;
                }
            }
            edge = next;
        }
        let node = &mut self.nodes[id.slot as usize];
        (node.first, node.last) = (first, kept);
        let number = node.number;
        if self.untold.as_ref().is_some_and(|untold| untold.has_starts) {
            self.tell(number, |moment| moment == Moment::Started, ready);
        }
    }

    /// A task is done and gone; what waited for it is ready now.
    pub(crate) fn finish(&mut self, id: TaskId, ready: &mut Vec<TaskId>) {
        let node = &mut self.nodes[id.slot as usize];
        debug_assert!(node.stamp == id.stamp && node.state != State::Vacant);
        let (number, before) = (node.number, node.state);
        node.state = State::Vacant;
        node.stamp = node.stamp.wrapping_add(1);
        let mut edge = std::mem::replace(&mut node.first, NONE);
        while edge != NONE {
            let Edge { to, next, .. } = self.edges[edge as usize - 1];
            self.recycle(edge);
            self.satisfy(to, ready);
            edge = next;
        }
        let has_started = before == State::Started;
        self.tell(
            number,
            |moment| moment == Moment::Done || !has_started,
            ready,
        );
        self.free_nodes.push(id.slot);
        self.live -= 1;
    }

    /// Those come into the window, and are ready, that waited for nothing but moments of a task that are there now.
    fn tell(
        &mut self,
        number: u64,
        happens: impl Fn(Moment) -> bool + Copy,
        ready: &mut Vec<TaskId>,
    ) {
        let Some(mut untold) = self.untold.take() else {
            return;
        };
        let mut followers = untold.followers(number);
        while let Some(next) = untold.satisfy(&mut followers, happens) {
            let slot = self.place(untold.task(next), next.into());
            self.free(slot, ready);
        }
        self.untold = Some(untold);
    }

    /// Asks a script for everything, in an empty window in which nothing ever happens.
    pub(crate) fn record(&mut self, script: &mut dyn Script) -> RankGraph {
        let mut told = RankGraph::default();
        let mut points = VecDeque::from([0]);
        while let Some(point) = points.pop_front() {
            let first = self.nodes.len();
            script.proceed(point, self);
            if let Some(untold) = &self.untold {
                return untold.told();
            }
            self.fresh.clear();
            let added = &self.nodes[first..];
            points.extend(added.iter().filter_map(|node| match node.task.work {
                Work::Proceed(point) => Some(point),
                _ => None,
            }));
        }
        // Numbers without those that proceed.
        let mut count = 0;
        let mut numbers = Vec::with_capacity(self.nodes.len());
        for node in &self.nodes {
            numbers.push(count);
            if !matches!(node.task.work, Work::Proceed(_)) {
                told.tasks.push(node.task);
                count += 1;
            }
        }
        for (slot, node) in self.nodes.iter().enumerate() {
            let mut edge = node.first;
            while edge != NONE {
                let Edge { to, next, moment } = self.edges[edge as usize - 1];
                if !matches!(self.nodes[to as usize].task.work, Work::Proceed(_)) {
                    told.conditions.push(Condition {
                        task: numbers[to as usize],
                        after: numbers[slot],
                        moment,
                    });
                }
                edge = next;
            }
        }
        told
    }

    fn recycle(&mut self, edge: u32) {
        self.edges[edge as usize - 1].next = self.free_edges;
        self.free_edges = edge;
    }

    fn satisfy(&mut self, slot: u32, ready: &mut Vec<TaskId>) {
        self.nodes[slot as usize].waits -= 1;
        self.free(slot, ready);
    }
}
