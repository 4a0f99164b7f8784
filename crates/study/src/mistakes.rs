//! What is wrong with a study, said once.

use std::collections::BTreeSet;
use turnwise_config::diagnostic::{Diagnostic, Span};

/// Hundreds of points tend to be wrong for the same reason: nobody reads more than this.
pub(crate) const ENOUGH: usize = 50;

/// Every error once, in the order of the text; what has no place comes last. Values of a range stand in one place, and the first that does
/// not suit its field speaks for them.
pub(crate) fn distinct(errors: Vec<Diagnostic>) -> Vec<Diagnostic> {
    let mut known = BTreeSet::new();
    let mut distinct = errors;
    distinct.retain(|error| {
        let (place, expected) = said(error);
        let place = place.map(|span| (span.source, span.start, span.end));
        known.insert((place, expected.to_owned()))
    });
    distinct.sort_by_key(|error| match error.place {
        Some(span) => (0, span.source, span.start),
        None => (1, 0, 0),
    });
    distinct
}

/// Where an error is and what was expected there.
pub(crate) fn said(error: &Diagnostic) -> (Option<Span>, &str) {
    let expected = error.message.split(", found ").next();
    (error.place, expected.unwrap_or_default())
}
