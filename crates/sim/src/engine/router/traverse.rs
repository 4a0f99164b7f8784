//! Traversal: a flit crosses the switch, onto a channel or out of the network.

use super::super::block::{Lane, OutVc};
use super::super::domain::Domain;
use super::super::terminal::{Demand, Prospect};
use super::super::wiring::NOWHERE;
use super::bit;
use crate::measure::Delivery;
use turnwise_network::TerminalId;
use turnwise_network::random::mix;

impl<const ONE_WORD: bool, const PLAIN: bool> Domain<'_, ONE_WORD, PLAIN> {
    /// Moves a lane's first flit through the switch onto its channel.
    #[inline(always)]
    pub(super) fn traverse(&mut self, router: u32, local: u32) {
        let input = local >> self.wiring.shift;
        let has_registers = self.has_registers();
        let storage = &mut self.state.storage;
        let here = storage.lane_mut(router, local);
        here.stored -= 1;
        // The register before the switch is empty, whatever comes behind.
        let empty = here.stored == 0 || has_registers;
        here.left -= 1;
        let tail = here.left == 0;
        let (output, out, slot) = (u32::from(here.port), here.out, here.slot);
        let to = storage.port_mut(router, output);
        if !self.scratch.matched {
            to.grant = input as u16;
        }
        if !PLAIN && self.times {
            self.time_flit(router, out);
        }
        if self.queues_outputs() {
            self.enqueue(router, local, out, tail.then_some(slot));
        } else {
            self.put_on_channel(router, local, output, tail);
        }
        self.totals.flit_hops += 1;
        self.note_crossing(router, local, output);
        if !PLAIN && self.awaits {
            self.count_awaiting(router, output, u32::MAX);
        }
        match has_registers {
            true => self.vacate(router, local, tail.then_some(slot)),
            false => {
                let withheld = match !PLAIN && self.most_withheld > 0 {
                    true => self.withheld(router, input, output),
                    false => 0,
                };
                self.free_slot(router, local, withheld);
            }
        }
        if empty {
            self.masks(router, local / 64).flits &= !bit(local);
        }
        let keep = self.keeps_connection(tail, empty);
        if self.model.hold_switch {
            self.keep_or_release(router, local, output, keep);
        }
        if !PLAIN && self.model.lock_outputs && self.is_expanded() {
            self.lock(router, local, output, !tail);
        }
        if tail {
            self.tail_left(router, local, empty);
        } else if self.model.switch_allocation_delay > 1 && !keep {
            self.masks(router, local / 64).hold &= !bit(local);
            self.hold(router, local, self.model.switch_allocation_delay);
        }
    }

    /// A flit that has won the switch leaves on its output's channel.
    #[inline(always)]
    fn put_on_channel(&mut self, router: u32, local: u32, output: u32, tail: bool) {
        let storage = &mut self.state.storage;
        let &Lane { out, slot, .. } = storage.lane(router, local);
        let to = storage.port_mut(router, output);
        to.sent = to.sent.wrapping_add(1);
        let delay = to.delay;
        let out_vc = storage.out_mut(router, out);
        out_vc.credits -= 1;
        if out_vc.credits == 0 {
            self.masks(router, local / 64).no_credit |= bit(local);
        }
        let arrives = self.arrival(router, output, delay);
        self.travel(router, output, out, tail.then_some(slot), arrives);
    }

    /// A flit of an output virtual channel is on the channel, with its packet if it is a tail.
    #[inline(always)]
    pub(super) fn travel(
        &mut self,
        router: u32,
        port: u32,
        out: u32,
        tail: Option<u32>,
        arrives: u64,
    ) {
        let at = self.state.storage.port(router, port);
        let (next, first_lane) = (at.next_router, at.next_lane);
        if next == NOWHERE {
            match self.agents.is_some() {
                true => {
                    let end = (first_lane, at.echo);
                    self.eject_to_agent(router, end, out, None, tail, arrives);
                }
                false => self.eject(router, port, out, tail, arrives),
            }
        } else if self.is_mine(next) {
            let vc = out & (self.wiring.stride - 1);
            self.flit_later(arrives, next, first_lane + vc);
        } else {
            self.send_away(arrives, router, out, tail);
        }
    }

    /// Moves the switch's pointers of the input behind a lane.
    #[inline(always)]
    fn note_crossing(&mut self, router: u32, local: u32, output: u32) {
        let vc = local & (self.wiring.stride - 1);
        let port = local >> self.wiring.shift;
        let from = self.state.storage.port_mut(router, port);
        from.choice = vc as u16;
        if !self.scratch.matched {
            from.accept = output as u16;
        }
    }

    /// Tells the sender into an input that a slot of its buffer is free again, so many cycles later than it could.
    #[inline(always)]
    pub(super) fn free_slot(&mut self, router: u32, local: u32, withheld: u64) {
        let vc = local & (self.wiring.stride - 1);
        let port = local >> self.wiring.shift;
        let from = self.state.storage.port(router, port);
        let credit_delay = u64::from(from.credit_delay);
        let (sender, first) = (from.sender, from.sender_out);
        let at = self.credit_leaves(router, local) + credit_delay + withheld;
        if sender == NOWHERE {
            let credit = (first << self.wiring.shift) + vc;
            self.state.terminal_credits.push(at, credit);
        } else if self.is_mine(sender) {
            self.credit_later(at, sender, first + vc);
        } else {
            self.credit_away(at, sender, first + vc);
        }
    }

    /// When a credit leaves for a flit that leaves a lane now.
    #[inline(always)]
    fn credit_leaves(&mut self, router: u32, local: u32) -> u64 {
        if self.model.speedup_permille == 1000 {
            return self.now;
        }
        let port = self.wiring.routers[router].first_port + (local >> self.wiring.shift);
        let step = self.step_index;
        self.state.pace.credit_leaves(port, self.now, step)
    }

    /// An output virtual channel of a router will have a credit more.
    #[inline(always)]
    pub(in super::super) fn credit_later(&mut self, at: u64, router: u32, out: u32) {
        self.state.credit_later::<PLAIN>(self.now, at, router, out);
    }

    /// A flit is on its way to a lane of this domain.
    #[inline(always)]
    pub(in super::super) fn flit_later(&mut self, at: u64, router: u32, lane: u32) {
        if PLAIN || self.state.timeline.reaches(self.now, at) {
            self.state.timeline.flit(at, router, lane);
        } else {
            self.state.late_flits.push(at, (router, lane));
        }
    }

    /// Gives an output virtual channel back; the lane's next packet comes to the front.
    #[inline(always)]
    fn tail_left(&mut self, router: u32, local: u32, empty: bool) {
        let queue = self.wiring.queue::<ONE_WORD>(router, local);
        self.state.unlink(queue);
        let storage = &mut self.state.storage;
        let here = storage.lane_mut(router, local);
        let out = std::mem::replace(&mut here.out, NOWHERE);
        if self.model.wait_for_tail_credit {
            storage.out_mut(router, out).owner = OutVc::DRAINING;
        } else {
            storage.out_mut(router, out).owner = NOWHERE;
            storage.masks_mut(router, out / 64).free |= bit(out);
            storage.unpark(router, out >> self.wiring.shift);
        }
        let masks = storage.masks_mut(router, local / 64);
        masks.hold &= !bit(local);
        if empty {
            masks.fronts &= !bit(local);
        } else {
            masks.next |= bit(local);
        }
    }

    /// The cycle in which a flit that crosses the switch now arrives behind its channel.
    #[inline(always)]
    fn arrival(&mut self, router: u32, output: u32, delay: u32) -> u64 {
        let delay = u64::from(delay);
        if !self.model.outruns_channels() {
            if !PLAIN && self.state.pace.is_slow {
                self.occupy(router, output, self.now);
            }
            return self.now + delay;
        }
        let crossing = self.crossing();
        let crossed = self.state.pace.crossed(router, self.now, crossing);
        let port = self.wiring.routers[router].first_port + output;
        let sent = crossed.max(self.state.pace.free_at[port]);
        self.occupy(router, output, sent);
        if self.recorder.in_window(sent) {
            self.state.pace.sent_in_window[port as usize] += 1;
        }
        sent + delay - u64::from(self.model.crossing())
    }

    /// An output's channel takes a flit in cycle `sent`, and no other one for its interval. Who waits for a
    /// slow channel is not looked after until another flit may set out for it: the router is visited then.
    #[inline(always)]
    pub(super) fn occupy(&mut self, router: u32, output: u32, sent: u64) {
        let interval = u64::from(self.state.storage.port(router, output).interval);
        let port = self.wiring.routers[router].first_port + output;
        self.state.pace.free_at[port] = sent + interval;
        let room = match self.state.pace.waiting_room {
            _ if !self.state.pace.is_slow => None,
            None if self.queues_outputs() => Some(0),
            room => room,
        };
        if let Some(room) = room {
            let opens = self.opens_at(router, output, room);
            if opens > self.now + 1 {
                self.state.timeline.visit(opens, router);
            }
        }
    }

    /// A flit is on its way to a terminal, which takes it up as it comes and credits it at once; with a tail, its
    /// packet has arrived.
    #[inline(always)]
    pub(in super::super) fn eject(
        &mut self,
        router: u32,
        output: u32,
        out: u32,
        tail: Option<u32>,
        arrived: u64,
    ) {
        let echo = self.state.storage.port(router, output).echo;
        self.credit_later(arrived + u64::from(echo), router, out);
        self.flit_arrives(arrived);
        if let Some(slot) = tail {
            // Booked at once: nobody asks before.
            self.deliver(slot, arrived);
        }
    }

    /// The same where an agent will be told in the cycle in which the tail arrives, or may refuse the packet.
    ///
    /// Of the port is needed where the terminal's buffers begin, and the echo; of a packet that was not announced,
    /// its slot and how many of its flits are still to come.
    #[inline(always)]
    pub(super) fn eject_to_agent(
        &mut self,
        router: u32,
        (first, echo): (u32, u32),
        out: u32,
        unannounced: Option<(u32, u16)>,
        tail: Option<u32>,
        arrives: u64,
    ) {
        self.flit_arrives(arrives);
        let Some(agents) = self.agents.as_deref_mut() else {
            return;
        };
        let prospect = match agents.reception.as_deref_mut() {
            Some(reception) => {
                let place = first.saturating_add(out & (self.wiring.stride - 1));
                if let Some((slot, left)) = unannounced {
                    let packets = &self.state.packets;
                    if left + 1 == packets.get(slot).flits {
                        reception.announce(place, slot, packets);
                    }
                }
                reception.send(place, tail.is_some(), arrives)
            }
            None => Prospect::Taken,
        };
        if prospect != Prospect::Open
            && let Some(slot) = tail
        {
            agents.expect(arrives, slot);
        }
        if prospect == Prospect::Taken {
            self.credit_later(arrives + u64::from(echo), router, out);
        }
    }

    #[inline(always)]
    fn flit_arrives(&mut self, at: u64) {
        self.recorder.flit_arrived(at);
        self.totals.flits_delivered += 1;
        self.totals.last_arrival = self.totals.last_arrival.max(at);
    }

    /// Books the arrival of a packet for its message and its class.
    #[inline(never)]
    fn deliver_part(&mut self, slot: u32, arrived: u64) {
        let packet = self.state.packets.get(slot);
        let (number, created) = (packet.sequence, packet.created);
        let recorder = &mut self.recorder;
        let message = (self.messages).deliver(packet.source, number, created, arrived, recorder);
        if self.classes.is_used() {
            let class = match self.setup.demand {
                Demand::Open(injector) => injector.class(packet.source, message),
                Demand::Closed(_) => self.state.packets.words(slot).class.into(),
            };
            if self.recorder.in_window(arrived) {
                self.classes.accepted(class, packet.flits);
            }
            if self.recorder.in_window(packet.created) {
                self.classes.delivered(class, arrived - packet.created);
            }
        }
    }

    /// Books the arrival of a packet and forgets it.
    #[inline(never)]
    pub(in super::super) fn deliver(&mut self, slot: u32, arrived: u64) {
        if self.setup.check {
            self.check_order(slot);
        }
        self.state.packets.remove(slot);
        let packet = self.state.packets.get(slot);
        self.totals.packets_delivered += 1;
        let destination: TerminalId = packet.destination;
        let minimal = self
            .setup
            .minimal
            .map(|hops| hops(packet.source, destination));
        let delivery = Delivery {
            source: packet.source.0,
            destination: destination.0,
            flits: packet.flits,
            created: packet.created,
            injected: packet.injected,
            arrived,
            routers: packet.routers,
            nonminimal: minimal.is_some_and(|minimal| u32::from(packet.routers - 1) > minimal),
        };
        self.recorder.packet_delivered(&delivery);
        // A sum, so that the order of deliveries within a cycle does not matter.
        let who = u64::from(packet.source.0) << 32 | u64::from(packet.sequence);
        let what = u64::from(destination.0) << 32
            | u64::from(packet.routers) << 16
            | u64::from(packet.flits);
        let when = arrived.rotate_left(32) ^ packet.created;
        self.totals.fingerprint = self
            .totals
            .fingerprint
            .wrapping_add(mix(mix(mix(who) ^ what) ^ when));
        if self.tells_apart {
            self.deliver_part(slot, arrived);
        }
    }
}
