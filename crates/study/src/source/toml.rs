//! TOML text to tree, with all its mistakes.

use ::toml::Spanned;
use ::toml::de::{DeTable, DeValue, Error};
use turnwise_config::diagnostic::{Diagnostic, Span};
use turnwise_config::document::{Key, Kind, Table, Value};

use super::span;

/// The tree of a study file, as far as it can be read.
pub(super) fn document(text: &str, errors: &mut Vec<Diagnostic>) -> Value {
    let (table, syntax) = DeTable::parse_recoverable(text);
    report(text, &syntax, errors);
    let mut values = Vec::new();
    let mut converter = Converter {
        source: 0,
        offset: 0,
        errors: &mut values,
    };
    let kind = converter.table(table.get_ref());
    // Where the syntax is wrong, so are the values, but that is no news.
    values.retain(|value| {
        errors
            .iter()
            .all(|error| line(text, error) != line(text, value))
    });
    errors.append(&mut values);
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

/// The line where a mistake starts, from 0.
fn line(text: &str, error: &Diagnostic) -> usize {
    let start = error.place.map_or(0, |span| span.start as usize);
    let before = &text.as_bytes()[..start.min(text.len())];
    before.iter().filter(|&&byte| byte == b'\n').count()
}

/// A file with more mistakes than this is no TOML at all, and the first ones say so.
const MOST_ERRORS: usize = 1000;

/// One complaint a line: what follows the first on the same line is mostly its echo.
fn report(text: &str, syntax: &[Error], errors: &mut Vec<Diagnostic>) {
    let mut found: Vec<Diagnostic> = syntax
        .iter()
        .map(|error| describe(error, text, 0, 0))
        .collect();
    found.sort_by_key(|error| error.place.map(|span| span.start));
    found.truncate(MOST_ERRORS);
    found.dedup_by_key(|error| line(text, error));
    leave_out_echoes(text, &mut found);
    errors.append(&mut found);
}

/// An array or inline table that is never closed swallows the rest of the file, and every line of
/// that is one more complaint about a comma. The first says it all.
fn leave_out_echoes(text: &str, found: &mut Vec<Diagnostic>) {
    let is_echo = |error: &Diagnostic| {
        let start = error.place.map_or(0, |span| span.start as usize);
        let line = text
            .get(..start)
            .and_then(|before| before.rsplit('\n').next());
        let begins_line = line.is_some_and(|line| line.trim().is_empty());
        begins_line
            && UNCLOSED
                .iter()
                .any(|(start, _)| error.message.starts_with(start))
    };
    if let Some(first) = found.iter().position(is_echo) {
        let message = found[first].message.as_str();
        let closing = UNCLOSED
            .iter()
            .find(|(start, _)| message.starts_with(start));
        found[first].help =
            closing.map(|(_, bracket)| format!("is `{bracket}` missing before this?"));
        let mut index = 0;
        found.retain(|error| {
            index += 1;
            index - 1 <= first || !is_echo(error)
        });
    }
}

/// How the library complains about what follows an array or inline table that is still open,
/// and what would have closed it.
const UNCLOSED: [(&str, char); 3] = [
    ("missing comma between array elements", ']'),
    ("missing comma between key-value pairs", '}'),
    ("missing key for inline table element", '}'),
];

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
    if wants_a_value {
        return no_value(place, text.get(range).unwrap_or_default(), &word);
    }
    if message == "duplicate key" {
        let key = text
            .get(range)
            .unwrap_or_default()
            .trim_matches(['"', '\'']);
        return Diagnostic::at(place, format!("duplicate key `{key}`"));
    }
    Diagnostic::at(place, message.trim_end_matches(", expected nothing"))
}

/// What stands where a value should, `written` up to where the library gave up.
fn no_value(place: Span, written: &str, word: &str) -> Diagnostic {
    let error = |what: &str| Diagnostic::at(place, format!("`{what}` is not a value"));
    let truth = word.to_lowercase();
    match written.chars().next() {
        None | Some('\n' | '\r') => Diagnostic::at(place, "a value is missing"),
        Some('“' | '”' | '„' | '‘' | '’') => {
            error(written).with_help("quotes are straight: \"text\"")
        }
        Some('0'..='9' | '+' | '-' | '.') => {
            let numbers = written
                .split_whitespace()
                .all(|word| word.parse::<f64>().is_ok());
            let help = match (numbers, written.contains(char::is_whitespace)) {
                (true, true) => "commas stand between values: [4, 4]".to_owned(),
                (false, true) => format!("text stands in quotes: \"{written}\""),
                (_, false) => "write a number like 0.25, and text in quotes".to_owned(),
            };
            error(written).with_help(help)
        }
        _ if matches!(truth.as_str(), "true" | "false") => {
            error(word).with_help(format!("write `{truth}`"))
        }
        _ if word.is_empty() => error(written).with_help("text stands in quotes"),
        _ => error(word).with_help(format!("text stands in quotes: \"{word}\"")),
    }
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
