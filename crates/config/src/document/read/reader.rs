//! What every type serde asks for is made of.

use serde::de::{Deserializer, Visitor};

use super::Reading;
use super::access::{Choice, Elements, Entries};
use super::trouble::Trouble;
use crate::diagnostic::unknown_key;
use crate::document::{Kind, Table, Value};

/// One value, offered to a type.
#[derive(Clone, Copy)]
pub(super) struct Reader<'a> {
    pub(super) value: &'a Value,
    pub(super) reading: &'a Reading<'a>,
}

impl<'a> Reader<'a> {
    pub(super) fn new(value: &'a Value, reading: &'a Reading<'a>) -> Self {
        Self { value, reading }
    }

    pub(super) fn expected<T>(self, what: &str) -> Result<T, Trouble> {
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
        let further = ignored.iter().filter(|name| !fields.contains(name));
        let choices = fields.iter().chain(further).copied();
        let mut known = Vec::new();
        for (key, value) in self.table()?.iter() {
            let name = key.name.as_str();
            if fields.contains(&name) {
                known.push((key, value));
            } else if !ignored.contains(&name) {
                self.reading
                    .report(unknown_key(key.span, name, choices.clone()));
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
