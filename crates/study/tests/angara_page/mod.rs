//! `docs/angara.md`, the paper against Turnwise: its text and its figure.

mod readings;

use crate::angara_kinds::{algorithm, context};
use crate::pages::{Csv, Record, table};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::Arc;
use turnwise_network::FlowControl;
use turnwise_network::topologies::{Topology, Torus};
use turnwise_verify::analyse;

const PAGE: &str = include_str!("template.md");
const SYSTEMS: &str = include_str!("../../../../docs/results/angara-systems.csv");
const TIMES: &str = include_str!("../../../../docs/results/angara-times.csv");
const FAILURES: &str = include_str!("../../../../docs/results/angara-failures.csv");

/// The page and its figure.
pub(crate) fn page() -> (String, String) {
    let csv = Csv::read(SYSTEMS);
    let systems = read(&csv);
    let page = PAGE
        .replace("{{table 2}}", &table_2())
        .replace("{{totals}}", &totals(&systems))
        .replace("{{gaps}}", &gaps(&systems))
        .replace("{{readings}}", &readings::readings(&systems))
        .replace("{{times}}", &times())
        .replace("{{failures}}", &failures());
    (page, figure(&systems))
}

/// One row of the systems' CSV.
struct System<'a> {
    dimensions: usize,
    nodes: f64,
    algorithm: &'a str,
    index: f64,
    bound: f64,
    milliseconds: f64,
}

fn read(csv: &Csv) -> Vec<System<'_>> {
    let rows = csv.records().map(|record| System {
        dimensions: record.number("dimensions") as usize,
        nodes: record.number("nodes"),
        algorithm: record.text("algorithm"),
        index: record.number("index"),
        bound: record.number("lower_bound"),
        milliseconds: record.number("milliseconds"),
    });
    rows.collect()
}

/// Index, least load and deviation, as published and as found.
fn table_2() -> String {
    let kinds = [
        "angara-bfs",
        "angara-genetic",
        "angara-sssp",
        "angara-balanced",
    ];
    let published = [
        (&[2][..], ["1 (1, 0)", "1 (1, 0)", "1 (1, 0)"]),
        (&[4], ["2 (2, 0)", "2 (2, 0)", "2 (2, 0)"]),
        (&[4, 2], ["6 (2, 1.429)", "4 (4, 0)", "5 (3, 0.707)"]),
        (
            &[4, 2, 2],
            ["18 (3, 4.341)", "11 (5, 1.745)", "12 (3, 2.319)"],
        ),
        (
            &[4, 2, 2, 2],
            ["48 (3, 12.254)", "27 (8, 6.274)", "28 (8, 6.298)"],
        ),
    ];
    let rows = published.map(|(sizes, published)| {
        let torus = Torus {
            sizes: sizes.to_vec(),
            ..Torus::default()
        };
        let network = Arc::new(torus.build(None).unwrap());
        let found = kinds.map(|kind| {
            let routing = algorithm(kind).build(&network, &context()).unwrap();
            let analysis = analyse(&network, &*routing, FlowControl::Bubble);
            assert!(analysis.is_sound(), "{kind}");
            let quality = analysis.quality;
            let deviation = format!("{:.3}", quality.deviation);
            let deviation = deviation.trim_end_matches('0').trim_end_matches('.');
            format!(
                "{} ({}, {deviation})",
                quality.edge_forwarding_index, quality.min_load
            )
        });
        let bound = algorithm("angara-balanced").rule_bound(&network, &context());
        let bound = bound.unwrap().unwrap().ceil();
        let [bfs, genetic, sssp, balanced] = found;
        let [their_bfs, their_genetic, their_sssp] = published;
        let words: Vec<String> = sizes.iter().map(u32::to_string).collect();
        vec![
            words.join("x"),
            their_bfs.to_owned(),
            bfs,
            their_genetic.to_owned(),
            genetic,
            their_sssp.to_owned(),
            sssp,
            format!("**{balanced}**"),
            bound.to_string(),
        ]
    });
    let header = [
        "nodes",
        "BFS, paper",
        "BFS",
        "genetic, paper",
        "genetic",
        "SSSP, paper",
        "SSSP",
        "**balanced**",
        "bound",
    ];
    table(&header, rows)
}

