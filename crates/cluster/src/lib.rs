//! One study on many machines: the points of a study as an array job of Slurm, or handed out by another engine.
//!
//! 1. [`units`]: points in bundles, the costly ones first.
//! 2. [`round`]: the folder of one submission, in which its tasks share the bundles;
//!    [`taker`]: a task that takes them.
//! 3. [`submission`]: the job's script and what `sbatch` is asked; [`tasks`]: what Slurm says of the
//!    job later.
//! 4. [`blame`]: what became of points without a result; [`drive`]: round after round until all
//!    have one.
//!
//! [`gathering`] takes in what workers of other engines, such as Dask's, have simulated.
//!
//! Nothing here simulates: tasks run the command itself, and store results as any run does.

pub mod blame;
pub mod drive;
pub mod error;
pub mod gathering;
pub mod round;
pub mod submission;
pub mod taker;
pub mod tasks;
pub mod units;

pub use drive::{Drive, Driven, News};
pub use error::ClusterError;
pub use gathering::{Delivery, Gathering};
pub use round::Round;
pub use submission::Request;
pub use taker::Taker;
