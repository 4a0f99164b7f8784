//! From the tree to typed structs: a serde data format whose errors know their place.

mod access;
mod trouble;

use std::cell::RefCell;

use serde::de::{DeserializeOwned, Deserializer, Visitor};

use self::access::{Choice, Elements, Entries};
use self::trouble::Trouble;
use super::{Kind, Table, Value, words};
use crate::diagnostic::Diagnostic;

/// Reads a value into a type, or says everything that is wrong with it.
///
/// * A value of the wrong type is reported where it stands, in plain words. A whole number
///   does where any number is wanted, but not the other way round; NaN and infinities are
///   refused everywhere, as are numbers that do not fit the target type.
/// * Every key a struct does not have is reported (with or without
///   `deny_unknown_fields`), with the nearest key it does have.
/// * A missing key is reported at its table.
/// * Mistakes in different fields and array elements are reported together.
///
/// Structs with `#[serde(flatten)]` are read as maps, which know no unknown keys; untagged
/// enums need `#[serde(expecting = "expected ...")]` to say more than that no form fits.
///
/// Returns nothing exactly when it adds to `errors`; these are in the order of the text.
pub fn deserialize<T: DeserializeOwned>(value: &Value, errors: &mut Vec<Diagnostic>) -> Option<T> {
    deserialize_ignoring(value, &[], errors)
}

/// Like [`deserialize`], for a table some of whose keys belong to somebody else.
///
/// The `ignored` keys of the outermost table are not shown to `T`, but are mentioned when
/// another key looks like a misspelling of one of them.
pub fn deserialize_ignoring<T: DeserializeOwned>(
    value: &Value,
    ignored: &[&str],
    errors: &mut Vec<Diagnostic>,
) -> Option<T> {
    let reading = Reading {
        root: value,
        ignored,
        failed: RefCell::default(),
        found: RefCell::default(),
    };
    let mut fruitless = 0;
    for _ in 0..MOST_PASSES {
        let known = reading.found.borrow().len();
        match T::deserialize(Reader::new(value, &reading)) {
            Ok(read) if reading.found.borrow().is_empty() => return Some(read),
            Ok(_) => break,
            Err(trouble) => reading.report(trouble.at(value)),
        }
        let all = reading.found.borrow().len();
        fruitless = if all > known { 0 } else { fruitless + 1 };
        if fruitless > all {
            break;
        }
    }
    let mut found = reading.found.into_inner();
    found.sort_by_key(|diagnostic| diagnostic.span.map(|span| (span.source, span.start)));
    errors.append(&mut found);
    None
}

/// Nobody reads more mistakes than this at once, and each costs a pass.
const MOST_PASSES: usize = 64;

/// What is remembered while one value is read, possibly several times.
///
/// A type stops at its first mistake: that is how serde works. So after a mistake we read
/// again, showing what failed last of all, until no pass finds a new one.
struct Reading<'a> {
    root: &'a Value,
    ignored: &'a [&'a str],
    /// Values that failed, outer ones included; the one which failed last is at the end.
    failed: RefCell<Vec<*const Value>>,
    found: RefCell<Vec<Diagnostic>>,
}

impl Reading<'_> {
    fn report(&self, diagnostic: Diagnostic) {
        let mut found = self.found.borrow_mut();
        if !found.contains(&diagnostic) {
            found.push(diagnostic);
        }
    }

    /// Gives a mistake its place and remembers on whose account the reading stopped.
    fn blame(&self, value: &Value, trouble: Trouble) -> Trouble {
        let mut failed = self.failed.borrow_mut();
        failed.retain(|&other| !std::ptr::eq(other, value));
        failed.push(value);
        Trouble::Located(Box::new(trouble.at(value)))
    }

    /// Position among those that failed; `None`, the smallest, for those that did not.
    fn rank(&self, value: &Value) -> Option<usize> {
        let failed = self.failed.borrow();
        failed.iter().position(|&other| std::ptr::eq(other, value))
    }

    fn ignored_in(&self, table: &Value) -> &[&str] {
        if std::ptr::eq(self.root, table) {
            self.ignored
        } else {
            &[]
        }
    }
}

#[derive(Clone, Copy)]
struct Reader<'a> {
    value: &'a Value,
    reading: &'a Reading<'a>,
}

impl<'a> Reader<'a> {
    fn new(value: &'a Value, reading: &'a Reading<'a>) -> Self {
        Self { value, reading }
    }

    fn expected<T>(self, what: &str) -> Result<T, Trouble> {
        let mismatch = Trouble::Mismatch(what.to_owned());
        Err(Trouble::Located(Box::new(mismatch.at(self.value))))
    }

    fn float(self) -> Result<f64, Trouble> {
        match self.value.as_f64() {
            Some(number) if number.is_finite() => Ok(number),
            Some(_) => self.expected("a finite number"),
            None => self.expected("a number"),
        }
    }

    /// A whole number of type `T`, whose range is given for the message only.
    fn integer<T: TryFrom<i64>>(self, least: i128, most: i128) -> Result<T, Trouble> {
        let Kind::Integer(number) = self.value.kind else {
            return self.expected("a whole number");
        };
        match T::try_from(number) {
            Ok(fitting) => Ok(fitting),
            Err(_) if most > i128::from(i64::MAX) => {
                self.expected(&format!("a whole number of at least {least}"))
            }
            Err(_) => self.expected(&format!("a whole number from {least} to {most}")),
        }
    }

