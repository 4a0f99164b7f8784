//! `--set key=value`: a dotted path and a value, put on top of the file.
//!
//! The value is TOML, except that a bare word such as `valiant` or `10 ns` stands for
//! itself. Below `sweep.` everything is one key, because a sweep's keys are paths
//! themselves: `--set sweep.traffic.load=[0.1,0.2]`, also in quotes, as in a file.

use turnwise_config::diagnostic::Diagnostic;
use turnwise_config::document::{Key, Kind, Step, Table, Value, steps};

use super::{span, toml};

/// Applies override number `source` to the tree.
pub(super) fn apply(tree: &mut Value, source: u16, text: &str, errors: &mut Vec<Diagnostic>) {
    let Some((left, right)) = text.split_once('=') else {
        let all = span(source, 0..text.len());
        let error = Diagnostic::at(all, format!("`{text}` sets nothing"));
        errors.push(error.with_help("write key=value, such as traffic.load=0.4"));
        return;
    };
    let key = trimmed(left, 0);
    let path = &text[key.clone()];
    let place = span(source, key);
    if path.is_empty() || steps(path).contains(&Step::Key("")) {
        let error = Diagnostic::at(place, format!("`{path}` is not the path of a field"));
        errors.push(error.with_help("write names with dots between them, such as traffic.load"));
        return;
    }
    let Some(value) = value(text, trimmed(right, left.len() + 1), source, errors) else {
        return;
    };
    let outcome = match path.strip_prefix("sweep.") {
        Some(swept) => {
            let name = unquoted(swept).to_owned();
            set_swept(tree, Key { name, span: place }, value)
        }
        None => tree
            .set_path(path, place, value)
            .map_err(|invalid| invalid.to_string()),
    };
    if let Err(message) = outcome {
        errors.push(Diagnostic::at(place, message));
    }
}

/// Puts a key into `[sweep]`, which may have to be made.
pub(crate) fn set_swept(tree: &mut Value, key: Key, value: Value) -> Result<(), String> {
    let span = key.span;
    if tree.at_path("sweep").is_none() {
        let empty = Value::new(span, Kind::Table(Table::default()));
        tree.set_path("sweep", span, empty)
            .map_err(|invalid| invalid.to_string())?;
    }
    let sweep = tree.table_mut().and_then(|root| root.get_mut("sweep"));
    let Some(table) = sweep.and_then(Value::table_mut) else {
        return Err("sweep: is not a table".to_owned());
    };
    table.insert(key, value);
    Ok(())
}

fn value(
    text: &str,
    range: std::ops::Range<usize>,
    source: u16,
    errors: &mut Vec<Diagnostic>,
) -> Option<Value> {
    let place = span(source, range.clone());
    let written = &text[range.clone()];
    if written.is_empty() {
        let error = Diagnostic::at(place, "a value is missing");
        errors.push(error.with_help("an empty string is written \"\""));
        return None;
    }
    match toml::value(written, source, range.start, errors) {
        Ok(value) => value,
        Err(_) if !written.starts_with(['"', '\'', '[', '{']) => {
            Some(Value::new(place, Kind::String(written.to_owned())))
        }
        Err(syntax) => {
            // The first mistake in one value is the only one that is not an echo.
            let first = syntax
                .iter()
                .min_by_key(|error| error.span().map(|span| span.start));
            errors.extend(first.map(|error| toml::describe(error, written, source, range.start)));
            None
        }
    }
}

/// A key without the quotes around it.
fn unquoted(key: &str) -> &str {
    let inside = |quote: char| key.strip_prefix(quote)?.strip_suffix(quote);
    inside('"').or_else(|| inside('\'')).unwrap_or(key)
}

/// Where `part`, which starts at `offset`, is without the blanks around it.
fn trimmed(part: &str, offset: usize) -> std::ops::Range<usize> {
    let start = offset + part.len() - part.trim_start().len();
    start..start + part.trim().len()
}
