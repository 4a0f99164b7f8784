//! The Python package `turnwise`: what is fast or known only here, for the typed Python code in `turnwise/` beside it.
//!
//! `study` has studies, `planning` what they share with others, `results` what running them gives, `proof` and `routing` what
//! is known of routes, `network` networks, `table` columns for pandas, polars and pyarrow. `worker` simulates points for a
//! cluster, and `gathering` takes in what comes of them. `waiting` keeps Python alive meanwhile, and `failure` says what is
//! wrong as an exception.

mod contents;
mod failure;
mod gathering;
mod network;
mod planning;
mod proof;
mod results;
mod routing;
mod study;
mod table;
mod waiting;
mod worker;

use pyo3::prelude::*;

/// What is written in Rust of the package; use `turnwise` instead.
#[pymodule(gil_used = false)]
mod _native {
    #[pymodule_export]
    use super::contents::{numbers_as_csv, toml_of, whole_numbers_as_csv};
    #[pymodule_export]
    use super::gathering::Gathering;
    #[pymodule_export]
    use super::network::Network;
    #[pymodule_export]
    use super::proof::Proof;
    #[pymodule_export]
    use super::results::Results;
    #[pymodule_export]
    use super::routing::Routing;
    #[pymodule_export]
    use super::study::Study;
    #[pymodule_export]
    use super::table::Table;
    #[pymodule_export]
    use super::worker::Worker;
    #[pymodule_export]
    use super::{build, command, version};
}

/// Does what the command `turnwise` does; returns its exit code.
#[pyfunction]
fn command(py: Python<'_>, arguments: Vec<String>) -> u8 {
    py.detach(|| turnwise::command(arguments.into_iter().map(Into::into)))
}

/// Version and revision of Turnwise: programs of the same build have the same results.
#[pyfunction]
fn build() -> String {
    turnwise_study::Provenance::of_text("", 0).build()
}

/// The version of Turnwise.
#[pyfunction]
fn version() -> &'static str {
    env!("CARGO_PKG_VERSION")
}
