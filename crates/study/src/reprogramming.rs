//! New tables for a subnet that runs: the steps in which they are safe to load, each of which is proved.
//!
//! [`Order`] finds the steps and knows nothing of proofs; the verifier proves each and knows nothing of orders. A step is safe if packets that
//! meet any mixture of the tables before and behind it cannot wait for each other in a circle, and arrive if those before it
//! alone would deliver them. Destinations for which nothing changes are surveyed once, and the others in every step.

use std::sync::Arc;
use turnwise_network::contract::forwards::{differing, senders_to};
use turnwise_network::tables::ForwardingTable;
use turnwise_network::{Forwards, Invalid, Network, Routing, TerminalId};
use turnwise_routing::subnet::order::{LevelChange, Order, Step, Stuck};
use turnwise_routing::subnet::{Change, Programme, is_unknown};
use turnwise_verify::{Assumptions, Destination, Survey, Verdict, destinations};

/// Steps from the tables of a subnet to others, all of them proved.
pub struct Reprogramming {
    network: Arc<Network>,
    before: ForwardingTable,
    after: ForwardingTable,
    order: Order,
    /// Pairs of living terminals whose service levels differ.
    pub new_levels: usize,
    /// Living terminals that the tables before do not know and that send at levels other than 0. They are taken to send nothing at another
    /// level than that of the tables behind.
    pub new_adapters: usize,
}

/// There are no steps that are known to be safe.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Unsafe {
    /// Why.
    pub why: String,
    /// A circle of channels, a line each, if that is why.
    pub circle: Vec<String>,
    /// Can the tables before deadlock by themselves?
    pub is_before: bool,
}

/// Tables behind so many steps, with the old service levels or the new ones.
#[derive(Clone, Copy)]
struct Stage {
    steps: usize,
    has_new_levels: bool,
}

impl Reprogramming {
    /// Finds the steps and proves each.
    ///
    /// # Errors
    /// Tables that are not of this network; in the inner result, that there is no order that is known to be safe.
    pub fn find(
        network: &Arc<Network>,
        before: &dyn Forwards,
        after: &dyn Forwards,
        assumptions: Assumptions,
    ) -> Result<Result<Self, Unsafe>, Invalid> {
        let mut found = Self {
            network: network.clone(),
            before: ForwardingTable::of(network, before, before)?,
            after: ForwardingTable::of(network, after, after)?,
            order: Order::default(),
            new_levels: new_levels(network, before, after),
            new_adapters: new_adapters(network, before, after),
        };
        match Order::find(network, before, after) {
            Ok(order) => found.order = order,
            Err(stuck) => return found.why(stuck, assumptions).map(Err),
        }
        let standing = found.standing();
        for change in found.changes() {
            if let Err(circle) = found.prove(change, &standing, assumptions)? {
                let why = "a step that was thought to be safe is not".to_owned();
                return Ok(Err(Unsafe {
                    why,
                    circle,
                    is_before: false,
                }));
            }
        }
        Ok(Ok(found))
    }

    /// When service levels change, if they do.
    pub fn levels(&self) -> Option<LevelChange> {
        (self.new_levels > 0).then_some(self.order.levels)
    }

    /// The entries that change in each step, in any order.
    pub fn steps(&self) -> &[Step] {
        &self.order.steps
    }

    /// Is it safe whichever entry or service level changes first?
    pub fn is_safe_in_any_order(&self) -> bool {
        let needs_order = self
            .levels()
            .is_some_and(|when| when != LevelChange::AnyTime);
        self.steps().len() < 2 && !needs_order
    }

    /// What a subnet manager loads for each step, one after the other; the last are the new tables.
    ///
    /// # Errors
    /// A network that no fabric can be.
    pub fn load(&self, step: usize) -> Result<Vec<String>, Invalid> {
        let has_new_levels = true;
        let tables = self.tables(Stage {
            steps: step + 1,
            has_new_levels,
        })?;
        let programme = Programme::as_it_is(&self.network, &tables)?;
        let switches = programme.switches();
        Ok(switches.map(|at| programme.forwarding_table(at)).collect())
    }

    fn tables(&self, stage: Stage) -> Result<ForwardingTable, Invalid> {
        let levels = if stage.has_new_levels {
            &self.after
        } else {
            &self.before
        };
        let both: [&dyn Forwards; 2] = [&self.before, &self.after];
        self.order.tables(stage.steps, &self.network, both, levels)
    }

    /// What is proved: changes from some tables to others, the service levels of both being about.
    fn changes(&self) -> Vec<[Stage; 2]> {
        let (steps, when) = (self.steps().len(), self.order.levels);
        let stage = |steps, has_new_levels| Stage {
            steps,
            has_new_levels,
        };
        let levels = |steps| [stage(steps, false), stage(steps, true)];
        let entries = (0..steps).map(|step| {
            let (before, after) = match when {
                LevelChange::AnyTime => (false, true),
                LevelChange::After(steps) => (step >= steps, step >= steps),
            };
            [stage(step, before), stage(step + 1, after)]
        });
        let mut changes: Vec<[Stage; 2]> = entries.collect();
        match self.levels() {
            Some(LevelChange::After(steps)) => changes.insert(steps, levels(steps)),
            _ if steps == 0 => changes.push(levels(0)),
            _ => {}
        }
        changes
    }

