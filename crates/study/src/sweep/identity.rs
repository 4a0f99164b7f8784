//! Names for points that outlive the program: stable 128-bit hashes.

use super::Point;

impl Point {
    /// What stored results of this point are found by.
    ///
    /// It depends on the meaning of the point's document and on its repetition, but not on
    /// how the study is laid out, on its name or on which other points it has.
    pub fn identity(&self) -> u128 {
        let text = self.document.canonical();
        let repeat = format!("\nrepeat={}", self.repeat);
        fnv1a(text.bytes().chain(repeat.bytes()))
    }
}

/// FNV-1a with 128 bits (Fowler, Noll and Vo), chosen because it is fixed for ever; the
/// hashes of the standard library may change with its version.
fn fnv1a(bytes: impl Iterator<Item = u8>) -> u128 {
    const OFFSET_BASIS: u128 = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d;
    const PRIME: u128 = 0x0000_0000_0100_0000_0000_0000_0000_013b;
    bytes.fold(OFFSET_BASIS, |hash, byte| {
        (hash ^ u128::from(byte)).wrapping_mul(PRIME)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::Source;
    use crate::sweep::expand;

    #[test]
    fn the_hash_is_the_published_one() {
        let hash = |text: &str| fnv1a(text.bytes());
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
