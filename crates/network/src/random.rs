//! Counter-based random numbers: a draw depends on what it is for, never on when it is made.
//!
//! Philox 4x32-10 turns (key, counter) into 128 random bits. The key holds the study's seed,
//! the counter what the draw is for, so results are the same bytes for every order
//! of execution and every number of threads. The mapping to ranges is ours, because
//! libraries may change theirs between versions.
//!
//! Source: Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", SC 2011;
//! the tests are the published known-answer vectors.

/// What a stream of random numbers is used for; streams of different purposes are independent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Purpose {
    /// Building a random topology.
    Topology = 1,
    /// Choosing random faults.
    Faults = 2,
    /// When a terminal creates packets.
    Injection = 3,
    /// Where a packet goes.
    Destination = 4,
    /// Which of several routes a packet takes.
    Routing = 5,
    /// Fixed random permutations and mappings.
    Permutation = 6,
    /// Anything else, in tests and tools.
    Other = 7,
}

/// One block of Philox 4x32-10.
#[inline]
pub fn philox(counter: [u32; 4], key: [u32; 2]) -> [u32; 4] {
    let ([mut a, mut b, mut c, mut d], [mut k, mut l]) = (counter, key);
    for _ in 0..10 {
        let high = u64::from(a) * 0xD251_1F53;
        let low = u64::from(c) * 0xCD9E_8D57;
        (a, b, c, d) = (
            (low >> 32) as u32 ^ b ^ k,
            low as u32,
            (high >> 32) as u32 ^ d ^ l,
            high as u32,
        );
        (k, l) = (k.wrapping_add(0x9E37_79B9), l.wrapping_add(0xBB67_AE85));
    }
    [a, b, c, d]
}

/// The same for several counters, given and returned word by word. Every 32-bit word sits in
/// 64 bits, which is how the compiler finds vector instructions for the products.
#[inline]
fn philox_several<const N: usize>(words: &mut [[u64; N]; 4], key: [u32; 2]) {
    const LOW: u64 = 0xFFFF_FFFF;
    let [first, second, third, fourth] = words;
    for i in 0..N {
        let (mut a, mut b, mut c, mut d) = (first[i], second[i], third[i], fourth[i]);
        let [mut k, mut l] = key;
        for _ in 0..10 {
            let high = (a & LOW) * 0xD251_1F53;
            let low = (c & LOW) * 0xCD9E_8D57;
            (a, b, c, d) = (
                (low >> 32) ^ b ^ u64::from(k),
                low,
                (high >> 32) ^ d ^ u64::from(l),
                high,
            );
            (k, l) = (k.wrapping_add(0x9E37_79B9), l.wrapping_add(0xBB67_AE85));
        }
        (first[i], second[i], third[i], fourth[i]) = (a & LOW, b & LOW, c & LOW, d & LOW);
    }
}

/// A stream of random numbers for one purpose of one entity.
///
/// Creating one costs nothing; a block of 128 bits is made when the first draw asks for it.
#[derive(Clone, Debug)]
pub struct Random {
    key: [u32; 2],
    counter: [u32; 4],
    block: [u32; 4],
    left: u8,
}

impl Random {
    /// The stream of `entity` (terminal, packet, ...) with a 64-bit sequence number for one purpose.
    ///
    /// ```
    /// use turnwise_network::random::{Purpose, Random};
    /// let draw = |entity| Random::new(1, Purpose::Other, entity, 0).below(1000);
    /// assert_eq!(draw(7), draw(7));
    /// assert_ne!(draw(7), draw(8));
    /// ```
    #[inline]
    pub fn new(seed: u64, purpose: Purpose, entity: u32, sequence: u32) -> Self {
        Self {
            key: [seed as u32, (seed >> 32) as u32],
            counter: [0, purpose as u32, entity, sequence],
            block: [0; 4],
            left: 0,
        }
    }

    /// The streams of several successive sequence numbers, their first blocks made together.
    pub fn several<const N: usize>(
        seed: u64,
        purpose: Purpose,
        entity: u32,
        sequence: u32,
    ) -> [Self; N] {
        let mut words = [
            [0; N],
            [purpose as u64; N],
            [u64::from(entity); N],
            std::array::from_fn(|index| u64::from(sequence.wrapping_add(index as u32))),
        ];
        philox_several(&mut words, [seed as u32, (seed >> 32) as u32]);
        std::array::from_fn(|index| {
            let number = sequence.wrapping_add(index as u32);
            Self {
                key: [seed as u32, (seed >> 32) as u32],
                counter: [1, purpose as u32, entity, number],
                block: words.map(|word| word[index] as u32),
                left: 4,
            }
        })
    }