    /// What packets do for whom nothing changes.
    fn standing(&self) -> Standing<'_> {
        let network = &*self.network;
        let differs = differing(network, [&self.before, &self.after]);
        let is_concerned = |to: TerminalId| differs[to.index()];
        let all = destinations(network, &self.before).into_iter();
        let (concerned, others) = all.partition(|to| is_concerned(to.terminal));
        let mut survey = Survey::new(network, &self.before).for_proof();
        let others: Vec<Destination> = others;
        others.into_iter().for_each(|to| survey.visit(to));
        Standing { survey, concerned }
    }

    /// Is a change safe? If not, the circle that closes, or whose packets are lost.
    fn prove(
        &self,
        [before, after]: [Stage; 2],
        standing: &Standing<'_>,
        assumptions: Assumptions,
    ) -> Result<Result<(), Vec<String>>, Invalid> {
        let network = &*self.network;
        let before = self.tables(before)?;
        let change = Change::between(&self.network, before.clone(), self.tables(after)?);
        let (verdict, reachability) = standing.survey(network, &change).prove(assumptions);
        let kept = reachability.routable;
        let had = || -> u64 {
            let living = network.living_terminals();
            living.map(|to| senders_to(network, &before, to)).sum()
        };
        Ok(match &verdict {
            Verdict::Cyclic(cycle) => Err(cycle.render(network)),
            Verdict::Unexplored(_) => Err(vec!["there are too many states".to_owned()]),
            // Whoever is lost before is lost in the mixture, so that equal numbers mean the same pairs.
            Verdict::DeadlockFree(_) if kept == reachability.pairs || kept == had() => Ok(()),
            Verdict::DeadlockFree(_) => {
                let failures = [&reachability.lost, &reachability.endless];
                let examples = failures.into_iter().flat_map(|failures| &failures.examples);
                Err(examples.map(|failure| failure.render(network)).collect())
            }
        })
    }

    /// Why there is no order, with the circle that closes if everything that is left changes now.
    fn why(mut self, stuck: Stuck, assumptions: Assumptions) -> Result<Unsafe, Invalid> {
        let network = self.network.clone();
        let label = |terminal| network.terminal_label(terminal);
        let is_before = matches!(stuck, Stuck::Before);
        let why = match stuck {
            Stuck::Before if self.new_adapters > 0 => "the tables that switches have can deadlock, if not already then with packets of the \
                                                       adapters that they do not know, at their new service levels"
                .to_owned(),
            Stuck::Before => "the tables that switches have can deadlock already".to_owned(),
            Stuck::After => "the new tables can deadlock".to_owned(),
            Stuck::Loses(to) => {
                format!(
                    "with the new tables packets to {} lose their routes",
                    label(to)
                )
            }
            Stuck::Circle { steps, left } => {
                let changed: usize = steps.iter().map(|step| step.entries.len()).sum();
                // Behind these steps, all at once.
                self.order.steps = steps;
                self.order.steps.push(Step {
                    entries: Vec::new(),
                    are_emptied: false,
                });
                format!(
                    "{changed} of {} entries can change; whichever of the others changes next, a circle closes",
                    changed + left
                )
            }
        };
        let steps = self.order.steps.len();
        let circle = match steps {
            0 => Vec::new(),
            steps => {
                let before = Stage {
                    steps: steps - 1,
                    has_new_levels: false,
                };
                let after = Stage {
                    steps,
                    has_new_levels: true,
                };
                self.prove([before, after], &self.standing(), assumptions)?
                    .err()
                    .unwrap_or_default()
            }
        };
        Ok(Unsafe {
            why,
            circle,
            is_before,
        })
    }
}

/// What is known of destinations that no step concerns, and those that are concerned.
struct Standing<'a> {
    survey: Survey<'a>,
    concerned: Vec<Destination>,
}

impl Standing<'_> {
    /// All that is known of a routing that does nothing else to the others.
    fn survey<'b>(&'b self, network: &'b Network, routing: &'b dyn Routing) -> Survey<'b> {
        let (mut survey, left) = match self.survey.onwards(routing) {
            Some(survey) => (survey, self.concerned.clone()),
            None => (
                Survey::new(network, routing).for_proof(),
                destinations(network, routing),
            ),
        };
        left.into_iter().for_each(|to| survey.visit(to));
        survey
    }
}

/// Living terminals that the tables before do not know and that send at levels other than 0, or those that they take to be silent and that send or
/// receive at such ones.
fn new_adapters(network: &Network, before: &dyn Forwards, after: &dyn Forwards) -> usize {
    let sends = |at: TerminalId| after.service_levels(at).iter().any(|&level| level > 0);
    let receives = |at: TerminalId| {
        let mut sources = network.living_terminals();
        sources.any(|from| after.service_level(from, at) > 0)
    };
    let is_new = |&at: &TerminalId| match before.is_silent(at) {
        true => sends(at) || receives(at),
        false => sends(at) && is_unknown(network, before, at),
    };
    network.living_terminals().filter(is_new).count()
}

/// Pairs of living terminals whose service levels differ.
fn new_levels(network: &Network, before: &dyn Forwards, after: &dyn Forwards) -> usize {
    let of_source = |from| {
        let is_new = |&to: &TerminalId| {
            to != from && before.service_level(from, to) != after.service_level(from, to)
        };
        match before.service_levels(from) == after.service_levels(from) {
            true => 0,
            false => network.living_terminals().filter(is_new).count(),
        }
    };
    network.living_terminals().map(of_source).sum()
}
