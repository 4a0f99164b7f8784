//! Counter-based random numbers: a draw depends on what it is for, never on when it is made.
//!
//! Philox 4x32-10 turns (key, counter) into 128 random bits. The key holds the study's seed,
//! the counter what the draw is for, so results are the same bytes for every order
//! of execution and every number of threads. The mapping to ranges is ours, because
//! libraries may change theirs between versions.
//!
//! Source: Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", SC 2011;
//! the tests are the published known-answer vectors.

mod block;
mod streams;

pub use streams::{StreamKey, Streams};

/// What a stream of random numbers is used for; streams of different purposes are independent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Purpose {
    /// Building a random topology.
    Topology = 1,
    /// Choosing random faults.
    Faults = 2,
    /// A packet: when it is created, where it goes, how long it is.
    Injection = 3,
    /// At which point of its period a terminal starts to send.
    Phase = 4,
    /// Which of several routes a packet takes.
    Routing = 5,
    /// Fixed random permutations and mappings.
    Permutation = 6,
    /// Anything else, in tests and tools.
    Other = 7,
    /// Which route a head takes that has found no free virtual channel on another.
    RoutingAgain = 8,
    /// In which of several ways a packet sets out.
    Departure = 9,
    /// Where the ranks of a program are.
    Placement = 10,
    /// After how much traffic a queue is sampled, and a rate is raised.
    Notification = 11,
}

/// One block of Philox 4x32-10.
#[inline]
pub fn philox(counter: [u32; 4], key: [u32; 2]) -> [u32; 4] {
    let ([mut a, mut b, mut c, mut d], mut key) = (counter, key);
    for _ in 0..ROUNDS {
        let high = u64::from(a) * FIRST_FACTOR;
        let low = u64::from(c) * SECOND_FACTOR;
        (a, b, c, d) = (
            (low >> 32) as u32 ^ b ^ key[0],
            low as u32,
            (high >> 32) as u32 ^ d ^ key[1],
            high as u32,
        );
        key = next_key(key);
    }
    [a, b, c, d]
}

const ROUNDS: usize = 10;
const FIRST_FACTOR: u64 = 0xD251_1F53;
const SECOND_FACTOR: u64 = 0xCD9E_8D57;
/// What is added to the key from round to round.
const KEY_STEPS: [u32; 2] = [0x9E37_79B9, 0xBB67_AE85];

/// The key of the first round.
#[inline(always)]
fn first_key(seed: u64) -> [u32; 2] {
    [seed as u32, (seed >> 32) as u32]
}

#[inline(always)]
fn next_key([k, l]: [u32; 2]) -> [u32; 2] {
    [k.wrapping_add(KEY_STEPS[0]), l.wrapping_add(KEY_STEPS[1])]
}

/// A stream of random numbers for one purpose of one entity.
///
/// Creating one costs nothing; a block of 128 bits is made when the first draw asks for it.
#[derive(Clone, Debug)]
pub struct Random {
    key: [u32; 2],
    counter: [u32; 4],
    block: [u64; 2],
    /// Words of 32 bits that are left of the block.
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
            key: first_key(seed),
            counter: [0, purpose as u32, entity, sequence],
            block: [0; 2],
            left: 0,
        }
    }

    /// The same stream from its `block`-th block on: one stream serves many occasions in turn.
    #[inline]
    pub fn at_block(mut self, block: u32) -> Self {
        self.counter[0] = block;
        self
    }

    #[inline(always)]
    fn make_block(&mut self) {
        self.block = block::block(self.counter, self.key);
        self.counter[0] = self.counter[0].wrapping_add(1);
        self.left = 4;
    }

    #[inline(never)]
    fn refill(&mut self) {
        self.make_block();
    }

    /// 32 random bits.
    #[inline]
    pub fn next_u32(&mut self) -> u32 {
        if self.left == 0 {
            self.refill();
        }
        self.left -= 1;
        let pair = self.block[usize::from(self.left < 2)];
        (pair >> (32 * (self.left & 1))) as u32
    }

    /// 64 random bits. Never inlined: whoever draws keeps his own things in place for one call, and mostly a block is
    /// made in it.
    #[inline(never)]
    pub fn next_u64(&mut self) -> u64 {
        if self.left % 2 == 1 {
            return u64::from(self.next_u32()) << 32 | u64::from(self.next_u32());
        }
        if self.left == 0 {
            self.make_block();
        }
        let pair = self.block[usize::from(self.left < 4)];
        self.left -= 2;
        pair
    }

    /// A uniform number below `bound` (0 if `bound` is 0); the bias is below `bound / 2^64`.
    #[inline]
    pub fn below(&mut self, bound: u32) -> u32 {
        scaled(self.next_u64(), bound)
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

/// 64 random bits as a number below `bound`, the one that [`Random::below`] makes of them.
#[inline]
pub fn scaled(bits: u64, bound: u32) -> u32 {
    ((u128::from(bits) * u128::from(bound)) >> 64) as u32
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

    /// Words and pairs of words are the blocks' in order, however they are mixed.
    #[test]
    fn draws_are_the_words_of_the_blocks_in_order() {
        let words: Vec<u32> = (0..6)
            .flat_map(|block| philox([block, Purpose::Other as u32, 5, 6], [9, 0]))
            .collect();
        for pattern in 0..1 << 8 {
            let (mut random, mut next) = (Random::new(9, Purpose::Other, 5, 6), 0);
            for draw in 0..8 {
                if pattern >> draw & 1 == 0 {
                    assert_eq!(random.next_u32(), words[next], "{pattern:b}");
                    next += 1;
                } else {
                    let pair = u64::from(words[next]) << 32 | u64::from(words[next + 1]);
                    assert_eq!(random.next_u64(), pair, "{pattern:b}");
                    next += 2;
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
