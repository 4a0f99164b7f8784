//! Traffic beyond the usual: mixed lengths, bursts, classes and matrices, through the whole stack.
#![allow(clippy::unwrap_used, reason = "tests and their helpers may")]

mod stack;

use serde_json::Value as Json;
use stack::{figure, plan, rows, simulate, try_plan};
use turnwise_sim::{Ending, Measurement, Setup, Simulation};
use turnwise_study::specification::Scope;
use turnwise_study::{Plan, Source, Workshop};

/// Eight sources, each with a channel of its own all the way, which passes a flit a cycle.
fn alone(traffic: &str) -> Measurement {
    let plan = plan(&format!(
        "[network]\nkind = 'full-mesh'\nrouters = 8\n[routing]\nkind = 'shortest-path'\n\
         [router]\nrouting_delay = 0\ninternal_speedup = 2\n\
         [traffic]\npattern = 'shift'\noffset = 3\n{traffic}\n\
         [simulation]\nwarmup_cycles = 2_000\nmeasure_cycles = 400_000"
    ));
    let outcome = simulate(
        &plan.experiment(&plan.point(0).unwrap(), None).unwrap(),
        false,
    );
    assert_eq!(outcome.ending, Ending::Completed);
    outcome.measurement
}

const MIXED: &str = "packet_flits = [{ flits = 1, share = 0.8 }, { flits = 6, share = 0.2 }]";

/// The mean wait at a source is that of the queue Geo/G/1, `(p E[S^2] - r) / (2 (1 - r))` with the
/// load `r = p E[S]` (Takagi, Queueing Analysis, volume 3).
#[test]
fn mixed_lengths_wait_as_in_a_geo_g_1_queue() {
    for load in [0.3, 0.6] {
        let measured = alone(&format!("load = {load}\n{MIXED}"));
        let (mean, square) = (0.8 + 0.2 * 6.0, 0.8 + 0.2 * 36.0);
        let wait = (load / mean * square - load) / (2.0 * (1.0 - load));
        let found = measured.packet_latency.mean - measured.network_latency;
        assert!(
            (found / wait - 1.0).abs() < 0.03,
            "{load}: {found} instead of {wait}"
        );
        assert!(
            (measured.accepted_load.mean / load - 1.0).abs() < 0.01,
            "{load}"
        );
    }
}

/// Nobody waits whose packets come at distances of at least their length.
#[test]
fn periodic_packets_do_not_wait() {
    let measured = alone("load = 0.5\npacket_flits = 4\ninjection = 'periodic'");
    assert_eq!(measured.packet_latency.mean, measured.network_latency);
    assert!((measured.accepted_load.mean - 0.5).abs() < 1e-3);
}

/// In bursts of load 1, packets of two flits wait as long as none of 1/2 packet a cycle could.
#[test]
fn bursts_wait_longer_the_longer_they_are() {
    let wait = |injection: &str| {
        let measured = alone(&format!("load = 0.4\npacket_flits = 2\n{injection}"));
        assert!(
            (measured.accepted_load.mean - 0.4).abs() < 0.02,
            "{injection}"
        );
        measured.packet_latency.mean - measured.network_latency
    };
    let waits = [
        wait(""),
        wait("injection = { kind = 'on-off', mean_burst = 20 }"),
        wait("injection = { kind = 'on-off', mean_burst = 200 }"),
    ];
    assert!(waits.is_sorted() && waits[2] > 3.0 * waits[0], "{waits:?}");
}

const CLASSES: &str = "[network]\nkind = 'torus'\nsizes = [8, 8]\n[routing]\nkind = 'dimension-order'\n\
     [[traffic.classes]]\nname = 'short'\nshare = 0.25\npattern = 'uniform'\n\
     [[traffic.classes]]\nname = 'long'\nshare = 0.75\npattern = 'tornado'\npacket_flits = 8\n\
     [traffic]\nload = 0.1\n[simulation]\nmeasure_cycles = 5_000\ndrain = true";

