//! Proof and quality of every distinct pair of network and routing in a study.

use crate::plan::Plan;
use crate::workshop::Routed;
use std::collections::BTreeSet;
use turnwise_network::FlowControl;
use turnwise_network::diagnostic::Diagnostic;
use turnwise_routing::RuleBound;
use turnwise_verify::{Analysis, Bound, BoundReason, Survey, Verdict, destinations, lower_bound};

/// What was found out about one network and routing.
pub struct Finding {
    /// The routing's name, with its swept parameters.
    pub routing_name: String,
    /// The network and the routing.
    pub routed: Routed,
    /// The flow control the proof assumes.
    pub flow_control: FlowControl,
    /// Verdict, reachability, loads.
    pub analysis: Analysis,
    /// What no routing can beat.
    pub bound: Bound,
}

impl Finding {
    /// Analyses a network and routing; `None` if `go_on`, asked before every destination, says no.
    pub fn new(
        routing_name: String,
        routed: Routed,
        flow_control: FlowControl,
        go_on: &mut dyn FnMut(usize, usize) -> bool,
    ) -> Option<Self> {
        let (network, routing) = (&*routed.network, &*routed.routing);
        let mut survey = Survey::new(network, routing);
        let all = destinations(network, routing);
        for (done, &destination) in all.iter().enumerate() {
            if !go_on(done, all.len()) {
                return None;
            }
            survey.visit(destination);
        }
        let analysis = survey.conclude(flow_control);
        let bound = lower_bound(network);
        Some(Self {
            routing_name,
            routed,
            flow_control,
            analysis,
            bound,
        })
    }

    /// Takes note of a bound that holds under the routing algorithm's own rules.
    #[must_use]
    pub fn with_rule_bound(mut self, rule: Option<RuleBound>) -> Self {
        if let Some(rule) = rule {
            let bound = Bound {
                demand: rule.demand,
                channels: rule.weight,
                reason: BoundReason::Rules(rule.rules),
            };
            if bound.exceeds(&self.bound) {
                self.bound = bound;
            }
        }
        self
    }

    /// The bound to print beside the loads: whole for single-path routings, whose loads are whole.
    pub fn lower_bound(&self) -> f64 {
        match self.analysis.quality.single_path {
            true => self.bound.ceil() as f64,
            false => self.bound.value(),
        }
    }

    /// Pairs of living terminals without a route, for whatever reason.
    pub fn unroutable_pairs(&self) -> u64 {
        let reachability = &self.analysis.reachability;
        reachability.pairs - reachability.routable
    }

    /// Is there anything to warn of: a cycle, lost packets, unconnected terminals?
    pub fn is_negative(&self) -> bool {
        matches!(self.analysis.verdict, Verdict::Cyclic(_)) || self.unroutable_pairs() > 0
    }

    /// The verdict in one word.
    pub fn verdict_word(&self) -> &'static str {
        match &self.analysis.verdict {
            Verdict::Cyclic(_) => "cyclic",
            _ if self.unroutable_pairs() > 0 => "unroutable",
            Verdict::DeadlockFree(_) => "deadlock-free",
            Verdict::Unexplored(_) => "unexplored",
        }
    }

    /// Examples of pairs without a route, one line each.
    pub fn unroutable_examples(&self) -> Vec<String> {
        let reachability = &self.analysis.reachability;
        let kinds = [
            &reachability.disconnected,
            &reachability.lost,
            &reachability.endless,
        ];
        let network = &self.routed.network;
        kinds
            .iter()
            .flat_map(|kind| &kind.examples)
            .map(|failure| failure.render(network))
            .collect()
    }
}

/// Routers beyond which a study does not verify by itself: exploring all states takes
/// time that grows with the square of the network and more.
pub const MOST_ROUTERS: usize = 3_000;

/// Analyses every distinct network and routing of a plan; `None` if stopped.
///
/// Networks of more than [`MOST_ROUTERS`] routers are left out; `turnwise verify` takes any.
///
/// # Errors
/// As building the points does.
pub fn findings(
    plan: &Plan,
    go_on: &mut dyn FnMut(usize, usize) -> bool,
) -> Result<Option<Vec<Finding>>, Diagnostic> {
    let mut seen = BTreeSet::new();
    let mut findings = Vec::new();
    for planned in &plan.points {
        let (routed, specification) = plan.routed(planned)?;
        let flow_control = specification.router.flow_control();
        if !seen.insert(routed.key.clone()) || routed.network.router_count() > MOST_ROUTERS {
            continue;
        }
        let rule_bound = specification.rule_bound(&routed.network);
        let name = routing_name(planned.point.document.at_path("routing"), &plan.keys);
        match Finding::new(name, routed, flow_control, go_on) {
            Some(finding) => findings.push(finding.with_rule_bound(rule_bound)),
            None => return Ok(None),
        }
    }
    Ok(Some(findings))
}

/// `kind`, followed by the parameters that the study sweeps.
pub fn routing_name(table: Option<&turnwise_network::document::Value>, swept: &[String]) -> String {
    let text = |value: &turnwise_network::document::Value| match value.as_str() {
        Some(text) => text.to_owned(),
        None => value.canonical(),
    };
    let field = |name: &str| table.and_then(|table| table.at_path(name)).map(text);
    let mut name = field("kind").unwrap_or_default();
    for key in swept {
        let own = key.strip_prefix("routing.").filter(|own| *own != "kind");
        if let Some((own, value)) = own.and_then(|own| Some((own, field(own)?))) {
            name.push_str(&format!(", {} {value}", own.replace('_', " ")));
        }
    }
    name
}
