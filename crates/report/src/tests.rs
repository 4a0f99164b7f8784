//! The whole report, from plausible and from degenerate values.

use super::layout::{LayoutHint, arrange};
use super::*;

/// The whole page.
pub(super) fn html(report: &Report) -> String {
    let mut page = Vec::new();
    write_html(report, &mut page).unwrap();
    String::from_utf8(page).unwrap()
}

/// All figures, as name and document.
pub(super) fn plots(report: &Report) -> Vec<(String, String)> {
    let mut all = Vec::new();
    let mut take = |name: &str, svg: &str| {
        all.push((name.to_owned(), svg.to_owned()));
        Ok::<(), ()>(())
    };
    super::plots(report, &mut take).unwrap();
    all
}

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

pub(super) fn check(report: &Report) {
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

pub(super) const EVIL: &str = "<b>evil\"'&\u{0}\u{1b}</b><script>alert(1)</script>";

fn point(load: f64, latency: f64, saturated: bool) -> LoadPoint {
    LoadPoint {
        x: load,
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
        ..LoadPoint::default()
    }
}

fn panel(points: Vec<LoadPoint>) -> Report {
    let series = Series {
        label: EVIL.to_owned(),
        points,
        saturation_load: Some(0.2),
    };
    Report {
        panels: vec![
            Panel {
                title: EVIL.to_owned(),
                note: EVIL.to_owned(),
                series: vec![series],
                ..Panel::default()
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
        x: 0.2,
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
            saturation_load: None,
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
        page.contains(">0.200</td>"),
        "the last stable load is in the legend"
    );
}

/// Along an axis that is not the load nothing grows without a limit: what is measured is drawn where it belongs.
#[test]
fn latencies_that_differ_much_are_all_in_the_frame() {
    let mut report = panel(
        [1.0, 64.0, 4096.0]
            .map(|x| point(x, 10.0 * x, false))
            .into(),
    );
    for panel in &mut report.panels {
        panel.across = Across::Numbers {
            name: "bytes".to_owned(),
            logarithmic: true,
        };
        panel.series[0].saturation_load = None;
    }
    let files = plots(&report);
    let latency = files
        .iter()
        .find(|(name, _)| name.starts_with("load-latency"));
    let heights = latency.unwrap().1.split("data-y=\"").skip(1).take(3);
    let heights = heights.map(|rest| rest.split('"').next().unwrap().parse::<f64>().unwrap());
    let heights: Vec<f64> = heights.collect();
    assert!(heights[1] > heights[2] + 100.0, "{heights:?}");
}

pub(super) fn combination(routers: usize, loads: &[f64]) -> Combination {
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
        classes: [EVIL, EVIL].map(str::to_owned),
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
            weighs_speeds: loads.len().is_multiple_of(2),
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
            moments: None,
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
            left_out: 0,
            swept: 1,
            columns: vec![
                TableColumn {
                    name: evil(),
                    unit: evil(),
                    meaning: evil(),
                },
                TableColumn::default(),
            ],
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
    // A part of the page itself is not outside.
    let page = html(&report).replace("url(#", "");
    for outside in ["http://", "https://", "@import", "src=", "url(", "<link"] {
        assert!(!page.contains(outside), "{outside}");
    }
}

/// A text element: left end, right end and base line, where it is lowest, at a font size, and the text.
fn extent(element: &str, classes: &str, size: f64) -> (f64, f64, f64, String) {
    let attribute = |name: &str| -> f64 {
        let (_, rest) = element.split_once(&format!(" {name}=\"")).expect("a place");
        rest.split('"')
            .next()
            .and_then(|value| value.parse().ok())
            .expect("a number")
    };
    let mut text = String::new();
    let mut inside = true;
    for c in element.split_once('>').expect("a content").1.chars() {
        match c {
            '<' => inside = false,
            '>' => inside = true,
            c if inside => text.push(c),
            _ => {}
        }
    }
    let text = text
        .replace("&lt;", "<")
        .replace("&gt;", ">")
        .replace("&amp;", "&")
        .replace("&quot;", "'")
        .replace("&#39;", "'");
    let (x, wide) = (attribute("x"), text::width(&text, size));
    if element.contains(" transform=\"rotate(-") {
        assert!(classes.contains("end"), "{element}");
        let (sine, cosine) = svg::RISE.to_radians().sin_cos();
        return (x - wide * cosine, x, attribute("y") + wide * sine, text);
    }
    let left = match classes {
        classes if classes.contains("end") => x - wide,
        classes if classes.contains("mid") => x - wide / 2.0,
        _ => x,
    };
    (left, left + wide, attribute("y"), text)
}

/// Every text of every plot lies inside the plot, on paper and, larger, on narrow screens.
pub(super) fn nothing_is_cut(report: &Report) {
    for (name, svg) in plots(report) {
        let view = svg.split_once("viewBox=\"0 0 ").expect("a view box").1;
        let mut size = view
            .split(['"', ' '])
            .filter_map(|number| number.parse::<f64>().ok());
        let (wide, tall) = (
            size.next().expect("a width"),
            size.next().expect("a height"),
        );
        let narrow = match &svg {
            svg if svg.contains("fig chart") => (14.0, 14.0),
            svg if svg.contains("fig small-chart") => (15.0, 13.0),
            _ => (17.0, 15.0),
        };
        for part in svg.split("<text").skip(1) {
            let element = part.split("</text>").next().expect("an end");
            let classes = element
                .split_once(" class=\"")
                .map_or("", |(_, rest)| rest.split('"').next().unwrap_or(""));
            let sizes = match classes {
                classes if classes.contains("title") => [13.0, 13.0],
                classes if classes.contains("small") => [11.0, narrow.1],
                _ => [12.0, narrow.0],
            };
            // Captions and the legends below stand-alone charts are not part of the page.
            let on_page =
                !(classes.contains("title") || classes == "small muted" || classes.is_empty());
            for size in if on_page { &sizes[..] } else { &sizes[..1] } {
                let (left, right, base, text) = extent(element, classes, *size);
                // Widths are guessed, on the generous side.
                let slack = 0.04 * wide;
                let inside =
                    left >= -slack && right <= wide + slack && base >= 0.7 * size && base <= tall;
                assert!(
                    inside,
                    "{name}: \"{text}\" at {size} from {left} to {right}, base {base}, of {wide} x {tall}"
                );
            }
        }
    }
}

#[test]
fn labels_stay_inside_whatever_their_length() {
    let long = "a routing with a very long name, virtual channels 8, buffer flits 64, allocator separable-input-first, 0.25";
    let curves = |loads: &[f64], count: usize| -> Vec<Series> {
        let series = |i: usize| Series {
            label: format!("{long} {i}"),
            points: loads
                .iter()
                .map(|load| point(*load, 1e5 + *load, *load > 0.5))
                .collect(),
            saturation_load: Some(0.45),
        };
        (0..count).map(series).collect()
    };
    let names = (0..12).map(|i| format!("{long} {i}")).collect();
    let places = [0.0, 1.0, 11.0];
    let panels = vec![
        Panel {
            title: long.to_owned(),
            series: curves(&[0.0, 0.005, 0.01], 32),
            ..Panel::default()
        },
        Panel {
            title: long.to_owned(),
            series: curves(&[0.3], 9),
            ..Panel::default()
        },
        Panel {
            across: Across::Names {
                name: "pattern".to_owned(),
                values: names,
            },
            series: curves(&places, 3),
            ..Panel::default()
        },
        Panel {
            across: Across::Numbers {
                name: "routers".to_owned(),
                logarithmic: true,
            },
            series: curves(&[1.0, 30.0, 2e6], 3),
            ..Panel::default()
        },
    ];
    let loads: Vec<f64> = (0..60).map(|load| f64::from(load) * 1e4).collect();
    let mut combinations = vec![combination(61, &loads), combination(62, &loads)];
    for c in &mut combinations {
        c.network = long.to_owned();
        c.routing = long.to_owned();
        let routers = c
            .picture
            .iter_mut()
            .flat_map(|picture| &mut picture.routers)
            .enumerate();
        routers.for_each(|(i, router)| router.group = Some(i as u32 / 2));
    }
    // With second scales too, whatever their factors.
    let scaled = [(0.8, 200.0), (1e-6, 1e9), (1e9, 1e-6)].map(|(cycle, load)| {
        let units = Units {
            nanoseconds: Some(cycle),
            gigabits: Some(load),
        };
        panels.iter().map(move |panel| Panel {
            units,
            ..panel.clone()
        })
    });
    let scaled: Vec<Panel> = scaled.into_iter().flatten().collect();
    let panels = panels.into_iter().chain(scaled).collect();
    let report = Report {
        panels,
        combinations,
        ..Report::default()
    };
    check(&report);
    nothing_is_cut(&report);
}

/// One load gives a table and bars, and no frame with a lonely point in it.
#[test]
fn a_single_load_has_no_curves() {
    for count in [1, 2, 32, 300] {
        let series = (0..count).map(|i| Series {
            label: format!("routing {i}"),
            points: vec![point(0.3, f64::from(20 + i), i % 2 == 1)],
            saturation_load: None,
        });
        let report = Report {
            panels: vec![Panel {
                title: "uniform".to_owned(),
                series: series.collect(),
                ..Panel::default()
            }],
            ..Report::default()
        };
        check(&report);
        let page = html(&report);
        assert!(!page.contains("class=\"curve") && !page.contains("no points yet"));
        let bars = plots(&report).len();
        assert_eq!(
            bars,
            if (2..=40).contains(&count) { 2 } else { 0 },
            "{count} rows"
        );
        assert_eq!(
            page.matches("<td>stable</td>").count(),
            (count as usize).min(200).div_ceil(2)
        );
    }
}

#[test]
fn an_axis_of_names_has_a_curve_and_its_names() {
    let values = ["uniform", "tornado"].map(str::to_owned).to_vec();
    let series = Series {
        label: "minimal".to_owned(),
        points: vec![point(0.0, 20.0, false), point(1.0, 30.0, false)],
        saturation_load: None,
    };
    let panel = Panel {
        across: Across::Names {
            name: "pattern".to_owned(),
            values,
        },
        series: vec![series],
        ..Panel::default()
    };
    let report = Report {
        panels: vec![panel],
        ..Report::default()
    };
    check(&report);
    let svg = &plots(&report)[0].1;
    assert!(svg.contains(">tornado</text>") && svg.contains("class=\"curve s0\""));
    assert!(svg.contains("minimal\npattern tornado\n"));
}

/// A workload has no offered load, and traffic no makespan.
#[test]
fn workloads_are_shown_by_what_they_took() {
    let measured = |x: f64| LoadPoint {
        x,
        accepted_load: 0.1,
        mean_latency: 20.0,
        makespan: 1_000.0 * x,
        transaction_time: 77.0,
        transaction_time_p99: 99.0,
        ..LoadPoint::default()
    };
    let page = |across: Across, points: Vec<LoadPoint>| {
        let series = |label: &str| Series {
            label: label.to_owned(),
            points: points.clone(),
            saturation_load: None,
        };
        let panel = Panel {
            title: "barrier".to_owned(),
            across,
            series: vec![series("a"), series("b")],
            ..Panel::default()
        };
        let report = Report {
            panels: vec![panel],
            ..Report::default()
        };
        let names: Vec<String> = plots(&report).into_iter().map(|(name, _)| name).collect();
        (html(&report), names.join(" "))
    };
    let window = Across::Numbers {
        name: "window".to_owned(),
        logarithmic: false,
    };
    let (swept, files) = page(window, vec![measured(1.0), measured(2.0)]);
    for title in [
        "Makespan",
        "Mean transaction time",
        "Transaction time, 99th percentile",
    ] {
        assert!(swept.contains(title), "{title}");
    }
    assert!(
        files.starts_with("makespan") && files.contains("transaction-time"),
        "{files}"
    );
    let (once, files) = page(Across::Nothing, vec![measured(1.0)]);
    assert!(once.contains(">Makespan</button>") && !once.contains("Offered load"));
    assert!(files.contains("makespan"), "{files}");
    let endless = LoadPoint {
        makespan: f64::NAN,
        ..measured(1.0)
    };
    let once = page(Across::Nothing, vec![endless]).0;
    assert!(once.contains(">Transaction time</button>") && !once.contains("Makespan"));
    let html = page(Across::Load, vec![point(0.1, 20.0, false)]).0;
    assert!(html.contains("Offered load") && !html.contains("Makespan"));
    assert!(!html.contains("essage latency"));
    let messages = |load| LoadPoint {
        message_latency: 31.0,
        message_latency_p99: 47.0,
        ..point(load, 20.0, false)
    };
    let swept = page(Across::Load, vec![messages(0.1), messages(0.2)]).0;
    for title in ["Mean message latency", "Message latency, 99th percentile"] {
        assert!(swept.contains(title), "{title}");
    }
    let once = page(Across::Nothing, vec![messages(0.1)]).0;
    assert!(once.contains(">Message latency</button>") && once.contains("Mean message latency"));
}

/// A percentile far above the others, for which the frame has no room, is told all the same.
#[test]
fn what_is_above_the_frame_has_its_marker() {
    let mut points = vec![point(0.1, 20.0, false), point(0.4, 400.0, false)];
    points[1].latency_p999 = 40_000.0;
    let page = html(&panel(points));
    let tip = "99.9th percentile 40,000";
    let tip = |page: &str| page.matches(tip).count();
    assert!(tip(&page) > 0, "no tip");
}
