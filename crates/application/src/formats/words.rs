//! Words of a line, for formats that have one thing a line and blanks between words.

use std::ops::Range;
use turnwise_config::Flaw;

/// One more than the largest message, a pebibyte.
pub(super) const BYTES: u64 = (1 << 50) + 1;
/// One more than the longest computation, a hundred days, in picoseconds.
pub(super) const TIME: u64 = 10_000_000_000_000_000_000;

/// The words of a line. What follows `#` is a comment.
pub(super) struct Words<'a> {
    text: &'a [u8],
    at: usize,
    end: usize,
}

/// The lines of a part of a text, without their ends.
pub(super) fn lines(text: &[u8], part: Range<usize>) -> impl Iterator<Item = Range<usize>> {
    let mut next = Some(part.start).filter(|_| !part.is_empty());
    std::iter::from_fn(move || {
        let start = next?;
        let rest = &text[start..part.end];
        let length = rest.iter().position(|&byte| byte == b'\n');
        next = length
            .map(|length| start + length + 1)
            .filter(|&next| next < part.end);
        Some(start..start + length.unwrap_or(rest.len()))
    })
}

impl<'a> Words<'a> {
    /// Those of a line of a text.
    pub(super) fn new(text: &'a [u8], line: Range<usize>) -> Self {
        Self {
            text,
            at: line.start,
            end: line.end,
        }
    }

    fn skip_blanks(&mut self) {
        let rest = &self.text[self.at..self.end];
        let blank = |byte: &u8| matches!(byte, b' ' | b'\t' | b'\r');
        self.at += rest.iter().take_while(|byte| blank(byte)).count();
        if self.text[self.at..self.end].first() == Some(&b'#') {
            self.at = self.end;
        }
    }

    /// The next word, which is not read.
    pub(super) fn peek(&mut self) -> Option<&'a [u8]> {
        self.skip_blanks();
        let rest = &self.text[self.at..self.end];
        let ends = |byte: &u8| matches!(byte, b' ' | b'\t' | b'\r' | b'#');
        let length = rest.iter().position(ends).unwrap_or(rest.len());
        (length > 0).then_some(&rest[..length])
    }

    /// Where the next word stands.
    pub(super) fn place(&mut self) -> usize {
        self.skip_blanks();
        self.at
    }

    /// The next word.
    pub(super) fn word(&mut self) -> Option<&'a [u8]> {
        let word = self.peek()?;
        self.at += word.len();
        Some(word)
    }

    /// Is this the next word? Then it is read.
    pub(super) fn takes(&mut self, word: &str) -> bool {
        let is_it = self.peek() == Some(word.as_bytes());
        if is_it {
            self.at += word.len();
        }
        is_it
    }

    pub(super) fn expect(&mut self, word: &str) -> Result<(), Flaw> {
        match self.takes(word) {
            true => Ok(()),
            false => Err(self.expected(&format!("`{word}`"))),
        }
    }

    /// The end of the line.
    pub(super) fn expect_end(&mut self) -> Result<(), Flaw> {
        match self.peek() {
            None => Ok(()),
            Some(_) => Err(self.expected("the end of the line")),
        }
    }

    pub(super) fn has_more(&mut self) -> bool {
        self.peek().is_some()
    }

    /// A whole number in a range.
    pub(super) fn number(&mut self, what: &str, range: Range<u64>) -> Result<u64, Flaw> {
        let place = self.place();
        let Some(word) = self
            .peek()
            .filter(|word| word.iter().all(u8::is_ascii_digit))
        else {
            return Err(self.expected(what));
        };
        self.at += word.len();
        let mut digits = word.iter().map(|digit| u64::from(digit - b'0'));
        let value = digits.try_fold(0_u64, |value, digit| {
            value.checked_mul(10)?.checked_add(digit)
        });
        value
            .filter(|value| range.contains(value))
            .ok_or_else(|| out_of(what, &range, word, place))
    }

    /// The same of a number that may be written with a point or an exponent; what follows the point is left away.
    pub(super) fn amount(&mut self, what: &str, range: Range<u64>) -> Result<u64, Flaw> {
        let place = self.place();
        let Some(word) = self.peek() else {
            return Err(self.expected(what));
        };
        let text = std::str::from_utf8(word).ok();
        let number = text.and_then(|text| text.parse::<f64>().ok());
        let Some(number) = number.filter(|number| number.is_finite()) else {
            return Err(self.expected(what));
        };
        self.at += word.len();
        // Numbers that are too large for one become the largest, which is beyond every range.
        let value = number as u64;
        match number > -1.0 && range.contains(&value) {
            true => Ok(value),
            false => Err(out_of(what, &range, word, place)),
        }
    }

    /// What is here is not what was expected.
    pub(super) fn expected(&mut self, what: &str) -> Flaw {
        let place = self.place();
        let found = match self.peek() {
            None if self.end == self.text.len() => "the end of the file".to_owned(),
            None => "the end of the line".to_owned(),
            Some(word) => format!("`{}`", shown(word)),
        };
        Flaw::at(place, format!("expected {what}, found {found}"))
    }
}

fn out_of(what: &str, range: &Range<u64>, word: &[u8], place: usize) -> Flaw {
    let (start, last) = (range.start, range.end.saturating_sub(1));
    let found = shown(word);
    Flaw::at(
        place,
        format!("expected {what}, {start} to {last}, found {found}"),
    )
}

/// A word of the file, not too much of it.
pub(super) fn shown(word: &[u8]) -> String {
    String::from_utf8_lossy(&word[..word.len().min(40)]).into_owned()
}
