//! Traversal: a flit crosses the switch, onto a channel or out of the network.

use super::super::state::{Arrival, Credit, OutVc};
use super::super::wiring::{NOWHERE, RouterWiring};
use super::{Done, Routers};
use crate::measure::Delivery;
use turnwise_network::TerminalId;
use turnwise_network::random::mix;

impl<const ONE_WORD: bool, const PLAIN: bool> Routers<'_, '_, ONE_WORD, PLAIN> {
    /// Moves a lane's first flit through the switch onto its channel.
    #[inline(always)]
    pub(super) fn traverse(
        &mut self,
        router: u32,
        at: RouterWiring,
        local: u32,
        mask: u64,
        done: &mut Done,
    ) {
        let lane = at.first_lane + local;
        let here = &mut self.state.lanes[lane];
        let (input, output, out) = (here.input, here.port, here.out);
        here.len -= 1;
        here.left -= 1;
        let (tail, empty) = (here.left == 0, here.len == 0);
        let (slot, announce) = (here.slot, here.announce);
        here.announce = Arrival::BODY;
        let from = &mut self.state.ports[at.first_port + u32::from(input)];
        from.choice = here.vc.into();
        if PLAIN || !self.scratch.matched {
            from.accept = output;
        }
        let credited = self.now + u64::from(from.credit_delay);
        let credit = Credit::new(here.credit_to, !PLAIN && tail);
        self.state.credits.push(credited, credit);
        self.totals.flit_hops += 1;
        let port = at.first_port + u32::from(output);
        let to = &mut self.state.ports[port];
        if PLAIN || !self.scratch.matched {
            to.grant = input;
        }
        to.sent = to.sent.wrapping_add(1);
        let arrives = self.arrival(port);
        let out_vc = &mut self.state.outs[out];
        out_vc.credits -= 1;
        let (lane_behind, spent) = (out_vc.target, out_vc.credits == 0);
        if lane_behind != NOWHERE {
            let arrival = Arrival {
                lane: lane_behind,
                slot: announce,
            };
            self.state.arrivals.push(arrives, arrival);
        } else {
            self.eject(slot, tail, port, out, arrives);
        }
        if tail {
            done.idle |= mask;
            self.tail_left(router, at, lane, mask, done);
        } else if !PLAIN && self.model.switch_allocation_delay > 1 {
            done.idle |= mask;
            self.hold(lane, self.model.switch_allocation_delay);
        } else if spent || empty {
            done.idle |= mask;
        }
    }

    /// Gives an output virtual channel back; the lane's next packet comes to the front.
    #[inline(always)]
    fn tail_left(&mut self, router: u32, at: RouterWiring, lane: u32, mask: u64, done: &mut Done) {
        let here = &mut self.state.lanes[lane];
        let (out, given) = (here.out, here.given);
        here.out = NOWHERE;
        here.want = 0;
        if !PLAIN && self.model.wait_for_tail_credit {
            self.state.outs[out].owner = OutVc::DRAINING;
        } else {
            self.state.outs[out].owner = NOWHERE;
            if ONE_WORD {
                done.freed |= given;
            } else {
                let word = self.word(router, out - at.first_lane);
                self.state.wants[word].free |= given;
            }
            self.state.unpark(self.words(), router, out >> self.shift);
        }
        if self.state.unqueue(lane) {
            done.next |= mask;
        }
    }

    /// The cycle in which a flit that crosses the switch now arrives behind its channel.
    #[inline(always)]
    fn arrival(&mut self, port: u32) -> u64 {
        let delay = u64::from(self.state.ports[port].delay);
        if PLAIN || self.model.speedup_permille == 1000 {
            return self.now + delay;
        }
        // An earlier step of the same cycle saves one cycle of traversal.
        let stages =
            u64::from(self.model.switch_allocation_delay - 1 + self.model.switch_traversal_delay);
        let early = u64::from(
            self.step.index + 1 < self.step.count && self.model.switch_traversal_delay > 0,
        );
        let last = &mut self.state.last_send[port];
        *last = (self.now + stages - early).max(*last + 1);
        *last + delay - stages
    }

    /// A terminal takes its flits up as they come and credits them at once.
    #[inline(always)]
    fn eject(&mut self, slot: u32, tail: bool, port: u32, out: u32, arrived: u64) {
        let back = arrived + u64::from(self.state.ports[port].echo);
        self.state.credits.push(back, Credit::new(out, tail));
        self.recorder.flit_arrived(arrived);
        self.totals.flits_delivered += 1;
        self.totals.last_arrival = self.totals.last_arrival.max(arrived);
        if tail {
            self.deliver(slot, arrived);
        }
    }

    #[inline(never)]
    fn deliver(&mut self, slot: u32, arrived: u64) {
        let packet = self.state.packets.remove(slot);
        self.totals.packets_delivered += 1;
        let destination: TerminalId = packet.destination;
        let minimal = self.minimal.map(|hops| hops(packet.source, destination));
        let delivery = Delivery {
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
    }
}
