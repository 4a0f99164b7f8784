//! A staircase of figures, the largest first: what most of them are like, and what the worst is.

use super::axis::Axis;
use super::bars::steps;
use super::detailed::titled;
use super::svg::{Figure, heading, label, line, px};
use super::text::number;

const WIDTH: f64 = 560.0;
const TOP: f64 = 58.0;
const BOTTOM: f64 = 278.0;
const RIGHT: f64 = 28.0;

/// What the figures are.
pub(super) struct Sorted<'a> {
    pub(super) title: &'a str,
    /// The point; empty where something around the figure says so.
    pub(super) about: &'a str,
    pub(super) unit: &'a str,
    /// What has such a figure, such as `channels`.
    pub(super) of: &'a str,
}

/// The staircase; nothing where there are no figures.
pub(super) fn staircase(what: &Sorted<'_>, values: &[f64]) -> Option<Figure> {
    let mut values: Vec<f64> = values.iter().copied().filter(|v| v.is_finite()).collect();
    values.sort_by(|a, b| b.total_cmp(a));
    let (most, least) = (*values.first()?, *values.last()?);
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    let y = Axis::new(most * 1.08, 4, BOTTOM, TOP);
    let left = (y.text_room() + 11.0).max(40.0);
    let right = WIDTH - RIGHT;
    let x = Axis::new(100.0, 5, left, right);
    let title = titled(what.title, what.about);
    let mut body = heading(14.0, 18.0, WIDTH - 28.0, &title, what.unit);
    body.push_str(&y.draw_left(left, right));
    let name = format!("share of {}, largest first [%]", what.of);
    body.push_str(&x.draw_bottom(TOP, BOTTOM, &name));
    let outline = steps(&values, &x, &y);
    body.push_str(&format!(
        "<path class=\"area\" d=\"M{} {bottom}L{outline}L{} {bottom}z\"/><path class=\"curve s0\" d=\"M{outline}\"/>",
        px(left),
        px(right),
        bottom = px(BOTTOM)
    ));
    let key = TOP - 18.0;
    body.push_str(&line(left, y.at(mean), right, y.at(mean), "rule"));
    body.push_str(&line(left, key, left + 22.0, key, "rule"));
    let text = format!("mean {}", number(mean));
    body.push_str(&label(left + 28.0, key + 4.0, "small", &text));
    Some(Figure {
        width: WIDTH,
        height: BOTTOM + 44.0,
        label: format!(
            "{title}: at most {}, mean {}, at least {}",
            number(most),
            number(mean),
            number(least)
        ),
        class: "small-chart",
        caption: Vec::new(),
        body,
    })
}
