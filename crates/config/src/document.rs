//! Study text as a tree in which every value and key remembers where it was written.
//!
//! The tree knows nothing of TOML: a study file, a `--set` override and a sweep all end
//! up as [`Value`]s, are merged by path, and are then read into typed structs by
//! [`deserialize`], which reports mistakes at the exact place they were made.

mod canonical;
mod locate;
mod path;
mod read;
#[cfg(test)]
pub(crate) mod testing;
mod words;

pub use path::{Step, steps};
pub use read::{deserialize, deserialize_ignoring};

use crate::diagnostic::Span;

/// A value and the text it was read from.
#[derive(Clone, Debug, PartialEq)]
pub struct Value {
    /// Where the value is written. A table opened by a header has the header's span.
    pub span: Span,
    /// The value itself.
    pub kind: Kind,
}

/// The kinds of values a study can hold.
#[derive(Clone, Debug, PartialEq)]
pub enum Kind {
    /// `true` or `false`.
    Boolean(bool),
    /// A whole number.
    Integer(i64),
    /// A number with a fraction or an exponent.
    Float(f64),
    /// Text.
    String(String),
    /// Values in order, of any kinds.
    Array(Vec<Value>),
    /// Named values in order of appearance.
    Table(Table),
}

/// A key of a [`Table`] and where it was written.
#[derive(Clone, Debug, PartialEq)]
pub struct Key {
    /// The key's text, unquoted.
    pub name: String,
    /// Where it stands.
    pub span: Span,
}

impl From<&str> for Key {
    /// A key that was never written: its span is empty and starts the study.
    fn from(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            span: Span::default(),
        }
    }
}

/// Named values in order of insertion; names are unique.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Table {
    entries: Vec<(Key, Value)>,
}

impl Table {
    /// The value called `name`.
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.entry(name).map(|(_, value)| value)
    }

    /// The value called `name`, to be changed.
    pub fn get_mut(&mut self, name: &str) -> Option<&mut Value> {
        let index = self.position(name)?;
        Some(&mut self.entries[index].1)
    }

    /// The key and value called `name`.
    pub fn entry(&self, name: &str) -> Option<(&Key, &Value)> {
        let (key, value) = &self.entries[self.position(name)?];
        Some((key, value))
    }

    /// Adds a value at the end, or replaces one (and its key's span) where it stands.
    /// Returns what was replaced.
    pub fn insert(&mut self, key: impl Into<Key>, value: Value) -> Option<Value> {
        let key = key.into();
        match self.position(&key.name) {
            Some(index) => {
                let old = std::mem::replace(&mut self.entries[index], (key, value));
                Some(old.1)
            }
            None => {
                self.entries.push((key, value));
                None
            }
        }
    }

    /// Takes the value called `name` out, leaving the order of the others.
    pub fn remove(&mut self, name: &str) -> Option<Value> {
        let index = self.position(name)?;
        Some(self.entries.remove(index).1)
    }

    /// Keys and values in order of insertion.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&Key, &Value)> {
        self.entries.iter().map(|(key, value)| (key, value))
    }

    /// Keys and values in order of insertion, the values to be changed.
    pub fn iter_mut(&mut self) -> impl ExactSizeIterator<Item = (&Key, &mut Value)> {
        self.entries.iter_mut().map(|(key, value)| (&*key, value))
    }

    /// Keys in order of insertion.
    pub fn keys(&self) -> impl ExactSizeIterator<Item = &Key> {
        self.entries.iter().map(|(key, _)| key)
    }

    /// Number of entries.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there are no entries.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    fn position(&self, name: &str) -> Option<usize> {
        self.entries.iter().position(|(key, _)| key.name == name)
    }
}

impl Value {
    /// A value written at `span`.
    pub const fn new(span: Span, kind: Kind) -> Self {
        Self { span, kind }
    }

    /// The table, if this is one.
    pub fn table(&self) -> Option<&Table> {
        match &self.kind {
            Kind::Table(table) => Some(table),
            _ => None,
        }
    }

    /// What stands in the table; nothing if this is none.
    pub fn entries(&self) -> impl Iterator<Item = (&Key, &Value)> {
        self.table().into_iter().flat_map(Table::iter)
    }

    /// The table to be changed, if this is one.
    pub fn table_mut(&mut self) -> Option<&mut Table> {
        match &mut self.kind {
            Kind::Table(table) => Some(table),
            _ => None,
        }
    }

    /// The elements, if this is an array.
    pub fn array(&self) -> Option<&[Value]> {
        match &self.kind {
            Kind::Array(values) => Some(values),
            _ => None,
        }
    }

    /// The text, if this is a string.
    pub fn as_str(&self) -> Option<&str> {
        match &self.kind {
            Kind::String(text) => Some(text),
            _ => None,
        }
    }

    /// The truth value, if this is one.
    pub fn as_bool(&self) -> Option<bool> {
        match self.kind {
            Kind::Boolean(value) => Some(value),
            _ => None,
        }
    }

    /// The number, if this is a whole one.
    pub fn as_i64(&self) -> Option<i64> {
        match self.kind {
            Kind::Integer(number) => Some(number),
            _ => None,
        }
    }

    /// The number, whole or not.
    pub fn as_f64(&self) -> Option<f64> {
        match self.kind {
            Kind::Integer(number) => Some(number as f64),
            Kind::Float(number) => Some(number),
            _ => None,
        }
    }

    /// The value in plain words, as in "expected an array, found *the string "ten"*".
    pub fn describe(&self) -> String {
        words::found(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn integer(number: i64) -> Value {
        Value::new(Span::default(), Kind::Integer(number))
    }

    #[test]
    fn tables_keep_the_order_of_insertion() {
        let mut table = Table::default();
        for (name, number) in [("zeta", 1), ("alpha", 2), ("mid", 3)] {
            assert_eq!(table.insert(name, integer(number)), None);
        }
        assert_eq!(table.insert("alpha", integer(9)), Some(integer(2)));
        assert_eq!(table.remove("zeta"), Some(integer(1)));
        assert_eq!(table.remove("zeta"), None);
        let names: Vec<&str> = table.keys().map(|key| key.name.as_str()).collect();
        assert_eq!(names, ["alpha", "mid"]);
        assert_eq!(table.get("alpha"), Some(&integer(9)));
        assert_eq!((table.len(), table.is_empty()), (2, false));
    }

    #[test]
    fn numbers_widen_but_never_narrow() {
        let float = Value::new(Span::default(), Kind::Float(2.0));
        assert_eq!(integer(2).as_f64(), Some(2.0));
        assert_eq!(float.as_i64(), None);
        assert_eq!(float.as_str(), None);
    }
}
