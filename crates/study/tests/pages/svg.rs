//! What the figures of all pages are drawn with.

use std::fmt::Write as _;

/// The opening of a white drawing of this width and height.
pub(crate) fn open((width, height): (f64, f64)) -> String {
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" font-family=\"sans-serif\" \
         font-size=\"12\">\n<rect width=\"{width}\" height=\"{height}\" fill=\"#fff\"/>\n"
    )
}

/// A stroke and what it stands for.
pub(crate) fn legend_entry(svg: &mut String, (x, y): (f64, f64), colour: &str, label: &str) {
    writeln!(
        svg,
        "<path d=\"M{x} {y}h22\" stroke=\"{colour}\" stroke-width=\"2\"/><text x=\"{}\" y=\"{}\">{label}</text>",
        x + 28.0,
        y + 4.0
    )
    .unwrap();
}

/// The title of a panel, centred.
pub(crate) fn title(svg: &mut String, (x, y): (f64, f64), text: &str) {
    writeln!(
        svg,
        "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"middle\" font-weight=\"bold\">{text}</text>"
    )
    .unwrap();
}

/// A line through points.
pub(crate) fn polyline(svg: &mut String, points: impl Iterator<Item = (f64, f64)>, colour: &str) {
    let points: Vec<String> = points.map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
    writeln!(
        svg,
        "<polyline points=\"{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\"/>",
        points.join(" ")
    )
    .unwrap();
}

/// A number without noughts that say nothing.
pub(crate) fn short(value: f64) -> String {
    let text = format!("{value:.3}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}
