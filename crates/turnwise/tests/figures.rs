//! The figures of the documents that reports have drawn are those that reports draw.
//!
//! `TURNWISE_WRITE=1 cargo test -p turnwise --test figures` writes them anew; the one of four networks takes minutes.

#![allow(clippy::unwrap_used, reason = "tests and their helpers may")]

#[allow(dead_code)]
mod common;

use common::turnwise;
use std::fs;
use std::path::{Path, PathBuf};

const HINT: &str = "is stale: TURNWISE_WRITE=1 cargo test -p turnwise --test figures";

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// A figure of a study in `studies/`, with these overrides, without the revision that drew it.
fn drawn(study: &str, overrides: &[&str], plot: &str) -> String {
    let folder = tempfile::tempdir().unwrap();
    let study = root().join("studies").join(study);
    let mut arguments = vec!["run", study.to_str().unwrap(), "--output", "out"];
    arguments.extend(overrides.iter().flat_map(|each| ["--set", each]));
    turnwise(folder.path(), &arguments).fine();
    let svg = fs::read_to_string(folder.path().join("out/plots").join(plot)).unwrap();
    let (before, origin) = svg.split_once("<desc>").unwrap();
    let (origin, behind) = origin.split_once("</desc>\n").unwrap();
    assert!(
        ["turnwise ", "study digest ", "seed "]
            .iter()
            .all(|name| origin.contains(name))
    );
    format!("{before}{behind}")
}

fn is_writing() -> bool {
    std::env::var_os("TURNWISE_WRITE").is_some()
}

fn committed(figure: &str) -> PathBuf {
    root().join("docs/img").join(figure)
}

#[test]
fn the_time_line_is_not_stale() {
    let file = committed("lu-timeline.svg");
    let now = drawn("applications/timelines.toml", &[], "timeline-lu.svg");
    if is_writing() {
        fs::write(&file, &now).unwrap();
    }
    assert!(
        fs::read_to_string(&file).unwrap() == now,
        "{} {HINT}",
        file.display()
    );
}

/// What a figure has whatever its values are: its style, and words that are not numbers.
fn looks(svg: &str) -> (String, Vec<String>) {
    let (head, body) = svg.split_once("</style>").unwrap();
    let style = head.split_once("<style>").unwrap().1.to_owned();
    let texts = body.split("<text").skip(1).map(|part| {
        let words = part.split_once('>').unwrap().1;
        words.split("</text>").next().unwrap().to_owned()
    });
    // Nor what is said of arrows, on one line or two, where there are some.
    let of_arrows = ["Arrows", "at one place"];
    let is_word = |text: &String| {
        text.parse::<f64>().is_err() && !of_arrows.iter().any(|words| text.contains(words))
    };
    (style, texts.filter(is_word).collect())
}

/// To simulate it all takes minutes, so a moment of it is drawn, which looks alike but for its values. (How points are
/// drawn is held by the tests of the report.)
#[test]
fn the_curves_of_four_networks_are_not_stale() {
    let file = committed("four-networks.svg");
    let (study, plot) = ("four-networks.toml", "load-latency-uniform.svg");
    if is_writing() {
        fs::write(&file, drawn(study, &[], plot)).unwrap();
    }
    let moment = [
        "simulation.warmup_cycles=50",
        "simulation.measure_cycles=200",
        "simulation.cycles_limit=400",
    ];
    let now = drawn(study, &moment, plot);
    let is = fs::read_to_string(&file).unwrap();
    assert!(looks(&is) == looks(&now), "{} {HINT}", file.display());
}
