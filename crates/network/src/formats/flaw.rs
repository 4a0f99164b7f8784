//! What is wrong in a file, and where.

use crate::diagnostic::Invalid;

/// Something wrong in the text of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Flaw {
    /// Byte offset in the text; `None` where the whole file is to blame.
    pub offset: Option<usize>,
    /// What is wrong, in plain words.
    pub message: String,
    /// What to do about it.
    pub help: Option<String>,
}

impl Flaw {
    /// A flaw at a byte of the text.
    pub fn at(offset: usize, message: impl Into<String>) -> Self {
        Self {
            offset: Some(offset),
            message: message.into(),
            help: None,
        }
    }

    /// A flaw of the file as a whole.
    pub fn general(message: impl Into<String>) -> Self {
        Self {
            offset: None,
            message: message.into(),
            help: None,
        }
    }

    /// The same flaw with advice.
    #[must_use]
    pub fn with_help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// The flaw as a complaint about the study's field `file`: `links.txt:3:5: expected ...`.
    pub fn in_file(self, file: &str, text: &str) -> Invalid {
        let place = self.offset.map_or(String::new(), |offset| {
            let (line, column) = line_and_column(text, offset);
            format!("{line}:{column}:")
        });
        let message = format!("{file}:{place} {}", self.message);
        let invalid = Invalid::new("file", message);
        match self.help {
            Some(help) => invalid.with_help(help),
            None => invalid,
        }
    }
}

impl From<Invalid> for Flaw {
    fn from(invalid: Invalid) -> Self {
        Self {
            offset: None,
            message: invalid.message,
            help: invalid.help,
        }
    }
}

/// Both counted from 1, columns in characters.
fn line_and_column(text: &str, offset: usize) -> (usize, usize) {
    let before = text.get(..offset).unwrap_or(text);
    let line = before.matches('\n').count() + 1;
    let column = before.rsplit('\n').next().unwrap_or(before).chars().count() + 1;
    (line, column)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_count_from_one_and_in_characters() {
        assert_eq!(line_and_column("0 1\n", 0), (1, 1));
        assert_eq!(line_and_column("0 1\nä x", 7), (2, 3));
        assert_eq!(line_and_column("0 1", 99), (1, 4));
    }

    #[test]
    fn a_flaw_without_a_place_names_the_file() {
        let invalid = Flaw::general("no routers").in_file("a.txt", "");
        assert_eq!(invalid.to_string(), "file: a.txt: no routers");
    }
}