fn totals(systems: &[System<'_>]) -> String {
    let mut sums: BTreeMap<(usize, &str), (f64, f64, f64)> = BTreeMap::new();
    for system in systems {
        let (index, bound, slowest) = sums
            .entry((system.dimensions, system.algorithm))
            .or_default();
        *index += system.index;
        *bound += system.bound;
        *slowest = slowest.max(system.milliseconds);
    }
    let header = [
        "dimensions",
        "direction order",
        "BFS",
        "SSSP",
        "balanced",
        "bound",
        "SSSP below BFS (paper)",
        "balanced below BFS",
        "slowest balanced table",
    ];
    let rows = [(2, 13), (3, 11), (4, 17)].map(|(dimensions, published)| {
        let of = |kind| sums[&(dimensions, kind)];
        let [order, bfs, sssp, balanced] =
            ["angara-dor", "angara-bfs", "angara-sssp", "angara-balanced"].map(of);
        let below = |total: f64| 100.0 * (1.0 - total / bfs.0);
        vec![
            dimensions.to_string(),
            order.0.to_string(),
            bfs.0.to_string(),
            sssp.0.to_string(),
            balanced.0.to_string(),
            balanced.1.to_string(),
            format!("{:.1} % ({published} %)", below(sssp.0)),
            format!("{:.1} %", below(balanced.0)),
            format!("{:.0} ms", balanced.2),
        ]
    });
    table(&header, rows)
}

fn gaps(systems: &[System<'_>]) -> String {
    let balanced: Vec<&System<'_>> = systems
        .iter()
        .filter(|system| system.algorithm == "angara-balanced")
        .collect();
    let gaps: Vec<f64> = balanced
        .iter()
        .map(|system| system.index / system.bound - 1.0)
        .collect();
    let optimal = gaps.iter().filter(|&&gap| gap == 0.0).count();
    let mean = 100.0 * gaps.iter().sum::<f64>() / gaps.len() as f64;
    let worst = 100.0 * gaps.iter().copied().fold(0.0, f64::max);
    format!(
        "`angara-balanced` is proved optimal on {optimal} of the {} systems ({:.1} %); its index is above the bound by \
         {mean:.3} % in the mean and {worst:.2} % at worst.",
        gaps.len(),
        100.0 * optimal as f64 / gaps.len() as f64
    )
}

/// Least time of three runs, SSSP and balanced side by side.
fn times() -> String {
    let csv = Csv::read(TIMES);
    let records: Vec<_> = csv.records().collect();
    let rows = records.chunks_exact(2).map(|pair| {
        let (sssp, balanced) = (pair[0], pair[1]);
        let time = |of: Record<'_>| format!("{:.0} ms", of.number("milliseconds").ceil());
        vec![
            sssp.text("sizes").to_owned(),
            sssp.text("nodes").to_owned(),
            time(sssp),
            time(balanced),
            sssp.text("index").to_owned(),
            balanced.text("index").to_owned(),
        ]
    });
    let header = [
        "system",
        "nodes",
        "SSSP",
        "balanced",
        "SSSP's index",
        "balanced index",
    ];
    table(&header, rows)
}

fn failures() -> String {
    let csv = Csv::read(FAILURES);
    let systems = csv.records().count();
    let columns = csv.header().iter();
    let columns = columns.filter(|name| name.ends_with(" unroutable"));
    let rows = columns.map(|name| {
        let missing = csv.records().map(|record| record.number(name));
        let routed = missing.clone().filter(|&pairs| pairs == 0.0).count();
        vec![
            format!("`{}`", name.trim_end_matches(" unroutable")),
            format!(
                "{routed} of {systems} ({:.1} %)",
                100.0 * routed as f64 / systems as f64
            ),
            missing.sum::<f64>().to_string(),
        ]
    });
    table(
        &["algorithm", "systems routed", "pairs without a route"],
        rows,
    )
}

/// Three panels, one a number of dimensions: index over bound by nodes, a dot a system.
fn figure(systems: &[System<'_>]) -> String {
    const WIDTH: f64 = 300.0;
    const HEIGHT: f64 = 220.0;
    const MOST: f64 = 2.6;
    let series = [
        ("angara-bfs", "BFS", "#c46a1b"),
        ("angara-sssp", "SSSP", "#2a6fbb"),
        ("angara-balanced", "balanced", "#1b8a5a"),
    ];
    let mut svg = String::from(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 1020 300\" font-family=\"sans-serif\" font-size=\"12\">\n\
         <rect width=\"1020\" height=\"300\" fill=\"#fff\"/>\n",
    );
    for (panel, dimensions) in (2..=4).enumerate() {
        let left = 50.0 + panel as f64 * 330.0;
        let x = |nodes: f64| left + WIDTH * nodes.ln() / 450f64.ln();
        let y = |ratio: f64| 250.0 - HEIGHT * (ratio.min(MOST) - 1.0) / (MOST - 1.0);
        for tick in 0..=8 {
            let ratio = 1.0 + 0.2 * f64::from(tick);
            let (at, end) = (y(ratio), left + WIDTH);
            writeln!(svg, "<path d=\"M{left} {at:.1}H{end}\" stroke=\"#ddd\"/>").unwrap();
            if panel == 0 {
                writeln!(
                    svg,
                    "<text x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{ratio:.1}</text>",
                    left - 6.0,
                    at + 4.0
                )
                .unwrap();
            }
        }
        for nodes in [4.0, 16.0, 64.0, 256.0] {
            writeln!(
                svg,
                "<text x=\"{:.1}\" y=\"268\" text-anchor=\"middle\">{nodes}</text>",
                x(nodes)
            )
            .unwrap();
        }
        writeln!(
            svg,
            "<text x=\"{:.1}\" y=\"20\" text-anchor=\"middle\">{dimensions} dimensions</text>",
            left + WIDTH / 2.0
        )
        .unwrap();
        for (kind, _, colour) in series {
            let dots = systems
                .iter()
                .filter(|s| s.dimensions == dimensions && s.algorithm == kind);
            for dot in dots {
                let (x, y) = (x(dot.nodes), y(dot.index / dot.bound));
                writeln!(svg, "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"1.8\" fill=\"{colour}\" fill-opacity=\".55\"/>").unwrap();
            }
        }
    }
    for (place, (_, name, colour)) in series.into_iter().enumerate() {
        let x = 60.0 + 110.0 * place as f64;
        writeln!(svg, "<circle cx=\"{x}\" cy=\"288\" r=\"4\" fill=\"{colour}\"/><text x=\"{}\" y=\"292\">{name}</text>", x + 10.0).unwrap();
    }
    svg.push_str("<text x=\"970\" y=\"292\" text-anchor=\"end\">edge-forwarding index over proved lower bound, by nodes</text>\n</svg>\n");
    svg
}
