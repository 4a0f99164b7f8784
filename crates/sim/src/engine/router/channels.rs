//! Channel allocation: which routed heads get which output virtual channels in this step.
//!
//! A head that is alone at its output port takes a free channel at once. Where several
//! compete, iSLIP with one iteration on routers of up to 64 lanes works on masks;
//! everything else goes through the general matcher.

use super::super::block::Lane;
use super::super::domain::Domain;
use super::super::matcher::{Pointers, Request, after};
use super::super::scratch::Scratch;
use super::super::storage::Storage;
use super::super::wiring::NOWHERE;
use super::{behind, bit, next_after};
impl<const ONE_WORD: bool, const PLAIN: bool> Domain<'_, ONE_WORD, PLAIN> {
    /// Gives free output virtual channels to routed heads.
    ///
    /// Heads that have no channel in common with another one are served at once.
    #[inline(always)]
    pub(super) fn allocate_channels(&mut self, router: u32) {
        // Channels 64 apart share a bit; whether heads really compete is checked below.
        let (mut wanted, mut again) = (0u64, 0u64);
        for word in 0..self.words() {
            let heads = self.masks(router, word).heads;
            if ONE_WORD && heads == 0 {
                return;
            }
            if ONE_WORD && heads & (heads - 1) == 0 {
                break;
            }
            for_bits!(position in heads, {
                let channels = self.channels(router, word * 64 + position);
                again |= wanted & channels;
                wanted |= channels;
            });
        }
        for word in 0..self.words() {
            let mut heads = self.masks(router, word).heads;
            let (mut contested, mut served, mut hold, mut no_credit, mut given) = (0, 0, 0, 0, 0);
            while heads != 0 {
                let mask = heads & heads.wrapping_neg();
                let local = word * 64 + heads.trailing_zeros();
                heads ^= mask;
                let mut channels = self.channels(router, local);
                if channels == 0 {
                    if self.may_ask_again(router, local) {
                        continue;
                    }
                    served |= mask;
                    self.state.storage.park(router, local);
                    continue;
                }
                if channels & again != 0 {
                    contested |= mask;
                    continue;
                }
                channels = self.with_room(router, local, channels);
                if channels != 0 {
                    let channel = self.turn(router, local, channels);
                    let taken = self.take_channel(router, local, channel, true);
                    served |= mask;
                    hold |= if taken.held { 0 } else { mask };
                    no_credit |= if taken.no_credit { mask } else { 0 };
                    if ONE_WORD {
                        given |= taken.channel;
                    } else {
                        self.masks(router, taken.first / 64).free &= !taken.channel;
                    }
                }
            }
            let masks = self.masks(router, word);
            masks.heads &= !served;
            masks.no_credit = masks.no_credit & !served | no_credit;
            masks.hold |= hold;
            masks.free &= !given;
            if !ONE_WORD || !self.simple_vcs {
                self.scratch.contested[word] = contested;
            } else if contested != 0 {
                self.allocate_by_masks(router, contested);
            }
        }
        if again != 0 && !(ONE_WORD && self.simple_vcs) {
            self.allocate_by_requests(router);
        }
    }

    /// The free output virtual channels a routed head may take, in the mask word of its port.
    #[inline(always)]
    fn channels(&self, router: u32, local: u32) -> u64 {
        let storage = &self.state.storage;
        let lane = storage.lane(router, local);
        let word = (u32::from(lane.port) << self.wiring.shift) / 64;
        storage.masks(router, word).free & lane.want
    }

    /// The channel, of several, that a head accepts when all are offered.
    #[inline(always)]
    fn turn(&self, router: u32, local: u32, channels: u64) -> u32 {
        let lane = self.state.storage.lane(router, local);
        let last = lane.accept;
        let same_word = ONE_WORD || last / 64 == (u32::from(lane.port) << self.wiring.shift) / 64;
        next_after(channels, if same_word { last } else { 63 })
    }

    /// iSLIP on masks: every virtual channel grants a lane, every lane accepts one of its grants.
    #[inline(never)]
    pub(super) fn allocate_by_masks(&mut self, router: u32, heads: u64) {
        let mut wanted = 0;
        for_bits!(local in heads, {
            let channels = self.channels(router, local);
            let channels = self.with_room(router, local, channels);
            for_bits!(channel in channels, {
                let held = &mut self.scratch.held[channel as usize % 64];
                let last = self.state.storage.out(router, channel).grant;
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
            let last = self.state.storage.lane(router, local).accept;
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
            self.give_channel(router, local, channel, true);
        });
    }

    /// The same by the general matcher, for large routers and other allocators.
    #[inline(never)]
    fn allocate_by_requests(&mut self, router: u32) {
        self.scratch.requests.clear();
        for word in 0..self.words() {
            for_bits!(position in self.scratch.contested[word], {
                let local = word * 64 + position;
                let channels = self.channels(router, local);
                let port = u32::from(self.state.storage.lane(router, local).port);
                let first = (port << self.wiring.shift) & !63;
                for_bits!(channel in self.with_room(router, local, channels), {
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
        } = &mut self.scratch;
        let mut pointers = ChannelPointers {
            storage: &mut self.state.storage,
            router,
            lanes: self.wiring.routers[router].lanes,
        };
        matcher.run(
            self.model.vc_allocator,
            self.model.allocation_iterations,
            requests,
            &mut pointers,
            matches,
        );
        for index in 0..self.scratch.matches.len() {
            let Request { input, output, .. } =
                self.scratch.requests[self.scratch.matches[index] as usize];
            self.give_channel(router, input, output % 64, false);
        }
    }

    /// Those of these channels that have the room which flow control requires for the lane's packet.
    #[inline(always)]
    fn with_room(&self, router: u32, local: u32, channels: u64) -> u64 {
        match self.needs_room {
            true => self.with_packet_room(router, local, channels),
            false => channels,
        }
    }

    #[inline(never)]
    fn with_packet_room(&self, router: u32, local: u32, channels: u64) -> u64 {
        let lane = self.state.storage.lane(router, local);
        let flits = self.state.packets.get(lane.slot).flits;
        let first_lane = self.wiring.routers[router].first_lane;
        let first = (u32::from(lane.port) << self.wiring.shift) & !63;
        let rule = self.room_rule();
        let mut with_room = 0;
        for_bits!(channel in channels, {
            let out = first + channel;
            let needed = rule.needed(self.wiring, first_lane + local, first_lane + out, flits);
            let open = !self.model.busy_when_full || self.takes_flits(router, out);
            if open && self.room(router, out) >= needed {
                with_room |= 1 << channel;
            }
        });
        with_room
    }

    /// Hands an output virtual channel to a head that competed for it.
    fn give_channel(&mut self, router: u32, local: u32, channel: u32, advance: bool) {
        let taken = self.take_channel(router, local, channel, advance);
        self.masks(router, taken.first / 64).free &= !taken.channel;
        let masks = self.masks(router, local / 64);
        masks.heads &= !bit(local);
        masks.no_credit &= !bit(local);
        if taken.no_credit {
            masks.no_credit |= bit(local);
        }
        if !taken.held {
            masks.hold |= bit(local);
        }
    }

    /// A head takes an output virtual channel, named by its place in the mask word of the
    /// port it goes to; `advance` moves the round-robin pointers.
    #[inline(always)]
    fn take_channel(&mut self, router: u32, local: u32, channel: u32, advance: bool) -> Taken {
        let storage = &mut self.state.storage;
        let taker = storage.lane_mut(router, local);
        let (slot, port) = (taker.slot, u32::from(taker.port));
        let first = match ONE_WORD {
            true => 0,
            false => (port << self.wiring.shift) & !63,
        };
        let out = first + channel;
        taker.out = out;
        if self.asks_again {
            taker.asked = Lane::WAITS;
        }
        if advance {
            taker.accept = out;
        }
        let given = storage.out_mut(router, out);
        given.owner = local;
        if advance {
            given.grant = local;
        }
        let (offset, target) = (given.flit_offset, given.target);
        let no_credit = match PLAIN || !self.model.whole_packets {
            true => !self.takes_flits(router, out),
            false => !self.admits_holder(router, out),
        };
        if !PLAIN && self.marks {
            self.write_mark(router, port, slot);
        }
        match offset {
            NOWHERE => self.announce(router, out, slot),
            _ => self.state.link(target, slot),
        }
        if self.has_registers() {
            self.stir(router, local);
        }
        let held = !PLAIN && self.model.vc_allocation_delay > 1;
        if held {
            self.hold(router, local, self.model.vc_allocation_delay);
        }
        Taken {
            channel: bit(channel),
            first,
            no_credit,
            held,
        }
    }
}

/// An output virtual channel that has just been taken.
struct Taken {
    /// Its bit in its mask word.
    channel: u64,
    /// The first channel of that word.
    first: u32,
    /// Has it no credit?
    no_credit: bool,
    /// Is the taker inside a stage of several cycles now?
    held: bool,
}

/// Round-robin pointers of a router's channel allocator: output virtual channels grant, lanes accept.
struct ChannelPointers<'a, const ONE_WORD: bool> {
    storage: &'a mut Storage<ONE_WORD>,
    router: u32,
    lanes: u32,
}

impl<const ONE_WORD: bool> Pointers for ChannelPointers<'_, ONE_WORD> {
    #[inline]
    fn grant(&self, output: u32) -> u32 {
        after(self.storage.out(self.router, output).grant, self.lanes)
    }

    #[inline]
    fn accept(&self, input: u32) -> u32 {
        after(self.storage.lane(self.router, input).accept, self.lanes)
    }

    #[inline]
    fn advance(&mut self, input: u32, output: u32) {
        self.storage.out_mut(self.router, output).grant = input;
        self.storage.lane_mut(self.router, input).accept = output;
    }

    #[inline]
    fn inputs(&self) -> u32 {
        self.lanes
    }

    #[inline]
    fn outputs(&self) -> u32 {
        self.lanes
    }
}
