//! Whose ranks are whose: a run numbers them through all its programs, and whoever reads of them job by job.

use crate::row::Row;
use serde_json::Value as Json;

/// The jobs of a run, each with the number of its first rank; none if there are not several.
#[derive(Default)]
pub struct Jobs(Vec<(u32, String)>);

impl Jobs {
    /// Those of a row.
    pub fn of(row: &Row) -> Self {
        let jobs = row.jobs.as_deref().and_then(Json::as_array);
        let jobs = jobs.filter(|jobs| jobs.len() > 1);
        let mut first = 0;
        let jobs = jobs.into_iter().flatten().map(|job| {
            let at = first;
            first += job["ranks"].as_u64().unwrap_or(0) as u32;
            (at, job["name"].as_str().unwrap_or_default().to_owned())
        });
        Self(jobs.collect())
    }

    /// Is there nothing to tell apart?
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The job of a rank, if there are several, and its number there.
    pub fn whose(&self, rank: u32) -> (Option<&str>, u32) {
        let behind = self.0.partition_point(|(first, _)| *first <= rank);
        match behind.checked_sub(1).map(|job| &self.0[job]) {
            Some((first, name)) => (Some(name), rank - first),
            None => (None, rank),
        }
    }
}
