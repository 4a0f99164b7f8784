//! Results of a study as Python sees them: columns, rows, a report.

use crate::failure::{error, not_written, study_error};
use crate::table::Table;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use serde_json::Value as Json;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use turnwise_config::diagnostic::listed;
use turnwise_study::export::fill_atomically;
use turnwise_study::proofs::Proofs;
use turnwise_study::record_batch::record_batch;
use turnwise_study::reporting::{self, Beside};
use turnwise_study::runner::RunSummary;
use turnwise_study::store::{Results as Stored, read_details};
use turnwise_study::sweep::PointId;
use turnwise_study::tables::{RESULT_FILES, Rows, TABLE_FORMATS, WriteRows, table_format};
use turnwise_study::{Plan, advice};

/// What came of the points of a study.
#[pyclass(frozen, module = "turnwise._native")]
pub(crate) struct Results {
    pub(crate) plan: Arc<Plan>,
    pub(crate) rows: Stored,
    pub(crate) proofs: Proofs,
    pub(crate) summary: RunSummary,
    /// Where they are stored, if they are.
    pub(crate) stored: Option<PathBuf>,
}

impl Results {
    fn write_report(&self, py: Python<'_>, folder: &Path) -> PyResult<()> {
        let advice =
            advice::advice(&self.plan).map_err(|why| study_error(py, &self.plan.source, &[why]))?;
        let read = self
            .stored
            .as_ref()
            .map(|stored| |id: &PointId| read_details(stored, id));
        let beside = Beside {
            failures: &self.summary.failures,
            advice: &advice,
            details: read.as_ref().map(|read| read as _),
        };
        let report = reporting::report(&self.plan, &self.rows, &self.proofs, &beside);
        let report = report.map_err(|why| error(py, &why))?;
        reporting::write(&report, folder).map_err(|(path, why)| not_written(&path, &why))?;
        let mut files = RESULT_FILES.iter();
        files.try_for_each(|&(name, write)| self.write(&folder.join(name), write))
    }

    fn write(&self, file: &Path, write: WriteRows) -> PyResult<()> {
        let rows = Rows {
            plan: &self.plan,
            results: &self.rows,
            proofs: &self.proofs,
        };
        let filled = fill_atomically(file, &mut |out| write(rows, out));
        filled.map_err(|why| not_written(file, &why))
    }
}

#[pymethods]
impl Results {
    /// How many points have results.
    fn __len__(&self) -> usize {
        self.rows.len()
    }

    /// What is to be said of results that another revision of the program has stored.
    #[getter]
    fn found_again(&self) -> Option<String> {
        self.rows.found_again(self.stored.as_ref()?)
    }

    /// A row for each point, with the columns of `results.csv`.
    fn table(&self, py: Python<'_>) -> PyResult<Table> {
        let batch = record_batch(&self.plan, &self.rows, &self.proofs);
        Ok(Table::new(batch.map_err(|why| error(py, &why))?))
    }

    /// What `turnwise run --format json` prints, a JSON object for each point: classes and jobs too.
    fn json(&self) -> Vec<String> {
        let rows = self.proofs.rows(&self.plan, &self.rows);
        let object = |(_, row): (usize, turnwise_study::row::Row)| {
            let mut object = row.into_object();
            self.plan.units.extend(&mut object);
            Json::Object(object).to_string()
        };
        rows.map(object).collect()
    }

    /// Points that failed: number, words for it, what happened.
    #[getter]
    fn failures(&self) -> Vec<(usize, String, String)> {
        let failures = self.summary.failures.iter().cloned();
        failures
            .map(|failure| (failure.index, failure.name, failure.message))
            .collect()
    }

    /// How many points were simulated now.
    #[getter]
    fn simulated(&self) -> usize {
        self.summary.simulated
    }

    /// How many were there already.
    #[getter]
    fn reused(&self) -> usize {
        self.summary.reused
    }

    /// Why the answer is negative: a deadlock that is possible or happened, a pair without a route; nothing if it is not.
    #[getter]
    fn negative(&self) -> Option<String> {
        reporting::negative_words(&self.proofs, self.plan.rows(&self.rows))
    }

    /// Writes `report.html`, `plots/*.svg`, `results.csv` and what that is of into a folder.
    fn report(&self, py: Python<'_>, folder: PathBuf) -> PyResult<()> {
        self.write_report(py, &folder)
    }

    /// Writes a file, whose format is told by its extension: `csv`, `parquet` or `arrow`.
    fn export(&self, file: PathBuf) -> PyResult<()> {
        let extension = file.extension().and_then(|extension| extension.to_str());
        let format = table_format(extension.unwrap_or_default()).ok_or_else(|| {
            let names = listed(TABLE_FORMATS.iter().map(|format| format.name));
            let name = file.display();
            PyValueError::new_err(format!(
                "cannot tell the format of {name} by its extension; the extensions are {names}"
            ))
        })?;
        self.write(&file, format.write)
    }
}
