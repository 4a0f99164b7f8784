//! A study in ns, bytes and Gb/s is the same study in cycles and flits, point for point.
#![allow(clippy::unwrap_used, reason = "tests and their helpers may")]

use crate::stack::{plan, rows, try_plan};
use proptest::prelude::*;
use serde_json::json;
use turnwise_study::Plan;
use turnwise_study::row::{Row, number, to_json};

/// A study whose values are given; `units` are lines of `[study]`.
fn study(
    units: &str,
    [global, local, delay, buffer, packet, warmup, measure, load]: [&str; 8],
) -> String {
    format!(
        "[study]\nseed = 3\n{units}\n\
         [network]\nkind = 'dragonfly'\ngroups = 3\nrouters_per_group = 2\nterminals_per_router = 1\n\
         global_ports_per_router = 1\n\
         channel_latency = {{ local = {local}, global = {{ per_group = {global} }} }}\n\
         [routing]\nkind = 'minimal'\n\
         [router]\nrouting_delay = {delay}\nbuffer_flits = {buffer}\n\
         [traffic]\npattern = 'uniform'\nload = {load}\n\
         packet_flits = [{{ flits = 1, share = 0.5 }}, {{ flits = {packet}, share = 0.5 }}]\n\
         [simulation]\nwarmup_cycles = {warmup}\nmeasure_cycles = {measure}\n"
    )
}

const PLAIN: [&str; 8] = ["2.5", "5", "4", "40", "7", "100", "400", "0.4"];
const IN_UNITS: [&str; 8] = [
    "'2 ns'",
    "'4 ns'",
    "'3200 ps'",
    "'0.8 kB'",
    "'140 B'",
    "'80 ns'",
    "'0.32 us'",
    "'80 Gb/s'",
];
/// A cycle of 0.8 ns, channels of 200 Gb/s.
const UNITS: &str = "clock = '1.25 GHz'\nflit_size = '20 B'";

fn ids(plan: &Plan) -> Vec<String> {
    plan.points().map(|point| point.id.to_string()).collect()
}

#[test]
fn units_change_nothing_but_the_words() {
    let (plain, in_units) = (study("", PLAIN), study(UNITS, IN_UNITS));
    let sweep = |loads: &str, latencies: &str| {
        format!(
            "[sweep]\n'traffic.load' = {loads}\n'network.channel_latency.local' = {latencies}\n"
        )
    };
    for (counted, measured) in [
        (String::new(), String::new()),
        (
            sweep("[0.1, 0.4]", "[1, 10]"),
            sweep("['20 Gb/s', '10 GB/s']", "['0.8 ns', '8 ns']"),
        ),
        (
            sweep("{ from = 0.1, to = 0.3, step = 0.1 }", "[1]"),
            sweep(
                "{ from = '20 Gb/s', to = '60 Gb/s', step = '20 Gb/s' }",
                "['1 cycle']",
            ),
        ),
        (
            sweep("[0.2]", "{ from = 4, to = 1, step = -1 }"),
            sweep(
                "['5 GB/s']",
                "{ from = '3200 ps', to = '0.8 ns', step = '-0.8 ns' }",
            ),
        ),
    ] {
        let (plain, in_units) = (
            plan(&(plain.clone() + &counted)),
            plan(&(in_units.clone() + &measured)),
        );
        assert_eq!(ids(&plain), ids(&in_units), "{measured}");
        assert!(in_units.rounded().is_empty());
    }
}

/// Rows too: what is measured, fingerprint for fingerprint.
#[test]
fn runs_in_units_are_the_same_runs() {
    let measured = |text: &str| {
        let cells = |row: Row| {
            let mut object = row.into_object();
            // How long the run took.
            object.remove("seconds");
            object
        };
        rows(text).into_iter().map(cells).collect::<Vec<_>>()
    };
    let plain = measured(&study("", PLAIN));
    assert_eq!(plain, measured(&study(UNITS, IN_UNITS)));
    assert!(plain[0]["packets"].as_u64() > Some(100));
}

#[test]
fn points_show_what_was_written() {
    let sweep = "[sweep]\n'traffic.load' = ['20 Gb/s', '80Gbps']\n\
                 'network.channel_latency' = [{ local = '8 ns', global = '8 ns' }, '10 cycles']\n\
                 where = \"traffic.load <= '30 Gb/s' or '8 ns' == network.channel_latency.local\"";
    let plan = plan(&(study(UNITS, IN_UNITS) + sweep));
    let fields = |index: usize| {
        let point = plan.point(index).unwrap().point;
        let own = point.fields.iter().map(|(_, value)| to_json(value));
        own.collect::<Vec<_>>()
    };
    let shown: Vec<_> = (0..plan.len()).map(fields).collect();
    let expected = [
        [
            json!("20 Gb/s"),
            json!({ "local": "8 ns", "global": "8 ns" }),
        ],
        [json!("20 Gb/s"), json!("10 cycles")],
        [
            json!("80Gbps"),
            json!({ "local": "8 ns", "global": "8 ns" }),
        ],
    ];
    assert_eq!(shown, expected);
    assert_eq!(plan.load(2), Some(0.4));
}

