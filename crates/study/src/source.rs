//! The texts of a study, and the way from a byte offset back to a place a person can find.
//!
//! A study is one TOML file and any number of `--set key=value` overrides. All of them
//! become one [`Value`] tree, in which everything remembers which text it came from; the
//! texts stay here, so that a diagnostic can be shown next to the line it is about.

mod overrides;
mod toml;

pub(crate) use overrides::set_swept;

use turnwise_config::diagnostic::{Diagnostic, Span};
use turnwise_config::document::Value;

/// The texts of a study by source number: 0 is the file, `n` the n-th override.
#[derive(Clone, Debug)]
pub struct Source {
    texts: Vec<Text>,
    /// How many of the texts behind the file are overrides.
    overrides: usize,
}

#[derive(Clone, Debug)]
struct Text {
    name: String,
    content: String,
}

impl Source {
    /// Reads a study file and the overrides (`key=value`, in order) that go on top of it.
    ///
    /// The texts come back even when they make no sense, because the diagnostics point
    /// into them. `name` is what the file is called in messages.
    pub fn parse(
        name: &str,
        bytes: &[u8],
        overrides: &[String],
    ) -> (Self, Result<Value, Vec<Diagnostic>>) {
        let mut errors = Vec::new();
        let file = Text {
            name: name.to_owned(),
            content: decode(bytes, &mut errors),
        };
        let mut source = Self {
            texts: vec![file],
            overrides: overrides.len(),
        };
        for (index, text) in overrides.iter().enumerate() {
            source.texts.push(Text {
                name: format!("--set #{}", index + 1),
                content: text.clone(),
            });
        }
        let too_much = source.texts.len() > usize::from(u16::MAX)
            || source.texts.iter().any(|text| text.content.len() > LONGEST);
        if too_much {
            errors.push(Diagnostic::general("the study is too large to be one"));
        }
        if !errors.is_empty() {
            return (source, Err(errors));
        }
        let mut tree = source.file(&mut errors);
        source.put_overrides(&mut tree, &mut errors);
        let parsed = match errors.is_empty() {
            true => Ok(tree),
            false => Err(errors),
        };
        (source, parsed)
    }

    /// What the file says, without the overrides.
    pub(crate) fn file(&self, errors: &mut Vec<Diagnostic>) -> Value {
        let file = self.texts.first();
        toml::document(file.map_or("", |file| file.content.as_str()), errors)
    }

    /// Puts the overrides on top of what the file says.
    pub(crate) fn put_overrides(&self, tree: &mut Value, errors: &mut Vec<Diagnostic>) {
        let overrides = self.texts.iter().skip(1).take(self.overrides);
        for (number, text) in (1..).zip(overrides) {
            overrides::apply(tree, number, &text.content, errors);
        }
    }

    /// A source without a file: texts are [added](Self::add) to it.
    pub fn empty() -> Self {
        Self {
            texts: Vec::new(),
            overrides: 0,
        }
    }

    /// Adds a text that diagnostics may point into, such as an argument; returns its number.
    /// `name` is what it is called in messages.
    pub fn add(&mut self, name: &str, content: &str) -> u16 {
        let number = u16::try_from(self.texts.len()).unwrap_or(u16::MAX);
        self.texts.push(Text {
            name: name.to_owned(),
            content: content.to_owned(),
        });
        number
    }

    /// How many texts there are: one, and one for each override or addition.
    pub fn count(&self) -> usize {
        self.texts.len()
    }

    /// What text number `source` is called: the file's name, or `--set #n`.
    pub fn name(&self, source: u16) -> Option<&str> {
        self.text_of(source).map(|text| text.name.as_str())
    }

    /// Text number `source`. In a file that is not UTF-8, what cannot be read is replaced.
    pub fn text(&self, source: u16) -> Option<&str> {
        self.text_of(source).map(|text| text.content.as_str())
    }

    /// Name, line and column where `span` starts, both counted from 1, columns in
    /// characters.
    pub fn position(&self, span: Span) -> (&str, usize, usize) {
        let Some(text) = self.text_of(span.source) else {
            return ("(unknown text)", 1, 1);
        };
        let mut end = text.content.len().min(span.start as usize);
        while !text.content.is_char_boundary(end) {
            end -= 1;
        }
        let before = &text.content[..end];
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        let line = before.matches('\n').count() + 1;
        let column = before[line_start..].chars().count() + 1;
        (&text.name, line, column)
    }

    /// One line for logs and plain terminals: `study.toml:12:8: message (help: ...)`.
    pub fn render_plain(&self, diagnostic: &Diagnostic) -> String {
        match diagnostic.place {
            Some(span) => {
                let (name, line, column) = self.position(span);
                format!("{name}:{line}:{column}: {diagnostic}")
            }
            None => format!("{}: {diagnostic}", self.name(0).unwrap_or("study")),
        }
    }

    fn text_of(&self, source: u16) -> Option<&Text> {
        self.texts.get(usize::from(source))
    }
}

/// Spans count bytes in 32 bits.
const LONGEST: usize = u32::MAX as usize - 1;

fn decode(bytes: &[u8], errors: &mut Vec<Diagnostic>) -> String {
    match std::str::from_utf8(bytes) {
        Ok(text) => text.to_owned(),
        Err(error) => {
            let start = u32::try_from(error.valid_up_to()).unwrap_or(u32::MAX);
            let replaced = char::REPLACEMENT_CHARACTER.len_utf8() as u32;
            let span = Span::new(0, start, start.saturating_add(replaced));
            let byte = bytes.get(error.valid_up_to()).copied().unwrap_or_default();
            let message = format!("byte 0x{byte:02x} is not UTF-8 text");
            let help = "save the file in UTF-8 encoding";
            errors.push(Diagnostic::at(span, message).with_help(help));
            String::from_utf8_lossy(bytes).into_owned()
        }
    }
}

/// A byte range as a span; texts too long for one never get this far.
fn span(source: u16, range: std::ops::Range<usize>) -> Span {
    let offset = |offset| u32::try_from(offset).unwrap_or(u32::MAX);
    Span::new(source, offset(range.start), offset(range.end))
}

#[cfg(test)]
mod tests;
