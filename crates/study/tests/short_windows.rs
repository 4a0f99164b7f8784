//! Warm-ups and windows that are short against what packets take: nothing is claimed that they cannot tell.
#![allow(clippy::unwrap_used, reason = "tests and their helpers may")]

use crate::stack::{figure, plan, rows};
use turnwise_study::row::{Cell, Row};
use turnwise_study::warm_up::warnings;

const DRAGONFLY: &str = "[network]\nkind = 'dragonfly'\ngroups = 9\nrouters_per_group = 4\nterminals_per_router = 2\nglobal_ports_per_router = 2\n\
                         channel_latency = { local = 10, global = 300 }\n[routing]\nkind = 'minimal'\n[router]\nbuffer_flits = 512\n";

fn torus(latency: u32) -> String {
    format!(
        "[network]\nkind = 'torus'\nsizes = [4, 4]\nchannel_latency = {latency}\n[routing]\nkind = 'dimension-order'\n[router]\n\
         buffer_flits = 4096\n"
    )
}

/// The only row of a study, and what is said of it.
fn told(network: &str, load: f64, simulation: &str) -> (Row, Vec<String>) {
    let text = format!(
        "{network}[traffic]\npattern = 'uniform'\nload = {load}\n[simulation]\n{simulation}\n"
    );
    let row = rows(&text).remove(0);
    let said = warnings(&plan(&text), std::iter::once((0, &row)));
    (row, said)
}

/// A search once found 0.001 on a network that takes hundreds of times that, whose packets take longer than warm-up and window: its filling was taken for a backlog.
#[test]
fn what_fills_is_not_saturated() {
    for (network, load, simulation) in [
        (
            DRAGONFLY,
            0.05,
            "warmup_cycles = 100\nmeasure_cycles = 300\nfind_saturation = true",
        ),
        (&torus(3000), 0.01, "find_saturation = true"),
        (&torus(10_000), 0.01, ""),
    ] {
        let (row, said) = told(network, load, simulation);
        assert_eq!(
            *row.cell("saturated"),
            Cell::Nothing,
            "{network}{simulation}"
        );
        assert_eq!(row.figure("saturation_load"), None, "{network}{simulation}");
        assert_ne!(*row.cell("steady"), Cell::Flag(true), "{network}");
        assert!(
            said.iter().any(|words| words.contains("still fills")),
            "{said:?}"
        );
    }
    let enough = "warmup_cycles = 1000\nmeasure_cycles = 2000\nfind_saturation = true";
    let (row, said) = told(DRAGONFLY, 0.05, enough);
    assert_eq!(*row.cell("saturated"), Cell::Flag(false));
    let found = figure(&row, "saturation_load");
    assert!((0.25..0.8).contains(&found), "{found}");
    assert_eq!(said, Vec::<String>::new());
}

/// A run that ends before its packets could arrive once was one whose network could not keep up.
#[test]
fn no_time_to_drain_is_no_backlog() {
    for (latency, load, simulation) in [
        (1, 0.05, "measure_cycles = 5"),
        (100, 0.05, "measure_cycles = 100"),
        (500, 0.01, "warmup_cycles = 300\nmeasure_cycles = 300"),
    ] {
        let (row, _) = told(&torus(latency), load, simulation);
        assert_ne!(
            *row.cell("saturated"),
            Cell::Flag(true),
            "{latency} {simulation}"
        );
    }
    let (row, _) = told(&torus(1), 0.95, "warmup_cycles = 500\nmeasure_cycles = 500");
    assert_eq!(*row.cell("saturated"), Cell::Flag(true));
}

/// In windows of which few batches are left where the network has filled, what carries nothing once kept up, or took load 1.
#[test]
fn an_overload_is_told_in_windows_of_any_length() {
    let network = "[network]\nkind = 'torus'\nsizes = [8, 8]\nchannel_latency = 10\n[routing]\nkind = 'dimension-order'\n[router]\nbuffer_flits = 32\n";
    for window in [65, 90, 100, 128, 140, 200, 256, 260] {
        let text = format!(
            "{network}[traffic]\npattern = 'tornado'\nload = 0.95\n[simulation]\nwarmup_cycles = 0\nmeasure_cycles = {window}\nfind_saturation = true\n"
        );
        let row = rows(&text).remove(0);
        assert_ne!(*row.cell("saturated"), Cell::Flag(false), "{window}");
        let found = row.figure("saturation_load").unwrap_or(0.0);
        assert!(found < 0.5, "{window}: {found}");
    }
}

/// What terminals' own channels take counts, and what a slow channel takes for a flit does not.
#[test]
fn channels_of_terminals_and_slow_ones() {
    let far = torus(1).replace(
        "channel_latency = 1",
        "channel_latency = { terminal = 6000, dimensions = [1, 1] }",
    );
    let (row, said) = told(&far, 0.05, "find_saturation = true");
    assert_eq!(*row.cell("saturated"), Cell::Nothing);
    assert_eq!(row.figure("saturation_load"), None);
    assert!(!said.is_empty());
    let slow = torus(600).replace(
        "channel_latency = 600",
        "channel_latency = 600\nchannel_interval = 8",
    );
    let (row, said) = told(&slow, 0.02, "");
    assert_eq!(*row.cell("saturated"), Cell::Flag(false), "{said:?}");
}

/// Without drain the packets that take longest are missing, which is said, and not that the warm-up was too short.
#[test]
fn means_of_those_that_arrived_are_told_as_such() {
    let (row, said) = told(
        &torus(100),
        0.1,
        "warmup_cycles = 3000\nmeasure_cycles = 500\ndrain = false",
    );
    assert!(figure(&row, "undelivered_packets") > 100.0);
    assert_eq!(said.len(), 1, "{said:?}");
    assert!(said[0].contains("still under way"), "{said:?}");
    let (_, said) = told(
        &torus(100),
        0.1,
        "warmup_cycles = 3000\nmeasure_cycles = 500",
    );
    assert_eq!(said, Vec::<String>::new());
}

