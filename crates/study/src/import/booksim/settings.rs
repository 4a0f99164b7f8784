//! What a configuration says: `key = value;`, and `//` before what it does not.

use super::keys::{FIXED, default, names};
use crate::import::{no_counterpart, only, what_has};
use crate::source::Source;
use std::collections::BTreeMap;
use std::fmt::Display;
use std::ops::RangeInclusive;
use std::str::FromStr;
use turnwise_config::diagnostic::{Diagnostic, Span, nearest};

/// Settings with their places, and what has been found wrong with them.
pub(super) struct Settings {
    given: BTreeMap<String, Setting>,
    pub(super) errors: Vec<Diagnostic>,
}

struct Setting {
    value: String,
    key: Span,
    place: Span,
}

impl Settings {
    /// Of all texts of a source; what comes last counts, as in BookSim2.
    pub(super) fn read(source: &Source) -> Self {
        let mut settings = Self {
            given: BTreeMap::new(),
            errors: Vec::new(),
        };
        for number in 0..u16::try_from(source.count()).unwrap_or(u16::MAX) {
            settings.read_text(number, source.text(number).unwrap_or_default());
        }
        settings.check();
        settings
    }

    fn read_text(&mut self, number: u16, text: &str) {
        let plain = without_comments(text);
        // Some editors open files with a mark of their byte order.
        let settings = plain.trim_start_matches('\u{feff}');
        let span = |part: &str| {
            let offset = part.as_ptr() as usize - plain.as_ptr() as usize;
            Span::new(number, offset as u32, (offset + part.len()) as u32)
        };
        let is_letter = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let is_name = |name: &str| !name.is_empty() && name.chars().all(is_letter);
        let mut statements: Vec<&str> = settings.split(';').rev().collect();
        while let Some(statement) = statements.pop() {
            let words = statement.trim();
            let Some(first) = words.lines().next() else {
                continue;
            };
            let pair = words
                .split_once('=')
                .map(|(name, value)| (name.trim(), value.trim()));
            let Some((name, mut value)) = pair.filter(|(name, _)| is_name(name)) else {
                let message = "expected `key = value;`";
                self.errors.push(Diagnostic::at(span(first), message));
                continue;
            };
            if let Some((first, rest)) = value.split_once('\n')
                && rest.contains('=')
            {
                value = first.trim_end();
                let message = format!("expected `;` behind `{name}`");
                self.errors.push(Diagnostic::at(span(value), message));
                statements.push(rest);
            }
            self.give(name, span(name), value, span(value));
        }
    }

    fn give(&mut self, name: &str, key: Span, value: &str, place: Span) {
        // A list of one is that one.
        let bare = [('"', '"'), ('{', '}')]
            .iter()
            .fold(value, |value, &(open, close)| {
                let inner = value
                    .strip_prefix(open)
                    .and_then(|value| value.strip_suffix(close));
                inner.filter(|inner| !inner.contains(',')).unwrap_or(value)
            });
        let setting = Setting {
            value: bare.to_owned(),
            key,
            place,
        };
        self.given.insert(name.to_owned(), setting);
    }

    /// Looks for settings that there are not, and those that only one value of can be followed.
    fn check(&mut self) {
        for (name, setting) in &self.given {
            if !names().any(|known| known == name) {
                let message = format!("BookSim2 has no setting `{name}`");
                let near = nearest(name, names());
                let mut error = Diagnostic::at(setting.key, message);
                error.help = near.map(|near| format!("did you mean `{near}`?"));
                self.errors.push(error);
            }
            let fixed = FIXED.iter().find(|(fixed, _)| fixed == name);
            if let Some((_, fixed)) = fixed.filter(|(_, fixed)| !same(&setting.value, fixed)) {
                let message = no_counterpart(name, &setting.value);
                let error = Diagnostic::at(setting.place, message);
                self.errors.push(error.with_help(only(name, fixed)));
            }
        }
    }

    /// Its value, or the default.
    pub(super) fn word(&self, name: &str) -> &str {
        let given = self.given.get(name).map(|setting| setting.value.as_str());
        given.or(default(name)).unwrap_or_default()
    }

    /// Is it written?
    pub(super) fn has(&self, name: &str) -> bool {
        self.given.contains_key(name)
    }

    /// Complains about the value of a setting, or about the whole if nobody wrote it.
    pub(super) fn complain(
        &mut self,
        name: &str,
        message: impl Into<String>,
        help: impl Into<String>,
    ) {
        self.errors.push(Diagnostic {
            place: self.given.get(name).map(|setting| setting.place),
            message: message.into(),
            help: Some(help.into()),
        });
    }

    /// Its value as a number of this range; the least, if it is none.
    pub(super) fn number<N: FromStr + PartialOrd + Display + Copy>(
        &mut self,
        name: &str,
        range: RangeInclusive<N>,
    ) -> N {
        match self.word(name).parse() {
            Ok(number) if range.contains(&number) => number,
            _ => {
                let (least, most) = (range.start(), range.end());
                let expected = match least == most {
                    true => least.to_string(),
                    false => format!("a number from {least} to {most}"),
                };
                let found = match self.word(name) {
                    "" => "nothing".to_owned(),
                    word => format!("`{word}`"),
                };
                let message = format!("`{name}`: expected {expected}, found {found}");
                let default = default(name).unwrap_or_default();
                self.complain(name, message, format!("it is {default} if not given"));
                *least
            }
        }
    }

    /// Is it on? `1` and `0` say so.
    pub(super) fn is_on(&mut self, name: &str) -> bool {
        self.number::<u32>(name, 0..=u32::MAX) != 0
    }

    /// What it is called here: of each of `choices` both names. The first, if it is none of them.
    pub(super) fn choice(&mut self, name: &str, choices: &[(&str, &'static str)]) -> &'static str {
        let found = choices
            .iter()
            .find(|(theirs, _)| *theirs == self.word(name));
        let Some(&(_, ours)) = found else {
            let message = no_counterpart(name, self.word(name));
            let help = what_has(choices.iter().map(|&(theirs, _)| theirs));
            self.complain(name, message, help);
            return choices.first().map_or("", |&(_, ours)| ours);
        };
        ours
    }
}

/// The same text with blanks in the place of comments.
fn without_comments(text: &str) -> String {
    let line = |line: &str| match line.find("//") {
        Some(start) => {
            let (before, comment) = line.split_at(start);
            let blank = |c: char| {
                if c == '\n' {
                    c.to_string()
                } else {
                    " ".repeat(c.len_utf8())
                }
            };
            before.to_owned() + &comment.chars().map(blank).collect::<String>()
        }
        None => line.to_owned(),
    };
    text.split_inclusive('\n').map(line).collect()
}

/// Do two values say the same?
fn same(one: &str, other: &str) -> bool {
    let numbers = (one.parse::<f64>(), other.parse::<f64>());
    one == other || matches!(numbers, (Ok(one), Ok(other)) if one == other)
}
