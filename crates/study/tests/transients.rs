//! Traffic that switches, through the whole stack: what is sent, what is measured of it, and what is refused.
#![allow(clippy::unwrap_used, reason = "tests and their helpers may")]

use crate::stack::{figure, plan, rows, try_plan};
use proptest::prelude::*;
use turnwise_network::{Injector, Network, PacketRequest, TerminalId};
use turnwise_sim::{Interval, Outcome, Setup, Simulation};
use turnwise_study::demand::Demand;
use turnwise_study::workshop::Experiment;

const SWITCH: u64 = 700;
const SIZES: &str = "groups = 9\nrouters_per_group = 4\nterminals_per_router = 2";

fn study(traffic: &str, more: &str) -> String {
    format!(
        "[network]\nkind = 'dragonfly'\n{SIZES}\n[routing]\nkind = 'ugal'\n[traffic]\n{traffic}\n\
         [simulation]\nwarmup_cycles = 512\nmeasure_cycles = 1536\n{more}"
    )
}

fn transient(then: &str, more: &str) -> String {
    study(
        &format!("pattern = 'uniform'\nload = 0.1\n[[traffic.then]]\nat = {SWITCH}\n{then}"),
        more,
    )
}

fn experiment(text: &str) -> Experiment {
    let plan = plan(text);
    plan.experiment(&plan.point(0).unwrap(), None).unwrap()
}

fn injector(experiment: &Experiment) -> &dyn Injector {
    match &experiment.demand {
        Demand::Open { injector, .. } => &**injector,
        Demand::Closed { .. } => panic!("there is traffic"),
    }
}

fn packets(experiment: &Experiment, until: u64) -> Vec<(TerminalId, PacketRequest)> {
    let source = injector(experiment);
    let mut packets = Vec::new();
    for terminal in experiment.routed.network.terminals() {
        let (mut number, mut after) = (0, None);
        while let Some(packet) = source.next(terminal, number, after) {
            if packet.created >= until {
                break;
            }
            packets.push((terminal, packet));
            (number, after) = (number + 1, Some(packet.created));
        }
    }
    packets
}

fn run(experiment: &Experiment, threads: usize) -> Outcome {
    let hops = experiment.routed.minimal.between();
    let setup = Setup {
        threads,
        minimal: hops.as_ref().map(|hops| hops as _),
        ..experiment.setup()
    };
    Simulation::new(setup).run().unwrap()
}

fn group(network: &Network, terminal: TerminalId) -> u32 {
    network.shape().group(network.router_of(terminal)).unwrap()
}

/// Until the switch the packets are those of the study without it; from it on all go to the next group but one.
#[test]
fn packets_go_where_their_phase_says() {
    let both = experiment(&transient("pattern = 'adversarial'\noffset = 2", ""));
    let alone = experiment(&study("pattern = 'uniform'\nload = 0.1", ""));
    let (before, after): (Vec<_>, Vec<_>) = packets(&both, 2 * SWITCH)
        .into_iter()
        .partition(|(_, packet)| packet.created < SWITCH);
    assert_eq!(before, packets(&alone, SWITCH));
    let network = &both.routed.network;
    for (source, packet) in &after {
        let there = group(network, packet.destination);
        assert_eq!(there, (group(network, *source) + 2) % 9, "{packet:?}");
    }
    assert!(after.len() > 4_000, "{}", after.len());
}

/// A phase without a pattern keeps that of the one before, with its parameters, and has another load.
#[test]
fn a_load_may_switch_alone_and_a_pattern_comes_back() {
    let then = "pattern = 'shift'\ngroup_offset = 3\n[[traffic.then]]\nat = 1000\nload = 0.3\n\
                [[traffic.then]]\nat = 1500\npattern = 'uniform'\nload = 0.0";
    let experiment = experiment(&transient(then, ""));
    let mut flits = [0; 4];
    for (source, packet) in packets(&experiment, 2000) {
        let phase = [SWITCH, 1000, 1500].partition_point(|at| *at <= packet.created);
        flits[phase] += 1;
        if phase > 0 {
            assert_eq!(packet.destination.0, (source.0 + 3 * 8) % 72);
        }
    }
    for (phase, cycles, load) in [(0, 700.0, 0.1), (1, 300.0, 0.1), (2, 500.0, 0.3)] {
        let expected: f64 = 72.0 * cycles * load;
        let off = (f64::from(flits[phase]) - expected).abs();
        assert!(off < 4.0 * expected.sqrt(), "{flits:?}");
    }
    assert_eq!(flits[3], 0);
}

