//! A rank at a terminal.

use super::Common;
use super::diary::Diary;
use super::incoming::{Incoming, Key, Next};
use super::outgoing::{Leaving, Outgoing};
use super::words::{Kind, MOST_BYTES, NUMBERS, Words};
use rustc_hash::FxHashMap;
use std::collections::VecDeque;
use std::sync::Arc;
use turnwise_application::journal::{Cause, Doing, Note};
use turnwise_application::{Blocked, Message as OfRank, Rank, TaskId, Work};
use turnwise_network::{Agent, Event, Message, Outbox};

/// A rank at a terminal.
pub(super) struct Host {
    pub(super) common: Arc<Common>,
    pub(super) me: u32,
    pub(super) rank: Rank,
    processors: Vec<Processor>,
    pub(super) incoming: Incoming,
    outgoing: Outgoing,
    /// What is for other ranks of this terminal, with the rank it is for.
    pub(super) handed: Vec<(u32, Words)>,
    /// By receiver, the number of the next message there.
    numbers: FxHashMap<u32, u32>,
    /// Messages that were announced, by receiver and number.
    pub(super) announced: FxHashMap<(u32, u32), (TaskId, OfRank)>,
    /// By receive, when it was posted.
    posted: FxHashMap<TaskId, u64>,
    ready: Vec<TaskId>,
    pub(super) next: Vec<Next>,
    pub(super) diary: Diary,
    /// Why it does nothing any more.
    failure: Option<String>,
}

/// A processor and what waits for it.
#[derive(Default)]
struct Processor {
    job: Option<Job>,
    waiting: VecDeque<Job>,
}

#[derive(Clone, Copy)]
enum Job {
    /// A task computes or sends.
    Task(TaskId),
    /// A receive has its message, of so many bytes.
    Received(TaskId, Key, u64),
}

impl Job {
    fn task(self) -> TaskId {
        match self {
            Self::Task(task) | Self::Received(task, ..) => task,
        }
    }
}

impl Host {
    pub(super) fn new(common: Arc<Common>, me: u32) -> Self {
        let script = common.program.script(me);
        let processors = common.program.resources().processors;
        Self {
            me,
            rank: Rank::new(script),
            processors: (0..processors).map(|_| Processor::default()).collect(),
            incoming: Incoming::default(),
            outgoing: Outgoing::default(),
            handed: Vec::new(),
            numbers: FxHashMap::default(),
            announced: FxHashMap::default(),
            posted: FxHashMap::default(),
            ready: Vec::new(),
            next: Vec::new(),
            diary: Diary::default(),
            failure: None,
            common,
        }
    }

    /// Does all that can be done in this cycle.
    pub(super) fn work(&mut self, now: u64, out: &mut Outbox) {
        while self.failure.is_none() && !(self.rank.is_idle() && self.next.is_empty()) {
            let mut next = std::mem::take(&mut self.next);
            for what in next.drain(..) {
                match what {
                    Next::Received(task, key, bytes) => {
                        self.queue(Job::Received(task, key, bytes));
                    }
                    Next::Grant(to, words) if self.shares(to) => self.take(to, words, out),
                    Next::Grant(to, words) => self.grant(to, words, out),
                }
            }
            next.append(&mut self.next);
            self.next = next;
            self.take_up(now);
            for processor in 0..self.processors.len() {
                self.run(processor, now, out);
            }
        }
        if let Some((to, words)) = self.outgoing.send(&self.common, self.me, out) {
            self.diary.note(words.leaves(to), out);
        }
    }

    /// What has become ready is posted, or waits for its processor.
    fn take_up(&mut self, now: u64) {
        let mut ready = std::mem::take(&mut self.ready);
        self.rank.take_ready(&mut ready);
        for task in ready.drain(..) {
            match self.rank.task(task).map(|task| task.work) {
                Some(Work::Receive(message)) => {
                    self.rank.started(task);
                    self.posted.insert(task, now);
                    self.incoming.post(&message, task, &mut self.next);
                }
                Some(_) => self.queue(Job::Task(task)),
                None => {}
            }
        }
        self.ready = ready;
    }

    fn queue(&mut self, job: Job) {
        let Some(of_task) = self.rank.task(job.task()) else {
            return;
        };
        self.processors[usize::from(of_task.processor)]
            .waiting
            .push_back(job);
    }

