//! JSON to a tree that knows where everything is written.

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;
use std::fmt;
use std::num::ParseIntError;
use turnwise_config::diagnostic::{Diagnostic, Span};
use turnwise_config::document::{Key, Kind, Table, Value};

/// The tree of text number `source`. Comments are passed over, as SuperSim once did, and what is `null` is not there.
///
/// # Errors
/// Where it is not JSON, and keys that are written twice.
pub(super) fn document(source: u16, text: &str) -> Result<Value, Vec<Diagnostic>> {
    let plain = without_comments(text);
    let raw: &RawValue = match serde_json::from_str(&plain) {
        Ok(raw) => raw,
        Err(error) => return Err(vec![syntax(source, &plain, &error)]),
    };
    let mut reader = Reader {
        source,
        text: &plain,
        errors: Vec::new(),
    };
    let tree = reader.value(raw, None, 0);
    match (tree, reader.errors.is_empty()) {
        (Some(tree), true) => Ok(tree),
        (None, true) => Ok(Value::new(
            Span::new(source, 0, 0),
            Kind::Table(Table::default()),
        )),
        (_, false) => Err(reader.errors),
    }
}

/// The brace that a text begins with, if it does.
pub(super) fn opening(text: &str) -> Option<Span> {
    let plain = without_comments(text);
    let start = plain.find(|letter: char| !letter.is_whitespace())?;
    let begins = plain.get(start..)?.starts_with('{');
    begins.then(|| Span::new(0, start as u32, start as u32 + 1))
}

struct Reader<'a> {
    source: u16,
    text: &'a str,
    errors: Vec<Diagnostic>,
}

/// Trees are walked by recursion.
const DEEPEST: usize = 64;
/// Keys are looked for one by one.
const MOST_KEYS: usize = 1_000;

impl Reader<'_> {
    /// A value, or nothing where it is `null`. A table is where its key is written, if it has one, and where it begins.
    fn value(&mut self, raw: &RawValue, key: Option<Span>, depth: usize) -> Option<Value> {
        let text = raw.get();
        let span = self.span(text);
        let opened = key.unwrap_or(Span::new(self.source, span.start, span.start + 1));
        if depth > DEEPEST {
            self.errors
                .push(Diagnostic::at(opened, "this is nested too deep"));
            return None;
        }
        // It was read as a whole before, so that nothing in it can fail.
        Some(match text.as_bytes().first() {
            Some(b'{') => Value::new(opened, Kind::Table(self.table(text, depth))),
            Some(b'[') => {
                let items: Vec<&RawValue> = serde_json::from_str(text).unwrap_or_default();
                let items = items.into_iter();
                let items = items.filter_map(|item| self.value(item, None, depth + 1));
                let items = items.collect();
                Value::new(opened, Kind::Array(items))
            }
            Some(b'n') => return None,
            _ => match scalar(text) {
                Ok(kind) => Value::new(span, kind),
                Err(_) => {
                    self.errors.push(out_of_range(span));
                    return None;
                }
            },
        })
    }

    fn table(&mut self, text: &str, depth: usize) -> Table {
        let Entries(entries) = serde_json::from_str(text).unwrap_or_default();
        let mut table = Table::default();
        if let Some((name, _)) = entries.get(MOST_KEYS) {
            let message = format!("no table has more than {MOST_KEYS} keys");
            self.errors
                .push(Diagnostic::at(self.span(name.get()), message));
            return table;
        }
        for (name, raw) in entries {
            let span = self.span(name.get());
            let name: String = serde_json::from_str(name.get()).unwrap_or_default();
            let message = format!("`{name}` is written twice");
            if let Some(value) = self.value(raw, Some(span), depth + 1)
                && table.insert(Key { name, span }, value).is_some()
            {
                self.errors.push(Diagnostic::at(span, message));
            }
        }
        table
    }

    fn span(&self, part: &str) -> Span {
        let start = part.as_ptr() as usize - self.text.as_ptr() as usize;
        Span::new(self.source, start as u32, (start + part.len()) as u32)
    }
}

fn scalar(text: &str) -> Result<Kind, ParseIntError> {
    Ok(match text {
        "true" => Kind::Boolean(true),
        "false" => Kind::Boolean(false),
        _ if text.starts_with('"') => Kind::String(serde_json::from_str(text).unwrap_or_default()),
        _ => match whole(text) {
            Some(number) => Kind::Integer(number?),
            None => Kind::Float(text.parse().unwrap_or(f64::NAN)),
        },
    })
}

/// A number that is written without a fraction or an exponent; SuperSim knows larger ones than studies do.
pub(super) fn whole(text: &str) -> Option<Result<i64, ParseIntError>> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let is_whole = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    is_whole.then(|| text.parse())
}

/// What is said of one that does not fit.
pub(super) fn out_of_range(span: Span) -> Diagnostic {
    let help = format!("the largest is {}", i64::MAX);
    Diagnostic::at(span, "this whole number is out of range").with_help(help)
}

/// Keys and values of an object as they are written.
#[derive(Default)]
struct Entries<'a>(Vec<(&'a RawValue, &'a RawValue)>);

impl<'de> Deserialize<'de> for Entries<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(EntriesVisitor)
    }
}

struct EntriesVisitor;

impl<'de> Visitor<'de> for EntriesVisitor {
    type Value = Entries<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Entries<'de>, A::Error> {
        let mut entries = Vec::new();
        while let Some(entry) = map.next_entry()? {
            entries.push(entry);
        }
        Ok(Entries(entries))
    }
}

fn syntax(source: u16, text: &str, error: &serde_json::Error) -> Diagnostic {
    let mut lines = text.split_inclusive('\n');
    let before: usize = lines
        .by_ref()
        .take(error.line().saturating_sub(1))
        .map(str::len)
        .sum();
    let line = lines.next().unwrap_or_default().trim_end();
    let mut column = error.column().saturating_sub(1).min(line.len());
    while !line.is_char_boundary(column) {
        column -= 1;
    }
    let letter = line.get(column..).and_then(|rest| rest.chars().next());
    let start = before + column;
    let end = start + letter.map_or(0, char::len_utf8);
    let whole = error.to_string();
    let message = whole.split(" at line ").next().unwrap_or_default();
    Diagnostic::at(
        Span::new(source, start as u32, end as u32),
        format!("this is not JSON: {message}"),
    )
}

/// The same text with blanks in the place of comments, and of the mark that some editors begin files with.
fn without_comments(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    if let Some(behind) = rest.strip_prefix('\u{feff}') {
        plain.push_str("   ");
        rest = behind;
    }
    while let Some(first) = rest.chars().next() {
        let length = match first {
            '"' => string_length(rest),
            '/' if rest.starts_with("//") => rest.find('\n').unwrap_or(rest.len()),
            '/' if rest.starts_with("/*") => rest.find("*/").map_or(rest.len(), |end| end + 2),
            _ => first.len_utf8(),
        };
        let (part, behind) = rest.split_at(length);
        match first == '/' && length > 1 {
            true => plain.extend(
                part.bytes()
                    .map(|byte| if byte == b'\n' { '\n' } else { ' ' }),
            ),
            false => plain.push_str(part),
        }
        rest = behind;
    }
    plain
}

/// Bytes of the string that a text begins with, and its quotes.
fn string_length(text: &str) -> usize {
    let mut escaped = true;
    for (place, letter) in text.char_indices() {
        match letter {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => return place + 1,
            _ => {}
        }
    }
    text.len()
}
