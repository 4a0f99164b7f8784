//! How fast a cable is: `4xEDR`, lanes and what each carries.

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
