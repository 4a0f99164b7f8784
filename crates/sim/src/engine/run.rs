//! A run from its first cycle to its end.
//!
//! Cycles are simulated in stretches. Between two stretches it is decided whether the run goes on; the
//! cycles in which this happens do not depend on the number of threads.

use super::domain::{Domain, Lost};
use super::partition::Partition;
use super::signals::Lines;
use super::wiring::Wiring;
use super::{Setup, deadlock, parallel};
use crate::outcome::{Ending, Outcome, Violation};

/// Cycles without progress after which the waiting channels are examined.
const PATIENCE: u64 = 1_000;
/// Cycles between examinations of a network that is busy somewhere.
const EXAMINATION: u64 = 16_384;
/// A stretch ends at multiples of this at the latest.
const STRETCH: u64 = 1_024;

pub(super) struct Run<'a, const ONE_WORD: bool, const PLAIN: bool> {
    setup: Setup<'a>,
    domains: Vec<Domain<'a, ONE_WORD, PLAIN>>,
    ending: Option<Ending>,
    /// Flits per channel when the measurement window opened and closed.
    before_window: Option<Vec<u32>>,
    at_window_end: Option<Vec<u32>>,
    next_examination: u64,
    /// The last cycle in which a deadlock was looked for and not found.
    examined: u64,
}

impl<'a, const ONE_WORD: bool, const PLAIN: bool> Run<'a, ONE_WORD, PLAIN> {
    /// Sets everything up; memory is allocated here and, apart from queues that grow to
    /// their peak, not again.
    pub(super) fn new(
        setup: Setup<'a>,
        wiring: &'a Wiring,
        partition: &'a Partition,
        lines: Option<&'a Lines<'a>>,
    ) -> Self {
        let domain = |number| Domain::new(setup, wiring, partition, lines, number as u16);
        Self {
            setup,
            domains: (0..partition.domains).map(domain).collect(),
            ending: None,
            before_window: None,
            at_window_end: None,
            next_examination: EXAMINATION,
            examined: 0,
        }
    }

    pub(super) fn run_while(
        mut self,
        mut go_on: impl FnMut(u64) -> bool,
    ) -> Result<Outcome, Violation> {
        for domain in &mut self.domains {
            domain.start_sources();
        }
        loop {
            if !go_on(self.now()) {
                self.ending = Some(Ending::Interrupted);
            }
            self.checkpoint();
            if self.ending.is_some() {
                break;
            }
            self.stretch()?;
        }
        if self.setup.check {
            self.domains[0].audit()?;
        }
        Ok(self.finish())
    }

    fn now(&self) -> u64 {
        self.domains[0].now
    }

    fn window_end(&self) -> u64 {
        self.domains[0].window_end
    }

    /// Decides between stretches whether the run goes on; sets the ending if not.
    fn checkpoint(&mut self) {
        let (now, window_end) = (self.now(), self.window_end());
        let (drain, limit) = (self.setup.phases.drain, self.setup.phases.limit);
        let is_drained = || self.domains.iter().map(Domain::outstanding).sum::<i64>() == 0;
        self.ending = match self.lost() {
            _ if self.ending.is_some() => return,
            Some((_, source, destination)) => Some(Ending::Lost {
                source,
                destination,
            }),
            None if now >= window_end && (!drain || is_drained()) => Some(Ending::Completed),
            None => self.examine(now >= limit),
        };
        if self.ending.is_none() && now >= limit {
            self.ending = Some(Ending::LimitReached);
        }
        if now >= self.setup.phases.warmup && self.before_window.is_none() {
            self.before_window = Some(match self.setup.model.waits_behind_crossbar() {
                true => vec![0; self.setup.network.channel_count()],
                false => self.channel_flits(),
            });
        }
        if now >= window_end && self.at_window_end.is_none() {
            self.at_window_end = Some(self.channel_flits());
        }
    }

    /// The first packet for which the routing algorithm found no route.
    fn lost(&self) -> Option<Lost> {
        let lost = self.domains.iter().filter_map(|domain| domain.totals.lost);
        lost.min()
    }

    /// Looks for channels that can never move again, when it is time to, and at the limit (`at_last`).
    fn examine(&mut self, at_last: bool) -> Option<Ending> {
        let now = self.now();
        let progress = self
            .domains
            .iter()
            .map(|domain| domain.totals.last_progress);
        let progress = progress.max().unwrap_or(now).max(self.examined);
        if !at_last && now < self.next_examination && now <= progress + PATIENCE {
            return None;
        }
        self.next_examination = now + EXAMINATION;
        self.examined = now;
        if self
            .domains
            .iter()
            .all(|domain| domain.state.packets.len() == 0)
        {
            return None;
        }
        let waiting = deadlock::find(self.setup.network, &self.domains);
        (!waiting.is_empty()).then_some(Ending::Deadlocked(waiting))
    }

    /// Simulates on to the next cycle in which something is to be decided.
    fn stretch(&mut self) -> Result<(), Violation> {
        let (now, phases) = (self.now(), self.setup.phases);
        let window_end = self.window_end();
        let grid = (now / STRETCH + 1) * STRETCH;
        let later = [grid, phases.warmup, window_end, phases.limit];
        let until = later.into_iter().filter(|&cycle| cycle > now).min();
        let until = until.unwrap_or(grid);
        let drain = phases.drain && now >= window_end;
        match &mut self.domains[..] {
            [only] if self.setup.check => only.check_until(until, drain)?,
            [only] if drain => only.drain_until(until),
            [only] => only.run_until(until),
            several => parallel::run(several, until, drain),
        }
        Ok(())
    }

    fn channel_flits(&self) -> Vec<u32> {
        let channels = self.setup.network.channel_count();
        let mut flits = vec![0; channels];
        for domain in &self.domains {
            let sent = domain.state.channel_flits(domain.wiring, channels);
            flits
                .iter_mut()
                .zip(sent)
                .for_each(|(sum, sent)| *sum += sent);
        }
        flits
    }

    fn finish(mut self) -> Outcome {
        let now = self.now();
        let flits = self.channel_flits();
        let after = self.at_window_end.as_ref().unwrap_or(&flits);
        let before = self.before_window.as_ref().unwrap_or(&flits);
        let in_window: Vec<u32> = after
            .iter()
            .zip(before)
            .map(|(after, before)| after.wrapping_sub(*before))
            .collect();
        let occupied = self.setup.network.channels().zip(&in_window);
        let occupied: Vec<u64> = occupied
            .map(|((_, channel), &flits)| u64::from(flits) * u64::from(channel.interval))
            .collect();
        let alive = &self.domains[0].wiring.alive;
        let living = alive.iter().filter(|&&alive| alive).count();
        for domain in &mut self.domains {
            domain.account_for_backlogs();
        }
        let mut domains = self.domains.into_iter();
        let Some(first) = domains.next() else {
            unreachable!("a partition has at least one domain");
        };
        let (mut recorder, mut totals) = (first.recorder, first.totals);
        let mut classes = first.classes;
        for domain in domains {
            recorder.add(domain.recorder);
            classes.add(domain.classes);
            totals.add(&domain.totals);
        }
        let mut measurement = recorder.finish(now, living, self.setup.minimal.is_some(), &occupied);
        measurement.classes = classes.finish(measurement.window, living);
        Outcome {
            ending: self.ending.unwrap_or(Ending::Completed),
            measurement,
            cycles: totals.last_arrival.min(self.setup.phases.limit).max(now),
            flit_hops: totals.flit_hops,
            router_steps: totals.router_steps,
            packets: totals.packets_delivered,
            fingerprint: totals.fingerprint,
        }
    }
}
