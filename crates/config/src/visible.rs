//! Text of unknown origin, safe to show: control characters made visible, and long texts cut.
//!
//! What people write comes back in messages, labels and exported files. A terminal would obey an
//! escape sequence in it, a reader would be misled by text that runs backwards (Unicode Technical
//! Report 36, section 2.9), and XML cannot hold most control characters at all.

use std::borrow::Cow;
use std::fmt::Write;

/// Does nobody see this character, although it does something?
pub fn is_invisible(character: char) -> bool {
    let directs = matches!(
        character,
        '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}'
    );
    character.is_control() || directs || is_no_character(character)
}

/// Unicode never assigns these, and XML refuses two of them.
fn is_no_character(character: char) -> bool {
    matches!(character, '\u{fdd0}'..='\u{fdef}' | '\u{fffe}' | '\u{ffff}')
}

/// The text with every invisible character but `kept` ones written `\u001b`, which means the same
/// inside a JSON string.
pub fn visible<'a>(text: &'a str, kept: &[char]) -> Cow<'a, str> {
    let hidden = |character: char| is_invisible(character) && !kept.contains(&character);
    if !text.contains(hidden) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len());
    for character in text.chars() {
        match hidden(character) {
            // Writing into a string cannot fail.
            true => drop(write!(shown, "\\u{:04x}", u32::from(character))),
            false => shown.push(character),
        }
    }
    Cow::Owned(shown)
}

/// The text, of which the middle is left out if it has more than `most` characters.
pub fn shortened(text: &str, most: usize) -> Cow<'_, str> {
    let nth = |count: usize| text.char_indices().nth(count).map(|(at, _)| at);
    if nth(most).is_none() {
        return Cow::Borrowed(text);
    }
    let (head, tail) = (most * 2 / 3, most / 3);
    let mut ends = text.char_indices().rev();
    let start = ends.nth(tail.saturating_sub(1)).map_or(0, |(at, _)| at);
    let head = &text[..nth(head).unwrap_or(0)];
    Cow::Owned(format!("{head} ... {}", &text[start..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_terminal_would_obey_is_shown() {
        assert_eq!(
            visible("a\u{1b}[31m\0\u{202e}b\u{9b}", &[]),
            "a\\u001b[31m\\u0000\\u202eb\\u009b"
        );
        assert_eq!(visible("a\tb\nc", &['\t']), "a\tb\\u000ac");
        assert!(matches!(visible("Größe 8×8 → ✓", &[]), Cow::Borrowed(_)));
    }

    #[test]
    fn long_texts_keep_both_ends() {
        assert_eq!(shortened("short", 5), "short");
        let long = format!("{}é{}", "a".repeat(500), "z".repeat(500));
        let cut = shortened(&long, 30);
        assert_eq!(cut, format!("{} ... {}", "a".repeat(20), "z".repeat(10)));
    }
}
