//! What is put on a channel, and when: pause frames first, then notifications, then frames whose priority is not paused.

use super::agenda::Event;
use super::fabric::{Control, Fabric};
use super::frames::NOWHERE;

impl Fabric<'_> {
    /// Puts the next frame on a channel, if it is free and there is one.
    #[inline]
    pub(super) fn kick(&mut self, channel: u32) {
        let sender = &mut self.senders[channel as usize];
        if sender.is_busy {
            return;
        }
        if let Some(control) = sender.control.pop_front() {
            self.send_control(channel, control);
            return;
        }
        let frame = match self.links[channel].from_router {
            NOWHERE => self.next_of_adapter(self.links[channel].terminal),
            _ => self.next_of_switch(channel),
        };
        if let Some(frame) = frame {
            self.put(channel, frame);
        }
    }

    /// The next frame of a switch's queues for a channel, its priorities in turn.
    #[inline]
    fn next_of_switch(&mut self, channel: u32) -> Option<u32> {
        let sender = &mut self.senders[channel as usize];
        let may = sender.waiting & !sender.paused;
        if may == 0 {
            if sender.waiting != 0 && sender.stopped.is_none() {
                sender.stopped = Some(self.now);
            }
            return None;
        }
        let later = may & (u32::MAX << sender.turn << 1);
        let priority = if later != 0 { later } else { may }.trailing_zeros() as u8;
        sender.turn = priority;
        let place = channel as usize * self.priorities + usize::from(priority);
        let queue = &mut self.queues[place];
        let frame = queue.pop(&self.frames);
        if queue.is_empty() {
            sender.waiting &= !(1 << priority);
        }
        frame
    }

    /// A frame begins to leave by a channel.
    #[inline]
    fn put(&mut self, channel: u32, slot: u32) {
        let link = self.links[channel];
        let flits = self.frames.get(slot).flits;
        let sender = &mut self.senders[channel as usize];
        sender.is_busy = true;
        sender.sent += u64::from(flits);
        if let Some(since) = sender.stopped.take() {
            self.totals.stopped += self.now - since;
        }
        let leaves = u64::from(flits) * u64::from(link.interval);
        self.schedule(
            leaves,
            Event::Left {
                channel,
                frame: slot,
            },
        );
        let came = Event::Came {
            channel,
            frame: slot,
        };
        self.schedule(leaves + u64::from(link.delay), came);
    }

    fn send_control(&mut self, channel: u32, control: Control) {
        match control {
            Control::Notification(slot) => self.put(channel, slot),
            Control::Pause { priority, on } => {
                let link = self.links[channel];
                self.totals.pauses += u64::from(on);
                self.senders[channel as usize].is_busy = true;
                let leaves = u64::from(self.setup.model.control_flits) * u64::from(link.interval);
                self.schedule(
                    leaves,
                    Event::Left {
                        channel,
                        frame: NOWHERE,
                    },
                );
                let told = Event::Paused {
                    channel: link.reverse,
                    priority,
                    on,
                };
                self.schedule(leaves + u64::from(link.latency), told);
            }
        }
    }

    /// The last flit of a frame has left.
    #[inline]
    pub(super) fn left(&mut self, channel: u32, slot: u32) {
        self.senders[channel as usize].is_busy = false;
        if slot != NOWHERE {
            let frame = *self.frames.get(slot);
            let from_switch = self.links[channel].from_router != NOWHERE;
            if frame.severity == 0 && from_switch {
                let place = self.place(channel, frame.priority);
                self.queues[place].left(frame.flits);
                self.release(frame.hold, frame.flits);
            } else if !from_switch && frame.is_reported {
                self.tell_sent(self.links[channel].terminal, frame.tag, frame.parties[0]);
            }
        }
        self.kick(channel);
    }

    /// A switch has room again for what comes by a channel.
    #[inline]
    fn release(&mut self, hold: u32, flits: u16) {
        let (place, priorities) = (hold as usize, self.priorities);
        let held = &mut self.holds[place];
        held.flits -= u32::from(flits);
        let channel = (place / priorities) as u32;
        if held.is_paused && held.flits <= self.links[channel].resume_at {
            held.is_paused = false;
            self.send_pause(channel, (place % priorities) as u8, false);
        }
    }

    /// Tells the sender of a channel that leads to a switch to pause a priority, or to go on.
    pub(super) fn send_pause(&mut self, channel: u32, priority: u8, on: bool) {
        let place = self.place(channel, priority);
        let back = self.links[channel].reverse;
        let control = &mut self.senders[back as usize].control;
        let pauses = control
            .iter()
            .take_while(|first| matches!(first, Control::Pause { .. }));
        let behind = pauses.count();
        let same = control.iter().take(behind).position(
            |waiting| matches!(waiting, Control::Pause { priority: other, .. } if *other == priority),
        );
        match same {
            // Whoever has not been told to pause need not be told to go on, nor the other way round.
            Some(waiting) => {
                control.remove(waiting);
                self.holds[place].under_way -= 1;
            }
            None => {
                control.insert(behind, Control::Pause { priority, on });
                self.holds[place].under_way += 1;
            }
        }
        self.kick(back);
    }

    /// A channel's sender has been told to pause a priority, or to go on.
    pub(super) fn paused(&mut self, channel: u32, priority: u8, on: bool) {
        let place = self.place(channel, priority);
        self.holds[place].under_way -= 1;
        let sender = &mut self.senders[channel as usize];
        match on {
            true => sender.paused |= 1 << priority,
            false => {
                sender.paused &= !(1 << priority);
                self.kick(channel);
            }
        }
    }
}
