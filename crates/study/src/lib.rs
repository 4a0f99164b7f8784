//! Studies: which questions are asked, and where the answers go.
//!
//! A study passes through these stages, each a module:
//!
//! 1. [`source`]: the study file and its overrides, as a tree with exact positions.
//!    [`scale`]: which of several sizes of the study is meant. [`import`]: studies from other simulators' configurations.
//! 2. [`sweep`]: the points which a study asks about; [`units`]: times, sizes and rates as cycles and flits.
//! 3. [`specification`]: a point's tables, typed (*as written*); [`traffic`], [`workload`]: two of them,
//!    of which a study has one ([`demand`]); [`router`], [`simulation`]: others;
//!    [`buffers`]: a field.
//! 4. [`workshop`] and [`plan`]: networks, routings and routers, built (*as meant*), of [`files`] too,
//!    which are in a folder or in memory ([`supply`]);
//!    [`minimal_hops`]: distances on the networks.
//! 5. [`runner`]: simulation on threads, to which [`handout`] gives points; [`trial`]: of one point; [`saturation`], [`steadiness`], [`warm_up`]: what runs say of
//!    load and warm-up; [`distances`]: measurement on threads; [`proofs`]: what is proved of the whole
//!    study, [`finding`]: of one network and routing;
//!    [`reprogramming`]: of tables that are loaded in the place of others;
//!    [`answers`]: of connections that have one service level for both directions;
//!    [`journals`]: what the ranks of programs did meanwhile.
//! 6. [`store`]: one SQLite file per writer; [`row`], [`results`], [`export`], [`record_batch`], [`tables`],
//!    [`csv_metadata`], [`details`]: results as JSON, in memory, as CSV, as Arrow, as files of any format, what a CSV file is of, and in full; [`columns`]: what their columns are.
//! 7. [`comparison`]: two sets of results against each other.
//! 8. [`naming`]: what points are called; [`reporting`]: the values of a report, which
//!    [`turnwise_report`] draws.
//!
//! Nothing here parses command lines.

pub mod advice;
pub mod answers;

pub mod buffers;
mod cache;
pub mod columns;
pub mod comparison;
pub mod costs;
pub mod csv_metadata;
pub mod demand;
pub mod details;
pub mod distances;
pub mod estimate;
pub mod ethernet;
pub mod export;
pub mod failures;
pub mod fewest;
pub mod files;
pub mod finding;
mod forecast;
pub mod handout;
pub mod import;
mod in_turn;
pub mod journals;
mod latencies;
pub mod memory;
pub mod minimal_hops;
mod misplaced;
mod mistakes;
pub mod naming;
pub mod outline;
pub mod outlook;
pub mod plan;
pub mod processes;
pub mod proof_costs;
pub mod proofs;
pub mod provenance;
pub mod proving;
pub mod record_batch;
pub mod reporting;
pub mod reprogramming;
pub mod results;
pub mod router;
pub mod row;
pub mod runner;
pub mod saturation;
pub mod scale;
pub mod schema;
pub mod searches;
mod settling;
mod several;
pub mod simulation;
pub mod source;
pub mod source_routes;
pub mod specification;
pub mod steadiness;
pub mod store;
pub mod supply;
pub mod sweep;
mod switches;
pub mod tables;
#[cfg(test)]
mod testing;
pub mod traffic;
pub mod trial;
pub mod units;
pub mod walk;
pub mod warm_up;
pub mod workload;
pub mod workshop;

pub use plan::Plan;
pub use provenance::Provenance;
pub use runner::Runner;
pub use source::Source;
pub use workshop::Workshop;

/// The worked examples of `CONTRIBUTING.md`, compiled and run.
#[cfg(doctest)]
#[doc = include_str!("../../../CONTRIBUTING.md")]
pub struct Contributing;
