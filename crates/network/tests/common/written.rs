//! Studies' text for the tests of this crate and its neighbours, since no crate below the second
//! floor reads any.

use toml::de::{DeTable, DeValue};
use turnwise_config::document::{Key, Kind, Table, Value};
use turnwise_network::Span;

/// The tree of a TOML text, without positions.
pub(crate) fn read(text: &str) -> Value {
    let table = DeTable::parse(text).expect("tests write proper TOML");
    Value::new(Span::default(), tree(table.get_ref()))
}

fn tree(table: &DeTable<'_>) -> Kind {
    let mut tree = Table::default();
    for (key, value) in table.iter() {
        tree.insert(Key::from(key.get_ref().as_ref()), convert(value.get_ref()));
    }
    Kind::Table(tree)
}

fn convert(value: &DeValue<'_>) -> Value {
    let kind = match value {
        DeValue::Boolean(truth) => Kind::Boolean(*truth),
        DeValue::Integer(number) => {
            Kind::Integer(number.as_str().parse().expect("a decimal number"))
        }
        DeValue::Float(number) => Kind::Float(number.as_str().parse().expect("a number")),
        DeValue::String(text) => Kind::String(text.to_string()),
        DeValue::Array(values) => Kind::Array(
            values
                .iter()
                .map(|value| convert(value.get_ref()))
                .collect(),
        ),
        DeValue::Table(table) => tree(table),
        DeValue::Datetime(_) => panic!("dates have no place in a study"),
    };
    Value::new(Span::default(), kind)
}
