//! Terminals whose packets get their virtual channel when they are created, and wait for that very one: a source
//! queue for each virtual channel. SuperSim's are like that (McDonald et al., ISPASS 2018).
//!
//! A packet whose virtual channel is blocked keeps nobody waiting but those behind it in its own queue. Packets under way
//! are not interrupted; virtual channels that can begin one take turns.
//!
//! Of what an overloaded terminal has created only as much is stored as its blocked virtual channels hold back: a
//! terminal asks for its next packet when a virtual channel could begin one and has none.

use super::super::domain::Domain;
use super::super::packets::Words;
use super::super::wiring::NOWHERE;
use super::injection::{InjectionChannel, Launch};
use super::vc_queues::{Sender, VcQueues};
use turnwise_network::{TerminalId, Vc, VcSet};

impl<const ONE_WORD: bool, const PLAIN: bool> Domain<'_, ONE_WORD, PLAIN> {
    /// Lets every terminal with something to send put one flit on its injection channel.
    #[inline(never)]
    pub(super) fn inject_from(&mut self, queues: &mut VcQueues) {
        for word in 0..self.active_sources.len() as u32 {
            let mut bits = self.active_sources[word];
            while bits != 0 {
                let terminal = word * 64 + bits.trailing_zeros();
                bits &= bits - 1;
                self.inject_one(queues, terminal);
            }
        }
    }

    fn inject_one(&mut self, queues: &mut VcQueues, terminal: u32) {
        if !self.may_send(terminal) {
            return;
        }
        if queues.senders[terminal].slot == NOWHERE && !self.begin_one(queues, terminal) {
            return;
        }
        let (channel, vc) = (self.sources[terminal].channel, queues.senders[terminal].vc);
        if !self.send_flit(terminal, channel, vc) {
            return;
        }
        let sender = &mut queues.senders[terminal];
        sender.left -= 1;
        if sender.left > 0 {
            return;
        }
        sender.slot = NOWHERE;
        let (created, sleeps) = (sender.created, sender.waiting == 0);
        if !self.model.wait_for_tail_credit {
            self.sources[terminal].channel.free |= 1 << vc;
        }
        if created < self.window_end {
            self.early_sources -= 1;
        }
        if sleeps && !self.is_due(terminal) {
            self.active_sources[terminal / 64] &= !(1 << (terminal % 64));
        }
    }

    /// May the packet that was asked for last leave?
    fn is_due(&self, terminal: u32) -> bool {
        let created = self.sources[terminal].created;
        created <= self.now && self.leaves(created) <= self.now
    }

    /// Begins a packet of the next virtual channel that can.
    fn begin_one(&mut self, queues: &mut VcQueues, terminal: u32) -> bool {
        let able = self.able_vcs(terminal);
        while queues.lacks_packets(terminal, able) && self.is_due(terminal) {
            self.queue_present(queues, terminal);
        }
        let last = u32::from(queues.senders[terminal].vc);
        let after = able & (u32::MAX << last << 1);
        for mut set in [after, able & !after] {
            while set != 0 {
                let vc = set.trailing_zeros();
                set &= set - 1;
                if self.begin_on(queues, terminal, vc) {
                    return PLAIN
                        || self.model.routing_delay > 0
                        || self.decide(
                            self.sources[terminal].channel.router,
                            queues.senders[terminal].slot,
                        );
                }
            }
        }
        false
    }

    /// Virtual channels of the injection channel that no packet holds and that have credits.
    fn able_vcs(&self, terminal: u32) -> u32 {
        let free = VcSet(self.sources[terminal].channel.free & self.all_vcs);
        let credits = terminal << self.wiring.shift;
        let able = free
            .iter()
            .filter(|&vc| self.state.injection_credits[credits + u32::from(vc)] > 0);
        able.fold(0, |set, vc| set | 1 << vc)
    }

    /// Puts the packet that was asked for last into its queue, and asks for the next one.
    fn queue_present(&mut self, queues: &mut VcQueues, terminal: u32) {
        let launch = self.sources[terminal].launch();
        let vc = self.vc_to_wait_for(terminal, &launch);
        queues.queue(terminal, vc).push_back(launch);
        queues.senders[terminal].waiting += 1;
        self.next_packet(terminal, Some(launch.created));
    }

    /// The virtual channel that a packet sets out on; in turn, if it may do so on several.
    fn vc_to_wait_for(&mut self, terminal: u32, launch: &Launch) -> u32 {
        let start = self.starting(TerminalId(terminal), launch);
        // A packet that cannot go anywhere is noticed when it is launched.
        let vcs = start.map_or(1, |start| start.vcs.0 & self.all_vcs).max(1);
        if vcs.is_power_of_two() {
            return vcs.trailing_zeros();
        }
        let channel = &mut self.sources[terminal].channel;
        let later = vcs & (u32::MAX << channel.next_vc);
        let vc = if later != 0 { later } else { vcs }.trailing_zeros();
        channel.next_vc = (vc as Vc + 1) % self.model.virtual_channels;
        vc
    }

    /// Begins the first packet of a virtual channel, if there is one and credits for it.
    fn begin_on(&mut self, queues: &mut VcQueues, terminal: u32, vc: u32) -> bool {
        let Some(&launch) = queues.queue(terminal, vc).front() else {
            return false;
        };
        let channel = self.sources[terminal].channel;
        let only = InjectionChannel {
            free: channel.free & 1 << vc,
            ..channel
        };
        let Some((slot, vc)) = self.launch(terminal, only, launch) else {
            return false;
        };
        if self.marks {
            self.state.packets.write(slot, Words::default());
        }
        self.sources[terminal].channel.free &= !(1 << vc);
        queues.queue(terminal, vc.into()).pop_front();
        let waiting = queues.senders[terminal].waiting - 1;
        queues.senders[terminal] = Sender {
            slot,
            left: launch.flits,
            vc,
            created: launch.created,
            waiting,
        };
        true
    }
}
