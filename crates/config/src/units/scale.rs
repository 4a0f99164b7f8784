//! From times, sizes and rates to cycles, flits and loads.

use super::amount::{Amount, wrong};
use super::known::Dimension;
use super::{Clock, FlitSize, Fraction, Quantity};
use crate::diagnostic::{Invalid, listed};
use crate::document::Kind;

/// How long a cycle is and how large a flit, as far as that is known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Scale {
    /// From one cycle to the next.
    pub clock: Option<Clock>,
    /// What a flit holds.
    pub flit_size: Option<FlitSize>,
}

/// A quantity as it is counted.
#[derive(Clone, Debug, PartialEq)]
pub struct Count {
    /// The number for readers.
    pub number: Kind,
    /// What it would have been without rounding, if it was rounded.
    pub exactly: Option<f64>,
}

impl Scale {
    /// Nanoseconds in a cycle.
    pub fn nanoseconds(&self) -> Option<f64> {
        let billion = Fraction::new(1_000_000_000, 1)?;
        Some(self.clock?.seconds().times(billion)?.to_f64())
    }

    /// Gigabits per second of a channel that passes on a flit in every cycle.
    pub fn gigabits(&self) -> Option<f64> {
        let billion = Fraction::new(1_000_000_000, 1)?;
        Some(self.bandwidth()?.over(billion)?.to_f64())
    }

    /// Bits per second of a channel that passes on a flit in every cycle.
    fn bandwidth(&self) -> Option<Fraction> {
        let bits = Fraction::new(self.flit_size?.bits().into(), 1)?;
        bits.over(self.clock?.seconds())
    }

    /// What a text says of a quantity; `None` if it does not begin like a number, or is a number
    /// without a unit: that is for the field's reader to judge.
    ///
    /// # Errors
    /// A text that begins like a number with a unit and is none, or none that fits, or needs a clock
    /// or the size of flits. The place is the text itself.
    pub fn count(&self, text: &str, quantity: Quantity) -> Result<Option<Count>, Invalid> {
        if !Amount::is_meant(text) {
            return Ok(None);
        }
        let amount = Amount::parse(text, Some(quantity))?;
        let [counted, measured] = quantity.dimensions();
        if ![counted, measured].contains(&amount.dimension()) {
            let expected = match counted == measured {
                true => counted.words().to_owned(),
                false => format!("{} or {}", counted.words(), measured.words()),
            };
            let message = format!("expected {expected}, found {}", amount.kind());
            let help = format!("the units here are: {}", listed(quantity.units()));
            return Err(wrong(message).with_help(help));
        }
        let one = if quantity == Quantity::Bytes {
            Fraction::new(8, 1)
        } else if amount.dimension() == counted {
            Fraction::new(1, 1)
        } else {
            self.missing(text, measured)?;
            match measured {
                Dimension::Time => self.clock.map(Clock::seconds),
                Dimension::Size => self
                    .flit_size
                    .and_then(|size| Fraction::new(size.bits().into(), 1)),
                _ => self.bandwidth(),
            }
        };
        let count = amount
            .value()
            .zip(one)
            .and_then(|(value, one)| value.over(one))
            .and_then(|count| counted_as(count, quantity, amount.dimension() == counted));
        match count {
            Some(count) => Ok(Some(count)),
            None => Err(wrong(format!(
                "\"{}\" is more, or has more digits, than can be counted",
                text.trim()
            ))),
        }
    }

    /// Refuses what cannot be known without more being said.
    fn missing(&self, text: &str, measured: Dimension) -> Result<(), Invalid> {
        let clock = (
            "clock = \"1 GHz\"",
            "how long a cycle is",
            self.clock.is_none(),
        );
        let size = (
            "flit_size = \"32 B\"",
            "how large a flit is",
            self.flit_size.is_none(),
        );
        let needed = match measured {
            Dimension::Time => vec![clock],
            Dimension::Size => vec![size],
            _ => vec![clock, size],
        };
        let missing: Vec<_> = needed.iter().filter(|(_, _, missing)| *missing).collect();
        if missing.is_empty() {
            return Ok(());
        }
        let why: Vec<&str> = missing.iter().map(|(_, why, _)| *why).collect();
        let what: Vec<&str> = missing.iter().map(|(what, ..)| *what).collect();
        let message = format!(
            "\"{}\" means nothing before the study says {}",
            text.trim(),
            why.join(" and ")
        );
        let help = format!("add to [study], for example: {}", what.join(" and "));
        Err(wrong(message).with_help(help))
    }
}

/// A count as its readers want it. What is written in cycles or flits is not rounded: who writes
/// half a cycle is told that there is none.
fn counted_as(count: Fraction, quantity: Quantity, is_plain: bool) -> Option<Count> {
    let whole = |number: u128| i64::try_from(number).ok().map(Kind::Integer);
    let exact = |number: Kind| Count {
        number,
        exactly: None,
    };
    match (quantity, count.whole()) {
        (Quantity::Load, _) => Some(exact(Kind::Float(count.to_f64()))),
        (_, Some(number)) => whole(number).map(exact),
        (Quantity::Time, None) => Some(exact(Kind::Float(count.to_f64()))),
        (_, None) if is_plain => Some(exact(Kind::Float(count.to_f64()))),
        (_, None) => Some(Count {
            number: whole(count.ceiling())?,
            exactly: Some(count.to_f64()),
        }),
    }
}
