//! Messages that leave a rank, packet by packet, a few at a time, so that a message of a terabyte takes no more room
//! than one of a kilobyte.

use super::Common;
use super::words::Words;
use std::collections::VecDeque;
use turnwise_application::TaskId;
use turnwise_network::{Message, Outbox};

/// Messages that have not left whole.
#[derive(Default)]
pub(super) struct Outgoing {
    queue: VecDeque<Leaving>,
    /// Have packets been sent whose leaving has not been told?
    is_waiting: bool,
}

/// A message on its way out.
pub(super) struct Leaving {
    pub(super) to: u32,
    pub(super) words: Words,
    /// Packets that have not been sent.
    pub(super) left: u64,
    /// The task that is done when all have left.
    pub(super) task: Option<TaskId>,
}

/// So many packets are sent at once.
const AT_ONCE: u64 = 8;
/// So many messages are buffered. Whoever has more on their way out is done with a further one when it has left: a rank that hears of nobody
/// would else be through with a program of any length at once.
const BUFFERED: usize = 4096;

impl Outgoing {
    pub(super) fn add(&mut self, leaving: Leaving) {
        self.queue.push_back(leaving);
    }

    pub(super) fn is_full(&self) -> bool {
        self.queue.len() >= BUFFERED
    }

    pub(super) fn is_empty(&self) -> bool {
        self.queue.is_empty()
    }

    /// Sends what may be sent; the message that begins to leave with that, if one does.
    pub(super) fn send(
        &mut self,
        common: &Common,
        me: u32,
        out: &mut Outbox,
    ) -> Option<(u32, Words)> {
        if self.is_waiting {
            return None;
        }
        let leaving = self.queue.front_mut()?;
        self.is_waiting = true;
        let begins = leaving.left == common.packets(leaving.words.bytes);
        let [tag, note] = leaving.words.encode();
        let destination = common.residents.terminal(leaving.to);
        let parties = common.parties(me, leaving.to);
        for number in (0..leaving.left.min(AT_ONCE)).rev() {
            out.send(Message {
                destination,
                flits: common.packet(leaving.words.bytes, leaving.left),
                class: 0,
                tag,
                note,
                not_before: 0,
                report_sent: number == 0,
                parties,
            });
            leaving.left -= 1;
        }
        begins.then_some((leaving.to, leaving.words))
    }

    /// What was sent has left; the message that has left whole with that.
    pub(super) fn left(&mut self) -> Option<Leaving> {
        self.is_waiting = false;
        let is_out = self.queue.front().is_some_and(|leaving| leaving.left == 0);
        if is_out { self.queue.pop_front() } else { None }
    }
}
