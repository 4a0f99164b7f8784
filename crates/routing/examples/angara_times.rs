//! Prints `docs/results/angara-times.csv`: the time of Angara's generators on a ladder of systems.
//!
//! `cargo run --release -p turnwise-routing --example angara_times -- sssp balanced > docs/results/angara-times.csv`
//!
//! The least of three runs each, up to 4,096 nodes; alone on the machine, please.
#![allow(clippy::unwrap_used, reason = "tests and their helpers may")]

#[path = "../tests/angara/systems.rs"]
#[allow(dead_code, reason = "tests use more of it")]
mod systems;

use std::io::Write;
use std::time::Instant;
use systems::{rules, torus};
use turnwise_routing::algorithms::{
    AngaraBalanced, AngaraBfs, AngaraDor, AngaraGenetic, AngaraSssp,
};
use turnwise_routing::angara::{RouteTable, Rules, TurnRule};

/// A generator of tables, by the name it is asked for.
type Generator = (&'static str, fn(&Rules) -> RouteTable);

const GENERATORS: [Generator; 5] = [
    ("dor", |rules| AngaraDor::default().table(rules)),
    ("bfs", |rules| AngaraBfs::default().table(rules)),
    ("genetic", |rules| AngaraGenetic::default().table(rules, 1)),
    ("sssp", |rules| AngaraSssp::default().table(rules)),
    ("balanced", |rules| AngaraBalanced::default().table(rules)),
];

/// Three and four dimensions, long and round ones, up to 4,096 nodes.
const LADDER: [&[u32]; 22] = [
    &[5, 5, 5],
    &[8, 8, 4],
    &[8, 8, 8],
    &[12, 10, 5],
    &[10, 10, 10],
    &[25, 20, 2],
    &[125, 4, 2],
    &[250, 2, 2],
    &[12, 12, 12],
    &[14, 14, 14],
    &[16, 16, 16],
    &[4, 4, 4, 4],
    &[6, 5, 4, 3],
    &[6, 5, 5, 4],
    &[6, 10, 5, 2],
    &[15, 10, 2, 2],
    &[75, 2, 2, 2],
    &[6, 6, 6, 6],
    &[8, 8, 8, 4],
    &[8, 8, 8, 8],
    &[64, 16, 2, 2],
    &[16, 16, 8, 2],
];

fn main() -> std::io::Result<()> {
    let names: Vec<String> = std::env::args().skip(1).collect();
    let generators: Vec<&Generator> = GENERATORS
        .iter()
        .filter(|(name, _)| names.iter().any(|wanted| wanted == name))
        .collect();
    if names.is_empty() || generators.len() != names.len() {
        let known = GENERATORS.map(|(name, _)| name).join("|");
        return Err(std::io::Error::other(format!("usage: {known} ...")));
    }
    let mut out = std::io::stdout().lock();
    writeln!(out, "dimensions,sizes,nodes,algorithm,index,milliseconds")?;
    for sizes in LADDER {
        let rules = rules(&torus(sizes), TurnRule::Theorem2);
        for &&(name, generate) in &generators {
            let runs: Vec<(f64, RouteTable)> = (0..3).map(|_| timed(&rules, generate)).collect();
            let least = runs.iter().map(|run| run.0).fold(f64::INFINITY, f64::min);
            let table = &runs[0].1;
            assert_eq!(table.first_illegal(&rules), None, "a table is not legal");
            let index = table.loads(rules.system()).index();
            let (dimensions, nodes) = (sizes.len(), sizes.iter().product::<u32>());
            let words: Vec<String> = sizes.iter().map(u32::to_string).collect();
            let words = words.join("x");
            writeln!(
                out,
                "{dimensions},{words},{nodes},angara-{name},{index},{least:.3}"
            )?;
            out.flush()?;
        }
    }
    Ok(())
}

fn timed(rules: &Rules, generate: fn(&Rules) -> RouteTable) -> (f64, RouteTable) {
    let start = Instant::now();
    let table = generate(rules);
    (start.elapsed().as_secs_f64() * 1e3, table)
}
