//! Paths as they are written in `[sweep]` and `[scale]`: in one piece, `"traffic.load" = ...`, or in
//! steps, `traffic.load = ...`, which is a table in a table.

use turnwise_config::document::{Key, Step, Table, Value, steps};

/// What a key says, field by field.
pub(crate) fn flat(key: Key, value: &Value) -> Vec<(Key, &Value)> {
    let Some(inner) = steps_in(value) else {
        return vec![(key, value)];
    };
    let fields = inner.iter().flat_map(|(within, value)| {
        let name = format!("{}.{}", key.name, within.name);
        let span = within.span;
        flat(Key { name, span }, value)
    });
    fields.collect()
}

/// A table that is a part of a path, and not what a field runs through.
fn steps_in(value: &Value) -> Option<&Table> {
    let table = value.table()?;
    (!table.is_empty() && !is_range(table)).then_some(table)
}

/// What `[sweep]` has the field at `path` run through, to be changed.
pub(crate) fn swept_mut<'a>(
    sweep: &'a mut Table,
    outer: &str,
    path: &[Step<'_>],
) -> Option<&'a mut Value> {
    for (key, value) in sweep.iter_mut() {
        let name = match outer {
            "" => key.name.clone(),
            outer => format!("{outer}.{}", key.name),
        };
        if steps_in(value).is_none() {
            if steps(&name) == path {
                return Some(value);
            }
        } else if let Some(found) = value
            .table_mut()
            .and_then(|inner| swept_mut(inner, &name, path))
        {
            return Some(found);
        }
    }
    None
}

fn is_range(table: &Table) -> bool {
    let words = ["from", "to", "step", "count"];
    words.iter().any(|word| table.get(word).is_some())
}
