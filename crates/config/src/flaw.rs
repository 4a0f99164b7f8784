//! What is wrong in a file, and where.

use crate::diagnostic::{Complaint, Invalid};
use std::sync::Arc;

/// A file beside the study, as it was before it was compressed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct File {
    /// What it is called, for messages.
    pub name: String,
    /// What is in it, where it was read: a slice behind the counter would be another copy of it.
    pub bytes: Arc<Vec<u8>>,
}

impl File {
    /// What is in it, if it is a text.
    ///
    /// # Errors
    /// It is not UTF-8, on the study's field `file`.
    pub fn text(&self) -> Result<&str, Invalid> {
        std::str::from_utf8(&self.bytes).map_err(|error| {
            let text = String::from_utf8_lossy(&self.bytes[..error.valid_up_to()]);
            let flaw = Flaw::at(error.valid_up_to(), "this is not UTF-8 text");
            flaw.in_file(&self.name, &text)
        })
    }
}

/// Something wrong in the text of a file, at a byte of it; `None` where the whole file is to blame.
pub type Flaw = Complaint<Option<usize>>;

impl Flaw {
    /// The flaw as a complaint about the study's field `file`: `links.txt:3:5: expected ...`.
    pub fn in_file(self, file: &str, text: &str) -> Invalid {
        self.in_file_of("file", file, text)
    }

    /// The same about another field, and a file that may be no text: then the place is a byte.
    pub fn in_contents_of(self, field: &str, file: &str, contents: &[u8]) -> Invalid {
        let is_printed = |&byte: &u8| byte >= b' ' || byte.is_ascii_whitespace();
        let text = std::str::from_utf8(contents).ok();
        match text.filter(|text| text.as_bytes().iter().all(is_printed)) {
            Some(text) => self.in_file_of(field, file, text),
            None => {
                let place = self
                    .place
                    .map_or(String::new(), |offset| format!(" byte {offset}:"));
                let message = format!("{file}:{place} {}", self.message);
                let invalid = Invalid::new(field, message);
                match self.help {
                    Some(help) => invalid.with_help(help),
                    None => invalid,
                }
            }
        }
    }

    /// The same about another field.
    pub fn in_file_of(self, field: &str, file: &str, text: &str) -> Invalid {
        let place = self.place.map_or(String::new(), |offset| {
            let (line, column) = line_and_column(text, offset);
            format!("{line}:{column}:")
        });
        let message = format!("{file}:{place} {}", self.message);
        let invalid = Invalid::new(field, message);
        match self.help {
            Some(help) => invalid.with_help(help),
            None => invalid,
        }
    }
}

impl From<Invalid> for Flaw {
    fn from(invalid: Invalid) -> Self {
        invalid.moved(|_| None)
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
    fn what_is_no_text_says_where() {
        let file = |bytes: &[u8]| File {
            name: "a.txt".into(),
            bytes: bytes.to_vec().into(),
        };
        assert_eq!(file(b"1\n2").text().ok(), Some("1\n2"));
        let invalid = file(b"1\n2 \xff").text().err();
        let message = invalid.map(|invalid| invalid.to_string());
        assert_eq!(
            message.as_deref(),
            Some("file: a.txt:2:3: this is not UTF-8 text")
        );
    }

    #[test]
    fn what_is_no_text_has_bytes() {
        let place = |contents| {
            let flaw = Flaw::at(3, "wrong").with_help("right");
            flaw.in_contents_of("file", "a", contents).message
        };
        assert_eq!(place(b"1\n2 4"), "a:2:2: wrong");
        assert_eq!(place(b"1\n2\x004"), "a: byte 3: wrong");
        assert_eq!(place(b"1\n2\xff4"), "a: byte 3: wrong");
    }

    #[test]
    fn a_flaw_without_a_place_names_the_file() {
        let invalid = Flaw::general("no routers").in_file("a.txt", "");
        assert_eq!(invalid.to_string(), "file: a.txt: no routers");
    }
}
