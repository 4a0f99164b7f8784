//! Where a result comes from: enough to make it again.

use std::time::{SystemTime, UNIX_EPOCH};
use turnwise_network::random::mix;

/// The last commit that changed anything results depend on. `+` and a digest follow where sources were changed since;
/// outside a checkout, or in a shallow one, it is `sources-` and the digest.
pub const REVISION: &str = env!("TURNWISE_REVISION");

/// Version, revision and study behind a result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Provenance {
    /// Digest of the study as it was run, overrides included.
    pub study_hash: String,
    /// Version of Turnwise.
    pub version: String,
    /// What it was built from; see [`REVISION`].
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
            revision: REVISION.to_owned(),
            seed,
            platform: format!("{} {}", std::env::consts::OS, std::env::consts::ARCH),
        }
    }

    /// The program that results are of: version and revision.
    pub fn build(&self) -> String {
        format!("{} ({})", self.version, self.revision)
    }

    /// As (name, value), for people.
    pub fn rows(&self) -> Vec<(String, String)> {
        [
            ("turnwise", self.build()),
            ("study digest", self.study_hash.clone()),
            ("seed", self.seed.to_string()),
            ("platform", self.platform.clone()),
        ]
        .map(|(name, value)| (name.to_owned(), value))
        .into()
    }
}

/// The time in words: `2026-11-21T12:00:48Z`.
pub fn now() -> String {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    timestamp(since.map_or(0, |since| since.as_secs()))
}

/// Seconds since 1970 as a date and time.
fn timestamp(seconds: u64) -> String {
    let (days, second) = (seconds / 86_400, seconds % 86_400);
    // Years begin in March, so that leap days end them; 400 of them have 146097 days.
    let shifted = days + 719_468;
    let (era, day) = (shifted / 146_097, shifted % 146_097);
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let (month, late) = if month < 10 {
        (month + 3, 0)
    } else {
        (month - 9, 1)
    };
    format!(
        "{:04}-{month:02}-{day:02}T{:02}:{:02}:{:02}Z",
        400 * era + year + late,
        second / 3_600,
        second / 60 % 60,
        second % 60
    )
}

/// A 64-bit digest that is the same on every machine.
pub fn digest(bytes: &[u8]) -> u64 {
    digest_of(&[bytes])
}

/// The digest of parts one behind the other, without putting them there: some are gigabytes.
pub(crate) fn digest_of<P: AsRef<[u8]>>(parts: &[P]) -> u64 {
    let parts = parts.iter().map(AsRef::as_ref);
    let length: usize = parts.clone().map(<[u8]>::len).sum();
    let (mut hash, mut word, mut filled) = (length as u64, [0; 8], 0);
    for part in parts {
        // What is left of the last word of the parts before.
        let (first, others) = part.split_at(part.len().min((8 - filled) % 8));
        word[filled..filled + first.len()].copy_from_slice(first);
        filled += first.len();
        if filled == 8 {
            hash = mix(hash ^ u64::from_le_bytes(std::mem::take(&mut word)));
            filled = 0;
        }
        let (words, rest) = others.as_chunks();
        for word in words {
            hash = mix(hash ^ u64::from_le_bytes(*word));
        }
        if !rest.is_empty() {
            word[..rest.len()].copy_from_slice(rest);
            filled = rest.len();
        }
    }
    match filled {
        0 => hash,
        _ => mix(hash ^ u64::from_le_bytes(word)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_have_the_digest_of_the_whole() {
        let whole: Vec<u8> = (1..=60).collect();
        for cuts in [[0, 0], [3, 5], [8, 16], [7, 9], [1, 59], [20, 20], [60, 60]] {
            let parts = [
                &whole[..cuts[0]],
                &whole[cuts[0]..cuts[1]],
                &whole[cuts[1]..],
            ];
            assert_eq!(
                digest_of(&parts.map(<[u8]>::to_vec)),
                digest(&whole),
                "{cuts:?}"
            );
        }
        assert_eq!(digest_of::<&[u8]>(&[]), digest(b""));
    }

    #[test]
    fn times_are_told_as_calendars_do() {
        for (seconds, told) in [
            (0, "1970-01-01T00:00:00Z"),
            (951_782_399, "2000-02-28T23:59:59Z"),
            (951_782_400, "2000-02-29T00:00:00Z"),
            (1_709_251_199, "2024-02-29T23:59:59Z"),
            (4_107_542_400, "2100-03-01T00:00:00Z"),
        ] {
            assert_eq!(timestamp(seconds), told);
        }
    }

    #[test]
    fn digests_tell_texts_apart() {
        let digests =
            ["", "\0", "a", "ab", "abcdefgh", "abcdefghi"].map(|text| digest(text.as_bytes()));
        let distinct: std::collections::BTreeSet<u64> = digests.into_iter().collect();
        assert_eq!(distinct.len(), digests.len());
        assert_eq!(digest(b"turnwise"), digest(b"turnwise"));
    }
}
