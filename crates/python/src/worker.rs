//! A study where its points are simulated for somebody else: on a worker of a cluster.

use crate::failure::{error, study_error};
use crate::gathering::Delivered;
use crate::planning::{Contents, parsed};
use crate::waiting::watched;
use pyo3::exceptions::PyIndexError;
use pyo3::prelude::*;
use turnwise_cluster::Delivery;
use turnwise_study::Plan;
use turnwise_study::memory::Budget;
use turnwise_study::searches::Searches;
use turnwise_study::specification::Scope;
use turnwise_study::trial::Trial;

/// A study of which single points are simulated.
#[pyclass(frozen, module = "turnwise._native")]
pub(crate) struct Worker {
    plan: Plan,
    /// Points that are simulated at the same time share the memory.
    budget: Budget,
    searches: Searches,
}

#[pymethods]
impl Worker {
    /// Reads a study that has been understood elsewhere: what `Gathering.parcel` says of it.
    #[new]
    #[pyo3(signature = (name, text, overrides, files: "dict[str, bytes]"))]
    fn new(
        py: Python<'_>,
        name: String,
        text: &[u8],
        overrides: Vec<String>,
        files: Contents,
    ) -> PyResult<Self> {
        // Nothing is read here but what has come along.
        let folder = "/dev/null".into();
        let make = |source, document: &_, workshop, name: &_| {
            Plan::again(source, document, workshop, Scope::Simulation, name)
        };
        let plan = py.detach(|| parsed(&name, text, &overrides, folder, files, make));
        let plan = plan.map_err(|(source, errors)| study_error(py, &source, &errors))?;
        Ok(Self {
            plan,
            budget: Budget::default(),
            searches: Searches::default(),
        })
    }

    /// Simulates a point, in so many bytes of memory if they are told; `go_on` is called now and then, and ends it by raising.
    /// What comes of it is for `Gathering.add`.
    #[pyo3(signature = (index, threads, memory, go_on))]
    fn simulate(
        &self,
        py: Python<'_>,
        index: usize,
        threads: usize,
        memory: Option<u64>,
        go_on: Bound<'_, PyAny>,
    ) -> PyResult<Delivered> {
        let plan = &self.plan;
        let planned = plan.point(index).ok_or_else(|| {
            let message = format!("there are {} points, and no point {index}", plan.len());
            PyIndexError::new_err(message)
        })?;
        let trial = Trial {
            plan,
            threads: threads.max(1),
            budget: &self.budget,
            searches: &self.searches,
            memory,
            messages: None,
            leader: None,
        };
        let found = watched(py, Some(&go_on), |watch| {
            watch.tell(0, 1);
            trial.run(&planned, &|| !watch.goes_on())
        })?;
        let stopped = || error(py, &"the point was stopped");
        let found = found.map_err(|why| error(py, &why))?.ok_or_else(stopped)?;
        Ok(Delivery::new(planned.id, found).into())
    }
}
