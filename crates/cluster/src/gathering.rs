//! Rows of points that somebody else simulates: workers of an engine that hands out points itself,
//! such as Dask.
//!
//! A [`Delivery`] is what a worker sends of a point. It names the point by what it means there, so
//! that rows of another study, or of files that have changed, are no rows of this one.

use crate::blame::expected_memory;
use crate::error::ClusterError;
use crate::units::{Costed, by_cost};
use std::path::Path;
use std::sync::Arc;
use turnwise_study::Plan;
use turnwise_study::results::Results;
use turnwise_study::row::Row;
use turnwise_study::runner::{PointFailure, RunSummary};
use turnwise_study::store::{StoreError, Writer};
use turnwise_study::sweep::PointId;
use turnwise_study::trial::Found;

/// What came of a point, on its way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Delivery {
    /// What its result is found by.
    pub id: String,
    /// Its row, a JSON object.
    pub row: String,
    /// Its encoded details, if they are kept.
    pub details: Option<Vec<u8>>,
}

impl Delivery {
    /// What was found of the point with this name.
    pub fn new(id: PointId, found: Found) -> Self {
        Self {
            id: id.to_string(),
            row: serde_json::Value::Object(found.row.into_object()).to_string(),
            details: found.details,
        }
    }
}

/// Results of a study that come in from elsewhere, in any order.
pub struct Gathering {
    plan: Arc<Plan>,
    results: Results,
    writer: Option<Writer>,
    summary: RunSummary,
}

impl Gathering {
    /// Begins with what is stored in a folder, to which more is added, or with nothing.
    ///
    /// # Errors
    /// A store that cannot be read or written.
    pub fn begin(plan: Arc<Plan>, stored: Option<&Path>) -> Result<Self, StoreError> {
        let (results, writer) = plan.open(stored, 0)?;
        let summary = RunSummary {
            reused: plan.len() - plan.missing(&results).count(),
            ..RunSummary::default()
        };
        Ok(Self {
            plan,
            results,
            writer,
            summary,
        })
    }

    /// The points without a result, the costliest first, each on so many threads.
    ///
    /// # Errors
    /// A point that cannot be estimated.
    pub fn missing(&self, threads: usize) -> Result<Vec<usize>, ClusterError> {
        let missing: Vec<usize> = self.plan.missing(&self.results).collect();
        let costed = by_cost(&self.plan, &missing, threads)?;
        Ok(costed.iter().map(|Costed { index, .. }| *index).collect())
    }

    /// Adds what came of a point, and stores it.
    ///
    /// # Errors
    /// A result of another point; a store that cannot be written.
    pub fn add(&mut self, index: usize, delivery: &Delivery) -> Result<(), ClusterError> {
        let name = || PointFailure::name(&self.plan, index);
        let id = self.plan.id(index);
        let id = id.filter(|id| id.to_string() == delivery.id);
        let id = id.ok_or_else(|| ClusterError::Another(name()))?;
        let object = serde_json::from_str(&delivery.row).map_err(|error| error.to_string());
        let row = object.and_then(Row::from_object);
        let row = row.map_err(|why| ClusterError::Garbled(name(), why))?;
        if let Some(writer) = &mut self.writer {
            writer.add_all(
                &id,
                &row,
                delivery.details.as_deref(),
                &self.plan.provenance,
            )?;
        }
        self.results.insert(id, &row);
        self.summary.simulated += 1;
        Ok(())
    }

    /// Notes that a point cannot be simulated, in the store as well, for whoever reads it later.
    ///
    /// # Errors
    /// A store that cannot be written.
    pub fn fail(&mut self, index: usize, message: String) -> Result<(), ClusterError> {
        if let (Some(writer), Some(id)) = (&mut self.writer, self.plan.id(index)) {
            writer.note_failure(&id, &message)?;
        }
        self.summary.failures.push(PointFailure {
            index,
            name: PointFailure::name(&self.plan, index),
            message,
        });
        Ok(())
    }

    /// Notes that workers died of a point; how, in words.
    ///
    /// # Errors
    /// As [`fail`](Self::fail).
    pub fn give_up(&mut self, index: usize, how: &str) -> Result<(), ClusterError> {
        let expected = expected_memory(&self.plan, index);
        self.fail(
            index,
            format!("{how}{expected}; the memory of workers may be too small"),
        )
    }

    /// Everything there is now, and what was done.
    pub fn conclude(mut self) -> (Results, RunSummary) {
        self.summary.failures.sort_by_key(|failure| failure.index);
        (self.results, self.summary)
    }
}
