//! Switch allocation: which flits cross a router's crossbar in this step.
//!
//! iSLIP with one iteration works on masks of the lanes that are ready for each output;
//! several iterations and other allocators go through the general matcher.

use super::super::matcher::{Request, after, distance};
use super::super::state::SwitchPointers;
use super::super::wiring::RouterWiring;
use super::{Grant, Routers, Scratch, bit, first_from};

impl<const ONE_WORD: bool> Routers<'_, '_, ONE_WORD> {
    /// Fills `grants` with the flits that cross the switch in this step.
    ///
    /// Every output grants one lane; where no input got two grants, all of them stand.
    #[inline(always)]
    pub(super) fn match_switch(&mut self, router: u32, at: RouterWiring) {
        self.scratch.grants.clear();
        let (mut granted, mut again) = (0u64, 0u64);
        for word in 0..self.words() {
            for_bits!(port in self.wants[(router * self.words() + word) as usize].switch_ports, {
                let output = word * 64 + port;
                if self.has_output_space(at.first_port + output) {
                    let grant = self.grant(at, output);
                    // Inputs 64 apart are taken for the same; the conflict then proves to be none.
                    let input = bit(u32::from(grant.input));
                    again |= granted & input;
                    granted |= input;
                    self.scratch.grants.push(grant);
                }
            });
        }
        if granted == 0 {
            return;
        }
        if again != 0 || !self.simple {
            self.resolve(at);
        }
        for index in 0..self.scratch.grants.len() {
            let Grant {
                lane,
                input,
                output,
            } = self.scratch.grants[index];
            if self.simple {
                self.ports[(at.first_port + u32::from(output)) as usize].grant =
                    after(input, at.ports);
            }
            let from = &mut self.ports[(at.first_port + u32::from(input)) as usize];
            if self.simple {
                from.accept = after(output, at.ports);
            }
            let next = lane + 1 - u32::from(input) * self.vcs;
            from.choice = if next == self.vcs { 0 } else { next as u16 };
        }
    }

    /// The lane an output grants: of the first input in round-robin order, the first lane
    /// in that input's own order.
    #[inline(always)]
    fn grant(&self, at: RouterWiring, output: u32) -> Grant {
        let port = at.first_port + output;
        let turn = u32::from(self.ports[port as usize].grant) * self.vcs;
        let first = self.first_ready(port, turn);
        let input = self.input_of[first as usize];
        let begin = u32::from(input) * self.vcs;
        let set = self.ready_of(port, begin);
        let vc = first_from(
            set,
            u32::from(self.ports[(at.first_port + u32::from(input)) as usize].choice),
        );
        Grant {
            lane: begin + vc,
            input,
            output: output as u16,
        }
    }

    /// The first lane from `turn` on, going round, that is ready for a port which some lane is ready for.
    #[inline(always)]
    fn first_ready(&self, port: u32, turn: u32) -> u32 {
        let first = (port * self.words()) as usize;
        if ONE_WORD {
            let ready = self.masks[first].ready;
            let later = ready & (u64::MAX << (turn % 64));
            return if later != 0 { later } else { ready }.trailing_zeros();
        }
        let words = self.words();
        let start = turn / 64;
        let later = self.masks[first + start as usize].ready & (u64::MAX << (turn % 64));
        if later != 0 {
            return start * 64 + later.trailing_zeros();
        }
        // The starting word comes last again, for the lanes before the turn.
        let order = (start + 1..words).chain(0..=start);
        let mut found = order.filter_map(|word| {
            let ready = self.masks[first + word as usize].ready;
            (ready != 0).then(|| word * 64 + ready.trailing_zeros())
        });
        found.next().unwrap_or(0)
    }

    /// The virtual channels of an input, whose lanes start at `begin`, that are ready for a port.
    #[inline(always)]
    fn ready_of(&self, port: u32, begin: u32) -> u32 {
        let first = (port * self.words() + begin / 64) as usize;
        let low = self.masks[first].ready >> (begin % 64);
        let straddles = !ONE_WORD && begin % 64 + self.vcs > 64;
        let high = if straddles {
            self.masks[first + 1].ready << (64 - begin % 64)
        } else {
            0
        };
        (low | high) as u32 & self.all_vcs
    }

    /// Keeps the grants that inputs accept, or matches in another way altogether.
    #[inline(never)]
    fn resolve(&mut self, at: RouterWiring) {
        if !self.simple {
            return self.match_requests(at);
        }
        let Scratch { grants, kept, .. } = &mut *self.scratch;
        kept.clear();
        for grant in grants.iter() {
            let accept = self.ports[(at.first_port + u32::from(grant.input)) as usize].accept;
            let behind = |other: &Grant| distance(other.output, accept, at.ports);
            let better =
                |other: &Grant| other.input == grant.input && behind(other) < behind(grant);
            if !grants.iter().any(better) {
                kept.push(*grant);
            }
        }
        std::mem::swap(grants, kept);
    }

    /// Several iterations, or another allocator: by the general matcher.
    fn match_requests(&mut self, at: RouterWiring) {
        self.scratch.requests.clear();
        for input in 0..at.ports {
            let choice = u32::from(self.ports[(at.first_port + input) as usize].choice);
            for output in 0..at.ports {
                let set = self.ready_of(at.first_port + output, input * self.vcs);
                if set != 0 && self.has_output_space(at.first_port + output) {
                    let lane = (input * self.vcs + first_from(set, choice)) as u16;
                    self.scratch.requests.push(Request {
                        input: input as u16,
                        output: output as u16,
                        lane,
                    });
                }
            }
        }
        let Scratch {
            requests,
            matches,
            matcher,
            grants,
            ..
        } = &mut *self.scratch;
        let mut pointers = SwitchPointers(&mut self.ports[at.port_range()]);
        matcher.run(
            self.model.allocator,
            self.model.allocation_iterations,
            requests,
            &mut pointers,
            matches,
        );
        grants.clear();
        grants.extend(matches.iter().map(|&index| {
            let Request {
                input,
                output,
                lane,
            } = requests[index as usize];
            Grant {
                lane: u32::from(lane),
                input,
                output,
            }
        }));
    }

    #[inline(always)]
    fn has_output_space(&self, port: u32) -> bool {
        let Some(limit) = self.model.output_buffer_flits else {
            return true;
        };
        self.last_send[port as usize].saturating_sub(self.now) < u64::from(limit)
    }
}
