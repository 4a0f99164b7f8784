//! The language of studies, whatever is said in it: text with exact positions, and what is wrong with it.
//!
//! * [`document`]: the tree of a text, whose every value knows its place; serde reads from it.
//! * [`diagnostic`]: complaints about a place, and the name that was probably meant. A [`Flaw`] is
//!   one about what is in a [`File`] beside the study.
//! * [`hostlist`]: Slurm's notation for many hosts.
//! * [`registry`]: tables of things that can be named in a study.
//! * [`units`]: quantities with their units.
//! * [`visible`]: text of unknown origin, safe to show.
//!
//! Nothing here knows what a network is.

pub mod diagnostic;
pub mod document;
mod flaw;
pub mod hostlist;
pub mod registry;
pub mod units;
pub mod visible;

pub use diagnostic::{Complaint, Diagnostic, Invalid, Span};
pub use flaw::{File, Flaw};
