//! A line of a topology file, taken apart from left to right.

use super::rate::rate_of;
use crate::identities::{LAST_LID, MOST_PORTS};
use turnwise_config::Flaw;

/// A line, read from left to right.
pub(super) struct Line<'a> {
    whole: &'a str,
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
            whole: line,
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

    /// Passes over what a port is called on the outside of a chassis, `[ext 12]`.
    pub(super) fn skip_outside(&mut self) {
        if self.rest().starts_with("[ext") {
            let _ = self.between('[', ']');
        }
    }

    /// What is in quotes in the comment, with whatever quotes are in it.
    pub(super) fn comment_name(&self) -> Option<&'a str> {
        let (_, rest) = self.comment.split_once('"')?;
        let (name, _) = rest.rsplit_once('"')?;
        Some(name)
    }

    /// A name that stands in the comment without quotes, before what is said of port 0.
    pub(super) fn bare_name(&self) -> Option<&'a str> {
        let comment = self.comment.trim_start_matches('#').trim_start();
        let ends = [" base port 0", " enhanced port 0"];
        let end = ends.into_iter().find_map(|end| comment.find(end))?;
        let name = comment[..end].trim();
        (!name.is_empty() && !name.contains('"')).then_some(name)
    }

    /// What of the comment stands behind the name in it; all of it if no name is in quotes.
    pub(super) fn behind_name(&self) -> Said<'a> {
        let end = self.comment.rfind('"').unwrap_or(0);
        self.said(&self.comment[end..])
    }

    /// What of the comment stands before the name in it.
    pub(super) fn before_name(&self) -> Said<'a> {
        let name = self.comment.find('"').unwrap_or(self.comment.len());
        self.said(&self.comment[..name])
    }

    fn said(&self, text: &'a str) -> Said<'a> {
        let offset = self.start + (text.as_ptr() as usize - self.whole.as_ptr() as usize);
        Said { text, offset }
    }
}

/// A part of a comment, and where it stands.
pub(super) struct Said<'a> {
    text: &'a str,
    offset: usize,
}

impl Said<'_> {
    /// A LID in it, and where that stands.
    pub(super) fn lid(&self) -> Option<(u32, usize)> {
        let (lid, place) = self.number("lid")?;
        (1..=LAST_LID).contains(&lid).then_some((lid, place))
    }

    /// An LMC in it.
    pub(super) fn lmc(&self) -> Option<(u8, usize)> {
        let (lmc, place) = self.number("lmc")?;
        Some((lmc.min(7) as u8, place))
    }

    /// Megabits a second, from a width and a speed at its end.
    pub(super) fn rate(&self) -> Option<u32> {
        rate_of(self.text.split_whitespace().next_back()?)
    }

    /// The number behind a word.
    fn number(&self, word: &str) -> Option<(u32, usize)> {
        let words = self.text.split_whitespace();
        let found = words.skip_while(|other| *other != word).nth(1)?;
        let before = found.as_ptr() as usize - self.text.as_ptr() as usize;
        Some((found.parse().ok()?, self.offset + before))
    }
}

/// A GUID, with or without `0x` or `0X`.
pub(super) fn guid_of(digits: &str, offset: usize) -> Result<u64, Flaw> {
    let bare = digits.strip_prefix("0x").or(digits.strip_prefix("0X"));
    let bare = bare.unwrap_or(digits);
    u64::from_str_radix(bare, 16).map_err(|_| {
        let message = format!("expected a GUID in hexadecimal digits, found `{digits}`");
        Flaw::at(offset, message)
    })
}
