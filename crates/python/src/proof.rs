//! What was found out about a network and routing, as Python sees it.

use crate::routing::Routing;
use pyo3::prelude::*;
use turnwise_study::finding::Finding;
use turnwise_verify::Verdict;

/// Verdict, certificate or cycle, and quality of a routing on a network.
#[pyclass(frozen, module = "turnwise._native")]
pub(crate) struct Proof {
    finding: Finding,
}

impl Proof {
    pub(crate) fn new(finding: Finding) -> Self {
        Self { finding }
    }
}

#[pymethods]
impl Proof {
    /// The routing that was judged.
    #[getter]
    fn routing(&self) -> Routing {
        let Finding {
            routing_name,
            routed,
            ..
        } = &self.finding;
        Routing::new(routing_name.clone(), routed.clone())
    }

    /// `deadlock-free`, `cyclic`, `unroutable` or `not-proved`.
    #[getter]
    fn verdict(&self) -> &'static str {
        self.finding.verdict_word()
    }

    /// Is a deadlock possible, or does a pair have no route?
    #[getter]
    fn is_negative(&self) -> bool {
        self.finding.is_negative()
    }

    /// A shortest cycle of channels that wait for each other, a line each; empty if there is none.
    #[getter]
    fn cycle(&self) -> Vec<String> {
        match &self.finding.analysis.verdict {
            Verdict::Cyclic(cycle) => cycle.render(&self.finding.routed.network),
            _ => Vec::new(),
        }
    }

    /// The proof as JSON, which tools/check_certificate.py can check; nothing if there is none.
    #[getter]
    fn certificate(&self) -> Option<String> {
        let Finding {
            analysis,
            routed,
            routing_name,
            ..
        } = &self.finding;
        let certificate = analysis.verdict.certificate()?;
        Some(certificate.to_json(&routed.network, routing_name))
    }

    /// Ordered pairs of different living terminals.
    #[getter]
    fn pairs(&self) -> u64 {
        self.finding.analysis.reachability.pairs
    }

    /// Those without a route.
    #[getter]
    fn unroutable_pairs(&self) -> u64 {
        self.finding.unroutable_pairs()
    }

    /// Some of them, a line each.
    #[getter]
    fn unroutable_examples(&self) -> Vec<String> {
        self.finding.unroutable_examples()
    }

    /// Routes on the busiest channel between routers, times what it is slower than the fastest.
    #[getter]
    fn edge_forwarding_index(&self) -> f64 {
        self.finding.analysis.quality.edge_forwarding_index
    }

    /// Routes on a channel between routers, in the mean, weighed likewise.
    #[getter]
    fn mean_load(&self) -> f64 {
        self.finding.analysis.quality.mean_load
    }

    /// What no routing can have less of on its busiest channel; None if not all pairs have a route here.
    #[getter]
    fn lower_bound(&self) -> Option<f64> {
        self.finding.lower_bound()
    }

    /// Channels between routers of a route, in the mean.
    #[getter]
    fn mean_hops(&self) -> f64 {
        self.finding.analysis.quality.mean_hops
    }

    /// The flow control that the proof assumes.
    #[getter]
    fn flow_control(&self) -> &'static str {
        self.finding.flow_control.name()
    }
}
