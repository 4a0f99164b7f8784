//! From a text to a plan, and from rows to results: for studies, for workers, for those who gather.

use crate::failure::study_error;
use crate::results::Results;
use crate::waiting::{Watch, watched};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use turnwise_config::document::Value;
use turnwise_network::Diagnostic;
use turnwise_study::proofs::{self, MOST_WORK, Proofs};
use turnwise_study::runner::RunSummary;
use turnwise_study::specification::Scope;
use turnwise_study::store::Results as Rows;
use turnwise_study::{Plan, Source, Workshop};

/// Contents of files, by the names that a study has for them.
pub(crate) type Contents = BTreeMap<String, PyBackedBytes>;

/// Why a study makes no sense.
type Wrong = (Source, Vec<Diagnostic>);

/// A plan of a text that is called `name`, which `make` makes of it; files come along or are in the folder.
pub(crate) fn parsed(
    name: &str,
    text: &[u8],
    overrides: &[String],
    folder: PathBuf,
    files: Contents,
    make: impl FnOnce(Source, &Value, Workshop, &str) -> Result<Plan, Wrong>,
) -> Result<Plan, Wrong> {
    let (source, parsed) = Source::parse(name, text, overrides);
    let document = match parsed {
        Ok(document) => document,
        Err(errors) => return Err((source, errors)),
    };
    let files = files
        .iter()
        .map(|(name, bytes)| (name.clone(), Arc::from(&**bytes)));
    let workshop = Workshop::with_files(folder, files.collect());
    let stem = Path::new(name).file_stem();
    let stem = stem.map_or("study".into(), |stem| stem.to_string_lossy());
    make(source, &document, workshop, &stem)
}

/// Results of a study; with `prove`, routings are proved too, on so many threads, as far as that takes about half a minute on one.
pub(crate) fn concluded(
    py: Python<'_>,
    plan: &Arc<Plan>,
    rows: Rows,
    summary: RunSummary,
    stored: Option<PathBuf>,
    prove: bool,
    threads: usize,
) -> PyResult<Results> {
    let proofs = match prove {
        true => watched(py, None, |watch| {
            self::prove(plan, MOST_WORK, threads, watch)
        })?,
        false => Ok(None),
    };
    let proofs = proofs.map_err(|why| study_error(py, &plan.source, &[why]))?;
    Ok(Results {
        plan: plan.clone(),
        rows,
        proofs: proofs.unwrap_or_default(),
        summary,
        stored,
    })
}

/// The widest scope of which a document has the tables.
pub(crate) fn scope_of(document: &Value) -> Scope {
    let has = |table: &str| {
        let swept = document.at_path("sweep").into_iter();
        let mut keys = swept.flat_map(Value::entries);
        let is_of = |name: &str| name == table || name.starts_with(&format!("{table}."));
        document.at_path(table).is_some() || keys.any(|(key, _)| is_of(&key.name))
    };
    match (has("traffic") || has("workload"), has("routing")) {
        (true, _) => Scope::Simulation,
        (false, true) => Scope::Routing,
        (false, false) => Scope::Network,
    }
}

/// Proofs of what takes so much work at most; nothing if stopped.
pub(crate) fn prove(
    plan: &Plan,
    most_work: u64,
    threads: usize,
    watch: &Watch,
) -> Result<Option<Proofs>, Diagnostic> {
    let mut go_on = |done: usize, total: usize| {
        watch.tell(done, total);
        watch.goes_on()
    };
    proofs::prove(plan, most_work, threads, &mut go_on)
}
