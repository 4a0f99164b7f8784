//! A study as Python sees it: understood when it is made, then planned, run, routed and proved.

use crate::failure::{error, study_error};
use crate::network::Network;
use crate::planning::{Contents, concluded, parsed, prove, scope_of};
use crate::proof::Proof;
use crate::results::Results;
use crate::routing::Routing;
use crate::table::Table;
use crate::waiting::{Watch, watched};
use arrow_array::{ArrayRef, Float64Array, Int64Array, RecordBatch, StringArray};
use pyo3::prelude::*;
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;
use turnwise_network::Diagnostic;
use turnwise_study::costs::Costs;
use turnwise_study::finding::finding_key;
use turnwise_study::memory::memory_limit;
use turnwise_study::plan::PlannedPoint;
use turnwise_study::proofs;
use turnwise_study::row::point_fields;
use turnwise_study::runner::{all_cores, threads_each};
use turnwise_study::{Plan, Runner};

/// A study that has been understood.
#[pyclass(frozen, module = "turnwise._native")]
pub(crate) struct Study {
    pub(crate) plan: Arc<Plan>,
}

impl Study {
    fn wrong(&self, py: Python<'_>, why: Diagnostic) -> PyErr {
        study_error(py, &self.plan.source, &[why])
    }

    fn threads(&self, asked: Option<u32>) -> usize {
        let asked = asked.or(self.plan.first.simulation.threads);
        asked.map_or_else(all_cores, |threads| threads.max(1) as usize)
    }
}

#[pymethods]
impl Study {
    /// Understands a study: a text that is called `name`, `overrides` as `--set` takes them, and contents of the files that it names.
    #[new]
    #[pyo3(signature = (name, text, overrides, folder, files: "dict[str, bytes]"))]
    fn new(
        py: Python<'_>,
        name: String,
        text: &[u8],
        overrides: Vec<String>,
        folder: PathBuf,
        files: Contents,
    ) -> PyResult<Self> {
        let make = |source, document: &_, workshop, name: &_| {
            Plan::new(source, document, workshop, scope_of(document), name)
        };
        let plan = py.detach(|| parsed(&name, text, &overrides, folder, files, make));
        let plan = plan.map_err(|(source, errors)| study_error(py, &source, &errors))?;
        let plan = Arc::new(plan);
        Ok(Self { plan })
    }

    /// How many points there are.
    fn __len__(&self) -> usize {
        self.plan.len()
    }

    /// Its name.
    #[getter]
    fn name(&self) -> &str {
        &self.plan.name
    }

    /// The fields that are swept.
    #[getter]
    fn swept(&self) -> Vec<String> {
        self.plan.keys.clone()
    }

    /// A row for each point: what is swept, as JSON, the size of its network, and the memory and time that it will take.
    fn plan(&self, py: Python<'_>, threads: Option<u32>) -> PyResult<Table> {
        let plan = &self.plan;
        let each = threads_each(self.threads(threads), plan.len());
        let costs = py.detach(|| {
            let mut costs = Costs::new(plan, each, memory_limit());
            let costs = (0..plan.len()).map(|index| costs.of(index));
            costs.collect::<Result<Vec<_>, _>>()
        });
        let costs = costs.map_err(|why| self.wrong(py, why))?;
        let repeated = plan.is_repeated();
        let points = plan.points().map(|planned| {
            serde_json::Value::Object(point_fields(&planned.point, repeated)).to_string()
        });
        let whole = |of: &dyn Fn(usize) -> u64| -> ArrayRef {
            Arc::new(Int64Array::from_iter_values(
                (0..costs.len()).map(|at| of(at) as i64),
            ))
        };
        let size = |at: usize| &costs[at].basis.size;
        let seconds = costs
            .iter()
            .map(|cost| cost.estimate.seconds + cost.setup_seconds);
        let columns: [(&str, ArrayRef); 5] = [
            ("point", Arc::new(StringArray::from_iter_values(points))),
            ("routers", whole(&|at| size(at).routers)),
            ("terminals", whole(&|at| size(at).terminals)),
            ("bytes", whole(&|at| costs[at].estimate.bytes)),
            ("seconds", Arc::new(Float64Array::from_iter_values(seconds))),
        ];
        let batch = RecordBatch::try_from_iter(columns).map_err(|why| error(py, &why))?;
        Ok(Table::new(batch))
    }

