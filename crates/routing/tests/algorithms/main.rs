//! What every routing algorithm promises, held to it on small networks of every kind.

#![allow(clippy::unwrap_used, clippy::box_default)]

mod adaptive;
mod booksim;
mod cases;
mod classes;
mod explore;
mod faults;
mod healthy;
mod in_transit;
mod in_turn;
mod irregular;
mod lane_changes;
mod lenses;
mod megafly;
mod message_classes;
mod par_sst;
mod parameters;
mod properties;
mod turn_models;
#[path = "../../../network/tests/common/written.rs"]
mod written;
