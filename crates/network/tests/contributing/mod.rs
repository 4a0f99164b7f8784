//! The worked example of `CONTRIBUTING.md`: compiled inside the crate, as if it were registered.
//!
//! It is not shipped. What being registered would hold it to, it is held to here.

#![allow(missing_docs, unreachable_pub, reason = "what is shipped has users")]

// Where it is shipped, these are the example's neighbours.
use super::{Topology, check, latency};

#[allow(dead_code)]
#[path = "../common/mod.rs"]
mod common;
mod folded_hypercube;
#[allow(dead_code)]
#[path = "../forms/mod.rs"]
mod forms;

use common::examples::Example;
use common::parameters::Parameters;
use common::promises::{
    assert_announced, assert_documented, assert_dot, assert_graphml, assert_json, survivors,
};
use folded_hypercube::FOLDED_HYPERCUBE;
use forms::{Form, assert_form};
use turnwise_config::registry::health;

/// As in `EXAMPLES`.
const ROW: (&str, &[&str]) = (
    "folded-hypercube",
    &[
        "dimensions = 2",
        "dimensions = 3\nterminals_per_router = 2",
        "dimensions = 4\nchannel_latency = 3",
    ],
);

/// As in the test `registered`.
fn form(kind: &str, parameters: &Parameters) -> Form {
    let terminals = parameters.wide("terminals_per_router");
    match kind {
        "folded-hypercube" => {
            let d = parameters.wide("dimensions");
            // So many routers differ in h bits: a row of Pascal's triangle.
            let others = |h: u64| (0..h).fold(1, |so_far, i| so_far * (d - i) / (i + 1));
            let distances = (1..=d).map(|h| others(h) * h.min(d + 1 - h));
            Form {
                routers: 1 << d,
                terminals: terminals << d,
                channels: (d + 1) << d,
                diameter: d.div_ceil(2),
                total: distances.sum::<u64>() * terminals * terminals << d,
            }
        }
        other => panic!("`{other}` is not the example"),
    }
}

#[test]
fn the_entry_is_healthy_and_builds_what_it_announces() {
    assert_eq!(health(&[FOLDED_HYPERCUBE]), Vec::<String>::new());
    assert_announced(&FOLDED_HYPERCUBE);
    assert_documented(&FOLDED_HYPERCUBE);
}

#[test]
fn the_example_has_its_closed_form_and_goes_through_every_file_format() {
    let (kind, rows) = ROW;
    for fields in rows {
        let example = Example::of(&[FOLDED_HYPERCUBE], kind, fields);
        let parameters = Parameters(example.fields.parse().unwrap());
        assert_form(&example.network, &form(kind, &parameters));
        for network in survivors(&example.network) {
            assert_json(&network);
            assert_graphml(&network);
            assert_dot(&network);
        }
    }
}
