//! Messages that come to a rank: in which order they count, and which receive takes them.
//!
//! Packets of adaptive networks overtake each other, messages of MPI do not: a message that comes before an earlier one of its sender
//! counts only after that.

use super::words::{Kind, NUMBERS, Words};
use rustc_hash::FxHashMap;
use turnwise_application::{Message, TaskId, Waiting};

/// Messages that have come in part or in whole and are not done.
#[derive(Default)]
pub(super) struct Incoming {
    /// By rank that messages come from, how many have counted, modulo `NUMBERS`. It is all that stays of a sender, because a rank may
    /// have as many as there are others.
    counted: FxHashMap<u32, u32>,
    /// Messages that came before their turn.
    early: FxHashMap<Key, Words>,
    messages: FxHashMap<Key, Coming>,
    /// Receives without a message, and messages without a receive.
    posted: Waiting<TaskId>,
    unexpected: Waiting<Key>,
}

struct Coming {
    /// Packets that are to come.
    left: u64,
    receive: Option<TaskId>,
    kind: Kind,
    words: Words,
}

/// What there is to do after something has come or was posted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Next {
    /// A receive has its whole message, of so many bytes.
    Received(TaskId, Key, u64),
    /// A message that was announced by a rank may come.
    Grant(u32, Words),
}

/// What a message is known by: its sender and its number.
pub(super) type Key = (u32, u32);

/// What a packet is of its message, of which it may be all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Came {
    /// Is it the first that came?
    pub(super) first: bool,
    /// Is it the last?
    pub(super) last: bool,
}

impl Incoming {
    /// A packet of a message of so many, or an announcement of them, has come from a rank; which of them it was. `None` if a message
    /// with its number waits for its receive: there are more than can be told apart.
    pub(super) fn came(
        &mut self,
        from: u32,
        words: Words,
        packets: u64,
        next: &mut Vec<Next>,
    ) -> Option<Came> {
        let key = (from, words.number);
        let known = self.messages.get(&key);
        let is_new = known.is_none();
        if known.is_some_and(|known| words.kind == Kind::Announcement || known.left == 0) {
            return None;
        }
        if is_new {
            let coming = Coming {
                left: packets,
                receive: None,
                kind: words.kind,
                words,
            };
            self.messages.insert(key, coming);
        }
        let came = match words.kind {
            Kind::Announcement => Came::default(),
            _ => self.packet(key, packets, next),
        };
        if is_new {
            self.count(from, words, next);
        }
        Some(came)
    }

    /// A receive is posted.
    pub(super) fn post(&mut self, receive: &Message, task: TaskId, next: &mut Vec<Next>) {
        match self.unexpected.take_by(receive) {
            Some(key) => self.matched(key, task, next),
            None => self.posted.add(receive, task),
        }
    }

    fn packet(&mut self, key: Key, packets: u64, next: &mut Vec<Next>) -> Came {
        let Some(coming) = self.messages.get_mut(&key) else {
            return Came::default();
        };
        let first = coming.left == packets;
        coming.left -= 1;
        let last = coming.left == 0;
        let bytes = coming.words.bytes;
        if let (true, Some(receive)) = (last, coming.receive) {
            self.messages.remove(&key);
            next.push(Next::Received(receive, key, bytes));
        }
        Came { first, last }
    }

    /// A message counts, if it is its turn, and those that have waited for it.
    fn count(&mut self, from: u32, words: Words, next: &mut Vec<Next>) {
        let counted = self.counted.get(&from).copied().unwrap_or(0);
        if words.number != counted {
            self.early.insert((from, words.number), words);
            return;
        }
        let (mut counted, mut turn) = (counted, Some(words));
        while let Some(words) = turn {
            self.offer(from, words, next);
            counted = (counted + 1) % NUMBERS;
            turn = match self.early.is_empty() {
                true => None,
                false => self.early.remove(&(from, counted)),
            };
        }
        self.counted.insert(from, counted);
    }

    fn offer(&mut self, from: u32, words: Words, next: &mut Vec<Next>) {
        let (message, key) = (words.message(from), (from, words.number));
        match self.posted.take_for(&message) {
            Some(task) => self.matched(key, task, next),
            None => self.unexpected.add(&message, key),
        }
    }

    fn matched(&mut self, key: Key, task: TaskId, next: &mut Vec<Next>) {
        let Some(coming) = self.messages.get_mut(&key) else {
            return;
        };
        coming.receive = Some(task);
        if coming.kind == Kind::Announcement {
            next.push(Next::Grant(key.0, coming.words));
        } else if coming.left == 0 {
            let bytes = coming.words.bytes;
            self.messages.remove(&key);
            next.push(Next::Received(task, key, bytes));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use turnwise_application::{Task, Window, Work};

    fn words(number: u32, bytes: u64) -> Words {
        Words::new(Kind::Eager, number, &Message::new(1, bytes, 0))
    }

    /// Three receives, whose tasks are told apart.
    fn tasks() -> [TaskId; 3] {
        let mut window = Window::default();
        [(); 3].map(|()| window.add(Task::new(Work::receive(0, 8, 0))))
    }

    #[test]
    fn what_overtakes_waits_for_its_turn() {
        let (mut incoming, mut next) = (Incoming::default(), Vec::new());
        let [first, second, third] = tasks();
        for task in [first, second, third] {
            incoming.post(&Message::new(0, 8, 0), task, &mut next);
        }
        incoming.came(0, words(2, 8), 1, &mut next);
        incoming.came(0, words(1, 8), 2, &mut next);
        assert_eq!(next, []);
        incoming.came(0, words(0, 8), 1, &mut next);
        // The second has come in part only.
        assert_eq!(
            next,
            [
                Next::Received(first, (0, 0), 8),
                Next::Received(third, (0, 2), 8)
            ]
        );
        incoming.came(0, words(1, 8), 2, &mut next);
        assert_eq!(next[2], Next::Received(second, (0, 1), 8));
    }

    #[test]
    fn numbers_go_round() {
        let (mut incoming, mut next) = (Incoming::default(), Vec::new());
        let [task, ..] = tasks();
        for number in 0..NUMBERS + 5 {
            incoming.came(0, words(number % NUMBERS, 8), 1, &mut next);
            incoming.post(&Message::new(0, 8, 0), task, &mut next);
        }
        assert_eq!(next.len() as u32, NUMBERS + 5);
    }

    #[test]
    fn more_messages_than_numbers_are_noticed() {
        for kind in [Kind::Eager, Kind::Announcement] {
            let (mut incoming, mut next) = (Incoming::default(), Vec::new());
            let mut came = |number| {
                let words = Words::new(kind, number, &Message::new(1, 8, 0));
                incoming.came(0, words, 1, &mut next)
            };
            assert!((0..NUMBERS).all(|number| came(number).is_some()));
            assert_eq!(came(0), None);
        }
    }
}
