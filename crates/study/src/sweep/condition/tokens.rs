//! The words of a condition.

use std::ops::Range;
use turnwise_config::diagnostic::Complaint;

/// What a word means.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Token<'a> {
    Name(&'a str),
    Integer(i64),
    Float(f64),
    Text(&'a str),
    Compare(Operator),
    And,
    Or,
    Not,
    Open,
    Close,
}

/// A comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::sweep) enum Operator {
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

impl Operator {
    /// Longer ones first, so that `<=` is not taken for `<`.
    const SPELLINGS: [(&'static str, Self); 6] = [
        ("==", Self::Equal),
        ("!=", Self::NotEqual),
        ("<=", Self::LessOrEqual),
        (">=", Self::GreaterOrEqual),
        ("<", Self::Less),
        (">", Self::Greater),
    ];

    pub(super) fn text(self) -> &'static str {
        let spelling = Self::SPELLINGS
            .iter()
            .find(|(_, operator)| *operator == self);
        spelling.map_or("", |(text, _)| text)
    }

    pub(super) fn is_equality(self) -> bool {
        matches!(self, Self::Equal | Self::NotEqual)
    }
}

/// A mistake in so many bytes of the text.
pub(super) type Mistake = Complaint<Range<usize>>;

/// The words of a condition and where they stand.
pub(super) fn tokens(text: &str) -> Result<Vec<(Token<'_>, Range<usize>)>, Mistake> {
    let mut found = Vec::new();
    let mut start = 0;
    while let Some(first) = text[start..].chars().next() {
        let rest = &text[start..];
        if first.is_whitespace() {
            start += first.len_utf8();
            continue;
        }
        let (token, length) =
            token(rest, first).map_err(|mistake| mistake.moved(|length| start..start + length))?;
        found.push((token, start..start + length));
        start += length;
    }
    Ok(found)
}

/// A word and its length, or so many bytes that are none.
type Found<'a> = Result<(Token<'a>, usize), Complaint<usize>>;

fn token(rest: &str, first: char) -> Found<'_> {
    let compared = Operator::SPELLINGS
        .iter()
        .find(|(text, _)| rest.starts_with(text));
    if let Some((text, operator)) = compared {
        return Ok((Token::Compare(*operator), text.len()));
    }
    match first {
        '(' => Ok((Token::Open, 1)),
        ')' => Ok((Token::Close, 1)),
        '\'' | '"' => match rest[1..].find(first) {
            Some(length) => Ok((Token::Text(&rest[1..=length]), length + 2)),
            None => Err(Complaint::new(rest.len(), "the string has no end")),
        },
        '0'..='9' | '-' | '+' | '.' => number(rest),
        _ if first.is_alphabetic() || first == '_' => Ok(word(rest)),
        _ => {
            let help = match first {
                '=' => Some("write `==` to compare"),
                '&' => Some("write `and`"),
                '|' => Some("write `or`"),
                '!' => Some("write `not`"),
                _ => None,
            };
            let message = format!("`{first}` means nothing in a condition");
            let mistake = Complaint::new(first.len_utf8(), message);
            Err(match help {
                Some(help) => mistake.with_help(help),
                None => mistake,
            })
        }
    }
}

fn number(rest: &str) -> Found<'_> {
    let mut length = 0;
    for letter in rest.chars() {
        let exponent = rest[..length].ends_with(['e', 'E']);
        let sign = matches!(letter, '+' | '-') && (length == 0 || exponent);
        if !(sign || letter == '.' || letter.is_ascii_alphanumeric()) {
            break;
        }
        length += letter.len_utf8();
    }
    let text = &rest[..length];
    match (text.parse::<i64>(), text.parse::<f64>()) {
        (Ok(number), _) => Ok((Token::Integer(number), length)),
        (_, Ok(number)) if number.is_finite() => Ok((Token::Float(number), length)),
        _ => Err(Complaint::new(length, format!("`{text}` is not a number"))),
    }
}

fn word(rest: &str) -> (Token<'_>, usize) {
    let belongs = |letter: char| letter.is_alphanumeric() || "_-.[]".contains(letter);
    let length = rest.find(|letter| !belongs(letter)).unwrap_or(rest.len());
    let token = match &rest[..length] {
        "and" => Token::And,
        "or" => Token::Or,
        "not" => Token::Not,
        name => Token::Name(name),
    };
    (token, length)
}
