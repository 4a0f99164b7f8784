//! All tests of this crate in one program, which is linked once and keeps all cores busy: one file of them by its name,
//! `cargo test -p turnwise-sim --test it deadlock::`.
#![allow(clippy::unwrap_used, reason = "tests and their helpers may")]

// What they share.
mod configurations;
mod storms;
mod toys;

// The tests.
mod accounting;
mod again;
mod allocators;
mod bubble;
mod choices;
mod closed_loop;
mod crossbar;
mod deadlock;
mod determinism;
mod head_of_line;
mod invariants;
mod laps;
mod order;
mod piggyback;
mod plain;
mod ports;
mod queues;
mod sight;
mod threads;
mod waiting;
mod zero_load;
