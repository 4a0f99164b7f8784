//! One point: from its plan to its row.
//!
//! The same wherever it is done: by a thread of a run, or by a worker of a cluster.

use crate::demand::Demand;
use crate::details::{Details, are_kept};
use crate::estimate::Estimate;
use crate::journals::PointJournals;
use crate::memory::{Budget, memory_limit_of_each, of_several, too_much};
use crate::plan::{Plan, PlannedPoint};
use crate::processes::{Leader, Order};
use crate::row::Row;
use crate::saturation::{Probe, Searched, search};
use crate::searches::Searches;
use crate::workshop::Experiment;
use std::path::Path;
use std::time::{Duration, Instant};
use turnwise_network::metrics::{UNREACHABLE, distances};
use turnwise_network::{Network, TerminalId};
use turnwise_routing::going_round_faults;
use turnwise_sim::{Crew, Ending, Ethernet, Outcome, Processes, Setup, Simulation, Stalled};

/// What comes of a point.
pub struct Found {
    /// Its row.
    pub row: Row,
    /// Its encoded [details](crate::details), if they are kept.
    pub details: Option<Vec<u8>>,
}

/// How points are simulated, one after the other.
pub struct Trial<'a> {
    /// Their study.
    pub plan: &'a Plan,
    /// Threads to use for a point.
    pub threads: usize,
    /// What others who simulate beside this one have of the memory.
    pub budget: &'a Budget,
    /// Bytes that they may have together, if that is less than there is.
    pub memory: Option<u64>,
    /// A folder for the log of messages of every point, if it is wanted.
    pub messages: Option<&'a Path>,
    /// What searches of other points have found.
    pub searches: &'a Searches,
    /// What this process leads others by that simulate every point with it, if it does.
    pub leader: Option<&'a Leader<'a>>,
}

impl Trial<'_> {
    /// Simulates a point; `None` if `stopped`, asked now and then, says so.
    ///
    /// # Errors
    /// In words, why it cannot be simulated.
    pub fn run(
        &self,
        planned: &PlannedPoint,
        stopped: &dyn Fn() -> bool,
    ) -> Result<Option<Found>, String> {
        let start = Instant::now();
        let experiment = self
            .plan
            .experiment(planned, None)
            .map_err(|error| self.plan.source.render_plain(&error))?;
        // Each of those that simulate it takes as much.
        let beside = match experiment.is_whole() {
            true => 1,
            false => self.leader.map_or(1, Leader::beside),
        };
        let limit = memory_limit_of_each(beside).into_iter();
        let limit = limit.chain(self.memory).min();
        let crew = Crew {
            processes: self.leader.map_or(1, Leader::count),
            threads: self.threads,
        };
        let estimate = Estimate::within(&experiment, crew, limit);
        let (needed, threads) = (estimate.bytes, estimate.threads);
        if let Some(limit) = limit.filter(|&limit| needed > limit) {
            return Err(too_much(&of_several("it", beside), needed, limit));
        }
        let _share = self.budget.take(needed, limit);
        let messages = self.messages;
        let messages = messages.filter(|_| self.plan.is_program(planned.point.index));
        // Only now: an estimate has a few ranks begin, which would be in their journals.
        let wants_journals = experiment.timeline || messages.is_some();
        let (experiment, journals) = match wants_journals {
            true => PointJournals::keep(experiment).map_err(unkept)?,
            false => (experiment, None),
        };
        let way = Way {
            planned,
            load: None,
            threads,
            needed,
            journals: journals.as_ref(),
        };
        let outcome = self.outcome(way, &experiment, stopped);
        let Some(outcome) = outcome.transpose() else {
            return Ok(None);
        };
        // What a program has sent is of interest above all if it did not come to its end.
        if let (Some(journals), Some(folder)) = (&journals, messages) {
            let file = folder.join(format!("point-{}.csv", planned.point.index));
            let written = journals.write_messages(&experiment, &file);
            written.map_err(|error| format!("cannot write {}: {error}", file.display()))?;
        }
        let outcome = outcome?;
        let mut row = Row::new(
            &planned.point,
            self.plan.is_repeated(),
            &experiment,
            &outcome,
            0.0,
        );
        let mut idle = Duration::ZERO;
        if experiment.find_saturation
            && let Demand::Open { highest_load, .. } = experiment.demand
        {
            let mut probe = |load| self.probe(planned, load, (threads, needed), stopped);
            let search = || search(highest_load, &mut probe);
            let (searched, waited) = self.searches.of(self.plan, planned, stopped, search)?;
            idle = waited;
            match searched {
                Searched::Stopped => return Ok(None),
                Searched::Unknown => {}
                Searched::Found(found) => {
                    row.set("saturation_load", found.load);
                    row.set("saturation_load_ci", found.half_width);
                }
            }
        }
        row.set("seconds", (start.elapsed() - idle).as_secs_f64());
        let kept = experiment
            .details
            .unwrap_or_else(|| are_kept(&experiment.routed.network));
        let mut details = kept.then(|| Details::new(&experiment, &outcome));
        if let Some(journals) =
            journals.filter(|_| experiment.timeline && outcome.makespan.is_some())
        {
            let timeline = journals.timeline().map_err(unkept)?;
            details.get_or_insert_default().timeline = Some(timeline);
        }
        let details = details.map(|details| details.encode());
        Ok(Some(Found { row, details }))
    }

    /// What a point's network makes of another load; `None` if the run was stopped meanwhile.
    fn probe(
        &self,
        planned: &PlannedPoint,
        load: f64,
        (threads, needed): (usize, u64),
        stopped: &dyn Fn() -> bool,
    ) -> Result<Option<Probe>, String> {
        let experiment = self.plan.experiment(planned, Some(load));
        let mut experiment = experiment.map_err(|error| self.plan.source.render_plain(&error))?;
        experiment.for_window_alone();
        let way = Way {
            planned,
            load: Some(load),
            threads,
            needed,
            journals: None,
        };
        let outcome = self.outcome(way, &experiment, stopped)?;
        Ok(outcome.map(|outcome| Probe::new(&experiment, &outcome)))
    }

    /// What simulating comes to, here or in all processes; `None` if it was stopped meanwhile.
    fn outcome(
        &self,
        way: Way<'_>,
        experiment: &Experiment,
        stopped: &dyn Fn() -> bool,
    ) -> Result<Option<Outcome>, String> {
        match self.leader {
            Some(leader) if !experiment.is_whole() => {
                let order = Order::new(self.plan, &way);
                leader.simulate(experiment, order, way.journals, stopped)
            }
            _ => simulate_by(None, experiment, way.threads, stopped),
        }
    }
}

