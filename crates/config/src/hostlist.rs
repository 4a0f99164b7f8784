//! Slurm's way of writing many host names at once: `n[1-3,7],m[001-010],r[0-1]c[0-3]`.
//!
//! Read and written here rather than by `scontrol`, so that tables can be made and ranks be placed where no Slurm
//! is installed, and so that a slip is shown where it is.

use crate::diagnostic::Complaint;
use std::fmt::Write as _;
use std::ops::Range;

/// More hosts than any network we route has terminals; `n[0-999999999]` is a slip.
const MOST_HOSTS: usize = 1 << 20;

/// Numbers longer than this would not fit 64 bits.
const MOST_DIGITS: usize = 18;

/// One host and the part of the text that names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Host {
    /// Its name.
    pub name: String,
    /// Bytes of the text between commas that it comes from.
    pub at: Range<usize>,
}

/// What is wrong with a hostlist, about bytes of its text.
pub type Wrong = Complaint<Range<usize>>;

/// The hosts of a hostlist in the order they are written; a list of nothing but blanks has none.
///
/// Names have letters, digits, `-`, `_` and `.`. A range has as many digits as its first number
/// is written with: `[08-10]` is `08`, `09`, `10`. Of several brackets the last varies fastest.
///
/// # Errors
/// The first place that makes no sense.
pub fn expand(text: &str) -> Result<Vec<Host>, Wrong> {
    let mut reader = Reader { text, at: 0 };
    let mut hosts = Vec::new();
    reader.skip_blanks();
    if reader.peek().is_none() {
        return Ok(hosts);
    }
    loop {
        reader.skip_blanks();
        let start = reader.at;
        let parts = reader.parts()?;
        let at = start..reader.at;
        let count = parts.iter().map(Part::count).fold(1, usize::saturating_mul);
        if hosts.len().saturating_add(count) > MOST_HOSTS {
            let message = format!("more than {MOST_HOSTS} hosts are more than a network has");
            return Err(Wrong::new(at, message));
        }
        let names = names(&parts);
        hosts.extend(names.into_iter().map(|name| Host {
            name,
            at: at.clone(),
        }));
        reader.skip_blanks();
        match reader.peek() {
            None => return Ok(hosts),
            Some(',') => reader.at += 1,
            Some(_) => return Err(reader.stray()),
        }
    }
}

/// A piece of an element: text, or what a bracket stands for.
enum Part<'a> {
    Text(&'a str),
    /// First and last number, and the digits numbers are filled up to with zeros.
    Numbers(Vec<(u64, u64, usize)>),
}

impl Part<'_> {
    fn count(&self) -> usize {
        match self {
            Self::Text(_) => 1,
            Self::Numbers(ranges) => {
                let lengths = ranges
                    .iter()
                    .map(|&(low, high, _)| (high - low).saturating_add(1));
                let count = lengths.fold(0, u64::saturating_add);
                usize::try_from(count).unwrap_or(usize::MAX)
            }
        }
    }
}

