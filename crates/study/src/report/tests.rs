//! The whole report, from plausible and from degenerate values.

use super::layout::{LayoutHint, arrange};
use super::*;

/// Checks that every tag is closed in order and every attribute quoted; gives the elements.
fn well_formed(xml: &str) -> Vec<String> {
    let (mut open, mut seen) = (Vec::new(), Vec::new());
    let mut rest = xml;
    while let Some(start) = rest.find('<') {
        assert!(
            !rest[..start].contains('>'),
            "stray '>' before {}",
            &rest[start..rest.len().min(start + 60)]
        );
        let end = start + rest[start..].find('>').expect("an unclosed tag");
        let tag = &rest[start + 1..end];
        assert!(!tag.contains('<'), "'<' inside a tag: {tag}");
        assert!(
            tag.matches('"').count().is_multiple_of(2),
            "an unclosed attribute: {tag}"
        );
        let name = tag
            .split_whitespace()
            .next()
            .unwrap_or("")
            .trim_matches('/')
            .to_owned();
        if tag.starts_with('/') {
            assert_eq!(
                open.pop().as_deref(),
                Some(name.as_str()),
                "closed out of order"
            );
        } else {
            seen.push(name.clone());
            if !tag.ends_with('/') {
                open.push(name);
            }
        }
        rest = &rest[end + 1..];
    }
    assert!(open.is_empty(), "never closed: {open:?}");
    for (i, _) in xml.match_indices('&') {
        assert!(
            xml[i..]
                .split(';')
                .next()
                .is_some_and(|entity| entity.len() <= 6),
            "a bare '&'"
        );
    }
    seen
}

fn check(report: &Report) {
    let page = html(report);
    assert_eq!(page, html(report), "the bytes are the same every time");
    assert!(!page.contains("<b>evil"), "text of the user is escaped");
    // The script and the style are ours and no markup; the head has void elements.
    let body = page
        .split("</head>")
        .nth(1)
        .expect("a body")
        .replace("</html>", "");
    let (before, after) = body.split_once("<script>").expect("a script");
    let after = after
        .split_once("</script>")
        .expect("an end of the script")
        .1;
    well_formed(&format!("{before}{after}"));
    let plots = plots(report);
    for (name, svg) in &plots {
        assert!(
            name.ends_with(".svg")
                && name
                    .chars()
                    .all(|c| c.is_ascii_alphanumeric() || ".-".contains(c)),
            "{name}"
        );
        let style = svg
            .find("<style>")
            .zip(svg.find("</style>"))
            .expect("a style");
        well_formed(&format!("{}{}", &svg[..style.0], &svg[style.1 + 8..]));
        assert!(!svg.contains("var("), "{name}");
    }
    let mut names: Vec<&String> = plots.iter().map(|p| &p.0).collect();
    names.sort();
    names.dedup();
    assert_eq!(names.len(), plots.len());
    for text in plots
        .iter()
        .map(|p| &p.1)
        .chain([&format!("{before}{after}")])
    {
        for bad in ["NaN", "=\"inf", "=\"-inf", " inf", "-inf"] {
            assert!(
                !text.contains(bad),
                "{bad}: {}",
                text.split(bad)
                    .next()
                    .map_or("", |t| &t[t.len().saturating_sub(80)..])
            );
        }
    }
}

const EVIL: &str = "<b>evil\"'&\u{0}\u{1b}</b><script>alert(1)</script>";

fn point(load: f64, latency: f64, saturated: bool) -> LoadPoint {
    LoadPoint {
        offered_load: load,
        accepted_load: load,
        accepted_half_width: 0.001,
        mean_latency: latency,
        latency_half_width: latency / 50.0,
        latency_p50: latency,
        latency_p99: 2.0 * latency,
        latency_p999: 3.0 * latency,
        mean_hops: 3.0,
        saturated,
        deadlocked: false,
    }
}

fn panel(points: Vec<LoadPoint>) -> Report {
    let series = Series {
        label: EVIL.to_owned(),
        points,
    };
    Report {
        panels: vec![
            Panel {
                title: EVIL.to_owned(),
                note: EVIL.to_owned(),
                series: vec![series]
            };
            2
        ],
        ..Report::default()
    }
}

#[test]
fn nothing_at_all_is_still_a_page() {
    check(&Report::default());
    assert!(plots(&Report::default()).is_empty());
    check(&Report {
        panels: vec![Panel::default()],
        combinations: vec![Combination::default()],
        ..Report::default()
    });
}

#[test]
fn curves_of_any_values_are_drawn() {
    let deadlocked = LoadPoint {
        offered_load: 0.2,
        deadlocked: true,
        ..LoadPoint::default()
    };
    for points in [
        vec![],
        vec![point(0.1, 20.0, false)],
        vec![LoadPoint::default()],
        vec![point(0.1, 2e4, true), point(0.2, 3e4, true)],
        vec![point(0.1, 20.0, false), deadlocked],
        vec![point(0.0, 0.0, false), point(0.0, 0.0, false)],
        vec![point(1e-300, 1e-300, false), point(1e300, f64::MAX, false)],
        vec![
            point(f64::INFINITY, f64::INFINITY, false),
            point(-1.0, -5.0, false),
        ],
        vec![
            point(0.3, 1e9, true),
            point(0.1, 20.0, false),
            point(0.2, f64::NAN, false),
        ],
        (0..200)
            .map(|i| {
                point(
                    f64::from(i) / 200.0,
                    20.0 / (1.0 - f64::from(i) / 200.0),
                    i > 190,
                )
            })
            .collect(),
    ] {
        check(&panel(points));
    }
}

