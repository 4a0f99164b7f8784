//! The two small charts of a set of routes: path lengths and channel loads.

use super::axis::Axis;
use super::detailed::titled;
use super::model::Quality;
use super::svg::{Figure, heading, label, line, px, tip};
use super::text::{count, number, width};

const WIDTH: f64 = 560.0;
const TOP: f64 = 58.0;
const BOTTOM: f64 = 278.0;
const RIGHT: f64 = 28.0;

fn empty(title: &str, note: &str) -> Figure {
    let mut body = heading(14.0, 18.0, WIDTH - 28.0, title, "");
    body.push_str(&label(WIDTH / 2.0, (TOP + BOTTOM) / 2.0, "mid muted", note));
    finish(title.to_owned(), body)
}

fn finish(label: String, body: String) -> Figure {
    Figure {
        width: WIDTH,
        height: BOTTOM + 44.0,
        label,
        class: "small-chart",
        caption: Vec::new(),
        body,
    }
}

/// How many pairs have routes of which length.
pub(super) fn path_lengths(quality: &Quality, about: &str) -> Figure {
    let title = titled("Path lengths", about);
    let mut lengths = quality.path_lengths.clone();
    lengths.sort_unstable();
    let total: f64 = lengths.iter().map(|(_, pairs)| *pairs as f64).sum();
    let (Some(first), Some(last)) = (lengths.first(), lengths.last()) else {
        return empty(&title, "no routes");
    };
    if total <= 0.0 {
        return empty(&title, "no routes");
    }
    let (low, high) = (f64::from(first.0), f64::from(last.0));
    let mean: f64 = lengths
        .iter()
        .map(|(hops, pairs)| f64::from(*hops) * *pairs as f64)
        .sum::<f64>()
        / total;
    let share = |pairs: u64| 100.0 * pairs as f64 / total;
    let tallest = lengths
        .iter()
        .map(|(_, pairs)| share(*pairs))
        .fold(0.0, f64::max);
    let y = Axis::new(tallest * 1.05, 4, BOTTOM, TOP);
    let left = (y.text_room() + 11.0).max(40.0);
    let slot = (WIDTH - RIGHT - left) / (high - low + 1.0);
    let middle = |hops: u32| left + (f64::from(hops) - low + 0.5) * slot;
    let bar = (slot * 0.72).clamp(1.0, 44.0);

    let mut body = heading(14.0, 18.0, WIDTH - 28.0, &title, "% of pairs");
    body.push_str(&y.draw_left(left, WIDTH - RIGHT));
    let value_of = |pairs: u64| {
        let share = share(pairs);
        if share < 0.05 && pairs > 0 {
            "<0.1".to_owned()
        } else {
            format!("{share:.1}")
        }
    };
    // Either every bar has its value or none: single gaps would look like missing data.
    let values = lengths
        .iter()
        .all(|(_, pairs)| width(&value_of(*pairs), 13.0) < slot);
    let mut free = left;
    for (hops, pairs) in &lengths {
        let (x, top) = (middle(*hops), y.at(share(*pairs)));
        let text = format!(
            "{hops} hops: {} pairs ({} %)",
            count(*pairs),
            number(share(*pairs))
        );
        body.push_str(&format!(
            "<rect class=\"bar\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\">{}</rect>",
            px(x - bar / 2.0),
            px(top),
            px(bar),
            px((BOTTOM - top).max(0.5)),
            tip(&text)
        ));
        if values {
            body.push_str(&label(x, top - 4.0, "mid small muted", &value_of(*pairs)));
        }
        // A label is left out when it would touch the one before it.
        let name = hops.to_string();
        let half = width(&name, 12.0) / 2.0;
        if x - half >= free {
            body.push_str(&label(x, BOTTOM + 16.0, "mid muted", &name));
            free = x + half + 4.0;
        }
    }
    body.push_str(&line(left, BOTTOM, WIDTH - RIGHT, BOTTOM, "axis"));
    let axis = format!("router-to-router hops (mean {})", number(mean));
    body.push_str(&label(
        (left + WIDTH - RIGHT) / 2.0,
        BOTTOM + 33.0,
        "mid muted",
        &axis,
    ));
    finish(
        format!(
            "{title}: {} to {} hops, mean {}",
            first.0,
            last.0,
            number(mean)
        ),
        body,
    )
}

