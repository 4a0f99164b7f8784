//! Results of a study that workers of a cluster send, for whoever hands out its points in Python.

use crate::failure::{error, study_error};
use crate::planning::concluded;
use crate::results::Results;
use crate::study::Study;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use turnwise_cluster::{ClusterError, Delivery, Gathering as Gathered};
use turnwise_study::Plan;
use turnwise_study::runner::all_cores;

/// What a worker sends of a point, as Python passes it on: its name, its row, its details.
#[derive(IntoPyObject, FromPyObject)]
pub(crate) struct Delivered(String, String, Option<Vec<u8>>);

impl From<Delivery> for Delivered {
    fn from(delivery: Delivery) -> Self {
        Self(delivery.id, delivery.row, delivery.details)
    }
}

/// What somebody else needs to make the same study: its name, its text, overrides, and contents of files.
type Parcel = (String, Vec<u8>, Vec<String>, BTreeMap<String, Vec<u8>>);

/// Results that come in one by one.
#[pyclass(frozen, module = "turnwise._native")]
pub(crate) struct Gathering {
    plan: Arc<Plan>,
    stored: Option<PathBuf>,
    gathered: Mutex<Option<Gathered>>,
}

impl Gathering {
    fn raised(&self, py: Python<'_>, why: ClusterError) -> PyErr {
        match why {
            ClusterError::Study(why) => study_error(py, &self.plan.source, &[*why]),
            why => error(py, &why),
        }
    }

    fn with<T>(&self, work: impl FnOnce(&mut Gathered) -> T) -> PyResult<T> {
        let mut gathered = self.gathered.lock().unwrap_or_else(PoisonError::into_inner);
        let over = || PyValueError::new_err("nothing more can be added");
        Ok(work(gathered.as_mut().ok_or_else(over)?))
    }

    fn take(&self) -> Option<Gathered> {
        let mut gathered = self.gathered.lock().unwrap_or_else(PoisonError::into_inner);
        gathered.take()
    }
}

#[pymethods]
impl Gathering {
    /// Begins with the results in `folder`, to which more is added, or with none if there is none.
    #[new]
    fn new(py: Python<'_>, study: &Study, folder: Option<PathBuf>) -> PyResult<Self> {
        let plan = study.plan.clone();
        let stored = folder.map(|folder| folder.join("results"));
        let gathered = py.detach(|| Gathered::begin(plan.clone(), stored.as_deref()));
        let gathered = gathered.map_err(|why| error(py, &why))?;
        let gathered = Mutex::new(Some(gathered));
        Ok(Self {
            plan,
            stored,
            gathered,
        })
    }

    /// How many points there are.
    fn __len__(&self) -> usize {
        self.plan.len()
    }

    /// What a `Worker` is made of.
    fn parcel(&self, py: Python<'_>) -> PyResult<Parcel> {
        let source = &self.plan.source;
        let text = |number| source.text(number).unwrap_or_default().to_owned();
        let overrides = 1..u16::try_from(source.count()).unwrap_or(u16::MAX);
        let files = py.detach(|| self.plan.files());
        let files = files.map_err(|unread| error(py, &unread.message))?;
        Ok((
            source.name(0).unwrap_or_default().to_owned(),
            text(0).into_bytes(),
            overrides.map(text).collect(),
            files
                .into_iter()
                .map(|(name, bytes)| (name, bytes.to_vec()))
                .collect(),
        ))
    }

    /// The points without a result, the costliest first, on so many threads each.
    fn missing(&self, py: Python<'_>, threads: usize) -> PyResult<Vec<usize>> {
        let missing = py.detach(|| self.with(|gathered| gathered.missing(threads.max(1))))?;
        missing.map_err(|why| self.raised(py, why))
    }

    /// Adds what a worker has sent of a point, and stores it.
    fn add(&self, py: Python<'_>, index: usize, delivered: Delivered) -> PyResult<()> {
        let Delivered(id, row, details) = delivered;
        let delivery = Delivery { id, row, details };
        let added = py.detach(|| self.with(|gathered| gathered.add(index, &delivery)))?;
        added.map_err(|why| self.raised(py, why))
    }

    /// Notes why a point cannot be simulated.
    fn fail(&self, py: Python<'_>, index: usize, why: String) -> PyResult<()> {
        let failed = py.detach(|| self.with(|gathered| gathered.fail(index, why)))?;
        failed.map_err(|why| self.raised(py, why))
    }

    /// Notes that workers died of a point, and how.
    fn give_up(&self, py: Python<'_>, index: usize, how: &str) -> PyResult<()> {
        let given_up = py.detach(|| self.with(|gathered| gathered.give_up(index, how)))?;
        given_up.map_err(|why| self.raised(py, why))
    }

    /// Lets go of the store; nothing more can be added.
    fn close(&self) {
        drop(self.take());
    }

    /// Everything there is now. With `prove`, routings are proved too, as far as that takes about half a minute.
    fn conclude(&self, py: Python<'_>, prove: bool) -> PyResult<Results> {
        let over = || PyValueError::new_err("nothing more can be told");
        let (rows, summary) = self.take().ok_or_else(over)?.conclude();
        let stored = self.stored.clone();
        concluded(py, &self.plan, rows, summary, stored, prove, all_cores())
    }
}
