//! What the report says of a study agrees with the study's rows.

#![allow(clippy::unwrap_used, reason = "tests and their helpers may")]

#[allow(dead_code)]
mod common;

use common::{rows, turnwise};
use serde_json::Value;
use std::fs;

const STUDY: &str = r#"
[network]
kind = "torus"
sizes = [4, 4]
[router]
virtual_channels = 8
[traffic]
pattern = "uniform"
load = 0.2
[simulation]
warmup_cycles = 100
measure_cycles = 400
"#;

/// Runs a study that has these lines beside the ones above; its rows, and its page.
fn reported(more: &str) -> (Vec<Value>, String) {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("study.toml"), format!("{STUDY}{more}")).unwrap();
    let arguments = ["run", "study.toml", "--format", "json", "--report"];
    let rows = rows(&turnwise(folder.path(), &arguments).fine());
    let page = folder.path().join("turnwise-out/study/report.html");
    (rows, fs::read_to_string(page).unwrap())
}

/// Along an axis of networks each has its own saturation load, and there is none of the curve.
#[test]
fn no_curve_has_the_mean_of_saturation_loads_along_its_axis() {
    let sweep = |axis: &str, loads: &str| {
        reported(&format!(
            "find_saturation = true\n[routing]\nkind = 'dimension-order'\n[sweep]\n\
             'network.sizes' = [[4, 4], [8, 8]]\n{loads}[report]\nx = '{axis}'\n"
        ))
    };
    let saturation = "title=\"highest load that is still accepted, searched for";
    let (rows, page) = sweep("network.sizes", "");
    let loads = rows
        .iter()
        .map(|row| row["saturation_load"].as_f64().unwrap());
    let loads: Vec<f64> = loads.collect();
    assert!(loads[0] > 1.2 * loads[1], "{loads:?}");
    let mean = (loads[0] + loads[1]) / 2.0;
    assert!(!page.contains(saturation) && !page.contains(&format!("{mean:.3}<")));
    assert!(page.contains("saturation load from the first to the last sizes: dimension-order "));
    // Along the load it is the curve's own.
    let (_, page) = sweep("traffic.load", "'traffic.load' = [0.1, 0.2]\n");
    assert!(page.contains(saturation));
}

/// Names that would be cut are written at an angle, each whole; and the curve is not called by the first of them.
#[test]
fn what_is_compared_along_an_axis_keeps_its_names() {
    let names = [
        "dimension-order",
        "shortest-path",
        "up-down",
        "dfsssp",
        "valiant",
        "romm",
        "lash",
        "nue",
    ];
    let (_, page) = reported(&format!(
        "[routing]\nkind = 'dimension-order'\n[sweep]\n'routing.kind' = {names:?}\n[report]\nx = 'routing.kind'\n"
    ));
    for name in names {
        assert!(page.contains(&format!(">{name}</text>")), "{name}");
    }
    assert!(page.contains(" transform=\"rotate(-"));
    assert!(!page.contains("dimension-order 0."), "{page}");
}