/// All channels, the most loaded first, beside the mean and the lower bound.
pub(super) fn channel_loads(quality: &Quality, about: &str) -> Figure {
    let title = titled("Channel loads", about);
    let mut loads: Vec<f64> = quality
        .channel_loads
        .iter()
        .copied()
        .filter(|l| l.is_finite())
        .collect();
    loads.sort_by(|a, b| b.total_cmp(a));
    let Some(most) = loads.first().copied() else {
        return empty(&title, "no channels");
    };
    let bound = quality.lower_bound;
    let y = Axis::new(
        most.max(if bound.is_finite() { bound } else { 0.0 }) * 1.08,
        4,
        BOTTOM,
        TOP,
    );
    let left = (y.text_room() + 11.0).max(40.0);
    let x = Axis::new(100.0, 5, left, WIDTH - RIGHT);

    let unit = match quality.weighs_speeds {
        true => "routes per channel, weighed by speed",
        false => "routes per channel",
    };
    let mut body = heading(14.0, 18.0, WIDTH - 28.0, &title, unit);
    body.push_str(&y.draw_left(left, WIDTH - RIGHT));
    body.push_str(&x.draw_bottom(TOP, BOTTOM, "share of channels, most loaded first [%]"));
    let outline = steps(&loads, &x, &y);
    body.push_str(&format!(
        "<path class=\"area\" d=\"M{} {}L{outline}L{} {}z\"/><path class=\"curve s0\" d=\"M{outline}\"/>",
        px(left),
        px(BOTTOM),
        px(WIDTH - RIGHT),
        px(BOTTOM)
    ));
    body.push_str(&rules(quality, &y, left));
    let mut figure = finish(
        format!(
            "{title}: at most {}, mean {}, lower bound {}",
            number(most),
            number(quality.mean_load),
            number(bound)
        ),
        body,
    );
    if bound.is_finite() && !quality.lower_bound_source.is_empty() {
        let source = format!(
            "Lower bound of the largest load: {}.",
            quality.lower_bound_source
        );
        figure.caption.push(source);
    }
    figure
}

/// The descending staircase of loads as path data, without the steps of equal height.
pub(super) fn steps(loads: &[f64], x: &Axis, y: &Axis) -> String {
    // No screen shows more steps than pixels, and a large fabric has a million channels.
    let stride = loads.len().div_ceil(600).max(1);
    let mut points: Vec<String> = Vec::new();
    let mut before = f64::NAN;
    for (i, load) in loads.iter().enumerate().step_by(stride) {
        if *load != before {
            let at = px(x.at(100.0 * i as f64 / loads.len() as f64));
            if i > 0 {
                points.push(format!("{at} {}", px(y.at(before))));
            }
            points.push(format!("{at} {}", px(y.at(*load))));
            before = *load;
        }
    }
    points.push(format!("{} {}", px(x.at(100.0)), px(y.at(before))));
    points.join("L")
}

/// Horizontal lines at the mean and the bound, named above the plot, where they cover nothing.
fn rules(quality: &Quality, y: &Axis, left: f64) -> String {
    let mut out = String::new();
    let (right, keys) = (WIDTH - RIGHT, TOP - 18.0);
    let mut at = left;
    let rules = [
        (quality.lower_bound, "lower bound of the largest", "bound"),
        (quality.mean_load, "mean", "rule"),
    ];
    for (value, name, class) in rules {
        if !value.is_finite() {
            continue;
        }
        out.push_str(&line(left, y.at(value), right, y.at(value), class));
        out.push_str(&line(at, keys, at + 22.0, keys, class));
        let text = format!("{name} {}", number(value));
        out.push_str(&label(at + 28.0, keys + 4.0, "small", &text));
        // Narrow screens show the text larger.
        at += 28.0 + width(&text, 13.0) + 18.0;
    }
    out
}
