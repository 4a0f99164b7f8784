//! Plain words for values and for what serde expected instead.

use super::{Kind, Value};

/// What was found: "the string "ten"", "an array of 3 values".
pub(super) fn found(value: &Value) -> String {
    match &value.kind {
        Kind::Boolean(truth) => format!("`{truth}`"),
        Kind::Integer(number) => format!("the number {number}"),
        Kind::Float(number) => format!("the number {number:?}"),
        Kind::String(text) => format!("the string {:?}", shortened(text)),
        Kind::Array(values) => match values.len() {
            0 => "an empty array".to_owned(),
            1 => "an array of 1 value".to_owned(),
            many => format!("an array of {many} values"),
        },
        Kind::Table(_) => "a table".to_owned(),
    }
}

fn shortened(text: &str) -> String {
    const LONGEST: usize = 40;
    if text.chars().count() <= LONGEST {
        return text.to_owned();
    }
    let mut start: String = text.chars().take(LONGEST - 3).collect();
    start.push_str("...");
    start
}

/// serde names Rust types; a user of study files has never seen one.
pub(super) fn expected(by_serde: &str) -> String {
    let integer = |name: &str| {
        let digits = name.strip_prefix(['u', 'i']);
        digits.is_some_and(|rest| rest == "size" || rest.parse::<u8>().is_ok())
    };
    match by_serde {
        "a boolean" => "`true` or `false`".to_owned(),
        "f32" | "f64" => "a number".to_owned(),
        "str" | "a borrowed string" => "a string".to_owned(),
        "a sequence" => "an array".to_owned(),
        "a map" => "a table".to_owned(),
        name if integer(name) => "a whole number".to_owned(),
        name if name.strip_prefix("a nonzero ").is_some_and(integer) => {
            "a whole number other than 0".to_owned()
        }
        name if name.starts_with("struct ") => "a table".to_owned(),
        name if name.starts_with("tuple ") || name.starts_with("a tuple ") => "an array".to_owned(),
        other => other.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rust_types_are_put_in_words() {
        assert_eq!(expected("u32"), "a whole number");
        assert_eq!(expected("a nonzero usize"), "a whole number other than 0");
        assert_eq!(expected("struct Torus with 2 elements"), "a table");
        assert_eq!(expected("a latency"), "a latency");
        assert_eq!(expected("unit"), "unit");
    }

    #[test]
    fn long_strings_are_cut() {
        assert_eq!(shortened(&"x".repeat(50)).len(), 40);
        assert_eq!(shortened("short"), "short");
    }
}
