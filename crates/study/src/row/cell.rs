//! What a row has for a column.

use super::numbers::rounded;
use serde::{Deserialize, Serialize};
use serde_json::{Number, Value as Json};

/// What a row has for a column.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Cell {
    /// Yes or no.
    Flag(bool),
    /// A figure.
    Number(Number),
    /// A word.
    Text(Box<str>),
    /// Nothing: it was not measured.
    #[default]
    Nothing,
}

impl Cell {
    pub(super) fn type_name(&self) -> &'static str {
        match self {
            Self::Flag(_) => "truth value",
            Self::Number(_) => "number",
            Self::Text(_) => "text",
            Self::Nothing => "nothing",
        }
    }
}

impl<V: Into<Cell>> From<Option<V>> for Cell {
    fn from(value: Option<V>) -> Self {
        value.map_or(Self::Nothing, V::into)
    }
}

/// Rounded to nine digits, see [`number`](super::number).
impl From<f64> for Cell {
    fn from(value: f64) -> Self {
        rounded(value).map_or(Self::Nothing, Self::Number)
    }
}

impl From<u64> for Cell {
    fn from(value: u64) -> Self {
        Self::Number(value.into())
    }
}

impl From<bool> for Cell {
    fn from(value: bool) -> Self {
        Self::Flag(value)
    }
}

impl From<&str> for Cell {
    fn from(text: &str) -> Self {
        Self::Text(text.into())
    }
}

impl From<Cell> for Json {
    fn from(cell: Cell) -> Self {
        match cell {
            Cell::Flag(flag) => flag.into(),
            Cell::Number(number) => Self::Number(number),
            Cell::Text(text) => Self::String(text.into()),
            Cell::Nothing => Self::Null,
        }
    }
}
