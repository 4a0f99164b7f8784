//! What every routing algorithm of the registry promises, held to it on every network it fits.
//!
//! Nobody is on a list here: networks come from the registry of topologies, healthy and damaged,
//! algorithms and their variants from the registry of algorithms and its schemas.

#![allow(clippy::unwrap_used)]

mod arrival;
mod choices;
mod classes_apart;
mod deadlock;
#[path = "../../../network/tests/common/examples.rs"]
mod examples;
mod faults;
mod graph;
mod order;
mod registered;
mod sabotage;
mod scratch;
mod starts;
mod subjects;
mod terminals;
mod variants;
mod virtual_channels;
#[path = "../../../network/tests/common/written.rs"]
mod written;

use subjects::Subject;

/// One promise: what it is called, and the first proof that a subject breaks it.
type Promise = (&'static str, fn(&Subject<'_>) -> Result<(), String>);

/// All that is promised by whoever is in the registry.
const PROMISES: &[Promise] = &[
    ("arrival", arrival::check),
    ("choices", choices::check),
    ("settled", choices::check_settled),
    ("starts", starts::check),
    ("classes apart", classes_apart::check),
    ("virtual channels", virtual_channels::check),
    ("faults", faults::check),
    ("deadlock", deadlock::check),
    ("order", order::check),
    ("terminals", terminals::check),
];
