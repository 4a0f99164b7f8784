//! Invariants, checked under `check`: flits and credits are conserved, every choice was an option.

use super::block::OutVc;
use super::deadlock;
use super::domain::Domain;
use super::wiring::NOWHERE;
use crate::outcome::Violation;

/// Cycles from one audit to the next; [`Setup::check`](super::Setup::check) and
/// `docs/simulator.md` promise as many.
const AUDIT: u64 = 256;

impl<const ONE_WORD: bool, const PLAIN: bool> Domain<'_, ONE_WORD, PLAIN> {
    /// What is checked in every cycle, and the audit every [`AUDIT`] cycles.
    pub(super) fn check_cycle(&mut self) -> Result<(), Violation> {
        if let Some(what) = self.totals.violation.take() {
            return Err(Violation {
                cycle: self.now,
                what,
            });
        }
        if self.now.is_multiple_of(AUDIT) {
            self.audit_visits()?;
            if let Err(what) = self.state.crossbar.audit(self.wiring) {
                let cycle = self.now;
                return Err(Violation { cycle, what });
            }
            self.audit()
        } else {
            Ok(())
        }
    }

    /// Notes a violation if a packet is longer than its injector has declared.
    #[inline(never)]
    pub(super) fn check_length(&mut self, terminal: u32, flits: u16) {
        let longest = self.longest_packet;
        if flits > longest {
            let what = format!(
                "terminal {terminal} sends a packet of {flits} flits, although none is longer than {longest}"
            );
            self.totals.violation = Some(what);
        }
    }

    /// Notes a violation if a packet arrives before an earlier one of its pair although the routing
    /// promises order.
    /// Messages of different classes may overtake each other.
    pub(super) fn check_order(&mut self, slot: u32) {
        if !self.setup.routing.keeps_order() {
            return;
        }
        let packet = self.state.packets.get(slot);
        let (source, destination, number) = (packet.source, packet.destination, packet.sequence);
        let class = self.state.packets.words(slot).class;
        let pair = (source, destination, class);
        let last = self.totals.arrived.insert(pair, number);
        if let Some(last) = last.filter(|&last| last > number) {
            let what = format!(
                "packet {number} of terminal {source} arrived at terminal {destination} after packet {last}, \
                 although the routing keeps order"
            );
            self.totals.violation = Some(what);
        }
    }

    /// A router with something left to do is visited in the next cycle.
    fn audit_visits(&mut self) -> Result<(), Violation> {
        let next = self.now + 1;
        for group in 0..self.state.timeline.groups() {
            let first = self.state.timeline.first() + 8 * group;
            let due = self.state.timeline.take_due(next, first).to_le_bytes();
            for (router, due) in (first..).zip(due) {
                if due != 0 {
                    // Reading the flag has cleared it.
                    self.state.timeline.visit(next, router);
                } else if (router as usize) < self.wiring.routers.len() && self.is_busy(router) {
                    return Err(Violation {
                        cycle: self.now,
                        what: format!(
                            "router {router} has something to do and will not be visited"
                        ),
                    });
                }
            }
        }
        Ok(())
    }

    /// Flits injected are delivered or inside; every buffer slot is accounted for exactly once.
    pub(super) fn audit(&self) -> Result<(), Violation> {
        let fail = |what: String| {
            Err(Violation {
                cycle: self.now,
                what,
            })
        };
        let stored: u64 = self
            .lanes()
            .map(|(router, local, _)| self.stored(router, local))
            .sum();
        let flying: u64 = self.coming().map(|(_, flits, _)| u64::from(flits)).sum();
        let queued = match self.state.outputs.audit(self.wiring) {
            Ok(flits) => flits,
            Err(what) => return fail(what),
        };
        let inside = self.totals.flits_injected - self.totals.flits_delivered;
        if stored + flying + queued != inside {
            return fail(format!(
                "{inside} flits should be inside, but {stored} are stored at inputs, {queued} queued at outputs and {flying} under way"
            ));
        }
        let routers = self.lanes().map(|(router, local, _)| {
            let out = self.state.storage.out(router, local);
            u32::from(out.depth) - u32::from(out.credits)
        });
        let mut missing: Vec<u32> = routers.collect();
        missing.resize(
            missing.len() + (self.wiring.terminals() << self.wiring.shift),
            0,
        );
        for (out, &credits) in self.state.injection_credits.numbered() {
            let depth = self.wiring.injection_depth(out >> self.wiring.shift);
            missing[self.wiring.lanes() + out as usize] = depth - u32::from(credits);
        }
        let mut account = |out: usize, count: u32| match missing[out].checked_sub(count) {
            Some(rest) => {
                missing[out] = rest;
                true
            }
            None => false,
        };
        let first_injection = self.wiring.lanes();
        let terminals = self.state.terminal_credits.iter();
        let terminals = terminals.map(|&credit| (first_injection + credit as usize, 1));
        let further = self.state.further_credits.iter();
        let further = further.map(|&(router, local)| (self.number(router, local) as usize, 1));
        let routers = self.coming().map(|(lane, _, credits)| (lane, credits));
        let agents = self.agents.as_ref();
        let reception = agents.and_then(|agents| agents.reception.as_ref());
        let refused = reception.map(|reception| reception.uncredited());
        let refused = refused.into_iter().flatten();
        let refused =
            refused.map(|(router, out, flits)| (self.number(router, out) as usize, flits));
        for (out, count) in terminals.chain(further).chain(refused).chain(routers) {
            if !account(out, count) {
                return fail(format!(
                    "output channel {out} gets more credits than it spent"
                ));
            }
        }
        let vcs = self.wiring.stride as usize;
        let sender = |lane: usize| match self.wiring.upstream[lane / vcs].first_out {
            NOWHERE => None,
            first => Some(first as usize + lane % vcs),
        };
        for (router, local, lane) in self.lanes() {
            let stored = self.stored(router, local) as u32;
            let buffered = self.state.registers.buffered(lane as u32);
            let count = buffered.map_or(stored, u32::from);
            if count > 0 && !sender(lane).is_some_and(|out| account(out, count)) {
                return fail(format!("lane {lane} stores {count} flits nobody paid for"));
            }
        }
        for (lane, flits, _) in self.coming() {
            if flits > 0 && !sender(lane).is_some_and(|out| account(out, flits)) {
                return fail(format!("a flit nobody paid for travels to lane {lane}"));
            }
        }
        if let Some(out) = missing.iter().position(|&count| count != 0) {
            return fail(format!(
                "{} credits of output channel {out} have vanished",
                missing[out]
            ));
        }
        self.audit_ownership()?;
        self.audit_progress()
    }

    /// If no event is pending, no router will be visited, and no terminal waits for its slow channel, the packets inside must be in a
    /// deadlock, unless they wait behind one that has no route, by which the run ends.
    fn audit_progress(&self) -> Result<(), Violation> {
        let agents = self.agents.as_ref();
        let told = agents.and_then(|agents| agents.next_due(self.now));
        let at_rest = self.state.packets.len() > 0
            && self.state.next_due(self.now).is_none()
            && !self.state.pace.is_taken(self.now)
            && told.is_none();
        let waiters = || deadlock::waiters(std::slice::from_ref(self));
        let is_stuck = || !deadlock::find(self.setup.network, self.wiring, waiters()).is_empty();
        if !at_rest || self.totals.lost.is_some() || is_stuck() {
            return Ok(());
        }
        let packets = self.state.packets.len();
        Err(Violation {
            cycle: self.now,
            what: format!("{packets} packets could go on, but nobody looks at them"),
        })
    }

    /// Every lane: its router, its number there, and its number among all.
    fn lanes(&self) -> impl Iterator<Item = (u32, u32, usize)> + '_ {
        let routers = self.wiring.routers.iter().enumerate();
        routers.flat_map(|(router, at)| {
            (0..at.lanes).map(move |local| (router as u32, local, (at.first_lane + local) as usize))
        })
    }

    /// The number of a router's lane or output virtual channel among all.
    #[inline(always)]
    pub(super) fn number(&self, router: u32, local: u32) -> u32 {
        self.wiring.routers[router].first_lane + local
    }

    fn stored(&self, router: u32, local: u32) -> u64 {
        u64::from(self.state.storage.lane(router, local).stored)
    }

    /// Flits and credits on their way, by the lane or output virtual channel of a router they come to.
    fn coming(&self) -> impl Iterator<Item = (usize, u32, u32)> + '_ {
        let late = self.state.late_flits.iter();
        let late = late.map(|&(router, lane)| (self.number(router, lane) as usize, 1, 0));
        self.state
            .timeline
            .iter()
            .flat_map(move |(router, first, flits, credits)| {
                let first = self.number(router, first) as usize;
                (0..64).map(move |bit| {
                    let count = |mask: u64| (mask >> bit & 1) as u32;
                    (first + bit, count(flits), count(credits))
                })
            })
            .chain(late)
            .filter(|&(_, flits, credits)| flits + credits > 0)
    }

    /// An output virtual channel and the lane that holds it know of each other.
    fn audit_ownership(&self) -> Result<(), Violation> {
        let storage = &self.state.storage;
        for (router, local, _) in self.lanes() {
            let out = storage.out(router, local);
            let free = storage.masks(router, local / 64).free >> (local % 64) & 1 == 1;
            let consistent = match out.owner {
                NOWHERE => free,
                OutVc::DRAINING => !free,
                lane => !free && storage.lane(router, lane).out == local,
            };
            if !consistent {
                let what = format!(
                    "output channel {local} of router {router} and its holder disagree: {out:?}, free: {free}"
                );
                return Err(Violation {
                    cycle: self.now,
                    what,
                });
            }
        }
        Ok(())
    }
}
