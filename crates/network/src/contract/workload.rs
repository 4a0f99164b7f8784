//! Traffic that answers: the interface between closed-loop workloads and the simulator.
//!
//! Beside the open-loop [`Injector`](super::traffic::Injector), whose packets do not depend on what arrives: here every
//! terminal has an [`Agent`], which is told what has happened at its terminal and says what is to be sent.
//! An agent knows nothing but what it was told, so it can be simulated wherever its router is.
//!
//! A message is one packet. Agents cut what is longer into pieces.
//!
//! # Message classes
//! Messages belong to *classes*, such as requests and replies. Each class has a queue of its own at every
//! terminal, so that one never waits at its source behind another. A terminal may leave messages of a class waiting in the network
//! until it has sent others ([`Workload::answers`]). If these need the same buffers, terminals can wait for
//! each other in a circle, a *protocol deadlock*, which no routing can prevent. A routing keeps
//! classes apart if it gives them different virtual channels ([`Routing::starts`](super::routing::Routing::starts)). Source: Dally
//! and Towles, *Principles and Practices of Interconnection Networks*, section 14.1.3.

use super::sensing::Mark;
use crate::ids::TerminalId;

/// A message, which is one packet, that an agent sends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Message {
    /// Where it goes; may be the sender itself.
    pub destination: TerminalId,
    /// Its length, at least 1, at most [`Workload::longest_packet`].
    pub flits: u16,
    /// Its class, below [`Workload::classes`].
    pub class: u8,
    /// What the agents want to know of it; nobody else looks at it.
    pub tag: u64,
    /// More of that.
    pub note: u64,
    /// It is created in this cycle, or at once if that is over.
    pub not_before: u64,
    /// Is the sender told when its last flit has left ([`Event::Sent`])?
    pub report_sent: bool,
    /// Where several share a terminal: which of them sends it, and for which of those at its destination it is. Nobody but the agents
    /// looks at it.
    pub parties: [u8; 2],
}

/// What an agent is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// The run begins.
    Start,
    /// A timer that it has set rings.
    Timer(u32),
    /// The last flit of a message has left for the network, and the message said that it shall be
    /// [reported](Message::report_sent).
    Sent {
        /// The message's tag.
        tag: u64,
        /// Which of those who share the terminal has sent it.
        party: u8,
    },
    /// The last flit of a message has come.
    Arrived {
        /// Who has sent it.
        from: TerminalId,
        /// Its tag.
        tag: u64,
        /// Its note.
        note: u64,
        /// Its length.
        flits: u16,
        /// Its class.
        class: u8,
        /// What routers have written on it.
        mark: Mark,
        /// Its [parties](Message::parties).
        parties: [u8; 2],
    },
}

/// What an agent wants done, in the order in which it said so.
#[derive(Clone, Debug, Default)]
pub struct Outbox {
    /// Messages to send. Those of one class that are created in the same cycle leave in this order.
    pub messages: Vec<Message>,
    /// Timers to ring: the cycle, later than now, and what [`Event::Timer`] shall say.
    pub timers: Vec<(u64, u32)>,
    /// Transactions that are complete, such as a request with its reply: the cycle in which each began.
    pub transactions: Vec<u64>,
    /// What the agent wants to be known of what it did, for whoever keeps a journal of it; nobody else looks at it. One for each of
    /// those who share its terminal; none if nobody keeps any.
    pub journals: Vec<Vec<u8>>,
    /// Which of those who share the terminal is at work.
    pub party: u8,
}

impl Outbox {
    /// Sends a message.
    pub fn send(&mut self, message: Message) {
        self.messages.push(message);
    }

    /// Has a timer ring in a cycle, in the next one if that is over.
    pub fn ring(&mut self, at: u64, timer: u32) {
        self.timers.push((at, timer));
    }

    /// Reports that what began in a cycle is complete, for the statistics.
    pub fn complete(&mut self, since: u64) {
        self.transactions.push(since);
    }

    /// The journal of who is at work, if somebody keeps it.
    pub fn journal(&mut self) -> Option<&mut Vec<u8>> {
        self.journals.get_mut(usize::from(self.party))
    }

    /// Forgets everything but the journals.
    pub fn clear(&mut self) {
        self.messages.clear();
        self.timers.clear();
        self.transactions.clear();
    }
}

/// What a terminal does: a state machine, which does the same whenever it is told the same.
///
/// In a cycle it is told first which of its messages left in the cycle before, as far as it asked for that, then what has arrived, then which
/// timers ring. What it sends at once may begin to leave in the same cycle.
pub trait Agent: Send {
    /// Takes notice of an event of cycle `now`.
    fn on(&mut self, event: Event, now: u64, out: &mut Outbox);

    /// Has it nothing left to do, unless something arrives? Timers of such an agent do not ring.
    fn is_done(&self) -> bool;

    /// Why it does nothing any more, if it has come to something that it cannot do; then it is never done.
    fn failure(&self) -> Option<String> {
        None
    }

    /// What it waits for, in words, each thing or each of those who share its terminal for itself; asked when nothing is under way
    /// any more and it is not done.
    fn waits(&self) -> Vec<String> {
        Vec::new()
    }

    /// Will it take up another message of this class now, beside `coming` ones that have begun to come in?
    ///
    /// If not, the message waits in the network, and the agent is asked again after every event of its own. Only
    /// asked where the workload has [`answers`](Workload::answers); must always be yes for classes that no
    /// answer names first.
    fn takes(&self, class: u8, coming: u32) -> bool {
        let _ = (class, coming);
        true
    }
}

/// Something of what a terminal will send, from all over what it does.
#[derive(Clone, Debug, Default)]
pub struct Foreseen {
    /// Some packets: where they go, and how many flits each has.
    pub packets: Vec<(TerminalId, f64)>,
    /// Messages that have been looked at.
    pub messages: u64,
    /// Flits that these have together.
    pub flits: u64,
}

impl Foreseen {
    /// Takes in what another one knows.
    pub fn add(&mut self, other: Self) {
        self.packets.extend(other.packets);
        self.messages += other.messages;
        self.flits += other.flits;
    }
}

/// Agents for the terminals of a network.
pub trait Workload: Send + Sync {
    /// The agent of a living terminal, as it is before the run.
    fn agent(&self, at: TerminalId) -> Box<dyn Agent>;

    /// The longest message that any agent ever sends, in flits.
    fn longest_packet(&self) -> u16;

    /// How many classes messages belong to.
    fn classes(&self) -> u8 {
        1
    }

    /// Which messages may wait for which: `(received, sent)` if terminals may leave messages of class
    /// `received` in the network until they have sent some of class `sent`. None by default: every message is taken up as it comes.
    fn answers(&self) -> &[(u8, u8)] {
        &[]
    }

    /// Something of what a terminal's agent will send, with as many packets as are asked for or fewer. `None` if only what arrives says so.
    fn foreseen(&self, at: TerminalId, most: usize) -> Option<Foreseen> {
        let _ = (at, most);
        None
    }

    /// Bytes of memory that all agents take, where it is much.
    fn memory_bytes(&self) -> u64 {
        0
    }
}
