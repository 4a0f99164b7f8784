//! TOML text to tree, with all its mistakes.

use ::toml::Spanned;
use ::toml::de::{DeTable, DeValue, Error};
use turnwise_network::diagnostic::{Diagnostic, Span};
use turnwise_network::document::{Key, Kind, Table, Value};

use super::span;

/// The tree of a study file, as far as it can be read.
pub(super) fn document(text: &str, errors: &mut Vec<Diagnostic>) -> Value {
    let (table, syntax) = DeTable::parse_recoverable(text);
    report(text, &syntax, errors);
    let mut converter = Converter {
        source: 0,
        offset: 0,
        errors,
    };
    let kind = converter.table(table.get_ref());
    // The file as a whole is what lacks a missing table; its beginning stands for it.
    Value::new(Span::new(0, 0, 0), kind)
}

/// A single value which stands at `offset` of text number `source`; nothing if `text` is
/// not TOML at all.
pub(super) fn value(
    text: &str,
    source: u16,
    offset: usize,
    errors: &mut Vec<Diagnostic>,
) -> Result<Option<Value>, Vec<Error>> {
    let (value, syntax) = DeValue::parse_recoverable(text);
    if !syntax.is_empty() {
        return Err(syntax);
    }
    let mut converter = Converter {
        source,
        offset,
        errors,
    };
    Ok(converter.value(&value))
}

/// One complaint a line: what follows the first on the same line is mostly its echo.
fn report(text: &str, syntax: &[Error], errors: &mut Vec<Diagnostic>) {
    let mut found: Vec<Diagnostic> = syntax
        .iter()
        .map(|error| describe(error, text, 0, 0))
        .collect();
    found.sort_by_key(|error| error.span.map(|span| span.start));
    let line = |error: &Diagnostic| {
        let start = error.span.map_or(0, |span| span.start as usize);
        let before = &text.as_bytes()[..start.min(text.len())];
        before.iter().filter(|&&byte| byte == b'\n').count()
    };
    found.dedup_by_key(|error| line(error));
    errors.append(&mut found);
}

/// A mistake in `text`, which stands at `offset` of text number `source`.
pub(super) fn describe(error: &Error, text: &str, source: u16, offset: usize) -> Diagnostic {
    let range = error.span().unwrap_or(text.len()..text.len());
    let place = span(source, range.start + offset..range.end + offset);
    let message = error.message();
    let wants_a_value = message.starts_with("string values") || message.starts_with("invalid bool");
    let word: String = text
        .get(range.start..)
        .unwrap_or_default()
        .chars()
        .take_while(|letter| letter.is_alphanumeric() || "-_".contains(*letter))
        .collect();
    if wants_a_value && !word.is_empty() {
        let error = Diagnostic::at(place, format!("`{word}` is not a value"));
        return error.with_help(format!("text stands in quotes: \"{word}\""));
    }
    Diagnostic::at(place, message.trim_end_matches(", expected nothing"))
}

struct Converter<'e> {
    source: u16,
    offset: usize,
    errors: &'e mut Vec<Diagnostic>,
}

impl Converter<'_> {
    fn table(&mut self, table: &DeTable<'_>) -> Kind {
        // The library sorts by name; a sweep and a reader care for the written order.
        let mut entries: Vec<_> = table.iter().collect();
        entries.sort_by_key(|(key, _)| key.span().start);
        let mut tree = Table::default();
        for (key, value) in entries {
            let name = key.get_ref().to_string();
            let span = self.span(key.span());
            if let Some(value) = self.value(value) {
                tree.insert(Key { name, span }, value);
            }
        }
        Kind::Table(tree)
    }

    fn value(&mut self, value: &Spanned<DeValue<'_>>) -> Option<Value> {
        let span = self.span(value.span());
        let mut refuse = |message: &str, help: &str| {
            self.errors
                .push(Diagnostic::at(span, message).with_help(help));
            None
        };
        let kind = match value.get_ref() {
            DeValue::Boolean(truth) => Kind::Boolean(*truth),
            DeValue::String(text) => Kind::String(text.to_string()),
            DeValue::Integer(number) => {
                match i64::from_str_radix(number.as_str(), number.radix()) {
                    Ok(number) => Kind::Integer(number),
                    Err(_) => {
                        let help = "the largest is 9223372036854775807";
                        return refuse("this whole number is out of range", help);
                    }
                }
            }
            DeValue::Float(number) => match number.as_str().parse::<f64>() {
                Ok(float) if float.is_infinite() && !number.as_str().ends_with("inf") => {
                    return refuse("this number is out of range", "the largest is 1.7e308");
                }
                Ok(number) => Kind::Float(number),
                Err(_) => return refuse("this is not a number", "write it like 0.25"),
            },
            DeValue::Datetime(_) => {
                let help = "if it is meant as text, put it in quotes";
                return refuse("a date has no meaning in a study", help);
            }
            DeValue::Array(values) => {
                let values = values.iter().filter_map(|value| self.value(value));
                Kind::Array(values.collect())
            }
            DeValue::Table(table) => self.table(table),
        };
        Some(Value::new(span, kind))
    }

    fn span(&self, range: std::ops::Range<usize>) -> Span {
        span(
            self.source,
            range.start + self.offset..range.end + self.offset,
        )
    }
}
