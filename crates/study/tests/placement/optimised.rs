//! Places that are searched for, and what they are judged by.

use crate::stack::plan;
use std::sync::Arc;
use turnwise_network::{FlowControl, Network, Routing, TerminalId};
use turnwise_study::workshop::Routed;
use turnwise_verify::analyse;
use turnwise_workload::agents::{Goal, HostFields};
use turnwise_workload::placements::{ByGroup, Linear, Optimised, Random, RoundRobin};
use turnwise_workload::{Placement, Program, ProgramParameters, Site, Together, largest_load};

fn routed(network: &str, routing: &str) -> Routed {
    let text = format!(
        "[network]\n{network}\n[routing]\nkind = '{routing}'\n[workload]\nkind = 'barrier'\n"
    );
    let plan = plan(&text);
    let point = plan.point(0).unwrap();
    plan.experiment(&point, None).unwrap().routed
}

/// Every rank sends these bytes to these others, in rounds of pairs that exchange.
fn program(ranks: u32, bytes: impl Fn(u32, u32) -> u64) -> Arc<dyn Program> {
    let mut text = format!("num_ranks {ranks}\n");
    for rank in 0..ranks {
        text += &format!("rank {rank} {{\n");
        let others = (1..ranks.next_power_of_two()).map(|step| rank ^ step);
        for other in others.filter(|&other| other < ranks) {
            if bytes(rank, other) > 0 {
                text += &format!("send {}b to {other}\n", bytes(rank, other));
            }
            if bytes(other, rank) > 0 {
                text += &format!("recv {}b from {other}\n", bytes(other, rank));
            }
        }
        text += "}\n";
    }
    let goal = Goal {
        file: String::new(),
        host: HostFields::default(),
        cycle_ns: None,
        flit_bytes: None,
    };
    let file = turnwise_config::File {
        name: String::new(),
        bytes: text.as_bytes().to_vec().into(),
    };
    goal.program(ranks, &[file]).unwrap()
}

fn place(placement: &dyn Placement, routed: &Routed, program: &dyn Program) -> Vec<TerminalId> {
    let free: Vec<TerminalId> = routed.network.living_terminals().collect();
    let site = Site {
        network: &routed.network,
        free: &free,
        ranks_per_terminal: 1,
        seed: 1,
        text: None,
        routing: Some(&*routed.routing),
        program: Some(program),
    };
    placement.place(&site, program.ranks()).unwrap().terminals
}

fn load(
    network: &Network,
    routing: &dyn Routing,
    program: &dyn Program,
    places: &[TerminalId],
) -> f64 {
    largest_load(program, network, routing, places, Together::All)
}

const NETWORKS: [(&str, &str); 6] = [
    ("kind = 'k-ary-n-tree'\narity = 4\nlevels = 2", "d-mod-k"),
    ("kind = 'xgft'\nm = [4, 4]\nw = [1, 2]", "random-nca"),
    ("kind = 'torus'\nsizes = [4, 4]", "dimension-order"),
    ("kind = 'mesh'\nsizes = [4, 4]", "minimal-adaptive"),
    ("kind = 'torus'\nsizes = [5, 4]", "minimal-adaptive"),
    (
        "kind = 'dragonfly'\ngroups = 5\nrouters_per_group = 4\nterminals_per_router = 2\nglobal_ports_per_router = 1",
        "minimal",
    ),
];

/// When everybody sends a byte to everybody, the most loaded channel carries the edge-forwarding index, as the verifier
/// counts it in another way.
#[test]
fn loads_are_those_that_the_verifier_counts() {
    for (network, routing) in NETWORKS {
        let routed = routed(network, routing);
        let (network, routing) = (&*routed.network, &*routed.routing);
        let all = program(network.terminal_count() as u32, |_, _| 1);
        let terminals: Vec<TerminalId> = network.terminals().collect();
        let found = load(network, routing, &*all, &terminals);
        let analysis = analyse(network, routing, FlowControl::Wormhole);
        let expected = analysis.quality.edge_forwarding_index;
        assert!(
            (found - expected).abs() < 1e-3 * expected,
            "{found} {expected}"
        );
    }
}

