//! No network carries more than its busiest channel: saturation against bounds computed by hand.
//!
//! Under a routing with one route a pair, a network saturates at the latest when its busiest channel
//! takes a flit a cycle: at one over the largest load that a channel has when every terminal sends a
//! flit a cycle (Dally and Towles, "Principles and Practices of Interconnection Networks", section 3.3).
//! Every bound is given twice, in closed form and by counting routes.
#![allow(clippy::unwrap_used, reason = "tests and their helpers may")]

#[path = "saturation/cases.rs"]
mod cases;

use crate::stack::{figure, plan, rows};
use cases::{CASES, Case, Traffic};
use turnwise_network::{Header, TerminalId};
use turnwise_study::costs::Costs;
use turnwise_study::demand::Demand;
use turnwise_study::row::{Cell, Row};
use turnwise_study::workshop::Experiment;

/// Virtual channels, buffers and speed enough for a router not to be what saturates.
fn study(case: &Case, load: f64, simulation: &str) -> String {
    format!(
        "[network]\n{}\n[routing]\nkind = '{}'\nvirtual_channels = 8\n\
         [router]\nvirtual_channels = 8\nbuffer_flits = 32\ninternal_speedup = 2\n\
         [traffic]\npattern = '{}'\nload = {load}\n{}\n[simulation]\n{simulation}\n",
        case.network, case.routing, case.pattern.0, case.pattern.1
    )
}

/// To whom a terminal sends, and which share of its packets.
fn destinations(
    case: &Case,
    experiment: &Experiment,
    source: TerminalId,
) -> Vec<(TerminalId, f64)> {
    let network = &experiment.routed.network;
    let group = |terminal| network.shape().group(network.router_of(terminal));
    let wanted: Vec<TerminalId> = match case.traffic {
        Traffic::Fixed => {
            let Demand::Open { injector, .. } = &experiment.demand else {
                panic!("traffic does not depend on what arrives");
            };
            let first = injector.next(source, 0, None);
            first.into_iter().map(|packet| packet.destination).collect()
        }
        Traffic::Uniform => network
            .terminals()
            .filter(|&other| other != source)
            .collect(),
        Traffic::NextOf(groups) => {
            let next = group(source).map(|group| (group + 1) % groups);
            network
                .terminals()
                .filter(|&other| group(other) == next)
                .collect()
        }
    };
    let share = 1.0 / wanted.len() as f64;
    wanted
        .into_iter()
        .map(|destination| (destination, share))
        .collect()
}

/// Follows a packet through every option, all equally likely.
fn add_route(
    experiment: &Experiment,
    source: TerminalId,
    to: TerminalId,
    share: f64,
    loads: &mut [f64],
) {
    let (network, routing) = (&experiment.routed.network, &*experiment.routed.routing);
    let start = routing.start(source, to).unwrap();
    let header = Header {
        destination: to,
        ..start.header
    };
    let mut open = vec![(network.router_of(source), header, share)];
    let mut options = Vec::new();
    while let Some((at, header, share)) = open.pop() {
        options.clear();
        routing.options(at, header, &mut options);
        let each = share / options.len() as f64;
        for hop in &options {
            if let Some(next) = network.next_router(at, hop.port) {
                loads[network.out_channel(at, hop.port).unwrap().index()] += each;
                open.push((next, hop.header, each));
            }
        }
    }
}

/// The bound in flits injected per terminal and cycle, from the routes alone.
fn counted(case: &Case) -> f64 {
    let plan = plan(&study(case, 0.5, ""));
    let experiment = plan.experiment(&plan.point(0).unwrap(), None).unwrap();
    let network = &experiment.routed.network;
    let mut loads = vec![0.0; network.channel_count()];
    let mut senders = 0.0;
    for source in network.terminals() {
        let destinations = destinations(case, &experiment, source);
        senders += f64::from(u8::from(!destinations.is_empty()));
        for (to, share) in destinations {
            add_route(&experiment, source, to, share, &mut loads);
        }
    }
    // A terminal sends a flit a cycle at most.
    let largest = loads.into_iter().fold(1.0, f64::max);
    senders / network.terminal_count() as f64 / largest
}

