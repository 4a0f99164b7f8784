//! When packets are created: Bernoulli arrivals, exact and without floating point.
//!
//! A terminal that creates a packet with probability `p` each cycle waits geometrically
//! distributed gaps in between. Drawing a gap costs one look-up instead of one draw a
//! cycle: a table of 256 cells holds `P(gap <= k)` as fractions of 2^64, and a guide by
//! the draw's first byte says where to begin the search. Beyond the table, what is left to
//! wait has the same distribution again, so longer gaps are drawn digit by digit to base
//! 256, with a table for each digit.
//!
//! Source: Devroye, "Non-uniform random variate generation", Springer 1986, chapters III.2 (guide
//! tables) and X.2 (the geometric distribution); Chen and Asau, AIIE Trans. 6(2), 1974.
//!
//! Complexity: O(1) expected a gap, 2.3 kB a digit, as many digits as the probability needs.
//!
//! ```
//! use turnwise_network::random::{Purpose, Random};
//! use turnwise_workload::InterArrival;
//!
//! // 0.5 flits per cycle in packets of 4 flits: one packet in 8 cycles.
//! let gaps = InterArrival::new(0.5, 4)?;
//! let mut rng = Random::new(1, Purpose::Injection, 0, 0);
//! let total: u64 = (0..10_000).filter_map(|_| gaps.draw(&mut rng)).sum();
//! assert!((78_000..82_000).contains(&total));
//! # Ok::<(), turnwise_network::Invalid>(())
//! ```

use turnwise_network::Invalid;
use turnwise_network::random::Random;

const CELLS: usize = 256;
/// A gap longer than any simulation: the terminal never sends.
pub(crate) const ETERNITY: u64 = 1 << 40;

/// Gaps between the packets of one terminal, in whole cycles of at least one.
#[derive(Clone, Debug)]
pub struct InterArrival {
    /// Tables for the digits of the gap to base 256, lowest first; none if there are no packets.
    digits: Vec<Digit>,
}

/// `P(at most k units are waited in vain)` as fractions of 2^64; a unit is 256^digit cycles.
#[derive(Clone, Debug)]
struct Digit {
    /// The highest draw that means k units or fewer.
    highest: [u64; CELLS],
    /// By first byte: the first cell that may be the answer.
    guide: [u8; 256],
}

impl InterArrival {
    /// Arrivals that offer `load` flits per cycle in packets of `packet_flits` flits.
    ///
    /// A load above 1 saturates the source; a packet may be created every cycle at most.
    ///
    /// # Errors
    /// A load that is negative, infinite or NaN; packets without flits.
    pub fn new(load: f64, packet_flits: u16) -> Result<Self, Invalid> {
        if !load.is_finite() || load < 0.0 {
            let message =
                format!("expected a load of 0 or more flits per terminal per cycle, found {load}");
            return Err(Invalid::new("load", message)
                .with_help("1 is all that an injection channel can carry"));
        }
        if packet_flits == 0 {
            return Err(Invalid::new(
                "packet_flits",
                "a packet has at least one flit",
            ));
        }
        Ok(Self::of_probability(load / f64::from(packet_flits)))
    }

    /// Arrivals with this probability in every cycle; certain ones if it is 1 or more.
    pub(crate) fn of_probability(probability: f64) -> Self {
        // 2^64 times the probability; the conversion rounds towards zero and saturates.
        let success = (probability * 18_446_744_073_709_551_616.0) as u64;
        let digits = match success {
            0 => Vec::new(),
            u64::MAX => vec![Digit::new(0).0],
            _ => digits(success),
        };
        Self { digits }
    }

    /// Bytes of its tables.
    pub(crate) fn memory_bytes(&self) -> u64 {
        (self.digits.len() * size_of::<Digit>()) as u64
    }

    /// Cycles from one packet to the next, or from the cycle before the first to the first;
    /// `None` if that is longer than any simulation.
    #[inline]
    pub fn draw(&self, rng: &mut Random) -> Option<u64> {
        self.wait(rng).map(|waited| waited + 1)
    }

    /// Cycles that pass without a packet: one less than the gap.
    pub(crate) fn wait(&self, rng: &mut Random) -> Option<u64> {
        Some(waited(&self.digits, rng)).filter(|&waited| waited < ETERNITY)
    }

    /// The same, given the stream's next 64 bits. The stream itself is made only if these do not suffice.
    #[inline(always)]
    pub(crate) fn wait_of(&self, bits: u64, stream: impl Fn() -> Random) -> Option<u64> {
        match self.digits.first()?.find(bits) {
            Some(waited) => Some(waited),
            None => self.wait_long(stream),
        }
    }

    /// Not inlined, because it is rare and long.
    #[inline(never)]
    fn wait_long(&self, stream: impl Fn() -> Random) -> Option<u64> {
        self.wait(&mut stream())
    }
}

/// One table a digit, until longer gaps have a probability below 2^-64, or are longer than any simulation.
fn digits(success: u64) -> Vec<Digit> {
    let mut fail = u64::MAX - success + 1;
    let mut digits = Vec::new();
    while fail > 0 && digits.len() < 5 {
        let (digit, beyond) = Digit::new(fail);
        digits.push(digit);
        fail = beyond;
    }
    digits
}

