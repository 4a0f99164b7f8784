//! Programs as MPI has them: every rank makes calls, one after the other.
//!
//! Calls become tasks here. A call that does not block sets the next one free when it has started, one that blocks
//! when it is done, and a wait lets the next one wait for its requests.

use crate::collectives::{Algorithm, Collective, Part, Round, Selection};
use crate::group::Group;
use crate::script::{Program, Script};
use crate::task::{Message, Task, Work};
use crate::window::{Moment, TaskId, Window};
use rustc_hash::FxHashMap;
use std::collections::VecDeque;
use std::sync::Arc;

/// What a rank calls.
#[derive(Clone, Debug, PartialEq)]
pub enum Call {
    /// It computes for so many picoseconds.
    Compute(u64),
    /// `MPI_Send`, which returns when the message has left, or has been received if it is large.
    Send(Message),
    /// `MPI_Recv`.
    Recv(Message),
    /// `MPI_Isend` with a request.
    Isend(Message, u32),
    /// `MPI_Irecv` with a request.
    Irecv(Message, u32),
    /// `MPI_Wait` for a request.
    Wait(u32),
    /// `MPI_Waitall` for all requests below a number.
    Waitall(u32),
    /// A collective operation of a group.
    Collective(Collective, Group),
}

/// A rank of a program that makes calls.
pub trait Caller: Send {
    /// Adds the calls of a part of the program; parts are asked for from 0 on, one after the other. Is it the last?
    fn calls(&mut self, part: u32, calls: &mut Vec<Call>) -> bool;
}

/// A program that makes calls.
pub trait Calling: Send + Sync {
    /// How many ranks it has.
    fn ranks(&self) -> u32;

    /// How many parts its ranks' calls come in that are alike, but for the first and the last: iterations.
    fn parts(&self) -> u32;

    /// A rank, before its first call.
    fn caller(&self, rank: u32) -> Box<dyn Caller>;

    /// Where in its source a rank's call stands, for messages; calls are numbered from 0 on.
    fn place(&self, rank: u32, call: u64) -> Option<String> {
        let _ = (rank, call);
        None
    }

    /// Bytes of memory that it takes, where it is much.
    fn memory_bytes(&self) -> u64 {
        0
    }
}

/// A program that makes calls, with the algorithms that its collectives use.
pub struct Calls {
    program: Box<dyn Calling>,
    selection: Arc<Selection>,
}

impl Calls {
    /// Plays the calls with these algorithms.
    pub fn new(program: Box<dyn Calling>, selection: Selection) -> Self {
        let selection = Arc::new(selection);
        Self { program, selection }
    }

    /// The number of the call that a rank's task is of: calls are counted until there are as many tasks.
    ///
    /// Complexity: O(calls before it).
    fn call_of(&self, rank: u32, task: u64) -> Option<u64> {
        let mut caller = self.program.caller(rank);
        let mut calls = Vec::new();
        let (mut part, mut number, mut tasks) = (0, 0, 0);
        loop {
            let is_last = caller.calls(part, &mut calls);
            part += 1;
            for call in calls.drain(..) {
                tasks += self.tasks(rank, call);
                if tasks > task {
                    return Some(number);
                }
                number += 1;
            }
            if is_last {
                return None;
            }
        }
    }

    /// Tasks that a call becomes.
    fn tasks(&self, rank: u32, call: Call) -> u64 {
        match call {
            Call::Compute(0) | Call::Wait(_) | Call::Waitall(_) => 0,
            Call::Compute(_) | Call::Send(_) | Call::Recv(_) => 1,
            Call::Isend(..) | Call::Irecv(..) => 1,
            Call::Collective(collective, group) => {
                let Some(me) = group.member(rank) else {
                    return 0;
                };
                let ranks = group.count();
                let part = Part {
                    me,
                    ranks,
                    collective,
                };
                let algorithm = self.selection.choose(&part);
                let mut scratch = Round::default();
                let of_round = |round| {
                    scratch.clear();
                    (algorithm.round)(&part, round, &mut scratch);
                    (scratch.receives.len() + scratch.sends.len()) as u64
                };
                (0..(algorithm.rounds)(&part)).map(of_round).sum()
            }
        }
    }

    /// What is called.
    pub fn program(&self) -> &dyn Calling {
        &*self.program
    }
}

impl Program for Calls {
    fn ranks(&self) -> u32 {
        self.program.ranks()
    }

    fn script(&self, rank: u32) -> Box<dyn Script> {
        Box::new(Lowering {
            rank,
            caller: self.program.caller(rank),
            selection: Arc::clone(&self.selection),
            part: 0,
            is_last: false,
            scratch: Vec::new(),
            calls: VecDeque::new(),
            frontier: Vec::new(),
            requests: Vec::new(),
            collective: None,
            sequences: FxHashMap::default(),
            round: Round::default(),
        })
    }

    fn place(&self, rank: u32, task: u64) -> Option<String> {
        self.program.place(rank, self.call_of(rank, task)?)
    }

    fn calling(&self) -> Option<&dyn Calling> {
        Some(self.program())
    }

    fn memory_bytes(&self) -> u64 {
        self.program.memory_bytes()
    }
}

/// Calls on their way to tasks.
struct Lowering {
    rank: u32,
    caller: Box<dyn Caller>,
    selection: Arc<Selection>,
    /// The part that is asked for next.
    part: u32,
    is_last: bool,
    scratch: Vec<Call>,
    calls: VecDeque<Call>,
    /// What the next task waits for.
    frontier: Vec<(TaskId, Moment)>,
    requests: Vec<Option<TaskId>>,
    collective: Option<Running>,
    /// By context, collectives that have begun.
    sequences: FxHashMap<u32, u32>,
    round: Round,
}

