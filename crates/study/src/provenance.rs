//! Where a result comes from: enough to make it again.

use turnwise_network::random::mix;

/// Version, revision and study behind a result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Provenance {
    /// Digest of the study as it was run, overrides included.
    pub study_hash: String,
    /// Version of Turnwise.
    pub version: String,
    /// Git revision it was built from, `unknown` outside a checkout.
    pub revision: String,
    /// Seed of the study.
    pub seed: u64,
    /// Operating system and processor architecture.
    pub platform: String,
}

impl Provenance {
    /// Provenance of a study by its canonical text.
    pub fn of_text(canonical: &str, seed: u64) -> Self {
        Self {
            study_hash: format!("{:016x}", digest(canonical.as_bytes())),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            revision: option_env!("TURNWISE_REVISION")
                .unwrap_or("unknown")
                .to_owned(),
            seed,
            platform: format!("{} {}", std::env::consts::OS, std::env::consts::ARCH),
        }
    }

    /// As (name, value), for people.
    pub fn rows(&self) -> Vec<(String, String)> {
        [
            ("turnwise", format!("{} ({})", self.version, self.revision)),
            ("study digest", self.study_hash.clone()),
            ("seed", self.seed.to_string()),
            ("platform", self.platform.clone()),
        ]
        .map(|(name, value)| (name.to_owned(), value))
        .into()
    }
}

/// A 64-bit digest that is the same on every machine.
pub fn digest(bytes: &[u8]) -> u64 {
    bytes.chunks(8).fold(bytes.len() as u64, |hash, chunk| {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        mix(hash ^ u64::from_le_bytes(word))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digests_tell_texts_apart() {
        let digests =
            ["", "\0", "a", "ab", "abcdefgh", "abcdefghi"].map(|text| digest(text.as_bytes()));
        let distinct: std::collections::BTreeSet<u64> = digests.into_iter().collect();
        assert_eq!(distinct.len(), digests.len());
        assert_eq!(digest(b"turnwise"), digest(b"turnwise"));
    }
}
