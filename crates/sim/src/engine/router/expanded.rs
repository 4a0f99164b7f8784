//! Switch allocation on an expanded crossbar, and with connections that packets keep.
//!
//! A packet that keeps its connection crosses it with one flit a step, without a request. In a step in
//! which it cannot, it loses the connection, and it competes again in the next one. While a connection is
//! kept, no other packet gets either end. As in BookSim2.

use super::super::crossbar::{Connection, Crossbar};
use super::super::domain::Domain;
use super::super::matcher::{Request, after, distance};
use super::super::wiring::NOWHERE;
use super::bit;

impl<const ONE_WORD: bool, const PLAIN: bool> Domain<'_, ONE_WORD, PLAIN> {
    /// Is the crossbar more than one input and one output a port, matched anew in every step?
    #[inline(always)]
    pub(super) fn is_expanded(&self) -> bool {
        !PLAIN && Crossbar::is_needed(&self.model)
    }

    /// Does a lane keep its connection until the next step?
    #[inline(always)]
    pub(super) fn keeps_connection(&self, tail: bool, empty: bool) -> bool {
        !PLAIN && self.model.hold_switch && !tail && !empty
    }

    /// Fills `winners` with the lanes that cross the switch in this step; 0 if there are none.
    #[inline(never)]
    pub(super) fn match_expanded(&mut self, router: u32) -> u64 {
        self.scratch.matched = true;
        self.scratch.requests.clear();
        let mut crossing = 0;
        for word in 0..self.words() {
            let mut ready = self.masks(router, word).ready();
            if let Some(room) = self.state.pace.waiting_room {
                ready = self.with_open_outputs(router, word, ready, room, self.now);
            }
            self.scratch.winners[word] = 0;
            for_bits!(position in ready, {
                crossing += u32::from(self.request_crossing(router, word * 64 + position));
            });
        }
        if *self.state.crossbar.kept(router) > crossing {
            self.release_idle(router);
        }
        let at = self.wiring.routers[router];
        let (matcher, mut crossbar) = self.state.crossbar.of(at.first_port, at.ports);
        let (requests, matches) = (&self.scratch.requests, &mut self.scratch.matches);
        let (allocator, iterations) = (
            self.model.switch_allocator,
            self.model.allocation_iterations,
        );
        matcher.run(allocator, iterations, requests, &mut crossbar, matches);
        for &index in matches.iter() {
            let Request { input, lane, .. } = requests[index as usize];
            *crossbar.choice(input) = lane & (self.wiring.stride - 1);
            self.scratch.winners[lane / 64] |= bit(lane);
        }
        self.scratch.winners.iter().fold(0, |any, word| any | word)
    }

    /// A ready lane crosses at once if it keeps its connection. Otherwise it requests the connection, unless
    /// another lane keeps an end of it. Does it cross at once?
    fn request_crossing(&mut self, router: u32, local: u32) -> bool {
        let (at, stride) = (self.wiring.routers[router], self.wiring.stride);
        let (port, vc) = (local >> self.wiring.shift, local & (stride - 1));
        let lane = self.state.storage.lane(router, local);
        let (output, to) = (u32::from(lane.port), lane.out & (stride - 1));
        let way = self.state.crossbar.connection(port, vc, output, to);
        let (_, mut crossbar) = self.state.crossbar.of(at.first_port, at.ports);
        let holder = *crossbar.holder(way.output);
        if holder != NOWHERE && holder != local && self.is_ready(router, holder) {
            return false;
        }
        let (_, mut crossbar) = self.state.crossbar.of(at.first_port, at.ports);
        if crossbar.keeper(way.input) == local {
            self.scratch.winners[local / 64] |= bit(local);
            return true;
        }
        if !crossbar.is_open(way) {
            return false;
        }
        let turn = after(*crossbar.choice(way.input), stride);
        let request = Request {
            input: way.input,
            output: way.output,
            lane: local,
        };
        // A crossbar input asks an output once, for the lane whose turn it is.
        let requests = &mut self.scratch.requests;
        let same_port = requests
            .iter_mut()
            .rev()
            .take_while(|known| self.state.crossbar.share_port(known.input, way.input));
        let mut known = same_port
            .filter(|known| (known.input, known.output) == (request.input, request.output));
        match known.next() {
            None => requests.push(request),
            Some(known) => {
                let waits = |lane: u32| distance(lane & (stride - 1), turn, stride);
                if waits(request.lane) < waits(known.lane) {
                    *known = request;
                }
            }
        }
        false
    }

    /// Can a lane use the switch in this step?
    fn is_ready(&mut self, router: u32, local: u32) -> bool {
        self.masks(router, local / 64).ready() & bit(local) != 0
    }

    /// The connection of a lane that holds a virtual channel of this output.
    fn way(&self, router: u32, local: u32, output: u32) -> Connection {
        let last_vc = self.wiring.stride - 1;
        let (port, vc) = (local >> self.wiring.shift, local & last_vc);
        let to = self.state.storage.lane(router, local).out & last_vc;
        self.state.crossbar.connection(port, vc, output, to)
    }

    /// A lane's flit has crossed: until its tail has, nobody else gets the output while the lane has a flit for it.
    pub(super) fn lock(&mut self, router: u32, local: u32, output: u32, goes_on: bool) {
        let at = self.wiring.routers[router];
        let way = self.way(router, local, output);
        let (_, mut crossbar) = self.state.crossbar.of(at.first_port, at.ports);
        *crossbar.holder(way.output) = if goes_on { local } else { NOWHERE };
    }

    /// Connections whose keepers do not cross in this step are kept no longer.
    fn release_idle(&mut self, router: u32) {
        let at = self.wiring.routers[router];
        let (_, mut crossbar) = self.state.crossbar.of(at.first_port, at.ports);
        let mut released = 0;
        for input in 0..at.ports * self.model.input_speedup {
            let keeper = crossbar.keeper(input);
            if keeper != NOWHERE && self.scratch.winners[keeper / 64] & bit(keeper) == 0 {
                crossbar.release(input);
                released += 1;
            }
        }
        *self.state.crossbar.kept(router) -= released;
    }

    /// A lane's flit has crossed: does it keep the connection?
    pub(super) fn keep_or_release(&mut self, router: u32, local: u32, output: u32, keep: bool) {
        let at = self.wiring.routers[router];
        let way = self.way(router, local, output);
        let (_, mut crossbar) = self.state.crossbar.of(at.first_port, at.ports);
        let kept = crossbar.keeper(way.input) == local;
        match (kept, keep) {
            (false, true) => {
                crossbar.keep(way, local);
                *self.state.crossbar.kept(router) += 1;
            }
            (true, false) => {
                crossbar.release(way.input);
                *self.state.crossbar.kept(router) -= 1;
            }
            _ => {}
        }
    }
}
