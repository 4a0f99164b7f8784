//! Text for markup: escaping, numbers for people, and a guess at how wide text will be.

use std::collections::BTreeSet;

/// Makes text safe inside HTML and XML, in element content and in quoted attributes.
///
/// Characters that XML 1.0 forbids become U+FFFD, so that a stray control byte in a
/// router's name does not make a whole plot unreadable.
pub(super) fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + text.len() / 8);
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            '\t' | '\n' => out.push(c),
            '\r' => out.push('\n'),
            '\u{FFFE}' | '\u{FFFF}' => out.push('\u{FFFD}'),
            c if c < ' ' => out.push('\u{FFFD}'),
            c => out.push(c),
        }
    }
    out
}

/// What is printed for a figure that is not known.
pub(super) const UNKNOWN: &str = "\u{2013}";

/// A figure with about four significant digits and separated thousands.
pub(super) fn number(value: f64) -> String {
    if !value.is_finite() {
        return UNKNOWN.to_owned();
    }
    let size = value.abs();
    if size == 0.0 {
        return "0".to_owned();
    }
    if !(1e-4..1e9).contains(&size) {
        return trim_exponent(&format!("{value:.2e}"));
    }
    let digits = size.log10().floor();
    let decimals = if digits >= 3.0 {
        0
    } else {
        (3.0 - digits) as usize
    };
    let text = trim_zeros(&format!("{value:.decimals$}"));
    separate(&text)
}

/// A count with separated thousands.
pub(super) fn count(value: u64) -> String {
    separate(&value.to_string())
}

/// `12.500` -> `12.5`; text without a decimal point is left alone.
pub(super) fn trim_zeros(text: &str) -> String {
    if text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    } else {
        text.to_owned()
    }
}

fn trim_exponent(text: &str) -> String {
    match text.split_once('e') {
        Some((mantissa, exponent)) => format!("{}e{exponent}", trim_zeros(mantissa)),
        None => text.to_owned(),
    }
}

/// Puts commas between the thousands of the whole part.
pub fn separate(text: &str) -> String {
    let (sign, rest) = match text.strip_prefix('-') {
        Some(rest) => ("-", rest),
        None => ("", text),
    };
    let (whole, fraction) = match rest.split_once('.') {
        Some((whole, fraction)) => (whole, Some(fraction)),
        None => (rest, None),
    };
    let mut out = sign.to_owned();
    for (i, c) in whole.chars().enumerate() {
        if i > 0 && (whole.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(c);
    }
    if let Some(fraction) = fraction {
        out.push('.');
        out.push_str(fraction);
    }
    out
}

/// Width of text in a sans-serif face of this size, on the generous side.
///
/// The reader's fonts are unknown, and text that is guessed too wide only costs
/// white space, while text guessed too narrow would overlap its neighbour.
pub(super) fn width(text: &str, size: f64) -> f64 {
    let ems: f64 = text
        .chars()
        .map(|c| match c {
            'i' | 'l' | 'j' | '.' | ',' | ':' | ';' | '\'' | '|' | '!' | ' ' => 0.34,
            'f' | 't' | 'r' | '(' | ')' | '[' | ']' | '-' | '/' => 0.42,
            'm' | 'w' | 'M' | 'W' | '%' | '@' => 0.95,
            '=' | '+' | '<' | '>' | '~' => 0.84,
            c if c.is_ascii_uppercase() => 0.72,
            c if c.is_ascii() => 0.6,
            '\u{2013}' | '\u{b1}' | '\u{b7}' => 0.6,
            _ => 1.0,
        })
        .sum();
    ems * size
}

/// The text itself when it fits, otherwise its beginning and an ellipsis.
pub(super) fn shorten(text: &str, size: f64, room: f64) -> String {
    if width(text, size) <= room {
        return text.to_owned();
    }
    let mut out = String::new();
    let mut used = width("\u{2026}", size);
    for c in text.chars() {
        used += width(c.encode_utf8(&mut [0; 4]), size);
        if used > room {
            break;
        }
        out.push(c);
    }
    out.truncate(out.trim_end().len());
    out.push('\u{2026}');
    out
}

/// Where names in a room are to be cut, as the share of it that their beginnings get: where they stay as
/// different as they are. Names of a study often begin alike, and differ in the middle or at the end.
pub(super) fn cut(names: &[&str], size: f64, room: f64) -> f64 {
    let is_long = |name: &&str| width(name, size) > room;
    if !names.iter().any(is_long) {
        return 0.5;
    }
    let different = names.iter().copied().collect::<BTreeSet<_>>().len();
    let kept = |share: f64| {
        let cut = names.iter().map(|name| cut_at(share, name, size, room));
        cut.collect::<BTreeSet<_>>().len()
    };
    let shares = [5, 6, 4, 7, 3, 8, 2, 9, 1, 10, 0].map(|tenths| f64::from(tenths) / 10.0);
    let best = shares.map(kept).into_iter().max().unwrap_or(different);
    let mut shares = shares.into_iter();
    shares.find(|share| kept(*share) == best).unwrap_or(0.5)
}

/// The text itself when it fits, otherwise its beginning in this share of the room, an ellipsis and its end.
pub(super) fn cut_at(share: f64, text: &str, size: f64, room: f64) -> String {
    if width(text, size) <= room {
        return text.to_owned();
    }
    let room = room - width("\u{2026}", size);
    let taken = |letters: &mut dyn Iterator<Item = char>, room: f64| {
        let mut used = 0.0;
        let fits = letters.take_while(|letter| {
            used += width(letter.encode_utf8(&mut [0; 4]), size);
            used <= room
        });
        fits.collect::<Vec<char>>()
    };
    let begin = taken(&mut text.chars(), share * room);
    let end = taken(&mut text.chars().rev(), (1.0 - share) * room);
    let begin: String = begin.into_iter().collect();
    let end: String = end.into_iter().rev().collect();
    format!("{}\u{2026}{}", begin.trim_end(), end.trim_start())
}

/// Splits text into lines that fit, at spaces.
pub(super) fn wrap(text: &str, size: f64, room: f64) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if width(line, size) + width(word, size) + 0.34 * size <= room => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(shorten(word, size, room)),
        }
    }
    lines
}

