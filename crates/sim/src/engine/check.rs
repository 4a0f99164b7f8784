//! Invariants, checked under `check`: nothing is lost, nothing is made, every choice was an option.

use super::Simulation;
use super::state::{Lane, OutVc};
use super::wiring::NOWHERE;
use crate::outcome::Violation;

impl Simulation<'_> {
    /// What is checked in every cycle, and the audit now and then.
    pub(super) fn check_cycle(&mut self) -> Result<(), Violation> {
        const AUDIT: u64 = 256;
        if let Some(what) = self.totals.violation.take() {
            return Err(Violation {
                cycle: self.now,
                what,
            });
        }
        if self.now.is_multiple_of(AUDIT) {
            self.audit()
        } else {
            Ok(())
        }
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
            .state
            .lanes
            .iter()
            .map(|lane| u64::from(lane.len))
            .sum();
        let flying = self.state.arrivals.iter().count() as u64;
        let inside = self.totals.flits_injected - self.totals.flits_delivered;
        if stored + flying != inside {
            return fail(format!(
                "{inside} flits should be inside, but {stored} are stored and {flying} under way"
            ));
        }
        let mut missing: Vec<u32> = self
            .state
            .outs
            .iter()
            .map(|out| self.state.depth - u32::from(out.credits))
            .collect();
        let vcs = self.wiring.stride as usize;
        let mut account = |out: usize, count: u32| match missing[out].checked_sub(count) {
            Some(rest) => {
                missing[out] = rest;
                true
            }
            None => false,
        };
        for credit in self.state.credits.iter() {
            if !account(credit.out() as usize, 1) {
                return fail(format!(
                    "output channel {} gets more credits than it spent",
                    credit.out()
                ));
            }
        }
        let sender = |lane: usize| match self.wiring.upstream[lane / vcs].first_out {
            NOWHERE => None,
            first => Some(first as usize + lane % vcs),
        };
        for (lane, count) in self
            .state
            .lanes
            .iter()
            .map(|lane| u32::from(lane.len))
            .enumerate()
        {
            if count > 0 && !sender(lane).is_some_and(|out| account(out, count)) {
                return fail(format!("lane {lane} stores {count} flits nobody paid for"));
            }
        }
        for arrival in self.state.arrivals.iter() {
            if !sender(arrival.lane as usize).is_some_and(|out| account(out, 1)) {
                return fail(format!(
                    "a flit nobody paid for travels to lane {}",
                    arrival.lane
                ));
            }
        }
        if let Some(out) = missing.iter().position(|&count| count != 0) {
            return fail(format!(
                "{} credits of output channel {out} have vanished",
                missing[out]
            ));
        }
        self.audit_ownership()
    }

    /// An output virtual channel and the lane that holds it know of each other.
    fn audit_ownership(&self) -> Result<(), Violation> {
        for (index, out) in self.state.outs.as_slice()[..self.wiring.lanes()]
            .iter()
            .enumerate()
        {
            let Lane { router, local, .. } = *self.state.lanes.at(index);
            let word = router * self.wiring.words + local / 64;
            let free = self.state.wants[word].free >> (local % 64) & 1 == 1;
            let consistent = match out.owner {
                NOWHERE => free,
                OutVc::DRAINING => !free,
                lane => !free && self.state.lanes[lane].out == index as u32,
            };
            if !consistent {
                let what = format!(
                    "output channel {index} and its holder disagree: {out:?}, free: {free}"
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
