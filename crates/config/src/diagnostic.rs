//! What is wrong with what the user wrote, and where.
//!
//! There is one shape, a [`Complaint`] about some place.
//! A [`Diagnostic`] knows a byte range of a numbered text, never the text itself, so
//! anything below the roof can produce one and only the roof needs to draw it.
//! Code that only sees a typed value says [`Invalid`] with a path inside its own table;
//! whoever still holds the table turns the path into a position with [`Invalid::locate`].

use std::fmt;

/// A byte range of one of the texts which make up a study.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Span {
    /// 0 is the study file, `n >= 1` the text of the n-th `--set` override.
    pub source: u16,
    /// Offset of the first byte.
    pub start: u32,
    /// Offset just past the last byte.
    pub end: u32,
}

impl Span {
    /// The bytes `start..end` of text number `source`.
    pub const fn new(source: u16, start: u32, end: u32) -> Self {
        Self { source, start, end }
    }

    /// Does it hold all of another one?
    pub const fn contains(self, inner: Self) -> bool {
        self.source == inner.source && self.start <= inner.start && inner.end <= self.end
    }
}

/// A complaint about what the user wrote: where it is, what is wrong, what to do about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Complaint<Place> {
    /// What is to blame.
    pub place: Place,
    /// What is wrong, in plain words, without a trailing full stop.
    pub message: String,
    /// What to do about it.
    pub help: Option<String>,
}

/// A complaint about a text of the study; `None` when no single place is to blame.
pub type Diagnostic = Complaint<Option<Span>>;

/// What a constructor says when well-typed values make no sense together or at all
/// (impossible sizes, a fault on a link that does not exist).
///
/// Its place is a path inside the entry's own table, such as `sizes[1]` or `faults.links[0]`;
/// empty for the table itself. The message does not repeat it.
pub type Invalid = Complaint<String>;

impl<Place> Complaint<Place> {
    /// A complaint about `place`.
    pub fn new(place: impl Into<Place>, message: impl Into<String>) -> Self {
        Self {
            place: place.into(),
            message: message.into(),
            help: None,
        }
    }

    /// The same complaint with advice, replacing earlier advice.
    #[must_use]
    pub fn with_help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// The same complaint, seen from where its place is called otherwise.
    pub fn moved<Other>(self, place: impl FnOnce(Place) -> Other) -> Complaint<Other> {
        Complaint {
            place: place(self.place),
            message: self.message,
            help: self.help,
        }
    }
}

impl<Place> Complaint<Option<Place>> {
    /// A complaint about `place`.
    pub fn at(place: Place, message: impl Into<String>) -> Self {
        Self::new(Some(place), message)
    }

    /// A complaint about no place in particular.
    pub fn general(message: impl Into<String>) -> Self {
        Self::new(None, message)
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)?;
        match &self.help {
            Some(help) => write!(f, " (help: {help})"),
            None => Ok(()),
        }
    }
}

impl Invalid {
    /// The same complaint seen from the table which holds this one under `prefix`.
    #[must_use]
    pub fn under(mut self, prefix: &str) -> Self {
        self.place = match (prefix, self.place.as_str()) {
            (outer, "") => outer.to_owned(),
            ("", inner) => inner.to_owned(),
            (outer, inner) if inner.starts_with('[') => format!("{outer}{inner}"),
            (outer, inner) => format!("{outer}.{inner}"),
        };
        self
    }
}

impl fmt::Display for Invalid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.place.is_empty() {
            f.write_str(&self.message)
        } else {
            write!(f, "{}: {}", self.place, self.message)
        }
    }
}

impl std::error::Error for Invalid {}

/// No name that can be written in a study is longer.
const LONGEST_NAME: usize = 200;

/// The candidate the user most likely meant, if any is close enough to mention.
///
/// Case does not count, and `-` and `_` are the same letter. A third of the letters may
/// be wrong; failing that, a name of three letters or more finds what it abbreviates.
/// Among equally close candidates the first wins.
pub fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    // Nobody misspells a name into a page of text, and comparing that takes long.
    if name.len() > LONGEST_NAME {
        return None;
    }
    let folded = fold(name);
    let mut best: Option<(usize, &str)> = None;
    let mut abbreviated: Option<&str> = None;
    for candidate in candidates {
        let other = fold(candidate);
        let distance = strsim::damerau_levenshtein(&folded, &other);
        let longest = folded.chars().count().max(other.chars().count());
        let tolerable = distance < longest && distance <= (longest / 3).max(1);
        if tolerable && best.is_none_or(|(closest, _)| distance < closest) {
            best = Some((distance, candidate));
        }
        let shorter = abbreviated.is_none_or(|known| candidate.len() < known.len());
        if folded.len() >= 3 && other.starts_with(&folded) && shorter {
            abbreviated = Some(candidate);
        }
    }
    best.map(|(_, candidate)| candidate).or(abbreviated)
}

