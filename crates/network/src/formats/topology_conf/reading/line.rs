//! A line of Slurm's configuration: `Key=value` several times, and where in the text all of it is.

use turnwise_config::Flaw;

/// A line without its comment, together with those that it goes on in.
pub(super) struct Line {
    text: String,
    /// Where pieces begin here and in the file.
    pieces: Vec<(usize, usize)>,
}

/// What a key is set to.
pub(super) struct Value {
    pub(super) text: String,
    /// Where it is in its line.
    pub(super) at: usize,
    /// Where it is in the file.
    pub(super) offset: usize,
}

/// The lines of a text.
pub(super) fn lines(text: &str) -> Vec<Line> {
    let mut lines: Vec<Line> = Vec::new();
    let (mut start, mut goes_on) = (0, false);
    for physical in text.split_inclusive('\n') {
        let without_end = physical.trim_end_matches(['\n', '\r']);
        let before_comment = without_end.split('#').next().unwrap_or(without_end);
        let (piece, continued) = match before_comment.strip_suffix('\\') {
            Some(piece) if before_comment.len() == without_end.len() => (piece, true),
            _ => (before_comment, false),
        };
        match lines.last_mut().filter(|_| goes_on) {
            Some(line) => {
                line.pieces.push((line.text.len(), start));
                line.text.push_str(piece);
            }
            None => lines.push(Line {
                text: piece.to_owned(),
                pieces: vec![(0, start)],
            }),
        }
        start += physical.len();
        goes_on = continued;
    }
    lines
}

impl Line {
    /// Where in the file a byte of the line is.
    pub(super) fn offset(&self, at: usize) -> usize {
        let piece = self.pieces.partition_point(|&(here, _)| here <= at);
        let (here, there) = self.pieces[piece.max(1) - 1];
        there + (at - here)
    }

    /// Keys, where they are in the file, and what they are set to.
    pub(super) fn assignments(&self) -> Result<Vec<(String, usize, Value)>, Flaw> {
        let mut all = Vec::new();
        let mut at = self.without_blanks(0);
        while at < self.text.len() {
            let rest = &self.text[at..];
            let length = rest.find(|c: char| c == '=' || c.is_whitespace());
            let key = &rest[..length.unwrap_or(rest.len())];
            let offset = self.offset(at);
            let sign = self.without_blanks(at + key.len());
            if key.is_empty() || !self.text[sign..].starts_with('=') {
                let found = if key.is_empty() { "=" } else { key };
                let message = format!("expected `Key=value`, found `{found}`");
                return Err(Flaw::at(offset, message));
            }
            let start = self.without_blanks(sign + 1);
            let rest = &self.text[start..];
            let (start, text, end) = match rest.strip_prefix('"') {
                Some(quoted) => {
                    let Some(length) = quoted.find('"') else {
                        let message = "this `\"` is never closed";
                        return Err(Flaw::at(self.offset(start), message));
                    };
                    (start + 1, &quoted[..length], start + length + 2)
                }
                None => {
                    let length = rest.find(char::is_whitespace).unwrap_or(rest.len());
                    (start, &rest[..length], start + length)
                }
            };
            if text.is_empty() {
                let message = format!("`{key}` is set to nothing");
                return Err(Flaw::at(offset, message));
            }
            let value = Value {
                text: text.to_owned(),
                at: start,
                offset: self.offset(start),
            };
            all.push((key.to_owned(), offset, value));
            at = self.without_blanks(end);
        }
        Ok(all)
    }

    /// The next byte from there on that is no blank.
    fn without_blanks(&self, at: usize) -> usize {
        let rest = &self.text[at..];
        at + (rest.len() - rest.trim_start().len())
    }
}