/// The intervals of a run add up to what the run has measured, and no number of threads changes them.
#[test]
fn intervals_add_up_to_the_run_on_any_number_of_threads() {
    for more in [
        "interval_cycles = 1",
        "interval_cycles = 40",
        "",
        "drain = false\ninterval_cycles = 8",
    ] {
        let experiment = experiment(&transient("pattern = 'adversarial'", more));
        let one = run(&experiment, 1);
        let measured = &one.measurement;
        let series = &measured.series;
        let longest = if more.contains("40") { 32 } else { 8 };
        assert!(series.interval_cycles() <= longest, "{more}");
        let first = 512 / series.interval_cycles() as usize;
        let mut window = Interval::default();
        series.intervals()[first..]
            .iter()
            .for_each(|at| window.add(at));
        assert_eq!(window.packets, measured.packets, "{more}");
        let latency = window.latency as f64 / window.packets as f64;
        assert!((latency / measured.packet_latency.mean - 1.0).abs() < 1e-12);
        let share = window.nonminimal as f64 / window.packets as f64;
        assert_eq!(Some(share), measured.nonminimal_share);
        let cycles = 72.0 * 1536.0;
        assert!(
            (window.injected_flits as f64 / cycles / measured.injected_load - 1.0).abs() < 1e-12
        );
        assert!(
            (window.accepted_flits as f64 / cycles / measured.accepted_load.mean - 1.0).abs()
                < 1e-9
        );
        assert_eq!(
            window.accepted_flits, window.arrived_packets,
            "packets of one flit"
        );
        // What was created and has arrived before the window's end is told by arrival as well.
        let mut all = Interval::default();
        series.intervals().iter().for_each(|at| all.add(at));
        assert!(all.arrived_packets <= all.packets && all.arrived_latency <= all.latency);
        for threads in 2..=4 {
            let other = run(&experiment, threads);
            assert_eq!(
                other.measurement, one.measurement,
                "{more} {threads} threads"
            );
            assert_eq!(other.fingerprint, one.fingerprint);
        }
    }
}

/// Four terminals that meet nobody on the way: latency is that of an idle network before and after, known to the cycle.
#[test]
fn where_nobody_waits_latency_settles_at_once_at_the_closed_form() {
    // Seven cycles at a router, and five from one to the next.
    for (offset, latency) in [(1, 12.0), (4, 27.0)] {
        let text = format!(
            "[network]\nkind = 'torus'\nsizes = [9]\n[routing]\nkind = 'dimension-order'\n\
             [traffic]\npattern = 'shift'\noffset = 2\nload = 0.02\n\
             [[traffic.then]]\nat = 1500\npattern = 'shift'\noffset = {offset}\n\
             [simulation]\nwarmup_cycles = 1000\nmeasure_cycles = 3000\ninterval_cycles = 16"
        );
        let row = &rows(&text)[0];
        assert!(
            (figure(row, "settled_latency") / latency - 1.0).abs() < 0.06,
            "{row:?}"
        );
        assert_eq!(
            figure(row, "settling_cycles"),
            4.0,
            "the first whole interval"
        );
    }
}

/// UGAL settles, and is not called unsteady for a switch in its window; minimal routing does not keep up.
#[test]
fn rows_say_when_latency_has_settled() {
    let text = "[network]\nkind = 'dragonfly'\ngroups = 9\nrouters_per_group = 4\nterminals_per_router = 2\n[router]\ninternal_speedup = 2.0\nvirtual_channels = 6\nbuffer_flits = 16\n\
        [traffic]\npattern = 'uniform'\nload = 0.15\n[[traffic.then]]\nat = 2000\npattern = 'adversarial'\n\
        [sweep]\nrouting = [{ kind = 'minimal' }, { kind = 'ugal', threshold_flits = 0 }]\n\
        [simulation]\nwarmup_cycles = 1000\nmeasure_cycles = 7000\ncycles_limit = 30_000";
    let rows = rows(text);
    assert!(rows[0].flag("saturated"));
    assert_eq!(rows[0].figure("settling_cycles"), None);
    assert!(!rows[1].flag("saturated"));
    let settling = figure(&rows[1], "settling_cycles");
    assert!((16.0..2_000.0).contains(&settling), "{settling}");
    assert!(figure(&rows[1], "settled_latency") > figure(&rows[1], "latency_p50") / 2.0);
    assert!(rows.iter().all(|row| row.figure("drift").is_none()));
}

