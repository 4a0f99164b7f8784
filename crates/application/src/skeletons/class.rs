//! How large a problem is.

use schemars::JsonSchema;
use serde::Deserialize;
use std::fmt;

/// A class of problems, from the smallest to the largest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize, JsonSchema)]
pub enum Class {
    /// For tests.
    S,
    /// For a workstation of 1994.
    W,
    /// For machines of the nineties; each following class is about four times larger.
    A,
    /// As above.
    B,
    /// As above.
    C,
    /// Sixteen times larger.
    D,
    /// Sixteen times larger again.
    E,
}

impl Class {
    /// All of them.
    pub const ALL: [Self; 7] = [
        Self::S,
        Self::W,
        Self::A,
        Self::B,
        Self::C,
        Self::D,
        Self::E,
    ];

    /// What a table by class has for this one.
    pub(super) fn of<T: Copy>(self, table: [T; 7]) -> T {
        table[self as usize]
    }
}

impl fmt::Display for Class {
    fn fmt(&self, text: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self, text)
    }
}
