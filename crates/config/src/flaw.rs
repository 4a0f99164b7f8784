//! What is wrong in a file, and where.

use crate::diagnostic::{Complaint, Invalid};

/// Something wrong in the text of a file, at a byte of it; `None` where the whole file is to blame.
pub type Flaw = Complaint<Option<usize>>;

impl Flaw {
    /// The flaw as a complaint about the study's field `file`: `links.txt:3:5: expected ...`.
    pub fn in_file(self, file: &str, text: &str) -> Invalid {
        self.in_file_of("file", file, text)
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
    fn a_flaw_without_a_place_names_the_file() {
        let invalid = Flaw::general("no routers").in_file("a.txt", "");
        assert_eq!(invalid.to_string(), "file: a.txt: no routers");
    }
}
