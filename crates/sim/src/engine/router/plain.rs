//! The cycle of a plain router with up to 64 lanes. Most studies simulate such routers, and most of the
//! time is spent here.
//!
//! The same as [`Domain::visit`] does for every router, one step after the other on the router's
//! [`Block`], in as few instructions as we found. Tests hold the two to the same results.

use super::super::block::{Block, Lane, OutVc, WORD};
use super::super::domain::Domain;
use super::super::state::State;
use super::super::tells;
use super::super::wiring::NOWHERE;
use super::{bit, next_after};

impl<const ONE_WORD: bool, const PLAIN: bool> Domain<'_, ONE_WORD, PLAIN> {
    /// A router's cycle; is anything left to do there?
    #[inline(always)]
    pub(super) fn visit_plain<const TELLS: u8, const PICKY: bool>(
        &mut self,
        router: u32,
        base: usize,
    ) -> bool {
        let (next, credits) = self.take_coming(router, base);
        let (watched, stepped) = match TELLS {
            tells::NOTHING => (0, 0),
            tells::FLITS => (0, self.stepped[router]),
            _ => (self.watched[router], self.stepped[router]),
        };
        let gauged = watched & !stepped;
        if TELLS == tells::ANYTHING && credits & gauged != 0 {
            self.count_credits(router, credits & gauged);
        }
        let block = self.state.storage.block(router);
        let (ready, heads) = (block.masks.ready(), block.masks.heads);
        if next | ready | heads == 0 {
            if TELLS != tells::NOTHING {
                self.count_together(router, 0, credits & stepped);
            }
            return false;
        }
        self.totals.router_steps += 1;
        let routed = self.route_all::<TELLS>(router, next, watched);
        let mut winners = ready;
        if ready & ready.wrapping_sub(1) != 0 {
            let twice = self.contested(router, ready);
            if twice != 0 {
                winners = self.match_claims(router, ready, twice);
            }
        }
        if heads != 0 {
            if PICKY {
                self.ask_again(router);
            }
            self.give_channels::<PICKY>(router, heads);
            if PICKY {
                self.note_vain(router);
            }
        }
        self.state.storage.block(router).masks.heads |= routed;
        let mut crossed = 0;
        for_bits!(local in winners, {
            crossed |= self.cross(router, base, local);
        });
        if TELLS == tells::ANYTHING {
            self.count_crossings(router, crossed, gauged);
        }
        if TELLS != tells::NOTHING {
            // Who crosses has been counted before where those count that wait.
            let sent = match TELLS == tells::ANYTHING && self.awaits {
                true => 0,
                false => crossed & stepped,
            };
            self.count_together(router, sent, credits & stepped);
        }
        self.state.storage.block(router).masks.any()
    }

    /// Receives flits and credits of a router; returns the lanes whose heads need a route, and the output
    /// virtual channels that got a credit.
    #[inline(always)]
    fn take_coming(&mut self, router: u32, base: usize) -> (u64, u64) {
        let State {
            storage, timeline, ..
        } = &mut self.state;
        let block = storage.block(router);
        let [flits, credits] = timeline.take_at(base + router as usize);
        for_bits!(out in credits, {
            let out = &mut block.outs[out as usize];
            out.credits += 1;
            if out.credits == 1 && out.owner != NOWHERE {
                block.masks.no_credit &= !bit(out.owner);
            }
        });
        for_bits!(lane in flits, {
            block.lanes[lane as usize].stored += 1;
        });
        let masks = &mut block.masks;
        let next = masks.next | flits & !masks.fronts;
        masks.next = 0;
        masks.fronts |= flits;
        masks.flits |= flits;
        (next, credits)
    }

    /// Routes of heads that have just come to the front; the lanes that have one now.
    #[inline(always)]
    fn route_all<const TELLS: u8>(&mut self, router: u32, next: u64, watched: u64) -> u64 {
        let mut routed = next;
        for_bits!(local in next, {
            if !self.route(router, local) {
                routed &= !bit(local);
            } else if TELLS == tells::ANYTHING && self.awaits {
                self.count_routed(router, local, watched);
            }
        });
        routed
    }

    /// What more than one of these lanes [claims](Lane::claim).
    #[inline(always)]
    fn contested(&mut self, router: u32, lanes: u64) -> u64 {
        let block = self.state.storage.block(router);
        let (mut claims, mut twice) = (0, 0);
        for_bits!(local in lanes, {
            let claim = block.lanes[local as usize].claim;
            twice |= claims & claim;
            claims |= claim;
        });
        twice
    }

    /// Gives free output virtual channels to routed heads. Those that have no channel in common with
    /// another one are served at once.
    #[inline(always)]
    fn give_channels<const PICKY: bool>(&mut self, router: u32, heads: u64) {
        let (wiring, rule) = (self.wiring, self.room_rule());
        let first_lane = wiring.routers[router].first_lane;
        let State {
            storage,
            queues,
            packets,
            ..
        } = &mut self.state;
        let block = storage.block(router);
        let free = block.masks.free;
        let (mut wanted, mut twice) = (0, 0);
        if heads & (heads - 1) != 0 {
            for_bits!(local in heads, {
                let channels = block.lanes[local as usize].want & free;
                twice |= wanted & channels;
                wanted |= channels;
            });
        }
        let (mut contested, mut given, mut parked, mut leaving) = (0, 0, 0, 0);
        // Heads that stay where they are, because they ask again or wait for room.
        let mut vain = 0;
        for_bits!(local in heads, {
            let lane = &mut block.lanes[local as usize];
            let mut channels = lane.want & free;
            let is_contested = channels & twice != 0;
            if PICKY && channels != 0 && !is_contested {
                let needed = |out| rule.needed(wiring, first_lane + local, first_lane + out, lane.left);
                channels = with_room(channels, &block.outs, needed);
                if channels == 0 {
                    vain |= bit(local);
                    continue;
                }
            }
            if channels == 0 {
                if PICKY && lane.asks_again() {
                    vain |= bit(local);
                    continue;
                }
                parked |= bit(local);
                block.parked[lane.port as usize % 64] |= bit(local);
            } else if is_contested {
                contested |= bit(local);
            } else {
                let channel = next_after(channels, lane.accept);
                lane.accept = channel;
                lane.out = channel;
                if PICKY {
                    lane.asked = Lane::WAITS;
                }
                let out = &mut block.outs[channel as usize % 64];
                out.owner = local;
                out.grant = local;
                if out.credits == 0 {
                    block.masks.no_credit |= bit(local);
                }
                given |= bit(channel);
                if out.flit_offset == NOWHERE {
                    leaving |= u64::from(out.target != NOWHERE) << local;
                } else {
                    let queue = &mut queues[out.target];
                    let last = std::mem::replace(&mut queue.last, lane.slot);
                    if queue.first == NOWHERE {
                        queue.first = lane.slot;
                    } else {
                        packets.get_mut(last).next = lane.slot;
                    }
                }
            }
        });
        block.masks.heads = contested | vain;
        block.masks.hold |= heads & !contested & !parked & !vain;
        block.masks.free = free & !given;
        for_bits!(local in leaving, {
            let lane = self.state.storage.lane(router, local);
            let (out, slot) = (lane.out, lane.slot);
            self.announce(router, out, slot);
        });
        if contested != 0 {
            self.allocate_by_masks(router, contested);
        }
    }

    /// Moves a lane's first flit through the switch onto its channel: the bit of its output virtual channel.
    #[inline(always)]
    fn cross(&mut self, router: u32, base: usize, local: u32) -> u64 {
        let State {
            storage, timeline, ..
        } = &mut self.state;
        let Block {
            masks,
            lanes,
            outs,
            ports,
            ..
        } = storage.block(router);
        let lane = &mut lanes[local as usize % 64];
        lane.stored -= 1;
        if lane.stored == 0 {
            masks.flits &= !bit(local);
        }
        lane.left -= 1;
        let from = &mut ports[lane.input as usize % 64];
        (from.accept, from.choice) = (lane.port, local as u16);
        let to = &mut ports[lane.port as usize % 64];
        to.grant = lane.input;
        to.sent = to.sent.wrapping_add(1);
        let out = &mut outs[lane.out as usize % 64];
        out.credits -= 1;
        if out.credits == 0 {
            masks.no_credit |= bit(local);
        }
        let (offset, flit) = (out.flit_offset, out.flit_bit);
        let (credit_offset, credit) = (lane.credit_offset, lane.credit_bit);
        let (tail, crossed) = (lane.left == 0, bit(lane.out));
        self.totals.flit_hops += 1;
        if credit_offset != NOWHERE {
            timeline.credit_at(base + credit_offset as usize, credit);
        } else {
            self.credit_sender(router, local);
        }
        if offset != NOWHERE {
            self.state.timeline.flit_at(base + offset as usize, flit);
        } else {
            self.leave(router, local);
        }
        if tail {
            self.tail_crossed(router, local);
        }
        crossed
    }

    /// Gives an output virtual channel back; the lane's next packet comes to the front.
    #[inline(always)]
    fn tail_crossed(&mut self, router: u32, local: u32) {
        self.state.unlink(router * 64 + local);
        let Block {
            masks,
            lanes,
            outs,
            parked,
            ..
        } = self.state.storage.block(router);
        let lane = &mut lanes[local as usize % 64];
        let out = std::mem::replace(&mut lane.out, NOWHERE);
        outs[out as usize % 64].owner = NOWHERE;
        let waiting = &mut parked[lane.port as usize % 64];
        if *waiting != 0 {
            masks.heads |= std::mem::take(waiting);
        }
        let here = bit(local);
        let next = masks.flits & here;
        masks.free |= bit(out);
        masks.hold &= !here;
        masks.no_credit &= !here;
        masks.next |= next;
        masks.fronts = masks.fronts & !here | next;
    }

    /// Tells a terminal, or a router of another domain, that a slot of the lane's buffer is free again.
    #[inline(always)]
    fn credit_sender(&mut self, router: u32, local: u32) {
        let block = self.state.storage.block(router);
        let lane = &block.lanes[local as usize % 64];
        let port = &block.ports[lane.input as usize % 64];
        let at = self.now + u64::from(port.credit_delay);
        if port.sender == NOWHERE {
            let credit = lane.credit_bit as u32;
            self.state.terminal_credits.push(at, credit);
        } else {
            let vc = local & (self.wiring.stride - 1);
            let (sender, out) = (port.sender, port.sender_out + vc);
            self.credit_away(at, sender, out);
        }
    }

    /// Hands a flit to its terminal, or to another domain.
    #[inline(never)]
    fn leave(&mut self, router: u32, local: u32) {
        if self.agents.is_some() {
            return self.leave_to_agent(router, local);
        }
        let block = self.state.storage.block(router);
        let lane = block.lanes[local as usize % 64];
        let port = &block.ports[lane.port as usize % 64];
        let arrives = self.now + u64::from(port.delay);
        let tail = (lane.left == 0).then_some(lane.slot);
        if port.next_router == NOWHERE {
            self.eject(router, lane.port.into(), lane.out, tail, arrives);
        } else {
            self.send_away(arrives, router, lane.out, tail);
        }
    }

    /// The same where terminals have agents. One that may refuse packets is told of each with its first flit: the
    /// path through the router has no time for it before.
    #[inline(never)]
    fn leave_to_agent(&mut self, router: u32, local: u32) {
        let block = self.state.storage.block(router);
        let &Lane {
            port: output,
            out,
            slot,
            left,
            ..
        } = &block.lanes[local as usize % 64];
        let port = &block.ports[output as usize % 64];
        let arrives = self.now + u64::from(port.delay);
        let tail = (left == 0).then_some(slot);
        if port.next_router != NOWHERE {
            return self.send_away(arrives, router, out, tail);
        }
        let end = (port.next_lane, port.echo);
        self.eject_to_agent(router, end, out, Some((slot, left)), tail, arrives);
    }
}

/// Those of a router's output virtual channels that have the room which is needed there.
#[inline(always)]
fn with_room(channels: u64, outs: &[OutVc; WORD], needed: impl Fn(u32) -> u32) -> u64 {
    let mut with_room = 0;
    for_bits!(out in channels, {
        let credits = u32::from(outs[out as usize % WORD].credits);
        with_room |= u64::from(credits >= needed(out)) << out;
    });
    with_room
}
