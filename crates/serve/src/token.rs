//! What strangers cannot guess.

use std::fmt::Write;

/// A secret that a path begins with.
#[derive(Clone)]
pub struct Token(String);

impl Token {
    /// A new one, of 128 bits from the operating system.
    ///
    /// # Errors
    /// If the operating system has no random numbers.
    pub fn new() -> std::io::Result<Self> {
        let mut bytes = [0; 16];
        getrandom::fill(&mut bytes).map_err(std::io::Error::other)?;
        let mut text = String::new();
        for byte in bytes {
            let _ = write!(text, "{byte:02x}");
        }
        Ok(Self(text))
    }

    /// Its text, for the address that is shown.
    pub fn text(&self) -> &str {
        &self.0
    }

    /// Is it this? Takes as long wherever the first difference is, so that nobody finds it letter by letter.
    pub fn is(&self, other: &str) -> bool {
        let differences = self.0.bytes().zip(other.bytes());
        let sum = differences.fold(0, |sum, (a, b)| sum | (a ^ b));
        sum == 0 && self.0.len() == other.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_only_itself() {
        let (one, other) = (Token::new().unwrap(), Token::new().unwrap());
        assert!(one.is(one.text()) && !one.is(other.text()));
        assert_eq!(one.text().len(), 32);
        for wrong in ["", &one.text()[1..], &format!("{}0", one.text())] {
            assert!(!one.is(wrong));
        }
    }
}
