//! Proof and quality of every distinct network and routing of a study, and what was too large.

use crate::finding::{Finding, NOT_PROVED, finding_key};
use crate::naming::{Fields, Names, lies_in};
use crate::plan::Plan;
use crate::proving::{Attempt, Prover};
use crate::row::{Row, point_fields};
use crate::store::Results;
use crate::workload::is_of_protocol;
use std::collections::BTreeMap;
use std::sync::Arc;
use turnwise_config::diagnostic::Diagnostic;
use turnwise_config::document::Value;
use turnwise_network::{FlowControl, Network};

/// The most states, and options of packets in them, that a study explores by itself for one network and routing: about half a minute, twice that
/// where the proof is by escape. `turnwise verify` explores any number.
pub const MOST_WORK: u64 = 400_000_000;

/// A network and routing that a study did not prove, because it is too large.
pub struct Unproved {
    /// The network's name, as in a [`Finding`].
    pub network_name: String,
    /// The routing's name, as in a [`Finding`].
    pub routing_name: String,
    /// The network.
    pub network: Arc<Network>,
    /// The flow control a proof would assume.
    pub flow_control: FlowControl,
    /// About how many states would have to be explored.
    pub states: u64,
    /// The command that proves it.
    pub command: String,
}

/// What is known of every network and routing of a study.
#[derive(Default)]
pub struct Proofs {
    /// What was analysed, in the order of the points.
    pub findings: Vec<Finding>,
    /// What was not.
    pub unproved: Vec<Unproved>,
    /// What is known of each point.
    by_point: Vec<Known>,
}

/// Where something is known.
#[derive(Clone, Copy)]
enum Known {
    Finding(usize),
    Unproved(usize),
}

impl Proofs {
    /// The verdict on a point of the plan, in one word.
    pub fn verdict(&self, point: usize) -> Option<&'static str> {
        Some(match *self.by_point.get(point)? {
            Known::Finding(at) => self.findings.get(at)?.verdict_word(),
            Known::Unproved(_) => NOT_PROVED,
        })
    }

    /// The name of the network of a point of the plan.
    pub fn network_name(&self, point: usize) -> Option<&str> {
        Some(match *self.by_point.get(point)? {
            Known::Finding(at) => &self.findings.get(at)?.network_name,
            Known::Unproved(at) => &self.unproved.get(at)?.network_name,
        })
    }

    /// The routing of a point of the plan in words.
    pub fn routing_name(&self, point: usize) -> Option<&str> {
        Some(match *self.by_point.get(point)? {
            Known::Finding(at) => &self.findings.get(at)?.routing_name,
            Known::Unproved(at) => &self.unproved.get(at)?.routing_name,
        })
    }

    /// The network of a point of the plan.
    pub fn network(&self, point: usize) -> Option<&Network> {
        Some(match *self.by_point.get(point)? {
            Known::Finding(at) => &self.findings.get(at)?.routed.network,
            Known::Unproved(at) => &self.unproved.get(at)?.network,
        })
    }

    /// Is there anything to warn of?
    pub fn is_negative(&self) -> bool {
        self.findings.iter().any(Finding::is_negative)
    }

    /// All results there are, in the order of the points and with their numbers, each with the
    /// verdict on it; null if nothing was proved.
    pub fn rows<'a>(
        &'a self,
        plan: &'a Plan,
        results: &'a Results,
    ) -> impl Iterator<Item = (usize, Row)> + 'a {
        (0..plan.len()).filter_map(|index| {
            let mut row = plan.row(results, index)?;
            row.verdict = Some(self.verdict(index).into());
            Some((index, row))
        })
    }
}

