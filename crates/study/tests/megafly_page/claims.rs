//! Every claim of the paper, and what was measured: whether it holds is decided here, by the figures.

use super::carried::{Figure, PERMUTATION, Results, SHIFT, SYSTEMS};
use crate::pages::table;

/// By how much more than PAR the paper carries on each system.
const OF_PERMUTATION: [f64; 3] = [0.04, 0.054, 0.13];
const OF_SHIFT: [f64; 3] = [0.014, 0.11, 0.30];

/// The readings: what they are called here, and in the text.
pub(super) const READINGS: [(&str, &str); 3] = [
    ("kapr", "KAPR"),
    ("ku-gcn", "KU-GCN, product"),
    ("ku-gcn sum", "KU-GCN, sum"),
];

/// The claims about full load in the first wiring, against one PAR. `more` is what else the names of all say.
pub(super) fn of_full_load(results: &Results, par: &str, more: &str) -> String {
    let mut rows = Vec::new();
    let called = |routing: &str| format!("{routing}{more}");
    let par = &called(par);
    for (routing, title) in READINGS {
        let claim = format!("permutation: {title} above PAR by at least 4, 5.4 and 13 %");
        rows.push(row(
            claim,
            results,
            (PERMUTATION, &called(routing), par),
            OF_PERMUTATION,
        ));
    }
    for (routing, title) in &READINGS[1..] {
        let claim = format!("shift: {title} above PAR by 1.4, 11 and 30 %");
        rows.push(row(
            claim,
            results,
            (SHIFT, &called(routing), par),
            OF_SHIFT,
        ));
    }
    for (routing, title) in &READINGS[1..] {
        let claim = format!("shift: the gain of {title} grows as r/(g-1) shrinks");
        let own = &called(routing);
        let gains = SYSTEMS.map(|system| results.gain((system, "absolute"), SHIFT, [own, par]));
        let grows = |at: usize| match (gains[at - 1], gains[at]) {
            (Some(one), Some(next)) => match next.mean - one.mean > next.half.hypot(one.half) {
                true => "**yes**".to_owned(),
                false => "**no**".to_owned(),
            },
            _ => String::new(),
        };
        rows.push(vec![claim, String::new(), grows(1), grows(2)]);
    }
    let header = ["the paper", "mfly(12,9)", "mfly(10,11)", "mfly(8,17)"];
    table(&header, rows)
}

fn row(
    claim: String,
    results: &Results,
    (traffic, routing, par): (&str, &str, &str),
    paper: [f64; 3],
) -> Vec<String> {
    let cells = SYSTEMS.iter().zip(paper).map(|(&system, paper)| {
        let gain = results.gain((system, "absolute"), traffic, [routing, par]);
        gain.map_or(String::new(), |gain| judged(gain, paper))
    });
    std::iter::once(claim).chain(cells).collect()
}

/// Reproduced, or at least in the right order, beyond the interval.
fn judged(gain: Figure, paper: f64) -> String {
    let word = match gain.mean {
        share if share + gain.half >= paper && share > gain.half => "yes",
        share if share > gain.half => "order only",
        share if share > -gain.half => "even",
        _ => "no",
    };
    format!("**{word}**: {}", gain.percent())
}
