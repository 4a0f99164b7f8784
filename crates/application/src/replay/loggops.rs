//! The events of a replay.
//!
//! The rules are LogGOPSim's, to the nanosecond and to the order of what happens at the same time: see `start`, `arrive` and
//! `receive` below, one each. Where LogGOPSim sorts without keeping the order of equals, the order is kept here; and where a rank
//! has several processors, a task waits until what it requires has ended on another, not only begun.
//!
//! Complexity: O(tasks x log tasks); a window of tasks for each rank, and what is under way.

use super::events::{Event, Events, What};
use super::outcome::{Remarkable, Replay};
use super::parameters::LogGops;
use super::queues::Queue;
use super::scribe::{Scribe, Unit};
use crate::journal::{Cause, Doing, Journals};
use crate::matching::Waiting;
use crate::rank::Rank;
use crate::script::{Program, Resources};
use crate::stall::{Blocked, Stall};
use crate::task::{Message, Task, Work};
use crate::window::TaskId;

/// Plays a program on a network in which nothing is in the way.
///
/// Times that would go beyond 2^64 picoseconds, 213 days, are cut there: see [`Replay::out_of_time`].
pub fn replay(program: &dyn Program, parameters: &LogGops) -> Replay {
    play(program, parameters, None)
}

/// The same, and keeps journals of the program's ranks.
pub fn replay_kept(program: &dyn Program, parameters: &LogGops, journals: &Journals) -> Replay {
    let scribe = Scribe::new(journals, program.ranks(), program.resources());
    play(program, parameters, Some(scribe))
}

fn play(program: &dyn Program, parameters: &LogGops, scribe: Option<Scribe<'_>>) -> Replay {
    let mut play = Play::new(program, *parameters, scribe);
    play.begin(program);
    while let Some(event) = play.events.next() {
        play.happen(event);
    }
    play.end(program)
}

struct Play<'a> {
    parameters: LogGops,
    /// Writes journals, if they are kept.
    scribe: Option<Scribe<'a>>,
    resources: Resources,
    hosts: Vec<Host>,
    events: Events,
    operations: Vec<Operation>,
    free_operations: Vec<u32>,
    /// By host, resource and what is done; see `queue_of`.
    queues: Vec<Queue>,
    ready: Vec<TaskId>,
    messages: u64,
    bytes: u64,
    truncated: Remarkable,
}

struct Host {
    rank: Rank,
    /// Until when each is busy: processors, interfaces that send, interfaces that receive.
    processors: Vec<u64>,
    senders: Vec<u64>,
    receivers: Vec<u64>,
    /// Receives that wait, and messages that do.
    posted: Waiting<TaskId>,
    arrived: Waiting<Arrived>,
}

/// A message that no receive has taken.
struct Arrived {
    from: u32,
    task: TaskId,
    bytes: u64,
    tag: u32,
    context: u32,
    /// Until when it keeps a processor.
    until: u64,
    /// Its number among those of its sender; of account for journals only.
    number: u64,
}

impl Arrived {
    /// As its receiver sees it.
    fn message(&self) -> Message {
        Message {
            peer: self.from,
            tag: self.tag,
            context: self.context,
            bytes: self.bytes,
        }
    }
}

/// Something that a host has to do.
#[derive(Clone, Copy)]
struct Operation {
    host: u32,
    /// The host's own, or the sender's if a message arrives.
    id: TaskId,
    task: Task,
    kind: Kind,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Compute,
    Send,
    Receive,
    Arrive {
        from: u32,
    },
    /// Has ended, where others must not have begun before.
    End,
}

impl<'a> Play<'a> {
    fn new(program: &dyn Program, parameters: LogGops, scribe: Option<Scribe<'a>>) -> Self {
        let resources = program.resources();
        let free = |count: u8| vec![0; count.into()];
        let host = |rank| Host {
            rank: Rank::new(program.script(rank)),
            processors: free(resources.processors),
            senders: free(resources.interfaces),
            receivers: free(resources.interfaces),
            posted: Waiting::default(),
            arrived: Waiting::default(),
        };
        let hosts: Vec<Host> = (0..program.ranks()).map(host).collect();
        let queues = hosts.len() * queues_of_host(resources);
        Self {
            parameters,
            scribe,
            resources,
            hosts,
            events: Events::default(),
            operations: Vec::new(),
            free_operations: Vec::new(),
            queues: std::iter::repeat_with(Queue::default)
                .take(queues)
                .collect(),
            ready: Vec::new(),
            messages: 0,
            bytes: 0,
            truncated: Remarkable::default(),
        }
    }

    fn begin(&mut self, program: &dyn Program) {
        for host in 0..program.ranks() {
            if let Some(scribe) = &mut self.scribe {
                scribe.turn(host, 0, Cause::Start);
            }
            self.hosts[host as usize].rank.begin();
            self.schedule(host, 0);
        }
    }

