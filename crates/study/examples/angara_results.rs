//! Prints `docs/results/angara-systems.csv`: the generators on all systems of the paper's Figure 5.
//!
//! `cargo run --release -p turnwise-study --example angara_results > docs/results/angara-systems.csv`
//!
//! The systems are all ordered tuples of sizes 2 to 8 in two to four dimensions with at most 447 nodes.
//! Every table is proved free of deadlock and complete before it is counted. `milliseconds` is
//! the time to make the table, and differs from run to run.
#![allow(clippy::unwrap_used, reason = "tests and their helpers may")]

#[path = "../tests/angara_kinds/mod.rs"]
mod angara_kinds;

use angara_kinds::{algorithm, context};
use std::io::Write;
use std::sync::Arc;
use std::time::Instant;
use turnwise_network::topologies::{Topology, Torus};
use turnwise_network::{FlowControl, Network};
use turnwise_verify::analyse;

const KINDS: [&str; 4] = ["angara-dor", "angara-bfs", "angara-sssp", "angara-balanced"];

fn main() -> std::io::Result<()> {
    let mut out = std::io::stdout().lock();
    let columns = "index,min_load,deviation,diameter,lower_bound,milliseconds";
    writeln!(out, "dimensions,sizes,nodes,algorithm,{columns}")?;
    for dimensions in 2..=4 {
        for sizes in systems(dimensions) {
            let torus = Torus {
                sizes: sizes.clone(),
                ..Torus::default()
            };
            let network = Arc::new(torus.build(None).unwrap());
            let words: Vec<String> = sizes.iter().map(u32::to_string).collect();
            let words = words.join("x");
            let bound = algorithm("angara-balanced").rule_bound(&network, &context());
            let bound = bound.unwrap().unwrap().ceil();
            for kind in KINDS {
                let row = row(&network, kind, bound);
                writeln!(
                    out,
                    "{dimensions},{words},{},{kind},{row}",
                    network.router_count()
                )?;
            }
        }
    }
    Ok(())
}

/// All ordered tuples of sizes with at most 447 nodes.
fn systems(dimensions: u32) -> impl Iterator<Item = Vec<u32>> {
    let all = (0..7u32.pow(dimensions)).map(move |index| {
        let size = |place: u32| 2 + index / 7u32.pow(place) % 7;
        (0..dimensions).rev().map(size).collect::<Vec<u32>>()
    });
    all.filter(|sizes| sizes.iter().product::<u32>() <= 447)
}

fn row(network: &Arc<Network>, kind: &str, bound: u64) -> String {
    let algorithm = algorithm(kind);
    let start = Instant::now();
    let routing = algorithm.build(network, &context()).unwrap();
    let milliseconds = start.elapsed().as_secs_f64() * 1e3;
    let analysis = analyse(network, &*routing, FlowControl::Bubble);
    assert!(analysis.is_sound(), "{kind} on {}", network.description());
    let quality = &analysis.quality;
    format!(
        "{},{},{:.3},{},{bound},{milliseconds:.2}",
        quality.edge_forwarding_index, quality.min_load, quality.deviation, quality.diameter
    )
}
