//! Traffic beyond the usual: mixed lengths, bursts, classes and matrices, through the whole stack.
#![allow(clippy::unwrap_used, reason = "tests and their helpers may")]

use crate::stack::{figure, plan, rows, simulate, try_plan, try_plan_in};
use serde_json::Value as Json;
use turnwise_sim::{Ending, Measurement, Setup, Simulation};
use turnwise_study::{Plan, Workshop};

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

/// Packets of a message follow each other, so to its source it is one packet: it waits as in the queue Geo/D/1, whatever it is cut into.
#[test]
fn messages_wait_whole() {
    let mean = |load: f64, injection: &str, packet_flits: u32| {
        let measured = alone(&format!(
            "load = {load}\nmessage_flits = 12\npacket_flits = {packet_flits}\ninjection = '{injection}'"
        ));
        let messages = &measured.transactions;
        let packets = u64::from(12_u32.div_ceil(packet_flits));
        assert_eq!(messages.completed * packets, measured.packets);
        assert_eq!(messages.times.count(), messages.completed);
        assert!((measured.accepted_load.mean / load - 1.0).abs() < 0.02);
        messages.mean_time
    };
    let idle = mean(0.2, "periodic", 12);
    for packet_flits in [3, 5, 12, 40] {
        assert_eq!(mean(0.2, "periodic", packet_flits), idle, "{packet_flits}");
        let load = 0.5;
        let wait = (load * 12.0 - load) / (2.0 * (1.0 - load));
        let found = mean(load, "bernoulli", packet_flits) - idle;
        assert!(
            (found / wait - 1.0).abs() < 0.03,
            "{packet_flits}: {found} instead of {wait}"
        );
    }
}

/// Messages of one packet are those packets; their rows say so, and nothing else changes.
#[test]
fn a_message_may_be_a_packet() {
    let study = |traffic: &str| {
        let text = CLASSES.replace("load = 0.1", &format!("load = 0.1\n{traffic}"));
        rows(&text.replace("packet_flits = 8", ""))
    };
    let (without, with) = (
        study("packet_flits = 4"),
        study("packet_flits = 9\nmessage_flits = 4"),
    );
    let (without, with) = (&without[0], &with[0]);
    assert_eq!(with.text("fingerprint"), without.text("fingerprint"));
    for (message, packet) in [
        ("messages", "packets"),
        ("mean_message_latency", "mean_packet_latency"),
        ("message_latency_p50", "latency_p50"),
        ("message_latency_p99", "latency_p99"),
        ("message_latency_p999", "latency_p999"),
    ] {
        if packet != "packets" {
            assert_eq!(figure(with, message), figure(with, packet));
        }
        assert!(without.figure(message).is_none(), "{message}");
    }
}

/// Classes, phases, queues of virtual channels, threads and sources that cannot keep up: all packets of a message share its class and its fate.
#[test]
fn messages_go_with_everything() {
    let classes = CLASSES.replace("packet_flits = 8", "");
    let phases = "[network]\nkind = 'torus'\nsizes = [4, 4]\n[routing]\nkind = 'dimension-order'\n\
        [traffic]\nload = 0.1\npattern = 'uniform'\nthen = [{ at = 2_000, pattern = 'tornado', load = 0.2 }]\n\
        [simulation]\nmeasure_cycles = 4_000\ndrain = true";
    let queues = "[router]\npreset = 'supersim-ioq'\n";
    for (name, text) in [
        ("classes", classes.clone()),
        ("phases", phases.to_owned()),
        ("queues", format!("{queues}{phases}")),
        (
            "overload",
            phases
                .replace("load = 0.2", "load = 1")
                .replace("drain = true", "drain = false"),
        ),
    ] {
        let text = text.replace(
            "load = 0.1",
            "load = 0.1\npacket_flits = 3\nmessage_flits = 8",
        );
        let plan = plan(&text);
        let experiment = plan.experiment(&plan.point(0).unwrap(), None).unwrap();
        let one = simulate(&experiment, true).measurement;
        assert!(one.packets > 1_000, "{name}");
        if name != "overload" {
            assert_eq!(one.undelivered, 0, "{name}");
            assert_eq!(one.transactions.completed * 3, one.packets, "{name}");
        }
        let (created, flits) = (one.packets + one.undelivered, 8.0 / 3.0);
        let terminals = experiment.routed.network.terminal_count();
        let load = created as f64 * flits / (terminals as f64 * one.window as f64);
        assert!(
            (one.injected_load / load - 1.0).abs() < 0.01,
            "{name}: {load}"
        );
        for class in &one.classes {
            assert_eq!(class.packets % 3, 0, "{name}");
        }
        let longest = one.latencies.quantile(1.0);
        assert!(
            name == "overload" || one.transactions.times.quantile(1.0) == longest,
            "{name}"
        );
        for threads in 2..=4 {
            let setup = Setup {
                threads,
                ..experiment.setup()
            };
            let other = Simulation::new(setup).run().unwrap();
            assert_eq!(
                other.measurement.transactions, one.transactions,
                "{name}, {threads}"
            );
        }
    }
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
        (
            "load = 0.1\npattern = 'uniform'\nmessage_flits = 0",
            "message_flits: expected 1 to 65535 flits, found 0",
        ),
        (
            "load = 0.1\npattern = 'uniform'\nmessage_flits = 9\npacket_flits = [{ flits = 1, share = 1 }]",
            "message_flits: messages are cut into packets of one length",
        ),
        (
            "load = 0.1\nmessage_flits = 9\nclasses = [{ name = 'a', share = 1, pattern = 'uniform', packet_flits = 3 }]",
            "packet_flits: the messages of all classes",
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
    let messages = |flits: u32| {
        let cut = format!("packet_flits = 4\nmessage_flits = {flits}");
        study("bubble", 64).replace(MIXED, &cut)
    };
    assert!(message(&messages(10)).contains("multiple of packet_flits"));
    for flits in [2, 4, 12] {
        assert!(try_plan(&messages(flits)).is_ok(), "{flits}");
    }
}

#[test]
fn a_matrix_is_read_again_when_its_file_changes() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("traffic.csv");
    let text = "[network]\nkind = 'torus'\nsizes = [2, 2]\n[routing]\nkind = 'dimension-order'\n\
         [traffic]\npattern = 'matrix'\nfile = 'traffic.csv'\nload = 0.3\n[simulation]\nmeasure_cycles = 10_000";
    let read = |pairs: &str| -> Plan {
        std::fs::write(&file, format!("source,destination,weight\n{pairs}")).unwrap();
        let workshop = Workshop::new(folder.path());
        try_plan_in(workshop, text).unwrap()
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
