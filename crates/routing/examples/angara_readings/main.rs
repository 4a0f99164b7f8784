//! Prints `docs/results/angara-readings.csv`: what the paper's BFS may mean, and what follows.
//!
//! `cargo run --release -p turnwise-routing --example angara_readings > docs/results/angara-readings.csv`
//!
//! Algorithms 1 and 2 of Mukosey, Semenov, Tretiakov, arXiv:2110.00851, 2021, leave open in which sequence
//! vertices, edges and sources come. A reading is one choice on each of [`AXES`]. Readings whose
//! largest loads are the published ones on 8, 16 and 32 nodes are printed, those with equal loads
//! together: how many they are, largest and least loads of the four boxes of Table II, the largest loads of
//! all plane systems of Figure 5 added up, and the choices of the first of them. It takes some minutes.
#![allow(clippy::unwrap_used, reason = "tests and their helpers may")]

mod graph;
mod reading;
mod search;
#[path = "../../tests/angara/systems.rs"]
#[allow(dead_code, reason = "tests use more of it")]
mod systems;

use graph::Graph;
use reading::{AXES, Reading};
use std::collections::BTreeMap;
use std::io::Write;
use systems::{published_set, rules, torus};
use turnwise_routing::algorithms::AngaraBfs;
use turnwise_routing::angara::TurnRule;

/// Largest and least load of every box, and the largest loads of all plane systems added up.
type Outcome = (Vec<(u32, u32)>, u32);

fn main() -> std::io::Result<()> {
    let boxes = [&[4][..], &[4, 2], &[4, 2, 2], &[4, 2, 2, 2]].map(Graph::new);
    let plane: Vec<Graph> = published_set(2)
        .iter()
        .map(|sizes| Graph::new(sizes))
        .collect();
    let total = |reading: &Reading| {
        plane
            .iter()
            .map(|graph| graph.extremes(reading).0)
            .sum::<u32>()
    };
    let first = Reading::FIRST;
    let ours = published_set(2).into_iter().map(|sizes| {
        let rules = rules(&torus(&sizes), TurnRule::Theorem2);
        AngaraBfs::default()
            .table(&rules)
            .loads(rules.system())
            .index()
    });
    assert_eq!(
        total(&first),
        ours.sum::<u32>(),
        "the first reading is angara-bfs"
    );
    let mut outcomes: BTreeMap<Outcome, (u32, Reading)> = BTreeMap::new();
    let mut tried = 0;
    for reading in Reading::all().filter(Reading::is_new) {
        tried += 1;
        // From small to large: few get far.
        let published = [6, 18, 48].into_iter().zip(&boxes[1..]);
        let mut extremes = Vec::new();
        let fits = published.into_iter().all(|(most, graph)| {
            extremes.push(graph.extremes(&reading));
            extremes.last().is_some_and(|found| found.0 == most)
        });
        if fits {
            extremes.insert(0, boxes[0].extremes(&reading));
            let outcome = outcomes.entry((extremes, total(&reading)));
            outcome.or_insert((0, reading)).0 += 1;
        }
    }
    let mut out = std::io::stdout().lock();
    let axes: Vec<&str> = AXES.iter().map(|&(axis, _)| axis).collect();
    writeln!(
        out,
        "readings,4,4x2,4x2x2,4x2x2x2,plane systems,{}",
        axes.join(",")
    )?;
    for ((extremes, total), (count, reading)) in outcomes {
        let loads: Vec<String> = extremes
            .iter()
            .map(|(most, least)| format!("{most} ({least})"))
            .collect();
        let choices: Vec<String> = reading
            .words()
            .map(|words| format!("\"{words}\""))
            .collect();
        writeln!(
            out,
            "{count},{},{total},{}",
            loads.join(","),
            choices.join(",")
        )?;
    }
    writeln!(std::io::stderr(), "{tried} readings")
}
