//! One text for one meaning: what a value is hashed by.

use std::fmt::Write as _;

use super::{Kind, Value};

impl Value {
    /// A text that depends on the value alone: not on spans, layout or the order of keys.
    ///
    /// Keys are sorted by their bytes, floats are the shortest decimals that read back the
    /// same, and `1` stays distinct from `1.0`. Stored results are found again by a hash of
    /// this text, so its form is never to change.
    pub fn canonical(&self) -> String {
        let mut text = String::new();
        write(self, &mut text);
        text
    }
}

fn write(value: &Value, text: &mut String) {
    match &value.kind {
        Kind::Boolean(truth) => text.push_str(if *truth { "true" } else { "false" }),
        Kind::Integer(number) => text.push_str(&number.to_string()),
        Kind::Float(number) => text.push_str(&format!("{number:?}")),
        Kind::String(string) => quote(string, text),
        Kind::Array(values) => {
            text.push('[');
            for (index, value) in values.iter().enumerate() {
                if index > 0 {
                    text.push(',');
                }
                write(value, text);
            }
            text.push(']');
        }
        Kind::Table(table) => {
            let mut entries: Vec<_> = table.iter().collect();
            entries.sort_by(|(a, _), (b, _)| a.name.cmp(&b.name));
            text.push('{');
            for (index, (key, value)) in entries.into_iter().enumerate() {
                if index > 0 {
                    text.push(',');
                }
                quote(&key.name, text);
                text.push('=');
                write(value, text);
            }
            text.push('}');
        }
    }
}

fn quote(string: &str, text: &mut String) {
    text.push('"');
    for character in string.chars() {
        match character {
            '"' | '\\' => text.extend(['\\', character]),
            control if control.is_ascii_control() => {
                // Writing to a string cannot fail.
                let _ = write!(text, "\\u{:04x}", u32::from(control));
            }
            other => text.push(other),
        }
    }
    text.push('"');
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnostic::Span;
    use crate::document::Table;

    fn value(start: u32, kind: Kind) -> Value {
        Value::new(Span::new(0, start, start), kind)
    }

    fn text(kind: Kind) -> String {
        value(0, kind).canonical()
    }

    #[test]
    fn order_and_position_do_not_count() {
        let table = |names: [&str; 2], offset| {
            let mut table = Table::default();
            for name in names {
                let length = name.len() as i64;
                table.insert(name, value(offset, Kind::Integer(length)));
            }
            text(Kind::Table(table))
        };
        assert_eq!(table(["a", "bb"], 1), table(["bb", "a"], 70));
        assert_eq!(table(["bb", "a"], 0), r#"{"a"=1,"bb"=2}"#);
    }

    #[test]
    fn numbers_keep_their_kind_and_every_bit() {
        assert_eq!(text(Kind::Integer(1)), "1");
        assert_eq!(text(Kind::Float(1.0)), "1.0");
        assert_eq!(text(Kind::Float(0.1 + 0.2)), "0.30000000000000004");
        assert_eq!(text(Kind::Float(1e300)), "1e300");
        assert_eq!(text(Kind::Boolean(true)), "true");
    }

    #[test]
    fn strings_cannot_imitate_structure() {
        assert_eq!(text(Kind::String("a\",\"b\n".into())), r#""a\",\"b\u000a""#);
        let pair = vec![
            value(0, Kind::String("a".into())),
            value(0, Kind::String("b".into())),
        ];
        let joined = vec![value(0, Kind::String("a\",\"b".into()))];
        assert_ne!(text(Kind::Array(pair)), text(Kind::Array(joined)));
    }
}
