//! Two sets of results against each other: no false alarms, and what did change is found.

#![allow(clippy::unwrap_used, reason = "tests and their helpers may")]

use crate::stack::rows;
use serde_json::Value as Json;
use std::collections::BTreeSet;
use turnwise_study::comparison::{Comparison, Side};
use turnwise_study::row::Row;

/// Rows as `--format json` prints them. Repetitions of which each is to stand alone lose their numbers.
fn side(name: &str, rows: &[&Row]) -> Side {
    let line = |row: &&Row| Json::Object((*row).clone().into_object()).to_string();
    let lines: Vec<String> = rows.iter().map(line).collect();
    Side::of_lines(&lines.join("\n")).unwrap().called(name)
}

/// A torus at some loads, in so many repetitions, which differ in nothing but their seeds.
fn repeated(repeat: usize, loads: &str, more: &str) -> Vec<Row> {
    rows(&format!(
        "study = {{ seed = 7, repeat = {repeat} }}
         network = {{ kind = \"torus\", sizes = [4, 4] }}
         routing = {{ kind = \"valiant\" }}
         traffic = {{ pattern = \"uniform\" }}
         simulation = {{ warmup_cycles = 100, measure_cycles = 400 }}
         sweep = {{ \"traffic.load\" = {loads} }}
         {more}"
    ))
}

/// The rows of these repetitions, at every load.
fn of(rows: &[Row], all: usize, from: usize, count: usize) -> Vec<&Row> {
    let repetitions = rows.chunks(all);
    repetitions
        .flat_map(|rows| &rows[from..from + count])
        .collect()
}

/// How many of the comparisons of neighbours, `count` repetitions against `count`, find a change.
fn alarms(rows: &[Row], all: usize, count: usize) -> (usize, usize) {
    let comparisons = all / (2 * count);
    let found = (0..comparisons).filter(|number| {
        let side = |half: usize| {
            let from = (2 * number + half) * count;
            side("a", &of(rows, all, from, count))
        };
        let comparison = Comparison::new(&side(0), &side(1));
        assert!(comparison.tested > 0 && comparison.same == 0);
        comparison.has_changes()
    });
    (found.count(), comparisons)
}

/// Nearly idle and nearly saturated, in short windows; single runs by their own intervals, and by repetitions.
#[test]
fn other_seeds_are_no_change() {
    const ALL: usize = 1_000;
    let rows = repeated(ALL, "[0.05, 0.45]", "");
    let found = [1, 2, 3, 5, 10].map(|count| alarms(&rows, ALL, count));
    let sum = |pick: fn(&(usize, usize)) -> usize| found.iter().map(pick).sum::<usize>();
    let (alarms, comparisons) = (sum(|found| found.0), sum(|found| found.1));
    assert!(
        comparisons > 1_000 && alarms * 100 <= comparisons,
        "{found:?}"
    );
}

#[test]
fn what_changed_is_found_and_nothing_else() {
    let loads = "[0.05, 0.1, 0.2]";
    let window = "[simulation]\nmeasure_cycles = 4_000";
    let text = |latency: u32, repeat: usize| {
        format!(
            "study = {{ seed = {latency}, repeat = {repeat} }}
             network = {{ kind = \"torus\", sizes = [4, 4], channel_latency = {latency} }}
             routing = {{ kind = \"dimension-order\" }}
             traffic = {{ pattern = \"uniform\" }}
             sweep = {{ \"traffic.load\" = {loads} }}
             {window}"
        )
    };
    for repeat in [1, 4] {
        let [before, after] = [1, 2].map(|latency| rows(&text(latency, repeat)));
        let [before, after] = [&before, &after].map(|rows| rows.iter().collect::<Vec<_>>());
        let comparison = Comparison::new(&side("before", &before), &side("after", &after));
        let metrics: BTreeSet<&str> = comparison.changes.iter().map(|c| c.metric).collect();
        let latencies = comparison
            .changes
            .iter()
            .filter(|c| c.metric == "mean_packet_latency");
        assert_eq!(latencies.clone().count(), 3, "{comparison:#?}");
        for change in latencies {
            // A flit crosses 32 / 15 channels between routers, each in a cycle more.
            let grown = change.after - change.before;
            assert!(
                (grown - 32.0 / 15.0).abs() < change.half_width.max(0.1),
                "{change:?}"
            );
            assert!(change.half_width < 1.0, "{change:?}");
        }
        assert!(
            metrics.iter().all(|metric| metric.contains("latency")),
            "{metrics:?}"
        );
        assert_eq!((comparison.points, comparison.same), (3, 0));
    }
}

#[test]
fn points_are_matched_by_their_fields_and_the_rest_is_listed() {
    let before = repeated(1, "[0.1, 0.2]", "");
    let after = repeated(1, "[0.2, 0.3]", "");
    let [before, after] = [&before, &after].map(|rows| side("x", &rows.iter().collect::<Vec<_>>()));
    let comparison = Comparison::new(&before, &after);
    assert_eq!(
        (comparison.points, comparison.same, comparison.tested),
        (1, 1, 0)
    );
    assert!(comparison.unjudged.is_empty() && !comparison.has_changes());
    assert!(comparison.has_differences());
    let only = comparison
        .only
        .map(|points| points[0]["traffic.load"].as_f64());
    assert_eq!(only, [Some(0.1), Some(0.3)]);
}

/// The same simulation, of which another version makes another figure.
#[test]
fn the_same_packets_with_another_figure_are_a_difference_and_no_change() {
    let rows = repeated(1, "[0.1]", "");
    let side = |latency: f64| {
        let mut object = rows[0].clone().into_object();
        object.insert("latency_p99".into(), latency.into());
        Side::of_lines(&Json::Object(object).to_string()).unwrap()
    };
    let comparison = Comparison::new(&side(20.0), &side(21.0));
    assert_eq!((comparison.same, comparison.tested), (1, 0));
    let [difference] = &comparison.unjudged[..] else {
        panic!("{comparison:#?}");
    };
    let found = (difference.metric, &*difference.before, &*difference.after);
    assert_eq!(found, ("latency_p99", "20", "21"));
}

/// A workload without chance has no interval: what is another one is told, and a change once repetitions are the same simulation.
#[test]
fn without_chance_differences_are_changes_if_repetitions_say_so() {
    let text = |bytes: u32, repeat: usize| {
        format!(
            "study = {{ repeat = {repeat}, clock = \"1 GHz\", flit_size = \"16 B\" }}
             network = {{ kind = \"torus\", sizes = [4, 4] }}
             routing = {{ kind = \"dimension-order\" }}
             workload = {{ kind = \"collective\", collective = \"all-reduce\", algorithm = \"ring\", bytes = {bytes} }}"
        )
    };
    for (repeat, changed) in [(1, false), (3, true)] {
        let [few, many] = [1024, 2048].map(|bytes| rows(&text(bytes, repeat)));
        let [few, many] = [&few, &many].map(|rows| rows.iter().collect::<Vec<_>>());
        let same = Comparison::new(&side("a", &few), &side("b", &few));
        assert!(!same.has_differences(), "{same:#?}");
        let other = Comparison::new(&side("a", &few), &side("b", &many));
        let is_makespan = |metric: &str| metric == "makespan";
        assert_eq!(
            other.changes.iter().any(|c| is_makespan(c.metric)),
            changed,
            "{other:#?}"
        );
        assert_eq!(
            other.unjudged.iter().any(|d| is_makespan(d.metric)),
            !changed
        );
    }
}

/// Every packet takes as long, whatever the seed.
#[test]
fn means_that_chance_does_not_move_are_changes_however_many_there_are() {
    let text = |delay: u32| {
        format!(
            "study = {{ repeat = 3 }}
             network = {{ kind = \"torus\", sizes = [8] }}
             routing = {{ kind = \"dimension-order\" }}
             router = {{ routing_delay = {delay} }}
             traffic = {{ pattern = \"shift\", offset = 1, load = 0.05, injection = \"periodic\" }}
             simulation = {{ warmup_cycles = 100, measure_cycles = 4_000 }}"
        )
    };
    let [quick, slow] = [1, 2].map(|delay| rows(&text(delay)));
    let of = |rows: &[Row], times: usize| {
        let several = std::iter::repeat_n(rows, times).flatten();
        side("a", &several.collect::<Vec<_>>())
    };
    let latency = |comparison: &Comparison| {
        let mut changes = comparison.changes.iter();
        let change = changes.find(|change| change.metric == "mean_packet_latency");
        change.map(|change| (change.after - change.before, change.chance))
    };
    let other = Comparison::new(&of(&quick, 1), &of(&slow, 1));
    assert_eq!(latency(&other), Some((2.0, 0.0)), "{other:#?}");
    // Rows that have been printed several times are no more repetitions.
    let again = Comparison::new(&of(&quick, 3), &of(&slow, 2));
    assert_eq!(again, other);
    let single = [&quick[..1], &slow[..1]].map(|rows| of(rows, 3));
    let single = Comparison::new(&single[0], &single[1]);
    assert_eq!(latency(&single), None, "{single:#?}");
}
