//! TOML for the tests of this crate, which does not read any itself.

use toml::de::{DeTable, DeValue};

use super::{Key, Kind, Table, Value};
use crate::diagnostic::Span;

/// The tree of a TOML text, with the spans that the text really has.
pub(crate) fn from_toml(text: &str) -> Value {
    let table = DeTable::parse(text).unwrap();
    let whole = Span::new(0, 0, u32::try_from(text.len()).unwrap());
    Value::new(whole, tree(table.get_ref()))
}

fn tree(table: &DeTable<'_>) -> Kind {
    let mut entries: Vec<_> = table.iter().collect();
    entries.sort_by_key(|(key, _)| key.span().start);
    let mut tree = Table::default();
    for (key, value) in entries {
        let name = key.get_ref().to_string();
        let span = span(key.span());
        tree.insert(Key { name, span }, convert(value));
    }
    Kind::Table(tree)
}

fn convert(value: &toml::Spanned<DeValue<'_>>) -> Value {
    let kind = match value.get_ref() {
        DeValue::Boolean(truth) => Kind::Boolean(*truth),
        DeValue::Integer(number) => Kind::Integer(number.as_str().parse().unwrap()),
        DeValue::Float(number) => Kind::Float(number.as_str().parse().unwrap()),
        DeValue::String(text) => Kind::String(text.to_string()),
        DeValue::Array(values) => Kind::Array(values.iter().map(convert).collect()),
        DeValue::Table(table) => tree(table),
        DeValue::Datetime(_) => panic!("dates have no place in a study"),
    };
    Value::new(span(value.span()), kind)
}

fn span(range: std::ops::Range<usize>) -> Span {
    let offset = |offset| u32::try_from(offset).unwrap();
    Span::new(0, offset(range.start), offset(range.end))
}
