//! A number and its unit: `"1.25 GHz"`.

use super::known::{Dimension, UNITS, Unit};
use super::{Fraction, Quantity};
use crate::diagnostic::{Invalid, listed, nearest};

/// A number and its unit, as written.
#[derive(Clone, Copy, Debug)]
pub struct Amount {
    number: Fraction,
    unit: &'static Unit,
}

/// Nothing is measured to more digits, and more would not fit.
const MOST_DIGITS: usize = 18;

impl Amount {
    /// Does a text look as if a number with a unit was meant? A number in quotes is none: it may be
    /// there by mistake.
    pub fn is_meant(text: &str) -> bool {
        let text = text.trim();
        let digits = text.trim_start_matches(['-', '+', '.']);
        digits.starts_with(|first: char| first.is_ascii_digit()) && text.parse::<f64>().is_err()
    }

    /// Reads a number and a unit; blanks between them are optional.
    ///
    /// # Errors
    /// What keeps it from being one. `quantity` is what it is for, if that is known: then only the
    /// units that fit are offered.
    pub fn parse(text: &str, quantity: Option<Quantity>) -> Result<Self, Invalid> {
        let text = text.trim();
        let offered = |unit: &&Unit| {
            quantity.is_none_or(|quantity| quantity.dimensions().contains(&unit.dimension))
        };
        Self::read(text, &offered)
    }

    /// As [`parse`](Self::parse), where one of two dimensions is wanted.
    pub(super) fn of(text: &str, wanted: &[Dimension]) -> Result<Self, Invalid> {
        let amount = Self::read(text.trim(), &|unit| wanted.contains(&unit.dimension))?;
        if wanted.contains(&amount.unit.dimension) {
            return Ok(amount);
        }
        let words: Vec<&str> = wanted.iter().map(|wanted| wanted.words()).collect();
        let message = format!("expected {}, found {}", words.join(" or "), amount.kind());
        Err(wrong(message))
    }

    fn read(text: &str, offered: &dyn Fn(&&Unit) -> bool) -> Result<Self, Invalid> {
        let is_number = |character: char| character.is_ascii_digit() || character == '.';
        let end = text.find(|c| !is_number(c)).unwrap_or(text.len());
        let (digits, name) = (&text[..end], text[end..].trim());
        let names = || UNITS.iter().filter(offered).map(|unit| unit.names[0]);
        let units = || format!("the units are: {}", listed(names()));
        if text.starts_with('-') {
            return Err(wrong(format!("\"{text}\" is less than nothing")));
        }
        let number = number(digits).ok_or_else(|| {
            let message = format!("expected a number and a unit, found \"{text}\"");
            wrong(message).with_help(format!(
                "write at most {MOST_DIGITS} digits, with a point if need be; {}",
                units()
            ))
        })?;
        if name.is_empty() {
            return Err(wrong(format!("\"{text}\" has no unit")).with_help(units()));
        }
        let known = UNITS.iter().find(|unit| unit.names.contains(&name));
        let unit = known.ok_or_else(|| {
            let all = UNITS.iter().filter(offered).flat_map(|unit| unit.names);
            let help = match nearest(name, all.copied()) {
                Some(near) => format!("did you mean `{near}`? {}", units()),
                None => units(),
            };
            wrong(format!("unknown unit `{name}` in \"{text}\"")).with_help(help)
        })?;
        Ok(Self { number, unit })
    }

    /// In the unit that its dimension is counted in: cycles, flits, seconds, bits; `None` if that
    /// takes too many digits.
    pub(super) fn value(self) -> Option<Fraction> {
        let (numerator, denominator) = self.unit.size;
        self.number.times(Fraction::new(numerator, denominator)?)
    }

    /// What its unit measures.
    pub(super) fn dimension(self) -> Dimension {
        self.unit.dimension
    }

    /// What its unit measures, in words: "a time".
    pub fn kind(self) -> &'static str {
        self.unit.dimension.words()
    }

    /// The usual name of its unit.
    pub fn unit(self) -> &'static str {
        self.unit.names[0]
    }

    /// How much it is in the unit of `other`; `None` if that measures something else.
    pub fn in_unit_of(self, other: Self) -> Option<Fraction> {
        let (numerator, denominator) = other.unit.size;
        let same = self.unit.dimension == other.unit.dimension;
        let value = self.value().filter(|_| same)?;
        value.over(Fraction::new(numerator, denominator)?)
    }
}

/// Digits with at most one point among them.
fn number(text: &str) -> Option<Fraction> {
    let (whole, part) = text.split_once('.').unwrap_or((text, ""));
    let digits = format!("{whole}{part}");
    let all = digits.bytes().all(|byte| byte.is_ascii_digit());
    if digits.is_empty() || !all || digits.len() > MOST_DIGITS {
        return None;
    }
    let power = 10u128.checked_pow(u32::try_from(part.len()).ok()?)?;
    Fraction::new(digits.parse().ok()?, power)
}

/// The value itself is to blame.
pub(super) fn wrong(message: String) -> Invalid {
    Invalid::new("", message)
}
