//! A study file as HTML, with comments, keys, strings and numbers told apart.
//!
//! This is a reading aid and no parser: whatever it does not recognise is shown as it is,
//! and no byte of the file is ever dropped.

use super::text::escape;

/// The text as escaped HTML with `<span>`s.
pub(super) fn highlight(source: &str) -> String {
    let mut out = String::with_capacity(source.len() * 2);
    // The delimiter of a multi-line string that is still open.
    let mut open: Option<&str> = None;
    for line in source.split_inclusive('\n') {
        let mut rest = line;
        if let Some(delimiter) = open {
            let end = rest.find(delimiter).map(|i| i + delimiter.len());
            if end.is_some() {
                open = None;
            }
            let (inside, after) = rest.split_at(end.unwrap_or(rest.len()));
            span(&mut out, "str", inside);
            rest = after;
        } else if let Some(end) = header_end(rest) {
            let (header, after) = rest.split_at(end);
            span(&mut out, "tab", header);
            rest = after;
        } else if let Some(end) = key_end(rest) {
            let (key, after) = rest.split_at(end);
            span(&mut out, "key", key);
            rest = after;
        }
        open = values(&mut out, rest).or(open);
    }
    out
}

fn span(out: &mut String, class: &str, text: &str) {
    // A line break inside a span is harmless, but copying reads better without it.
    let (text, end) = match text.strip_suffix('\n') {
        Some(text) => (text, "\n"),
        None => (text, ""),
    };
    if !text.is_empty() {
        out.push_str(&format!("<span class=\"{class}\">{}</span>", escape(text)));
    }
    out.push_str(end);
}

/// Where a line such as `[traffic]` ends; a row of an array of arrays is no header.
fn header_end(line: &str) -> Option<usize> {
    let end = line.find('#').unwrap_or(line.len());
    let header = line[..end].trim();
    (header.starts_with('[') && header.ends_with(']') && !header.contains(',')).then_some(end)
}

/// Where the key of `key = value` ends; quoted keys may contain anything.
fn key_end(line: &str) -> Option<usize> {
    let mut quote = None;
    for (i, c) in line.char_indices() {
        match (quote, c) {
            (Some(q), c) if q == c => quote = None,
            (Some(_), _) => {}
            (None, '"' | '\'') => quote = Some(c),
            (None, '=') => return Some(i),
            (None, '#') => return None,
            (None, c) if c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | ' ' | '\t') => {}
            (None, _) => return None,
        }
    }
    None
}

/// Everything after the key; gives the delimiter of a string left open.
fn values<'a>(out: &mut String, text: &'a str) -> Option<&'a str> {
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let taken = match c {
            '#' => {
                span(out, "com", rest);
                return None;
            }
            '"' | '\'' => {
                let triple = rest.get(..3).filter(|t| *t == "\"\"\"" || *t == "'''");
                let delimiter = triple.unwrap_or(&rest[..1]);
                let body = &rest[delimiter.len()..];
                let Some(end) = string_end(body, delimiter) else {
                    span(out, "str", rest);
                    return triple;
                };
                let taken = delimiter.len() + end;
                span(out, "str", &rest[..taken]);
                taken
            }
            c if c.is_ascii_alphanumeric() || c == '-' || c == '+' => {
                let word = |c: char| {
                    !(c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-' | '+' | ':'))
                };
                let end = rest.find(word).unwrap_or(rest.len());
                let text = &rest[..end];
                let value = c.is_ascii_digit()
                    || matches!(c, '-' | '+')
                    || matches!(text, "true" | "false" | "inf" | "nan");
                if value {
                    span(out, "num", text)
                } else {
                    span(out, "key", text)
                }
                end
            }
            c => {
                out.push_str(&escape(c.encode_utf8(&mut [0; 4])));
                c.len_utf8()
            }
        };
        rest = &rest[taken..];
    }
    None
}

/// End of a string, past its delimiter; a backslash protects in basic strings only.
fn string_end(body: &str, delimiter: &str) -> Option<usize> {
    let mut protected = false;
    for (i, c) in body.char_indices() {
        if protected {
            protected = false;
        } else if c == '\\' && delimiter.starts_with('"') {
            protected = true;
        } else if body[i..].starts_with(delimiter) {
            return Some(i + delimiter.len());
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The text a browser would show.
    fn plain(html: &str) -> String {
        let mut out = String::new();
        let mut inside = false;
        for c in html.chars() {
            match c {
                '<' => inside = true,
                '>' => inside = false,
                c if !inside => out.push(c),
                _ => {}
            }
        }
        let entities = [
            ("&lt;", "<"),
            ("&gt;", ">"),
            ("&quot;", "\""),
            ("&#39;", "'"),
            ("&amp;", "&"),
        ];
        entities
            .iter()
            .fold(out, |text, (from, to)| text.replace(from, to))
    }

    #[test]
    fn nothing_is_lost() {
        for source in [
            "",
            "[study]\nname = \"a # b\" # c\n\n\"x.y\" = [1, 2.5, -3e4, true]\n",
            "text = \"\"\"first\n[not a table]\nlast\"\"\" # done\nnext = 'it\\'\n",
            "broken = \"never closed\n<script>alert('&')</script>\n= = =\n\u{e9}\u{4e16} = \u{1f600}",
            "a = { local = \"1 cycle\", per_group = 10 }\nlist = [\n  \"x\", # one\n]\n",
        ] {
            assert_eq!(plain(&highlight(source)), source, "{source}");
        }
    }

    #[test]
    fn parts_are_told_apart() {
        let html = highlight("[a] # t\nkey = \"v#\" # c\nn = 3\n");
        for part in [
            "<span class=\"tab\">[a] </span><span class=\"com\"># t</span>",
            "<span class=\"str\">&quot;v#&quot;</span>",
            "<span class=\"com\"># c</span>",
            "<span class=\"num\">3</span>",
        ] {
            assert!(html.contains(part), "{html}");
        }
    }

    #[test]
    fn markup_in_a_study_stays_text() {
        assert!(!highlight("x = \"<script>\"\n<b>\n# <i>").contains("<script>"));
    }
}
