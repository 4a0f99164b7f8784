//! What every routing algorithm of the registry promises, held to it on every network it fits.
//!
//! Nobody is on a list here: networks come from the registry of topologies, healthy and damaged,
//! algorithms and their variants from the registry of algorithms and its schemas.

#![allow(clippy::unwrap_used)]

#[path = "promises.rs"]
mod promises;
mod registered;
mod sabotage;
mod scratch;
