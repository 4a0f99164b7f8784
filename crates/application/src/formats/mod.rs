//! Files that programs are read from and written to, one module for each format.

pub mod goal;
