//! The sizes that a study may have: `[scale.NAME]` says what is different at a scale, `study.scale` which
//! one is meant.
//!
//! ```toml
//! [scale.quick]
//! "simulation.measure_cycles" = 1_000   # a field
//! "traffic.load" = [0.1, 0.3]           # what a swept field runs through instead
//! "sweep.where" = "traffic.load < 0.3"  # below `sweep`, as in `--set`
//! ```
//!
//! A scale lies between the file and the overrides: it changes what the file says, and `--set` changes
//! the result, so that nothing but values comes of it. Points are told by these, and two scales that
//! have a point in common share its result.
//!
//! Scales that are not meant are looked at too, as far as their own words and types go, for otherwise
//! a mistake in one would wait for the day on which it is asked for.

use crate::mistakes::{ENOUGH, distinct};
use crate::outline::{FULL, TABLES};
use crate::plan::replaced;
use crate::schema;
use crate::source::{Source, set_swept};
use crate::specification::{Scope, Specification};
use crate::sweep::{Sweep, flat, swept_mut};
use crate::units::Units;
use turnwise_config::diagnostic::{Diagnostic, Span, suggestion};
use turnwise_config::document::{Key, Kind, Step, Table, Value, steps};

/// The study at the scale that it names: `document`, which is the file with its overrides, if that is
/// the full one.
///
/// # Errors
/// What is wrong with `[scale]` and `study.scale`.
pub fn scaled(source: &Source, document: &Value) -> Result<Value, Vec<Diagnostic>> {
    let mut errors = Vec::new();
    let scales = read(document, &mut errors);
    // A scale that could not be read is there all the same, so this comes before the question which one.
    if !errors.is_empty() {
        return Err(errors);
    }
    let asked = document.at_path("study.scale");
    let asked = asked.and_then(|value| Some((value.span, value.as_str()?)));
    let Some((place, name)) = asked.filter(|(_, name)| *name != FULL) else {
        return Ok(document.clone());
    };
    let scale = find(&scales, place, name).map_err(|error| vec![error])?;
    let mut tree = source.file(&mut errors);
    scale.lie_over(&mut tree, &mut errors);
    source.put_overrides(&mut tree, &mut errors);
    match errors.is_empty() {
        true => Ok(tree),
        false => Err(errors),
    }
}

/// What can be said against the scales that are not meant, whatever the overrides.
pub fn mistakes_elsewhere(source: &Source, document: &Value, scope: Scope) -> Vec<Diagnostic> {
    let meant = document.at_path("study.scale").and_then(Value::as_str);
    let scales = read(document, &mut Vec::new());
    let others = scales.iter().filter(|scale| Some(scale.name) != meant);
    let mistakes = others.flat_map(|scale| scale.mistakes(source, scope));
    mistakes.collect()
}

/// One `[scale.NAME]`.
struct Scale<'a> {
    name: &'a str,
    /// Paths and what stands there, the paths in one piece.
    fields: Vec<(Key, &'a Value)>,
}

fn read<'a>(document: &'a Value, errors: &mut Vec<Diagnostic>) -> Vec<Scale<'a>> {
    let Some(scales) = document.at_path("scale") else {
        return Vec::new();
    };
    let mut found = Vec::new();
    for (key, value) in table(scales, "a table of scales", errors)
        .iter()
        .flat_map(|table| table.iter())
    {
        if key.name == FULL {
            let message = format!("`{FULL}` is the study as it is written");
            let help = "give the scale another name, for example [scale.quick]";
            errors.push(Diagnostic::at(key.span, message).with_help(help));
            continue;
        }
        let Some(table) = table(value, "a table of fields", errors) else {
            continue;
        };
        let fields = table.iter().filter(|(key, _)| is_known(key, errors));
        let fields = fields.flat_map(|(key, value)| flat(key.clone(), value));
        let fields: Vec<(Key, &Value)> = fields.collect();
        fields.iter().for_each(|(key, _)| refuse(key, errors));
        let name = &key.name;
        found.push(Scale { name, fields });
    }
    found
}

fn table<'a>(value: &'a Value, what: &str, errors: &mut Vec<Diagnostic>) -> Option<&'a Table> {
    if value.table().is_none() {
        let message = format!("expected {what}, found {}", value.describe());
        let help = "write [scale.quick], and below it what is different at that scale";
        errors.push(Diagnostic::at(value.span, message).with_help(help));
    }
    value.table()
}

/// Does the path lie in a table that can be different at a scale?
fn is_known(key: &Key, errors: &mut Vec<Diagnostic>) -> bool {
    let known = || TABLES.iter().copied().filter(|table| *table != "scale");
    let root = match steps(&key.name).first() {
        Some(Step::Key(root)) => *root,
        _ => "",
    };
    let is_known = known().any(|table| table == root);
    if !is_known {
        let help = schema::help(root, "what can be different lies in", known(), known());
        let message = format!("`{}` cannot be different at a scale", key.name);
        errors.push(Diagnostic::at(key.span, message).with_help(help));
    }
    is_known
}

