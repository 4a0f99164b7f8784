//! Settings that a study has in another table than theirs.

use crate::outline::TABLES;
use crate::schema::tables_with;
use turnwise_config::diagnostic::{Diagnostic, Span, enumerated};
use turnwise_config::document::Value;

/// What more tables than this have, such as a kind, belongs to none in particular.
const MOST_TABLES: usize = 3;

/// Of a key that its table does not have, says which tables have it.
pub(crate) fn advise(mut error: Diagnostic, document: &Value) -> Diagnostic {
    let Some((name, place)) = error
        .message
        .strip_prefix("unknown key `")
        .and_then(|rest| Some((rest.strip_suffix('`')?, error.place?)))
    else {
        return error;
    };
    let tables = TABLES
        .iter()
        .filter(|table| !["sweep", "scale"].contains(table))
        .filter_map(|&name| Some((name, document.at_path(name)?)));
    let mut holders = tables.filter(|(_, table)| has(table, place));
    let Some((holder, table)) = holders.next() else {
        return error;
    };
    let mut others = tables_with(name);
    if others.contains(&holder) {
        // With another kind, or further out.
        let is_inside = table.table().is_some_and(|table| {
            let mut tables = table.iter().filter(|(_, value)| value.table().is_some());
            tables.any(|(_, value)| has(value, place))
        });
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

/// Is the key at this place one of this value's, or of a table further in?
fn has(value: &Value, place: Span) -> bool {
    if let Some(elements) = value.array() {
        return elements.iter().any(|element| has(element, place));
    }
    let mut entries = value.table().into_iter().flat_map(|table| table.iter());
    entries.any(|(key, value)| key.span == place || has(value, place))
}
