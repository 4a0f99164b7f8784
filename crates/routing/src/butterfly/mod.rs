//! Butterflies: one way from each input to each output.

pub(crate) mod destination_tag;

pub use destination_tag::DestinationTag;