#[test]
fn what_was_rounded_is_told_once() {
    let mut values = IN_UNITS;
    values[1] = "'4.1 ns'";
    values[4] = "'141 B'";
    // Fractions of cycles for each step of a distance are no mistake.
    values[0] = "'1.9 ns'";
    let sweep = "[sweep]\n'router.credit_delay' = ['1 ns', '2.4 ns']\n'traffic.load' = [0.1, 0.2]";
    let plan = plan(&(study(UNITS, values) + sweep));
    let told: Vec<String> = plan.rounded().iter().map(ToString::to_string).collect();
    let expected = [
        "network.channel_latency.local = \"4.1 ns\" is 5.125 cycles and became 6",
        "traffic.packet_flits[].flits = \"141 B\" is 7.05 flits and became 8",
        "router.credit_delay = \"1 ns\" is 1.25 cycles and became 2",
    ];
    assert_eq!(told, expected);
}

#[test]
fn columns_in_units_are_those_that_are_known() {
    let clock = plan(&study("clock = '1 GHz'", PLAIN)).columns();
    assert!(clock.iter().all(|column| column.name.ends_with("ns")) && clock.len() == 8);
    assert_eq!(plan(&study("", PLAIN)).columns(), []);
    assert_eq!(plan(&study("flit_size = '1 B'", PLAIN)).columns(), []);
    let both = plan(&study(UNITS, PLAIN));
    let row = &rows(&study(UNITS, PLAIN))[0];
    let mut object = row.clone().into_object();
    both.units.extend(&mut object);
    for column in both.columns() {
        let own = object[column.name].as_f64();
        let cell = serde_json::Value::from(column.cell(row));
        assert_eq!(own, cell.as_f64(), "{}", column.name);
    }
    assert_eq!(object["offered_gbps"], json!(80.0));
    let cycles = row.figure("latency_max").unwrap();
    assert_eq!(object["latency_max_ns"], number(cycles * 0.8));
}

proptest! {
    /// Whatever the clock and the flits: counts times their units are the counts.
    #[test]
    fn counts_in_units_are_counts(
        picoseconds in 1u64..5_000, bytes in 1u64..300, cycles in 1u64..2_000, flits in 1u64..20,
    ) {
        let counted = [
            "2".to_owned(), cycles.to_string(), (cycles % 90).to_string(), (40 + flits).to_string(),
            flits.to_string(), (cycles * 10).to_string(), (cycles * 20).to_string(), "0.25".to_owned(),
        ];
        let time = |cycles: u64| format!("'{} ps'", cycles * picoseconds);
        let size = |flits: u64| format!("'{} B'", flits * bytes);
        // 8 bits in each byte, and a quarter of that: bits per picosecond are Tb/s.
        let written = [
            time(2), time(cycles), time(cycles % 90), size(40 + flits), size(flits),
            time(cycles * 10), time(cycles * 20), "'0.25 flits/cycle'".to_owned(),
        ];
        let units = format!("clock = '{picoseconds} ps'\nflit_size = '{bytes} B'");
        let plain = plan(&study("", counted.each_ref().map(String::as_str)));
        let in_units = plan(&study(&units, written.each_ref().map(String::as_str)));
        prop_assert_eq!(ids(&plain), ids(&in_units));
        prop_assert!(in_units.rounded().is_empty());
    }

    /// No text makes a reader panic, wherever it stands.
    #[test]
    fn no_value_makes_a_reader_panic(
        text in "[-+]?[0-9.]{0,12} ?(n?s|[KMG]i?B|Gb/s|GHz|flits|[a-zA-Z/]{0,4})", field in 0usize..10,
    ) {
        let mut values = IN_UNITS;
        let quoted = format!("'{text}'");
        let (mut clock, mut size) = ("1 GHz", "32 B");
        match field {
            8 => clock = &text,
            9 => size = &text,
            field => values[field] = &quoted,
        }
        let study = study(&format!("clock = '{clock}'\nflit_size = '{size}'"), values);
        let sweep = format!("[sweep]\n'traffic.load' = {{ from = '{text}', to = '10 Gb/s', step = '{text}' }}");
        for text in [study.clone(), study + &sweep] {
            if let Err(errors) = try_plan(&text) {
                prop_assert!(!errors.is_empty());
            }
        }
    }
}