    /// A processor goes on until it is busy.
    fn run(&mut self, processor: usize, now: u64, out: &mut Outbox) {
        while self.processors[processor].job.is_none() {
            let Some(job) = self.processors[processor].waiting.pop_front() else {
                return;
            };
            let (doing, cycles) = self.begin(job);
            match cycles {
                0 => self.finish(job, now, out),
                cycles => {
                    self.processors[processor].job = Some(job);
                    out.ring(now + cycles, processor as u32);
                    let busy = Note::Busy {
                        unit: processor as u16,
                        doing,
                        time: cycles,
                    };
                    self.diary.note(busy, out);
                }
            }
        }
    }

    /// What a job is, which begins, and how long it takes.
    fn begin(&mut self, job: Job) -> (Doing, u64) {
        let effort = (Doing::Overhead, self.effort(job));
        let Job::Task(task) = job else {
            return effort;
        };
        let work = self.rank.task(task).map(|task| task.work);
        self.rank.started(task);
        match work {
            Some(Work::Compute(time)) => (Doing::Compute, self.common.counting.cycles(time)),
            _ => effort,
        }
    }

    /// Cycles that a message keeps the processor of the task that sends or receives it.
    fn effort(&self, job: Job) -> u64 {
        let task = self.rank.task(job.task());
        let is_offloaded = task.is_some_and(|task| task.is_offloaded);
        let fields = &self.common.fields;
        let overhead = match is_offloaded {
            true => fields.offloaded_cycles,
            false => fields.overhead_cycles,
        };
        let copied = match (job, task.map(|task| task.work)) {
            (Job::Received(_, (from, _), bytes), _) => Some((from, bytes)),
            (_, Some(Work::Send(message))) if !self.common.is_announced(message.bytes) => {
                Some((message.peer, message.bytes))
            }
            _ => None,
        };
        let copying = copied.map(|(other, bytes)| self.common.copying(self.me, other, bytes));
        u64::from(overhead) + copying.unwrap_or(0)
    }

    fn finish(&mut self, job: Job, now: u64, out: &mut Outbox) {
        match job {
            Job::Received(task, (from, number), bytes) => {
                if let Some(since) = self.posted.remove(&task) {
                    debug_assert!(since <= now);
                    out.complete(since);
                    let received = Note::Received {
                        from,
                        number: number.into(),
                        ago: now - since,
                        after: 0,
                    };
                    self.diary.note(received, out);
                }
                self.rank.done(task);
                if self.shares(from) && self.common.is_announced(bytes) {
                    self.taken(from, number, bytes, out);
                }
            }
            Job::Task(task) => match self.rank.task(task).map(|task| task.work) {
                Some(Work::Send(message)) => self.send(task, message, out),
                _ => self.rank.done(task),
            },
        }
    }

    fn send(&mut self, task: TaskId, message: OfRank, out: &mut Outbox) {
        let to = message.peer;
        if message.bytes >= MOST_BYTES {
            return self.fail(too_long(self.me, &message));
        }
        let number = self.numbers.entry(to).or_insert(0);
        let sent = *number;
        *number = (sent + 1) % NUMBERS;
        let posted = Note::Posted {
            to,
            number: sent.into(),
            tag: message.tag,
            context: message.context,
            bytes: message.bytes,
            ago: self.effort(Job::Task(task)),
        };
        self.diary.note(posted, out);
        if to == self.me {
            let words = Words::new(Kind::Eager, sent, &message);
            let number = sent.into();
            let after = 0;
            self.diary.note(Note::Left { to, number, after }, out);
            self.diary.note(Note::Whole { from: to, number }, out);
            if self.incoming.came(to, words, 1, &mut self.next).is_none() {
                return self.fail(too_many(to, self.me));
            }
            self.rank.done(task);
        } else if self.shares(to) {
            self.hand_over(task, sent, message, out);
        } else if !self.common.is_announced(message.bytes) {
            let is_full = self.outgoing.is_full();
            self.outgoing.add(Leaving {
                to,
                words: Words::new(Kind::Eager, sent, &message),
                left: self.common.packets(message.bytes),
                task: is_full.then_some(task),
            });
            if !is_full {
                self.rank.done(task);
            }
        } else {
            if !self.announce(to, sent, task, message) {
                return;
            }
            let words = Words::new(Kind::Announcement, sent, &message);
            self.control(to, words, out);
        }
    }

