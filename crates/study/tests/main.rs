//! All tests of this crate in one program, which is linked once and keeps all cores busy: one file of them by its name,
//! `cargo test -p turnwise-study --test it dragonfly::`.
#![allow(clippy::unwrap_used, reason = "tests and their helpers may")]

// What they share.
mod angara_failures;
mod angara_kinds;
mod angara_page;
mod comparison;
mod informed_page;
mod machines_page;
mod megafly_page;
mod pages;
mod propagation_page;
mod random_studies;
mod rhinet2_page;
mod sampling;
mod stack;

// The tests.
mod angara;
#[path = "booksim.rs"]
mod booksim;
mod channel_course;
mod collectives;
mod compared;
mod damaged_tori;
mod dead_parts;
mod detours;
mod dragonfly;
mod engines;
mod escape;
mod ethernet;
mod failing_parts;
mod foreseen;
mod herding;
mod idle;
mod imports;
mod informed;
mod lane_pace;
mod machines;
mod megafly;
mod megafly_studies;
mod oblivious;
mod phantom;
mod phases;
mod placement;
mod processes;
mod programs;
mod propagation;
mod protocol;
mod random_fabrics;
mod revision;
mod rhinet2;
mod saturation;
mod short_windows;
mod side_by_side;
mod slow_cables;
mod source_queue;
#[path = "supersim.rs"]
mod supersim;
mod traffic;
mod transients;
mod units;
mod verdicts;
mod workload;
mod zero_load;