/// Every name the parts stand for, the last bracket varying fastest.
fn names(parts: &[Part<'_>]) -> Vec<String> {
    let mut names = vec![String::new()];
    for part in parts {
        match part {
            Part::Text(text) => names.iter_mut().for_each(|name| name.push_str(text)),
            Part::Numbers(ranges) => {
                let one = |name: &String| {
                    let numbers = ranges
                        .iter()
                        .flat_map(|&(low, high, width)| (low..=high).map(move |n| (n, width)));
                    numbers
                        .map(|(number, width)| format!("{name}{number:0width$}"))
                        .collect::<Vec<_>>()
                };
                names = names.iter().flat_map(one).collect();
            }
        }
    }
    names
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Reader<'a> {
    fn peek(&self) -> Option<char> {
        self.text[self.at..].chars().next()
    }

    /// The character at hand, as a range.
    fn here(&self) -> Range<usize> {
        self.at..self.at + self.peek().map_or(0, char::len_utf8)
    }

    fn skip_blanks(&mut self) {
        let rest = &self.text[self.at..];
        self.at += rest.len() - rest.trim_start().len();
    }

    fn take(&mut self, wanted: impl Fn(char) -> bool) -> &'a str {
        let rest = &self.text[self.at..];
        let length = rest.find(|c| !wanted(c)).unwrap_or(rest.len());
        self.at += length;
        &rest[..length]
    }

    fn stray(&self) -> Wrong {
        match self.peek() {
            Some(']') => Wrong::new(self.here(), "`]` without a `[` before it"),
            Some(c) => Wrong::new(self.here(), format!("`{c}` is not part of a host's name"))
                .with_help("hosts are written like n[1-3,7],m01"),
            None => Wrong::new(self.here(), "the hostlist ends early"),
        }
    }

    /// One element up to its comma: text and brackets in turn.
    fn parts(&mut self) -> Result<Vec<Part<'a>>, Wrong> {
        let mut parts = Vec::new();
        loop {
            let text = self.take(|c| c.is_ascii_alphanumeric() || "-_.".contains(c));
            if !text.is_empty() {
                parts.push(Part::Text(text));
            }
            match self.peek() {
                Some('[') => parts.push(Part::Numbers(self.bracket()?)),
                None | Some(',') if parts.is_empty() => {
                    let message = "the name of a host is missing";
                    return Err(Wrong::new(self.here(), message));
                }
                _ if parts.is_empty() => return Err(self.stray()),
                _ => return Ok(parts),
            }
        }
    }

    fn bracket(&mut self) -> Result<Vec<(u64, u64, usize)>, Wrong> {
        let open = self.here();
        self.at += 1;
        let mut ranges = Vec::new();
        loop {
            let start = self.at;
            let (low, width) = self.number(&open)?;
            let mut high = low;
            if self.peek() == Some('-') {
                self.at += 1;
                (high, _) = self.number(&open)?;
            }
            if high < low {
                let at = start..self.at;
                let message = format!("the range {} runs backwards", &self.text[at.clone()]);
                let help = format!("write {high:0width$}-{low:0width$}");
                return Err(Wrong::new(at, message).with_help(help));
            }
            ranges.push((low, high, width));
            match self.peek() {
                Some(',') => self.at += 1,
                Some(']') => {
                    self.at += 1;
                    return Ok(ranges);
                }
                None => return Err(Wrong::new(open, "`[` is never closed by a `]`")),
                Some(c) => {
                    let message = format!("expected `-`, `,` or `]`, found `{c}`");
                    return Err(Wrong::new(self.here(), message));
                }
            }
        }
    }

    /// A number and how many digits it is written with.
    fn number(&mut self, open: &Range<usize>) -> Result<(u64, usize), Wrong> {
        let start = self.at;
        let digits = self.take(|c| c.is_ascii_digit());
        if digits.len() > MOST_DIGITS {
            let message = format!("a number has at most {MOST_DIGITS} digits");
            return Err(Wrong::new(start..self.at, message));
        }
        match (digits.parse(), self.peek()) {
            (Ok(number), _) => Ok((number, digits.len())),
            (Err(_), None) => Err(Wrong::new(open.clone(), "`[` is never closed by a `]`")),
            (Err(_), Some(c)) => {
                let message = format!("expected a number, found `{c}`");
                Err(Wrong::new(self.here(), message).with_help("for example [1-3,7]"))
            }
        }
    }
}

/// A name's text and the number it ends with, if it does.
fn split(name: &str) -> (&str, Option<(u64, usize)>) {
    let digits = name.bytes().rev().take_while(u8::is_ascii_digit).count();
    let (text, number) = name.split_at(name.len() - digits.min(MOST_DIGITS));
    match number.parse() {
        Ok(value) => (text, Some((value, number.len()))),
        Err(_) => (name, None),
    }
}

/// Sorts names as people count: n2 before n10.
pub fn sort(names: &mut [String]) {
    names.sort_by(|a, b| split(a).cmp(&split(b)).then_with(|| a.cmp(b)));
}

/// The shortest hostlist we know of a set of hosts, sorted: `n[1-3,7]`.
pub fn compress<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    let mut names: Vec<String> = names.into_iter().map(str::to_owned).collect();
    sort(&mut names);
    names.dedup();
    let mut list = String::new();
    let mut rest = names.as_slice();
    while let Some(first) = rest.first() {
        let (text, number) = split(first);
        let alike = |name: &&String| number.is_some() && split(name).0 == text;
        let count = rest.iter().take_while(alike).count().max(1);
        let (group, others) = rest.split_at(count);
        rest = others;
        if !list.is_empty() {
            list.push(',');
        }
        match group {
            [only] => list.push_str(only),
            many => {
                // Writing to a string cannot fail.
                let _ = write!(list, "{text}[{}]", runs(many));
            }
        }
    }
    list
}

