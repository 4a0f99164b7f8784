//! A run from its first cycle to its end.
//!
//! Cycles are simulated in stretches. Between two stretches it is decided whether the run goes on; the
//! cycles in which this happens do not depend on the number of threads.

use super::domain::{Domain, Until};
use super::harvest::{self, Finish, Harvest};
use super::partition::Partition;
use super::signals::Lines;
use super::standing::Standing;
use super::wiring::Wiring;
use super::{Setup, Watched, deadlock, parallel};
use crate::channel_course;
use crate::herding::Herding;
use crate::model::Phases;
use crate::outcome::{Ending, Outcome, Stalled, Violation};
use crate::processes::{Processes, tell_all, tell_first};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// Cycles without progress after which the waiting channels are examined.
const PATIENCE: u64 = 1_000;
/// Cycles between examinations of a network that is busy somewhere.
const EXAMINATION: u64 = 16_384;
/// A stretch ends at multiples of this at the latest.
const STRETCH: u64 = 1_024;

/// What a process does of a simulation.
#[derive(Clone, Copy)]
pub(super) struct Part<'a> {
    pub(super) setup: Setup<'a>,
    pub(super) watched: Watched,
    pub(super) wiring: &'a Wiring,
    pub(super) partition: &'a Partition,
    pub(super) lines: Option<&'a Lines<'a>>,
    /// Those that do the rest; `None` if there is none.
    pub(super) processes: Option<&'a dyn Processes>,
}

pub(super) struct Run<'a, const ONE_WORD: bool, const PLAIN: bool> {
    setup: Setup<'a>,
    processes: Option<&'a dyn Processes>,
    /// Those of this process.
    domains: Vec<Domain<'a, ONE_WORD, PLAIN>>,
    ending: Option<Ending>,
    /// Flits of this process per channel when the measurement window opened and closed.
    before_window: Option<Vec<u32>>,
    at_window_end: Option<Vec<u32>>,
    herding: Option<Herding>,
    channel_course: Option<channel_course::Recorder>,
    next_examination: u64,
    /// The last cycle in which a deadlock was looked for and not found.
    examined: u64,
    /// The cycle before which nothing happens anywhere.
    quiet_until: u64,
}

impl<'a, const ONE_WORD: bool, const PLAIN: bool> Run<'a, ONE_WORD, PLAIN> {
    /// Sets everything up; memory is allocated here and, apart from queues that grow to
    /// their peak, not again.
    pub(super) fn new(part: Part<'a>) -> Self {
        let Part {
            setup,
            watched,
            wiring,
            partition,
            lines,
            processes,
        } = part;
        let domain = |number| Domain::new(setup, wiring, partition, lines, number as u16);
        let (phases, open) = (setup.schedule.phases(), setup.schedule.to_completion());
        let rank = processes.map_or(0, |processes| processes.rank());
        Self {
            setup,
            processes,
            domains: partition.of(rank).map(domain).collect(),
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
            quiet_until: 0,
        }
    }

