//! The tables of one job: routed, encoded as routers are programmed, and proved as encoded.
//!
//! What is proved is what is written: the routes are read back from their encoding before the
//! verifier sees them, so a proof leans neither on the algorithm nor on the encoder.

use super::blame;
use super::site::{Recipe, Site};
use std::sync::{Arc, mpsc};
use std::time::{Duration, Instant};
use turnwise_config::diagnostic::{Diagnostic, Invalid};
use turnwise_config::units::Measure;
use turnwise_network::tables::PathTable;
use turnwise_network::{FlowControl, Network, RouterId, Routing, Shape};
use turnwise_routing::angara::{Misfit, Reason, Route, RouteTable, System};
use turnwise_routing::{Context, Outputs, ProgramPhases};
use turnwise_study::finding::Finding;
use turnwise_study::minimal_hops::MinimalHops;
use turnwise_study::proving::{Attempt, Prover};
use turnwise_study::workshop::Routed;
use turnwise_verify::{Protocol, Verdict};

/// Why a job has no tables.
#[derive(Debug)]
pub enum Trouble {
    /// The site file is wrong.
    Wrong(Vec<Diagnostic>),
    /// The site cannot serve this job as it is: a sentence.
    Refused(String),
}

/// The tables of a job, and what was proved of them.
pub struct JobTables {
    /// The job's nodes, ascending.
    pub members: Vec<u32>,
    /// The algorithm's name.
    pub kind: &'static str,
    /// Was the first choice not ready in time?
    pub fell_back: bool,
    /// The seed of whatever is random in it.
    pub seed: u64,
    /// The rows of every member's table, without a header.
    pub rows: Vec<Vec<String>>,
    /// Proof and quality of the tables as encoded.
    pub finding: Finding,
    /// The order of directions the encoding assumes, `+X` first as a rule.
    pub order: Vec<String>,
    /// Seconds that routing took.
    pub routing_seconds: f64,
    /// Seconds that encoding and proof took.
    pub proof_seconds: f64,
    /// Seconds that the search for a bound took.
    pub bound_seconds: f64,
}

/// The routers of such a torus have one deterministic virtual channel under bubble flow control.
const FLOW_CONTROL: FlowControl = FlowControl::Bubble;

/// The first line of every table.
pub const HEADER: &str = "destination,fs,bits,counts,ls";

impl JobTables {
    /// Routes and proves a job of these nodes, ascending.
    ///
    /// # Errors
    /// A node that has failed, a pair without a route, a possible deadlock, a route that cannot
    /// be encoded; parameters of the algorithm that make no sense on this torus.
    pub fn new(site: &Site, members: &[u32]) -> Result<Self, Trouble> {
        Ok(Self::attempt(site, members, true)?.with_bound(site))
    }

    /// Looks for a bound under the algorithm's own rules, as long as the site allows. If none is
    /// found in time, that of any routing whatsoever stays.
    #[must_use]
    pub(super) fn with_bound(mut self, site: &Site) -> Self {
        let start = Instant::now();
        let recipe = match &site.fallback {
            Some(fallback) if self.fell_back => fallback,
            _ => &site.routing,
        };
        let network = self.finding.routed.network.clone();
        let (algorithm, context) = (recipe.algorithm.clone(), context(site, recipe));
        let search = move || algorithm.rule_bound(&network, &context);
        let found = in_time(site.bound_time.duration(), search);
        let rule_bound = found.and_then(Result::ok).flatten();
        self.finding = self.finding.with_rule_bound(rule_bound);
        self.bound_seconds = start.elapsed().as_secs_f64();
        self
    }

