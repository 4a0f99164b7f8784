//! Exact counts of integer latencies.

use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// Exact counts of integer latencies.
///
/// Small ones are counted in an array. Of large ones, which a run that is overloaded for long has many of, each value and how often it occurs
/// is kept, so that memory grows with their range and not with their number; the last few are kept as they came.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Histogram {
    counts: Vec<u64>,
    /// Ascending values, and how often each occurs.
    beyond: Vec<(u64, u64)>,
    /// Values that are not among these yet.
    latest: Vec<u64>,
    total: u64,
}

impl Histogram {
    /// Latencies below this are counted in an array.
    const DENSE: u64 = 1 << 16;
    /// So many of the larger ones wait at least until they are sorted.
    const LATEST: usize = 1 << 18;

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
            self.record_beyond(value);
        }
    }

    #[cold]
    fn record_beyond(&mut self, value: u64) {
        self.latest.push(value);
        // Half as many as are sorted already, so that a value is sorted and moved a few times.
        if self.latest.len() >= Self::LATEST.max(self.beyond.len() / 2) {
            self.settle();
        }
    }

    /// Sorts the latest values in.
    fn settle(&mut self) {
        if self.latest.is_empty() {
            return;
        }
        self.latest.sort_unstable();
        let latest = std::mem::take(&mut self.latest);
        let latest = latest.chunk_by(|a, b| a == b);
        self.join(latest.map(|same| (same[0], same.len() as u64)));
    }

    /// Adds ascending values, each so often.
    fn join(&mut self, others: impl Iterator<Item = (u64, u64)>) {
        let mut ours = std::mem::take(&mut self.beyond).into_iter().peekable();
        let mut others = others.peekable();
        let mut all: Vec<(u64, u64)> = Vec::with_capacity(ours.len() + others.size_hint().0);
        while let Some((value, count)) = match (ours.peek(), others.peek()) {
            (Some(one), Some(other)) if one.0 <= other.0 => ours.next(),
            (_, Some(_)) => others.next(),
            (_, None) => ours.next(),
        } {
            match all.last_mut().filter(|last| last.0 == value) {
                Some(last) => last.1 += count,
                None => all.push((value, count)),
            }
        }
        all.shrink_to_fit();
        self.beyond = all;
    }

    /// Adds all values of another one.
    pub fn add(&mut self, mut other: Self) {
        other.settle();
        self.settle();
        self.total += other.total;
        if !other.beyond.is_empty() {
            self.join(other.beyond.into_iter());
        }
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
        let dense = dense.map(|(value, &count)| (value as u64, count));
        let beyond = match self.settled() {
            Cow::Borrowed(all) => all.beyond.clone(),
            Cow::Owned(all) => all.beyond,
        };
        dense.chain(beyond)
    }

    /// The same with all values sorted, so that nobody who asks has to do it.
    pub(crate) fn finished(mut self) -> Self {
        self.settle();
        self
    }

    /// With all values sorted.
    fn settled(&self) -> Cow<'_, Self> {
        if self.latest.is_empty() {
            return Cow::Borrowed(self);
        }
        let mut settled = self.clone();
        settled.settle();
        Cow::Owned(settled)
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
        let settled = self.settled();
        for &(value, count) in &settled.beyond {
            seen += count;
            if seen >= rank {
                return Some(value);
            }
        }
        settled.beyond.last().map(|&(value, _)| value)
    }

    /// The largest value.
    pub fn max(&self) -> Option<u64> {
        let dense = self
            .counts
            .iter()
            .rposition(|&count| count > 0)
            .map(|value| value as u64);
        let beyond = self.beyond.last().map(|&(value, _)| value);
        let latest = self.latest.iter().copied().max();
        latest.max(beyond).or(dense)
    }
}

/// The same values, in whatever order they came.
impl PartialEq for Histogram {
    fn eq(&self, other: &Self) -> bool {
        self.total == other.total && self.counts().eq(other.counts())
    }
}

impl Eq for Histogram {}

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
    /// However many large values there are, in whatever order and parts they come: as a list that is sorted.
    #[test]
    fn large_values_are_counted_like_small_ones() {
        let value = |i: u64| 60_000 + i.wrapping_mul(2_654_435_761) % 30_000;
        let mut sorted: Vec<u64> = (0..600_000).map(value).collect();
        let [mut whole, mut first, mut second] = [(); 3].map(|()| Histogram::default());
        for (i, &value) in sorted.iter().enumerate() {
            whole.record(value);
            if i % 3 == 0 { &mut first } else { &mut second }.record(value);
        }
        first.add(second);
        assert_eq!(whole, first);
        sorted.sort_unstable();
        for share in [0.0, 0.1, 0.5, 0.9, 0.999, 1.0] {
            let rank = ((6e5 * share) as usize).max(1);
            for histogram in [&whole, &first] {
                assert_eq!(histogram.quantile(share), Some(sorted[rank - 1]), "{share}");
            }
        }
        assert_eq!(whole.max(), sorted.last().copied());
        assert_eq!(whole.counts().map(|(_, count)| count).sum::<u64>(), 600_000);
        let kept = whole.beyond.len() + whole.latest.len();
        assert!(kept < 300_000, "{kept}");
    }
}