    /// The outcome, in the first process.
    pub(super) fn run_while(
        mut self,
        mut go_on: impl FnMut(u64) -> bool,
    ) -> Result<Option<Outcome>, Violation> {
        for domain in &mut self.domains {
            domain.start_terminals();
        }
        loop {
            let interrupted = !go_on(self.now());
            self.checkpoint(interrupted);
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

    /// What all processes say to each other, this one included.
    fn all<T: Serialize + DeserializeOwned>(&self, mine: T) -> Vec<T> {
        match self.processes {
            Some(processes) => tell_all(processes, &mine),
            None => vec![mine],
        }
    }

    /// Decides between stretches whether the run goes on; sets the ending if not. All processes decide alike.
    fn checkpoint(&mut self, interrupted: bool) {
        let to_completion = self.setup.schedule.to_completion();
        let standings = self.all(Standing::of(&self.domains, to_completion, interrupted));
        let standing = standings.into_iter().reduce(Standing::and);
        let Some(standing) = standing.filter(|standing| !standing.interrupted) else {
            self.ending = Some(Ending::Interrupted);
            return;
        };
        let (now, window_end) = (self.now(), self.window_end());
        self.quiet_until = match standing.packets {
            // Where nothing will happen by itself, nothing does to the end.
            0 if !to_completion => standing.next_due.unwrap_or(self.phases().limit),
            0 => standing.next_due.unwrap_or(now),
            _ => now,
        };
        let (drain, limit) = (self.phases().drain, self.phases().limit);
        let is_drained = standing.outstanding == 0;
        self.ending = match standing.lost {
            Some((_, source, destination)) => Some(Ending::Lost {
                source,
                destination,
            }),
            None if to_completion && standing.unsettled == 0 => Some(Ending::Completed),
            None if to_completion && standing.is_at_rest => Some(Ending::Stalled(self.waiting())),
            None if !to_completion && now >= window_end && (!drain || is_drained) => {
                Some(Ending::Completed)
            }
            None => self.examine(&standing, now >= limit),
        };
        if self.ending.is_none() && now >= limit {
            self.ending = Some(Ending::LimitReached);
        }
        if now >= self.phases().warmup && self.before_window.is_none() {
            self.before_window = Some(match self.setup.model.waits_behind_crossbar() {
                true => vec![0; self.setup.network.channel_count()],
                false => self.own_flits(),
            });
        }
        if now >= window_end && self.at_window_end.is_none() {
            self.at_window_end = Some(self.own_flits());
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

    /// Terminals whose agents wait for something.
    fn waiting(&self) -> Vec<Stalled> {
        let agents = self
            .domains
            .iter()
            .filter_map(|domain| domain.agents.as_ref());
        let waiting: Vec<Stalled> = agents.flat_map(|agents| agents.busy()).collect();
        let mut waiting = self.all(waiting).concat();
        waiting.sort_unstable();
        waiting
    }

    /// Looks for channels that can never move again, when it is time to, and at the limit (`at_last`).
    fn examine(&mut self, standing: &Standing, at_last: bool) -> Option<Ending> {
        let now = self.now();
        let progress = standing.last_progress.max(self.examined);
        if !at_last && now < self.next_examination && now <= progress + PATIENCE {
            return None;
        }
        self.next_examination = now + EXAMINATION;
        self.examined = now;
        if standing.packets == 0 {
            return None;
        }
        let waiters = self.all(deadlock::waiters(&self.domains));
        let waiters = waiters.into_iter().flatten();
        let waiting = deadlock::find(self.setup.network, self.domains[0].wiring, waiters);
        (!waiting.is_empty()).then_some(Ending::Deadlocked(waiting))
    }

    /// Simulates on to the next cycle in which something is to be decided.
    fn stretch(&mut self) -> Result<(), Violation> {
        let (now, phases) = (self.now(), self.phases());
        let window_end = self.window_end();
        let grid = (self.quiet_until.max(now) / STRETCH + 1) * STRETCH;
        let later = [grid, phases.warmup, window_end, phases.limit];
        let herding = self.herding.as_ref();
        let course = self.channel_course.as_ref();
        let later = later
            .into_iter()
            .chain(herding.and_then(|herding| herding.next(now)))
            .chain(course.and_then(|course| course.next(now)));
        let until = later.filter(|&cycle| cycle > now).min();
        let until = until.unwrap_or(grid);
        if self.quiet_until > now {
            for domain in &mut self.domains {
                domain.skip(self.quiet_until.min(until));
            }
        }
        let stop = match self.setup.schedule.to_completion() {
            true => Until::Settled,
            false if phases.drain && now >= window_end => Until::Drained,
            false => Until::Cycle,
        };
        match (&mut self.domains[..], stop) {
            (own, _) if self.processes.is_some() => {
                parallel::run(own, self.processes, until, stop);
            }
            ([only], _) if self.setup.check => only.check_until(until, stop)?,
            ([only], Until::Cycle) => only.run_until(until),
            ([only], Until::Drained) => only.drain_until(until),
            ([only], Until::Settled) => only.settle_until(until),
            (several, _) => parallel::run(several, None, until, stop),
        }
        Ok(())
    }

    /// Flits by channel that routers of this process have sent.
    fn own_flits(&self) -> Vec<u32> {
        let mut flits = vec![0; self.setup.network.channel_count()];
        for domain in &self.domains {
            let state = &domain.state;
            state.add_channel_flits(domain.wiring, &domain.extent, &mut flits);
        }
        flits
    }

    /// Those of all processes.
    fn channel_flits(&self) -> Vec<u32> {
        let mut all = self.all(self.own_flits()).into_iter();
        let mut sum = all.next().unwrap_or_default();
        all.for_each(|flits| harvest::add(&mut sum, &flits));
        sum
    }

    fn finish(self) -> Option<Outcome> {
        let (phases, now) = (self.phases(), self.now());
        let flits = self.own_flits();
        let after = self.at_window_end.as_ref().unwrap_or(&flits);
        let before = self.before_window.as_ref().unwrap_or(&flits);
        let in_window = after
            .iter()
            .zip(before)
            .map(|(after, before)| after.wrapping_sub(*before))
            .collect();
        let alive = &self.domains[0].wiring.alive;
        let finish = Finish {
            ending: self.ending.unwrap_or(Ending::Completed),
            now,
            limit: phases.limit,
            living: alive.iter().filter(|&&alive| alive).count(),
            herding: self.herding,
            channel_course: self.channel_course,
        };
        let flits = match finish.channel_course {
            Some(_) => flits,
            None => Vec::new(),
        };
        let mut harvest = Harvest::new(self.domains, in_window, flits);
        if let Some(processes) = self.processes {
            harvest = tell_first(processes, &harvest)?.fold(harvest, Harvest::and);
        }
        Some(harvest.outcome(&self.setup, finish))
    }
}
