//! Zero-load latency through the whole stack: from a study's text to its row.
//!
//! So little traffic that no packet meets another: the mean latency is the formula of
//! `crates/sim/tests/zero_load.rs` applied to the means of what it depends on.
#![allow(clippy::unwrap_used, reason = "tests and their helpers may")]

use crate::stack::{figure, rows};

/// A network and its routing as written, and the latency of its channels by the mean
/// number of router-to-router channels a packet crosses.
struct Case {
    network: &'static str,
    routing: &'static str,
    pattern: &'static str,
    channels: fn(f64) -> f64,
}

const CASES: &[Case] = &[
    Case {
        network: "kind = 'mesh'\nsizes = [4, 5]\nterminals_per_router = 2",
        routing: "dimension-order",
        pattern: "uniform",
        channels: |hops| hops,
    },
    Case {
        network: "kind = 'torus'\nsizes = [8, 8]\nchannel_latency = 2",
        routing: "dimension-order",
        pattern: "uniform",
        channels: |hops| 2.0 * hops,
    },
    Case {
        network: "kind = 'dragonfly'\ngroups = 9\nrouters_per_group = 4\nterminals_per_router = 2\n\
                  global_ports_per_router = 2\nchannel_latency = '7 cycles'",
        routing: "minimal",
        pattern: "uniform",
        channels: |hops| 7.0 * hops,
    },
    Case {
        network: "kind = 'dragonfly'\ngroups = 9\nrouters_per_group = 4\nterminals_per_router = 2\n\
                  global_ports_per_router = 2\nchannel_latency = { local = 10, global = 100 }",
        routing: "minimal",
        // Every packet leaves its group, over one global channel.
        pattern: "bad-dragon",
        channels: |hops| 100.0 + 10.0 * (hops - 1.0),
    },
    Case {
        network: "kind = 'k-ary-n-tree'\narity = 4\nlevels = 3\nchannel_latency = 3",
        routing: "nca",
        pattern: "uniform",
        channels: |hops| 3.0 * hops,
    },
];

fn check(case: &Case, flits: u32, router: &str, pipeline: f64) {
    let Case {
        network,
        routing,
        pattern,
        channels,
    } = case;
    let load = f64::from(flits) * 2e-7;
    let text = format!(
        "[network]\n{network}\n[routing]\nkind = '{routing}'\n[router]\nvirtual_channels = 2\n{router}\n\
         [traffic]\npattern = '{pattern}'\nload = {load}\npacket_flits = {flits}\n\
         [simulation]\nwarmup_cycles = 0\nmeasure_cycles = 20_000_000\ncheck = true"
    );
    let rows = rows(&text);
    let [row] = &rows[..] else {
        panic!("one point")
    };
    assert!(figure(row, "packets") > 100.0, "{row:?}");
    let (routers, hops) = (figure(row, "mean_routers"), figure(row, "mean_hops"));
    assert!((routers - hops - 1.0).abs() < 1e-7);
    let expected = 3.0 + pipeline * routers + channels(hops) + f64::from(flits - 1);
    for column in ["mean_packet_latency", "mean_network_latency"] {
        let measured = figure(row, column);
        // Rows keep nine digits.
        assert!(
            (measured - expected).abs() < 1e-5,
            "{column} is {measured}, not {expected}, in\n{text}"
        );
    }
}

#[test]
fn packets_take_as_long_as_the_formula_says() {
    for case in CASES {
        for flits in [1, 4, 5] {
            check(case, flits, "preset = 'booksim-iq'", 4.0);
        }
    }
}

#[test]
fn look_ahead_and_a_speedup_of_two_halve_the_pipeline() {
    for case in CASES {
        for flits in [1, 4, 5] {
            check(
                case,
                flits,
                "routing_delay = 0\ninternal_speedup = 2.0",
                2.0,
            );
        }
    }
}

#[test]
fn every_stage_counts_in_every_router() {
    let router = "routing_delay = 2\nvc_allocation_delay = 3\nswitch_traversal_delay = 2";
    for case in CASES {
        check(case, 4, router, 8.0);
    }
}

#[test]
fn an_empty_output_queue_costs_nothing() {
    let router = "kind = 'input-output-queued'\noutput_buffer_flits = 2\n";
    for case in &CASES[..2] {
        check(case, 5, router, 4.0);
        let fast = format!("{router}internal_speedup = 3.0\ninput_speedup = 2\nhold_switch = true");
        check(case, 4, &fast, 2.0);
    }
}
