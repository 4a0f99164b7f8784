//! The error of our data format, before and after it has a place.

use std::fmt;

use serde::de::{Error, Expected, Unexpected};

use crate::diagnostic::{Diagnostic, Span, of_unknown_key, suggestion};
use crate::document::{Key, Kind, Value, words};

/// A mistake on its way out of serde; the innermost value that can, gives it a place.
#[derive(Debug)]
pub(super) enum Trouble {
    /// Something else was expected, in serde's words or ours.
    Mismatch(String),
    /// Anything said by the type itself.
    Said(String),
    /// A name that does not exist, and what to write instead.
    Unknown { message: String, help: String },
    /// Has its place already.
    Located(Box<Diagnostic>),
}

impl Trouble {
    /// The complaint, about `value` unless it already is about something inside.
    pub(super) fn at(self, value: &Value) -> Diagnostic {
        match self {
            Self::Mismatch(expected) => {
                let expected = words::expected(&expected);
                let message = format!("expected {expected}, found {}", value.describe());
                let diagnostic = Diagnostic::at(value.span, message);
                match hint(&expected, value) {
                    Some(help) => diagnostic.with_help(help),
                    None => diagnostic,
                }
            }
            Self::Said(message) if message.starts_with(UNTAGGED) => {
                let message = format!("no accepted form fits {}", value.describe());
                Diagnostic::at(value.span, message)
            }
            other => other.about(value.span),
        }
    }

    /// The complaint about a key.
    pub(super) fn at_key(self, key: &Key) -> Diagnostic {
        match self {
            Self::Mismatch(expected) => {
                let expected = words::expected(&expected);
                let message = format!("expected {expected}, found the key `{}`", key.name);
                Diagnostic::at(key.span, message)
            }
            other => other.about(key.span),
        }
    }

    /// The complaint about whatever is written at `span`, unless it has its place.
    pub(super) fn about(self, span: Span) -> Diagnostic {
        match self {
            Self::Located(diagnostic) => *diagnostic,
            Self::Unknown { message, help } => Diagnostic::at(span, message).with_help(help),
            other => Diagnostic::at(span, other.to_string()),
        }
    }
}

/// How serde's derived code begins when no variant fits, before naming a Rust type.
const UNTAGGED: &str = "data did not match any variant of untagged enum";

/// The three slips that have an obvious repair.
fn hint(expected: &str, value: &Value) -> Option<String> {
    match &value.kind {
        Kind::Float(number) if expected.starts_with("a whole number") => {
            let whole = number.fract() == 0.0 && number.abs() < 1e15;
            whole.then(|| format!("write `{number:.0}`, without a fraction"))
        }
        Kind::String(text) if expected.contains("number") => {
            let finite = text.parse::<f64>().is_ok_and(f64::is_finite);
            finite.then(|| format!("write `{text}`, without quotes"))
        }
        Kind::String(text) if expected.starts_with("`true`") => {
            let truth = matches!(text.as_str(), "true" | "false");
            truth.then(|| format!("write `{text}`, without quotes"))
        }
        Kind::Integer(number) if expected == "a string" => {
            Some(format!("write `\"{number}\"`, with quotes"))
        }
        _ => None,
    }
}

impl fmt::Display for Trouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Mismatch(expected) => write!(f, "expected {expected}"),
            Self::Said(message) | Self::Unknown { message, .. } => f.write_str(message),
            Self::Located(diagnostic) => f.write_str(&diagnostic.message),
        }
    }
}

impl std::error::Error for Trouble {}

impl Error for Trouble {
    fn custom<T: fmt::Display>(message: T) -> Self {
        Self::Said(message.to_string())
    }

    fn invalid_type(_found: Unexpected<'_>, expected: &dyn Expected) -> Self {
        Self::Mismatch(expected.to_string())
    }

    fn invalid_value(_found: Unexpected<'_>, expected: &dyn Expected) -> Self {
        Self::Mismatch(expected.to_string())
    }

    fn invalid_length(_found: usize, expected: &dyn Expected) -> Self {
        Self::Mismatch(expected.to_string())
    }

    fn unknown_variant(variant: &str, expected: &'static [&'static str]) -> Self {
        let choices = || expected.iter().copied();
        Self::Unknown {
            message: format!("unknown choice `{variant}`"),
            help: suggestion(variant, "choose one of", choices(), choices()),
        }
    }

    fn unknown_field(field: &str, expected: &'static [&'static str]) -> Self {
        let [message, help] = of_unknown_key(field, expected.iter().copied());
        Self::Unknown { message, help }
    }

    fn missing_field(field: &'static str) -> Self {
        Self::Said(format!("missing key `{field}`"))
    }

    fn duplicate_field(field: &'static str) -> Self {
        Self::Said(format!("`{field}` is given twice"))
    }
}
