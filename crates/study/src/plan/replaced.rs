//! What a study says where its sweep says something else: read all the same, and refused where it would be lost without a word.

use crate::specification::{Scope, Specification};
use crate::sweep::Sweep;
use turnwise_config::diagnostic::{Diagnostic, Span};
use turnwise_config::document::{Value, steps};

/// What is wrong with values that the sweep replaces: once it is gone, they are what the study means. Tables of which it leaves nothing need
/// not be whole, but what is in them must make sense, and not be thought to count.
pub(crate) fn mistakes(document: &Value, sweep: &Sweep, scope: Scope) -> Vec<Diagnostic> {
    let mut places = Vec::new();
    for (_, value, _) in sweep.replaced(document) {
        match value.table() {
            Some(_) => inside(value, &mut places),
            None => places.push(value.span),
        }
    }
    if places.is_empty() {
        return Vec::new();
    }
    let read = Specification::read(sweep.base(), scope);
    let mut errors = read.err().unwrap_or_default();
    errors.retain(|error| {
        let is_here = |place: &Span| error.place.is_some_and(|at| place.contains(at));
        places.iter().any(is_here)
    });
    // What makes no sense is said to, and no more.
    let known: Vec<Option<Span>> = errors.iter().map(|error| error.place).collect();
    let lost = lost(document, sweep).into_iter();
    errors.extend(lost.filter(|lost| !known.contains(&lost.place)));
    errors
}

/// Where keys and values of a table are written, and of all tables in it.
fn inside(value: &Value, places: &mut Vec<Span>) {
    for (key, value) in value.entries() {
        places.push(key.span);
        match value.table() {
            Some(_) => inside(value, places),
            None => places.push(value.span),
        }
    }
}

/// Fields of tables that are swept as a whole, whose values know nothing of them. Where both say what they are, only values of the same
/// kind are asked: a torus has no use for the groups of a dragonfly. Who sweeps a table on the command line means to replace the file's, as
/// with any other override.
fn lost(document: &Value, sweep: &Sweep) -> Vec<Diagnostic> {
    let mut errors = Vec::new();
    for (path, written, values) in sweep.replaced(document) {
        let written_there = |value: &&Value| value.span.source == written.span.source;
        let values: Vec<Option<&Value>> = values.iter().filter(written_there).map(Some).collect();
        let message = format!("the sweep over `{path}` replaces this");
        let mut tell = |place| {
            let help = "remove it here; values of the sweep that are to have it say it themselves";
            errors.push(Diagnostic::at(place, &message).with_help(help));
        };
        lost_of(path, written, &values, sweep, &mut tell);
    }
    errors
}

/// What a table says it is.
fn kind(value: &Value) -> Option<String> {
    let kinds = ["kind", "pattern"].into_iter();
    let mut kinds = kinds.filter_map(|name| Some(value.at_path(name)?.canonical()));
    kinds.next()
}

/// Those of a table at a path, where each value has another table, something else, or nothing.
fn lost_of(
    path: &str,
    written: &Value,
    values: &[Option<&Value>],
    sweep: &Sweep,
    tell: &mut dyn FnMut(Span),
) {
    let own = kind(written);
    let is_alike = |value: &Value| value.table().is_some() && (own.is_none() || kind(value) == own);
    let values: Vec<Option<&Value>> = values
        .iter()
        .copied()
        .filter(|value| value.is_none_or(is_alike))
        .collect();
    for (key, field) in written.entries() {
        let own = format!("{path}.{}", key.name);
        let inner: Vec<Option<&Value>> = values
            .iter()
            .map(|value| value.and_then(|value| value.table()?.get(&key.name)))
            .collect();
        let (is_missing, is_swept) = (inner.contains(&None), sweep.sweeps_within(&steps(&own)));
        match field.table() {
            // What is in it may be swept on its own, or be in what the values have.
            Some(_) if is_swept || !is_missing => lost_of(&own, field, &inner, sweep, tell),
            None if is_swept => {}
            _ if is_missing => tell(key.span),
            _ => {}
        }
    }
}
