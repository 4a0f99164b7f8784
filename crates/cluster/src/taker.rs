//! A task of a round: takes bundle after bundle until none is left.

use crate::error::ClusterError;
use crate::round::Round;
use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};
use turnwise_study::Plan;
use turnwise_study::handout::Handout;
use turnwise_study::results::Results;
use turnwise_study::runner::RunSummary;
use turnwise_study::sweep::PointId;

/// Hands out points of the bundles that a task takes; for all its threads.
pub struct Taker {
    round: Round,
    task: String,
    /// Numbers of points that have no result yet, bundle by bundle.
    bundles: Vec<Vec<usize>>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// What is left of the bundle taken last.
    points: VecDeque<usize>,
    /// The first bundle that may be free.
    next: usize,
    /// Why nothing can be taken any more.
    error: Option<ClusterError>,
}

impl Taker {
    /// For a task of a round; `results` are those that need no point any more.
    ///
    /// # Errors
    /// A round that cannot be read, or that was made for another study.
    pub fn new(
        round: Round,
        task: &str,
        plan: &Plan,
        results: &Results,
    ) -> Result<Self, ClusterError> {
        round.give_back(task)?;
        let all = plan.numbers();
        let wanted = round.bundles()?;
        let named = || wanted.iter().flatten();
        let unknown = named().filter(|id| !all.contains_key(id)).count();
        if unknown > 0 {
            return Err(ClusterError::Changed(unknown, named().count()));
        }
        let missing = |id: &PointId| all.get(id).filter(|_| !results.contains_key(id));
        let bundle = |bundle: &Vec<PointId>| bundle.iter().filter_map(missing).copied().collect();
        Ok(Self {
            bundles: wanted.iter().map(bundle).collect(),
            round,
            task: task.to_owned(),
            state: Mutex::default(),
        })
    }

    /// Notes which points failed, for whoever watches the job.
    ///
    /// # Errors
    /// A round that cannot be written, now or when the task wanted more of it.
    pub fn conclude(self, plan: &Plan, summary: &RunSummary) -> Result<(), ClusterError> {
        for failure in &summary.failures {
            if let Some(id) = plan.id(failure.index) {
                self.round.fail(&id, &failure.message)?;
            }
        }
        let state = self.state.into_inner();
        let state = state.unwrap_or_else(PoisonError::into_inner);
        state.error.map_or(Ok(()), Err)
    }

    /// Takes the first bundle that is free from `next` on.
    fn take(&self, next: &mut usize) -> Result<Option<&Vec<usize>>, ClusterError> {
        // Bundles behind `next` may have been given back meanwhile.
        for _ in 0..2 {
            while let Some(bundle) = self.bundles.get(*next) {
                if self.round.take(*next, &self.task)? {
                    *next += 1;
                    return Ok(Some(bundle));
                }
                let taken = self.round.taken()?;
                *next += 1;
                while taken.contains(next) {
                    *next += 1;
                }
            }
            let taken = self.round.taken()?;
            let mut all = 0..self.bundles.len();
            *next = all
                .find(|bundle| !taken.contains(bundle))
                .unwrap_or(self.bundles.len());
        }
        Ok(None)
    }
}

impl Handout for Taker {
    fn next(&self) -> Option<usize> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        while state.points.is_empty() && state.error.is_none() {
            match self.take(&mut state.next) {
                Ok(Some(bundle)) => state.points.extend(bundle),
                Ok(None) => break,
                Err(error) => state.error = Some(error),
            }
        }
        state.points.pop_front()
    }
}