impl Digit {
    /// The table for a unit that passes without a packet with probability `fail / 2^64`; and the
    /// probability that all cells together do.
    fn new(fail: u64) -> (Self, u64) {
        let mut highest = [0; CELLS];
        let (mut left, mut next) = (fail, fail);
        for cell in highest.iter_mut() {
            left = next;
            *cell = u64::MAX - left;
            next = ((u128::from(left) * u128::from(fail)) >> 64) as u64;
        }
        let mut guide = [0; 256];
        let mut cell = 0;
        for (byte, first) in guide.iter_mut().enumerate() {
            while cell < CELLS - 1 && highest[cell] < (byte as u64) << 56 {
                cell += 1;
            }
            *first = cell as u8;
        }
        (Self { highest, guide }, left)
    }

    /// The cell a draw falls into, `None` beyond the table.
    #[inline]
    fn find(&self, draw: u64) -> Option<u64> {
        let cell = self.guide[(draw >> 56) as usize];
        if draw <= self.highest[usize::from(cell)] {
            return Some(cell.into());
        }
        self.find_after(cell, draw)
    }

    /// The same from a cell that comes before it. A byte is never out of bounds.
    #[inline(never)]
    fn find_after(&self, mut cell: u8, draw: u64) -> Option<u64> {
        while draw > self.highest[usize::from(cell)] {
            cell = cell.checked_add(1)?;
        }
        Some(cell.into())
    }

    /// A cell, given that it is one of the table.
    fn find_inside(&self, rng: &mut Random) -> u64 {
        let whole = u128::from(self.highest[CELLS - 1]) + 1;
        let draw = (u128::from(rng.next_u64()) * whole) >> 64;
        self.find(draw as u64).unwrap_or(CELLS as u64 - 1)
    }
}

/// Units waited in vain before one succeeds.
fn waited(digits: &[Digit], rng: &mut Random) -> u64 {
    let Some((digit, higher)) = digits.split_first() else {
        return ETERNITY;
    };
    match digit.find(rng.next_u64()) {
        Some(units) => units,
        None => {
            let whole_tables = waited(higher, rng).saturating_add(1);
            whole_tables
                .saturating_mul(CELLS as u64)
                .saturating_add(digit.find_inside(rng))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use turnwise_network::random::Purpose;

    fn rng(entity: u32) -> Random {
        Random::new(7, Purpose::Injection, entity, 0)
    }

    /// Mean and variance of a geometric distribution are 1/p and (1-p)/p^2.
    #[test]
    fn gaps_have_the_mean_and_variance_of_their_load() {
        for (load, flits) in [
            (0.9, 1),
            (0.5, 1),
            (0.3, 4),
            (0.02, 4),
            (0.001, 1),
            (0.000_01, 1),
        ] {
            let probability = load / f64::from(flits);
            let gaps = InterArrival::new(load, flits).unwrap();
            let mut rng = rng(flits.into());
            let draws: Vec<f64> = (0..100_000)
                .map(|_| gaps.draw(&mut rng).unwrap() as f64)
                .collect();
            let count = draws.len() as f64;
            let mean = draws.iter().sum::<f64>() / count;
            let variance = draws.iter().map(|gap| (gap - mean).powi(2)).sum::<f64>() / count;
            let deviation = (1.0 - probability).sqrt() / probability;
            assert!(
                (mean - 1.0 / probability).abs() < 4.0 * deviation / count.sqrt(),
                "{load}: {mean}"
            );
            let ratio = variance / deviation.powi(2);
            assert!(
                (0.95..1.05).contains(&ratio),
                "{load}: variance is {ratio} of what it should be"
            );
        }
    }

    #[test]
    fn single_gaps_have_their_exact_probability() {
        let gaps = InterArrival::new(0.25, 1).unwrap();
        let mut rng = rng(0);
        let mut counts = [0.0; 5];
        for _ in 0..100_000 {
            let gap = gaps.draw(&mut rng).unwrap() as usize;
            counts[gap.min(5) - 1] += 1.0;
        }
        for (index, count) in counts[..4].iter().enumerate() {
            let expected = 100_000.0 * 0.25 * 0.75_f64.powi(index as i32);
            assert!(
                (count - expected).abs() < 5.0 * expected.sqrt(),
                "{counts:?}"
            );
        }
    }

    /// A memoryless gap is longer than 300 and 70,000 with the right probability, although
    /// neither fits the first or second table.
    #[test]
    fn gaps_beyond_the_tables_are_memoryless() {
        for (load, limit) in [(0.005, 300), (0.00002, 70_000)] {
            let gaps = InterArrival::new(load, 1).unwrap();
            let mut rng = rng(1);
            let longer = (0..50_000)
                .filter(|_| gaps.draw(&mut rng).unwrap() > limit)
                .count();
            let expected = 50_000.0 * (1.0_f64 - load).powi(limit as i32);
            assert!(
                (longer as f64 - expected).abs() < 5.0 * expected.sqrt(),
                "{longer} for {expected}"
            );
        }
    }

    #[test]
    fn extreme_loads() {
        let draw = |load, flits| InterArrival::new(load, flits).unwrap().draw(&mut rng(2));
        assert_eq!(draw(0.0, 4), None);
        assert_eq!(draw(1e-300, 1), None);
        assert_eq!(draw(1.0, 1), Some(1));
        assert_eq!(draw(64.0, 16), Some(1));
        assert!(draw(2.0, 4).is_some());
        for load in [f64::NAN, f64::INFINITY, -0.1] {
            assert_eq!(InterArrival::new(load, 1).unwrap_err().place, "load");
        }
        assert_eq!(InterArrival::new(0.5, 0).unwrap_err().place, "packet_flits");
        // So rare that hardly any draw is shorter than a simulation; drawing ends quickly all the same.
        let mut rng = rng(3);
        let rare = InterArrival::new(1e-15, 1).unwrap();
        assert!((0..10_000).filter_map(|_| rare.draw(&mut rng)).count() < 100);
    }
}
