//! The section on traffic that switches, from plausible and from degenerate values.

use super::tests::{EVIL, check, html, nothing_is_cut, plots};
use super::*;

/// A panel of curves with these names, and what they did at one load.
fn report(names: &[&str], latency: &[f64], shares: &[f64]) -> Report {
    let series = |name: &&str| Series {
        label: (*name).to_owned(),
        ..Series::default()
    };
    let response = |series| Response {
        series,
        latency: latency.to_vec(),
        nonminimal: shares.to_vec(),
        settling: if series == 0 { 130.0 } else { f64::NAN },
        settled_latency: if series == 0 { 80.0 } else { f64::NAN },
        saturated: series == 1,
    };
    let transient = Transient {
        panel: 0,
        title: format!("{}: load 0.2", names[0]),
        phases: EVIL.to_owned(),
        switches: vec![250.0, 300.0],
        window_start: 100.0,
        end: 100.0 * latency.len() as f64,
        interval: 100.0,
        responses: (0..names.len()).map(response).collect(),
    };
    Report {
        panels: vec![Panel {
            title: names[0].to_owned(),
            series: names.iter().map(series).collect(),
            ..Panel::default()
        }],
        transients: vec![transient],
        transients_note: EVIL.to_owned(),
        ..Report::default()
    }
}

#[test]
fn transients_of_any_values_are_drawn() {
    let long = "a routing with a very long name, virtual channels 8, buffer flits 64 ".repeat(3);
    let values: [&[f64]; 5] = [
        &[40.0, 41.0, 39.0, 80.0, 81.0],
        &[f64::NAN, 40.0, f64::NAN, f64::NAN, 30.0],
        &[0.0, 0.0],
        &[1e300, 1e-300, f64::INFINITY, -1.0],
        &[7.0],
    ];
    for latency in values {
        for names in [&[EVIL, "valiant", "ugal"][..], &[&long, &long], &["only"]] {
            let report = report(names, latency, latency);
            check(&report);
            nothing_is_cut(&report);
            assert!(html(&report).contains("<section id=\"transients\""));
            let files = plots(&report).into_iter().map(|(name, _)| name);
            let kinds = ["transient-latency", "transient-nonminimal"];
            let drawn: Vec<String> = files.collect();
            for kind in kinds {
                let of_kind = drawn.iter().filter(|name| name.starts_with(kind));
                assert_eq!(of_kind.count(), 1, "{drawn:?}");
            }
        }
    }
}

#[test]
fn what_does_not_switch_or_was_not_kept_leaves_no_section() {
    let has = |report: &Report| html(report).contains("<section id=\"transients\"");
    assert!(!has(&Report::default()));
    // A panel that is not there is no reason to panic.
    let mut elsewhere = report(&["a"], &[1.0, 2.0], &[0.0, 1.0]);
    elsewhere.transients[0].panel = 7;
    check(&elsewhere);
    assert!(!has(&elsewhere));
    // Without a share there is one figure.
    let report = report(&["a"], &[1.0, 2.0], &[]);
    check(&report);
    assert!(html(&report).contains("aria-label=\"Mean latency over"));
    assert!(!html(&report).contains("Share of non-minimal packets over"));
}

/// A curve that does not keep up leaves the frame at its upper edge, and the others keep theirs.
#[test]
fn a_saturated_curve_leaves_the_frame_and_is_not_drawn_beyond() {
    let mut report = report(&["ugal", "minimal"], &[40.0, 41.0, 80.0, 79.0], &[]);
    report.transients[0].responses[1].latency = vec![30.0, 31.0, 500.0, 2_000.0];
    let page = html(&report);
    let figure = page.split("aria-label=\"Mean latency over").nth(1).unwrap();
    let path = |style: &str| -> Vec<f64> {
        let start = format!("<path class=\"curve {style}\" d=\"");
        let path = figure
            .split(&start)
            .nth(1)
            .unwrap()
            .split('"')
            .next()
            .unwrap();
        let points = path.split(['M', 'L']).filter(|point| !point.is_empty());
        let height = |point: &str| point.split(' ').nth(1).unwrap().parse().unwrap();
        points.map(height).collect()
    };
    let (steady, leaving) = (path("s0"), path("s1"));
    assert_eq!(steady.len(), 4);
    // Two points inside, and the one at the edge.
    assert_eq!(leaving.len(), 3, "{leaving:?}");
    let edge = leaving[2];
    assert!(steady.iter().all(|&y| y > edge), "{steady:?} {leaving:?}");
    assert!(steady[2] < steady[0] && leaving[0] > steady[0]);
    assert!(page.contains("settled after 130 cycles"));
    assert!(page.contains("data-name=\"Settled after\">saturated</td>"));
}