    /// The same stream from its `block`-th block on: one stream serves many occasions in turn.
    #[inline]
    pub fn at_block(mut self, block: u32) -> Self {
        self.counter[0] = block;
        self
    }

    #[inline(never)]
    fn refill(&mut self) {
        self.block = philox(self.counter, self.key);
        self.counter[0] = self.counter[0].wrapping_add(1);
        self.left = 4;
    }

    /// 32 random bits.
    #[inline]
    pub fn next_u32(&mut self) -> u32 {
        if self.left == 0 {
            self.refill();
        }
        self.left -= 1;
        self.block[3 - usize::from(self.left & 3)]
    }

    /// 64 random bits.
    #[inline]
    pub fn next_u64(&mut self) -> u64 {
        if self.left < 2 {
            return u64::from(self.next_u32()) << 32 | u64::from(self.next_u32());
        }
        let first = usize::from(4 - self.left) & 3;
        self.left -= 2;
        u64::from(self.block[first]) << 32 | u64::from(self.block[(first + 1) & 3])
    }

    /// A uniform number below `bound` (0 if `bound` is 0); the bias is below `bound / 2^64`.
    #[inline]
    pub fn below(&mut self, bound: u32) -> u32 {
        ((u128::from(self.next_u64()) * u128::from(bound)) >> 64) as u32
    }

    /// True with probability `numerator / 2^64`.
    #[inline]
    pub fn chance(&mut self, numerator: u64) -> bool {
        self.next_u64() < numerator
    }

    /// Shuffles a slice (Fisher-Yates).
    pub fn shuffle<T>(&mut self, slice: &mut [T]) {
        for end in (1..slice.len()).rev() {
            slice.swap(end, self.below(end as u32 + 1) as usize);
        }
    }
}

/// A well-mixed 64-bit hash of a number (the finaliser of SplitMix64), for fingerprints and derived seeds.
#[inline]
pub fn mix(value: u64) -> u64 {
    let mut z = value.wrapping_add(0x9E37_79B9_7F4A_7C15);
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Known answers published with Random123 (kat_vectors, philox4x32 10).
    #[test]
    fn known_answers() {
        assert_eq!(
            philox([0; 4], [0; 2]),
            [0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8]
        );
        assert_eq!(
            philox([u32::MAX; 4], [u32::MAX; 2]),
            [0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd]
        );
        assert_eq!(
            philox(
                [0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344],
                [0xa4093822, 0x299f31d0]
            ),
            [0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1]
        );
    }

    #[test]
    fn several_streams_at_once_are_the_same_streams() {
        for (seed, entity, sequence) in [(1, 2, 3), (u64::MAX, 9, u32::MAX - 1)] {
            let mut several: [Random; 8] = Random::several(seed, Purpose::Other, entity, sequence);
            for (index, stream) in several.iter_mut().enumerate() {
                let number = sequence.wrapping_add(index as u32);
                let mut alone = Random::new(seed, Purpose::Other, entity, number);
                for _ in 0..9 {
                    assert_eq!(stream.next_u32(), alone.next_u32());
                }
            }
        }
    }

    #[test]
    fn below_is_in_range_and_roughly_uniform() {
        let mut random = Random::new(3, Purpose::Other, 0, 0);
        let mut counts = [0u32; 7];
        for _ in 0..70_000 {
            counts[random.below(7) as usize] += 1;
        }
        assert!(
            counts.iter().all(|&count| (9_500..10_500).contains(&count)),
            "{counts:?}"
        );
        assert_eq!(random.below(0), 0);
        assert_eq!(random.below(1), 0);
    }

    #[test]
    fn a_shuffle_is_a_permutation() {
        let mut items: Vec<u32> = (0..100).collect();
        Random::new(1, Purpose::Permutation, 0, 0).shuffle(&mut items);
        assert_ne!(items, (0..100).collect::<Vec<_>>());
        items.sort_unstable();
        assert_eq!(items, (0..100).collect::<Vec<_>>());
    }
}
