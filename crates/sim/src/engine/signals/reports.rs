//! Reports: which routers make one in a cycle, what they say, and what those who hear it keep.
//!
//! The state of a router changes only when it is visited. Plain ones count what leaves by their ports and what
//! is credited, so that what does not count costs a few instructions; at others, all ports that are
//! watched are looked at after every visit.

use super::super::domain::Domain;
use super::super::outbox::Outbox;
use super::super::wiring::NOWHERE;
use super::{Flying, Signals};
use turnwise_network::{Congestion, Notice, Port, RouterId, VcSet};

impl Signals<'_> {
    /// A line says this in cycle `now`, unless it has said so last. Who hears it in another domain than this one, with its
    /// number, hears it from an outbox.
    #[inline]
    fn say(&mut self, line: u32, notice: Notice, (now, here): (u64, u16), outboxes: &mut [Outbox]) {
        if std::mem::replace(&mut self.said[line], notice) == notice {
            return;
        }
        for target in self.lines.targets(line) {
            let at = now + u64::from(target.delay);
            let flying = Flying {
                region: target.region,
                line,
                notice,
            };
            match target.domain == here {
                true => self.expect(at, flying),
                false => outboxes[usize::from(target.domain)].tell(at, flying),
            }
        }
    }
}

impl<const ONE_WORD: bool, const PLAIN: bool> Domain<'_, ONE_WORD, PLAIN> {
    /// Notices that arrive in this cycle are kept, before anybody decides anything.
    #[inline(never)]
    pub(in super::super) fn receive_notices(&mut self) {
        let Some(signals) = self.signals.as_deref_mut() else {
            return;
        };
        if signals.tells_queues {
            return signals.keep_queues(self.now);
        }
        let Some(mut due) = signals.flying.take(self.now) else {
            return;
        };
        signals.count -= due.len();
        // They came from several domains, and over lines of several lengths.
        due.sort_unstable();
        self.receive_in_order(&due);
        if let Some(signals) = self.signals.as_deref_mut() {
            signals.flying.recycle(due);
        }
    }

    /// Keeps notices, and has those report who tell what they are told.
    fn receive_in_order(&mut self, due: &[Flying]) {
        let Some(signals) = self.signals.as_deref_mut() else {
            return;
        };
        let lines = signals.lines;
        for &Flying {
            region,
            line,
            notice,
        } in due
        {
            let memory = &mut signals.memory.as_mut_slice()[lines.memory(region)];
            let from = lines.sender(line);
            if lines.sensing.receive(region, from, notice, memory) {
                for &router in lines.members(region) {
                    let here = self.partition.owner[router as usize] == self.number;
                    if here && !lines.of_router(router).is_empty() {
                        signals.must_report(router);
                    }
                }
            }
        }
    }

    /// Output virtual channels of a plain router that it watches get credits.
    #[inline(always)]
    pub(in super::super) fn count_credits(&mut self, router: u32, mut credits: u64) {
        while credits != 0 {
            let out = credits.trailing_zeros();
            credits &= credits - 1;
            if self.times {
                self.time_credit(router, out);
            }
            self.count_flit(router, out >> self.wiring.shift, u32::MAX);
        }
    }

    /// Flits of these output virtual channels have crossed the switch of a plain router: counts those of ports that are
    /// watched, and not counted all together.
    #[inline(always)]
    pub(in super::super) fn count_crossings(&mut self, router: u32, mut crossed: u64, gauged: u64) {
        if self.awaits {
            let mut crossed = crossed;
            while crossed != 0 {
                let out = crossed.trailing_zeros();
                crossed &= crossed - 1;
                self.count_awaiting(router, out >> self.wiring.shift, u32::MAX);
            }
        }
        crossed &= gauged;
        while crossed != 0 {
            let out = crossed.trailing_zeros();
            crossed &= crossed - 1;
            if self.times {
                self.time_flit(router, out);
            }
            match (self.awaits, self.times) {
                (false, _) => self.count_flit(router, out >> self.wiring.shift, 1),
                // The sum of what waits and what has left is as it was, but not what has left lately.
                (true, true) => self.count_flit(router, out >> self.wiring.shift, 0),
                (true, false) => {}
            }
        }
    }

    /// Flits that a plain router has sent and been credited, of ports whose queues are told in steps: all together.
    #[inline(always)]
    pub(in super::super) fn count_together(&mut self, router: u32, sent: u64, credits: u64) {
        if sent | credits == 0 {
            return;
        }
        let first_port = self.wiring.routers[router].first_port;
        if let Some(signals) = self.signals.as_deref_mut() {
            signals.count_flits(self.now, first_port, (sent, credits));
        }
    }

    /// A lane's head has a route: its packet waits for a port, which may be `watched`.
    #[inline(always)]
    pub(in super::super) fn count_routed(&mut self, router: u32, local: u32, watched: u64) {
        let lane = self.state.storage.lane(router, local);
        let (port, flits) = (u32::from(lane.port), u32::from(lane.left));
        self.count_awaiting(router, port, flits);
        if PLAIN && watched >> (port << self.wiring.shift) & 1 == 1 {
            self.count_flit(router, port, flits);
        }
    }

    /// A packet of so many flits waits for another port than before.
    #[inline(never)]
    pub(in super::super) fn count_rerouted(
        &mut self,
        router: u32,
        (before, after): (u32, u32),
        flits: u32,
    ) {
        if before == after {
            return;
        }
        for (port, more) in [(before, flits.wrapping_neg()), (after, flits)] {
            self.count_awaiting(router, port, more);
            if PLAIN && self.watched[router] >> (port << self.wiring.shift) & 1 == 1 {
                self.count_flit(router, port, more);
            }
        }
    }

    /// So many flits more, or less, wait for a port.
    #[inline(always)]
    pub(in super::super) fn count_awaiting(&mut self, router: u32, port: u32, more: u32) {
        let port = self.state.storage.port_mut(router, port);
        port.awaiting = port.awaiting.wrapping_add(more);
    }

    /// A flit of an output virtual channel leaves a router that times flits.
    #[inline(never)]
    pub(in super::super) fn time_flit(&mut self, router: u32, out: u32) {
        let (out, now) = (self.number(router, out), self.now);
        if let Some(signals) = self.signals.as_deref_mut() {
            signals.credit_times.leaves(out, now);
        }
    }

    /// And is credited.
    #[inline(never)]
    pub(in super::super) fn time_credit(&mut self, router: u32, out: u32) {
        let port = self.wiring.routers[router].first_port + (out >> self.wiring.shift);
        let (out, now) = (self.number(router, out), self.now);
        if let Some(signals) = self.signals.as_deref_mut() {
            signals.credit_times.credited(port, out, now);
        }
    }

    /// For how many cycles a credit is withheld for a flit that goes from an input of a router to an output.
    #[inline(never)]
    pub(in super::super) fn withheld(&self, router: u32, input: u32, output: u32) -> u64 {
        let Some(signals) = self.signals.as_deref() else {
            return 0;
        };
        let (sensing, at) = (signals.lines.sensing, RouterId(router));
        if !sensing.withholds(at, input as Port, output as Port) {
            return 0;
        }
        let at = self.wiring.routers[router];
        let late = |port: u32| signals.credit_times.late(at.first_port + port);
        let is_between = |&port: &u32| {
            self.wiring.downstream[(at.first_port + port) as usize].channel != NOWHERE
        };
        let quickest = (0..at.ports).filter(is_between).map(late).min();
        (late(output) - quickest.unwrap_or(0).min(late(output))).min(self.most_withheld)
    }

    /// So many flits more, or less, wait for a port of a plain router or are under way behind it.
    #[inline(always)]
    fn count_flit(&mut self, router: u32, port: u32, more: u32) {
        let port = self.wiring.routers[router].first_port + port;
        if let Some(signals) = self.signals.as_deref_mut() {
            signals.count(self.now, router, port, more);
        }
    }

    /// Looks at all ports that a router watches.
    #[inline(never)]
    pub(in super::super) fn look_at_ports(&mut self, router: u32) {
        let at = self.wiring.routers[router];
        let signals = self.signals.as_deref();
        if signals.is_none_or(|signals| signals.lines.of_router(router).is_empty()) {
            return;
        }
        for port in 0..at.ports {
            let index = (at.first_port + port) as usize;
            let occupancy = match &self.signals {
                Some(signals) if signals.gauges.at(index).is_watched() => {
                    let view = self.view(router);
                    view.occupancy(port as Port, VcSet::EVERY) + view.awaiting(port as Port)
                }
                _ => continue,
            };
            if let Some(signals) = self.signals.as_deref_mut()
                && signals.gauges.at_mut(index).set(occupancy)
            {
                signals.port_changed(router, index as u32);
            }
        }
    }

    /// Routers that have changed report.
    #[inline(never)]
    pub(in super::super) fn report_all(&mut self) {
        let Some(signals) = self.signals.as_deref_mut() else {
            return;
        };
        signals.any_reports = false;
        if signals.tells_queues {
            return signals.tell_queues((self.now, self.number), &mut self.outboxes);
        }
        let words = signals.reporting.len();
        for word in 0..words {
            let Some(signals) = self.signals.as_deref_mut() else {
                return;
            };
            let mut routers = std::mem::take(&mut signals.reporting[word]);
            while routers != 0 {
                let router = word as u32 * 64 + routers.trailing_zeros();
                routers &= routers - 1;
                self.report(router);
            }
        }
    }

    /// A router says what its lines have not said yet.
    fn report(&mut self, router: u32) {
        let here = (self.now, self.number);
        let Some(signals) = self.signals.as_deref_mut() else {
            return;
        };
        let lines = signals.lines;
        let mut notices = std::mem::take(&mut signals.notices);
        notices.extend(lines.of_router(router).map(|line| signals.said.at(line)));
        let view = self.view_afterwards(router);
        lines.sensing.report(RouterId(router), &view, &mut notices);
        let Some(signals) = self.signals.as_deref_mut() else {
            return;
        };
        for (line, &notice) in (0..).skip(lines.of_router(router).start).zip(&notices) {
            signals.say(line, notice, here, &mut self.outboxes);
        }
        notices.clear();
        signals.notices = notices;
    }

    /// Notices from another domain are on their way.
    pub(in super::super) fn hear(&mut self, from: &mut Outbox) {
        if let Some(signals) = self.signals.as_deref_mut() {
            for (at, flying) in from.notices() {
                match signals.tells_queues {
                    true => signals.expect_from_afar(at, flying),
                    false => signals.expect(at, flying),
                }
            }
        }
    }
}