    /// As [`new`](Self::new); finding out who is to blame for a missing route takes longer than
    /// the tables, and not everybody asks.
    pub(super) fn attempt(site: &Site, members: &[u32], blame: bool) -> Result<Self, Trouble> {
        let failed: Vec<u32> = members
            .iter()
            .copied()
            .filter(|member| site.failed_nodes.binary_search(member).is_ok())
            .collect();
        if !failed.is_empty() {
            let list = site.hosts.list(&failed);
            return Err(Trouble::Refused(format!("{list} is out of order")));
        }
        let network = site.network_of(members).map_err(internal)?;
        let network = Arc::new(network);
        let start = Instant::now();
        let (routing, recipe, fell_back) = routing_in_time(site, &network)?;
        let routing_seconds = start.elapsed().as_secs_f64();
        let start = Instant::now();
        let system = system(&network, recipe)?;
        let table = RouteTable::of(&network, &*routing, &system)
            .map_err(|misfit| Trouble::Refused(words(site, recipe, &misfit)))?;
        let dimensions = site.sizes.len();
        let rows: Vec<Vec<String>> = members
            .iter()
            .map(|&member| table.rows(member, dimensions).collect())
            .collect();
        let read = read_back(&system, members, &rows, dimensions)?;
        let finding = prove(recipe, &network, &system, &read)?;
        check(site, members, recipe, &finding, blame)?;
        let directions = system.directions();
        Ok(Self {
            members: members.to_vec(),
            kind: recipe.kind,
            fell_back,
            seed: recipe.seed.unwrap_or(site.seed),
            rows,
            finding,
            order: (0..directions.count())
                .map(|rank| directions.at(rank).name())
                .collect(),
            routing_seconds,
            proof_seconds: start.elapsed().as_secs_f64(),
            bound_seconds: 0.0,
        })
    }
}

/// What the algorithm makes of a network.
///
/// # Errors
/// What it says about its parameters, at their place.
pub(super) fn route(
    site: &Site,
    recipe: &Recipe,
    network: &Arc<Network>,
) -> Result<Box<dyn Routing>, Trouble> {
    let context = context(site, recipe);
    recipe
        .algorithm
        .build(network, &context)
        .map_err(|invalid| Trouble::Wrong(vec![invalid.locate(&recipe.table)]))
}

fn context(site: &Site, recipe: &Recipe) -> Context<'static> {
    Context {
        seed: recipe.seed.unwrap_or(site.seed),
        router_virtual_channels: Some(1),
        message_classes: 1,
        router_buffer_flits: None,
        router_outputs: Outputs::default(),
        flow_control: FLOW_CONTROL,
        measure: Measure::default(),
        files: &[],
        phases: ProgramPhases::default(),
    }
}

/// The routing, that of the fallback if the first choice is not ready in time.
fn routing_in_time<'s>(
    site: &'s Site,
    network: &Arc<Network>,
) -> Result<(Box<dyn Routing>, &'s Recipe, bool), Trouble> {
    let first = &site.routing;
    let Some(limit) = site.time_limit else {
        return Ok((route(site, first, network)?, first, false));
    };
    let (algorithm, shared) = (first.algorithm.clone(), network.clone());
    let context = context(site, first);
    let build = move || algorithm.build(&shared, &context);
    match (in_time(limit.duration(), build), &site.fallback) {
        (Some(built), _) => {
            let wrong = |invalid: Invalid| Trouble::Wrong(vec![invalid.locate(&first.table)]);
            Ok((built.map_err(wrong)?, first, false))
        }
        (None, Some(fallback)) => Ok((route(site, fallback, network)?, fallback, true)),
        (None, None) => {
            let kind = first.kind;
            let message =
                format!("`{kind}` made no tables within {limit}, and there is no [fallback]");
            Err(Trouble::Refused(message))
        }
    }
}

/// What some work makes, unless it takes longer. Late work cannot be stopped; nobody listens to
/// it any more, and it ends with the command.
fn in_time<T: Send + 'static>(
    limit: Duration,
    work: impl FnOnce() -> T + Send + 'static,
) -> Option<T> {
    let (sender, receiver) = mpsc::channel();
    std::thread::spawn(move || {
        let start = Instant::now();
        let made = work();
        sender.send((made, start.elapsed())).ok()
    });
    let (made, took) = receiver.recv_timeout(limit).ok()?;
    // On a busy machine the message may be there before its receiver wakes up.
    (took <= limit).then_some(made)
}

