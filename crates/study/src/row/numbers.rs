//! Values and figures as JSON and for people: how many digits are told.

use serde_json::{Map, Number, Value as Json};
use turnwise_config::document::{Kind as ValueKind, Value};

/// A value of the study as JSON.
pub fn to_json(value: &Value) -> Json {
    match &value.kind {
        ValueKind::Boolean(flag) => (*flag).into(),
        ValueKind::Integer(integer) => (*integer).into(),
        ValueKind::Float(float) => number(*float),
        ValueKind::String(text) => text.as_str().into(),
        ValueKind::Array(items) => items.iter().map(to_json).collect(),
        ValueKind::Table(table) => table
            .iter()
            .map(|(key, value)| (key.name.clone(), to_json(value)))
            .collect::<Map<_, _>>()
            .into(),
    }
}

/// A number rounded to nine significant digits: enough for any figure, and stable to read.
pub fn number(value: f64) -> Json {
    rounded(value).map_or(Json::Null, Json::Number)
}

/// A time in nanoseconds as it is: its picoseconds are exact up to a quarter of an hour, its nanoseconds up to a hundred days.
pub fn exactly(value: f64) -> Json {
    exact(value).map_or(Json::Null, Json::Number)
}

/// A double has fifteen digits for certain; what is more than these is right as it is up to its last one.
pub(crate) fn exact(value: f64) -> Option<Number> {
    if value.abs() >= 1e15 {
        return Number::from_f64(value);
    }
    parsed(&format!("{value:.14e}"))
}

pub(super) fn rounded(value: f64) -> Option<Number> {
    parsed(&format!("{value:.8e}"))
}

fn parsed(text: &str) -> Option<Number> {
    let rounded: f64 = text.parse().ok()?;
    // Adding 0 turns -0, which looks like a mistake, into 0.
    Number::from_f64(rounded + 0.0)
}

/// A number for people: five significant digits, whole numbers in full.
pub fn figure(value: f64) -> String {
    if value.fract() == 0.0 && value.abs() < 1e15 {
        return format!("{value:.0}");
    }
    let digits = (4 - value.abs().log10().floor() as i32).clamp(0, 12) as usize;
    let text = format!("{value:.digits$}");
    if text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    } else {
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn makespans_are_told_to_the_last_digit() {
        let told = |value: f64| exactly(value).to_string();
        assert_eq!(told(3.0 * 0.8), "2.4");
        assert_eq!(told(12_345_678_901_234.0), "12345678901234.0");
        assert_eq!(told(12_345_678_901.0 * 0.8), "9876543120.8");
        assert_eq!(told(8_000_000_000_000_002.0), "8000000000000002.0");
        assert_eq!(number(12_345_678_901_234.0).to_string(), "12345678900000.0");
    }

    #[test]
    fn figures_have_five_digits_and_no_idle_ones() {
        let texts = [0.0, 1040.0, 1_030.479_34, 0.031_25, 123_456.7, 1e-9].map(figure);
        assert_eq!(
            texts,
            ["0", "1040", "1030.5", "0.03125", "123457", "0.000000001"]
        );
    }
}