/// A collective that has rounds to go.
struct Running {
    algorithm: &'static Algorithm,
    part: Part,
    group: Group,
    /// Its number among those of its group.
    sequence: u32,
    next: u32,
    rounds: u32,
}

/// About so many tasks are told at once.
const AT_ONCE: u64 = 16;
/// Contexts of messages of collectives.
const OF_COLLECTIVE: u32 = 1 << 31;

/// The context of the messages of a group's collectives.
pub(crate) fn collective_context(group: &Group) -> u32 {
    group.context | OF_COLLECTIVE
}

/// The tag of the messages of a round of the collective with a number among those of its group.
pub(crate) fn collective_tag(sequence: u32, round: u32) -> u32 {
    sequence << 16 | round & 0xffff
}

impl Script for Lowering {
    fn proceed(&mut self, _: u32, window: &mut Window) {
        let before = window.added();
        while self.step(window) {
            if window.added() - before >= AT_ONCE {
                let go_on = Task::new(Work::Proceed(0));
                let id = window.add(go_on);
                self.wait(window, id);
                return;
            }
        }
    }
}

impl Lowering {
    /// One call, or one round of a collective; false at the end.
    fn step(&mut self, window: &mut Window) -> bool {
        if let Some(running) = &mut self.collective {
            let round = running.next;
            running.next += 1;
            self.round.clear();
            (running.algorithm.round)(&running.part, round, &mut self.round);
            self.exchange(window, round);
            let is_over = self
                .collective
                .as_ref()
                .is_some_and(|it| it.next >= it.rounds);
            if is_over {
                self.collective = None;
            }
            return true;
        }
        let Some(call) = self.next_call() else {
            return false;
        };
        self.call(window, call);
        true
    }

    fn next_call(&mut self) -> Option<Call> {
        while self.calls.is_empty() {
            if self.is_last {
                return None;
            }
            self.is_last = self.caller.calls(self.part, &mut self.scratch);
            self.part += 1;
            self.calls.extend(self.scratch.drain(..));
        }
        self.calls.pop_front()
    }

    fn call(&mut self, window: &mut Window, call: Call) {
        match call {
            Call::Compute(0) => {}
            Call::Compute(time) => self.blocking(window, Work::Compute(time)),
            Call::Send(message) => self.blocking(window, Work::Send(message)),
            Call::Recv(message) => self.blocking(window, Work::Receive(message)),
            Call::Isend(message, request) => {
                let id = self.posted(window, Work::Send(message));
                self.remember(request, id);
            }
            Call::Irecv(message, request) => {
                let id = self.posted(window, Work::Receive(message));
                self.remember(request, id);
            }
            Call::Wait(request) => {
                let request = self.requests.get_mut(request as usize);
                let task = request.and_then(Option::take);
                self.frontier.extend(task.map(|task| (task, Moment::Done)));
            }
            Call::Waitall(below) => {
                let count = self.requests.len().min(below as usize);
                let tasks = self.requests[..count].iter_mut().filter_map(Option::take);
                self.frontier.extend(tasks.map(|task| (task, Moment::Done)));
            }
            Call::Collective(collective, group) => self.begin(collective, group),
        }
    }

    fn begin(&mut self, collective: Collective, group: Group) {
        let Some(me) = group.member(self.rank) else {
            return;
        };
        let sequence = self.sequences.entry(group.context).or_default();
        *sequence = sequence.wrapping_add(1);
        let sequence = *sequence;
        let part = Part {
            me,
            ranks: group.count(),
            collective,
        };
        let algorithm = self.selection.choose(&part);
        let rounds = (algorithm.rounds)(&part);
        if rounds > 0 {
            self.collective = Some(Running {
                algorithm,
                part,
                group,
                sequence,
                next: 0,
                rounds,
            });
        }
    }

    /// A round of a collective: all receives are posted, all messages sent, and all waited for.
    fn exchange(&mut self, window: &mut Window, round: u32) {
        let Some(running) = &self.collective else {
            return;
        };
        let tag = collective_tag(running.sequence, round);
        let context = collective_context(&running.group);
        let message = |&(member, bytes): &(u32, u64)| Message {
            peer: running.group.rank(member),
            tag,
            context,
            bytes,
        };
        let receives = self.round.receives.iter().map(message).map(Work::Receive);
        let sends = self.round.sends.iter().map(message).map(Work::Send);
        let works: Vec<Work> = receives.chain(sends).collect();
        let mut all = Vec::with_capacity(works.len());
        for work in works {
            let id = self.posted(window, work);
            all.push((id, Moment::Done));
        }
        if !all.is_empty() {
            self.frontier = all;
        }
    }

    fn blocking(&mut self, window: &mut Window, work: Work) {
        self.put(window, work, Moment::Done);
    }

    fn posted(&mut self, window: &mut Window, work: Work) -> TaskId {
        self.put(window, work, Moment::Started)
    }

    fn put(&mut self, window: &mut Window, work: Work, moment: Moment) -> TaskId {
        let id = window.add(Task::new(work));
        self.wait(window, id);
        self.frontier.clear();
        self.frontier.push((id, moment));
        id
    }

    fn wait(&self, window: &mut Window, task: TaskId) {
        for &(other, moment) in &self.frontier {
            window.after(task, other, moment);
        }
    }

    fn remember(&mut self, request: u32, task: TaskId) {
        let request = request as usize;
        if self.requests.len() <= request {
            self.requests.resize(request + 1, None);
        }
        self.requests[request] = Some(task);
    }
}
