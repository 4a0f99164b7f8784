//! Messages that leave a rank, packet by packet, a few at a time, so that a message of a terabyte takes no more room
//! than one of a kilobyte.

use super::Common;
use super::words::Words;
use std::collections::VecDeque;
use turnwise_application::TaskId;
use turnwise_network::{Message, Outbox, TerminalId};

/// Messages that have not left whole.
#[derive(Default)]
pub(super) struct Outgoing {
    queue: VecDeque<Leaving>,
    /// Have packets been sent whose leaving has not been told?
    is_waiting: bool,
}

/// A message on its way out.
pub(super) struct Leaving {
    pub(super) to: TerminalId,
    pub(super) words: Words,
    /// Packets that have not been sent.
    pub(super) left: u64,
    /// The task that is done when all have left.
    pub(super) task: Option<TaskId>,
}

/// So many packets are sent at once.
const AT_ONCE: u64 = 8;

impl Outgoing {
    pub(super) fn add(&mut self, leaving: Leaving) {
        self.queue.push_back(leaving);
    }

    pub(super) fn is_empty(&self) -> bool {
        self.queue.is_empty()
    }

    /// Sends what may be sent.
    pub(super) fn send(&mut self, common: &Common, out: &mut Outbox) {
        let Some(leaving) = self.queue.front_mut() else {
            return;
        };
        if self.is_waiting {
            return;
        }
        self.is_waiting = true;
        let [tag, note] = leaving.words.encode();
        for number in (0..leaving.left.min(AT_ONCE)).rev() {
            out.send(Message {
                destination: leaving.to,
                flits: common.packet(leaving.words.bytes, leaving.left),
                class: 0,
                tag,
                note,
                not_before: 0,
                report_sent: number == 0,
            });
            leaving.left -= 1;
        }
    }

    /// What was sent has left; the task that is done with that.
    pub(super) fn left(&mut self) -> Option<TaskId> {
        self.is_waiting = false;
        let is_out = self.queue.front().is_some_and(|leaving| leaving.left == 0);
        if !is_out {
            return None;
        }
        self.queue.pop_front().and_then(|leaving| leaving.task)
    }
}
