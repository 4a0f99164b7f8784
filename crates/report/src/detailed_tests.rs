//! The sections on single points, from plausible and from degenerate values.

use super::tests::{EVIL, check, combination, html, nothing_is_cut, plots};
use super::*;

fn detailed(bins: &[(u64, u64, u64)], loads: &[f64], title: &str) -> PointDetails {
    let moment = |load: &f64| Moment {
        injected_load: *load,
        accepted_load: *load,
        mean_latency: 100.0 * load,
    };
    let class = |load: &f64| ClassFigures {
        name: title.to_owned(),
        injected_load: *load,
        accepted_load: *load,
        ..ClassFigures::default()
    };
    let marks = bins.last().map_or(Vec::new(), |last| {
        let named = ["median", "99 %", "99.9 %"];
        named.map(|name| (name, last.1 as f64)).to_vec()
    });
    PointDetails {
        title: title.to_owned(),
        latencies: LatencyHistogram {
            bins: bins.to_vec(),
            marks,
        },
        course: Course {
            window_start: 300.0,
            switches: vec![350.0],
            end: 100.0 * loads.len() as f64,
            interval: 100.0,
            moments: loads.iter().map(moment).collect(),
        },
        terminals: loads.to_vec(),
        fairness: loads.first().copied().unwrap_or(f64::NAN),
        channels: loads.to_vec(),
        picture: combination(7, loads).picture.filter(|_| !loads.is_empty()),
        classes: loads.iter().take(2).map(class).collect(),
        timeline: Some(timeline(bins, loads, title)),
    }
}

fn timeline(bins: &[(u64, u64, u64)], loads: &[f64], title: &str) -> Timeline {
    let end = bins.last().map_or(0.0, |bin| bin.1 as f64) + 1.0;
    let row = |load: &f64| TimelineRow {
        label: title.to_owned(),
        columns: vec![[*load; 4]; 7],
        lives: (1, 7),
    };
    let stretch = |bin: &(u64, u64, u64)| PathStretch {
        from: bin.0 as f64,
        to: bin.1 as f64,
        row: 0,
        to_row: loads.len(),
    };
    Timeline {
        unit: "cycle",
        end,
        column: end / 7.0,
        units: Units::default(),
        rows: loads.iter().map(row).collect(),
        path: bins.iter().map(stretch).collect(),
        steps: u64::MAX,
        kinds: vec![(title.to_owned(), f64::NAN)],
        pairs: vec![(title.to_owned(), 1, end)],
        awaited: vec![(title.to_owned(), -end)],
    }
}

const DETAILS: [&str; 6] = [
    "latencies",
    "course",
    "timeline",
    "classes",
    "terminals",
    "channels",
];

#[test]
fn details_of_any_values_are_drawn() {
    let narrow = [(19, 19, 5), (20, 20, 7), (24, 25, 1)];
    let wide = [
        (0, 0, 1),
        (9, 9, 4),
        (10, 11, u64::MAX / 4),
        (90_000, 99_000, 2),
    ];
    let long = "a routing with a very long name, virtual channels 8, buffer flits 64, load 0.25 "
        .repeat(3);
    let loads: [&[f64]; 4] = [
        &[0.0, 0.0],
        &[0.3, 0.31, f64::NAN, 0.29, 0.3],
        &[f64::NAN, f64::INFINITY, -1.0],
        &[1e300, 1e-300],
    ];
    for bins in [&narrow[..], &wide, &[(0, 0, 0)], &[(u64::MAX, u64::MAX, 1)]] {
        for loads in loads {
            let titles = [EVIL, &long, &long];
            let report = Report {
                details: titles.map(|title| detailed(bins, loads, title)).to_vec(),
                details_note: EVIL.to_owned(),
                ..Report::default()
            };
            check(&report);
            nothing_is_cut(&report);
            let page = html(&report);
            for id in DETAILS {
                assert!(page.contains(&format!("<section id=\"{id}\"")), "{id}");
            }
            assert_eq!(page.matches("<p class=\"note\">&lt;b&gt;evil").count(), 1);
        }
    }
}

#[test]
fn details_that_are_not_there_leave_no_section() {
    let empty = PointDetails::default();
    let classes = PointDetails {
        classes: vec![ClassFigures::default(); 2],
        ..PointDetails::default()
    };
    let has = |page: &str, id: &str| page.contains(&format!("<section id=\"{id}\""));
    for (details, sections) in [(empty, &[][..]), (classes, &["classes"])] {
        let report = Report {
            details: vec![details],
            details_note: "Of each curve".to_owned(),
            ..Report::default()
        };
        check(&report);
        assert!(plots(&report).is_empty());
        let page = html(&report);
        for id in DETAILS {
            assert_eq!(has(&page, id), sections.contains(&id), "{id}");
        }
        assert_eq!(page.contains("Of each curve"), !sections.is_empty());
    }
}

/// A flat spread of latencies is drawn flat, however the bins are cut.
#[test]
fn a_histogram_does_not_show_its_bins() {
    let bins: Vec<(u64, u64, u64)> = [(20, 20), (21, 22), (23, 26), (27, 40)]
        .map(|(from, to)| (from, to, 5 * (to - from + 1)))
        .to_vec();
    let report = Report {
        details: vec![PointDetails {
            latencies: LatencyHistogram {
                bins,
                marks: Vec::new(),
            },
            ..PointDetails::default()
        }],
        ..Report::default()
    };
    let page = html(&report);
    let tall = page.split("<rect class=\"bar\"").skip(1).map(|bar| {
        let (_, rest) = bar.split_once(" height=\"").expect("a height");
        rest.split('"').next().expect("an end").to_owned()
    });
    let tall: std::collections::BTreeSet<String> = tall.collect();
    assert_eq!(tall.len(), 1, "{tall:?}");
}

#[test]
fn advice_is_not_a_failure() {
    let report = Report {
        advice: vec![EVIL.to_owned()],
        ..Report::default()
    };
    check(&report);
    let page = html(&report);
    assert!(page.contains("<section class=\"advice\"") && !page.contains("What failed"));
    assert!(!html(&Report::default()).contains("<section class=\"advice\""));
}

/// Jobs of any names, alone or not.
#[test]
fn jobs_of_any_values_are_told() {
    let job = |alone: f64, together: f64| JobFigures {
        name: EVIL.to_owned(),
        ranks: 8.0,
        start: 0.0,
        alone,
        together,
    };
    let figures = [(100.0, 125.0), (f64::NAN, 100.0), (0.0, 0.0), (1e300, -1.0)];
    let setting = Jobs {
        title: EVIL.to_owned(),
        units: Units {
            nanoseconds: Some(0.5),
            ..Units::default()
        },
        jobs: figures
            .map(|(alone, together)| job(alone, together))
            .to_vec(),
    };
    let untitled = Jobs {
        title: String::new(),
        ..setting.clone()
    };
    let report = Report {
        jobs: vec![setting, untitled],
        jobs_note: EVIL.to_owned(),
        ..Report::default()
    };
    check(&report);
    let page = html(&report);
    assert!(page.contains("<caption class=\"hidden\">Jobs, in cycles</caption>"));
    assert!(page.contains("<section id=\"jobs\""));
    assert!(page.contains("<td class=\"n\">25&nbsp;%</td>"));
    assert!(!html(&Report::default()).contains("<section id=\"jobs\""));
}