/// Analyses every distinct network and routing of a plan, each within `most_work` states and options and on so many threads; `None` if
/// stopped.
///
/// # Errors
/// As building the points does.
pub fn prove(
    plan: &Plan,
    most_work: u64,
    threads: usize,
    go_on: &mut dyn FnMut(usize, usize) -> bool,
) -> Result<Option<Proofs>, Diagnostic> {
    let names = names(plan);
    let (mut proofs, mut prover) = (Proofs::default(), Prover::new(threads));
    // What a verdict depends on, all of it: the network, the routing, what it knows of the routers.
    let mut seen: BTreeMap<String, Known> = BTreeMap::new();
    let (mut found, mut left_out) = (Vec::new(), Vec::new());
    let mut by_routing: BTreeMap<usize, Known> = BTreeMap::new();
    for planned in plan.routings() {
        let number = plan.routing(planned.point.index);
        let (routed, specification) = plan.routed(&planned)?;
        let assumptions = specification.router.assumptions();
        let key = finding_key(&routed, assumptions);
        if let Some(known) = seen.get(&key) {
            by_routing.insert(number, *known);
            continue;
        }
        let fields = point_fields(&planned.point, false);
        let name = routing_name(&names, &fields, &planned.point.document);
        let network = routed.network.clone();
        let attempt = prover.prove(most_work, name.clone(), routed, assumptions, go_on);
        let known = match attempt {
            Attempt::Stopped => return Ok(None),
            Attempt::Found(finding) => {
                let rule_bound = specification.rule_bound(&network);
                proofs.findings.push(finding.with_rule_bound(rule_bound));
                found.push(fields);
                Known::Finding(found.len() - 1)
            }
            Attempt::TooCostly { states } => {
                proofs.unproved.push(Unproved {
                    network_name: network.description().to_owned(),
                    routing_name: name,
                    network,
                    flow_control: assumptions.flow_control,
                    states,
                    command: command(plan, &fields),
                });
                left_out.push(fields);
                Known::Unproved(left_out.len() - 1)
            }
        };
        seen.insert(key, known);
        by_routing.insert(number, known);
    }
    let points = (0..plan.len()).filter_map(|index| by_routing.get(&plan.routing(index)));
    proofs.by_point = points.copied().collect();
    let fields: Vec<&Fields> = found.iter().chain(&left_out).collect();
    name_networks(&mut proofs, &fields, &names);
    Ok(Some(proofs))
}

/// Words for the swept fields of a plan's points.
pub fn names(plan: &Plan) -> Names {
    let with_tables = (0..plan.len()).filter(|&index| plan.sweeps_tables(index));
    let fields: Vec<Fields> = with_tables
        .filter_map(|index| plan.point(index))
        .map(|planned| point_fields(&planned.point, false))
        .collect();
    Names::of(&fields)
}

/// May a proof depend on a swept field?
pub fn matters(field: &str) -> bool {
    let mut tables = ["network", "routing", "router", "ethernet"].into_iter();
    tables.any(|table| lies_in(field, table)) || is_of_protocol(field)
}

/// `kind`, followed by what the study sweeps of the routing, and of routers and messages as far as a
/// proof depends on it.
pub fn routing_name(names: &Names, point: &Fields, document: &Value) -> String {
    let matters = |field: &str| {
        let router = [
            "router.virtual_channels",
            "router.flow_control",
            "router.wait_for_tail_credit",
            "ethernet.priorities",
        ];
        let of_routing = lies_in(field, "routing") && field != "routing.kind";
        router.contains(&field) || of_routing || is_of_protocol(field)
    };
    let kind = document.at_path("routing.kind").and_then(Value::as_str);
    let kind = kind.map(str::to_owned).into_iter();
    let parts: Vec<String> = kind.chain(names.words(point, &matters)).collect();
    parts.join(", ")
}

/// Networks that are described alike have their swept fields added.
fn name_networks(proofs: &mut Proofs, fields: &[&Fields], names: &Names) {
    let is_network = |field: &str| lies_in(field, "network") && field != "network.kind";
    let findings = proofs
        .findings
        .iter_mut()
        .map(|finding| &mut finding.network_name);
    let left_out = proofs
        .unproved
        .iter_mut()
        .map(|unproved| &mut unproved.network_name);
    let mut all: Vec<&mut String> = findings.chain(left_out).collect();
    let own: Vec<String> = fields
        .iter()
        .map(|fields| names.words(fields, &is_network).join(", "))
        .collect();
    let descriptions: Vec<String> = all.iter().map(|name| (**name).clone()).collect();
    for (name, own_words) in all.iter_mut().zip(&own) {
        let mut alike = descriptions
            .iter()
            .zip(&own)
            .filter(|(other, _)| **other == **name);
        if alike.any(|(_, words)| words != own_words) {
            **name = format!("{name}, {own_words}");
        }
    }
}

/// The command that verifies one point of a study, and no other.
fn command(plan: &Plan, fields: &Fields) -> String {
    let study = match plan.source.name(0) {
        None | Some("standard input") => "-",
        Some(name) => name,
    };
    let mut command = format!("turnwise verify {study}");
    let is_swept = |set: &str| {
        let field = set.split_once('=').map(|(field, _)| field.trim());
        field.is_some_and(|field| fields.contains_key(field) && matters(field))
    };
    let overrides = (1..plan.source.count() as u16).filter_map(|at| plan.source.text(at));
    let overrides = overrides.filter(|set| !is_swept(set));
    let swept = fields
        .iter()
        .filter(|(field, _)| matters(field))
        .map(|(field, value)| format!("{field}={}", toml(value, true)));
    for set in overrides.map(str::to_owned).chain(swept) {
        let plain = |c: char| c.is_ascii_alphanumeric() || "=._-".contains(c);
        match set.chars().all(plain) {
            true => command.push_str(&format!(" --set {set}")),
            false => command.push_str(&format!(" --set '{}'", set.replace('\'', "'\\''"))),
        }
    }
    command
}

