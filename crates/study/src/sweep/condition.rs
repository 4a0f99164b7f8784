//! `where`: which combinations of a sweep become points.

mod parse;
mod tokens;

use std::cmp::Ordering;

use turnwise_config::diagnostic::{Diagnostic, Span};
use turnwise_config::document::{Kind, Value};

use self::tokens::Operator;
use super::axes::Axes;
use crate::units::Units;

/// What the names in a condition can refer to.
#[derive(Clone, Copy)]
pub(super) struct Scope<'a> {
    pub(super) axes: &'a Axes,
    pub(super) base: &'a Value,
    /// How values with units beside a name are to be understood.
    pub(super) units: &'a Units,
}

/// A condition with its names looked up.
#[derive(Debug)]
pub(super) enum Condition {
    All(Vec<Condition>),
    Any(Vec<Condition>),
    Not(Box<Condition>),
    Compare {
        left: Operand,
        operator: Operator,
        right: Operand,
        place: Span,
    },
    /// A single truth value.
    Is(Operand, Span),
}

#[derive(Debug)]
pub(super) enum Operand {
    /// Written in the condition, or the same in all points.
    Constant(Value),
    /// What lies at a path inside the value of a swept field.
    Swept { axis: usize, rest: String },
}

impl Condition {
    /// Reads a condition, or a list of them.
    pub(super) fn read(
        value: &Value,
        scope: Scope<'_>,
        errors: &mut Vec<Diagnostic>,
    ) -> Vec<Condition> {
        let single = std::slice::from_ref(value);
        let mut conditions = Vec::new();
        for written in value.array().unwrap_or(single) {
            let parsed = match written.as_str() {
                Some(text) => parse::condition(text, written.span, scope),
                None => {
                    let message = format!("expected a condition, found {}", written.describe());
                    let help = "write where = \"traffic.load <= 0.3\"";
                    Err(Diagnostic::at(written.span, message).with_help(help))
                }
            };
            match parsed {
                Ok(condition) => conditions.push(condition),
                Err(error) => errors.push(error),
            }
        }
        conditions
    }

    /// Whether it holds where the swept fields have the `chosen` values.
    ///
    /// # Errors
    ///
    /// When values are compared that have no order.
    pub(super) fn holds<'v>(
        &'v self,
        chosen: &dyn Fn(usize) -> &'v Value,
    ) -> Result<bool, Diagnostic> {
        match self {
            Self::All(parts) => decided_by(false, parts, chosen),
            Self::Any(parts) => decided_by(true, parts, chosen),
            Self::Not(part) => part.holds(chosen).map(|holds| !holds),
            Self::Compare {
                left,
                operator,
                right,
                place,
            } => match (left.value(chosen), right.value(chosen)) {
                (Some(left), Some(right)) => compare(left, *operator, right)
                    .map_err(|message| Diagnostic::at(*place, message)),
                _ => Ok(*operator == Operator::NotEqual),
            },
            Self::Is(operand, place) => match operand.value(chosen) {
                Some(value) => value.as_bool().ok_or_else(|| {
                    let found = value.describe();
                    let message = format!("expected `true` or `false`, found {found}");
                    Diagnostic::at(*place, message).with_help("compare it with something")
                }),
                None => Ok(false),
            },
        }
    }
}

fn decided_by<'v>(
    decisive: bool,
    parts: &'v [Condition],
    chosen: &dyn Fn(usize) -> &'v Value,
) -> Result<bool, Diagnostic> {
    for part in parts {
        if part.holds(chosen)? == decisive {
            return Ok(decisive);
        }
    }
    Ok(!decisive)
}

impl Operand {
    fn value<'v>(&'v self, chosen: &dyn Fn(usize) -> &'v Value) -> Option<&'v Value> {
        match self {
            Self::Constant(value) => Some(value),
            Self::Swept { axis, rest } => chosen(*axis).at_path(rest),
        }
    }
}

fn compare(left: &Value, operator: Operator, right: &Value) -> Result<bool, String> {
    let order = match (&left.kind, &right.kind) {
        (Kind::Integer(left), Kind::Integer(right)) => Some(left.cmp(right)),
        (Kind::String(left), Kind::String(right)) if operator.is_equality() => {
            Some(left.cmp(right))
        }
        (Kind::Boolean(left), Kind::Boolean(right)) if operator.is_equality() => {
            Some(left.cmp(right))
        }
        _ => match (left.as_f64(), right.as_f64()) {
            (Some(left), Some(right)) => left.partial_cmp(&right),
            _ if operator.is_equality() && is_scalar(left) && is_scalar(right) => None,
            _ => {
                return Err(format!(
                    "`{}` cannot compare {} with {}",
                    operator.text(),
                    left.describe(),
                    right.describe()
                ));
            }
        },
    };
    Ok(match operator {
        Operator::Equal => order == Some(Ordering::Equal),
        Operator::NotEqual => order != Some(Ordering::Equal),
        Operator::Less => order == Some(Ordering::Less),
        Operator::LessOrEqual => order.is_some_and(Ordering::is_le),
        Operator::Greater => order == Some(Ordering::Greater),
        Operator::GreaterOrEqual => order.is_some_and(Ordering::is_ge),
    })
}

fn is_scalar(value: &Value) -> bool {
    !matches!(value.kind, Kind::Array(_) | Kind::Table(_))
}

#[cfg(test)]
mod tests;
