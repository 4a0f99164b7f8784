//! Settings that a study has in another table than theirs.

use crate::schema::tables_with;
use turnwise_config::diagnostic::{Diagnostic, Span, enumerated, which_unknown_key};
use turnwise_config::document::{Key, Value};

/// What more tables than this have, such as a kind, belongs to none in particular.
const MOST_TABLES: usize = 3;

/// Of a key that its table does not have, says which tables have it.
pub(crate) fn advise(mut error: Diagnostic, document: &Value) -> Diagnostic {
    let (Some(name), Some(place)) = (which_unknown_key(&error), error.place) else {
        return error;
    };
    let Some((holder, table)) = holder(document, place) else {
        return error;
    };
    let mut others = tables_with(name);
    if others.contains(&holder) {
        // With another kind, or further out.
        let mut inside = table.entries().filter(|(_, value)| value.table().is_some());
        let is_inside = inside.any(|(_, value)| has(value, place));
        others.retain(|&other| is_inside && other == holder);
    }
    if (1..=MOST_TABLES).contains(&others.len()) {
        let others: Vec<String> = others.iter().map(|table| format!("[{table}]")).collect();
        let told = format!("`{name}` is a setting of {}", enumerated(&others));
        let help = error.help.take().map(|help| format!("{told}; {help}"));
        error.help = Some(help.unwrap_or(told));
    }
    error
}

/// The table that has the key at this place, and what is written of it there: itself, or values of a sweep or of a scale.
fn holder(document: &Value, place: Span) -> Option<(&str, &Value)> {
    let of = |name| entries_at(document, name);
    let scales = of("scale").flat_map(|(_, scale)| scale.entries());
    let own = document
        .entries()
        .filter(|(key, _)| !["sweep", "scale"].contains(&&*key.name));
    let mut all = own.chain(of("sweep")).chain(scales);
    let (key, value) = all.find(|(key, value)| key.span == place || has(value, place))?;
    Some((key.name.split('.').next()?, value))
}

fn entries_at<'a>(document: &'a Value, name: &str) -> impl Iterator<Item = (&'a Key, &'a Value)> {
    document.at_path(name).into_iter().flat_map(Value::entries)
}

/// Is the key at this place one of this value's, or of a table further in?
fn has(value: &Value, place: Span) -> bool {
    let mut elements = value.array().into_iter().flatten();
    elements.any(|element| has(element, place))
        || value
            .entries()
            .any(|(key, value)| key.span == place || has(value, place))
}
