//! A run from its first cycle to its end.
//!
//! Cycles are simulated in stretches. Between two stretches it is decided whether the run goes on; the
//! cycles in which this happens do not depend on the number of threads.

use super::domain::{Domain, Lost, Until};
use super::partition::Partition;
use super::signals::Lines;
use super::wiring::Wiring;
use super::{Setup, Watched, deadlock, parallel};
use crate::channel_course;
use crate::herding::Herding;
use crate::model::Phases;
use crate::outcome::{Ending, Outcome, Stalled, Violation};

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
    herding: Option<Herding>,
    channel_course: Option<channel_course::Recorder>,
    next_examination: u64,
    /// The last cycle in which a deadlock was looked for and not found.
    examined: u64,
}

impl<'a, const ONE_WORD: bool, const PLAIN: bool> Run<'a, ONE_WORD, PLAIN> {
    /// Sets everything up; memory is allocated here and, apart from queues that grow to
    /// their peak, not again.
    pub(super) fn new(
        setup: Setup<'a>,
        watched: Watched,
        wiring: &'a Wiring,
        partition: &'a Partition,
        lines: Option<&'a Lines<'a>>,
    ) -> Self {
        let domain = |number| Domain::new(setup, wiring, partition, lines, number as u16);
        let (phases, open) = (setup.schedule.phases(), setup.schedule.to_completion());
        Self {
            setup,
            domains: (0..partition.domains).map(domain).collect(),
            ending: None,
            before_window: None,
            at_window_end: None,
            herding: watched
                .herding
                .map(|window| Herding::new(setup.network, &phases, window)),
            channel_course: watched
                .channel_interval
                .map(|interval| channel_course::Recorder::new(&phases, interval, open)),
            next_examination: EXAMINATION,
            examined: 0,
        }
    }

    pub(super) fn run_while(
        mut self,
        mut go_on: impl FnMut(u64) -> bool,
    ) -> Result<Outcome, Violation> {
        for domain in &mut self.domains {
            domain.start_terminals();
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
        let (drain, limit) = (self.phases().drain, self.phases().limit);
        let to_completion = self.setup.schedule.to_completion();
        let left_over = |until| -> i64 {
            self.domains
                .iter()
                .map(|domain| domain.left_over(until))
                .sum()
        };
        let is_drained = || left_over(Until::Drained) == 0;
        let is_settled = || to_completion && left_over(Until::Settled) == 0;
        self.ending = match self.lost() {
            _ if self.ending.is_some() => return,
            Some((_, source, destination)) => Some(Ending::Lost {
                source,
                destination,
            }),
            None if is_settled() => Some(Ending::Completed),
            None if to_completion && self.is_stalled() => Some(Ending::Stalled(self.waiting())),
            None if !to_completion && now >= window_end && (!drain || is_drained()) => {
                Some(Ending::Completed)
            }
            None => self.examine(now >= limit),
        };
        if self.ending.is_none() && now >= limit {
            self.ending = Some(Ending::LimitReached);
        }
        if now >= self.phases().warmup && self.before_window.is_none() {
            self.before_window = Some(match self.setup.model.waits_behind_crossbar() {
                true => vec![0; self.setup.network.channel_count()],
                false => self.channel_flits(),
            });
        }
        if now >= window_end && self.at_window_end.is_none() {
            self.at_window_end = Some(self.channel_flits());
        }
        if let Some(mut herding) = self.herding.take() {
            herding.look(now, || self.channel_flits());
            self.herding = Some(herding);
        }
        if let Some(mut course) = self.channel_course.take() {
            course.look(now, || self.channel_flits());
            self.channel_course = Some(course);
        }
    }

    fn phases(&self) -> Phases {
        self.domains[0].phases
    }

    /// Will nothing ever happen again, although not all is done?
    fn is_stalled(&self) -> bool {
        self.domains.iter().all(Domain::is_at_rest)
    }

    /// Terminals whose agents wait for something.
    fn waiting(&self) -> Vec<Stalled> {
        let agents = self
            .domains
            .iter()
            .filter_map(|domain| domain.agents.as_ref());
        let mut waiting: Vec<Stalled> = agents.flat_map(|agents| agents.busy()).collect();
        waiting.sort_unstable();
        waiting
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
        let (now, phases) = (self.now(), self.phases());
        let window_end = self.window_end();
        let grid = (now / STRETCH + 1) * STRETCH;
        let later = [grid, phases.warmup, window_end, phases.limit];
        let herding = self.herding.as_ref();
        let course = self.channel_course.as_ref();
        let later = later
            .into_iter()
            .chain(herding.and_then(|herding| herding.next(now)))
            .chain(course.and_then(|course| course.next(now)));
        let until = later.filter(|&cycle| cycle > now).min();
        let until = until.unwrap_or(grid);
        let stop = match self.setup.schedule.to_completion() {
            true => Until::Settled,
            false if phases.drain && now >= window_end => Until::Drained,
            false => Until::Cycle,
        };
        match (&mut self.domains[..], stop) {
            ([only], _) if self.setup.check => only.check_until(until, stop)?,
            ([only], Until::Cycle) => only.run_until(until),
            ([only], Until::Drained) => only.drain_until(until),
            ([only], Until::Settled) => only.settle_until(until),
            (several, _) => parallel::run(several, until, stop),
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

    /// The last cycle in which an agent was told something or a packet arrived.
    fn last_event(&self) -> u64 {
        let last = self.domains.iter().map(|domain| {
            let agents = domain.agents.as_ref();
            let told = agents.map_or(0, |agents| agents.last_event);
            told.max(domain.totals.last_arrival)
        });
        last.max().unwrap_or(0)
    }

    /// The same terminal by terminal; empty without agents.
    fn last_events(&self) -> Vec<u64> {
        let domains = self.domains.iter();
        let agents: Vec<_> = domains
            .filter_map(|domain| domain.agents.as_ref())
            .collect();
        let terminals = match agents.is_empty() {
            true => 0,
            false => self.setup.network.terminal_count(),
        };
        let mut by_terminal = vec![0; terminals];
        for agents in agents {
            agents.tell_last_events(&mut by_terminal);
        }
        by_terminal
    }

    fn finish(mut self) -> Outcome {
        // What is done after the last event is nothing, and how much of that depends on the threads.
        let completed = self.setup.schedule.to_completion()
            && self
                .ending
                .as_ref()
                .is_none_or(|ending| *ending == Ending::Completed);
        let now = match completed {
            true => self.last_event(),
            false => self.now(),
        };
        let last_events = self.last_events();
        let end = now + u64::from(completed);
        let limit = self.phases().limit;
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
        let mut measurement = recorder.finish(end, living, self.setup.minimal.is_some(), &occupied);
        measurement.classes = classes.finish(measurement.window, living);
        measurement.herding = self.herding.and_then(Herding::finish);
        let course = self.channel_course;
        measurement.channel_course = course.map(|course| course.finish(end, &flits));
        Outcome {
            ending: self.ending.unwrap_or(Ending::Completed),
            measurement,
            cycles: totals.last_arrival.min(limit).max(now),
            makespan: completed.then_some(now),
            last_events,
            flit_hops: totals.flit_hops,
            router_steps: totals.router_steps,
            packets: totals.packets_delivered,
            fingerprint: totals.fingerprint,
        }
    }
}
