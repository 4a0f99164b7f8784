//! Channel allocation: which routed heads get which output virtual channels in this step.
//!
//! A head that is alone at its output port takes a free channel at once. Where several
//! compete, iSLIP with one iteration on routers of up to 64 lanes works on masks;
//! everything else goes through the general matcher.

use super::super::matcher::{Pointers, Request, after};
use super::super::state::{Lane, OutVc};
use super::super::unchecked::Arena;
use super::super::wiring::RouterWiring;
use super::{Routers, Scratch, behind, bit, next_after};
use turnwise_network::FlowControl;

impl<const ONE_WORD: bool, const PLAIN: bool> Routers<'_, '_, ONE_WORD, PLAIN> {
    /// Gives free output virtual channels to routed heads.
    ///
    /// Heads that have no channel in common with another one are served at once.
    #[inline(always)]
    pub(super) fn allocate_channels(&mut self, router: u32, at: RouterWiring) {
        // Channels 64 apart are taken for the same; who competes is then looked at closely.
        let (mut wanted, mut again) = (0u64, 0u64);
        for word in 0..self.words() {
            let heads = self.state.wants[router * self.words() + word].heads;
            if ONE_WORD && heads == 0 {
                return;
            }
            if ONE_WORD && heads & (heads - 1) == 0 {
                break;
            }
            for_bits!(position in heads, {
                let channels = self.channels(router, at.first_lane + word * 64 + position);
                again |= wanted & channels;
                wanted |= channels;
            });
        }
        for word in 0..self.words() {
            let index = router * self.words() + word;
            let mut heads = self.state.wants[index].heads;
            let (mut contested, mut served, mut ready, mut given) = (0, 0, 0, 0);
            while heads != 0 {
                let mask = heads & heads.wrapping_neg();
                let local = word * 64 + heads.trailing_zeros();
                heads ^= mask;
                let mut channels = self.channels(router, at.first_lane + local);
                if channels == 0 {
                    served |= mask;
                    self.park(router, local);
                    continue;
                }
                if channels & again != 0 {
                    contested |= mask;
                    continue;
                }
                channels = self.with_room(at, local, channels);
                if channels != 0 {
                    let channel = self.turn(at, local, channels);
                    let taken = self.take_channel(at, local, channel, true);
                    served |= mask;
                    ready |= if taken.ready { mask } else { 0 };
                    if ONE_WORD {
                        given |= taken.channel;
                    } else {
                        let word = self.word(router, taken.first);
                        self.state.wants[word].free &= !taken.channel;
                    }
                }
            }
            let wants = &mut self.state.wants[index];
            wants.heads &= !served;
            wants.ready |= ready;
            wants.free &= !given;
            if !ONE_WORD || !self.simple {
                self.scratch.contested[word] = contested;
            } else if contested != 0 {
                self.allocate_by_masks(router, contested);
            }
        }
        if again != 0 && !(ONE_WORD && self.simple) {
            self.allocate_by_requests(router);
        }
    }

    /// The free output virtual channels a routed head may take, in the mask word of its port.
    #[inline(always)]
    fn channels(&self, router: u32, lane: u32) -> u64 {
        let lane = &self.state.lanes[lane];
        let word = self.word(router, u32::from(lane.port) << self.shift);
        self.state.wants[word].free & lane.want
    }

    /// The channel, of several, that a head accepts when all are offered.
    #[inline(always)]
    fn turn(&self, at: RouterWiring, local: u32, channels: u64) -> u32 {
        let lane = &self.state.lanes[at.first_lane + local];
        let last = lane.accept;
        let same_word = ONE_WORD || last / 64 == (u32::from(lane.port) << self.shift) / 64;
        next_after(channels, if same_word { last } else { 63 })
    }

    /// A head looks again when one of its port's channels is given back.
    #[inline(never)]
    fn park(&mut self, router: u32, local: u32) {
        let at = self.wiring.routers[router];
        let word = self.word(router, local);
        let port = at.first_port + u32::from(self.state.lanes[at.first_lane + local].port);
        let parked = port * self.words() + word - router * self.words();
        self.state.parked[parked] |= bit(local);
    }

    /// iSLIP on masks: every virtual channel grants a lane, every lane accepts one of its grants.
    #[inline(never)]
    fn allocate_by_masks(&mut self, router: u32, heads: u64) {
        let at = self.wiring.routers[router];
        let mut wanted = 0;
        for_bits!(local in heads, {
            let channels = self.channels(router, at.first_lane + local);
            let channels = self.with_room(at, local, channels);
            for_bits!(channel in channels, {
                let held = &mut self.scratch.held[channel as usize % 64];
                let last = self.state.outs[at.first_lane + channel].grant;
                if wanted & bit(channel) == 0
                    || behind(local, last, 63) < behind(u32::from(*held), last, 63)
                {
                    *held = local as u8;
                }
                wanted |= bit(channel);
            });
        });
        let mut granted = 0;
        for_bits!(channel in wanted, {
            let local = u32::from(self.scratch.held[channel as usize % 64]);
            let last = self.state.lanes[at.first_lane + local].accept;
            let accepted = &mut self.scratch.accepted[local as usize % 64];
            if granted & bit(local) == 0
                || behind(channel, last, 63) < behind(u32::from(*accepted), last, 63)
            {
                *accepted = channel as u8;
            }
            granted |= bit(local);
        });
        for_bits!(local in granted, {
            let channel = u32::from(self.scratch.accepted[local as usize % 64]);
            self.give_channel(router, at, local, channel, true);
        });
    }

