//! How processes of one simulation talk to each other: by MPI, where that was built in (feature `mpi`).
//!
//! Without the feature there is the same interface and nobody to talk to, so that everybody else builds alike and
//! users are told what is missing.

#[cfg(feature = "mpi")]
mod session;
#[cfg(not(feature = "mpi"))]
#[path = "without.rs"]
mod session;

pub use session::Session;

/// No processes to talk to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoMpi {
    /// This program was built without it.
    #[error(
        "this turnwise was built without MPI; `cargo build --release --package turnwise --features mpi` builds one with it, see docs/cluster.md"
    )]
    NotBuilt,
    /// MPI does not start, or not for programs with threads; or nobody can hear when it ends us.
    #[error("MPI does not start, or not for a program with several threads")]
    NotStarted,
}
