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
        switches: vec![250.0, 300.0],
        window_start: 100.0,
        interval: 100.0,
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
        end: 100.0 * latency.len() as f64,
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

/// The places along the axis of a style's curve in the first figure.
fn places(page: &str, style: &str) -> Vec<f64> {
    let figure = page.split("aria-label=\"Mean latency over").nth(1).unwrap();
    let start = format!("<path class=\"curve {style}\" d=\"");
    let path = figure.split(&start).nth(1).unwrap();
    let path = path.split('"').next().unwrap();
    let points = path.split(['M', 'L']).filter(|point| !point.is_empty());
    let place = |point: &str| point.split(' ').next().unwrap().parse().unwrap();
    points.map(place).collect()
}

/// Runs may differ in how long their intervals and windows are: each curve is on its own clock, and the axis has room for all.
#[test]
fn every_curve_has_its_own_clock() {
    let mut report = report(&["short", "long"], &[40.0; 8], &[]);
    let transient = &mut report.transients[0];
    transient.end = 3_200.0;
    let long = &mut transient.responses[1];
    (long.interval, long.window_start) = (400.0, 500.0);
    (long.saturated, long.settling) = (false, 800.0);
    long.switches = vec![1_500.0];
    check(&report);
    nothing_is_cut(&report);
    let page = html(&report);
    assert!(page.contains("aria-label=\"Mean latency over 3,200 cycles"));
    let (short, long) = (places(&page, "s0"), places(&page, "s1"));
    // The first point of either is in the middle of its first interval, and the last one of its last.
    let (scale, cycles) = ((long[7] - long[0]) / (7.0 * 400.0), short[7] - short[0]);
    assert!((cycles - 700.0 * scale).abs() < 0.3, "{short:?} {long:?}");
    assert!((long[0] - short[0] - 150.0 * scale).abs() < 0.2);
    let figure = page.split("aria-label=\"Mean latency over").nth(1).unwrap();
    let figure = figure.split("</svg>").next().unwrap();
    let zero = short[0] - 50.0 * scale;
    let cycle = |x: f64| ((x - zero) / scale / 50.0).round() * 50.0;
    let at = |class: &str| -> Vec<f64> {
        let end = format!("class=\"{class}\"/>");
        let lines = figure.split("<line x1=\"").skip(1);
        let lines = lines.filter(|line| {
            line.split('>')
                .next()
                .is_some_and(|line| format!("{line}>").ends_with(&end))
        });
        lines
            .map(|line| cycle(line.split('"').next().unwrap().parse().unwrap()))
            .collect()
    };
    // Each curve's switches are in its colour; those of all would be in none.
    assert_eq!(at("rule s0"), [250.0, 300.0]);
    assert_eq!(at("rule s1"), [1_500.0]);
    assert!(at("rule").is_empty());
    assert_eq!(figure.matches("class=\"shade\"").count(), 2);
    // 800 cycles behind a switch at 1,500 is the sixth interval of 400.
    let marker = crate::palette::marker(1, long[5], 0.0);
    let x = marker[1..].split(' ').next().unwrap().to_owned();
    let mark = figure.split("class=\"mark s1 f1\" d=\"M").nth(1).unwrap();
    assert!(mark.starts_with(&x), "{mark:.30} instead of {x}");
}

#[test]
fn a_switch_of_all_curves_is_one_plain_line() {
    let page = html(&report(&["a", "b"], &[40.0; 8], &[]));
    assert_eq!(page.matches("class=\"rule\"").count(), 2);
    assert!(!page.contains("rule s"));
}
