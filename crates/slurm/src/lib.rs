//! Tables for the jobs of a cluster that Slurm runs on a torus.
//!
//! 1. [`site`]: the torus, its hosts, what has failed, how jobs are routed.
//! 2. [`tables`]: the proved tables of one job; [`blame`]: why there are none.
//! 3. [`manifest`]: what is written about them; [`spool`]: folders that are whole or absent.
//! 4. [`select`]: which nodes a job should have; [`boxes`]: the sub-tori it may choose from.
//! 5. [`topology`]: the torus as Slurm's own scheduler can understand it.

pub mod blame;
pub mod boxes;
pub mod manifest;
pub mod select;
pub mod site;
pub mod spool;
pub mod tables;
pub mod topology;

pub use site::Site;
pub use tables::{JobTables, Trouble};
