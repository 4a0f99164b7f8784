//! What SuperSim does to a configuration before it reads it: settings of the command line, and references.

use super::json;
use crate::source::Source;
use turnwise_config::diagnostic::{Diagnostic, Span};
use turnwise_config::document::{Kind, Step, Value, steps};

/// The configuration with everything in its place.
pub(super) fn read(source: &Source) -> Result<Value, Vec<Diagnostic>> {
    let mut tree = json::document(0, source.text(0).unwrap_or_default())?;
    let mut errors = Vec::new();
    for number in 1..u16::try_from(source.count()).unwrap_or(u16::MAX) {
        let text = source.text(number).unwrap_or_default();
        if let Err(error) = set(&mut tree, number, text) {
            errors.push(error);
        }
    }
    let whole = tree.clone();
    let mut references = References {
        whole: &whole,
        left: MOST_COPIED,
        depth: 0,
        errors,
    };
    references.resolve(&mut tree);
    match references.errors.is_empty() {
        true => Ok(tree),
        false => Err(references.errors),
    }
}

/// The path of a setting as diagnostics have it. SuperSim writes `/workload/applications/0/type`, and wrote `workload.applications[0].type`.
fn path(written: &str) -> String {
    let Some(pointer) = written.strip_prefix('/') else {
        return written.to_owned();
    };
    let mut path = String::new();
    for step in pointer.split('/') {
        let is_index = !step.is_empty() && step.bytes().all(|byte| byte.is_ascii_digit());
        match (is_index, path.is_empty()) {
            (true, _) => path.extend(["[", step, "]"]),
            (false, true) => path.push_str(step),
            (false, false) => path.extend([".", step]),
        }
    }
    path
}

/// Puts `path=type=value` into the tree.
fn set(tree: &mut Value, number: u16, text: &str) -> Result<(), Diagnostic> {
    let whole = Span::new(number, 0, text.len() as u32);
    let parts: Vec<&str> = text.splitn(3, '=').collect();
    let &[place, kind, value] = &*parts else {
        let help = "write /network/concentration=uint=4";
        let message = "expected PATH=TYPE=VALUE, as SuperSim does";
        return Err(Diagnostic::at(whole, message).with_help(help));
    };
    let start = (text.len() - value.len()) as u32;
    let at_value = Span::new(number, start, whole.end);
    let not_one = |what: &str| {
        let message = format!("expected {what}, found `{value}`");
        Diagnostic::at(at_value, message)
    };
    let kind = match kind {
        "int" | "uint" => {
            let number = match json::whole(value) {
                Some(Err(_)) => return Err(json::out_of_range(at_value)),
                number => number.and_then(Result::ok),
            };
            let fits = number.filter(|&number| kind == "int" || number >= 0);
            Kind::Integer(fits.ok_or_else(|| not_one("a whole number"))?)
        }
        "float" => {
            let number: Option<f64> = value.parse().ok();
            let finite = number.filter(|number| number.is_finite());
            Kind::Float(finite.ok_or_else(|| not_one("a number"))?)
        }
        "bool" => match value {
            "true" | "1" => Kind::Boolean(true),
            "false" | "0" => Kind::Boolean(false),
            _ => return Err(not_one("true or false")),
        },
        "string" => Kind::String(value.to_owned()),
        "ref" => Kind::String(format!("{OPEN}{value}{CLOSE}")),
        _ => {
            let start = place.len() as u32 + 1;
            let at_kind = Span::new(number, start, start + kind.len() as u32);
            let message = format!("there are no settings of the type `{kind}` here");
            let help = "types are int, uint, float, bool, string and ref";
            return Err(Diagnostic::at(at_kind, message).with_help(help));
        }
    };
    let at_path = Span::new(number, 0, place.len() as u32);
    let path = path(place);
    if steps(&path).iter().all(|step| *step == Step::Key("")) {
        return Err(Diagnostic::at(at_path, "expected the path of a setting"));
    }
    let outcome = tree.set_path(&path, at_path, Value::new(at_value, kind));
    outcome.map_err(|invalid| Diagnostic::at(at_path, invalid.to_string()))
}

const OPEN: &str = "$&(";
const CLOSE: &str = ")&$";

/// References within a tree.
struct References<'a> {
    whole: &'a Value,
    /// How many values may still be copied.
    left: usize,
    /// How many lead here, one from within the other.
    depth: u32,
    errors: Vec<Diagnostic>,
}

/// Those that lead to each other would never end.
const MOST_COPIED: usize = 100_000;
const DEEPEST: u32 = 16;

/// The value and all in it.
fn size(value: &Value) -> usize {
    match &value.kind {
        Kind::Table(table) => 1 + table.iter().map(|(_, value)| size(value)).sum::<usize>(),
        Kind::Array(values) => 1 + values.iter().map(size).sum::<usize>(),
        _ => 1,
    }
}

impl References<'_> {
    fn resolve(&mut self, value: &mut Value) {
        match &mut value.kind {
            Kind::Table(table) => table.iter_mut().for_each(|(_, value)| self.resolve(value)),
            Kind::Array(values) => values.iter_mut().for_each(|value| self.resolve(value)),
            Kind::String(text) => {
                let inside = |open, close| text.strip_prefix(open)?.strip_suffix(close);
                if let Some(target) = inside(OPEN, CLOSE).map(path) {
                    self.replace(value, &target);
                } else if let Some(file) = inside("$$(", ")$$") {
                    let message = format!("`{file}`: other files are not read");
                    let help = "write what is in it in its place";
                    let error = Diagnostic::at(value.span, message);
                    self.errors.push(error.with_help(help));
                }
            }
            _ => {}
        }
    }

    fn replace(&mut self, value: &mut Value, target: &str) {
        let found = self.whole.at_path(target);
        self.left = self.left.saturating_sub(found.map_or(1, size));
        let is_endless = self.left == 0 || self.depth == DEEPEST;
        let found = found.filter(|_| !is_endless);
        let Some(found) = found else {
            let message = match is_endless {
                true => "references lead to each other, or to very much".to_owned(),
                false => format!("there is no `{target}`"),
            };
            self.errors.push(Diagnostic::at(value.span, message));
            return;
        };
        let place = value.span;
        *value = found.clone();
        // A reference that cannot be followed is at fault, not what it leads to.
        let known = self.errors.len();
        self.depth += 1;
        self.resolve(value);
        self.depth -= 1;
        for error in self.errors.iter_mut().skip(known) {
            error.place = Some(place);
        }
    }
}