#[test]
fn classes_are_measured_apart_and_add_up() {
    let plan = plan(CLASSES);
    let experiment = plan.experiment(&plan.point(0).unwrap(), None).unwrap();
    let one = simulate(&experiment, false).measurement;
    let [short, long] = &one.classes[..] else {
        panic!("two classes");
    };
    assert_eq!(short.packets + long.packets, one.packets);
    assert_eq!(short.undelivered + long.undelivered, one.undelivered);
    assert_eq!(short.latencies.count(), short.packets);
    assert!((short.injected_load + long.injected_load - one.injected_load).abs() < 1e-12);
    assert!(
        (short.injected_load / 0.025 - 1.0).abs() < 0.1,
        "{}",
        short.injected_load
    );
    assert!(
        (long.injected_load / 0.075 - 1.0).abs() < 0.1,
        "{}",
        long.injected_load
    );
    let mean = (short.packet_latency * short.packets as f64
        + long.packet_latency * long.packets as f64)
        / one.packets as f64;
    assert!((mean / one.packet_latency.mean - 1.0).abs() < 1e-9);
    // Seven flits more, and three hops instead of four on average, which is less.
    assert!(long.packet_latency > short.packet_latency);
    for threads in 2..=4 {
        let setup = Setup {
            threads,
            ..experiment.setup()
        };
        let other = Simulation::new(setup).run().unwrap();
        assert_eq!(other.measurement.classes, one.classes, "{threads} threads");
    }
}

