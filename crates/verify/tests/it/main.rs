//! Tests of the verifier through its public API, one file a question.
//!
//! The routings in [`toys`] are written for these tests: the verifier must not depend on
//! real algorithms, and oracles must share no code with what they judge.
#![allow(clippy::unwrap_used, reason = "tests and their helpers may")]

mod bounds;
mod bubble;
mod checker;
mod deadlock;
mod escape;
mod forwarding;
mod invariants;
mod loads;
mod networks;
mod oracle;
mod phases;
mod protocol;
mod protocol_escape;
mod reachability;
mod sharing;
mod starts;
mod toys;