fn check(family: &str) {
    let cases = CASES.iter().filter(|case| case.family == family);
    let mut wrong = Vec::new();
    for case in cases {
        let counted = counted(case);
        let text = study(
            case,
            0.01,
            "warmup_cycles = 1000\nmeasure_cycles = 4000\nfind_saturation = true",
        );
        let row = &rows(&text)[0];
        let (load, half_width) = (
            figure(row, "saturation_load"),
            figure(row, "saturation_load_ci"),
        );
        let all_right = (counted - case.bound).abs() < 1e-9
            && load - half_width <= case.bound
            && load >= 0.85 * case.bound
            // An interval that holds everything would say nothing.
            && half_width <= 0.1 * case.bound + 0.01;
        if !all_right {
            wrong.push(format!(
                "{} / {} / {:?}: bound {}, counted {counted}, found {load} +- {half_width}",
                case.network, case.routing, case.pattern, case.bound
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn there_are_forty_cases_and_no_other_families() {
    assert!(CASES.len() >= 40, "{}", CASES.len());
    let families = ["torus", "mesh", "cube", "complete", "groups", "tree"];
    assert!(CASES.iter().all(|case| families.contains(&case.family)));
}

#[test]
fn tori_saturate_at_their_bounds() {
    check("torus");
}

#[test]
fn meshes_saturate_at_their_bounds() {
    check("mesh");
}

#[test]
fn hypercubes_saturate_at_their_bounds() {
    check("cube");
}

#[test]
fn full_meshes_and_hyperx_saturate_at_their_bounds() {
    check("complete");
}

#[test]
fn dragonflies_saturate_at_their_bounds() {
    check("groups");
}

#[test]
fn fat_trees_saturate_at_their_bounds() {
    check("tree");
}

/// Cases of different kinds that take little time, each at a share of its bound, with many seeds.
fn saturated_share(share: f64, simulation: &str, seeds: u32) -> f64 {
    let names = [
        "sizes = [7]",
        "kind = 'mesh'\nsizes = [8]",
        "groups = 3",
        "routers = 3",
    ];
    let (mut saturated, mut all) = (0, 0);
    for name in names {
        let case = CASES
            .iter()
            .find(|case| case.network.contains(name))
            .unwrap();
        let text = format!(
            "[study]\nrepeat = {seeds}\n{}",
            study(case, share * case.bound, simulation)
        );
        for row in rows(&text) {
            all += 1;
            saturated += u32::from(row.flag("saturated"));
        }
    }
    f64::from(saturated) / f64::from(all)
}

/// Neither noise nor a short window, a missing warm-up or few packets look like saturation.
#[test]
fn at_four_fifths_of_capacity_hardly_any_run_is_called_saturated() {
    for simulation in [
        "warmup_cycles = 1000\nmeasure_cycles = 4000",
        "warmup_cycles = 1000\nmeasure_cycles = 4000\ndrain = false",
        "warmup_cycles = 500\nmeasure_cycles = 500",
        "warmup_cycles = 100\nmeasure_cycles = 100",
        "warmup_cycles = 500\nmeasure_cycles = 500\ncycles_limit = 1000",
        "warmup_cycles = 0\nmeasure_cycles = 1000",
    ] {
        let share = saturated_share(0.8, simulation, 40);
        assert!(share <= 0.025, "{simulation}: {share}");
    }
    for simulation in [
        "warmup_cycles = 0\nmeasure_cycles = 20",
        "warmup_cycles = 0\nmeasure_cycles = 200",
    ] {
        let share = saturated_share(0.1, simulation, 40);
        assert!(share <= 0.025, "{simulation}: {share}");
    }
}

/// Close to saturation an empty network fills for longer than the window; far from it nothing drifts.
#[test]
fn a_missing_warm_up_is_noticed_and_a_steady_run_is_not_accused() {
    let unsteady = |load: f64, warmup: u32| {
        let text = format!(
            "[study]\nrepeat = 12\n[network]\nkind = 'mesh'\nsizes = [4, 4]\nchannel_latency = 20\n\
             [routing]\nkind = 'dimension-order'\nvirtual_channels = 8\n[router]\nvirtual_channels = 8\n\
             [traffic]\npattern = 'uniform'\nload = {load}\n\
             [simulation]\nwarmup_cycles = {warmup}\nmeasure_cycles = 3000"
        );
        let rows = rows(&text);
        let drifts = |row: &&Row| *row.cell("steady") == Cell::Flag(false);
        rows.iter().filter(drifts).count()
    };
    assert_eq!(unsteady(0.4, 4000), 0);
    let without = unsteady(0.7, 0);
    assert!(without >= 6, "{without} of 12");
}

/// A dragonfly that goes by old news of its queues fills up, and shows it to the test for saturation only in windows of 20 times
/// this length. Latency rises by half on the way, and is not called steady.
#[test]
fn what_chance_may_hide_is_not_called_steady() {
    let rows = rows(
        "[study]\nrepeat = 6\n[network]\nkind = 'dragonfly'\ngroups = 5\nrouters_per_group = 2\nterminals_per_router = 2\n\
         channel_latency = { local = 5, global = 20 }\n[routing]\nkind = 'ugal-g'\nfeedback_delay = 1000\n\
         [traffic]\npattern = 'adversarial'\npacket_flits = 2\nload = 0.195\n\
         [simulation]\nwarmup_cycles = 500\nmeasure_cycles = 2000",
    );
    let open = |row: &&Row| !row.flag("saturated") && row.figure("drift").unwrap() > 0.3;
    assert!(rows.iter().filter(open).count() >= 3, "{rows:?}");
    assert!(rows.iter().all(|row| !row.flag("steady")), "{rows:?}");
}

/// A little too much is seen when the window is long enough for it to pile up.
#[test]
fn three_percent_above_capacity_nearly_every_run_is_called_saturated() {
    let share = saturated_share(
        1.03,
        "warmup_cycles = 3000\nmeasure_cycles = 20000\ndrain = false",
        10,
    );
    assert!(share >= 0.95, "{share}");
}

/// Points that differ in their load alone have one search, whatever the threads, and are foreseen so.
#[test]
fn a_search_is_made_once_for_all_loads() {
    let of = |loads: &str, repeat: u32| {
        format!(
            "[study]\nrepeat = {repeat}\n[network]\nkind = 'mesh'\nsizes = [4, 4]\n[routing]\nkind = 'dimension-order'\n[traffic]\n\
             pattern = 'uniform'\n[simulation]\nwarmup_cycles = 200\nmeasure_cycles = 500\nfind_saturation = true\n[sweep]\n\
             'traffic.load' = {loads}\n'router.virtual_channels' = [1, 2]\n"
        )
    };
    let found = |row: &Row| {
        [
            row.figure("saturation_load"),
            row.figure("saturation_load_ci"),
        ]
    };
    let alone: Vec<_> = rows(&of("[0.2]", 2)).iter().map(found).collect();
    let all = of("[0.1, 0.2, 0.3]", 2);
    for threads in [1, 3] {
        let (rows, _) = crate::stack::run(&plan(&all), threads, None);
        for row in rows {
            let lanes = row.point["router.virtual_channels"].as_u64().unwrap();
            let repeat = row.point["repeat"].as_u64().unwrap();
            assert_eq!(found(&row), alone[(2 * (lanes - 1) + repeat) as usize]);
        }
    }
    assert_ne!(alone[0], alone[1]);
    let seconds = |text: &str| {
        let plan = plan(text);
        let mut costs = Costs::new(&plan, 1, None);
        let each = (0..plan.len()).map(|index| costs.of(index).unwrap().estimate.seconds);
        each.sum::<f64>()
    };
    assert!(seconds(&all) < 1.5 * seconds(&of("[0.2]", 2)));
}
