//! Journals of a replay: what hosts do, and what each thing waited for last.
//!
//! A thing that is performed waited until it came up, or until the last of what it needs was free: of those times one is
//! now, and whatever made it so is the cause.

use crate::journal::{Cause, Doing, Journals, NOT_YET, Note, Page, Part};
use crate::script::Resources;
use crate::task::Message;
use crate::window::TaskId;
use rustc_hash::FxHashMap;

/// What writes the journals of all hosts.
pub(super) struct Scribe<'a> {
    journals: &'a Journals,
    resources: Resources,
    hosts: Vec<Desk>,
    /// By operation, how it came up.
    origins: Vec<Origin>,
}

/// A host's journal as it is written.
#[derive(Default)]
struct Desk {
    page: Page,
    /// Turns so far.
    turns: u64,
    /// When the last of them was.
    time: u64,
    /// By unit: the turn that says until when it is busy, and that time.
    units: Vec<(u64, u64)>,
    /// By receive, when it was posted.
    posted: FxHashMap<TaskId, u64>,
    /// Messages that were sent.
    messages: u64,
}

/// How an operation came up.
#[derive(Clone, Copy, Default)]
struct Origin {
    time: u64,
    /// The turn that it waited for.
    turn: u64,
    /// The sender's number of the message that arrives with it.
    number: u64,
}

/// A processor or an interface of a host.
#[derive(Clone, Copy)]
pub(super) enum Unit {
    Processor(u8),
    Sender(u8),
    Receiver(u8),
}

impl<'a> Scribe<'a> {
    pub(super) fn new(journals: &'a Journals, hosts: u32, resources: Resources) -> Self {
        let units = usize::from(resources.processors) + 2 * usize::from(resources.interfaces);
        let desk = || Desk {
            units: vec![(0, 0); units],
            ..Desk::default()
        };
        Self {
            journals,
            resources,
            hosts: (0..hosts).map(|_| desk()).collect(),
            origins: Vec::new(),
        }
    }

    fn unit(&self, unit: Unit) -> usize {
        let Resources {
            processors,
            interfaces,
        } = self.resources;
        let (processors, interfaces) = (usize::from(processors), usize::from(interfaces));
        match unit {
            Unit::Processor(number) => usize::from(number),
            Unit::Sender(number) => processors + usize::from(number),
            Unit::Receiver(number) => processors + interfaces + usize::from(number),
        }
    }

    /// A turn of a host begins.
    pub(super) fn turn(&mut self, host: u32, time: u64, cause: Cause) {
        let desk = &mut self.hosts[host as usize];
        desk.page.turned(self.journals, host);
        desk.turns += 1;
        desk.time = time;
        desk.page.note(Note::Turn { time, cause });
    }

    /// The same, of an operation that needs these units.
    pub(super) fn performs(&mut self, host: u32, operation: u32, time: u64, needs: &[Unit]) {
        let origin = self.origins[operation as usize];
        let of_unit = |unit: &Unit| self.hosts[host as usize].units[self.unit(*unit)];
        let freed = needs.iter().map(of_unit).find(|(_, until)| *until == time);
        let turn = match freed {
            Some((turn, _)) if origin.time < time => turn,
            _ => origin.turn,
        };
        let turns = self.hosts[host as usize].turns;
        self.turn(host, time, Cause::Since(turns - turn));
    }

    /// The same, of a message that arrives.
    pub(super) fn arrives(
        &mut self,
        (host, from): (u32, u32),
        operation: u32,
        time: u64,
        needs: &[Unit],
    ) {
        let origin = self.origins[operation as usize];
        if origin.time < time {
            return self.performs(host, operation, time, needs);
        }
        let number = origin.number;
        let part = Part::Data;
        self.turn(host, time, Cause::Came { from, number, part });
    }

    /// An operation has come up in the last turn of a host, for a time at which one of these units will be free, if it is later.
    pub(super) fn comes_up(&mut self, host: u32, operation: u32, time: u64, needs: &[Unit]) {
        let desk = &self.hosts[host as usize];
        let of_unit = |unit: &Unit| desk.units[self.unit(*unit)];
        let freed = needs.iter().map(of_unit).find(|(_, until)| *until == time);
        let turn = match freed {
            Some((turn, _)) if desk.time < time => turn,
            _ => desk.turns - 1,
        };
        let number = desk.messages;
        self.put(operation, Origin { time, turn, number });
    }