    /// What has become ready at a host comes up: as LogGOPSim has it when its processor is free, which is not before now unless
    /// there are several.
    fn schedule(&mut self, at: u32, now: u64) {
        let host = &mut self.hosts[at as usize];
        if host.rank.is_idle() {
            return;
        }
        let mut ready = std::mem::take(&mut self.ready);
        host.rank.take_ready(&mut ready);
        for id in ready.drain(..) {
            let host = &self.hosts[at as usize];
            let Some(&task) = host.rank.task(id) else {
                continue;
            };
            let processor = host.processors[usize::from(task.processor)];
            let (kind, time) = match task.work {
                Work::Send(_) => {
                    let sender = host.senders[usize::from(task.interface)];
                    (Kind::Send, processor.max(sender))
                }
                Work::Receive(_) => (Kind::Receive, processor),
                Work::Compute(_) | Work::Proceed(_) => (Kind::Compute, processor),
            };
            let time = match self.resources.processors {
                1 => time,
                _ => time.max(now),
            };
            let operation = Operation {
                host: at,
                id,
                task,
                kind,
            };
            self.come_up(at, time, operation);
        }
        self.ready = ready;
    }

    /// Something is to be done at a time because of what happens at a host now.
    fn come_up(&mut self, at: u32, time: u64, operation: Operation) {
        let index = match self.free_operations.pop() {
            Some(index) => {
                self.operations[index as usize] = operation;
                index
            }
            None => {
                self.operations.push(operation);
                self.operations.len() as u32 - 1
            }
        };
        self.events.add(time, What::Operation(index));
        if let Some(scribe) = &mut self.scribe {
            scribe.comes_up(at, index, time, &operation.needs());
        }
    }

    fn happen(&mut self, event: Event) {
        match event.what {
            What::Operation(index) => self.attempt(event, index),
            What::Queue(index) => {
                let queue = &mut self.queues[index as usize];
                if queue.due != Some((event.time, event.number)) {
                    return;
                }
                queue.due = None;
                let Some((number, operation)) = queue.take() else {
                    return;
                };
                self.attempt(Event { number, ..event }, operation);
                self.call(index as usize, event.time);
            }
        }
    }

    /// An operation takes what it needs, or waits for it.
    fn attempt(&mut self, event: Event, index: u32) {
        let operation = self.operations[index as usize];
        if self.free_at(&operation) > event.time {
            let queue = self.queue_of(&operation);
            self.queues[queue].add(event.number, index);
            self.call(queue, event.time);
            return;
        }
        self.free_operations.push(index);
        self.begin_turn(&operation, index, event.time);
        self.perform(&operation, index, event.time);
    }

    /// The first of a queue comes when what it waits for is free.
    fn call(&mut self, queue: usize, now: u64) {
        let Some(number) = self.queues[queue].first() else {
            return;
        };
        let time = self.queue_free_at(queue).max(now);
        let due = Some((time, number));
        if self.queues[queue].due != due {
            self.queues[queue].due = due;
            let what = What::Queue(queue as u32);
            self.events.put(Event { time, number, what });
        }
    }

    fn begin_turn(&mut self, operation: &Operation, index: u32, now: u64) {
        let Some(scribe) = &mut self.scribe else {
            return;
        };
        let (host, needs) = (operation.host, operation.needs());
        match operation.kind {
            Kind::Arrive { from } => scribe.arrives((host, from), index, now, &needs),
            _ => scribe.performs(host, index, now, &needs),
        }
    }

    fn perform(&mut self, operation: &Operation, index: u32, now: u64) {
        let Operation {
            host,
            id,
            task,
            kind,
        } = *operation;
        match (kind, task.work) {
            (Kind::Send, Work::Send(message)) => self.send(host, id, task, message, now),
            (Kind::Receive, Work::Receive(message)) => self.receive(host, id, task, message, now),
            (Kind::Arrive { from }, Work::Send(message)) => {
                let scribe = self.scribe.as_ref();
                let number = scribe.map_or(0, |scribe| scribe.number(index));
                let came = Message {
                    peer: from,
                    ..message
                };
                self.arrive(host, (id, number), task, came, now);
            }
            (Kind::End, _) => self.hosts[host as usize].rank.done(id),
            (_, Work::Compute(time)) => {
                let until = now.saturating_add(time);
                let of_host = &mut self.hosts[host as usize];
                of_host.processors[usize::from(task.processor)] = until;
                if let Some(scribe) = &mut self.scribe {
                    let unit = Unit::Processor(task.processor);
                    scribe.busy(host, unit, Doing::Compute, time);
                }
                self.done(host, id, task, until);
            }
            _ => {}
        }
        self.schedule(host, now);
    }