#[test]
fn searched_places_are_no_worse_than_any_others() {
    let strange = |from: u32, to: u32| match (from * 7 + to * 13) % 11 {
        0 | 1 => 1000 + u64::from(from * to % 97) * 100,
        _ => 0,
    };
    let others: [Box<dyn Placement>; 3] = [
        Box::new(Linear::default()),
        Box::new(RoundRobin::default()),
        Box::new(ByGroup::default()),
    ];
    for (network, routing) in NETWORKS {
        let routed = routed(network, routing);
        let program = program(14, strange);
        let worth =
            |places: &[TerminalId]| load(&routed.network, &*routed.routing, &*program, places);
        let optimised = Optimised {
            moves: 5_000,
            seed: None,
            ..Optimised::default()
        };
        let best = worth(&place(&optimised, &routed, &*program));
        assert_eq!(
            best,
            worth(&place(&optimised, &routed, &*program)),
            "the same again"
        );
        for other in &others[..if network.contains("tree") { 3 } else { 2 }] {
            let other = worth(&place(&**other, &routed, &*program));
            assert!(best <= other, "{network}: {best} {other}");
        }
        for seed in 0..20 {
            let other = worth(&place(&Random { seed: Some(seed) }, &routed, &*program));
            assert!(best < other, "{network}: {best} {other}");
        }
    }
}

/// Of all places there are.
#[test]
fn on_small_networks_the_best_is_found() {
    let weights = |from: u32, to: u32| u64::from((from * 5 + to * 3 + from * to) % 7) * 10;
    for (network, routing) in [
        ("kind = 'torus'\nsizes = [6]", "dimension-order"),
        ("kind = 'mesh'\nsizes = [2, 3]", "dimension-order"),
        ("kind = 'xgft'\nm = [2, 3]\nw = [1, 1]", "d-mod-k"),
    ] {
        let routed = routed(network, routing);
        let program = program(5, weights);
        let worth =
            |places: &[TerminalId]| load(&routed.network, &*routed.routing, &*program, places);
        let mut least = f64::INFINITY;
        let mut places: Vec<u32> = (0..6).collect();
        for_each_order(&mut places, 0, &mut |order| {
            let places: Vec<TerminalId> = order[..5].iter().map(|&at| TerminalId(at)).collect();
            least = least.min(worth(&places));
        });
        let optimised = Optimised {
            moves: 3_000,
            seed: None,
            ..Optimised::default()
        };
        assert_eq!(
            worth(&place(&optimised, &routed, &*program)),
            least,
            "{network}"
        );
    }
}

fn for_each_order(items: &mut Vec<u32>, fixed: usize, visit: &mut dyn FnMut(&[u32])) {
    if fixed == items.len() {
        return visit(items);
    }
    for other in fixed..items.len() {
        items.swap(fixed, other);
        for_each_order(items, fixed + 1, visit);
        items.swap(fixed, other);
    }
}

/// Partners that are far apart in the order of ranks come together.
#[test]
fn partners_come_together() {
    let routed = routed("kind = 'k-ary-n-tree'\narity = 4\nlevels = 2", "d-mod-k");
    let program = program(16, |from, to| if from ^ to == 8 { 5000 } else { 0 });
    let worth = |places: &[TerminalId]| load(&routed.network, &*routed.routing, &*program, places);
    assert!(worth(&place(&Linear::default(), &routed, &*program)) > 0.0);
    assert_eq!(
        worth(&place(&Optimised::default(), &routed, &*program)),
        0.0
    );
}

/// Pairs that exchange, one after the other: on this tree rounds in the order of ranks are free of contention, and twelve
/// of the fifteen leave a switch, which is the least there can be.
#[test]
fn rounds_are_told_apart() {
    let routed = routed("kind = 'k-ary-n-tree'\narity = 4\nlevels = 2", "d-mod-k");
    let program = program(16, |_, _| 100);
    let worth = |placement: &dyn Placement| {
        let places = place(placement, &routed, &*program);
        let of = |together| {
            largest_load(
                &*program,
                &routed.network,
                &*routed.routing,
                &places,
                together,
            )
        };
        [of(Together::Rounds), of(Together::All)]
    };
    assert_eq!(worth(&Linear::default()), [1200.0, 1200.0]);
    let random = worth(&Random { seed: Some(3) });
    assert!(random[0] > 1200.0 && random[1] == 1200.0, "{random:?}");
    let optimised = Optimised {
        moves: 1_000,
        together: Together::Rounds,
        ..Optimised::default()
    };
    assert_eq!(worth(&optimised), [1200.0, 1200.0]);
}
