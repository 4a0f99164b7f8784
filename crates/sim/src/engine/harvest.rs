//! What domains have counted, put together at the end of a run.

use super::Setup;
use super::domain::{Domain, Totals};
use crate::channel_course;
use crate::classes::ClassRecorder;
use crate::herding::Herding;
use crate::measure::Recorder;
use crate::outcome::{Ending, Outcome};
use serde::{Deserialize, Serialize};

/// Of one domain, of those of a process, or of all.
#[derive(Serialize, Deserialize)]
pub(super) struct Harvest {
    recorder: Recorder,
    classes: ClassRecorder,
    totals: Totals,
    /// By channel: flits in the measurement window; in the whole run, if anybody wants to know.
    in_window: Vec<u32>,
    flits: Vec<u32>,
    /// The last cycle in which an agent was told something or a packet arrived.
    last_event: u64,
    /// Terminal by terminal, where there are agents: the last cycle in which its agent was told something, and what
    /// of it is unsettled.
    agents: Vec<(u32, u64, i64)>,
}

/// What a run ends with that all processes know.
pub(super) struct Finish {
    pub(super) ending: Ending,
    pub(super) now: u64,
    pub(super) limit: u64,
    /// Terminals that live.
    pub(super) living: usize,
    pub(super) herding: Option<Herding>,
    pub(super) channel_course: Option<channel_course::Recorder>,
}

impl Harvest {
    /// Of the domains of this process, and the flits that passed their channels.
    pub(super) fn new<const ONE_WORD: bool, const PLAIN: bool>(
        domains: Vec<Domain<'_, ONE_WORD, PLAIN>>,
        in_window: Vec<u32>,
        flits: Vec<u32>,
    ) -> Self {
        let harvests = domains.into_iter().map(|mut domain| {
            domain.account_for_backlogs();
            let agents = domain.agents.as_ref();
            let told = agents.map_or(0, |agents| agents.last_event);
            Self {
                last_event: told.max(domain.totals.last_arrival),
                agents: agents.map_or_else(Vec::new, |agents| agents.standings().collect()),
                recorder: domain.recorder,
                classes: domain.classes,
                totals: domain.totals,
                in_window: Vec::new(),
                flits: Vec::new(),
            }
        });
        let all = harvests.reduce(Self::and);
        let Some(all) = all else {
            unreachable!("a process has at least one domain");
        };
        Self {
            in_window,
            flits,
            ..all
        }
    }

    /// Of these and those of others.
    pub(super) fn and(mut self, other: Self) -> Self {
        self.recorder.add(other.recorder);
        self.classes.add(other.classes);
        self.totals.add(&other.totals);
        add(&mut self.in_window, &other.in_window);
        add(&mut self.flits, &other.flits);
        self.last_event = self.last_event.max(other.last_event);
        self.agents.extend(other.agents);
        self
    }

    /// What is told of the whole run.
    pub(super) fn outcome(self, setup: &Setup<'_>, finish: Finish) -> Outcome {
        let Finish {
            ending,
            now,
            limit,
            living,
            herding,
            channel_course,
        } = finish;
        // What is done after the last event is nothing, and how much of that depends on the threads.
        let completed = setup.schedule.to_completion() && ending == Ending::Completed;
        let now = match completed {
            true => self.last_event,
            false => now,
        };
        let end = now + u64::from(completed);
        let occupied = setup.network.channels().zip(&self.in_window);
        let occupied: Vec<u64> = occupied
            .map(|((_, channel), &flits)| u64::from(flits) * u64::from(channel.interval))
            .collect();
        let terminals = match self.agents.is_empty() {
            true => 0,
            false => setup.network.terminal_count(),
        };
        let (mut last_events, mut unsettled) = (vec![0; terminals], vec![0; terminals]);
        for (terminal, last, open) in self.agents {
            last_events[terminal as usize] = last;
            unsettled[terminal as usize] = open;
        }
        let totals = self.totals;
        let mut measurement = self
            .recorder
            .finish(end, living, setup.minimal.is_some(), &occupied);
        measurement.classes = self.classes.finish(measurement.window, living);
        measurement.herding = herding.and_then(Herding::finish);
        measurement.channel_course = channel_course.map(|course| course.finish(end, &self.flits));
        Outcome {
            ending,
            measurement,
            cycles: totals.last_arrival.min(limit).max(now),
            makespan: completed.then_some(now),
            last_events,
            unsettled,
            flit_hops: totals.flit_hops,
            router_steps: totals.router_steps,
            packets: totals.packets_delivered,
            fingerprint: totals.fingerprint,
        }
    }
}

/// Adds counts to others of the same things.
pub(super) fn add(counts: &mut [u32], others: &[u32]) {
    for (count, other) in counts.iter_mut().zip(others) {
        *count += other;
    }
}
