//! Several values where one belongs: what those mean who write them is a sweep.

use crate::outline::ROOTS;
use turnwise_config::diagnostic::{Diagnostic, Span};
use turnwise_config::document::Value;

/// The same error, with advice if it is about an array, written in a table of a study, of values that each could be a point's.
pub(crate) fn advise(error: Diagnostic, document: &Value) -> Diagnostic {
    let message = &error.message;
    let is_array = message.contains(", found an array") && !message.contains("expected an array");
    let Some(place) = error.place.filter(|_| is_array) else {
        return error;
    };
    let tables = ROOTS
        .iter()
        .filter_map(|&root| Some((root, document.at_path(root)?)));
    let mut paths = tables.filter_map(|(root, value)| path_to(value, place, root.to_owned()));
    let Some(path) = paths.next() else {
        return error;
    };
    let key = match path.contains('.') {
        true => format!("\"{path}\""),
        false => path,
    };
    let help = match place.source {
        0 => format!("for a point with each of these values, write {key} = [...] in [sweep]"),
        _ => format!("for a point with each of these values: --set 'sweep.{key}=[...]'"),
    };
    error.with_help(help)
}

/// The path of the array that is written at this place, in a value of this path. Elements of arrays have none.
fn path_to(value: &Value, place: Span, path: String) -> Option<String> {
    if let Some(elements) = value.array() {
        // `sizes = [[4, 4], [8, 8]]`: each would do for itself.
        let are_arrays = || elements.iter().all(|element| element.array().is_some());
        let is_element = || elements.iter().any(|element| element.span == place);
        return (value.span == place || is_element() && are_arrays()).then_some(path);
    }
    let mut entries = value.table()?.iter();
    entries.find_map(|(key, inner)| path_to(inner, place, format!("{path}.{}", key.name)))
}
