//! Angara tables of systems with failures: who still routes what, and is it proved?

use crate::angara_kinds::{algorithm, context};
use std::sync::Arc;
use turnwise_network::random::{Purpose, Random};
use turnwise_network::topologies::{Topology, Torus};
use turnwise_network::{Faults, FlowControl, Network, Shape};
use turnwise_routing::angara::{Directions, RouteTable, Rules, System, TurnRule, Turns};
use turnwise_verify::{Verdict, analyse};

/// One system with failures, drawn from its number.
pub(crate) struct Case {
    pub(crate) number: u32,
    pub(crate) sizes: Vec<u32>,
    pub(crate) failed_links: u32,
    pub(crate) failed_nodes: u32,
    pub(crate) network: Arc<Network>,
}

impl Case {
    /// Up to 5x4x3x2 nodes, 1 to 8 links or nodes of which have failed.
    pub(crate) fn new(number: u32) -> Self {
        let mut rng = Random::new(2021, Purpose::Faults, number, 0);
        loop {
            let dimensions = 2 + rng.below(3) as usize;
            let sizes: Vec<u32> = [5, 4, 3, 2][..dimensions]
                .iter()
                .map(|&most| 2 + rng.below(most - 1))
                .collect();
            let failures = 1 + rng.below(8);
            let nodes = rng.below(failures + 1);
            let faults = Faults {
                random_links: (failures - nodes).into(),
                random_routers: nodes.into(),
                seed: u64::from(number),
                ..Faults::default()
            };
            let torus = Torus {
                sizes: sizes.clone(),
                ..Torus::default()
            };
            let Ok(network) = torus.build(None).unwrap().without(&faults) else {
                continue;
            };
            if network.living_terminals().count() < 2 {
                continue;
            }
            return Self {
                number,
                sizes,
                failed_links: failures - nodes,
                failed_nodes: nodes,
                network: Arc::new(network),
            };
        }
    }
}

impl std::fmt::Display for Case {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self {
            number,
            sizes,
            failed_links,
            failed_nodes,
            ..
        } = self;
        let sizes: Vec<String> = sizes.iter().map(u32::to_string).collect();
        write!(
            f,
            "{number},{},{failed_links},{failed_nodes}",
            sizes.join("x")
        )
    }
}

/// What an algorithm made of a case.
pub(crate) struct Outcome {
    /// Ordered pairs of living nodes without a route.
    pub(crate) unroutable: u64,
    /// Pairs without a legal route of any length, by exhaustive search.
    pub(crate) impossible: u64,
    /// Largest load.
    pub(crate) index: f64,
}

/// Builds, encodes and proves a table; anything but a proved table or a justified refusal is a panic.
pub(crate) fn outcome(case: &Case, kind: &str) -> Outcome {
    let routing = algorithm(kind).build(&case.network, &context()).unwrap();
    let analysis = analyse(&case.network, &*routing, FlowControl::Bubble);
    let at = format!(
        "{kind}, case {}: {}",
        case.number,
        case.network.description()
    );
    assert!(matches!(analysis.verdict, Verdict::DeadlockFree(_)), "{at}");
    let reachability = &analysis.reachability;
    assert_eq!(reachability.endless.pairs, 0, "{at}");
    let steps = kind != "angara-dor";
    let rules = rules(&case.network, steps);
    let table = RouteTable::of(&case.network, &*routing, rules.system()).unwrap();
    assert_eq!(table.first_illegal(&rules), None, "{at}");
    Outcome {
        unroutable: reachability.pairs - reachability.routable,
        impossible: impossible_pairs(&rules),
        index: analysis.quality.edge_forwarding_index,
    }
}

fn rules(network: &Network, steps: bool) -> Rules {
    let Shape::Grid(grid) = network.shape() else {
        panic!("a torus is a grid");
    };
    let system = System::new(network, grid, Directions::positive_first(grid.sizes.len()));
    let rule = if steps {
        TurnRule::Theorem2
    } else {
        TurnRule::None
    };
    let turns = Turns::new(&system, rule);
    Rules::new(system, turns, steps, steps)
}

/// Searches the whole routing graph from every member.
fn impossible_pairs(rules: &Rules) -> u64 {
    let (system, graph) = (rules.system(), rules.graph());
    let width = graph.memories();
    let mut impossible = 0;
    for &source in system.members() {
        let mut reached = vec![false; system.nodes() * width];
        let mut pending = vec![(source, 0)];
        let mut arrived = vec![false; system.nodes()];
        while let Some((node, memory)) = pending.pop() {
            arrived[node as usize] = true;
            graph.each_next(rules, node, memory, |_, next, onto| {
                if !std::mem::replace(&mut reached[next as usize * width + onto], true) {
                    pending.push((next, onto));
                }
            });
        }
        let missing = system
            .members()
            .iter()
            .filter(|&&target| !arrived[target as usize]);
        impossible += missing.count() as u64;
    }
    impossible
}