/// `1-3,7` of names that differ in their last number only, sorted.
fn runs(names: &[String]) -> String {
    let mut runs: Vec<(u64, u64, usize)> = Vec::new();
    for (number, digits) in names.iter().filter_map(|name| split(name).1) {
        match runs.last_mut() {
            // A range is written with the digits of its first number.
            Some((_, last, width))
                if number == *last + 1 && format!("{number:0width$}").len() == digits =>
            {
                *last = number;
            }
            _ => runs.push((number, number, digits)),
        }
    }
    let texts = runs.iter().map(|&(low, high, width)| match low == high {
        true => format!("{low:0width$}"),
        false => format!("{low:0width$}-{high:0width$}"),
    });
    texts.collect::<Vec<_>>().join(",")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn names_of(text: &str) -> Vec<String> {
        let hosts = expand(text).unwrap_or_else(|wrong| panic!("{text}: {wrong:?}"));
        hosts.into_iter().map(|host| host.name).collect()
    }

    #[test]
    fn lists_expand_as_slurm_expands_them() {
        assert_eq!(names_of("n[1-3,7]"), ["n1", "n2", "n3", "n7"]);
        assert_eq!(names_of("a,b-2.x , c_3"), ["a", "b-2.x", "c_3"]);
        assert_eq!(names_of("m[008-011]"), ["m008", "m009", "m010", "m011"]);
        assert_eq!(names_of("n[9-10]"), ["n9", "n10"]);
        let racks = ["r0c8", "r0c9", "r1c8", "r1c9"];
        assert_eq!(names_of("r[0-1]c[8-9]"), racks);
        assert_eq!(names_of("n[1-2]-ib"), ["n1-ib", "n2-ib"]);
        assert_eq!(names_of("  "), Vec::<String>::new());
        assert_eq!(
            expand("a,n[1-2]").map(|hosts| hosts[2].at.clone()),
            Ok(2..8)
        );
    }

    #[test]
    fn slips_are_found_where_they_are() {
        let wrong = |text| {
            let wrong = expand(text).expect_err(text);
            (wrong.place.start, wrong.message)
        };
        for (text, at, message) in [
            ("n[1-3", 1, "`[` is never closed by a `]`"),
            ("n[", 1, "`[` is never closed by a `]`"),
            ("n[]", 2, "expected a number, found `]`"),
            ("n[1,,2]", 4, "expected a number, found `,`"),
            ("n[1-]", 4, "expected a number, found `]`"),
            ("n[a]", 2, "expected a number, found `a`"),
            ("n[1;2]", 3, "expected `-`, `,` or `]`, found `;`"),
            ("n[3-1]", 2, "the range 3-1 runs backwards"),
            ("n1]", 2, "`]` without a `[` before it"),
            ("n1,,n2", 3, "the name of a host is missing"),
            ("n1,", 3, "the name of a host is missing"),
            (",n1", 0, "the name of a host is missing"),
            ("n1 n2", 3, "`n` is not part of a host's name"),
            ("n1,n/2", 4, "`/` is not part of a host's name"),
            ("näh", 1, "`ä` is not part of a host's name"),
            (
                "n[0-99999999]",
                0,
                "more than 1048576 hosts are more than a network has",
            ),
            (
                "n[1234567890123456789]",
                2,
                "a number has at most 18 digits",
            ),
        ] {
            assert_eq!(wrong(text), (at, message.to_owned()), "{text}");
        }
    }

    #[test]
    fn sets_compress_to_ranges() {
        let compress = |text| compress(names_of(text).iter().map(String::as_str));
        assert_eq!(compress("n3,n1,n2,n7,n1"), "n[1-3,7]");
        assert_eq!(compress("n[098-101],n5"), "n[5,098-101]");
        assert_eq!(compress("n[9-11],n08"), "n[08,9-11]");
        assert_eq!(compress("login,r1c0,r0c[1-2]"), "login,r0c[1-2],r1c0");
        assert_eq!(compress(""), "");
    }

    proptest! {
        #[test]
        fn what_is_compressed_expands_to_the_same_set(
            hosts in proptest::collection::btree_set("[nr-](0{0,2}[0-9]{1,2}|c[0-9])?", 0..60)
        ) {
            let mut sorted: Vec<String> = hosts.into_iter().collect();
            sort(&mut sorted);
            let list = compress(sorted.iter().map(String::as_str));
            prop_assert_eq!(names_of(&list), sorted);
        }

        #[test]
        fn no_text_makes_it_panic(text in "[n0-9\\[\\],; ü-]{0,20}") {
            if let Err(wrong) = expand(&text) {
                prop_assert!(text.get(wrong.place).is_some());
            }
        }
    }
}
