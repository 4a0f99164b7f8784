//! One file per command.

mod advice;
mod change;
mod compare;
pub(crate) mod describe;
pub(crate) mod details;
pub(crate) mod export;
pub(crate) mod fabric;
mod failures;
pub(crate) mod generate;
pub(crate) mod import;
pub(crate) mod list;
pub(crate) mod network;
mod on_cluster;
mod on_mpi;
mod places;
pub(crate) mod plan;
pub(crate) mod replay;
mod replayed;
pub(crate) mod report;
pub(crate) mod route;
pub(crate) mod run;
pub(crate) mod schema;
pub(crate) mod serve;
pub(crate) mod slurm;
pub(crate) mod verify;
