//! The units there are.

/// What a unit measures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Dimension {
    /// Cycles.
    Cycles,
    /// Flits.
    Flits,
    /// Flits per cycle.
    Load,
    /// Seconds.
    Time,
    /// Events per second.
    Frequency,
    /// Bits.
    Size,
    /// Bits per second.
    Rate,
}

impl Dimension {
    /// With its article.
    pub(super) fn words(self) -> &'static str {
        match self {
            Self::Cycles => "a number of cycles",
            Self::Flits => "a number of flits",
            Self::Load => "a load",
            Self::Time => "a time",
            Self::Frequency => "a frequency",
            Self::Size => "a size",
            Self::Rate => "a data rate",
        }
    }
}

/// A unit: what it is called, the usual name first, what it measures, and how much of that.
#[derive(Debug)]
pub(super) struct Unit {
    pub(super) names: &'static [&'static str],
    pub(super) dimension: Dimension,
    /// Numerator and denominator, in the unit that the dimension is counted in.
    pub(super) size: (u128, u128),
}

const fn unit(
    names: &'static [&'static str],
    dimension: Dimension,
    numerator: u128,
    denominator: u128,
) -> Unit {
    Unit {
        names,
        dimension,
        size: (numerator, denominator),
    }
}

const K: u128 = 1_000;
const M: u128 = K * K;
const G: u128 = M * K;
const T: u128 = G * K;
const BYTE: u128 = 8;

use Dimension::{Cycles, Flits, Frequency, Load, Rate, Size, Time};

/// All units. Upper and lower case differ: `b` is a bit and `B` a byte. Prefixes are decimal, and
/// binary ones have an `i`.
pub(super) const UNITS: &[Unit] = &[
    unit(&["cycles", "cycle"], Cycles, 1, 1),
    unit(&["flits", "flit"], Flits, 1, 1),
    unit(&["flits/cycle", "flit/cycle"], Load, 1, 1),
    unit(&["s"], Time, 1, 1),
    unit(&["ms"], Time, 1, K),
    unit(&["us", "\u{b5}s", "\u{3bc}s"], Time, 1, M),
    unit(&["ns"], Time, 1, G),
    unit(&["ps"], Time, 1, T),
    unit(&["fs"], Time, 1, T * K),
    unit(&["Hz"], Frequency, 1, 1),
    unit(&["kHz"], Frequency, K, 1),
    unit(&["MHz"], Frequency, M, 1),
    unit(&["GHz"], Frequency, G, 1),
    unit(&["THz"], Frequency, T, 1),
    unit(&["bit", "bits"], Size, 1, 1),
    unit(&["B", "byte", "bytes"], Size, BYTE, 1),
    unit(&["kB", "KB"], Size, K * BYTE, 1),
    unit(&["MB"], Size, M * BYTE, 1),
    unit(&["GB"], Size, G * BYTE, 1),
    unit(&["KiB"], Size, BYTE << 10, 1),
    unit(&["MiB"], Size, BYTE << 20, 1),
    unit(&["GiB"], Size, BYTE << 30, 1),
    unit(&["b/s", "bit/s", "bps"], Rate, 1, 1),
    unit(&["kb/s", "kbit/s", "kbps"], Rate, K, 1),
    unit(&["Mb/s", "Mbit/s", "Mbps"], Rate, M, 1),
    unit(&["Gb/s", "Gbit/s", "Gbps"], Rate, G, 1),
    unit(&["Tb/s", "Tbit/s", "Tbps"], Rate, T, 1),
    unit(&["B/s"], Rate, BYTE, 1),
    unit(&["kB/s", "KB/s"], Rate, K * BYTE, 1),
    unit(&["MB/s"], Rate, M * BYTE, 1),
    unit(&["GB/s"], Rate, G * BYTE, 1),
    unit(&["TB/s"], Rate, T * BYTE, 1),
    unit(&["KiB/s"], Rate, BYTE << 10, 1),
    unit(&["MiB/s"], Rate, BYTE << 20, 1),
    unit(&["GiB/s"], Rate, BYTE << 30, 1),
];