    /// The same by the general matcher, for large routers and other allocators.
    #[inline(never)]
    fn allocate_by_requests(&mut self, router: u32) {
        let at = self.wiring.routers[router];
        self.scratch.requests.clear();
        for word in 0..self.words() {
            for_bits!(position in self.scratch.contested[word], {
                let local = word * 64 + position;
                let channels = self.channels(router, at.first_lane + local);
                let port = u32::from(self.state.lanes[at.first_lane + local].port);
                let first = (port << self.shift) & !63;
                for_bits!(channel in self.with_room(at, local, channels), {
                    let output = first + channel;
                    self.scratch.requests.push(Request { input: local, output, lane: 0 });
                });
            });
        }
        let Scratch {
            requests,
            matches,
            matcher,
            ..
        } = &mut *self.scratch;
        let mut pointers = ChannelPointers {
            outs: &mut self.state.outs,
            lanes: &mut self.state.lanes,
            at,
        };
        matcher.run(
            self.model.allocator,
            self.model.allocation_iterations,
            requests,
            &mut pointers,
            matches,
        );
        for index in 0..self.scratch.matches.len() {
            let Request { input, output, .. } =
                self.scratch.requests[self.scratch.matches[index] as usize];
            self.give_channel(router, at, input, output % 64, false);
        }
    }

    /// Of these channels, those with room for the lane's packet, as far as flow control asks for it.
    #[inline(always)]
    fn with_room(&self, at: RouterWiring, local: u32, channels: u64) -> u64 {
        if PLAIN || self.rule.flow_control == FlowControl::Wormhole {
            channels
        } else {
            self.with_packet_room(at, local, channels)
        }
    }

    #[inline(never)]
    fn with_packet_room(&self, at: RouterWiring, local: u32, channels: u64) -> u64 {
        let lane = &self.state.lanes[at.first_lane + local];
        let flits = self.state.packets.get(lane.slot).flits;
        let first = at.first_lane + ((u32::from(lane.port) << self.shift) & !63);
        let mut with_room = 0;
        for_bits!(channel in channels, {
            let out = first + channel;
            let needed = self.rule.needed(self.wiring, at.first_lane + local, out, flits);
            if u32::from(self.state.outs[out].credits) >= needed {
                with_room |= 1 << channel;
            }
        });
        with_room
    }

    /// Hands an output virtual channel to a head that competed for it.
    fn give_channel(
        &mut self,
        router: u32,
        at: RouterWiring,
        local: u32,
        channel: u32,
        advance: bool,
    ) {
        let taken = self.take_channel(at, local, channel, advance);
        let word = self.word(router, taken.first);
        self.state.wants[word].free &= !taken.channel;
        let word = self.word(router, local);
        let wants = &mut self.state.wants[word];
        wants.heads &= !bit(local);
        if taken.ready {
            wants.ready |= bit(local);
        }
    }

    /// A head takes an output virtual channel, named by its place in the mask word of the
    /// port it goes to; `advance` moves the round-robin pointers.
    #[inline(always)]
    fn take_channel(&mut self, at: RouterWiring, local: u32, channel: u32, advance: bool) -> Taken {
        let lane = at.first_lane + local;
        let taker = &mut self.state.lanes[lane];
        let first = match ONE_WORD {
            true => 0,
            false => (u32::from(taker.port) << self.shift) & !63,
        };
        let out = at.first_lane + first + channel;
        taker.out = out;
        taker.given = bit(channel);
        let given = &mut self.state.outs[out];
        given.owner = lane;
        if advance {
            given.grant = local;
            taker.accept = first + channel;
        }
        let mut ready = given.credits > 0;
        if !PLAIN && self.model.vc_allocation_delay > 1 {
            self.hold(lane, self.model.vc_allocation_delay);
            ready = false;
        }
        Taken {
            channel: bit(channel),
            first,
            ready,
        }
    }
}

/// An output virtual channel that has just been taken.
struct Taken {
    /// Its bit in its mask word.
    channel: u64,
    /// The first channel of that word.
    first: u32,
    /// May the taker send at once?
    ready: bool,
}

/// Round-robin pointers of a router's channel allocator: output virtual channels grant, lanes accept.
struct ChannelPointers<'a> {
    outs: &'a mut Arena<OutVc>,
    lanes: &'a mut Arena<Lane>,
    at: RouterWiring,
}

impl Pointers for ChannelPointers<'_> {
    #[inline]
    fn grant(&self, output: u32) -> u32 {
        let out = self.at.first_lane + output;
        after(self.outs[out].grant, self.at.lanes)
    }

    #[inline]
    fn accept(&self, input: u32) -> u32 {
        let lane = self.at.first_lane + input;
        after(self.lanes[lane].accept, self.at.lanes)
    }

    #[inline]
    fn advance(&mut self, input: u32, output: u32) {
        self.outs[self.at.first_lane + output].grant = input;
        self.lanes[self.at.first_lane + input].accept = output;
    }

    #[inline]
    fn inputs(&self) -> u32 {
        self.at.lanes
    }

    #[inline]
    fn outputs(&self) -> u32 {
        self.at.lanes
    }
}
