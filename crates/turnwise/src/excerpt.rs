//! The lines around a place in the user's text, as they can be shown: what is invisible made
//! visible, and lines cut that are too long for any screen.

use std::ops::Range;
use turnwise_config::visible::visible;
use turnwise_network::Span;

/// Characters shown on either side of a mark, and of a mark.
const MOST_BESIDE: usize = 100;

/// A few lines of a text, in a text whose other lines are empty so that line numbers stay.
pub(crate) struct Excerpt {
    pub(crate) text: String,
    /// The first line of the place, in bytes of the excerpt.
    pub(crate) mark: Range<usize>,
}

impl Excerpt {
    /// The line where `span` starts, with its neighbours.
    pub(crate) fn new(text: &str, span: Span) -> Self {
        let start = boundary(text, span.start as usize);
        let end = boundary(text, (span.end as usize).max(start));
        let line_start = text[..start].rfind('\n').map_or(0, |newline| newline + 1);
        let line_end = text[start..].find('\n').map_or(text.len(), |at| start + at);
        let mut shown = String::new();
        if let Some(before) = text[..line_start].strip_suffix('\n') {
            let start = before.rfind('\n').map_or(0, |newline| newline + 1);
            shown.extend(before[..start].matches('\n'));
            shown += &neighbour(&before[start..]);
            shown.push('\n');
        }
        shown += &last(&text[line_start..start]);
        let mark_start = shown.len();
        // A table's span may cover many lines; its first one is enough to find it.
        let mark_end = end.min(line_end);
        shown += &first(&text[start..mark_end]);
        let mark = mark_start..shown.len();
        shown += &first(text[mark_end..line_end].trim_end_matches('\r'));
        if let Some(after) = text[line_end..].strip_prefix('\n') {
            shown.push('\n');
            shown += &neighbour(after.split('\n').next().unwrap_or_default());
            shown.push('\n');
        }
        Self { text: shown, mark }
    }
}

/// The last place at or before `offset` where a character starts.
fn boundary(text: &str, offset: usize) -> usize {
    let mut offset = offset.min(text.len());
    while !text.is_char_boundary(offset) {
        offset -= 1;
    }
    offset
}

fn shown(text: &str) -> String {
    visible(text, &['\t']).into_owned()
}

fn neighbour(line: &str) -> String {
    first(line.trim_end_matches('\r'))
}

/// The first characters of a text.
fn first(text: &str) -> String {
    match text.char_indices().nth(MOST_BESIDE) {
        Some((end, _)) => shown(&text[..end]) + " ...",
        None => shown(text),
    }
}

/// The last characters of a text.
fn last(text: &str) -> String {
    match text.char_indices().rev().nth(MOST_BESIDE) {
        Some((before, character)) => {
            "... ".to_owned() + &shown(&text[before + character.len_utf8()..])
        }
        None => shown(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn marked(text: &str, start: usize, end: usize) -> (String, String) {
        let excerpt = Excerpt::new(text, Span::new(0, start as u32, end as u32));
        let mark = excerpt.text[excerpt.mark.clone()].to_owned();
        (excerpt.text, mark)
    }

    #[test]
    fn lines_keep_their_numbers() {
        let text = "one\ntwo\nthree\r\nfour\nfive\n";
        let expected = "\n\nthree\nfour\nfive\n";
        assert_eq!(marked(text, 15, 19), (expected.into(), "four".into()));
        assert_eq!(marked(text, 0, 99), ("one\ntwo\n".into(), "one".into()));
        assert_eq!(marked("", 0, 0), (String::new(), String::new()));
        assert_eq!(marked("ab", 2, 2), ("ab".into(), String::new()));
        assert_eq!(marked("aß", 2, 3), ("aß".into(), "ß".into()));
    }

    #[test]
    fn long_lines_are_cut_around_the_mark() {
        let (text, mark) = marked(
            &format!("{}WRONG{}", "x".repeat(900), "y".repeat(900)),
            900,
            905,
        );
        let expected = format!("... {}WRONG{} ...", "x".repeat(100), "y".repeat(100));
        assert_eq!((text, mark.as_str()), (expected, "WRONG"));
        let (_, mark) = marked(&"z".repeat(900), 0, 900);
        assert_eq!(mark.len(), 104);
    }

    #[test]
    fn what_is_invisible_is_shown() {
        let (text, mark) = marked("a\u{1b}b = \u{202e}\tc", 6, 9);
        assert_eq!(text, "a\\u001bb = \\u202e\tc");
        assert_eq!(mark, "\\u202e");
    }
}
