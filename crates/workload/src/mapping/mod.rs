//! Who sends how much to whom, what that puts on channels, and places where it puts less.
//!
//! `matrix` counts what a program sends, `routes` says which channels a pair uses, `loads` adds both up, `search` moves ranks.

mod loads;
mod matrix;
mod routes;
mod search;

pub(crate) use loads::Loads;
pub(crate) use matrix::Matrix;
pub(crate) use routes::Routes;
pub(crate) use search::search;