/// A value as TOML; a bare word at the outside, as `--set` takes it.
fn toml(value: &serde_json::Value, bare: bool) -> String {
    use serde_json::Value as Json;
    match value {
        Json::String(text) if bare && !text.contains(['"', '\'', '[', '{', ' ', ',']) => {
            text.clone()
        }
        Json::Array(items) => {
            let items: Vec<String> = items.iter().map(|item| toml(item, false)).collect();
            format!("[{}]", items.join(", "))
        }
        Json::Object(table) => {
            let fields = table
                .iter()
                .map(|(name, value)| format!("{name} = {}", toml(value, false)));
            format!("{{ {} }}", fields.collect::<Vec<_>>().join(", "))
        }
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing;

    fn plan(more: &str, overrides: &[String]) -> Plan {
        let text = format!(
            "[network]\nkind = 'torus'\nsizes = [4, 4]\n[routing]\nkind = 'dimension-order'\n\
             [traffic]\npattern = 'uniform'\nload = 0.1\n[sweep]\n{more}"
        );
        testing::plan(&text, overrides)
    }

    fn proofs(plan: &Plan, most_work: u64) -> Proofs {
        prove(plan, most_work, 1, &mut |_, _| true)
            .unwrap()
            .unwrap()
    }

    #[test]
    fn what_is_too_costly_is_said_to_be_unproved_with_the_command_that_proves_it() {
        let overrides = ["router.virtual_channels=4".to_owned()];
        let plan = plan(
            "'network.sizes' = [[4, 4], [6, 6]]\n'traffic.load' = [0.1, 0.2]",
            &overrides,
        );
        let proofs = proofs(&plan, 2_000);
        let words: Vec<_> = (0..5).map(|point| proofs.verdict(point)).collect();
        let (proved, not) = (Some("deadlock-free"), Some("not-proved"));
        assert_eq!(words, [proved, proved, not, not, None]);
        let unproved = &proofs.unproved[0];
        assert!(unproved.states > 2_000 && unproved.network_name == "6x6 torus");
        assert_eq!(
            unproved.command,
            "turnwise verify study.toml --set router.virtual_channels=4 --set 'network.sizes=[6, 6]'"
        );
        // What is overridden is not said twice.
        let planned = plan.routings().last().unwrap();
        let mut fields = point_fields(&planned.point, false);
        fields.insert("router.virtual_channels".to_owned(), 4.into());
        assert_eq!(
            command(&plan, &fields),
            "turnwise verify study.toml --set 'network.sizes=[6, 6]' --set router.virtual_channels=4"
        );
    }

    /// Pairs without a route burden no channel, and a bound counts them: loads may be below it.
    #[test]
    fn loads_are_held_against_a_bound_where_all_pairs_have_routes() {
        let bound = |overrides: &[String]| {
            let proofs = proofs(&plan("", overrides), u64::MAX);
            proofs.findings[0].lower_bound()
        };
        assert_eq!(bound(&[]), Some(8.0));
        let faults = "network.faults.links=[[0, 1], [0, 4]]".to_owned();
        assert_eq!(bound(&[faults]), None);
    }

    #[test]
    fn names_say_what_tells_networks_and_routings_apart() {
        let sweep = "routing = [{ kind = 'dimension-order' }, { kind = 'dimension-order', classes = 'none' }]\n\
                     'router.buffer_flits' = [16, 32]\n'router.virtual_channels' = [4]\n\
                     network = [{ kind = 'torus', sizes = [4, 4] }, { kind = 'torus', sizes = [4, 4], terminals_per_router = 2 }]";
        let proofs = proofs(&plan(sweep, &[]), u64::MAX);
        let names: Vec<(&str, &str)> = proofs
            .findings
            .iter()
            .map(|finding| (finding.routing_name.as_str(), finding.network_name.as_str()))
            .collect();
        let (plain, none) = (
            "dimension-order, virtual channels 4",
            "dimension-order, none, virtual channels 4",
        );
        assert_eq!(names.len(), 4, "{names:?}");
        let distinct: std::collections::BTreeSet<_> = names.iter().collect();
        assert_eq!(distinct.len(), 4, "{names:?}");
        assert!(names[0].0 == plain && names[2].0 == none, "{names:?}");
    }
}
