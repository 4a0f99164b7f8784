//! How serde walks through arrays, tables and enums.

use serde::de::value::StrDeserializer;
use serde::de::{
    DeserializeSeed, Deserializer, EnumAccess, IntoDeserializer, MapAccess, SeqAccess,
    VariantAccess, Visitor,
};

use super::Reading;
use super::reader::Reader;
use super::trouble::Trouble;
use crate::diagnostic::listed;
use crate::document::{Key, Value};

fn read_value<'de, T: DeserializeSeed<'de>>(
    seed: T,
    value: &Value,
    reading: &Reading<'_>,
) -> Result<T::Value, Trouble> {
    let read = seed.deserialize(Reader::new(value, reading));
    read.map_err(|trouble| reading.blame(value, trouble))
}

/// The elements of an array.
pub(super) struct Elements<'a> {
    left: std::vec::IntoIter<&'a Value>,
    reading: &'a Reading<'a>,
}

impl<'a> Elements<'a> {
    pub(super) fn in_order(values: &'a [Value], reading: &'a Reading<'a>) -> Self {
        let left = values.iter().collect::<Vec<_>>().into_iter();
        Self { left, reading }
    }

    /// For elements that are all of one type, so that no one misses the order.
    pub(super) fn failed_last(values: &'a [Value], reading: &'a Reading<'a>) -> Self {
        let mut values: Vec<&Value> = values.iter().collect();
        values.sort_by_key(|value| reading.rank(value));
        let left = values.into_iter();
        Self { left, reading }
    }
}

impl<'de> SeqAccess<'de> for Elements<'_> {
    type Error = Trouble;

    fn next_element_seed<T: DeserializeSeed<'de>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, Trouble> {
        match self.left.next() {
            Some(value) => read_value(seed, value, self.reading).map(Some),
            None => Ok(None),
        }
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.left.len())
    }
}

/// The entries of a table.
pub(super) struct Entries<'a> {
    left: std::vec::IntoIter<(&'a Key, &'a Value)>,
    pending: Option<&'a Value>,
    reading: &'a Reading<'a>,
}

impl<'a> Entries<'a> {
    pub(super) fn new(mut entries: Vec<(&'a Key, &'a Value)>, reading: &'a Reading<'a>) -> Self {
        entries.sort_by_key(|(_, value)| reading.rank(value));
        Self {
            left: entries.into_iter(),
            pending: None,
            reading,
        }
    }
}

impl<'de> MapAccess<'de> for Entries<'_> {
    type Error = Trouble;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, Trouble> {
        let Some((key, value)) = self.left.next() else {
            return Ok(None);
        };
        self.pending = Some(value);
        let text: StrDeserializer<'_, Trouble> = key.name.as_str().into_deserializer();
        let read = seed.deserialize(text);
        // A key that cannot be read stands for its entry, which must come last next time.
        read.map(Some).map_err(|trouble| {
            let located = Trouble::Located(Box::new(trouble.at_key(key)));
            self.reading.blame(value, located)
        })
    }

    fn next_value_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<T::Value, Trouble> {
        match self.pending.take() {
            Some(value) => read_value(seed, value, self.reading),
            None => Err(serde::de::Error::custom("a value was read before its key")),
        }
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.left.len())
    }
}

/// A variant of an enum: a bare word, or a table with the word as its only key.
pub(super) struct Choice<'a> {
    name: &'a str,
    content: Option<&'a Value>,
    whole: Reader<'a>,
}

impl<'a> Choice<'a> {
    pub(super) fn new(
        whole: Reader<'a>,
        variants: &'static [&'static str],
    ) -> Result<Self, Trouble> {
        let (name, span, content) = match (whole.value.as_str(), whole.value.table()) {
            (Some(word), _) => (word, whole.value.span, None),
            (None, Some(table)) if table.len() == 1 => match table.iter().next() {
                Some((key, value)) => (key.name.as_str(), key.span, Some(value)),
                None => return whole.expected("a choice"),
            },
            _ => {
                let choices = listed(variants.iter().copied());
                return whole.expected(&format!("one of {choices}"));
            }
        };
        if !variants.contains(&name) {
            let unknown: Trouble = serde::de::Error::unknown_variant(name, variants);
            return Err(Trouble::Located(Box::new(unknown.about(span))));
        }
        Ok(Self {
            name,
            content,
            whole,
        })
    }

    fn content(&self) -> Result<Reader<'a>, Trouble> {
        match self.content {
            Some(value) => Ok(Reader::new(value, self.whole.reading)),
            None => {
                let message = format!("`{0}` needs a value: {{ {0} = ... }}", self.name);
                Err(Trouble::Said(message))
            }
        }
    }
}

impl<'de> EnumAccess<'de> for Choice<'_> {
    type Error = Trouble;
    type Variant = Self;

    fn variant_seed<V: DeserializeSeed<'de>>(self, seed: V) -> Result<(V::Value, Self), Trouble> {
        let name: StrDeserializer<'_, Trouble> = self.name.into_deserializer();
        Ok((seed.deserialize(name)?, self))
    }
}

impl<'de> VariantAccess<'de> for Choice<'_> {
    type Error = Trouble;

    fn unit_variant(self) -> Result<(), Trouble> {
        match self.content {
            None => Ok(()),
            Some(_) => Err(Trouble::Said(format!(
                "`{0}` takes no value: write \"{0}\"",
                self.name
            ))),
        }
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<T::Value, Trouble> {
        let content = self.content()?;
        read_value(seed, content.value, content.reading)
    }

    fn tuple_variant<V: Visitor<'de>>(
        self,
        length: usize,
        visitor: V,
    ) -> Result<V::Value, Trouble> {
        let content = self.content()?;
        let read = content.deserialize_tuple(length, visitor);
        read.map_err(|trouble| content.reading.blame(content.value, trouble))
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Trouble> {
        let content = self.content()?;
        let read = content.deserialize_struct("", fields, visitor);
        read.map_err(|trouble| content.reading.blame(content.value, trouble))
    }
}
