//! Exact counts of integer latencies.

use serde::{Deserialize, Serialize};

/// Exact counts of integer latencies.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Histogram {
    counts: Vec<u64>,
    beyond: Vec<u64>,
    total: u64,
}

impl Histogram {
    /// Latencies below this are counted in an array, the rest kept one by one.
    const DENSE: u64 = 1 << 16;

    /// Adds one value.
    #[inline]
    pub fn record(&mut self, value: u64) {
        self.total += 1;
        if value < self.counts.len() as u64 {
            self.counts[value as usize] += 1;
        } else if value < Self::DENSE {
            self.counts
                .resize((value as usize + 1).next_power_of_two(), 0);
            self.counts[value as usize] += 1;
        } else {
            self.beyond.push(value);
        }
    }

    /// Adds all values of another one.
    pub fn add(&mut self, other: Self) {
        self.total += other.total;
        self.beyond.extend(other.beyond);
        // In an order that does not depend on who counted what.
        self.beyond.sort_unstable();
        if self.counts.len() < other.counts.len() {
            self.counts.resize(other.counts.len(), 0);
        }
        for (ours, theirs) in self.counts.iter_mut().zip(other.counts) {
            *ours += theirs;
        }
    }

    /// Every value that occurs and how often, in ascending order.
    pub fn counts(&self) -> impl Iterator<Item = (u64, u64)> + '_ {
        let dense = self.counts.iter().enumerate();
        let dense = dense.filter(|&(_, &count)| count > 0);
        let mut beyond = self.beyond.clone();
        beyond.sort_unstable();
        dense
            .map(|(value, &count)| (value as u64, count))
            .chain(beyond.into_iter().map(|value| (value, 1)))
    }

    /// How many values there are.
    pub fn count(&self) -> u64 {
        self.total
    }

    /// The smallest value that at least this share of all values does not exceed; `None` if there are none.
    pub fn quantile(&self, share: f64) -> Option<u64> {
        let rank = ((self.total as f64 * share).ceil() as u64).max(1);
        let mut seen = 0;
        for (value, count) in self.counts.iter().enumerate() {
            seen += count;
            if seen >= rank {
                return Some(value as u64);
            }
        }
        let mut beyond = self.beyond.clone();
        beyond.sort_unstable();
        beyond
            .get((rank - seen) as usize - 1)
            .or(beyond.last())
            .copied()
    }

    /// The largest value.
    pub fn max(&self) -> Option<u64> {
        let dense = self
            .counts
            .iter()
            .rposition(|&count| count > 0)
            .map(|value| value as u64);
        self.beyond.iter().copied().max().or(dense)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_exact() {
        let mut histogram = Histogram::default();
        assert_eq!((histogram.quantile(0.5), histogram.max()), (None, None));
        for value in 1..=1000 {
            histogram.record(value);
        }
        assert_eq!(histogram.quantile(0.5), Some(500));
        assert_eq!(histogram.quantile(0.99), Some(990));
        assert_eq!(histogram.quantile(0.999), Some(999));
        assert_eq!(histogram.max(), Some(1000));
        histogram.record(1 << 40);
        assert_eq!(
            (histogram.quantile(1.0), histogram.max()),
            (Some(1 << 40), Some(1 << 40))
        );
    }
}
