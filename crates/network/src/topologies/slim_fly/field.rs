//! The finite field with q elements, for any prime power q.
//!
//! An element is a polynomial over GF(p) modulo one of degree m, `q = p^m`, written as the number with its
//! coefficients as digits in base p. Among the polynomials with leading coefficient 1 some have a root
//! whose powers are all elements but zero: it is found by trying, and makes multiplication an addition of logarithms.
//!
//! Source: Lidl and Niederreiter, Finite Fields, chapters 1 and 2.

/// Tables of O(q).
pub(super) struct Field {
    q: u32,
    p: u32,
    /// Powers of the root, from 0 to q - 2.
    powers: Vec<u32>,
    /// By element; meaningless for zero.
    logarithms: Vec<u32>,
}

impl Field {
    /// `None` if `q` is no prime power, or below 2.
    pub(super) fn new(q: u32) -> Option<Self> {
        let p = (2..)
            .take_while(|&p| p * p <= q)
            .find(|&p| q.is_multiple_of(p));
        let p = p.unwrap_or(q);
        let mut rest = q.max(1);
        while p > 1 && rest.is_multiple_of(p) {
            rest /= p;
        }
        if rest != 1 || q < 2 {
            return None;
        }
        let powers = (1..q).find_map(|lower| powers(p, q, lower))?;
        let mut logarithms = vec![0; q as usize];
        for (exponent, &element) in (0..).zip(&powers) {
            logarithms[element as usize] = exponent;
        }
        Some(Self {
            q,
            p,
            powers,
            logarithms,
        })
    }

    /// Number of elements.
    pub(super) fn order(&self) -> u32 {
        self.q
    }

    pub(super) fn plus(&self, a: u32, b: u32) -> u32 {
        digits(self.p, a, b, |a, b| (a + b) % self.p)
    }

    pub(super) fn minus(&self, a: u32, b: u32) -> u32 {
        digits(self.p, a, b, |a, b| (a + self.p - b) % self.p)
    }

    pub(super) fn times(&self, a: u32, b: u32) -> u32 {
        match a == 0 || b == 0 {
            true => 0,
            false => self.power(self.logarithms[a as usize] + self.logarithms[b as usize]),
        }
    }

    /// A power of the primitive element.
    pub(super) fn power(&self, exponent: u32) -> u32 {
        self.powers[(exponent % (self.q - 1)) as usize]
    }
}

/// Digit by digit in base `p`.
fn digits(p: u32, mut a: u32, mut b: u32, of: impl Fn(u32, u32) -> u32) -> u32 {
    let (mut sum, mut place) = (0, 1);
    while a > 0 || b > 0 {
        sum += of(a % p, b % p) * place;
        (a, b, place) = (a / p, b / p, place * p);
    }
    sum
}

/// The powers of x modulo x^m - lower, if they are all elements but zero.
fn powers(p: u32, q: u32, lower: u32) -> Option<Vec<u32>> {
    let mut powers = vec![1];
    let top = q / p;
    loop {
        let last = powers[powers.len() - 1];
        // The highest coefficient moves out, and comes back as a multiple of `lower`.
        let (high, moved) = (last / top, last % top * p);
        let next = digits(p, moved, lower, |a, b| (a + high * b) % p);
        match next {
            1 => break,
            0 => return None,
            // x is no unit, and its powers never come back to 1.
            _ if powers.len() >= q as usize => return None,
            _ => powers.push(next),
        }
    }
    (powers.len() as u32 == q - 1).then_some(powers)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_have_the_orders_of_prime_powers() {
        let orders: Vec<u32> = (0..50).filter(|&q| Field::new(q).is_some()).collect();
        let expected = [
            2, 3, 4, 5, 7, 8, 9, 11, 13, 16, 17, 19, 23, 25, 27, 29, 31, 32, 37, 41, 43, 47, 49,
        ];
        assert_eq!(orders, expected);
    }

    #[test]
    fn the_axioms_hold() {
        for q in [2, 3, 4, 5, 8, 9, 16, 25, 27] {
            let field = Field::new(q).unwrap();
            for a in 0..q {
                assert_eq!((field.plus(a, 0), field.times(a, 1)), (a, a));
                assert_eq!(field.minus(a, a), 0);
                // Everything but zero has an inverse.
                assert!(a == 0 || (0..q).any(|b| field.times(a, b) == 1));
                for b in 0..q {
                    assert_eq!(field.plus(a, b), field.plus(b, a));
                    assert_eq!(field.minus(field.plus(a, b), b), a);
                    for c in 0..q {
                        let sum = field.times(a, field.plus(b, c));
                        assert_eq!(sum, field.plus(field.times(a, b), field.times(a, c)));
                    }
                }
            }
        }
    }
}
