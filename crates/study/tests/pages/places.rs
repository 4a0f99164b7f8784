//! Panels of lines over named places, such as delays that span decades, as SVG.

use super::svg;
use std::fmt::Write as _;

/// One plot of a figure.
pub(crate) struct Panel {
    pub(crate) title: String,
    /// Where the vertical axis ends; it begins with 0.
    pub(crate) to: f64,
    pub(crate) lines: Vec<Line>,
}

/// One line of a plot: a value at each place, NaN where there is none.
pub(crate) struct Line {
    pub(crate) label: String,
    pub(crate) colour: &'static str,
    pub(crate) values: Vec<f64>,
}

const WIDTH: f64 = 270.0;
const HEIGHT: f64 = 170.0;
const STEP: (f64, f64) = (350.0, 240.0);
const TICKS: u32 = 4;

/// The panels, so many in a row, above one legend: the lines of all panels are called alike.
pub(crate) fn figure(panels: &[Panel], in_a_row: usize, places: &[&str], across: &str) -> String {
    let rows = panels.len().div_ceil(in_a_row);
    let (width, height) = (STEP.0 * in_a_row as f64, STEP.1 * rows as f64 + 52.0);
    let mut svg = svg::open((width, height));
    for (index, panel) in panels.iter().enumerate() {
        let left = 56.0 + STEP.0 * (index % in_a_row) as f64;
        let top = 30.0 + STEP.1 * (index / in_a_row) as f64;
        draw(&mut svg, panel, places, (left, top));
    }
    let middle = width / 2.0;
    writeln!(
        svg,
        "<text x=\"{middle}\" y=\"{}\" text-anchor=\"middle\">{across}</text>",
        height - 36.0
    )
    .unwrap();
    let legend = panels.first().map_or(&[][..], |panel| &panel.lines);
    for (place, line) in legend.iter().enumerate() {
        let at = (56.0 + 150.0 * place as f64, height - 12.0);
        svg::legend_entry(&mut svg, at, line.colour, &line.label);
    }
    svg.push_str("</svg>\n");
    svg
}

fn draw(svg: &mut String, panel: &Panel, places: &[&str], (left, top): (f64, f64)) {
    let step = WIDTH / (places.len().max(2) - 1) as f64;
    let x = |place: usize| left + step * place as f64;
    let y = |value: f64| top + HEIGHT * (1.0 - value / panel.to);
    for tick in 0..=TICKS {
        let value = panel.to * f64::from(tick) / f64::from(TICKS);
        let text = svg::short(value);
        let (at, end) = (y(value), left + WIDTH);
        writeln!(
            svg,
            "<path d=\"M{left} {at:.1}H{end}\" stroke=\"#ddd\"/><text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{text}</text>",
            left - 6.0,
            at + 4.0
        )
        .unwrap();
    }
    for (place, name) in places.iter().enumerate() {
        writeln!(
            svg,
            "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{name}</text>",
            x(place),
            top + HEIGHT + 16.0
        )
        .unwrap();
    }
    svg::title(svg, (left + WIDTH / 2.0, top - 12.0), &panel.title);
    for line in &panel.lines {
        let known = line.values.iter().enumerate();
        let known = known.filter(|(_, value)| value.is_finite());
        let points = known.map(|(place, &value)| (x(place), y(value.min(panel.to))));
        svg::polyline(svg, points, line.colour);
    }
}
