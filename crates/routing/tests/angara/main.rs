//! The Angara rules against the published numbers, an independent enumeration, and each other.
#![allow(clippy::unwrap_used, reason = "tests and their helpers may")]

mod balanced;
mod cases;
mod enumerator;
mod generators;
mod idle_nodes;
mod rules;
mod systems;
