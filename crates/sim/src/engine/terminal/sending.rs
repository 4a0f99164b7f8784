//! How messages leave terminals with agents: at most one flit a cycle and terminal.
//!
//! Each message class has a queue of its own. A class that has begun a packet goes on with it as long as it can, otherwise
//! the classes take turns.

use super::super::domain::Domain;
use super::super::packets::Words;
use super::super::wiring::NOWHERE;
use super::injection::Launch;
use super::outlets::{Outlets, Sender, Waiting};
use turnwise_network::{Mark, Message};

impl<const ONE_WORD: bool, const PLAIN: bool> Domain<'_, ONE_WORD, PLAIN> {
    /// Lets every terminal with something to send put one flit on its injection channel.
    #[inline(never)]
    pub(super) fn send_messages(&mut self) {
        for word in 0..self.active_sources.len() as u32 {
            let mut bits = self.active_sources[word];
            while bits != 0 {
                let terminal = word * 64 + bits.trailing_zeros();
                bits &= bits - 1;
                self.send_of(terminal);
            }
        }
    }

    #[inline(always)]
    fn outlets(&mut self) -> Option<&mut Outlets> {
        Some(&mut self.agents.as_mut()?.outlets)
    }

    #[inline(always)]
    fn send_of(&mut self, terminal: u32) {
        if !self.may_send(terminal) {
            return;
        }
        let Some(outlets) = self.outlets() else {
            return;
        };
        let turn = outlets.turns[terminal];
        if outlets.senders[turn].slot == NOWHERE || !self.go_on(terminal, turn) {
            self.send_another(terminal, turn);
        }
    }

    /// Sends the next flit of a packet that is under way, if there is a credit for it.
    #[inline(always)]
    fn go_on(&mut self, terminal: u32, sender: u32) -> bool {
        let Some(outlets) = self.outlets() else {
            return false;
        };
        let (channel, vc) = (outlets.channels[terminal], outlets.senders[sender].vc);
        if !self.send_flit(terminal, channel, vc) {
            return false;
        }
        if let Some(outlets) = self.outlets() {
            let left = &mut outlets.senders[sender].left;
            *left -= 1;
            if *left == 0 {
                self.message_left(terminal, sender);
            }
        }
        true
    }

    /// Sends a flit of another class, or of the next packet of the same one, if one can go.
    #[inline(never)]
    fn send_another(&mut self, terminal: u32, last: u32) {
        let Some(outlets) = self.outlets() else {
            return;
        };
        let senders = outlets.of(terminal);
        let mut sender = last;
        for _ in senders.clone() {
            sender += 1;
            if sender == senders.end {
                sender = senders.start;
            }
            let sends = match self.is_under_way(sender) {
                true => sender != last && self.go_on(terminal, sender),
                false => self.begin_message(terminal, sender) && self.go_on(terminal, sender),
            };
            if sends {
                if let Some(outlets) = self.outlets() {
                    outlets.turns[terminal] = sender;
                }
                return;
            }
        }
    }

    fn is_under_way(&mut self, sender: u32) -> bool {
        let outlets = self.outlets();
        outlets.is_some_and(|outlets| outlets.senders[sender].slot != NOWHERE)
    }

    /// Gives the first message of a class a virtual channel of the injection channel, if one is free.
    fn begin_message(&mut self, terminal: u32, sender: u32) -> bool {
        let Some(outlets) = self.outlets() else {
            return false;
        };
        let channel = outlets.channels[terminal];
        let Some(&waiting) = outlets.queues[sender].front() else {
            return false;
        };
        let Waiting {
            message,
            created,
            sequence,
        } = waiting;
        if self.leaves(created) > self.now {
            return false;
        }
        let launch = Launch {
            destination: message.destination,
            created,
            sequence,
            flits: message.flits,
            class: message.class,
        };
        let Some((slot, vc)) = self.launch(terminal, channel, launch) else {
            return false;
        };
        let words = Words {
            tag: message.tag,
            note: message.note,
            mark: Mark::default(),
            class: message.class,
            parties: message.parties,
        };
        self.state.packets.write(slot, words);
        let vcs = self.model.virtual_channels;
        if let Some(outlets) = self.outlets() {
            outlets.channels[terminal].take(vc, vcs);
            outlets.senders[sender] = Sender {
                slot,
                left: message.flits,
                vc,
            };
        }
        PLAIN || self.model.routing_delay > 0 || self.decide(channel.router, slot)
    }

    /// The last flit of a message has left.
    fn message_left(&mut self, terminal: u32, sender: u32) {
        let keeps_channel = !PLAIN && self.model.wait_for_tail_credit;
        let Some(agents) = &mut self.agents else {
            return;
        };
        let outlets = &mut agents.outlets;
        let vc = outlets.senders[sender].vc;
        if !keeps_channel {
            outlets.channels[terminal].free |= 1 << vc;
        }
        outlets.senders[sender].slot = NOWHERE;
        let queue = &mut outlets.queues[sender];
        if let Some(waiting) = queue.pop_front()
            && waiting.message.report_sent
        {
            let Message { tag, parties, .. } = waiting.message;
            agents.left.push((terminal, tag, parties[0]));
        }
        if queue.is_empty() && agents.outlets.is_empty(terminal) {
            self.active_sources[terminal / 64] &= !(1 << (terminal % 64));
        }
    }
}