fn internal(invalid: Invalid) -> Trouble {
    Trouble::Wrong(vec![Diagnostic::general(invalid.to_string())])
}

fn system(network: &Network, recipe: &Recipe) -> Result<System, Trouble> {
    match network.shape() {
        Shape::Grid(grid) => Ok(System::new(network, grid, recipe.directions.clone())),
        _ => Err(internal(Invalid::new("sizes", "this is no torus"))),
    }
}

/// The table that the written rows hold.
fn read_back(
    system: &System,
    members: &[u32],
    rows: &[Vec<String>],
    dimensions: usize,
) -> Result<RouteTable, Trouble> {
    let mut table = RouteTable::new(system);
    for (&member, rows) in members.iter().zip(rows) {
        for row in rows {
            table
                .read_row(member, row, dimensions)
                .map_err(|(_, message)| internal(Invalid::new("", message)))?;
        }
    }
    Ok(table)
}

fn prove(
    recipe: &Recipe,
    network: &Arc<Network>,
    system: &System,
    table: &RouteTable,
) -> Result<Finding, Trouble> {
    let directions = system.directions();
    let paths = PathTable::new(network, 1, |from, to, hops| {
        let route: Route = table.route(from.0, to.0);
        route.each_hop(directions, |rank| hops.push((system.port(rank), 0)));
    })
    .map_err(internal)?;
    let routed = Routed {
        network: network.clone(),
        minimal: Arc::new(MinimalHops::of(network.clone())),
        routing: Arc::new(paths),
        direction_order: None,
        protocol: Protocol::default(),
        class_names: Vec::new(),
        seconds: 0.0,
        key: "".into(),
        relation: None,
    };
    let name = recipe.kind.to_owned();
    let mut go_on = |_: usize, _: usize| true;
    match Prover::new(1).prove(u64::MAX, name, routed, FLOW_CONTROL, &mut go_on) {
        Attempt::Found(finding) => Ok(*finding),
        Attempt::TooCostly { .. } | Attempt::Stopped => {
            Err(internal(Invalid::new("", "the proof was stopped")))
        }
    }
}

/// Only tables without a flaw may be written.
fn check(
    site: &Site,
    members: &[u32],
    recipe: &Recipe,
    finding: &Finding,
    blame: bool,
) -> Result<(), Trouble> {
    let unroutable = finding.unroutable_pairs();
    if unroutable > 0 {
        let why = match blame {
            true => blame::unroutable(site, members, recipe, finding),
            false => format!("{unroutable} pairs have no route"),
        };
        return Err(Trouble::Refused(why));
    }
    match &finding.analysis.verdict {
        Verdict::DeadlockFree(_) => Ok(()),
        Verdict::Cyclic(cycle) => {
            let channels = cycle.render(&finding.routed.network).join(" | ");
            let message = format!("packets could wait for each other in a circle: {channels}");
            Err(Trouble::Refused(message))
        }
        Verdict::Unexplored(_) => Err(Trouble::Refused(
            "the tables are too large to be proved".to_owned(),
        )),
    }
}

/// Why a route cannot be encoded, in terms of hosts.
fn words(site: &Site, recipe: &Recipe, misfit: &Misfit) -> String {
    let (from, to) = (misfit.source, misfit.target);
    let pair = format!("{} -> {}", site.hosts.label(from), site.hosts.label(to));
    let kind = recipe.kind;
    match misfit.reason {
        Reason::Branches => {
            format!("`{kind}` leaves {pair} more than one route, and a table has one for each pair")
        }
        Reason::Lost | Reason::Wanders => format!("`{kind}` loses packets {pair} on the way"),
        Reason::Order => {
            format!("`{kind}` routes {pair} by directions that a packet's header has no room for")
        }
    }
}

/// The network's router by its position.
pub(super) fn terminal_of(network: &Network, position: u32) -> turnwise_network::TerminalId {
    turnwise_network::TerminalId(network.terminals_of(RouterId(position)).start)
}

#[cfg(test)]
mod tests;
