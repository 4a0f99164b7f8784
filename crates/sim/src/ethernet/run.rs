//! A run from its first event to its end.

use super::fabric::Fabric;
use super::measured::{Counted, measured};
use super::{Setup, deadlock};
use crate::engine::Demand;
use crate::model::Phases;
use crate::outcome::{Ending, Outcome, Violation};
use turnwise_network::TerminalId;

/// Cycles with events between two looks at whether the caller wants to go on.
const LOOK: u64 = 1 << 14;
/// Cycles with events between two searches for a deadlock in a network where something still moves.
const EXAMINATION: u64 = 1 << 20;

/// Runs to the end, or until the caller wants to stop.
pub(super) fn run(
    setup: Setup<'_>,
    mut go_on: impl FnMut(u64) -> bool,
) -> Result<Outcome, Violation> {
    let phases = setup.schedule.phases();
    let window_end = phases.warmup.saturating_add(phases.measure);
    let mut fabric = Fabric::new(setup);
    fabric.totals.window_end = window_end;
    match setup.demand {
        Demand::Open(_) => fabric.start_sources(),
        Demand::Closed(workload) => fabric.start_agents(workload),
    }
    let mut run = Run {
        fabric,
        phases,
        window_end,
        before_window: None,
        at_window_end: None,
        is_past_window: false,
    };
    let mut steps = 0u64;
    let ending = loop {
        if let Some(violation) = run.fabric.totals.violation.take() {
            return Err(violation);
        }
        if steps.is_multiple_of(LOOK) && !go_on(run.fabric.now) {
            break Ending::Interrupted;
        }
        steps += 1;
        let next = run.fabric.agenda.next(run.fabric.now);
        if !run.is_past_window && next.is_none_or(|next| next >= window_end) {
            run.pass(window_end);
            run.is_past_window = true;
        }
        if let Some(ending) = run.ending(steps.is_multiple_of(EXAMINATION)) {
            break ending;
        }
        let Some(next) = next else {
            break run.at_rest();
        };
        run.pass(next);
        if next >= phases.limit {
            run.fabric.now = phases.limit;
            let waiting = deadlock::find(&run.fabric);
            break match waiting.is_empty() {
                true => Ending::LimitReached,
                false => Ending::Deadlocked(waiting),
            };
        }
        run.fabric.step(next);
    };
    Ok(run.finish(ending))
}

struct Run<'a> {
    fabric: Fabric<'a>,
    phases: Phases,
    window_end: u64,
    /// What had happened when the window opened and closed.
    before_window: Option<Standing>,
    at_window_end: Option<Standing>,
    /// Has the window ended, although nothing has happened since?
    is_past_window: bool,
}

/// What has happened until a cycle.
struct Standing {
    /// Flits sent by channel.
    sent: Vec<u64>,
    counted: Counted,
}

impl Run<'_> {
    fn to_completion(&self) -> bool {
        self.fabric.setup.schedule.to_completion()
    }

    /// Is the run over?
    fn ending(&self, examine: bool) -> Option<Ending> {
        let fabric = &self.fabric;
        if let Some((_, source, destination)) = fabric.totals.lost {
            let source = TerminalId(source);
            return Some(Ending::Lost {
                source,
                destination,
            });
        }
        let left = match fabric.setup.demand {
            Demand::Closed(_) if self.to_completion() => fabric.reception.agents.unsettled,
            _ => fabric.adapters.early as i64 + fabric.recorder.outstanding(),
        };
        let is_over = match self.to_completion() {
            true => left == 0,
            false => self.is_past_window && (!self.phases.drain || left == 0),
        };
        let is_done = is_over && self.to_completion();
        if !is_done && !fabric.agenda.is_live() {
            return Some(self.at_rest());
        }
        if is_over {
            return Some(Ending::Completed);
        }
        if examine {
            let waiting = deadlock::find(fabric);
            return (!waiting.is_empty()).then_some(Ending::Deadlocked(waiting));
        }
        None
    }

    /// Nothing will happen any more, although not all is done.
    fn at_rest(&self) -> Ending {
        let waiting = deadlock::find(&self.fabric);
        match (waiting.is_empty(), self.to_completion()) {
            (false, _) => Ending::Deadlocked(waiting),
            (true, true) => Ending::Stalled(self.fabric.reception.agents.busy()),
            (true, false) => Ending::Completed,
        }
    }

    /// Time goes on to a cycle: notes what had been sent when the window opened and closed.
    fn pass(&mut self, next: u64) {
        if next >= self.phases.warmup && self.before_window.is_none() {
            self.before_window = Some(self.standing(self.phases.warmup));
        }
        if next >= self.window_end && self.at_window_end.is_none() {
            self.at_window_end = Some(self.standing(self.window_end));
        }
    }

    fn standing(&self, cycle: u64) -> Standing {
        let channels = self.fabric.setup.network.channel_count();
        let senders = self.fabric.senders[..channels].iter();
        Standing {
            sent: senders.map(|sender| sender.sent).collect(),
            counted: Counted::until(cycle, &self.fabric),
        }
    }

    fn finish(mut self, ending: Ending) -> Outcome {
        let completed = self.to_completion() && ending == Ending::Completed;
        let last_event = self.fabric.reception.agents.last_event;
        let now = match completed {
            true => last_event.max(self.fabric.totals.last_arrival),
            // A window that nothing happens at the end of is as long as any.
            false if ending == Ending::Completed => self.fabric.now.max(self.window_end),
            false => self.fabric.now,
        };
        let end = now + u64::from(completed);
        self.fabric.account_for_backlogs(end.max(1));
        let last = self.standing(end);
        // A run that ends first never comes there, although nothing was left to happen.
        let window_end = self.at_window_end.as_ref();
        let after = window_end
            .filter(|_| end >= self.window_end)
            .unwrap_or(&last);
        let warm = self.before_window.as_ref();
        let before = warm.filter(|_| end >= self.phases.warmup).unwrap_or(after);
        let channels = self
            .fabric
            .setup
            .network
            .channels()
            .map(|(_, channel)| u64::from(channel.interval));
        let in_window = after.sent.iter().zip(&before.sent);
        let in_window = in_window.map(|(after, before)| after - before);
        let occupied: Vec<u64> = in_window
            .zip(channels)
            .map(|(flits, interval)| flits * interval)
            .collect();
        let living = self.fabric.setup.network.living_terminals().count();
        let (last_events, unsettled) = self.fabric.reception.agents.standings();
        let ethernet = measured(&self.fabric, &before.counted, &after.counted);
        let Fabric {
            recorder,
            classes,
            totals,
            setup,
            ..
        } = self.fabric;
        let mut measurement = recorder.finish(end, living, setup.minimal.is_some(), &occupied);
        measurement.classes = classes.finish(measurement.window, living);
        measurement.ethernet = Some(ethernet);
        Outcome {
            ending,
            measurement,
            cycles: totals.last_arrival.min(self.phases.limit).max(now),
            makespan: completed.then_some(now),
            last_events,
            unsettled,
            flit_hops: totals.flit_hops,
            router_steps: totals.events,
            packets: totals.packets,
            fingerprint: totals.fingerprint,
        }
    }
}