/// "`a`, `b` and `c`": names the user may choose from.
pub fn listed<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    let quoted: Vec<String> = names.into_iter().map(|name| format!("`{name}`")).collect();
    enumerated(&quoted)
}

/// "1 point", "2 points".
pub fn count(number: usize, noun: &str) -> String {
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}

/// "a, b and c".
pub fn enumerated(words: &[String]) -> String {
    match words.split_last() {
        None => "none".to_owned(),
        Some((last, [])) => last.clone(),
        Some((last, others)) => format!("{} and {last}", others.join(", ")),
    }
}

/// Help for a name that does not exist: the nearest of all `spellings`, if one is close,
/// and the `choices` there are, introduced by `what` ("the names are").
pub fn suggestion<'a>(
    wrong: &str,
    what: &str,
    spellings: impl IntoIterator<Item = &'a str>,
    choices: impl IntoIterator<Item = &'a str>,
) -> String {
    let all = format!("{what}: {}", listed(choices));
    match nearest(wrong, spellings) {
        Some(close) => format!("did you mean `{close}`? {all}"),
        None => all,
    }
}

/// A key that a table may not have, with those it may.
pub fn unknown_key<'a>(
    at: Span,
    name: &str,
    keys: impl IntoIterator<Item = &'a str> + Clone,
) -> Diagnostic {
    let [message, help] = of_unknown_key(name, keys);
    Diagnostic::at(at, message).with_help(help)
}

/// Message and help of that.
pub(crate) fn of_unknown_key<'a>(
    name: &str,
    keys: impl IntoIterator<Item = &'a str> + Clone,
) -> [String; 2] {
    [
        format!("{UNKNOWN_KEY}{name}`"),
        suggestion(name, "the keys of this table are", keys.clone(), keys),
    ]
}

/// How it is said; the name follows.
const UNKNOWN_KEY: &str = "unknown key `";

/// The key that an error is about, if its table may not have it.
pub fn which_unknown_key(error: &Diagnostic) -> Option<&str> {
    error.message.strip_prefix(UNKNOWN_KEY)?.strip_suffix('`')
}

fn fold(name: &str) -> String {
    name.to_lowercase().replace('_', "-")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::{Kind, Table, Value};

    fn value(start: u32, kind: Kind) -> Value {
        Value::new(Span::new(0, start, start + 1), kind)
    }

    fn sizes() -> Value {
        let numbers = vec![value(10, Kind::Integer(4)), value(12, Kind::Integer(0))];
        let mut table = Table::default();
        table.insert("sizes", value(9, Kind::Array(numbers)));
        value(1, Kind::Table(table))
    }

    #[test]
    fn invalid_points_to_the_innermost_value_that_was_written() {
        let start = |field: &str| {
            let found = Invalid::new(field, "is impossible").locate(&sizes());
            found.place.map(|span| span.start)
        };
        assert_eq!(start("sizes[1]"), Some(12));
        assert_eq!(start("sizes[7]"), Some(9));
        assert_eq!(start("sizes[1].x"), Some(12));
        assert_eq!(start("faults.links[0]"), Some(1));
        assert_eq!(start(""), Some(1));
    }

    #[test]
    fn invalid_grows_outwards() {
        let under = |inner: &str, outer| Invalid::new(inner, "no").under(outer).place;
        assert_eq!(under("links[0]", "faults"), "faults.links[0]");
        assert_eq!(under("[0]", "links"), "links[0]");
        assert_eq!(under("", "links"), "links");
        assert_eq!(under("links", ""), "links");
    }

    #[test]
    fn invalid_reads_as_a_sentence() {
        let found = Invalid::new("sizes[1]", "must be at least 2").with_help("remove it");
        assert_eq!(found.to_string(), "sizes[1]: must be at least 2");
        let located = found.locate(&sizes());
        let expected = "sizes[1]: must be at least 2 (help: remove it)";
        assert_eq!(located.to_string(), expected);
        assert_eq!(Invalid::new("", "too large").to_string(), "too large");
    }

    #[test]
    fn nearest_forgives_typing_errors_only() {
        let names = ["torus", "mesh", "full-mesh", "terminals_per_router"];
        assert_eq!(nearest("tours", names), Some("torus"));
        assert_eq!(nearest("Full_Mesh", names), Some("full-mesh"));
        assert_eq!(nearest("terminals-per-router", names), Some(names[3]));
        assert_eq!(nearest("terminals", names), Some(names[3]));
        assert_eq!(nearest("dragonfly", names), None);
        assert_eq!(nearest("x", ["y"]), None);
        assert_eq!(nearest("", names), None);
    }

    #[test]
    fn lists_read_well() {
        assert_eq!(listed([]), "none");
        assert_eq!(listed(["a"]), "`a`");
        assert_eq!(listed(["a", "b", "c"]), "`a`, `b` and `c`");
    }
}