    /// A task is done, and keeps its processor until a time. What waits for it on that processor has to wait for that anyway; only
    /// another processor would begin too early.
    fn done(&mut self, host: u32, id: TaskId, task: Task, until: u64) {
        let rank = &mut self.hosts[host as usize].rank;
        // What waits for the beginning of a computation comes up before what waits for its end, though both are now.
        if task.work.message().is_none() {
            rank.started(id);
        }
        if self.resources.processors == 1 {
            rank.done(id);
            return;
        }
        let kind = Kind::End;
        let operation = Operation {
            host,
            id,
            task,
            kind,
        };
        self.come_up(host, until, operation);
    }

    fn send(&mut self, at: u32, id: TaskId, task: Task, message: Message, now: u64) {
        let parameters = self.parameters.of(&task);
        let (processor, interface) = parameters.sending(message.bytes);
        let host = &mut self.hosts[at as usize];
        host.processors[usize::from(task.processor)] = now.saturating_add(processor);
        host.senders[usize::from(task.interface)] = now.saturating_add(interface);
        self.messages += 1;
        self.bytes = self.bytes.saturating_add(message.bytes);
        let LogGops {
            overhead,
            latency,
            eager,
            ..
        } = parameters;
        if let Some(scribe) = &mut self.scribe {
            scribe.sends(at, &message, overhead, message.bytes > eager);
            let sender = Unit::Sender(task.interface);
            scribe.busy(
                at,
                Unit::Processor(task.processor),
                Doing::Overhead,
                processor,
            );
            scribe.busy(at, sender, Doing::Send, interface);
        }
        let arrives = Operation {
            host: message.peer,
            id,
            task,
            kind: Kind::Arrive { from: at },
        };
        self.come_up(
            at,
            now.saturating_add(overhead).saturating_add(latency),
            arrives,
        );
        self.hosts[at as usize].rank.started(id);
        if message.bytes <= eager {
            self.done(at, id, task, now.saturating_add(processor));
        }
    }

    /// A receive that finds its message pays nothing: the message has.
    fn receive(&mut self, at: u32, id: TaskId, task: Task, message: Message, now: u64) {
        let host = &mut self.hosts[at as usize];
        host.rank.started(id);
        match host.arrived.take_by(&message) {
            Some(arrived) => {
                let until = now.max(arrived.until);
                if let Some(scribe) = &mut self.scribe {
                    if arrived.bytes > self.parameters.eager {
                        scribe.whole(at, arrived.from, arrived.number);
                    }
                    scribe.received(at, id, (arrived.from, arrived.number), until);
                }
                self.compare(at, &message, &arrived);
                self.done(at, id, task, until);
                self.release(at, &arrived, now);
            }
            None => {
                host.posted.add(&message, id);
                if let Some(scribe) = &mut self.scribe {
                    scribe.posts(at, id);
                }
            }
        }
    }

    /// `message` is as its receiver sees it; `id` the sender's task.
    fn arrive(
        &mut self,
        at: u32,
        (id, number): (TaskId, u64),
        task: Task,
        message: Message,
        now: u64,
    ) {
        let (processor, interface) = self.parameters.of(&task).receiving(message.bytes);
        let until = now.saturating_add(processor);
        let host = &mut self.hosts[at as usize];
        host.processors[usize::from(task.processor)] = until;
        host.receivers[usize::from(task.interface)] = now.saturating_add(interface);
        let arrived = Arrived {
            from: message.peer,
            task: id,
            bytes: message.bytes,
            tag: message.tag,
            context: message.context,
            until,
            number,
        };
        let receive = host.posted.take_for(&message);
        if let Some(scribe) = &mut self.scribe {
            // One that is announced comes when it is wanted.
            if receive.is_some() || message.bytes <= self.parameters.eager {
                scribe.whole(at, message.peer, number);
            }
            let receiver = Unit::Receiver(task.interface);
            scribe.busy(
                at,
                Unit::Processor(task.processor),
                Doing::Overhead,
                processor,
            );
            scribe.busy(at, receiver, Doing::Receive, interface);
            if let Some(receive) = receive {
                scribe.received(at, receive, (message.peer, number), until);
            }
        }
        match receive {
            Some(receive) => {
                let posted = self.hosts[at as usize].rank.task(receive);
                if let Some(posted) = posted.and_then(|task| task.work.message().copied()) {
                    self.compare(at, &posted, &arrived);
                }
                self.done(at, receive, task, until);
                self.release(at, &arrived, now);
            }
            None => self.hosts[at as usize].arrived.add(&message, arrived),
        }
    }

    /// A receive of some length takes a message. Where a trace does not know the length, it is 0.
    fn compare(&mut self, at: u32, receive: &Message, arrived: &Arrived) {
        if receive.bytes > 0 && arrived.bytes > receive.bytes {
            self.truncated.note(at, &arrived.message());
        }
    }