/// Text as a part of a file name: lower-case ASCII letters, digits and hyphens. The sign of a negative number is a word.
pub(super) fn slug(text: &str) -> String {
    let mut out = String::new();
    let mut before = ' ';
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        if out.len() >= 80 {
            break;
        }
        let is_sign = c == '-' && !before.is_alphanumeric() && before != '-';
        before = c;
        if c.is_ascii_alphanumeric() {
            out.push(c.to_ascii_lowercase());
        } else if !out.is_empty() && !out.ends_with('-') {
            out.push('-');
        }
        if is_sign && rest.peek().is_some_and(char::is_ascii_digit) {
            out.push_str("minus-");
        }
    }
    out.truncate(out.trim_end_matches('-').len());
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markup_characters_are_escaped() {
        assert_eq!(
            escape("<a href=\"x\">&'"),
            "&lt;a href=&quot;x&quot;&gt;&amp;&#39;"
        );
        assert_eq!(escape("a\u{0}b\u{1b}"), "a\u{FFFD}b\u{FFFD}");
    }

    #[test]
    fn numbers_read_well() {
        for (value, text) in [
            (0.0, "0"),
            (1.0, "1"),
            (12.5, "12.5"),
            (0.29876, "0.2988"),
            (1234.5, "1,234"),
            (-4488.0, "-4,488"),
            (1_234_567.0, "1,234,567"),
            (1.5e12, "1.5e12"),
            (2.5e-7, "2.5e-7"),
            (f64::NAN, UNKNOWN),
            (f64::INFINITY, UNKNOWN),
        ] {
            assert_eq!(number(value), text);
        }
        assert_eq!(count(0), "0");
        assert_eq!(count(1_000_000), "1,000,000");
    }

    #[test]
    fn shortened_text_fits() {
        let long = "weighted-adaptive with propagation weight 0.25 and a bias of 0.1";
        let short = shorten(long, 12.0, 120.0);
        assert!(width(&short, 12.0) <= 120.0 && short.ends_with('\u{2026}'));
        assert_eq!(shorten("valiant", 12.0, 120.0), "valiant");
        assert!(
            wrap(long, 12.0, 200.0)
                .iter()
                .all(|line| width(line, 12.0) <= 200.0)
        );
    }

    /// Bars of several routings on networks with long names were all called the same.
    #[test]
    fn names_that_differ_do_so_when_they_are_cut() {
        let network = "dragonfly a=4 p=2 h=2 g=9 (circulant)";
        let routings = ["ugal", "minimal", "valiant"].iter();
        let names = routings.flat_map(|routing| {
            let end = "buffer 8 flits, allocator islip";
            [
                format!("{network}, {routing}"),
                format!("megafly, {routing}"),
                format!("{routing}, {end}"),
            ]
        });
        let names: Vec<String> = names.collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        for room in [180.0, 240.0, 289.0] {
            let share = cut(&names, 14.0, room);
            let short = names.iter().map(|name| cut_at(share, name, 14.0, room));
            let short: BTreeSet<String> = short.collect();
            assert_eq!(short.len(), names.len(), "{short:?}");
            assert!(short.iter().all(|name| width(name, 14.0) <= room));
        }
        assert_eq!(cut_at(0.5, "valiant", 14.0, 240.0), "valiant");
        assert_eq!(cut_at(0.5, "\u{4e16}\u{4e16}", 14.0, 14.0), "\u{2026}");
        assert_eq!(cut(&[], 14.0, 240.0), 0.5);
    }

    #[test]
    fn slugs_are_safe_file_names() {
        assert_eq!(
            slug("Dragonfly 33x8x4 - uniform"),
            "dragonfly-33x8x4-uniform"
        );
        assert_eq!(slug("../../etc/passwd"), "etc-passwd");
        assert_eq!(slug("threshold -10"), "threshold-minus-10");
        assert_eq!(slug("offset=-1, x-2"), "offset-minus-1-x-2");
        assert_eq!(slug("\u{e9}\u{e8}"), "");
        assert!(slug(&"x".repeat(500)).len() <= 80);
    }
}
