//! The words of a line, each with its place in the text.

use turnwise_config::Flaw;

/// The lines of a text, those without words too.
pub(super) fn lines(text: &str) -> impl Iterator<Item = Words<'_>> {
    let mut start = 0;
    text.split_inclusive('\n').map(move |line| {
        let words = Words::new(line, start);
        start += line.len();
        words
    })
}

/// The number that a word is, of what is expected there.
pub(super) fn number(word: Option<Word>, end: usize, what: &str) -> Result<u32, Flaw> {
    let Some(Word { text, offset }) = word else {
        return Err(Flaw::at(
            end,
            format!("expected {what}, found the end of the line"),
        ));
    };
    text.parse()
        .map_err(|_| Flaw::at(offset, format!("expected {what}, found `{text}`")))
}

/// A word, and where it stands.
pub(super) struct Word<'a> {
    pub(super) text: &'a str,
    pub(super) offset: usize,
}

/// The words of a line up to a comment.
#[derive(Clone)]
pub(super) struct Words<'a> {
    rest: &'a str,
    offset: usize,
    /// Offset just past the last word.
    pub(super) end: usize,
    /// What stands between words.
    is_between: fn(char) -> bool,
}

impl<'a> Words<'a> {
    pub(super) fn new(line: &'a str, start: usize) -> Self {
        let line = line.split('#').next().unwrap_or(line).trim_end();
        Self {
            rest: line,
            offset: start,
            end: start + line.len(),
            is_between: char::is_whitespace,
        }
    }

    /// The same line, in which commas stand between words, too.
    pub(super) fn or_commas(self) -> Self {
        let is_between = |c: char| c == ',' || c.is_whitespace();
        Self { is_between, ..self }
    }

    /// What is left of the line, and where it stands.
    pub(super) fn rest(&self) -> (&'a str, usize) {
        let rest = self.rest.trim_start_matches(self.is_between);
        (rest, self.offset + (self.rest.len() - rest.len()))
    }

    pub(super) fn number(&mut self, what: &str) -> Result<u32, Flaw> {
        let end = self.end;
        number(self.next(), end, what)
    }
}

impl<'a> Iterator for Words<'a> {
    type Item = Word<'a>;

    fn next(&mut self) -> Option<Word<'a>> {
        let (trimmed, offset) = self.rest();
        if trimmed.is_empty() {
            return None;
        }
        let length = trimmed.find(self.is_between).unwrap_or(trimmed.len());
        let (text, rest) = trimmed.split_at(length);
        (self.rest, self.offset) = (rest, offset + length);
        Some(Word { text, offset })
    }
}
