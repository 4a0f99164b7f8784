//! Prints `docs/results/rhinet2.csv`: results of the studies of RHiNET-2, a row for all repetitions of a point.
//!
//! ```sh
//! turnwise run studies/rhinet2/barrier.toml --format csv > barrier.csv # and the others, at both scales
//! cargo run --release -p turnwise-study --example rhinet2_results *.csv > docs/results/rhinet2.csv
//! ```
#![allow(clippy::unwrap_used, reason = "tests and their helpers may")]

#[path = "../tests/pages/mod.rs"]
mod pages;

use pages::{Csv, Record, mean};
use std::collections::BTreeMap;
use std::io::Write;

/// What a point measures: makespans of barriers, what is accepted otherwise.
fn value(row: Record<'_>) -> (&'static str, f64) {
    let has = |column: &str| row.find(column).is_some_and(|text| !text.is_empty());
    match (has("makespan"), has("mean_transaction_time")) {
        (true, _) => ("barrier", row.number("makespan")),
        (_, true) => ("messages", row.number("accepted_load")),
        _ => ("bandwidth", row.number("accepted_load")),
    }
}

/// Network, traffic, buffers, routing and how ties are broken.
fn place(row: Record<'_>) -> [String; 5] {
    let table = |text: &str| -> serde_json::Value { serde_json::from_str(text).unwrap() };
    let network = match row.find("network") {
        Some(text) if text.contains("topology-a") => "A".to_owned(),
        Some(text) if text.contains("topology-b") => "B".to_owned(),
        Some(_) => "mesh".to_owned(),
        None => row.text("network.seed").to_owned(),
    };
    let network = match row.find("placement.seed") {
        Some(seed) => format!("{network} placed {seed}"),
        None => network,
    };
    let traffic = row.find("workload").map_or_else(
        || {
            let columns = ["workload.algorithm", "workload.pattern", "traffic.pattern"];
            let found = columns.iter().find_map(|column| row.find(column));
            found.unwrap().to_owned()
        },
        |text| {
            let fields = table(text);
            let word = fields.get("algorithm").or(fields.get("pattern"));
            word.unwrap().as_str().unwrap().to_owned()
        },
    );
    let buffers = row.find("router.buffer_flits").unwrap_or_default();
    let routing = table(row.text("routing"));
    let word = |name: &str| routing[name].as_str().unwrap_or_default();
    let lanes = routing.get("layers").or(routing.get("virtual_channels"));
    let lanes = lanes.map(|lanes| lanes.to_string()).unwrap_or_default();
    let more = [lanes.as_str(), word("start"), word("root")];
    let more = more
        .into_iter()
        .filter(|word| !["", "top", "lowest-id"].contains(word));
    let name: Vec<&str> = std::iter::once(word("kind")).chain(more).collect();
    [
        network,
        traffic,
        buffers.to_owned(),
        name.join(" "),
        word("ties").to_owned(),
    ]
}

fn main() -> std::io::Result<()> {
    let mut points: BTreeMap<(&str, [String; 5]), Vec<[f64; 2]>> = BTreeMap::new();
    let texts: Vec<String> = std::env::args()
        .skip(1)
        .map(|file| std::fs::read_to_string(file).unwrap())
        .collect();
    for text in &texts {
        for row in Csv::read(text).records() {
            let (figure, value) = value(row);
            let runs = points.entry((figure, place(row))).or_default();
            runs.push([value, row.number("mean_hops")]);
        }
    }
    let mut out = std::io::stdout().lock();
    writeln!(
        out,
        "figure,network,traffic,buffers,routing,ties,runs,value,half,hops"
    )?;
    for ((figure, place), runs) in points {
        let column = |at: usize| mean(runs.iter().map(|run| run[at]));
        let (value, count) = (column(0), runs.len() as f64);
        let squares = runs.iter().map(|run| (run[0] - value).powi(2)).sum::<f64>();
        // Student's t for the ten repetitions that the studies have, or none.
        let half = match runs.len() {
            1 => 0.0,
            _ => 2.262 * (squares / (count - 1.0) / count).sqrt(),
        };
        let place = place.join(",");
        writeln!(
            out,
            "{figure},{place},{count},{value:.6},{half:.6},{:.4}",
            column(1)
        )?;
    }
    Ok(())
}
