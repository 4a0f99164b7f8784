//! The Angara rules against the published numbers, an independent enumeration, and each other.
#![allow(clippy::unwrap_used, reason = "tests and their helpers may")]

mod balanced;
mod enumerator;
mod generators;
mod rules;
mod systems;
