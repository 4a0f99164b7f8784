//! What is wrong with a study, said once.

use turnwise_config::diagnostic::{Diagnostic, Span};

/// Hundreds of points tend to be wrong for the same reason: nobody reads more than this.
pub(crate) const ENOUGH: usize = 50;

/// Every error once, in the order of the text; what has no place comes last. Values of a range stand in one place, and the first that does
/// not suit its field speaks for them.
pub(crate) fn distinct(errors: Vec<Diagnostic>) -> Vec<Diagnostic> {
    let mut distinct: Vec<Diagnostic> = Vec::new();
    for error in errors {
        if !distinct.iter().any(|known| said(known) == said(&error)) {
            distinct.push(error);
        }
    }
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