#[test]
fn one_to_many_curves_keep_their_own_names() {
    for n in 1..=20 {
        let series = (0..n).map(|i| Series {
            label: format!("weighted-adaptive, propagation weight {i}"),
            points: (1..9)
                .map(|k| point(f64::from(k) / 10.0, f64::from(20 + i + k), k > 6))
                .collect(),
        });
        let report = Report {
            panels: vec![Panel {
                series: series.collect(),
                ..Panel::default()
            }],
            ..Report::default()
        };
        check(&report);
        let svg = &plots(&report)[0].1;
        assert_eq!(
            svg.matches("weighted-adaptive, propagation weight").count(),
            (n + n + n * 7) as usize
        );
    }
}

#[test]
fn a_saturated_curve_leaves_the_frame_with_an_open_marker() {
    let page = html(&panel(vec![
        point(0.1, 20.0, false),
        point(0.2, 30.0, false),
        point(0.3, 9e4, true),
    ]));
    assert!(page.contains("class=\"tail s0\"") && page.contains("class=\"open s0\""));
    assert!(
        page.contains("<td class=\"n\">0.200</td>"),
        "the last stable load is in the legend"
    );
}

fn combination(routers: usize, loads: &[f64]) -> Combination {
    let layout = arrange(&LayoutHint::Circle, routers);
    let place = |p: &(f64, f64)| PictureRouter {
        x: p.0,
        y: p.1,
        label: EVIL.to_owned(),
        group: Some(7),
    };
    let link = |(i, load): (usize, &f64)| PictureLink {
        a: i as u32,
        b: i as u32 + 1,
        forward: *load,
        backward: f64::NAN,
        class: EVIL.to_owned(),
    };
    Combination {
        network: EVIL.to_owned(),
        network_description: EVIL.to_owned(),
        routing: EVIL.to_owned(),
        facts: Facts::default(),
        verdict: Verdict::Cyclic {
            cycle: vec![EVIL.to_owned(); 12],
        },
        notes: vec![EVIL.to_owned()],
        quality: Some(Quality {
            edge_forwarding_index: loads.first().copied().unwrap_or(f64::NAN),
            lower_bound: loads.last().copied().unwrap_or(f64::NAN),
            lower_bound_source: EVIL.to_owned(),
            mean_load: loads.first().copied().unwrap_or(f64::NAN),
            min_load: f64::NAN,
            deviation: f64::INFINITY,
            path_lengths: loads.iter().map(|l| (*l as u32, *l as u64)).collect(),
            channel_loads: loads.to_vec(),
        }),
        picture: Some(Picture {
            load_name: EVIL.to_owned(),
            load_unit: EVIL.to_owned(),
            caption: EVIL.to_owned(),
            aspect: layout.aspect,
            bundled: routers.is_multiple_of(2),
            routers: layout.positions.iter().map(place).collect(),
            links: loads.iter().enumerate().map(link).collect(),
        }),
    }
}

#[test]
fn networks_of_any_size_and_load_are_drawn() {
    let ramp: Vec<f64> = (0..900).map(f64::from).collect();
    let cases: [(usize, &[f64]); 8] = [
        (0, &[]),
        (1, &[1.0]),
        (2, &[0.0]),
        (3, &[f64::NAN, f64::INFINITY, -4.0]),
        (4, &[1e300, 1e-300, 5.0]),
        (900, &ramp),
        (2_000, &[1.0, 2.0]),
        (3, &[5.0; 40]),
    ];
    for (routers, loads) in cases {
        let one = combination(routers, loads);
        let other = Combination {
            verdict: Verdict::Unreachable {
                pairs: u64::MAX,
                examples: vec![],
            },
            ..one.clone()
        };
        check(&Report {
            combinations: vec![one, other, Combination::default()],
            ..Report::default()
        });
    }
}

#[test]
fn everything_the_user_wrote_is_escaped() {
    let evil = || EVIL.to_owned();
    check(&Report {
        title: evil(),
        description: evil(),
        fingerprint: evil(),
        summary: vec![evil()],
        table: Table {
            columns: vec![evil(), evil()],
            rows: vec![vec![evil()], vec![]],
        },
        study_name: evil(),
        study_text: format!("{EVIL}\n[{EVIL}]\nx = \"{EVIL}\"\n# {EVIL}\ny = '''\n{EVIL}\n"),
        provenance: vec![(evil(), evil())],
        failures: vec![evil()],
        ..Report::default()
    });
}

#[test]
fn the_page_loads_nothing() {
    let mut report = panel(vec![point(0.1, 20.0, false)]);
    report.combinations.push(combination(5, &[1.0, 2.0]));
    let page = html(&report);
    for outside in ["http://", "https://", "@import", "src=", "url(", "<link"] {
        assert!(!page.contains(outside), "{outside}");
    }
}