/// Nobody has anybody to send to.
#[test]
fn silence_does_not_saturate() {
    let text = "[network]\nkind = 'torus'\nsizes = [2, 2]\n[routing]\nkind = 'shortest-path'\n[traffic]\npattern = 'tornado'\nload = 0.5\n\
                [simulation]\nmeasure_cycles = 200\nfind_saturation = true\n";
    let row = rows(text).remove(0);
    assert_eq!(figure(&row, "injected_load"), 0.0);
    assert_eq!(row.figure("saturation_load"), None);
    let said = warnings(&plan(text), std::iter::once((0, &row)));
    assert!(
        said[0].starts_with("Nobody sends anything in 1 of 1 points"),
        "{said:?}"
    );
    // Where hardly anything is due, or nothing for good reasons, nothing is said.
    let ring = text
        .replace("sizes = [2, 2]", "sizes = [8]")
        .replace("find_saturation = true", "");
    let one_lane = ring.replace("'shortest-path'", "'min-hop'\nvirtual_lanes = 1");
    let with = |text: &str, traffic: &str, window: &str| {
        text.replace("load = 0.5", traffic).replace("200", window)
    };
    let rarely = "load = 0.001\ninjection = { kind = 'on-off', mean_burst = 50000 }";
    for other in [
        with(text, "load = 0.1", "200"),
        with(&ring, "load = 0.1\npacket_flits = 60000", "3000"),
        with(
            &ring,
            "load = 0.1\nthen = [{ at = 1000, load = 0.0 }]",
            "5000",
        ),
        with(&ring, rarely, "200000"),
        with(&one_lane, "load = 1.0", "5000"),
    ] {
        let row = rows(&other).remove(0);
        let said = warnings(&plan(&other), std::iter::once((0, &row))).join(" ");
        assert!(!said.contains("Nobody sends anything"), "{other}: {said}");
    }
}

/// Frames that take longer to cross an empty network than there was time to drain, and of which none arrived, were an overload.
#[test]
fn what_cannot_have_arrived_is_no_overload() {
    let text = "[study]\nclock = '0.8 ns'\nflit_size = '1 B'\n[network]\nkind = 'xgft'\nm = [4, 4, 4]\nw = [1, 4, 4]\n\
                channel_latency = '100 ns'\n[routing]\nkind = 'd-mod-k'\n[ethernet]\n[traffic]\npattern = 'bit-complement'\n\
                load = 0.05\npacket_flits = '9000 B'\n";
    let row = rows(text).remove(0);
    assert!(figure(&row, "undelivered_packets") > 0.0);
    assert_eq!(*row.cell("saturated"), Cell::Nothing);
    let said = warnings(&plan(text), std::iter::once((0, &row)));
    assert!(
        said[0].starts_with("Not a packet of the window arrived for 1 of 1"),
        "{said:?}"
    );
}

/// By Little's law the window holds 20 transactions of 4,000 cycles, and 24 are counted where all began together.
#[test]
fn transactions_as_long_as_a_window_are_told() {
    let said = |service: u32| {
        let text = format!(
            "[network]\nkind = 'mesh'\nsizes = [2]\n[routing]\nkind = 'dimension-order'\n[workload]\nkind = 'request-reply'\n\
             pattern = 'neighbor'\nwindow = 4\nservice_cycles = {service}\n"
        );
        let row = rows(&text).remove(0);
        warnings(&plan(&text), std::iter::once((0, &row))).join(" ")
    };
    assert_eq!(said(500), "");
    let words = said(4000);
    assert!(words.starts_with("A transaction takes 40"), "{words}");
    assert!(
        words.contains("simulation.measure_cycles = 50000"),
        "{words}"
    );
    // What ends has no warm-up, also where it is cut off.
    let cut = "[network]\nkind = 'mesh'\nsizes = [2]\n[routing]\nkind = 'dimension-order'\n[workload]\nkind = 'barrier'\n[simulation]\ncycles_limit = 5\n";
    let row = rows(cut).remove(0);
    assert_eq!(
        warnings(&plan(cut), std::iter::once((0, &row))),
        Vec::<String>::new()
    );
    assert!(
        said(14_000).starts_with("Not a transaction was completed"),
        "{}",
        said(14_000)
    );
}

/// Phases were once looked up among swept fields by whole numbers, and were those of the first point otherwise.
#[test]
fn every_point_is_judged_by_its_own_phases() {
    let head = format!(
        "[study]\nclock = '1 GHz'\nflit_size = '16 B'\n{DRAGONFLY}[traffic]\npattern = 'uniform'\nload = 0.05\n"
    );
    let told = |sweep: &str| {
        let text = format!("{head}[simulation]\nmeasure_cycles = 2000\n[sweep]\n{sweep}\n");
        let all = rows(&text);
        warnings(&plan(&text), all.iter().enumerate()).join(" ")
    };
    for sweep in [
        "'simulation.warmup_cycles' = [4000, 10]",
        "'simulation.warmup_cycles' = ['4 us', '10 ns']",
        "'simulation.warmup_cycles' = ['10 ns', '4 us']",
        "simulation = [{ warmup_cycles = 4000, measure_cycles = 2000 }, { warmup_cycles = '10 ns', measure_cycles = 2000 }]",
    ] {
        let said = told(sweep);
        assert!(
            said.contains("longer than the warm-up of 10 cycles"),
            "{sweep}: {said}"
        );
        assert!(
            said.contains("in the windows of 1 of 2 points"),
            "{sweep}: {said}"
        );
    }
}
