//! What line charts show of points that their scales do not reach.

use super::chart::{BEYOND, Chart, Curve, Extent, Mark, State};
use super::model::{Across, LoadPoint, Panel, Report, Series};
use super::tests::html;

const LATENCIES: [f64; 3] = [20.0, 30.0, 45.0];

fn mark(x: f64, y: f64, state: State) -> Mark {
    let half = f64::NAN;
    Mark { x, y, half, state }
}

/// Curves that are alike up to a load, and then leave the frame in several ways.
fn chart(ends: &[(f64, State)]) -> Chart {
    let curve = |(style, (y, state)): (usize, &(f64, State))| {
        let mut marks: Vec<Mark> = (1..=3)
            .zip(LATENCIES)
            .map(|(i, y)| mark(f64::from(i) / 10.0, y, State::Stable))
            .collect();
        marks.push(mark(0.4, *y, *state));
        Curve {
            label: format!("curve {style}"),
            style,
            marks,
            saturation: None,
        }
    };
    Chart {
        heading: String::new(),
        title: "Latency".to_owned(),
        unit: "cycles".to_owned(),
        x_name: "load".to_owned(),
        beside: (None, None),
        across: Across::Load,
        extent: Extent::Latency,
        diagonal: false,
        curves: ends.iter().enumerate().map(curve).collect(),
    }
}

/// Markers: where they are, whether they are arrows, and what their tips say.
fn markers(svg: &str) -> Vec<(f64, f64, bool, String)> {
    let number = |part: &str, name: &str| -> f64 {
        let rest = part.split_once(&format!("{name}=\"")).unwrap().1;
        rest.split('"').next().unwrap().parse().unwrap()
    };
    let marker = |part: &str| {
        let tip = part.split_once("<title>").unwrap().1;
        let tip = tip.split("</title>").next().unwrap();
        let is_arrow = part.contains("l4 6h-2.3v5h-3.4v-5h-2.3z");
        let place = (number(part, "data-x"), number(part, "data-y"));
        (place.0, place.1, is_arrow, tip.to_owned())
    };
    svg.split("<g class=\"pt").skip(1).map(marker).collect()
}

/// Points beyond the scale were drawn as if they were at its end, and some were moved down into it, so that the
/// higher latency of two looked like the lower one.
#[test]
fn no_marker_is_at_a_height_that_is_not_its_own() {
    let ends = [
        (4_000.0, State::Stable),
        (9e4, State::Saturated),
        (8e4, State::Saturated),
        (f64::NAN, State::Deadlocked),
        (60.0, State::Saturated),
    ];
    let chart = chart(&ends);
    let svg = chart.draw(true).standalone("");
    let markers = markers(&svg);
    assert_eq!(markers.len(), 4 * ends.len());
    let (inside, beyond): (Vec<_>, Vec<_>) = markers.into_iter().partition(|marker| !marker.2);
    let top = beyond[0].1;
    assert_eq!(beyond.len(), 4);
    assert!(beyond.iter().all(|marker| marker.1 == top), "{beyond:?}");
    let value = |tip: &str| {
        let (_, words) = tip.rsplit_once("latency ").unwrap();
        words.split(' ').next().unwrap().parse::<f64>().unwrap()
    };
    // A straight line from value to height, by its ends.
    let height = |value: f64| {
        let (least, most) = (&inside[0], &inside[2]);
        let slope = (most.1 - least.1) / (LATENCIES[2] - LATENCIES[0]);
        least.1 + slope * (value - LATENCIES[0])
    };
    for (_, y, _, tip) in &inside {
        assert!((height(value(tip)) - y).abs() < 0.2, "{y} {tip}");
    }
    let mut places: Vec<f64> = beyond.iter().map(|marker| marker.0).collect();
    places.sort_by(f64::total_cmp);
    assert!(
        places.windows(2).all(|pair| pair[1] - pair[0] > 8.0),
        "arrows are beside each other: {places:?}"
    );
    assert!(
        beyond[0]
            .3
            .contains("latency 4,000 cycles\nbeyond the scale")
    );
    let caption = format!("{BEYOND}.");
    assert_eq!(chart.draw(true).caption, [caption]);
}

#[test]
fn a_chart_that_shows_all_has_no_arrows() {
    let svg = chart(&[(50.0, State::Stable), (55.0, State::Saturated)]).draw(true);
    let svg = svg.standalone("");
    assert!(markers(&svg).iter().all(|marker| !marker.2));
    assert!(!svg.contains("Arrows"));
}

/// However many curves end at one load, their arrows stay on the edge and inside the frame.
#[test]
fn arrows_of_many_curves_stay_in_the_frame() {
    let svg = chart(&[(9e4, State::Saturated); 80]).draw(false).inline();
    let beyond: Vec<_> = markers(&svg)
        .into_iter()
        .filter(|marker| marker.2)
        .collect();
    assert_eq!(beyond.len(), 80);
    let heights: std::collections::BTreeSet<String> =
        beyond.iter().map(|marker| marker.1.to_string()).collect();
    assert_eq!(heights.len(), 1);
    assert!(
        beyond
            .iter()
            .all(|marker| (30.0..470.0).contains(&marker.0))
    );
}

/// The legend says what arrows are, where there are any.
#[test]
fn the_page_says_what_arrows_are() {
    let page = |latency: f64| {
        let point = |x: f64, mean_latency: f64| LoadPoint {
            x,
            offered_load: x,
            mean_latency,
            ..LoadPoint::default()
        };
        let series = Series {
            points: vec![point(0.1, 20.0), point(0.2, latency)],
            ..Series::default()
        };
        let panel = Panel {
            series: vec![series],
            ..Panel::default()
        };
        let panels = vec![panel];
        html(&Report {
            panels,
            ..Report::default()
        })
    };
    assert!(page(4_000.0).contains(BEYOND));
    assert!(!page(30.0).contains(BEYOND));
}

/// A scale for points that are not drawn left the one that is alone at the bottom.
#[test]
fn where_all_is_saturated_the_scale_is_of_what_is_drawn() {
    let mut chart = chart(&[(0.0, State::Saturated)]);
    let marks = [(0.2, 86.0), (0.5, 1_791.0), (0.8, 2_569.0)];
    chart.curves[0].marks = marks.map(|(x, y)| mark(x, y, State::Saturated)).to_vec();
    let svg = chart.draw(true).standalone("");
    assert!(!svg.contains(">1,000<") && !svg.contains(">500<"), "{svg}");
}