    fn put(&mut self, operation: u32, origin: Origin) {
        let operation = operation as usize;
        if self.origins.len() <= operation {
            self.origins.resize(operation + 1, Origin::default());
        }
        self.origins[operation] = origin;
    }

    /// The number of the message that arrives with an operation.
    pub(super) fn number(&self, operation: u32) -> u64 {
        self.origins[operation as usize].number
    }

    /// A unit of a host is busy from the turn on that is under way.
    pub(super) fn busy(&mut self, host: u32, unit: Unit, doing: Doing, time: u64) {
        let number = self.unit(unit);
        let desk = &mut self.hosts[host as usize];
        desk.units[number] = (desk.turns - 1, desk.time.saturating_add(time));
        desk.page.note(Note::Busy {
            unit: number as u16,
            doing,
            time,
        });
    }

    /// A host sends a message, which leaves after a time; or when its receiver wants it, and is only announced until then.
    pub(super) fn sends(&mut self, host: u32, message: &Message, after: u64, is_announced: bool) {
        let desk = &mut self.hosts[host as usize];
        desk.messages += 1;
        let Message {
            peer: to,
            tag,
            context,
            bytes,
        } = *message;
        let number = desk.messages;
        desk.page.note(Note::Posted {
            to,
            number,
            tag,
            context,
            bytes,
            ago: 0,
        });
        desk.page.note(Note::Leaves {
            to,
            number,
            part: Part::Data,
            bytes,
            after,
        });
        let after = if is_announced { NOT_YET } else { after };
        desk.page.note(Note::Left { to, number, after });
    }

    /// A receive of a host is posted.
    pub(super) fn posts(&mut self, host: u32, receive: TaskId) {
        let desk = &mut self.hosts[host as usize];
        desk.posted.insert(receive, desk.time);
    }

    /// A message has come to a host.
    pub(super) fn whole(&mut self, host: u32, from: u32, number: u64) {
        let desk = &mut self.hosts[host as usize];
        desk.page.note(Note::Whole { from, number });
    }

    /// A receive of a host has its message, and is done at a time.
    pub(super) fn received(
        &mut self,
        host: u32,
        receive: TaskId,
        (from, number): (u32, u64),
        until: u64,
    ) {
        let desk = &mut self.hosts[host as usize];
        let posted = desk.posted.remove(&receive).unwrap_or(desk.time);
        desk.page.note(Note::Received {
            from,
            number,
            ago: desk.time - posted,
            after: until - desk.time,
        });
    }

    /// A host lets the sender of a message go on, whose units are free now unless they are busy.
    pub(super) fn grants(&mut self, host: u32, (to, number): (u32, u64), units: [Unit; 2]) {
        let desk = &mut self.hosts[host as usize];
        let now = desk.time;
        let part = Part::Grant;
        desk.page.note(Note::Leaves {
            to,
            number,
            part,
            bytes: 0,
            after: 0,
        });
        let from = host;
        self.turn(to, now, Cause::Came { from, number, part });
        self.hosts[to as usize].page.note(Note::Left {
            to: host,
            number,
            after: 0,
        });
        for unit in units.map(|unit| self.unit(unit)) {
            let desk = &mut self.hosts[to as usize];
            if desk.units[unit].1 <= now {
                desk.units[unit] = (desk.turns - 1, now);
            }
        }
    }

    /// All is over: hosts are busy until their processors are free.
    pub(super) fn finish(&mut self) {
        for host in 0..self.hosts.len() as u32 {
            let desk = &self.hosts[host as usize];
            let processors = &desk.units[..usize::from(self.resources.processors)];
            if let Some(&(turn, until)) = processors.iter().max_by_key(|(_, until)| *until)
                && until > desk.time
            {
                self.turn(host, until, Cause::Since(desk.turns - turn));
            }
            let desk = &mut self.hosts[host as usize];
            desk.page.close(self.journals, host);
        }
    }
}
