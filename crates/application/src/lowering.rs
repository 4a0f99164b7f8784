//! Calls on their way to tasks.
//!
//! A collective goes round by round, each waiting for the one before. Where its algorithm has strands, rounds wait for
//! those of their own strand, and for all that is several rounds back.

use crate::calls::{Call, Caller};
use crate::collectives::{Algorithm, Collective, Part, Round, Selection};
use crate::group::Group;
use crate::script::Script;
use crate::task::{Message, Task, Work};
use crate::window::{Moment, TaskId, Window};
use rustc_hash::FxHashMap;
use std::collections::VecDeque;
use std::sync::Arc;

/// Calls of a rank on their way to tasks.
pub(crate) struct Lowering {
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
    /// The strands of the rounds, in turn.
    strands: &'static [usize],
    /// What the next round of each strand waits for.
    frontiers: Vec<Vec<(TaskId, Moment)>>,
    /// Tasks of the last rounds of all strands, where there are several.
    history: VecDeque<Vec<(TaskId, Moment)>>,
}

/// How far a strand is ahead of the others at most, in rounds of them all. NCCL has as many buffers.
const AHEAD: usize = 8;

/// About so many tasks are told at once.
const AT_ONCE: u64 = 16;
/// Contexts of messages of collectives.
pub(crate) const OF_COLLECTIVE: u32 = 1 << 31;

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
                let id = window.add(Task::new(Work::Proceed(0)));
                // No longer than the next round does, so that nobody is told too late.
                let of_rounds = self.collective.as_ref().map(Running::waits);
                for (other, moment) in of_rounds.unwrap_or_else(|| self.frontier.clone()) {
                    window.after(id, other, moment);
                }
                return;
            }
        }
    }

    fn memory_bytes(&self) -> u64 {
        let calls = self.scratch.capacity() + self.calls.capacity();
        let members = self.round.receives.capacity() + self.round.sends.capacity();
        let of_rounds = self.collective.as_ref().map_or(0, Running::waiting);
        let bytes = calls * size_of::<Call>()
            + self.requests.capacity() * size_of::<Option<TaskId>>()
            + members * size_of::<(u32, u64)>()
            + (self.frontier.capacity() + of_rounds) * size_of::<(TaskId, Moment)>();
        bytes as u64
    }
}

impl Running {
    /// What the next round waits for at least.
    fn waits(&self) -> Vec<(TaskId, Moment)> {
        if self.strands.len() == 1 {
            return self.frontiers[0].clone();
        }
        let begins = self.is_first_of_round() as usize;
        let past = (self.history.len() + begins).checked_sub(AHEAD + 1);
        past.map_or(Vec::new(), |past| self.history[past].clone())
    }

    /// What all rounds to come wait for, together.
    fn waiting(&self) -> usize {
        let all = self.frontiers.iter().chain(&self.history);
        all.map(Vec::capacity).sum()
    }

    /// Is the next round that of the first strand?
    fn is_first_of_round(&self) -> bool {
        (self.next as usize).is_multiple_of(self.strands.len())
    }
}

impl Lowering {
    /// Before the first call.
    pub(crate) fn new(rank: u32, caller: Box<dyn Caller>, selection: Arc<Selection>) -> Self {
        Self {
            rank,
            caller,
            selection,
            part: 0,
            is_last: false,
            scratch: Vec::new(),
            calls: VecDeque::new(),
            frontier: Vec::new(),
            requests: Vec::new(),
            collective: None,
            sequences: FxHashMap::default(),
            round: Round::default(),
        }
    }

    /// One call, or one round of a collective; false at the end.
    fn step(&mut self, window: &mut Window) -> bool {
        if let Some(mut running) = self.collective.take() {
            self.advance(&mut running, window);
            match running.next < running.rounds {
                true => self.collective = Some(running),
                false => self.frontier = running.frontiers.concat(),
            }
            return true;
        }
        let Some(call) = self.next_call() else {
            return false;
        };
        self.call(window, call);
        true
    }

    /// A round of a collective.
    fn advance(&mut self, running: &mut Running, window: &mut Window) {
        let has_strands = running.strands.len() > 1;
        if has_strands && running.is_first_of_round() {
            running.history.push_back(Vec::new());
            if running.history.len() > AHEAD + 1 {
                running.history.pop_front();
            }
        }
        let round = running.next;
        running.next += 1;
        self.round.clear();
        (running.algorithm.round)(&running.part, round, &mut self.round);
        if self.round.is_empty() {
            return;
        }
        let strand = running.strands[round as usize % running.strands.len()];
        self.frontier.clone_from(&running.frontiers[strand]);
        if running.history.len() > AHEAD {
            self.frontier.extend(&running.history[0]);
        }
        let tasks = self.exchange(window, running, round);
        if has_strands && let Some(current) = running.history.back_mut() {
            current.extend(&tasks);
        }
        running.frontiers[strand] = tasks;
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
        let (part, algorithm) = self.selection.part(me, group.count(), collective);
        let rounds = (algorithm.rounds)(&part);
        if rounds > 0 {
            let strands = (algorithm.strands)(&part);
            let count = strands.iter().max().map_or(1, |last| last + 1);
            self.collective = Some(Running {
                algorithm,
                part,
                group,
                sequence,
                next: 0,
                rounds,
                strands,
                frontiers: vec![self.frontier.clone(); count],
                history: VecDeque::new(),
            });
        }
    }

    /// All receives of a round are posted, all messages sent, and all will be waited for.
    fn exchange(
        &mut self,
        window: &mut Window,
        running: &Running,
        round: u32,
    ) -> Vec<(TaskId, Moment)> {
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
        let is_offloaded = running.algorithm.is_offloaded;
        let task = |work| Task {
            processor: is_offloaded.into(),
            is_offloaded,
            ..Task::new(work)
        };
        let tasks: Vec<Task> = receives.chain(sends).map(task).collect();
        let put = |task| (self.put(window, task, Moment::Started), Moment::Done);
        tasks.into_iter().map(put).collect()
    }

    fn blocking(&mut self, window: &mut Window, work: Work) {
        self.put(window, Task::new(work), Moment::Done);
    }

    fn posted(&mut self, window: &mut Window, work: Work) -> TaskId {
        self.put(window, Task::new(work), Moment::Started)
    }

    fn put(&mut self, window: &mut Window, task: Task, moment: Moment) -> TaskId {
        let id = window.add(task);
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