    /// The sender of a message that has waited for its receive may go on.
    fn release(&mut self, at: u32, arrived: &Arrived, now: u64) {
        let Arrived {
            from,
            task: id,
            bytes,
            number,
            ..
        } = *arrived;
        if bytes <= self.parameters.eager {
            return;
        }
        let host = &mut self.hosts[from as usize];
        if let Some(task) = host.rank.task(id) {
            if let Some(scribe) = &mut self.scribe {
                let (processor, sender) = (task.processor, task.interface);
                let units = [Unit::Processor(processor), Unit::Sender(sender)];
                scribe.grants(at, (from, number), units);
            }
            let processor = &mut host.processors[usize::from(task.processor)];
            *processor = now.max(*processor);
            let sender = &mut host.senders[usize::from(task.interface)];
            *sender = now.max(*sender);
            host.rank.done(id);
        }
        self.schedule(from, now);
    }

    /// When what an operation needs is free.
    fn free_at(&self, operation: &Operation) -> u64 {
        match operation.kind {
            Kind::Receive | Kind::End => 0,
            _ => self.queue_free_at(self.queue_of(operation)),
        }
    }

    /// Queues of a host: for each processor one of those that compute, and for each pair of a processor and an
    /// interface one of those that send and one of those that arrive.
    fn queue_of(&self, operation: &Operation) -> usize {
        let Resources {
            processors,
            interfaces,
        } = self.resources;
        let (count, task) = (usize::from(interfaces), &operation.task);
        let pair = usize::from(task.processor) * count + usize::from(task.interface);
        let pairs = usize::from(processors) * count;
        let within = match operation.kind {
            Kind::Send => pair,
            Kind::Arrive { .. } => pairs + pair,
            Kind::Compute | Kind::Receive | Kind::End => 2 * pairs + usize::from(task.processor),
        };
        operation.host as usize * queues_of_host(self.resources) + within
    }

    /// When what a queue is for is free.
    fn queue_free_at(&self, queue: usize) -> u64 {
        let Resources {
            processors,
            interfaces,
        } = self.resources;
        let count = usize::from(interfaces);
        let pairs = usize::from(processors) * count;
        let each = queues_of_host(self.resources);
        let (host, within) = (&self.hosts[queue / each], queue % each);
        if within >= 2 * pairs {
            return host.processors[within - 2 * pairs];
        }
        let pair = within % pairs;
        let interface = match within < pairs {
            true => host.senders[pair % count],
            false => host.receivers[pair % count],
        };
        interface.max(host.processors[pair / count])
    }

    fn end(mut self, program: &dyn Program) -> Replay {
        if let Some(scribe) = &mut self.scribe {
            scribe.finish();
        }
        let latest = |host: &Host| host.processors.iter().copied().max().unwrap_or(0);
        let finished: Vec<u64> = self.hosts.iter().map(latest).collect();
        let mut unreceived = Remarkable::default();
        for (rank, host) in (0..).zip(&self.hosts) {
            let messages = host.arrived.iter().map(Arrived::message);
            messages.for_each(|message| unreceived.note(rank, &message));
        }
        let is_done = self.hosts.iter().all(|host| host.rank.is_done());
        let is_told = |work: &Work| !matches!(work, Work::Proceed(_));
        let unfinished = |host: &Host| {
            let pending = host.rank.pending();
            pending.filter(|(_, task, _)| is_told(&task.work)).count() as u64
        };
        let left: u64 = self.hosts.iter().map(unfinished).sum();
        let all: u64 = self.hosts.iter().map(|host| host.rank.tasks()).sum();
        let stall = (!is_done).then(|| {
            let ranks = (0..).zip(&self.hosts);
            let blocked = ranks.filter(|(_, host)| !host.rank.is_done());
            let blocked = blocked.map(|(rank, host)| {
                let unmatched = host.arrived.iter().map(Arrived::message);
                Blocked::new(rank, &host.rank, unmatched.collect())
            });
            Stall::new(blocked.collect(), program)
        });
        Replay {
            finished,
            tasks: all - left,
            messages: self.messages,
            bytes: self.bytes,
            stall,
            unreceived,
            truncated: self.truncated,
        }
    }
}

impl Operation {
    /// What must be free for it.
    fn needs(&self) -> Vec<Unit> {
        let processor = Unit::Processor(self.task.processor);
        match self.kind {
            Kind::Send => vec![processor, Unit::Sender(self.task.interface)],
            Kind::Arrive { .. } => vec![processor, Unit::Receiver(self.task.interface)],
            Kind::Compute | Kind::Receive | Kind::End => vec![processor],
        }
    }
}

fn queues_of_host(resources: Resources) -> usize {
    let (processors, interfaces) = (
        usize::from(resources.processors),
        usize::from(resources.interfaces),
    );
    processors * (2 * interfaces + 1)
}
