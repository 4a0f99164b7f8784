//! Values for the page's script, as JSON that may stand inside an element of the page.

use std::fmt::Write;

/// An element that holds JSON and shows nothing.
pub(super) fn element(attribute: &str, json: &str) -> String {
    format!("<script type=\"application/json\" {attribute}>{json}</script>\n")
}

/// A text in quotes. Characters that markup knows are written as their numbers.
pub(super) fn text(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '<' | '>' | '&' | '\u{2028}' | '\u{2029}' | '\0'..='\u{1f}' => {
                let _ = write!(out, "\\u{:04x}", c as u32);
            }
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

/// A figure with six significant digits; `null` if it is not known.
pub(super) fn figure(value: f64) -> String {
    if !value.is_finite() {
        return "null".to_owned();
    }
    if value == 0.0 {
        return "0".to_owned();
    }
    let digits = 5 - value.abs().log10().floor() as i32;
    match digits {
        0..=12 => super::text::trim_zeros(&format!("{value:.0$}", digits as usize)),
        _ => format!("{value:.5e}"),
    }
}

/// A list of values that are JSON already.
pub(super) fn list(values: impl IntoIterator<Item = String>) -> String {
    let values: Vec<String> = values.into_iter().collect();
    format!("[{}]", values.join(","))
}

/// Texts of which many are the same: each once, and where it stands.
pub(super) fn texts<'a>(all: impl Iterator<Item = &'a str>) -> (String, String) {
    let mut known = std::collections::BTreeMap::new();
    let mut once: Vec<String> = Vec::new();
    let codes = all.map(|word| {
        let code = known.entry(word).or_insert_with(|| {
            once.push(text(word));
            once.len() - 1
        });
        code.to_string()
    });
    let codes = list(codes);
    (list(once), codes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_can_end_the_element() {
        assert_eq!(
            text("</script>&\"\\\n"),
            "\"\\u003c/script\\u003e\\u0026\\\"\\\\\\u000a\""
        );
    }

    #[test]
    fn figures_are_short_and_finite() {
        let written = [0.0, 0.25, 1.0 / 3.0, 123_456.7, 2e20, 1e-20, f64::NAN].map(figure);
        let expected = [
            "0",
            "0.25",
            "0.333333",
            "123457",
            "2.00000e20",
            "1.00000e-20",
            "null",
        ];
        assert_eq!(written, expected);
    }

    #[test]
    fn equal_texts_are_written_once() {
        let (once, codes) = texts(["a", "b", "a"].into_iter());
        assert_eq!(
            (once.as_str(), codes.as_str()),
            ("[\"a\",\"b\"]", "[0,1,0]")
        );
    }
}
