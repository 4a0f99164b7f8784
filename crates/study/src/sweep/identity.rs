//! Names for points that outlive the program: stable 128-bit hashes.

use super::Point;
use std::fmt;
use std::str::FromStr;

/// What the stored result of a point is found by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct PointId {
    /// [`Point::identity`].
    pub hash: u128,
    /// Digest of the files that the point is read from, if it is.
    pub file: Option<u64>,
}

impl fmt::Display for PointId {
    fn fmt(&self, text: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(text, "{:032x}", self.hash)?;
        if let Some(file) = self.file {
            write!(text, "-{file:016x}")?;
        }
        write!(text, "-{}", env!("CARGO_PKG_VERSION"))
    }
}

/// The text is no point of this version of Turnwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Foreign;

impl FromStr for PointId {
    type Err = Foreign;

    fn from_str(text: &str) -> Result<Self, Foreign> {
        let version = concat!("-", env!("CARGO_PKG_VERSION"));
        let digits = text.strip_suffix(version).ok_or(Foreign)?;
        let (hash, file) = match digits.split_once('-') {
            Some((hash, file)) => (hash, Some(file)),
            None => (digits, None),
        };
        let file = file.map(|file| u64::from_str_radix(file, 16));
        let id = Self {
            hash: u128::from_str_radix(hash, 16).map_err(|_| Foreign)?,
            file: file.transpose().map_err(|_| Foreign)?,
        };
        // One point has one text.
        if id.to_string() == text {
            Ok(id)
        } else {
            Err(Foreign)
        }
    }
}

impl Point {
    /// What stored results of this point are found by.
    ///
    /// It depends on the meaning of the point's document and on its repetition, but not on
    /// how the study is laid out, on its name or on which other points it has.
    pub fn identity(&self) -> u128 {
        let mut hash = Fnv1a::default();
        hash.write(&self.document.canonical());
        hash.repeated(self.repeat)
    }
}

/// FNV-1a with 128 bits (Fowler, Noll and Vo), chosen because it is fixed for ever; the
/// hashes of the standard library may change with its version.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fnv1a(u128);

impl Default for Fnv1a {
    fn default() -> Self {
        Self(0x6c62_272e_07bb_0142_62b8_2175_6295_c58d)
    }
}

impl Fnv1a {
    pub(super) fn write(&mut self, text: &str) {
        const PRIME: u128 = 0x0000_0000_0100_0000_0000_0000_0000_013b;
        for byte in text.bytes() {
            self.0 = (self.0 ^ u128::from(byte)).wrapping_mul(PRIME);
        }
    }

    /// The hash of a document's repetition.
    pub(super) fn repeated(mut self, repeat: u32) -> u128 {
        self.write(&format!("\nrepeat={repeat}"));
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::Source;
    use crate::sweep::expand;

    #[test]
    fn the_hash_is_the_published_one() {
        let hash = |text: &str| {
            let mut hash = Fnv1a::default();
            hash.write(text);
            hash.0
        };
        assert_eq!(hash(""), 0x6c62272e07bb014262b821756295c58d);
        assert_eq!(hash("a"), 0xd228cb696f1a8caf78912b704e4a8964);
        assert_eq!(hash("abc"), 0xa68d622cec8b5822836dbc7977af7f3b);
    }

    fn identities(text: &str) -> Vec<u128> {
        let (_, parsed) = Source::parse("study.toml", text.as_bytes(), &[]);
        let points = expand(&parsed.unwrap()).unwrap();
        points.iter().map(Point::identity).collect()
    }

    #[test]
    fn points_are_told_by_their_texts() {
        for file in [None, Some(0), Some(u64::MAX)] {
            let id = PointId { hash: 7, file };
            assert_eq!(id.to_string().parse(), Ok(id));
        }
        let id = PointId {
            hash: 7,
            file: None,
        };
        for wrong in [
            id.to_string().to_uppercase() + "-9.9.9",
            "a".into(),
            format!("+{id}"),
        ] {
            assert_eq!(wrong.parse::<PointId>(), Err(Foreign), "{wrong}");
        }
    }

    #[test]
    fn layout_and_name_do_not_count() {
        let plain = identities("[traffic]\nload = 0.3\npattern = 'tornado'");
        let styled = identities(
            "[study]\nname = 'x'\ntitle = 'X'\nrepeat = 1\n\
             [traffic]\npattern = \"tornado\" # comment\nload = 3e-1",
        );
        assert_eq!(plain, styled);
        let swept = identities(
            "[traffic]\npattern = 'tornado'\nload = 9\n[sweep]\n'traffic.load' = [0.3, 0.4]",
        );
        assert_eq!(swept[0], plain[0]);
        assert_ne!(swept[1], plain[0]);
    }

    #[test]
    fn seed_and_repetition_count() {
        let repeated = identities("[study]\nrepeat = 2\n[traffic]\nload = 0.3");
        let seeded = identities("[study]\nseed = 2\n[traffic]\nload = 0.3");
        assert_ne!(repeated[0], repeated[1]);
        assert_ne!(repeated[0], seeded[0]);
        assert_eq!(repeated[0], identities("[traffic]\nload = 0.3")[0]);
    }

    #[test]
    fn the_identity_never_changes() {
        // Results stored by released versions are found by this number.
        let expected = [14546888812950895780729474099808233440];
        assert_eq!(
            identities("[study]\nseed = 1\n[traffic]\nload = 0.3"),
            expected
        );
    }
}
