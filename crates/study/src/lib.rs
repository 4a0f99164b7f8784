//! Studies: which questions are asked, and where the answers go.
//!
//! A study passes through these stages, each a module:
//!
//! 1. [`source`]: the study file and its overrides, as a tree with exact positions.
//! 2. [`sweep`]: the points which a study asks about.
//! 3. [`specification`]: a point's tables, typed (*as written*).
//! 4. [`workshop`] and [`plan`]: networks, routings and routers, built (*as meant*);
//!    [`minimal_hops`]: distances on the networks.
//! 5. [`runner`]: simulation on threads; [`distances`]: measurement on threads; [`finding`]:
//!    proof and quality.
//! 6. [`store`]: one SQLite file per writer; [`row`], [`export`]: results as JSON and CSV.
//! 7. [`reporting`] and [`report`]: one self-contained HTML page.
//!
//! [`slurm`] stands apart: tables for the jobs of a cluster, described by a site file.
//!
//! Nothing here parses command lines.

pub mod distances;
pub mod estimate;
pub mod export;
pub mod finding;
mod forecast;
pub mod minimal_hops;
pub mod plan;
pub mod provenance;
pub mod report;
pub mod reporting;
pub mod row;
pub mod runner;
pub mod schema;
pub mod slurm;
pub mod source;
pub mod source_routes;
pub mod specification;
pub mod store;
pub mod sweep;
pub mod walk;
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
