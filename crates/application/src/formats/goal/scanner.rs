//! Words and numbers of GOAL text.

use std::ops::Range;
use turnwise_config::Flaw;

pub(super) struct Scanner<'a> {
    text: &'a [u8],
    pub(super) at: usize,
    /// Of what is being read, counted from 1.
    pub(super) line: u32,
}

impl<'a> Scanner<'a> {
    pub(super) fn new(text: &'a [u8]) -> Self {
        Self {
            text,
            at: 0,
            line: 1,
        }
    }

    fn peek(&self) -> Option<u8> {
        self.text.get(self.at).copied()
    }

    /// Over blanks and comments, not over the end of a line.
    ///
    /// # Errors
    /// A comment without an end.
    pub(super) fn skip_blanks(&mut self) -> Result<(), Flaw> {
        loop {
            match self.peek() {
                Some(b' ' | b'\t' | b'\r') => self.at += 1,
                Some(b'/') if self.text[self.at..].starts_with(b"//") => {
                    let rest = &self.text[self.at..];
                    let length = rest.iter().position(|&byte| byte == b'\n');
                    self.at += length.unwrap_or(rest.len());
                }
                Some(b'/') if self.text[self.at..].starts_with(b"/*") => {
                    let rest = &self.text[self.at + 2..];
                    let end = rest.windows(2).position(|pair| pair == b"*/");
                    let Some(end) = end else {
                        return Err(Flaw::at(self.at, "this comment has no end"));
                    };
                    let lines = rest[..end].iter().filter(|&&byte| byte == b'\n');
                    self.line += lines.count() as u32;
                    self.at += end + 4;
                }
                _ => return Ok(()),
            }
        }
    }

    /// Over blanks, comments and ends of lines.
    pub(super) fn skip_lines(&mut self) -> Result<(), Flaw> {
        loop {
            self.skip_blanks()?;
            if self.peek() != Some(b'\n') {
                return Ok(());
            }
            self.at += 1;
            self.line += 1;
        }
    }

    /// The end of a statement.
    pub(super) fn end_of_line(&mut self) -> Result<(), Flaw> {
        self.skip_blanks()?;
        match self.peek() {
            None | Some(b'\n') => Ok(()),
            Some(_) => Err(self.expected("the end of the line")),
        }
    }

    pub(super) fn is_at_end(&self) -> bool {
        self.at == self.text.len()
    }

    /// A word of letters, digits and `_`, that begins with a letter.
    pub(super) fn word(&mut self) -> Result<Option<&'a [u8]>, Flaw> {
        self.skip_blanks()?;
        if !self.peek().is_some_and(|byte| byte.is_ascii_alphabetic()) {
            return Ok(None);
        }
        let rest = &self.text[self.at..];
        let other = |byte: &u8| !(byte.is_ascii_alphanumeric() || *byte == b'_');
        let length = rest.iter().position(other).unwrap_or(rest.len());
        self.at += length;
        Ok(Some(&rest[..length]))
    }

    /// Is this the next word? Then it is read.
    pub(super) fn takes(&mut self, word: &str) -> Result<bool, Flaw> {
        let before = self.at;
        let is_it = self.word()? == Some(word.as_bytes());
        if !is_it {
            self.at = before;
        }
        Ok(is_it)
    }

    /// Is this the next character? Then it is read.
    pub(super) fn takes_byte(&mut self, byte: u8) -> Result<bool, Flaw> {
        self.skip_blanks()?;
        let is_it = self.peek() == Some(byte);
        self.at += usize::from(is_it);
        Ok(is_it)
    }

    pub(super) fn expect_word(&mut self, word: &str) -> Result<(), Flaw> {
        match self.takes(word)? {
            true => Ok(()),
            false => Err(self.expected(&format!("`{word}`"))),
        }
    }

    pub(super) fn expect_byte(&mut self, byte: u8) -> Result<(), Flaw> {
        match self.takes_byte(byte)? {
            true => Ok(()),
            false => Err(self.expected(&format!("`{}`", char::from(byte)))),
        }
    }

    /// A number in a range.
    pub(super) fn number(&mut self, what: &str, range: Range<u64>) -> Result<u64, Flaw> {
        self.skip_blanks()?;
        let start = self.at;
        let mut value: Option<u64> = Some(0);
        while let Some(digit @ b'0'..=b'9') = self.peek() {
            let digit = u64::from(digit - b'0');
            value = value.and_then(|value| value.checked_mul(10)?.checked_add(digit));
            self.at += 1;
        }
        if self.at == start {
            return Err(self.expected(what));
        }
        match value.filter(|value| range.contains(value)) {
            Some(value) => Ok(value),
            None => {
                let found = String::from_utf8_lossy(&self.text[start..self.at]);
                let message = format!(
                    "expected {what}, {} to {}, found {found}",
                    range.start,
                    range.end - 1
                );
                Err(Flaw::at(start, message))
            }
        }
    }

    /// What is here is not what was expected.
    pub(super) fn expected(&mut self, what: &str) -> Flaw {
        if let Err(flaw) = self.skip_blanks() {
            return flaw;
        }
        let rest = &self.text[self.at..];
        let end = |byte: &u8| byte.is_ascii_whitespace();
        let length = rest.iter().position(end).unwrap_or(rest.len()).min(40);
        let found = match rest.first() {
            None => "the end of the file".to_owned(),
            Some(b'\n') => "the end of the line".to_owned(),
            Some(_) => format!("`{}`", String::from_utf8_lossy(&rest[..length.max(1)])),
        };
        Flaw::at(self.at, format!("expected {what}, found {found}"))
    }
}
