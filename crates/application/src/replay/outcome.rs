//! What comes out of a replay.

use crate::stall::{Stall, label};
use crate::task::Message;

/// How a replay went.
#[derive(Clone, Debug, PartialEq)]
pub struct Replay {
    /// When each rank's processors were free for good, in picoseconds.
    pub finished: Vec<u64>,
    /// Tasks that were done.
    pub tasks: u64,
    /// Messages that were sent.
    pub messages: u64,
    /// Bytes that were sent.
    pub bytes: u64,
    /// Who waits for what for ever, if not everything was done.
    pub stall: Option<Stall>,
    /// Messages that no receive has taken.
    pub unreceived: Remarkable,
    /// Messages that are longer than what the receive that took them says, if it says anything. MPI calls that truncation.
    pub truncated: Remarkable,
}

/// Messages of which something is to be said.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Remarkable {
    /// How many there are.
    pub count: u64,
    /// The first of them as its sender sees it, and the rank that sends it.
    pub first: Option<(u32, Message)>,
}

impl Remarkable {
    /// Takes note of a message to a rank, as that sees it.
    pub(super) fn note(&mut self, to: u32, message: &Message) {
        self.count += 1;
        let as_sent = Message {
            peer: to,
            ..*message
        };
        self.first.get_or_insert((message.peer, as_sent));
    }

    /// What is strange about them, and about which of them; nothing if there are none.
    pub fn words(&self, what: &str) -> Option<String> {
        let (from, message) = self.first.as_ref()?;
        let (is, which) = match self.count {
            1 => ("1 message is".to_owned(), "that"),
            count => (format!("{count} messages are"), "one of them"),
        };
        let (to, label) = (message.peer, label(message, None));
        Some(format!(
            "{is} {what}, {which} of rank {from} to rank {to}{label}"
        ))
    }
}

impl Replay {
    /// When the last rank had finished, in picoseconds.
    pub fn makespan(&self) -> u64 {
        self.finished.iter().copied().max().unwrap_or(0)
    }

    /// A rank whose time has come to its end, at 2^64 picoseconds, if there is one: no time of such a replay means anything.
    pub fn out_of_time(&self) -> Option<u32> {
        let is_over = |&(_, &finished): &(u32, &u64)| finished == u64::MAX;
        let over = (0..).zip(&self.finished).find(is_over);
        over.map(|(rank, _)| rank)
    }
}
