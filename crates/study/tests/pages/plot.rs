//! Panels of lines as SVG.

use super::svg;
use std::fmt::Write as _;

/// One plot of a figure.
pub(crate) struct Panel {
    pub(crate) title: String,
    /// Where the vertical axis begins and ends; lines are cut there.
    pub(crate) from: f64,
    pub(crate) to: f64,
    /// Where the horizontal axis ends; it begins with 0.
    pub(crate) width: f64,
    pub(crate) curves: Vec<Curve>,
}

/// One line of a plot.
pub(crate) struct Curve {
    pub(crate) label: String,
    pub(crate) colour: &'static str,
    pub(crate) points: Vec<(f64, f64)>,
}

const WIDTH: f64 = 270.0;
const HEIGHT: f64 = 190.0;
const STEP: (f64, f64) = (340.0, 260.0);
const TICKS: u32 = 4;

/// The panels, so many in a line, with one legend for all, whose curves are called alike.
pub(crate) fn figure(panels: &[Panel], in_a_line: usize, across: &str) -> String {
    let lines = panels.len().div_ceil(in_a_line);
    let (width, height) = (STEP.0 * in_a_line as f64, STEP.1 * lines as f64 + 36.0);
    let mut svg = svg::open((width, height));
    for (index, panel) in panels.iter().enumerate() {
        let left = 50.0 + STEP.0 * (index % in_a_line) as f64;
        let top = 30.0 + STEP.1 * (index / in_a_line) as f64;
        draw(&mut svg, panel, left, top);
    }
    let legend = panels.first().map_or(&[][..], |panel| &panel.curves);
    for (place, curve) in legend.iter().enumerate() {
        let at = (60.0 + 110.0 * place as f64, height - 14.0);
        svg::legend_entry(&mut svg, at, curve.colour, &curve.label);
    }
    let (x, y) = (width - 20.0, height - 10.0);
    writeln!(
        svg,
        "<text x=\"{x}\" y=\"{y}\" text-anchor=\"end\">{across}</text>\n</svg>"
    )
    .unwrap();
    svg
}

fn draw(svg: &mut String, panel: &Panel, left: f64, top: f64) {
    let x = |value: f64| left + WIDTH * value / panel.width;
    let y = |value: f64| top + HEIGHT * (1.0 - (value - panel.from) / (panel.to - panel.from));
    for tick in 0..=TICKS {
        let part = f64::from(tick) / f64::from(TICKS);
        let value = panel.from + part * (panel.to - panel.from);
        let (at, end) = (y(value), left + WIDTH);
        let (across, below) = (x(part * panel.width), top + HEIGHT + 16.0);
        writeln!(
            svg,
            "<path d=\"M{left} {at:.1}H{end}\" stroke=\"#ddd\"/>\
             <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>\
             <text x=\"{across:.1}\" y=\"{below:.1}\" text-anchor=\"middle\">{}</text>",
            left - 6.0,
            at + 4.0,
            svg::short(value),
            svg::short(part * panel.width)
        )
        .unwrap();
    }
    svg::title(svg, (left + WIDTH / 2.0, top - 12.0), &panel.title);
    for curve in &panel.curves {
        // A line ends where it leaves the panel.
        let inside = curve
            .points
            .iter()
            .take_while(|(_, value)| *value <= panel.to && value.is_finite());
        let points = inside.map(|&(load, value)| (x(load), y(value.max(panel.from))));
        svg::polyline(svg, points, curve.colour);
    }
}