    fn text(self) -> Result<&'a str, Trouble> {
        match self.value.as_str() {
            Some(text) => Ok(text),
            None => self.expected("a string"),
        }
    }

    fn elements(self) -> Result<&'a [Value], Trouble> {
        match self.value.array() {
            Some(values) => Ok(values),
            None => self.expected("an array"),
        }
    }

    fn table(self) -> Result<&'a Table, Trouble> {
        match self.value.table() {
            Some(table) => Ok(table),
            None => self.expected("a table"),
        }
    }

    /// The entries of a table which may have no other keys than `fields`.
    fn fields(self, fields: &[&'static str]) -> Result<Entries<'a>, Trouble> {
        let ignored = self.reading.ignored_in(self.value);
        let choices = || fields.iter().chain(ignored).copied();
        let mut known = Vec::new();
        for (key, value) in self.table()?.iter() {
            let name = key.name.as_str();
            if fields.contains(&name) {
                known.push((key, value));
            } else if !ignored.contains(&name) {
                let unknown = Diagnostic::at(key.span, format!("unknown key `{name}`"));
                let help = words::advice(name, "the keys of this table are", choices(), choices());
                self.reading.report(unknown.with_help(help));
            }
        }
        Ok(Entries::new(known, self.reading))
    }

    fn tuple(self, length: usize) -> Result<Elements<'a>, Trouble> {
        let values = self.elements()?;
        if values.len() != length {
            return self.expected(&format!("an array of {length} values"));
        }
        Ok(Elements::in_order(values, self.reading))
    }
}

macro_rules! integers {
    ($($method:ident $visit:ident $type:ident),* $(,)?) => {
        $(fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Trouble> {
            let number: $type = self.integer($type::MIN as i128, $type::MAX as i128)?;
            visitor.$visit(number)
        })*
    };
}

impl<'de> Deserializer<'de> for Reader<'_> {
    type Error = Trouble;

    integers! {
        deserialize_i8 visit_i8 i8,
        deserialize_i16 visit_i16 i16,
        deserialize_i32 visit_i32 i32,
        deserialize_i64 visit_i64 i64,
        deserialize_i128 visit_i128 i128,
        deserialize_u8 visit_u8 u8,
        deserialize_u16 visit_u16 u16,
        deserialize_u32 visit_u32 u32,
        deserialize_u64 visit_u64 u64,
    }

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Trouble> {
        match &self.value.kind {
            Kind::Boolean(truth) => visitor.visit_bool(*truth),
            Kind::Integer(number) => visitor.visit_i64(*number),
            Kind::Float(_) => visitor.visit_f64(self.float()?),
            Kind::String(text) => visitor.visit_str(text),
            Kind::Array(values) => visitor.visit_seq(Elements::in_order(values, self.reading)),
            Kind::Table(_) => self.deserialize_map(visitor),
        }
    }

    fn deserialize_u128<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Trouble> {
        visitor.visit_u64(self.integer(0, i128::MAX)?)
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Trouble> {
        match self.value.as_bool() {
            Some(truth) => visitor.visit_bool(truth),
            None => self.expected("`true` or `false`"),
        }
    }

    fn deserialize_f32<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Trouble> {
        let number = self.float()?;
        if (number as f32).is_finite() {
            visitor.visit_f64(number)
        } else {
            self.expected("a number of at most 3e38")
        }
    }

    fn deserialize_f64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Trouble> {
        visitor.visit_f64(self.float()?)
    }

    fn deserialize_char<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Trouble> {
        visitor.visit_str(self.text()?)
    }

    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Trouble> {
        visitor.visit_str(self.text()?)
    }

    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Trouble> {
        visitor.visit_str(self.text()?)
    }

    fn deserialize_bytes<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Trouble> {
        self.deserialize_seq(visitor)
    }

    fn deserialize_byte_buf<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Trouble> {
        self.deserialize_seq(visitor)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Trouble> {
        visitor.visit_some(self)
    }

    fn deserialize_unit<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Trouble> {
        self.fields(&[])?;
        visitor.visit_unit()
    }

    fn deserialize_unit_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        visitor: V,
    ) -> Result<V::Value, Trouble> {
        self.deserialize_unit(visitor)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        visitor: V,
    ) -> Result<V::Value, Trouble> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Trouble> {
        visitor.visit_seq(Elements::failed_last(self.elements()?, self.reading))
    }

    fn deserialize_tuple<V: Visitor<'de>>(
        self,
        length: usize,
        visitor: V,
    ) -> Result<V::Value, Trouble> {
        visitor.visit_seq(self.tuple(length)?)
    }

    fn deserialize_tuple_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        length: usize,
        visitor: V,
    ) -> Result<V::Value, Trouble> {
        visitor.visit_seq(self.tuple(length)?)
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Trouble> {
        let ignored = self.reading.ignored_in(self.value);
        let entries = self.table()?.iter();
        let shown = entries.filter(|(key, _)| !ignored.contains(&key.name.as_str()));
        visitor.visit_map(Entries::new(shown.collect(), self.reading))
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Trouble> {
        visitor.visit_map(self.fields(fields)?)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Trouble> {
        visitor.visit_enum(Choice::new(self, variants)?)
    }

    fn deserialize_identifier<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Trouble> {
        visitor.visit_str(self.text()?)
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Trouble> {
        visitor.visit_unit()
    }
}

#[cfg(test)]
mod tests;
