//! Switch allocation: which flits cross a router's crossbar in this step.
//!
//! Where no two lanes want the same output or share an input, every allocator lets all of
//! them cross. Otherwise iSLIP with one iteration works on masks, and everything else goes
//! through the general matcher.

use super::super::domain::Domain;
use super::super::matcher::{Pointers, Request, after, distance};
use super::super::scratch::Scratch;
use super::super::storage::Storage;
use super::{behind, bit, next_after};

/// Ports that have bits of their own in what lanes [claim](super::super::block::Lane::claim).
const CLAIMED: usize = 32;

/// The lanes of an input port whose first one is this.
#[inline(always)]
fn lanes_of(first: u32, shift: u32) -> u64 {
    (u64::MAX >> (64 - (1 << shift))) << (first % 64)
}

impl<const ONE_WORD: bool, const PLAIN: bool> Domain<'_, ONE_WORD, PLAIN> {
    /// The lanes that cross the switch in this step. Of a router with more than one word of
    /// them, `winners` is filled, and the answer is 0 if there are none.
    #[inline(always)]
    pub(super) fn match_switch(&mut self, router: u32) -> u64 {
        if self.is_expanded() {
            return self.match_expanded(router);
        }
        self.scratch.matched = false;
        let (mut inputs, mut outputs, mut clash, mut any) = (0u64, 0u64, 0u64, 0u64);
        for word in 0..self.words() {
            let mut ready = self.masks(router, word).ready();
            if let Some(room) = self.state.pace.waiting_room {
                ready = self.with_open_outputs(router, word, ready, room, self.now);
            }
            any |= ready;
            if !ONE_WORD {
                self.scratch.winners[word] = ready;
            } else if ready & ready.wrapping_sub(1) == 0 {
                return ready;
            }
            for_bits!(local in ready, {
                let lane = self.state.storage.lane(router, word * 64 + local);
                // Ports 64 apart share a bit; whether lanes really compete is checked below.
                let input = bit((word * 64 + local) >> self.wiring.shift);
                let output = bit(lane.port.into());
                clash |= inputs & input | outputs & output;
                inputs |= input;
                outputs |= output;
            });
        }
        if clash == 0 {
            any
        } else if ONE_WORD && self.simple_switch {
            self.match_masks(router, any)
        } else {
            self.match_requests(router, any)
        }
    }

    /// iSLIP on masks: every output grants a lane, every input accepts one of its grants.
    #[inline(never)]
    pub(super) fn match_masks(&mut self, router: u32, ready: u64) -> u64 {
        let Scratch { held, .. } = &mut self.scratch;
        let storage = &self.state.storage;
        let shift = self.wiring.shift;
        // By output, the lane that is granted: of the first input in round-robin order the
        // first in that input's own order.
        let mut outputs = 0u64;
        for_bits!(local in ready, {
            let lane = storage.lane(router, local);
            let output = u32::from(lane.port);
            let place = &mut held[output as usize % 64];
            if outputs & bit(output) != 0 {
                let other = u32::from(*place);
                let (last, mask) = if other >> shift == local >> shift {
                    let choice = storage.port(router, local >> shift).choice;
                    (u32::from(choice), (1 << shift) - 1)
                } else {
                    let granted = u32::from(storage.port(router, output).grant);
                    ((granted << shift) | ((1 << shift) - 1), 63)
                };
                if behind(local, last, mask) > behind(other, last, mask) {
                    continue;
                }
            }
            outputs |= bit(output);
            *place = local as u8;
        });
        let (mut winners, mut inputs) = (0u64, 0u64);
        for_bits!(output in outputs, {
            let local = u32::from(held[output as usize % 64]);
            let input = local >> shift;
            winners |= bit(local);
            if inputs & bit(input) != 0 {
                // The lane of this input that has been granted another output.
                let of_input = winners >> (input << shift) & ((1 << (1 << shift)) - 1);
                let of_input = of_input << (input << shift);
                let other = (of_input & !bit(local)).trailing_zeros();
                let last = storage.port(router, input).accept.into();
                let others = storage.lane(router, other).port.into();
                let loser = behind(output, last, 63) > behind(others, last, 63);
                winners &= !bit(if loser { local } else { other });
            }
            inputs |= bit(input);
        });
        winners
    }

    /// The same where it is known what more than one of these lanes [claims](super::super::block::Lane::claim): all others have what they
    /// want.
    #[inline(never)]
    pub(super) fn match_claims(&mut self, router: u32, ready: u64, twice: u64) -> u64 {
        if self.wiring.max_radix > CLAIMED {
            // Ports share bits.
            return self.match_masks(router, ready);
        }
        let shift = self.wiring.shift;
        let others = (1 << shift) - 1;
        let block = self.state.storage.block(router);
        // By output: the lanes that want it.
        let mut wanting = [0u64; CLAIMED];
        for_bits!(local in ready, {
            let port = block.lanes[local as usize % 64].port;
            wanting[usize::from(port) % CLAIMED] |= bit(local);
        });
        let mut winners = ready;
        for_bits!(output in twice & u64::from(u32::MAX), {
            let rivals = wanting[output as usize % CLAIMED];
            let granted = u32::from(block.ports[output as usize].grant);
            // Of the first input in round-robin order the first in that input's own order.
            let mut winner = next_after(rivals, granted << shift | others);
            let first = winner & !others;
            let of_input = rivals & lanes_of(first, shift);
            if of_input & (of_input - 1) != 0 {
                let choice = u32::from(block.ports[(first >> shift) as usize % 64].choice);
                winner = next_after(of_input, first | choice & others);
            }
            winners &= !rivals | bit(winner);
        });
        for_bits!(input in twice >> 32, {
            let mut of_input = winners & lanes_of(input << shift, shift);
            if of_input & of_input.wrapping_sub(1) != 0 {
                // One of the outputs that have granted it.
                let last = u32::from(block.ports[input as usize % 64].accept);
                winners &= !of_input;
                let turn = |local: u32| {
                    let port = block.lanes[local as usize % 64].port;
                    behind(port.into(), last, 63)
                };
                let mut winner = of_input.trailing_zeros();
                of_input &= of_input - 1;
                for_bits!(local in of_input, {
                    if turn(local) < turn(winner) {
                        winner = local;
                    }
                });
                winners |= bit(winner);
            }
        });
        winners
    }

    /// Several iterations, another allocator, or a large router: by the general matcher.
    #[inline(never)]
    fn match_requests(&mut self, router: u32, ready: u64) -> u64 {
        if ONE_WORD {
            self.scratch.winners[0] = ready;
        }
        let Scratch {
            requests,
            matches,
            matcher,
            winners,
            matched,
            ..
        } = &mut self.scratch;
        *matched = true;
        requests.clear();
        for word in 0..winners.len() as u32 {
            for_bits!(position in std::mem::take(&mut winners[word]), {
                let local = word * 64 + position;
                let lane = self.state.storage.lane(router, local);
                let input = local >> self.wiring.shift;
                let request = Request { input, output: lane.port.into(), lane: local };
                // An input asks an output once, for the lane whose turn it is.
                let same_input = requests.iter_mut().rev().take_while(|known| known.input == request.input);
                match same_input.into_iter().find(|known| known.output == request.output) {
                    None => requests.push(request),
                    Some(known) => {
                        let first = request.input << self.wiring.shift;
                        let choice = self.state.storage.port(router, input).choice;
                        let turn = after(u32::from(choice) & (self.wiring.stride - 1), self.wiring.stride);
                        let waits = |lane: u32| distance(lane - first, turn, 1 << self.wiring.shift);
                        if waits(request.lane) < waits(known.lane) {
                            *known = request;
                        }
                    }
                }
            });
        }
        let mut pointers = SwitchPointers {
            storage: &mut self.state.storage,
            router,
            ports: self.wiring.routers[router].ports,
        };
        matcher.run(
            self.model.switch_allocator,
            self.model.allocation_iterations,
            requests,
            &mut pointers,
            matches,
        );
        for &index in matches.iter() {
            let lane = requests[index as usize].lane;
            winners[lane / 64] |= bit(lane);
        }
        if ONE_WORD { winners[0] } else { ready }
    }

    /// Of these lanes, those whose outputs take a flit in cycle `at`: fewer than `room` wait for the channel, or
    /// it is free.
    #[inline(never)]
    pub(super) fn with_open_outputs(
        &self,
        router: u32,
        word: u32,
        ready: u64,
        room: u32,
        at: u64,
    ) -> u64 {
        let mut kept = 0;
        for_bits!(local in ready, {
            let port = u32::from(self.state.storage.lane(router, word * 64 + local).port);
            if self.opens_at(router, port, room) <= at {
                kept |= bit(local);
            }
        });
        kept
    }

    /// The cycle from which on an output takes a flit, if so many may wait for its channel.
    #[inline(always)]
    pub(super) fn opens_at(&self, router: u32, port: u32, room: u32) -> u64 {
        let free_at = self.state.pace.free_at[self.wiring.routers[router].first_port + port];
        let interval = self.state.storage.port(router, port).interval;
        free_at.saturating_sub(u64::from(room) * u64::from(interval))
    }
}

/// Round-robin pointers of a router's switch.
struct SwitchPointers<'a, const ONE_WORD: bool> {
    storage: &'a mut Storage<ONE_WORD>,
    router: u32,
    ports: u32,
}

impl<const ONE_WORD: bool> Pointers for SwitchPointers<'_, ONE_WORD> {
    #[inline]
    fn grant(&self, output: u32) -> u32 {
        let last = self.storage.port(self.router, output).grant;
        after(last.into(), self.ports)
    }

    #[inline]
    fn accept(&self, input: u32) -> u32 {
        let last = self.storage.port(self.router, input).accept;
        after(last.into(), self.ports)
    }

    #[inline]
    fn advance(&mut self, input: u32, output: u32) {
        self.storage.port_mut(self.router, output).grant = input as u16;
        self.storage.port_mut(self.router, input).accept = output as u16;
    }

    #[inline]
    fn inputs(&self) -> u32 {
        self.ports
    }

    #[inline]
    fn outputs(&self) -> u32 {
        self.ports
    }
}
