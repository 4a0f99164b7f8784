//! A finished figure, and the few lines of SVG syntax every figure needs.

use super::palette;
use super::text::{escape, width, wrap};

/// A drawing that can go into the page or into a file of its own.
#[derive(Debug, Clone)]
pub(super) struct Figure {
    pub(super) width: f64,
    pub(super) height: f64,
    /// What the figure shows, for those who cannot see it.
    pub(super) label: String,
    /// CSS class besides `fig`.
    pub(super) class: &'static str,
    /// Sentences that belong under the figure.
    pub(super) caption: Vec<String>,
    pub(super) body: String,
}

impl Figure {
    /// As an element of the page, which brings the style.
    pub(super) fn inline(&self) -> String {
        format!(
            "<svg class=\"fig {}\" viewBox=\"0 0 {} {}\" role=\"img\"{} aria-label=\"{}\">{}</svg>",
            self.class,
            px(self.width),
            px(self.height),
            // Only charts answer to the arrow keys.
            if self.class == "chart" {
                " tabindex=\"0\""
            } else {
                ""
            },
            escape(&self.label),
            self.body
        )
    }

    /// As a file: with its own style, white paper and the caption as text.
    pub(super) fn standalone(&self, origin: &str) -> String {
        let origin = match origin {
            "" => String::new(),
            _ => format!("<desc>{}</desc>\n", escape(origin)),
        };
        let lines: Vec<String> = self
            .caption
            .iter()
            .flat_map(|sentence| wrap(sentence, 11.0, self.width - 28.0))
            .collect();
        let height =
            self.height + lines.len() as f64 * 15.0 + if lines.is_empty() { 0.0 } else { 8.0 };
        let caption: String = lines
            .iter()
            .enumerate()
            .map(|(i, line)| {
                label(
                    14.0,
                    self.height + 10.0 + i as f64 * 15.0,
                    "small muted",
                    line,
                )
            })
            .collect();
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"fig {}\" width=\"{w}\" height=\"{h}\" \
             viewBox=\"0 0 {w} {h}\" role=\"img\" aria-label=\"{}\">\n{origin}<style>\n{}</style>\n\
             <rect class=\"paper\" width=\"{w}\" height=\"{h}\"/>\n{}{caption}\n</svg>\n",
            self.class,
            escape(&self.label),
            palette::standalone_css(),
            self.body,
            w = px(self.width),
            h = px(height),
        )
    }
}

/// A length or coordinate: a tenth of a pixel is enough, and never NaN.
pub(super) fn px(value: f64) -> String {
    if !value.is_finite() {
        return "0".to_owned();
    }
    let rounded = (value.clamp(-1e6, 1e6) * 10.0).round() / 10.0;
    // -0 would print as "-0".
    if rounded == 0.0 {
        "0".to_owned()
    } else {
        format!("{rounded}")
    }
}

/// A text element; the text is escaped here.
pub(super) fn label(x: f64, y: f64, class: &str, text: &str) -> String {
    format!(
        "<text x=\"{}\" y=\"{}\" class=\"{class}\">{}</text>",
        px(x),
        px(y),
        escape(text)
    )
}

/// Text that ends at a place and rises towards it.
pub(super) fn rising(x: f64, y: f64, class: &str, text: &str) -> String {
    let (x, y) = (px(x), px(y));
    let text = escape(text);
    format!(
        "<text x=\"{x}\" y=\"{y}\" class=\"{class}\" transform=\"rotate(-{RISE} {x} {y})\">{text}</text>"
    )
}

/// The angle at which [rising] text does so, in degrees.
pub(super) const RISE: f64 = 50.0;

/// A straight line.
pub(super) fn line(x1: f64, y1: f64, x2: f64, y2: f64, class: &str) -> String {
    format!(
        "<line x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\" class=\"{class}\"/>",
        px(x1),
        px(y1),
        px(x2),
        px(y2)
    )
}

/// A shaded rectangle.
pub(super) fn shade((left, right): (f64, f64), (top, bottom): (f64, f64)) -> String {
    format!(
        "<rect class=\"shade\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"/>",
        px(left),
        px(top),
        px(right - left),
        px(bottom - top)
    )
}

/// A tooltip for the element it is put into.
pub(super) fn tip(text: &str) -> String {
    format!("<title>{}</title>", escape(text))
}

/// Title and unit of a chart on one line, shortened to the room there is.
pub(super) fn heading(x: f64, y: f64, room: f64, title: &str, unit: &str) -> String {
    let unit = if unit.is_empty() {
        String::new()
    } else {
        format!(" [{unit}]")
    };
    let room = room - width(&unit, 13.0);
    let title = super::text::shorten(title, 13.5, room.max(60.0));
    format!(
        "<text x=\"{}\" y=\"{}\" class=\"title\">{}<tspan class=\"unit\" font-weight=\"400\">{}</tspan></text>",
        px(x),
        px(y),
        escape(&title),
        escape(&unit)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn coordinates_are_short_and_finite() {
        assert_eq!(px(1.0), "1");
        assert_eq!(px(-0.01), "0");
        assert_eq!(px(12.345), "12.3");
        assert_eq!(px(f64::NAN), "0");
        assert_eq!(px(f64::INFINITY), "0");
        assert_eq!(px(1e300), "1000000");
    }
}