    /// Simulates what has no result yet in `folder`, or all if there is none; `progress` is called with points done and all.
    /// With `prove`, routings are proved too, as far as that takes about half a minute.
    #[pyo3(signature = (threads, folder, prove, progress))]
    fn run(
        &self,
        py: Python<'_>,
        threads: Option<u32>,
        folder: Option<PathBuf>,
        prove: bool,
        progress: Option<Bound<'_, PyAny>>,
    ) -> PyResult<Results> {
        let plan = &self.plan;
        if let (None, Some(first)) = (&plan.first.demand, plan.point(0))
            && let Err(why) = plan.experiment(&first, None)
        {
            return Err(self.wrong(py, why));
        }
        let stored = folder.map(|folder| folder.join("results"));
        let threads = self.threads(threads);
        let work = |watch: &Watch| {
            let (mut rows, writer) = plan.open(stored.as_deref(), 0)?;
            let runner = Runner {
                plan,
                threads,
                stop: &watch.stop,
                shard: (0, 1),
                messages: None,
                leader: None,
            };
            let mut show = |progress: turnwise_study::runner::Progress| {
                watch.tell(progress.done, progress.total);
            };
            let summary = runner.run(&mut rows, writer, &plan.provenance, &mut show)?;
            Ok::<_, turnwise_study::store::StoreError>((rows, summary))
        };
        let done = watched(py, progress.as_ref(), work)?;
        let (rows, summary) = done.map_err(|why| error(py, &why))?;
        concluded(py, plan, rows, summary, stored, prove, threads)
    }

    /// Proves every distinct routing, or finds a cycle, however long it takes; `progress` is called with destinations done and all.
    fn verify(&self, py: Python<'_>, progress: Option<Bound<'_, PyAny>>) -> PyResult<Vec<Proof>> {
        let work = |watch: &Watch| prove(&self.plan, u64::MAX, self.threads(None), watch);
        let proofs = watched(py, progress.as_ref(), work)?;
        let proofs = proofs.map_err(|why| self.wrong(py, why))?;
        let findings = proofs.map(|proofs| proofs.findings);
        Ok(findings
            .unwrap_or_default()
            .into_iter()
            .map(Proof::new)
            .collect())
    }

    /// Builds every distinct routing.
    fn route(&self, py: Python<'_>) -> PyResult<Vec<Routing>> {
        let plan = &self.plan;
        let names = proofs::names(plan);
        let all = || {
            let (mut seen, mut all) = (BTreeSet::new(), Vec::new());
            for planned in plan.routings() {
                let (routed, specification) = plan.routed(&planned)?;
                if seen.insert(finding_key(&routed, specification.router.assumptions())) {
                    let fields = point_fields(&planned.point, false);
                    let name = proofs::routing_name(&names, &fields, &planned.point.document);
                    all.push(Routing::new(name, routed));
                }
            }
            Ok(all)
        };
        py.detach(all).map_err(|why| self.wrong(py, why))
    }

    /// Builds every distinct network.
    fn networks(&self, py: Python<'_>) -> PyResult<Vec<Network>> {
        let network = |planned: &PlannedPoint| {
            let network = self.plan.network(planned)?;
            Ok(Network { network })
        };
        let points = self.plan.networks();
        let all = points
            .map(|planned| network(&planned))
            .collect::<Result<_, _>>();
        all.map_err(|why| self.wrong(py, why))
    }
}
