//! How fast a cable is: `4xEDR`, lanes and what each carries.

use std::collections::{BTreeMap, BTreeSet};

/// Megabits a second that a lane carries, after coding, by what the speed is called (InfiniBand Architecture Specification, volume 2).
const LANES: &[(&str, u32)] = &[
    ("SDR", 2_000),
    ("DDR", 4_000),
    ("QDR", 8_000),
    ("FDR10", 10_000),
    ("FDR", 13_636),
    ("EDR", 25_000),
    ("HDR", 50_000),
    ("NDR", 100_000),
    ("XDR", 200_000),
];

const WIDTHS: &[(&str, u32)] = &[("1", 1), ("2", 2), ("4", 4), ("8", 8), ("12", 12)];

/// Megabits a second of a cable; `None` if this is no width and speed.
pub(super) fn rate_of(word: &str) -> Option<u32> {
    let (width, speed) = word.split_once('x')?;
    let &(_, lanes) = WIDTHS.iter().find(|(name, _)| *name == width)?;
    let (_, lane) = LANES.iter().find(|(name, _)| *name == speed)?;
    Some(lanes * lane)
}

/// Cycles that a flit occupies a cable for, where it is one on the fastest; to the nearest.
pub(super) fn interval(fastest: u32, rate: u32) -> u32 {
    ((2 * fastest + rate) / (2 * rate)).max(1)
}

/// What cables of a fabric are called, by for how many cycles a flit occupies them.
pub(super) struct Words {
    words: BTreeMap<u32, String>,
    /// Are cables read again as they are?
    pub(super) is_exact: bool,
}

impl Words {
    /// Words by which cables have these intervals: the slowest ones of four lanes, if there are such, or else of any; nearly these, if there are
    /// none.
    pub(super) fn of(intervals: &BTreeSet<u32>) -> Self {
        let unit = intervals.first().copied().unwrap_or(1).max(1);
        let all = || {
            let widths = WIDTHS.iter().rev();
            widths
                .flat_map(|(width, _)| LANES.iter().map(move |(lane, _)| format!("{width}x{lane}")))
        };
        let usual = all().filter(|word| word.starts_with("4x"));
        let vocabularies = [usual.collect::<Vec<String>>(), all().collect()];
        let mut best: Option<(u32, BTreeMap<u32, String>)> = None;
        for vocabulary in &vocabularies {
            for fastest in vocabulary {
                let (off, words) = called(intervals, unit, fastest, vocabulary);
                if best.as_ref().is_none_or(|(least, _)| off < *least) {
                    best = Some((off, words));
                }
            }
        }
        let (off, words) = best.unwrap_or_default();
        Self {
            words,
            is_exact: off == 0 && unit == 1,
        }
    }

    /// Of cables that a flit occupies for so many cycles.
    pub(super) fn of_interval(&self, cycles: u32) -> &str {
        self.words.get(&cycles).map_or("4xSDR", String::as_str)
    }
}

/// Words for these intervals where the shortest is this word's, and by how much they are off together.
fn called(
    intervals: &BTreeSet<u32>,
    unit: u32,
    fastest: &str,
    vocabulary: &[String],
) -> (u32, BTreeMap<u32, String>) {
    let most = rate_of(fastest).unwrap_or(1);
    let mut all = 0;
    let words = intervals.iter().map(|&cycles| {
        let off = |word: &&String| {
            let rate = rate_of(word).filter(|&rate| rate <= most);
            rate.map_or(u32::MAX, |rate| {
                interval(most, rate).abs_diff(cycles / unit)
            })
        };
        let nearest = match cycles == unit {
            true => fastest.to_owned(),
            false => vocabulary
                .iter()
                .min_by_key(off)
                .cloned()
                .unwrap_or_default(),
        };
        all += off(&&nearest);
        (cycles, nearest)
    });
    let words = words.collect();
    (all, words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn widths_and_speeds_are_rates() {
        assert_eq!(rate_of("4xEDR"), Some(100_000));
        assert_eq!(rate_of("2xNDR"), Some(200_000));
        assert_eq!(rate_of("4xFDR10"), Some(40_000));
        for wrong in [
            "",
            "4x",
            "xEDR",
            "3xEDR",
            "+4xEDR",
            "4xedr",
            "4xWDR",
            "Active/LinkUp",
            "99999999999xSDR",
        ] {
            assert_eq!(rate_of(wrong), None, "{wrong}");
        }
    }

    /// Words are read as the intervals they are for, in lanes of four where that is possible.
    #[test]
    fn intervals_have_words() {
        for (intervals, words) in [
            (&[1][..], &["4xSDR"][..]),
            (&[1, 2], &["4xDDR", "4xSDR"]),
            (&[1, 6, 13], &["4xEDR", "4xDDR", "4xSDR"]),
            (&[1, 3], &["4xFDR10", "4xDDR"]),
            (&[1, 1200], &["12xXDR", "1xSDR"]),
        ] {
            let found = Words::of(&intervals.iter().copied().collect());
            assert!(found.is_exact);
            for (&cycles, &word) in intervals.iter().zip(words) {
                assert_eq!(found.of_interval(cycles), word, "{intervals:?}");
            }
        }
        // None is as slow, and none is the fastest.
        assert!(!Words::of(&[1, 999].into()).is_exact);
        assert!(!Words::of(&[2, 4].into()).is_exact);
        assert!(Words::of(&BTreeSet::new()).is_exact);
    }

    /// A whole number of cycles, the nearest.
    #[test]
    fn slower_cables_take_more_cycles() {
        let of =
            |fastest, word| interval(rate_of(fastest).unwrap_or(0), rate_of(word).unwrap_or(1));
        assert_eq!(of("4xEDR", "4xEDR"), 1);
        assert_eq!(of("4xHDR", "4xEDR"), 2);
        assert_eq!(of("4xEDR", "4xFDR"), 2);
        assert_eq!(of("4xFDR", "4xFDR10"), 1);
        assert_eq!(of("4xEDR", "4xDDR"), 6);
        assert_eq!(of("12xXDR", "1xSDR"), 1_200);
    }
}