/// How a point is simulated.
pub(crate) struct Way<'a> {
    pub(crate) planned: &'a PlannedPoint,
    /// Another load than the point's, if a search for saturation wants it.
    pub(crate) load: Option<f64>,
    pub(crate) threads: usize,
    /// Bytes that it takes at most, in each process.
    pub(crate) needed: u64,
    /// What ranks have journals in, if anybody wants to know what they did.
    pub(crate) journals: Option<&'a PointJournals>,
}

/// Journals lie in a file for temporary things.
pub(crate) fn unkept(error: std::io::Error) -> String {
    let folder = std::env::temp_dir();
    format!(
        "cannot keep the journals of ranks in {}: {error}",
        folder.display()
    )
}

/// Simulates an experiment, alone or with others; `None` if it was stopped, or if this is not the first process.
pub(crate) fn simulate_by(
    processes: Option<&dyn Processes>,
    experiment: &Experiment,
    threads: usize,
    stopped: &dyn Fn() -> bool,
) -> Result<Option<Outcome>, String> {
    let hops = experiment.routed.minimal.between();
    let setup = Setup {
        minimal: hops.as_ref().map(|hops| hops as _),
        check: experiment.check,
        threads,
        ..experiment.setup()
    };
    let go_on = |_| !stopped();
    let simulation = || {
        Simulation::new(setup)
            .with_herding(experiment.herding)
            .with_channel_course(experiment.channel_interval)
    };
    let outcome = match (&experiment.ethernet, processes) {
        (Some(model), _) => Ethernet::new(setup, model).run_while(go_on).map(Some),
        (None, Some(processes)) => simulation().run_among(processes, go_on),
        (None, None) => simulation().run_while(go_on).map(Some),
    };
    let Some(outcome) = outcome.map_err(|violation| violation.to_string())? else {
        return Ok(None);
    };
    match outcome.ending {
        Ending::Interrupted => Ok(None),
        Ending::Lost {
            source,
            destination,
        } => Err(undelivered(&experiment.routed.network, source, destination)),
        Ending::Stalled(ref terminals) => match stalled(terminals) {
            Some(words) => Err(words),
            None => Ok(Some(outcome)),
        },
        _ => Ok(Some(outcome)),
    }
}

/// Why packets have no route, and what would have one.
fn undelivered(network: &Network, source: TerminalId, destination: TerminalId) -> String {
    let [from, to] = [source, destination].map(|terminal| network.router_of(terminal));
    let pair = format!("from terminal {source} to terminal {destination}");
    if distances(network, from)[to.index()] == UNREACHABLE {
        return format!(
            "the routing cannot deliver packets {pair}: what has failed has cut them off"
        );
    }
    let names = going_round_faults(network.shape()).map(|name| format!("`{name}`"));
    let names: Vec<String> = names.collect();
    format!(
        "the routing cannot deliver packets {pair}, though they are connected; `turnwise verify` lists all such pairs, and these go round \
         whatever has failed: {}",
        names.join(", ")
    )
}

/// So many of those who wait are told of.
const WAITING_TOLD: usize = 4;

/// Which agent has failed, or who waits for what for ever, if the agents say so.
fn stalled(terminals: &[Stalled]) -> Option<String> {
    // Who has failed keeps others waiting.
    if let Some(why) = terminals.iter().find_map(|stalled| stalled.failure.clone()) {
        return Some(why);
    }
    let waits = terminals.iter().flat_map(|stalled| &stalled.waits);
    let told: Vec<&str> = waits.take(WAITING_TOLD).map(String::as_str).collect();
    let all = terminals.iter().map(|stalled| stalled.waits.len().max(1));
    let more = all.sum::<usize>() - told.len();
    let more = if more > 0 {
        format!("; and {more} more")
    } else {
        String::new()
    };
    (!told.is_empty()).then(|| format!("the program waits for ever: {}{more}", told.join("; ")))
}