#[test]
fn rows_have_classes_where_there_are_some() {
    let row = &rows(CLASSES)[0];
    let classes = row.classes.as_deref().and_then(Json::as_array).unwrap();
    let names: Vec<&str> = classes
        .iter()
        .map(|class| class["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["short", "long"]);
    let accepted: f64 = classes
        .iter()
        .map(|class| class["accepted_load"].as_f64().unwrap())
        .sum();
    assert!((accepted / figure(row, "accepted_load") - 1.0).abs() < 0.02);
    let single = CLASSES.split("[[").next().unwrap();
    let single = format!("{single}[traffic]\npattern = 'uniform'\nload = 0.1");
    assert!(rows(&single)[0].classes.is_none());
}

/// An overload's packets that wait at their sources count for their classes as well.
#[test]
fn packets_that_were_never_asked_for_belong_to_classes() {
    let text = CLASSES
        .replace("load = 0.1", "load = 0.9")
        .replace("drain = true", "drain = false");
    let plan = plan(&text);
    let one = simulate(
        &plan.experiment(&plan.point(0).unwrap(), None).unwrap(),
        false,
    )
    .measurement;
    let sum = |value: fn(&turnwise_sim::ClassMeasurement) -> u64| -> u64 {
        one.classes.iter().map(value).sum()
    };
    assert_eq!(sum(|class| class.packets), one.packets);
    assert_eq!(sum(|class| class.undelivered), one.undelivered);
    assert!(one.undelivered > one.packets);
}

fn message(text: &str) -> String {
    let Err(errors) = try_plan(text) else {
        panic!("accepted:\n{text}");
    };
    errors.iter().map(|error| format!("{error}\n")).collect()
}

#[test]
fn what_makes_no_sense_is_told() {
    let study = |traffic: &str| {
        format!(
            "[network]\nkind = 'torus'\nsizes = [4, 4]\n[routing]\nkind = 'dimension-order'\n[traffic]\n{traffic}"
        )
    };
    for (traffic, words) in [
        (
            "load = 0.1\npattern = 'uniform'\ninjection = 'on-off'",
            "mean_burst = 32",
        ),
        (
            "load = 0.1\npattern = 'uniform'\ninjection = 'bernouli'",
            "bernoulli",
        ),
        (
            "load = 0.1\npattern = 'uniform'\ninjection = { kind = 'periodic', mean_burst = 3 }",
            "on-off",
        ),
        (
            "load = 0.9\npattern = 'uniform'\ninjection = { kind = 'on-off', mean_burst = 9, peak_load = 0.5 }",
            "peak load 0.5",
        ),
        (
            "load = 0.1\npattern = 'uniform'\npacket_flits = 0",
            "at least one flit",
        ),
        (
            "load = 0.1\npattern = 'uniform'\npacket_flits = 70000",
            "65535",
        ),
        (
            "load = 0.1\npattern = 'uniform'\npacket_flits = [{ flits = 1, share = 0.5 }]",
            "add up to 0.5",
        ),
        ("load = 0.1\npattern = 'uniform'\nshare = 0.5", "share"),
        (
            "load = 0.1\npattern = 'uniform'\nclasses = [{ name = 'a', share = 1, pattern = 'uniform' }]",
            "pattern",
        ),
        ("load = 0.1\nclasses = []", "1 to 16 classes"),
        (
            "load = 0.1\nclasses = [{ name = 'a', share = 0.5, pattern = 'uniform' }]",
            "add up to 0.5",
        ),
        (
            "load = 0.1\nclasses = [{ name = 'a', share = 1, pattern = 'unifrom' }]",
            "uniform",
        ),
        (
            "load = 0.1\nclasses = [{ name = 'a', share = 1, pattern = 'uniform', load = 0.1 }]",
            "load",
        ),
        (
            "load = 0.1\nclasses = [{ name = 'a', share = 0.5, pattern = 'uniform' }, { name = 'a', share = 0.5, pattern = 'uniform' }]",
            "another class has this name",
        ),
        (
            "load = 0.1\npattern = 'matrix'\nfile = 'no-such.csv'",
            "no-such.csv",
        ),
        ("load = 0.1\npattern = 'matrix'", "file"),
    ] {
        let found = message(&study(traffic));
        assert!(found.contains(words), "{traffic}: {found}");
    }
}

/// The longest packets decide what buffers must hold; a ring's bubbles need packets of one length.
#[test]
fn flow_control_knows_the_longest_packets() {
    let study = |control: &str, buffer: u32| {
        format!(
            "[network]\nkind = 'torus'\nsizes = [4, 4]\n[routing]\nkind = 'dimension-order'\n\
             [router]\nflow_control = '{control}'\nbuffer_flits = {buffer}\n[traffic]\npattern = 'uniform'\nload = 0.1\n{MIXED}"
        )
    };
    assert!(message(&study("virtual-cut-through", 5)).contains("at least 6 flits"));
    assert!(try_plan(&study("virtual-cut-through", 6)).is_ok());
    assert!(message(&study("bubble", 64)).contains("packets of one length"));
}

#[test]
fn a_matrix_is_read_again_when_its_file_changes() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("traffic.csv");
    let text = "[network]\nkind = 'torus'\nsizes = [2, 2]\n[routing]\nkind = 'dimension-order'\n\
         [traffic]\npattern = 'matrix'\nfile = 'traffic.csv'\nload = 0.3\n[simulation]\nmeasure_cycles = 10_000";
    let read = |pairs: &str| -> Plan {
        std::fs::write(&file, format!("source,destination,weight\n{pairs}")).unwrap();
        let (source, document) = Source::parse("study.toml", text.as_bytes(), &[]);
        let workshop = Workshop::new(folder.path());
        let plan = Plan::new(
            source,
            &document.unwrap(),
            workshop,
            Scope::Simulation,
            "test",
        );
        plan.unwrap_or_else(|(_, errors)| panic!("{errors:?}"))
    };
    let first = read("0,1,1\n1,0,1\n");
    let second = read("0,1,3\n1,0,1\n2,3,2\n");
    assert_ne!(first.point(0).unwrap().id, second.point(0).unwrap().id);
    let outcome = simulate(
        &second.experiment(&second.point(0).unwrap(), None).unwrap(),
        true,
    );
    // The busiest source offers 0.3, the others a third and two thirds of it, and one nothing.
    let expected = 0.3 * (1.0 + 1.0 / 3.0 + 2.0 / 3.0) / 4.0;
    let accepted = outcome.measurement.accepted_load.mean;
    assert!(
        (accepted / expected - 1.0).abs() < 0.05,
        "{accepted} of {expected}"
    );
}

#[test]
fn saturation_is_searched_up_to_the_peak_load() {
    let text = "[network]\nkind = 'torus'\nsizes = [4, 4]\n[routing]\nkind = 'dimension-order'\n\
         [traffic]\npattern = 'neighbor'\nload = 0.1\ninjection = { kind = 'on-off', mean_burst = 50, peak_load = 0.25 }\n\
         [simulation]\nfind_saturation = true\nmeasure_cycles = 2_000";
    // Nothing saturates, so the search ends at the peak; injected is what chance makes of it.
    let found = figure(&rows(text)[0], "saturation_load");
    assert!((found / 0.25 - 1.0).abs() < 0.05, "{found}");
}
