//! Tables for the jobs of a cluster that Slurm runs on a torus.
//!
//! 1. [`hostlist`]: Slurm's notation for many hosts.
//! 2. [`site`]: the torus, its hosts, what has failed, how jobs are routed.
//! 3. [`tables`]: the proved tables of one job; [`blame`]: why there are none.
//! 4. [`manifest`]: what is written about them; [`spool`]: folders that are whole or absent.
//! 5. [`select`]: which nodes a job should have; [`boxes`]: the sub-tori it may choose from.
//! 6. [`topology`]: the torus as Slurm's own scheduler can understand it.

pub mod blame;
pub mod boxes;
pub mod hostlist;
pub mod manifest;
pub mod select;
pub mod site;
pub mod spool;
pub mod tables;
pub mod topology;

pub use site::Site;
pub use tables::{JobTables, Trouble};
