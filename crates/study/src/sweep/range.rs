//! Ranges of numbers: `{ from, to, step }` and `{ from, to, count }`.
//!
//! Where `from` has a unit, so have the others, and the values have the unit of `from`.

use crate::outline::MOST_POINTS;
use serde::Deserialize;
use turnwise_config::diagnostic::{Diagnostic, Span};
use turnwise_config::document::{Kind, Value, deserialize};
use turnwise_config::units::Amount;

/// The values of the range that the table `written` describes.
pub(super) fn read(written: &Value, errors: &mut Vec<Diagnostic>) -> Option<Vec<Value>> {
    let (plain, unit) = without_units(written)
        .map_err(|error| errors.push(error))
        .ok()?;
    let range: Range = deserialize(&plain, errors)?;
    let values = range.values(&plain).map_err(|error| errors.push(error));
    let mut values = values.ok()?;
    if let Some(unit) = unit {
        for value in &mut values {
            // Never with an exponent, which units would not go with.
            let number = value.as_f64().unwrap_or_default();
            value.kind = Kind::String(format!("{number} {unit}"));
        }
    }
    Some(values)
}

/// The range in numbers, and the unit that these have.
fn without_units(written: &Value) -> Result<(Value, Option<&'static str>), Diagnostic> {
    let mut plain = written.clone();
    // Only a step may lead downwards.
    let amount = |field: &str| {
        let value = written.at_path(field)?;
        let text = value.as_str()?.trim();
        if !Amount::is_meant(text) {
            return None;
        }
        let downwards = text.strip_prefix('-').filter(|_| field == "step");
        let amount = Amount::parse(downwards.unwrap_or(text), None);
        let amount = amount.map_err(|invalid| invalid.locate(value));
        Some(amount.map(|amount| (amount, downwards.is_some())))
    };
    let Some((from, _)) = amount("from").transpose()? else {
        return Ok((plain, None));
    };
    for field in ["from", "to", "step"] {
        let Some(value) = written.at_path(field) else {
            continue;
        };
        let own = amount(field).transpose()?;
        let number = own.and_then(|(own, downwards)| Some((own.in_unit_of(from)?, downwards)));
        let Some((number, downwards)) = number else {
            let message = format!("`{field}` must be {} as `from` is", from.kind());
            let help = format!("write it with a unit, such as `{}`", from.unit());
            return Err(Diagnostic::at(value.span, message).with_help(help));
        };
        let whole = number.whole().and_then(|whole| i64::try_from(whole).ok());
        if let Some(place) = plain.table_mut().and_then(|table| table.get_mut(field)) {
            place.kind = match (whole, downwards) {
                (Some(whole), false) => Kind::Integer(whole),
                (Some(whole), true) => Kind::Integer(-whole),
                (None, false) => Kind::Float(number.to_f64()),
                (None, true) => Kind::Float(-number.to_f64()),
            };
        }
    }
    Ok((plain, Some(from.unit())))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Range {
    from: f64,
    to: f64,
    step: Option<f64>,
    count: Option<u32>,
}

impl Range {
    fn values(&self, written: &Value) -> Result<Vec<Value>, Diagnostic> {
        let kinds = match (self.step, self.count) {
            (Some(step), None) => self.by_step(step, written)?,
            (None, Some(count)) => self.by_count(count, written)?,
            (Some(_), Some(_)) => {
                let message = "`step` and `count` exclude each other";
                let error = Diagnostic::at(place(written, "count"), message);
                return Err(error.with_help("remove one of them"));
            }
            (None, None) => {
                let message = "the range has neither `step` nor `count`";
                let help = "add one of them: { from = 0, to = 1, count = 5 }";
                return Err(Diagnostic::at(written.span, message).with_help(help));
            }
        };
        let value = |kind| Value::new(written.span, kind);
        Ok(kinds.into_iter().map(value).collect())
    }

    fn by_step(&self, step: f64, written: &Value) -> Result<Vec<Kind>, Diagnostic> {
        let width = self.width(written)?;
        if step == 0.0 {
            let message = "a step of 0 leads nowhere";
            return Err(Diagnostic::at(place(written, "step"), message));
        }
        if width * step < 0.0 {
            let message = "the step leads away from `to`";
            let error = Diagnostic::at(place(written, "step"), message);
            return Err(error.with_help("change its sign, or exchange `from` and `to`"));
        }
        let count = bounded((width / step + ROUNDING).floor() + 1.0, written)?;
        Ok(match whole(written, ["from", "to", "step"]) {
            Some([from, to, step]) => integers(from, step, (to - from) / step + 1),
            None => self.floats(step, count),
        })
    }

    fn by_count(&self, count: u32, written: &Value) -> Result<Vec<Kind>, Diagnostic> {
        let width = self.width(written)?;
        let complaint = match (count, width == 0.0) {
            (0, _) | (1, false) => Some("the range needs a value for each end"),
            (2.., true) => Some("the ends are the same: there is one value"),
            _ => None,
        };
        if let Some(message) = complaint {
            return Err(Diagnostic::at(place(written, "count"), message));
        }
        let gaps = (count - 1).max(1);
        let values = bounded(f64::from(count), written)?;
        if let Some([from, to]) = whole(written, ["from", "to"]) {
            let width = to - from;
            if width % i128::from(gaps) == 0 {
                let values = i128::from(count);
                return Ok(integers(from, width / i128::from(gaps), values));
            }
        }
        Ok(self.floats(width / f64::from(gaps), values))
    }

    fn width(&self, written: &Value) -> Result<f64, Diagnostic> {
        let width = self.to - self.from;
        let too_wide = || Diagnostic::at(written.span, "the range is too wide");
        width.is_finite().then_some(width).ok_or_else(too_wide)
    }

    fn floats(&self, step: f64, count: usize) -> Vec<Kind> {
        let value = |index: usize| {
            let way = index as f64 * step;
            round(self.from + way, way.abs().max(self.from.abs()))
        };
        (0..count).map(|index| Kind::Float(value(index))).collect()
    }
}

fn place(written: &Value, field: &str) -> Span {
    written.at_path(field).unwrap_or(written).span
}

/// The fields, if all of them are written as whole numbers; wide enough to add them.
fn whole<const N: usize>(written: &Value, fields: [&str; N]) -> Option<[i128; N]> {
    let numbers = fields.map(|field| written.at_path(field).and_then(Value::as_i64));
    let all = numbers.iter().all(Option::is_some);
    all.then(|| numbers.map(|number| i128::from(number.unwrap_or_default())))
}

fn integers(from: i128, step: i128, count: i128) -> Vec<Kind> {
    let values = (0..count).map(|index| from + index * step);
    // All values lie between the ends, which are of this type.
    values
        .filter_map(|value| i64::try_from(value).ok())
        .map(Kind::Integer)
        .collect()
}

/// How much of a step `to` may be missed by and still be reached: far more than the
/// rounding of `(to - from) / step`, far less than anyone means.
const ROUNDING: f64 = 1e-6;

fn bounded(count: f64, written: &Value) -> Result<usize, Diagnostic> {
    if count <= MOST_POINTS as f64 {
        return Ok(count as usize);
    }
    let message = format!("the range has more than {MOST_POINTS} values");
    Err(Diagnostic::at(written.span, message))
}

/// To the 12th significant digit of `scale`, the larger of the numbers that were added:
/// 3 x 0.02 becomes 0.06 again, and 3 x 0.1 - 0.3 becomes 0.
fn round(number: f64, scale: f64) -> f64 {
    let decimals = 11.0 - scale.log10().floor();
    let text = if decimals >= 0.0 && decimals.is_finite() {
        format!("{number:.0$}", decimals as usize)
    } else {
        format!("{number:.11e}")
    };
    // Adding 0 turns -0, which would print and hash differently, into 0.
    text.parse().unwrap_or(number) + 0.0
}
