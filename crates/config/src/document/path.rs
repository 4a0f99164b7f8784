//! Values by path: `traffic.load`, `sizes[1]`, `faults.links[0][1]`.

use super::{Key, Kind, Table, Value};
use crate::diagnostic::{Invalid, Span};

/// One step of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step<'a> {
    /// Into a table by name.
    Key(&'a str),
    /// Into an array by position.
    Index(usize),
}

/// The steps of a path; the empty path has none.
///
/// Anything that is not a well-formed `[number]` suffix belongs to a name, so every text
/// is some path, if only one that leads nowhere.
pub fn steps(path: &str) -> Vec<Step<'_>> {
    let mut found = Vec::new();
    if path.is_empty() {
        return found;
    }
    for segment in path.split('.') {
        let mut name = segment;
        let mut indices = Vec::new();
        while let Some((rest, index)) = trailing_index(name) {
            indices.push(Step::Index(index));
            name = rest;
        }
        if !name.is_empty() || indices.is_empty() {
            found.push(Step::Key(name));
        }
        found.extend(indices.into_iter().rev());
    }
    found
}

fn trailing_index(segment: &str) -> Option<(&str, usize)> {
    let (rest, digits) = segment.strip_suffix(']')?.rsplit_once('[')?;
    let plain = digits.bytes().all(|byte| byte.is_ascii_digit());
    Some((rest, digits.parse().ok().filter(|_| plain)?))
}

/// Trees are walked by recursion, so a path must not be able to exhaust the stack.
const DEEPEST: usize = 64;

impl Value {
    /// The value a path leads to; the empty path leads here.
    pub fn at_path(&self, path: &str) -> Option<&Value> {
        let mut here = self;
        for step in steps(path) {
            here = match step {
                Step::Key(name) => here.table()?.get(name)?,
                Step::Index(index) => here.array()?.get(index)?,
            };
        }
        Some(here)
    }

    /// Puts `value` where `path` leads, creating the tables on the way.
    ///
    /// Created tables and keys take `key`, where the path itself is written, as their
    /// span.
    ///
    /// # Errors
    ///
    /// When the path steps into something that is not a table, past the end of an array,
    /// or deeper than any study needs; the tree may then have gained empty tables.
    pub fn set_path(&mut self, path: &str, key: Span, value: Value) -> Result<(), Invalid> {
        let mut here = self;
        let mut travelled = String::new();
        let steps = steps(path);
        if steps.len() > DEEPEST {
            return Err(Invalid::new("", "the path is too deep"));
        }
        for step in steps {
            let found = here.describe();
            let blocked = |what| Invalid::new(travelled.clone(), format!("is {found}, not {what}"));
            here = match step {
                Step::Key(name) => {
                    let table = here.table_mut().ok_or_else(|| blocked("a table"))?;
                    table.get_or_create(name, key)
                }
                Step::Index(index) => match &mut here.kind {
                    Kind::Array(values) => {
                        let missing = format!("has no element {index}: it is {found}");
                        let missing = Invalid::new(travelled.clone(), missing);
                        values.get_mut(index).ok_or(missing)?
                    }
                    _ => return Err(blocked("an array")),
                },
            };
            match step {
                Step::Key(name) if travelled.is_empty() => travelled.push_str(name),
                Step::Key(name) => travelled.extend([".", name]),
                Step::Index(index) => travelled.push_str(&format!("[{index}]")),
            }
        }
        *here = value;
        Ok(())
    }
}

impl Table {
    fn get_or_create(&mut self, name: &str, span: Span) -> &mut Value {
        let index = self.position(name).unwrap_or_else(|| {
            let key = Key {
                name: name.to_owned(),
                span,
            };
            let empty = Value::new(span, Kind::Table(Table::default()));
            self.entries.push((key, empty));
            self.entries.len() - 1
        });
        &mut self.entries[index].1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(kind: Kind) -> Value {
        Value::new(Span::default(), kind)
    }

    fn set(tree: &mut Value, path: &str, number: i64) -> Result<(), String> {
        tree.set_path(path, Span::new(3, 0, 9), value(Kind::Integer(number)))
            .map_err(|invalid| invalid.to_string())
    }

    #[test]
    fn paths_are_names_and_positions() {
        let expected = [
            Step::Key("faults"),
            Step::Key("links"),
            Step::Index(0),
            Step::Index(12),
        ];
        assert_eq!(steps("faults.links[0][12]"), expected);
        assert_eq!(steps("[2].x"), [Step::Index(2), Step::Key("x")]);
        assert_eq!(steps("a[-1]"), [Step::Key("a[-1]")]);
        assert_eq!(steps("a[]"), [Step::Key("a[]")]);
        assert_eq!(steps(""), []);
        assert_eq!(steps("a..b").len(), 3);
    }

    #[test]
    fn setting_creates_tables_and_marks_them() {
        let mut tree = value(Kind::Table(Table::default()));
        set(&mut tree, "network.faults.seed", 7).unwrap();
        assert_eq!(
            tree.at_path("network.faults.seed").unwrap().as_i64(),
            Some(7)
        );
        assert_eq!(tree.at_path("network.faults").unwrap().span.source, 3);
        assert_eq!(tree.at_path("network.sizes"), None);
        assert_eq!(tree.at_path("network.faults.seed[0]"), None);
    }

    #[test]
    fn setting_refuses_to_walk_through_values() {
        let mut tree = value(Kind::Table(Table::default()));
        let sizes = Kind::Array(vec![value(Kind::Integer(4)), value(Kind::Integer(4))]);
        tree.set_path("network.sizes", Span::default(), value(sizes))
            .unwrap();
        set(&mut tree, "network.sizes[1]", 8).unwrap();
        assert_eq!(tree.at_path("network.sizes[1]").unwrap().as_i64(), Some(8));
        let error = |tree: &mut Value, path| set(tree, path, 1).unwrap_err();
        assert_eq!(
            error(&mut tree, "network.sizes[2]"),
            "network.sizes: has no element 2: it is an array of 2 values"
        );
        assert_eq!(
            error(&mut tree, "network.sizes.x"),
            "network.sizes: is an array of 2 values, not a table"
        );
        assert_eq!(
            error(&mut tree, "network.sizes[0][1]"),
            "network.sizes[0]: is the number 4, not an array"
        );
        let deep = ["x"; 65].join(".");
        assert_eq!(error(&mut tree, &deep), "the path is too deep");
    }
}
