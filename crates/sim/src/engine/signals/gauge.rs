//! How much is under way behind a port, and when that counts as another amount.

/// What a router watches at a port.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Gauge {
    /// Flits that have left for the port and are not known to have gone on.
    occupancy: u32,
    /// Amounts between these, the upper one not included, count as the same.
    low: u32,
    high: u32,
    grain: u32,
}

impl Gauge {
    /// Of an idle port; with a grain of 0, nobody watches it.
    pub(super) fn new(grain: u32) -> Self {
        Self {
            occupancy: 0,
            low: 0,
            high: if grain == 1 { 0 } else { grain },
            grain,
        }
    }

    pub(super) fn is_watched(self) -> bool {
        self.grain > 0
    }

    #[inline(always)]
    pub(super) fn occupancy(self) -> u32 {
        self.occupancy
    }

    /// The amount, rounded down to a multiple of the grain.
    #[inline(always)]
    pub(super) fn told(self) -> u32 {
        match self.grain {
            0 | 1 => self.occupancy,
            grain => self.occupancy - self.occupancy % grain,
        }
    }

    /// The amount is this now: does that count?
    #[inline(always)]
    pub(super) fn set(&mut self, occupancy: u32) -> bool {
        self.occupancy = occupancy;
        let counts = occupancy < self.low || occupancy >= self.high;
        // With a grain of 1 bounds stay empty: another virtual channel may be occupied by as many flits.
        if counts && self.grain > 1 {
            self.low = occupancy - occupancy % self.grain;
            self.high = self.low.saturating_add(self.grain);
        }
        counts
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_multiples_of_the_grain_count() {
        let mut gauge = Gauge::new(4);
        let counts: Vec<bool> = [1, 3, 4, 5, 7, 3, 4, 9, 8, 7]
            .map(|flits| gauge.set(flits))
            .to_vec();
        let expected = [0, 0, 1, 0, 0, 1, 1, 1, 0, 1].map(|counts| counts == 1);
        assert_eq!(counts, expected);
        assert_eq!((gauge.occupancy(), gauge.told()), (7, 4));
    }

    #[test]
    fn or_everything() {
        let mut gauge = Gauge::new(1);
        assert!(gauge.is_watched() && !Gauge::new(0).is_watched());
        assert!([1, 1, 0, 0].iter().all(|&flits| gauge.set(flits)));
    }
}