/// Once an attack is over that minimal routing does not keep up with, latency falls for 6,000 cycles, from 1,000 to 29. In a window of
/// 2,500 the few packets that are created do not show that for certain; what they waited for is no value that anything settled at.
#[test]
fn a_backlog_that_drains_has_not_settled() {
    for (window, repeat) in [(2_000, 6), (2_500, 12), (8_000, 6)] {
        let text = format!(
            "[study]\nrepeat = {repeat}\n[network]\nkind = 'dragonfly'\n{SIZES}\n[routing]\nkind = 'minimal'\n\
             [traffic]\npattern = 'uniform'\npacket_flits = 2\nload = 0.2\n\
             [[traffic.then]]\nat = 1605\npattern = 'adversarial'\n[[traffic.then]]\nat = 2000\nload = 0.05\n\
             [simulation]\nwarmup_cycles = 1000\nmeasure_cycles = {window}"
        );
        for row in rows(&text) {
            assert!(!row.flag("saturated"), "{row:?}");
            assert_eq!(row.figure("settled_latency"), None, "{row:?}");
            assert_eq!(row.figure("settling_cycles"), None, "{row:?}");
        }
    }
}

/// Of studies/transient.toml. If all packets turned to detours at the same news, latency would swing for 80 cycles in most runs.
#[test]
fn who_is_informed_settles_at_once_mostly() {
    let rows = rows(
        "[study]\nrepeat = 12\n[network]\nkind = 'dragonfly'\ngroups = 9\nrouters_per_group = 4\nterminals_per_router = 2\n\
         channel_latency = { local = 5, global = 20 }\n[routing]\nkind = 'informed'\n\
         [router]\nflow_control = 'virtual-cut-through'\nvirtual_channels = 6\nbuffer_flits = 'round-trip'\ninternal_speedup = 2.0\n\
         [traffic]\npattern = 'uniform'\nload = 0.15\n[[traffic.then]]\nat = 2000\npattern = 'adversarial'\n\
         [simulation]\nwarmup_cycles = 1000\nmeasure_cycles = 5000\ncycles_limit = 12000\ninterval_cycles = 16",
    );
    let settling = rows.iter().map(|row| figure(row, "settling_cycles"));
    let at_once = settling.filter(|&cycles| cycles == 0.0).count();
    assert!(at_once >= 8, "{at_once} of 12");
}

/// A sweep reaches every field of a phase, and the phases as a whole; results have their columns.
#[test]
fn sweeps_reach_phases() {
    let swept = |sweep: &str| {
        let text = transient("pattern = 'adversarial'", &format!("[sweep]\n{sweep}"));
        let plan = plan(&text);
        let experiment = |index| plan.experiment(&plan.point(index).unwrap(), None).unwrap();
        (0..plan.len()).map(experiment).collect::<Vec<_>>()
    };
    let cycles = swept("'traffic.then[0].at' = [600, 900]");
    let switches: Vec<_> = cycles
        .iter()
        .map(|one| one.demand.switches().to_vec())
        .collect();
    assert_eq!(switches, [[600], [900]]);
    let patterns = swept("'traffic.then[0].pattern' = ['adversarial', 'bad-dragon', 'uniform']");
    let [first, second, third] = &patterns[..] else {
        panic!("three points");
    };
    assert_eq!(
        packets(first, 900),
        packets(second, 900),
        "two names of one pattern"
    );
    assert_ne!(packets(first, 900), packets(third, 900));
    let whole = swept(
        "'traffic.then' = [[{ at = 600, load = 0.2 }], [{ at = 600, load = 0.2 }, { at = 900, load = 0.1 }]]",
    );
    let counts: Vec<_> = whole
        .iter()
        .map(|one| one.demand.switches().len())
        .collect();
    assert_eq!(counts, [1, 2]);
    let units = plan(&format!(
        "[study]\nclock = '1 GHz'\n{}",
        transient("pattern = 'adversarial'", "interval_cycles = '20 ns'")
            .replace("at = 700", "at = '0.7 us'")
    ));
    let names: Vec<&str> = units.columns().iter().map(|column| column.name).collect();
    assert!(
        names.starts_with(&["settling_cycles", "settled_latency"]),
        "{names:?}"
    );
    assert!(
        names.contains(&"settling_ns") && !names.contains(&"makespan_ns"),
        "{names:?}"
    );
    let one = units.experiment(&units.point(0).unwrap(), None).unwrap();
    assert_eq!(
        (one.demand.switches(), one.interval),
        (&[700][..], Some(20))
    );
    let plain = plan(&study("pattern = 'uniform'\nload = 0.1", ""));
    assert!(plain.columns().is_empty());
}

