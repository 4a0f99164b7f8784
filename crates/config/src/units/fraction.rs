//! Exact fractions, so that 40 Gb/s of 100 Gb/s is 0.4 and not nearly so.

/// A fraction that is not negative, in lowest terms.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Fraction {
    numerator: u128,
    /// Never 0.
    denominator: u128,
}

impl Fraction {
    /// The fraction of two numbers; `None` if the second is 0.
    pub fn new(numerator: u128, denominator: u128) -> Option<Self> {
        let divisor = common_divisor(numerator, denominator);
        (denominator > 0).then(|| Self {
            numerator: numerator / divisor,
            denominator: denominator / divisor,
        })
    }

    /// Is it 0?
    pub fn is_zero(self) -> bool {
        self.numerator == 0
    }

    /// The product; `None` if its terms are too large.
    #[must_use]
    pub fn times(self, other: Self) -> Option<Self> {
        // Reduced crosswise first, the terms of the product stay as small as can be.
        let a = Self::new(self.numerator, other.denominator)?;
        let b = Self::new(other.numerator, self.denominator)?;
        Some(Self {
            numerator: a.numerator.checked_mul(b.numerator)?,
            denominator: a.denominator.checked_mul(b.denominator)?,
        })
    }

    /// The quotient; `None` if its terms are too large, or the other is 0.
    #[must_use]
    pub fn over(self, other: Self) -> Option<Self> {
        self.times(Self::new(other.denominator, other.numerator)?)
    }

    /// The number, if it is whole.
    pub fn whole(self) -> Option<u128> {
        (self.denominator == 1).then_some(self.numerator)
    }

    /// The next whole number that is not less.
    pub fn ceiling(self) -> u128 {
        self.numerator.div_ceil(self.denominator)
    }

    /// The nearest double, if both terms have at most 53 bits; within two units of the last place
    /// otherwise.
    pub fn to_f64(self) -> f64 {
        self.numerator as f64 / self.denominator as f64
    }
}

fn common_divisor(mut a: u128, mut b: u128) -> u128 {
    while b > 0 {
        (a, b) = (b, a % b);
    }
    a.max(1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn fraction(numerator: u128, denominator: u128) -> Fraction {
        Fraction::new(numerator, denominator).unwrap()
    }

    #[test]
    fn fractions_are_exact() {
        assert_eq!(fraction(6, 4), fraction(3, 2));
        assert_eq!(fraction(6, 4).over(fraction(3, 1)), Some(fraction(1, 2)));
        assert_eq!(fraction(40, 100).to_f64(), 0.4);
        assert_eq!((fraction(7, 2).ceiling(), fraction(4, 2).ceiling()), (4, 2));
        assert_eq!(fraction(7, 2).whole(), None);
        assert_eq!(Fraction::new(1, 0), None);
        assert_eq!(fraction(1, 2).over(fraction(0, 5)), None);
        let huge = fraction(u128::MAX, 1);
        assert_eq!(huge.times(fraction(2, 1)), None);
        assert_eq!(huge.times(fraction(2, u128::MAX)), Some(fraction(2, 1)));
    }

    proptest! {
        #[test]
        fn dividing_undoes_multiplying(a in 1u64.., b in 1u64.., c in 1u64.., d in 1u64..) {
            let (x, y) = (fraction(a.into(), b.into()), fraction(c.into(), d.into()));
            if let Some(product) = x.times(y) {
                prop_assert_eq!(product.over(y), Some(x));
            }
        }
    }
}
