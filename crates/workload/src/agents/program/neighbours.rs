//! Ranks that share a terminal, and what they hand to each other through its memory.

use super::host::Host;
use super::words::{Kind, Words};
use std::collections::VecDeque;
use turnwise_application::journal::{Cause, Note, Part};
use turnwise_application::{Message as OfRank, TaskId};
use turnwise_network::{Agent, Event, Outbox};

/// Several ranks at a terminal.
pub(super) struct Neighbours {
    hosts: Vec<Host>,
    /// What was handed over and has not been noticed: who has, for whom, and what.
    handed: VecDeque<(u32, u8, Words)>,
}

impl Neighbours {
    /// These, in the order of their ranks.
    pub(super) fn new(hosts: Vec<Host>) -> Self {
        Self {
            hosts,
            handed: VecDeque::new(),
        }
    }

    /// Has one of them do something, and sees to what it wants done.
    fn with(&mut self, party: u8, out: &mut Outbox, act: impl FnOnce(&mut Host, &mut Outbox)) {
        let timers = out.timers.len();
        out.party = party;
        let host = &mut self.hosts[usize::from(party)];
        act(host, out);
        out.party = 0;
        let all = self.hosts.len() as u32;
        for (_, timer) in &mut out.timers[timers..] {
            *timer = *timer * all + u32::from(party);
        }
        let host = &mut self.hosts[usize::from(party)];
        let residents = &host.common.residents;
        let handed = host.handed.drain(..);
        self.handed
            .extend(handed.map(|(to, words)| (host.me, residents.party(to), words)));
    }
}

impl Agent for Neighbours {
    fn on(&mut self, event: Event, now: u64, out: &mut Outbox) {
        let all = self.hosts.len() as u32;
        match event {
            Event::Start => {
                for party in 0..=(all - 1) as u8 {
                    self.with(party, out, |host, out| host.on(event, now, out));
                }
            }
            Event::Timer(timer) => {
                let (party, event) = ((timer % all) as u8, Event::Timer(timer / all));
                self.with(party, out, |host, out| host.on(event, now, out));
            }
            Event::Sent { party, .. }
            | Event::Arrived {
                parties: [_, party],
                ..
            } => self.with(party, out, |host, out| host.on(event, now, out)),
        }
        while let Some((from, party, words)) = self.handed.pop_front() {
            self.with(party, out, |host, out| host.notice(from, words, now, out));
        }
    }

    fn failure(&self) -> Option<String> {
        self.hosts.iter().find_map(Agent::failure)
    }

    fn waits(&self) -> Vec<String> {
        let busy = self.hosts.iter().filter(|host| !host.is_done());
        busy.flat_map(Agent::waits).collect()
    }

    fn is_done(&self) -> bool {
        self.hosts.iter().all(Agent::is_done)
    }
}

impl Host {
    /// Is another rank at the same terminal?
    pub(super) fn shares(&self, other: u32) -> bool {
        other != self.me && self.common.residents.share(self.me, other)
    }

    /// A message for another rank of this terminal has been copied into memory that both share, or waits to be copied.
    pub(super) fn hand_over(
        &mut self,
        task: TaskId,
        number: u32,
        message: OfRank,
        out: &mut Outbox,
    ) {
        let to = message.peer;
        match self.common.is_announced(message.bytes) {
            true => {
                if self.announce(to, number, task, message) {
                    self.hand(to, Words::new(Kind::Announcement, number, &message), out);
                }
            }
            false => {
                self.hand(to, Words::new(Kind::Eager, number, &message), out);
                self.left(to, number, out);
                self.rank.done(task);
            }
        }
    }

    /// A message that another rank of this terminal has announced is wanted: it is there.
    pub(super) fn take(&mut self, from: u32, words: Words, out: &mut Outbox) {
        let words = Words {
            kind: Kind::Granted,
            ..words
        };
        self.came(from, words, 1, out);
    }

    /// It has been copied, so its sender may go on.
    pub(super) fn taken(&mut self, from: u32, number: u32, bytes: u64, out: &mut Outbox) {
        let message = OfRank::new(from, bytes, 0);
        self.hand(from, Words::new(Kind::Grant, number, &message), out);
    }

    fn hand(&mut self, to: u32, words: Words, out: &mut Outbox) {
        let handed = Note::Leaves {
            to,
            number: words.number.into(),
            part: part(words.kind),
            bytes: words.bytes,
            after: 0,
        };
        self.diary.note(handed, out);
        self.handed.push((to, words));
    }

    fn left(&mut self, to: u32, number: u32, out: &mut Outbox) {
        let (number, after) = (number.into(), 0);
        self.diary.note(Note::Left { to, number, after }, out);
    }

    /// Another rank of this terminal has handed something over.
    fn notice(&mut self, from: u32, words: Words, now: u64, out: &mut Outbox) {
        let number = words.number.into();
        let part = part(words.kind);
        self.diary
            .may_begin(now, Cause::Came { from, number, part });
        match words.kind {
            Kind::Grant => {
                if let Some((task, _)) = self.announced.remove(&(from, words.number)) {
                    self.left(from, words.number, out);
                    self.rank.done(task);
                }
            }
            _ => {
                self.came(from, words, 1, out);
            }
        }
        self.work(now, out);
    }
}

/// What a journal calls it. Nothing leaves the terminal, so that it is no more than a word from one to the other.
fn part(kind: Kind) -> Part {
    match kind {
        Kind::Grant => Part::Grant,
        _ => Part::Announcement,
    }
}