    /// Keeps a message until its receiver wants it; says whether it can be told apart from others.
    pub(super) fn announce(&mut self, to: u32, number: u32, task: TaskId, message: OfRank) -> bool {
        let before = self.announced.insert((to, number), (task, message));
        if before.is_some() {
            self.fail(too_many(self.me, to));
        }
        before.is_none()
    }

    /// A packet of a message of so many, or an announcement of them, has come from a rank.
    pub(super) fn came(&mut self, from: u32, words: Words, packets: u64, out: &mut Outbox) {
        match self.incoming.came(from, words, packets, &mut self.next) {
            Some(came) => self.diary.came(from, words.number.into(), came, out),
            None => self.fail(too_many(from, self.me)),
        }
    }

    /// Does nothing from now on, for this reason.
    fn fail(&mut self, why: String) {
        self.failure.get_or_insert(why);
    }

    fn grant(&mut self, to: u32, words: Words, out: &mut Outbox) {
        let words = Words {
            kind: Kind::Grant,
            ..words
        };
        self.control(to, words, out);
    }

    fn control(&mut self, to: u32, words: Words, out: &mut Outbox) {
        self.diary.note(words.leaves(to), out);
        let [tag, note] = words.encode();
        out.send(Message {
            destination: self.common.residents.terminal(to),
            flits: self.common.control(),
            class: 1,
            tag,
            note,
            not_before: 0,
            report_sent: false,
            parties: self.common.parties(self.me, to),
        });
    }

    fn arrived(&mut self, from: u32, words: Words, out: &mut Outbox) {
        if words.kind != Kind::Grant {
            let packets = self.common.packets(words.bytes);
            return self.came(from, words, packets, out);
        }
        if let Some((task, message)) = self.announced.remove(&(from, words.number)) {
            self.outgoing.add(Leaving {
                to: from,
                words: Words::new(Kind::Granted, words.number, &message),
                left: self.common.packets(message.bytes),
                task: Some(task),
            });
        }
    }
}

impl Agent for Host {
    fn on(&mut self, event: Event, now: u64, out: &mut Outbox) {
        if self.failure.is_some() {
            return;
        }
        match event {
            Event::Start => {
                self.diary.begin(now, Cause::Start, out);
                self.rank.begin();
            }
            Event::Timer(processor) => {
                self.diary.begin(now, Cause::Free(processor as u16), out);
                let processor = processor as usize;
                if let Some(job) = self.processors[processor].job.take() {
                    self.finish(job, now, out);
                    self.run(processor, now, out);
                }
            }
            Event::Sent { .. } => {
                self.diary.may_begin(now, Cause::Left);
                if let Some(leaving) = self.outgoing.left() {
                    let left = Note::Left {
                        to: leaving.to,
                        number: leaving.words.number.into(),
                        after: 0,
                    };
                    self.diary.note(left, out);
                    leaving
                        .task
                        .into_iter()
                        .for_each(|task| self.rank.done(task));
                }
            }
            Event::Arrived {
                from,
                tag,
                note,
                parties,
                ..
            } => {
                let from = self.common.residents.of(from, parties[0]);
                let words = Words::decode([tag, note]);
                self.diary.may_begin(now, words.cause(from));
                self.arrived(from, words, out);
            }
        }
        self.work(now, out);
    }

    fn failure(&self) -> Option<String> {
        let job = self.common.job.as_ref();
        let of_job = job.map_or(String::new(), |name| format!("job `{name}`: "));
        self.failure.as_ref().map(|why| of_job + why)
    }

    fn waits(&self) -> Vec<String> {
        let mut blocked = Blocked::new(self.me, &self.rank, Vec::new());
        blocked.locate(&*self.common.program);
        let job = self.common.job.as_deref();
        blocked.words(job).into_iter().collect()
    }

    fn is_done(&self) -> bool {
        self.failure.is_none() && self.rank.is_done() && self.outgoing.is_empty()
    }
}

/// That a rank's message is longer than any on a network.
pub(super) fn too_long(from: u32, message: &OfRank) -> String {
    let OfRank { peer, bytes, .. } = message;
    let most = MOST_BYTES - 1;
    format!(
        "rank {from} sends {bytes} bytes to rank {peer}: messages on a network have up to {most}, a byte less than 4 TiB"
    )
}

fn too_many(from: u32, to: u32) -> String {
    format!(
        "more than {NUMBERS} messages of rank {from} wait until rank {to} receives them, and no more can be told apart"
    )
}
