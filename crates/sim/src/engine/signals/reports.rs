//! Reports: which routers make one in a cycle, what they say, and what those who hear it keep.
//!
//! The state of a router changes only when it is visited. A plain one is looked at more closely: the ports
//! that its report looks at have changed if a credit came for one of them or a flit left by one. So a
//! flit that goes elsewhere costs a glance, and no report.

use super::super::domain::Domain;
use super::super::outbox::Outbox;
use super::Flying;
use turnwise_network::RouterId;

impl<const ONE_WORD: bool, const PLAIN: bool> Domain<'_, ONE_WORD, PLAIN> {
    /// Notices that arrive in this cycle are kept, before anybody decides anything.
    #[inline(never)]
    pub(in super::super) fn receive_notices(&mut self) {
        let Some(signals) = self.signals.as_deref_mut() else {
            return;
        };
        let Some(mut due) = signals.flying.take(self.now) else {
            return;
        };
        // They came from several domains, and over lines of several lengths.
        due.sort_unstable();
        let lines = signals.lines;
        for &Flying {
            region,
            line,
            notice,
        } in &due
        {
            let memory = &mut signals.memory[lines.memory(region)];
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
        signals.flying.recycle(due);
    }

    /// Visits all routers that have anything to do; those that have changed report.
    #[inline(never)]
    pub(in super::super) fn visit_and_report(&mut self) {
        self.note_visits();
        self.visit_all();
        self.note_departures();
        self.report_all();
    }

    /// Notes who will be visited, and who gets credits.
    fn note_visits(&mut self) {
        let Some(signals) = self.signals.as_deref_mut() else {
            return;
        };
        let timeline = &self.state.timeline;
        for group in 0..timeline.groups() {
            let mut due = timeline.due(self.now, group);
            while due != 0 {
                let router = group * 8 + due.trailing_zeros() / 8;
                due &= due - 1;
                if signals.lines.of_router(router).is_empty() {
                    continue;
                }
                if !PLAIN {
                    signals.must_report(router);
                    continue;
                }
                signals.visited.push(router);
                let credits = timeline.credits(self.now, router);
                if credits & signals.lines.watched_outs(router) != 0 {
                    signals.must_report(router);
                }
            }
        }
    }

    /// Notes who has sent flits.
    fn note_departures(&mut self) {
        let Some(signals) = self.signals.as_deref_mut() else {
            return;
        };
        let visited = std::mem::take(&mut signals.visited);
        for &router in &visited {
            let (numbers, ports) = signals.lines.watched(router);
            let mut left = false;
            for (last, &port) in signals.sent[numbers].iter_mut().zip(ports) {
                let sent = self.state.storage.port(router, port.into()).sent;
                left |= std::mem::replace(last, sent) != sent;
            }
            if left {
                signals.must_report(router);
            }
        }
        signals.visited = visited;
        signals.visited.clear();
    }

    fn report_all(&mut self) {
        let words = self
            .signals
            .as_ref()
            .map_or(0, |signals| signals.reporting.len());
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
        let Some(signals) = self.signals.as_deref_mut() else {
            return;
        };
        let lines = signals.lines;
        let mut notices = std::mem::take(&mut signals.notices);
        notices.extend_from_slice(&signals.said[lines.of_router(router)]);
        let view = self.view(router);
        lines.sensing.report(RouterId(router), &view, &mut notices);
        let Some(signals) = self.signals.as_deref_mut() else {
            return;
        };
        for (line, &notice) in lines.of_router(router).zip(&notices) {
            if std::mem::replace(&mut signals.said[line], notice) == notice {
                continue;
            }
            for target in lines.targets(line) {
                let at = self.now + u64::from(target.delay);
                let flying = Flying {
                    region: target.region,
                    line: line as u32,
                    notice,
                };
                match target.domain == self.number {
                    true => signals.flying.push(at, flying),
                    false => self.outboxes[usize::from(target.domain)].tell(at, flying),
                }
            }
        }
        notices.clear();
        signals.notices = notices;
    }

    /// Notices from another domain are on their way.
    pub(in super::super) fn hear(&mut self, from: &mut Outbox) {
        if let Some(signals) = self.signals.as_deref_mut() {
            for (at, flying) in from.notices() {
                signals.flying.push(at, flying);
            }
        }
    }
}
