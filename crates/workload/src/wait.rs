//! How many cycles pass before something happens that has the same probability in each of them.
//!
//! Where few probabilities are needed, by the tables of [`InterArrival`]. Where every terminal has
//! one of its own, tables would be large; then the bits of the number are drawn one by one, which
//! are independent of each other: bit `k` is set with probability `f / (1 + f)`, where `f` is the
//! probability of waiting `2^k` cycles in vain.
//!
//! Source: Devroye, "Non-uniform random variate generation", Springer 1986, chapter X.2.
//!
//! Complexity: O(1) with a table; one draw for each bit without, 8 bytes.

use crate::injection::{ETERNITY, InterArrival};
use turnwise_network::random::Random;

/// A geometric distribution.
#[derive(Clone, Debug)]
pub(crate) enum Wait {
    /// Tables of some kilobytes.
    Table(InterArrival),
    /// The probability that nothing happens in a cycle, in 2^64 parts.
    Bits(u64),
    /// It never happens.
    Never,
}

impl Wait {
    /// A wait for something of this probability, with a table or without.
    pub(crate) fn new(probability: f64, table: bool) -> Self {
        if table {
            return Self::Table(InterArrival::of_probability(probability));
        }
        // The conversion rounds towards zero and saturates.
        match (probability * 18_446_744_073_709_551_616.0) as u64 {
            0 => Self::Never,
            u64::MAX => Self::Bits(0),
            success => Self::Bits(u64::MAX - success + 1),
        }
    }

    /// Cycles that pass in vain; `None` if no simulation lasts that long.
    pub(crate) fn draw(&self, rng: &mut Random) -> Option<u64> {
        match self {
            Self::Table(table) => table.wait(rng),
            &Self::Bits(fail) => Some(bit_by_bit(fail, rng)).filter(|&waited| waited < ETERNITY),
            Self::Never => None,
        }
    }

    /// Bytes beyond those of the value itself.
    pub(crate) fn memory_bytes(&self) -> u64 {
        match self {
            Self::Table(table) => table.memory_bytes(),
            Self::Bits(_) | Self::Never => 0,
        }
    }
}

fn bit_by_bit(mut fail: u64, rng: &mut Random) -> u64 {
    let mut waited = 0;
    for bit in 0..=ETERNITY.trailing_zeros() {
        if fail == 0 {
            break;
        }
        let set = (u128::from(fail) << 64) / ((1 << 64) + u128::from(fail));
        waited |= u64::from(rng.chance(set as u64)) << bit;
        fail = ((u128::from(fail) * u128::from(fail)) >> 64) as u64;
    }
    waited
}

#[cfg(test)]
mod tests {
    use super::*;
    use turnwise_network::random::Purpose;

    fn waits(wait: &Wait, count: u32) -> Vec<f64> {
        let draw = |sequence| wait.draw(&mut Random::new(3, Purpose::Other, 1, sequence));
        (0..count)
            .filter_map(|sequence| draw(sequence).map(|waited| waited as f64))
            .collect()
    }

    /// Mean `(1 - p) / p` and variance `(1 - p) / p^2`, with a table and without.
    #[test]
    fn both_ways_have_the_moments_of_the_distribution() {
        for (probability, table) in [0.9, 0.3, 0.01, 0.000_02]
            .into_iter()
            .flat_map(|probability| [(probability, true), (probability, false)])
        {
            let waits = waits(&Wait::new(probability, table), 50_000);
            let count = waits.len() as f64;
            assert_eq!(count, 50_000.0);
            let mean = waits.iter().sum::<f64>() / count;
            let expected = (1.0 - probability) / probability;
            let deviation = (1.0_f64 - probability).sqrt() / probability;
            assert!(
                (mean - expected).abs() < 4.0 * deviation / count.sqrt(),
                "{probability} {table}: {mean} instead of {expected}"
            );
            let variance = waits.iter().map(|wait| (wait - mean).powi(2)).sum::<f64>() / count;
            let ratio = variance / deviation.powi(2);
            assert!(
                (0.93..1.07).contains(&ratio),
                "{probability} {table}: {ratio}"
            );
        }
    }

    #[test]
    fn certainty_and_impossibility_are_exact() {
        for table in [true, false] {
            assert!(
                waits(&Wait::new(1.0, table), 50)
                    .iter()
                    .all(|&wait| wait == 0.0)
            );
            assert!(waits(&Wait::new(0.0, table), 50).is_empty());
        }
    }
}
