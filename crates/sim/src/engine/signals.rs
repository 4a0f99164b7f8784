//! What routers know of congestion, for adaptive routing.
//!
//! * `view`: what an algorithm that decides at a router sees.
//! * `lines`: who hears whom, after how many cycles.
//! * `credit_times`: when flits left, and how late credits come.
//! * `pending`: what is on its way, by the cycle in which it is known.
//! * `gauge`: how much is under way behind a port, and when that counts as another amount.
//! * `queues`: queues that are told, which is most of what is; `steps`: the same where every flit counts.
//! * `reports`: which routers report in a cycle, what they say, and what is kept of it.
//!
//! A run whose routing tells nothing has no [`Signals`], and asks for them twice a cycle.

mod credit_times;
mod gauge;
mod home;
mod lines;
mod pending;
mod queues;
mod reports;
mod steps;
#[cfg(test)]
mod tests;
mod view;

use super::unchecked::Arena;
use super::wiring::Wiring;
use credit_times::CreditTimes;
use gauge::Gauge;
use home::Queue;
pub(super) use lines::Lines;
use pending::Pending;
use serde::{Deserialize, Serialize};
use steps::Steps;
use turnwise_network::Notice;

/// Bytes of news on their way, and of a line with who hears it, at most.
pub(super) const OF_NEWS: usize = size_of::<Flying>();
pub(super) const OF_LINE: u64 = 128;

/// A notice on its way, for the domain that simulates routers of the region.
///
/// The order is that in which notices of one cycle are received.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(super) struct Flying {
    region: u32,
    line: u32,
    notice: Notice,
}

/// What the routers of a domain have said and heard.
pub(super) struct Signals<'a> {
    lines: &'a Lines<'a>,
    /// Memories of all regions, one behind the other. Those of regions without routers here stay empty.
    memory: Arena<u32>,
    /// By line: what it said last.
    said: Arena<Notice>,
    /// By port.
    gauges: Arena<Gauge>,
    /// Empty unless flits are timed.
    pub(super) credit_times: CreditTimes,
    /// Queues, if all can be told in steps: then nothing else is.
    steps: Option<Steps>,
    /// Queues and other notices that routers of this domain will hear, and how many.
    queues: Pending<Queue>,
    flying: Pending<Flying>,
    count: usize,
    /// Do lines tell queues, and nothing else? And the ports whose queues have changed in this cycle, if so.
    tells_queues: bool,
    changed: Vec<u32>,
    /// Routers that report in this cycle, one bit each, and whether there is anything to report.
    reporting: Vec<u64>,
    any_reports: bool,
    /// What a router says.
    notices: Vec<Notice>,
}

impl<'a> Signals<'a> {
    /// Silence. Only plain routers count flits one by one, as `steps` need it.
    pub(super) fn new(lines: &'a Lines<'a>, wiring: &Wiring, plain: bool) -> Self {
        let routers = wiring.routers.len();
        // There is either one or the other.
        let longest = match lines.tell_queues() {
            true => (lines.longest, 0),
            false => (0, lines.longest),
        };
        let gauges = lines.grains().iter().map(|&grain| Gauge::new(grain));
        Self {
            lines,
            memory: Arena::new(vec![0; lines.words()]),
            said: Arena::new(vec![Notice::default(); lines.count()]),
            gauges: Arena::new(gauges.collect()),
            credit_times: match lines.sensing.times() {
                true => CreditTimes::new(wiring.ports as usize, wiring.lanes()),
                false => CreditTimes::default(),
            },
            steps: plain.then(|| Steps::new(lines, wiring.shift)).flatten(),
            queues: Pending::new(longest.0),
            flying: Pending::new(longest.1),
            count: 0,
            tells_queues: lines.tell_queues(),
            changed: Vec::new(),
            reporting: vec![0; routers.div_ceil(64)],
            any_reports: false,
            notices: Vec::new(),
        }
    }

    /// By router: the output virtual channels whose flits are [counted as bits](Self::count_flits), if it has no more than 64.
    /// Not where flits are timed, one by one.
    pub(super) fn stepped_outs(&self) -> Vec<u64> {
        let mut outs = self.lines.watched_outs();
        if self.steps.is_none() || self.lines.sensing.times() {
            outs.fill(0);
        }
        outs
    }

    /// What a router has been told.
    #[inline]
    fn memory_of(&self, router: u32) -> &[u32] {
        let words = self.lines.memory_of(router);
        self.memory.range(words)
    }

    /// What a router has counted at a port; `None` if it does not watch it, or tells of it in steps.
    #[inline(always)]
    fn counted(&self, port: u32) -> Option<u32> {
        let gauge = self.gauges[port];
        let is_known = gauge.is_watched() && self.steps.is_none();
        is_known.then(|| gauge.occupancy())
    }

    /// Is there anything to report in this cycle?
    #[inline(always)]
    pub(super) fn any_reports(&self) -> bool {
        self.any_reports
    }

    /// Are any notices on their way?
    #[inline(always)]
    pub(super) fn any_notices(&self) -> bool {
        self.count > 0 || self.steps.is_some()
    }

    /// A router's port has changed by as much as counts.
    #[inline(always)]
    fn port_changed(&mut self, router: u32, port: u32) {
        match self.tells_queues {
            true => {
                self.changed.push(port);
                self.any_reports = true;
            }
            false => self.must_report(router),
        }
    }

    #[inline]
    fn must_report(&mut self, router: u32) {
        self.reporting[router as usize / 64] |= 1 << (router % 64);
        self.any_reports = true;
    }

    /// A notice is on its way here.
    #[inline]
    fn expect(&mut self, at: u64, flying: Flying) {
        self.flying.push(at, flying);
        self.count += 1;
    }

    /// When the next notice arrives, from cycle `now` on.
    pub(super) fn next_due(&self, now: u64) -> Option<u64> {
        let notice = match self.count {
            0 => None,
            _ if self.tells_queues => self.queues.next_due(now),
            _ => self.flying.next_due(now),
        };
        let step = self.steps.as_ref().and_then(|steps| steps.next_due(now));
        notice.into_iter().chain(step).min()
    }
}