fn message(text: &str) -> String {
    let Err(errors) = try_plan(text) else {
        panic!("accepted:\n{text}");
    };
    errors.iter().map(|error| format!("{error}\n")).collect()
}

#[test]
fn what_makes_no_sense_is_told() {
    let endless = format!("at = {SWITCH}");
    for (then, words) in [
        ("pattern = 'adversarail'", "did you mean `adversarial`"),
        ("patern = 'adversarial'", "missing key `pattern`"),
        (
            "pattern = 'adversarial'\nofset = 2",
            "did you mean `offset`",
        ),
        ("offset = 2", "missing key `pattern`"),
        ("", "nothing changes in this phase"),
        (
            "send_to_self = true\nload = 0.2",
            "send_to_self: belongs to a pattern",
        ),
        ("load = 1.5", "expected 0 to 1 flits"),
        ("load = 0.1\npacket_flits = 2", "packet_flits"),
        (
            "load = 0.2\n[[traffic.then]]\nat = 700\nload = 0.1",
            "from 701",
        ),
        (
            "load = 0.2\n[[traffic.then]]\nload = 0.1",
            "missing key `at`",
        ),
        (
            "load = 0.2\n[[traffic.then]]\nat = 2048\nload = 0.1",
            "cycle 2047",
        ),
        ("pattern = 'tornado'", "needs routers with coordinates"),
        (
            "pattern = 'adversarial'\noffset = 9",
            "leaves packets in their own group",
        ),
        ("pattern = 'matrix'\nfile = 'no-such.csv'", "no-such.csv"),
    ] {
        let found = message(&transient(then, ""));
        assert!(found.contains(words), "{then}: {found}");
    }
    let found = message(&transient("load = 0.2", "find_saturation = true"));
    assert!(
        found.contains("a saturation load for each of its phases"),
        "{found}"
    );
    let found = message(&transient("load = 0.2", "").replace(&endless, "at = 0"));
    assert!(
        found.contains("the first one is [traffic] itself"),
        "{found}"
    );
    let found = message(&study("pattern = 'uniform'\nload = 0.1\nthen = 3", ""));
    assert!(found.contains("[[traffic.then]]"), "{found}");
    let classes = "load = 0.1\nclasses = [{ name = 'a', share = 1, pattern = 'uniform' }]\nthen = [{ at = 9, load = 0.2 }]";
    let found = message(&study(classes, ""));
    assert!(found.contains("several classes does not switch"), "{found}");
    let long = transient("load = 0.2", "interval_cycles = 3").replace("1536", "1_000_000");
    assert!(
        message(&long).contains("at least 128 cycles"),
        "{}",
        message(&long)
    );
    let none = transient("load = 0.2", "interval_cycles = 0");
    assert!(message(&none).contains("expected 1 to 1000000 cycles"));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    /// Whatever switches to whatever, a run is the same on every number of threads.
    #[test]
    fn threads_leave_no_trace_in_traffic_that_switches(
        first in prop::sample::select(vec!["uniform", "adversarial", "group-attack", "random-permutation"]),
        second in prop::sample::select(vec!["uniform", "bad-dragon", "adversarial-consecutive", "hotspot"]),
        injection in prop::sample::select(vec!["'bernoulli'", "'periodic'", "{ kind = 'on-off', mean_burst = 20 }"]),
        at in 1..1_000u64,
        load in 0.01..0.4f64,
        threads in 2..5usize,
    ) {
        let text = study(
            &format!("pattern = '{first}'\nload = 0.2\ninjection = {injection}\n[[traffic.then]]\nat = {at}\npattern = '{second}'\nload = {load}"),
            "cycles_limit = 2048",
        );
        let experiment = experiment(&text);
        let (one, many) = (run(&experiment, 1), run(&experiment, threads));
        prop_assert_eq!(&one.measurement, &many.measurement);
        prop_assert_eq!(one.fingerprint, many.fingerprint);
    }
}
