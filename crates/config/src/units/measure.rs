//! What a cycle and a flit are, where defaults are times and sizes: those of standards.

/// How long a cycle is, and what a flit holds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Measure {
    /// From one cycle to the next, in nanoseconds.
    pub cycle_ns: f64,
    /// What a flit holds, in bytes.
    pub flit_bytes: f64,
}

impl Default for Measure {
    /// A flit is a byte at 10 Gb/s.
    fn default() -> Self {
        Self {
            cycle_ns: 0.8,
            flit_bytes: 1.0,
        }
    }
}

impl Measure {
    /// The cycles that it takes, the last one begun.
    pub fn cycles(self, nanoseconds: f64) -> u64 {
        (nanoseconds / self.cycle_ns - 1e-6).ceil().max(0.0) as u64
    }

    /// The flits that so many bytes need, one at least.
    pub fn flits(self, bytes: f64) -> u32 {
        (bytes / self.flit_bytes).ceil().max(1.0) as u32
    }

    /// Of a channel's rate, in megabits per second; no more than all of it.
    pub fn share(self, megabits: f64) -> f64 {
        let of_channel = self.flit_bytes * 8.0 / self.cycle_ns * 1e3;
        (megabits / of_channel).min(1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_at_ten_gigabits() {
        let measure = Measure::default();
        assert_eq!(measure.cycles(20e3), 25_000);
        assert_eq!(measure.flits(1_500.0), 1_500);
        assert!((measure.share(5.0) - 5e-4).abs() < 1e-12);
    }

    #[test]
    fn words_at_a_hundred_gigabits() {
        let measure = Measure {
            cycle_ns: 1.6,
            flit_bytes: 20.0,
        };
        assert_eq!(measure.cycles(1.7), 2);
        assert_eq!([measure.flits(1_500.0), measure.flits(1_501.0)], [75, 76]);
        assert_eq!(measure.flits(0.0), 1);
        assert!((measure.share(50.0) - 5e-4).abs() < 1e-12);
        assert_eq!(measure.share(1e9), 1.0);
    }
}
