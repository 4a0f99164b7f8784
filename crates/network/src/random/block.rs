//! A block of Philox by itself, in vector instructions where every processor of the architecture has them.
//!
//! The two products of a round are one instruction of SSE2, and so is whatever else is done to both halves of the
//! block: a round takes 6 instructions where it would take 14. The compiler does not find them, and so has to be told.

#![allow(unsafe_code)]

/// The four words of a block, in pairs: what [`philox`](super::philox) says.
#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
#[inline(always)]
pub(super) fn block(counter: [u32; 4], key: [u32; 2]) -> [u64; 2] {
    // SAFETY: whatever this is compiled for has SSE2.
    unsafe { sse2::block(counter, key) }
}

/// The four words of a block, in pairs: what [`philox`](super::philox) says.
#[cfg(not(all(target_arch = "x86_64", target_feature = "sse2")))]
#[inline(always)]
pub(super) fn block(counter: [u32; 4], key: [u32; 2]) -> [u64; 2] {
    let [a, b, c, d] = super::philox(counter, key).map(u64::from);
    [a << 32 | b, c << 32 | d]
}

#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
mod sse2 {
    use super::super::{FIRST_FACTOR, KEY_STEPS, ROUNDS, SECOND_FACTOR};
    use std::arch::x86_64::{
        __m128i, _mm_add_epi32, _mm_cvtsi128_si64, _mm_mul_epu32, _mm_set_epi32, _mm_shuffle_epi32,
        _mm_slli_epi64, _mm_srli_epi64, _mm_unpackhi_epi64, _mm_xor_si128,
    };

    /// Two words of 32 bits in the lower halves of 64 bits each.
    #[inline]
    #[target_feature(enable = "sse2")]
    fn pair(first: u32, second: u32) -> __m128i {
        _mm_set_epi32(0, second as i32, 0, first as i32)
    }

    /// The words of the block are in the lower halves: the first and third of one register, the second and fourth of the
    /// other. What is in the upper halves does not matter, because products do not look at it.
    #[inline]
    #[target_feature(enable = "sse2")]
    pub(super) fn block([a, b, c, d]: [u32; 4], key: [u32; 2]) -> [u64; 2] {
        let factors = pair(FIRST_FACTOR as u32, SECOND_FACTOR as u32);
        let (steps, mut key) = (pair(KEY_STEPS[0], KEY_STEPS[1]), pair(key[0], key[1]));
        let whole = _mm_set_epi32(d as i32, c as i32, b as i32, a as i32);
        let (mut one, mut other) = (whole, _mm_srli_epi64::<32>(whole));
        for _ in 0..ROUNDS {
            let products = _mm_mul_epu32(one, factors);
            // The products change places: their upper halves, and their lower ones.
            let upper = _mm_shuffle_epi32::<0b01_01_11_11>(products);
            one = _mm_xor_si128(_mm_xor_si128(upper, other), key);
            other = _mm_shuffle_epi32::<0b00_00_10_10>(products);
            key = _mm_add_epi32(key, steps);
        }
        // As both halves of `other` are the same, they are taken away from the upper ones again.
        let other = _mm_srli_epi64::<32>(other);
        let words = _mm_xor_si128(_mm_slli_epi64::<32>(one), other);
        let second = _mm_unpackhi_epi64(words, words);
        [words, second].map(|pair| _mm_cvtsi128_si64(pair) as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::super::{mix, philox};
    use super::block;

    #[test]
    fn a_block_by_itself_is_a_block() {
        for number in 0..1_000 {
            let [a, b, c] = [0, 1, 2].map(|word| mix(3 * number + word));
            let (counter, key) = ([a, a >> 32, b, b >> 32], [c, c >> 32]);
            let (counter, key) = (counter.map(|word| word as u32), key.map(|word| word as u32));
            let [a, b, c, d] = philox(counter, key).map(u64::from);
            assert_eq!(block(counter, key), [a << 32 | b, c << 32 | d]);
        }
    }
}