/// Refuses paths that lead nowhere.
fn refuse(key: &Key, errors: &mut Vec<Diagnostic>) {
    let path = steps(&key.name);
    if path.contains(&Step::Key("")) {
        let message = format!("`{}` is not the path of a field", key.name);
        let help = "write names with dots between them, such as \"traffic.load\"";
        errors.push(Diagnostic::at(key.span, message).with_help(help));
    } else if path == [Step::Key("study"), Step::Key("scale")] {
        let message = "a scale cannot choose a scale";
        let help = "write it below [study], or choose with --set study.scale=NAME";
        errors.push(Diagnostic::at(key.span, message).with_help(help));
    }
}

fn find<'s, 'a>(
    scales: &'s [Scale<'a>],
    place: Span,
    name: &str,
) -> Result<&'s Scale<'a>, Diagnostic> {
    let found = scales.iter().find(|scale| scale.name == name);
    found.ok_or_else(|| {
        let names = || std::iter::once(FULL).chain(scales.iter().map(|scale| scale.name));
        let help = suggestion(name, "the scales are", names(), names());
        let message = format!("this study has no scale \"{name}\"");
        Diagnostic::at(place, message).with_help(help)
    })
}

impl Scale<'_> {
    /// Changes what the file says into what it means at this scale.
    fn lie_over(&self, tree: &mut Value, errors: &mut Vec<Diagnostic>) {
        for (key, value) in &self.fields {
            if let Err(mut error) = set(tree, key, (*value).clone()) {
                error.place = Some(key.span);
                errors.push(error);
            }
        }
    }

    /// What can be said against this scale by reading every value that it runs through once; about the
    /// rest of the study others say it.
    fn mistakes(&self, source: &Source, scope: Scope) -> Vec<Diagnostic> {
        let mut errors = Vec::new();
        let mut tree = source.file(&mut errors);
        self.lie_over(&mut tree, &mut errors);
        if errors.is_empty() {
            errors = values(&tree, scope).err().unwrap_or_default();
        }
        let is_ours = |error: &Diagnostic| {
            let is_here = |place: Span| {
                self.fields
                    .iter()
                    .any(|(key, value)| key.span == place || value.span.contains(place))
            };
            error.place.is_some_and(is_here)
        };
        let (ours, others): (Vec<Diagnostic>, _) = errors.into_iter().partition(is_ours);
        match others.into_iter().next() {
            // The rest of the study is fine, but not with this: lengths of a `zip`, or a `where` that leaves nothing.
            Some(other) if ours.is_empty() && is_fine(source, scope) => {
                let place = self.fields.first().map(|(key, _)| key.span);
                let message = format!("at this scale: {}", other.message);
                vec![Diagnostic {
                    place,
                    message,
                    ..other
                }]
            }
            _ => distinct(ours),
        }
    }
}

/// Is nothing wrong with a study at no scale?
fn is_fine(source: &Source, scope: Scope) -> bool {
    let mut errors = Vec::new();
    let tree = source.file(&mut errors);
    errors.is_empty() && values(&tree, scope).is_ok()
}

/// Points that are read of a scale that is not meant.
const MOST_READ: usize = 2_000;

/// Reads every value of a study once, as far as that goes without building anything.
fn values(tree: &Value, scope: Scope) -> Result<(), Vec<Diagnostic>> {
    let units = Units::read(tree, schema::quantities)?;
    let sweep = Sweep::read(tree, &units)?;
    let mut errors = replaced::mistakes(tree, &sweep, scope);
    let some = sweep.covering().take(MOST_READ);
    for point in some.filter_map(|index| sweep.point(index)) {
        errors.extend(
            Specification::read(&point.document, scope)
                .err()
                .unwrap_or_default(),
        );
        if errors.len() > ENOUGH {
            break;
        }
    }
    match errors.is_empty() {
        true => Ok(()),
        false => Err(errors),
    }
}

/// Sets a field, or what a swept field runs through.
fn set(tree: &mut Value, key: &Key, value: Value) -> Result<(), Diagnostic> {
    let span = key.span;
    if let Some(swept) = key.name.strip_prefix("sweep.") {
        let name = swept.to_owned();
        return set_swept(tree, Key { name, span }, value).map_err(Diagnostic::general);
    }
    let path = steps(&key.name);
    let sweep = tree.table_mut().and_then(|root| root.get_mut("sweep"));
    let sweep = sweep.and_then(Value::table_mut);
    if let Some(sweep) = sweep {
        if let Some(swept) = swept_mut(sweep, "", &path) {
            *swept = run_through(value);
            return Ok(());
        }
        let fields = sweep
            .iter()
            .flat_map(|(key, value)| flat(key.clone(), value));
        let around = |(outer, _): &(Key, &Value)| path.starts_with(&steps(&outer.name));
        if let Some((outer, _)) = fields.into_iter().find(around) {
            let message = format!("the sweep over `{}` replaces this", outer.name);
            let help = format!("say what it runs through: \"{}\" = [...]", outer.name);
            return Err(Diagnostic::general(message).with_help(help));
        }
    }
    let set = tree.set_path(&key.name, span, value);
    set.map_err(|invalid| Diagnostic::general(format!("`{}` cannot be set: {invalid}", key.name)))
}

/// What a swept field runs through: one value is a list of one.
fn run_through(value: Value) -> Value {
    match &value.kind {
        Kind::Array(_) | Kind::Table(_) => value,
        _ => Value::new(value.span, Kind::Array(vec![value])),
    }
}

#[cfg(test)]
mod tests;
