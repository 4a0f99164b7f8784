//! What a packet says of its message: two words.

use turnwise_application::Message;
use turnwise_application::journal::{Cause, Note, Part};

/// What a packet is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Of a message that is sent at once.
    Eager,
    /// Announces a message.
    Announcement,
    /// The receiver of an announced message is ready.
    Grant,
    /// Of a message that was granted.
    Granted,
}

/// A packet's words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Words {
    pub(super) kind: Kind,
    /// Number of the message among those from its sender to its receiver, modulo `NUMBERS`.
    pub(super) number: u32,
    pub(super) tag: u32,
    pub(super) context: u32,
    pub(super) bytes: u64,
}

/// Numbers of messages between two ranks; no more are under way, or wait for their receives, at once.
pub(super) const NUMBERS: u32 = 1 << 20;
/// One more than the longest message, in bytes: four tebibytes.
pub(in super::super) const MOST_BYTES: u64 = 1 << 42;

impl Words {
    pub(super) fn new(kind: Kind, number: u32, message: &Message) -> Self {
        Self {
            kind,
            number,
            tag: message.tag,
            context: message.context,
            bytes: message.bytes,
        }
    }

    pub(super) fn encode(self) -> [u64; 2] {
        debug_assert!(self.bytes < MOST_BYTES);
        [
            u64::from(self.context) << 32 | u64::from(self.tag),
            self.bytes << 22 | u64::from(self.number) << 2 | self.kind as u64,
        ]
    }

    pub(super) fn decode([first, second]: [u64; 2]) -> Self {
        Self {
            kind: match second & 3 {
                0 => Kind::Eager,
                1 => Kind::Announcement,
                2 => Kind::Grant,
                _ => Kind::Granted,
            },
            number: (second >> 2) as u32 % NUMBERS,
            tag: first as u32,
            context: (first >> 32) as u32,
            bytes: second >> 22,
        }
    }

    fn part(self) -> Part {
        match self.kind {
            Kind::Announcement => Part::Announcement,
            Kind::Grant => Part::Grant,
            Kind::Eager | Kind::Granted => Part::Data,
        }
    }

    /// The cause of what follows when a packet with these words comes from a rank.
    pub(super) fn cause(self, from: u32) -> Cause {
        Cause::Came {
            from,
            number: self.number.into(),
            part: self.part(),
        }
    }

    /// That what they are of begins to leave for a rank.
    pub(super) fn leaves(self, to: u32) -> Note {
        Note::Leaves {
            to,
            number: self.number.into(),
            part: self.part(),
            bytes: self.bytes,
            after: 0,
        }
    }

    /// The message as its receiver sees it.
    pub(super) fn message(&self, from: u32) -> Message {
        Message {
            peer: from,
            tag: self.tag,
            context: self.context,
            bytes: self.bytes,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_come_back() {
        for kind in [Kind::Eager, Kind::Announcement, Kind::Grant, Kind::Granted] {
            for number in [0, 5, NUMBERS - 1] {
                let message = Message {
                    peer: 0,
                    tag: u32::MAX - 1,
                    context: 1 << 31 | 7,
                    bytes: MOST_BYTES - 1,
                };
                let words = Words::new(kind, number, &message);
                assert_eq!(Words::decode(words.encode()), words);
            }
        }
    }
}
