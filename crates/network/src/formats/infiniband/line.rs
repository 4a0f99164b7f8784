//! A line of a topology file, taken apart from left to right.

use crate::identities::{LAST_LID, MOST_PORTS};
use turnwise_config::Flaw;

/// A line, read from left to right.
pub(super) struct Line<'a> {
    /// Without the comment.
    text: &'a str,
    comment: &'a str,
    /// Offset of the line's begin.
    start: usize,
    /// How much of it has been read.
    read: usize,
}

impl<'a> Line<'a> {
    pub(super) fn new(line: &'a str, start: usize) -> Self {
        let line = line.trim_end();
        let mut quoted = false;
        let comment = line.find(|letter| {
            quoted ^= letter == '"';
            letter == '#' && !quoted
        });
        let (text, comment) = line.split_at(comment.unwrap_or(line.len()));
        Self {
            text: text.trim_end(),
            comment,
            start,
            read: 0,
        }
    }

    /// Goes on from here.
    pub(super) fn at(&mut self, offset: usize) {
        self.read = offset - self.start;
    }

    pub(super) fn rest(&mut self) -> &'a str {
        let rest = &self.text[self.read..];
        let trimmed = rest.trim_start();
        self.read += rest.len() - trimmed.len();
        trimmed
    }

    /// The next word, perhaps an empty one, and where it stands.
    pub(super) fn word(&mut self) -> (&'a str, usize) {
        let rest = self.rest();
        let offset = self.start + self.read;
        let length = rest.find(char::is_whitespace).unwrap_or(rest.len());
        self.read += length;
        (&rest[..length], offset)
    }

    /// What stands between two signs.
    pub(super) fn between(&mut self, open: char, close: char) -> Option<(&'a str, usize)> {
        let rest = self.rest();
        let inside = rest.strip_prefix(open)?;
        let length = inside.find(close)?;
        let offset = self.start + self.read + 1;
        self.read += length + 2;
        Some((&inside[..length], offset))
    }

    pub(super) fn expected(&mut self, what: &str) -> Flaw {
        let (found, offset) = self.word();
        let message = match found {
            "" => format!("expected {what}, found the end of the line"),
            found => format!("expected {what}, found `{found}`"),
        };
        Flaw::at(offset, message)
    }

    pub(super) fn quoted(&mut self) -> Result<(&'a str, usize), Flaw> {
        let quoted = self.between('"', '"');
        quoted.ok_or_else(|| self.expected("the name of a switch or adapter in quotes"))
    }

    /// A port's number, from 1 on.
    pub(super) fn bracketed(&mut self) -> Result<(u8, usize), Flaw> {
        let Some((inside, offset)) = self.between('[', ']') else {
            return Err(self.expected("a port in brackets"));
        };
        match inside.trim().parse() {
            Ok(port @ 1..=MOST_PORTS) => Ok((port, offset)),
            _ => {
                let message =
                    format!("expected the number of a port, 1 to {MOST_PORTS}, found `{inside}`");
                Err(Flaw::at(offset, message))
            }
        }
    }

    /// A GUID in parentheses, if there is one.
    pub(super) fn parenthesised(&mut self) -> Result<Option<u64>, Flaw> {
        let guid = self.between('(', ')');
        guid.map(|(digits, offset)| guid_of(digits, offset))
            .transpose()
    }

    /// What is in quotes in the comment, with whatever quotes are in it.
    pub(super) fn comment_name(&self) -> Option<&'a str> {
        let (_, rest) = self.comment.split_once('"')?;
        let (name, _) = rest.rsplit_once('"')?;
        Some(name)
    }

    /// The LID in what of the comment stands before, or behind, the name in it.
    pub(super) fn comment_lid(&self, behind_name: bool) -> Option<u32> {
        let lid = self.comment_number("lid", behind_name)?;
        (1..=LAST_LID).contains(&lid).then_some(lid)
    }

    /// The LMC there.
    pub(super) fn comment_lmc(&self, behind_name: bool) -> u8 {
        self.comment_number("lmc", behind_name).unwrap_or(0).min(7) as u8
    }

    /// The number behind a word in what of the comment stands before, or behind, the name in it.
    fn comment_number(&self, word: &str, behind_name: bool) -> Option<u32> {
        let name = self.comment.find('"').unwrap_or(self.comment.len());
        let end = self.comment.rfind('"').unwrap_or(name);
        let text = match behind_name {
            true => &self.comment[end..],
            false => &self.comment[..name],
        };
        let mut words = text.split_whitespace().skip_while(|other| *other != word);
        words.nth(1)?.parse().ok()
    }
}

/// A GUID, with or without `0x`.
pub(super) fn guid_of(digits: &str, offset: usize) -> Result<u64, Flaw> {
    let bare = digits.strip_prefix("0x").unwrap_or(digits);
    u64::from_str_radix(bare, 16).map_err(|_| {
        let message = format!("expected a GUID in hexadecimal digits, found `{digits}`");
        Flaw::at(offset, message)
    })
}
