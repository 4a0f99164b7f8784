//! Streams side by side: what several successive packets of a terminal are drawn from.

use super::{FIRST_FACTOR, Purpose, ROUNDS, Random, SECOND_FACTOR, first_key, next_key};

/// A seed, prepared for streams side by side.
///
/// Philox changes its key from round to round. Streams need it once each if they are
/// computed side by side in vector registers, so that is how it is kept here, 64 bytes for
/// each half and round if `N` is 8.
#[derive(Clone, Debug)]
pub struct StreamKey<const N: usize> {
    seed: u64,
    /// Both halves of the key in the rounds after the first three.
    rounds: [[Lanes<N>; 2]; LATER],
}

/// Aligned for vector instructions to read it in place.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
struct Lanes<const N: usize>([u64; N]);

/// Of the first rounds most is the same for all sequence numbers, and need not be done `N`
/// times over.
const EARLY: usize = 3;
const LATER: usize = ROUNDS - EARLY;

impl<const N: usize> StreamKey<N> {
    /// Prepares the streams of a seed.
    pub fn new(seed: u64) -> Self {
        let mut rounds = [[Lanes([0; N]); 2]; LATER];
        let mut halves = first_key(seed);
        for number in 0..ROUNDS {
            if number >= EARLY {
                rounds[number - EARLY] = halves.map(|half| Lanes([half.into(); N]));
            }
            halves = next_key(halves);
        }
        Self { seed, rounds }
    }
}

/// A round of [`philox`](super::philox). Every word of 32 bits sits in 64, with anything above it:
/// this is how the compiler finds vector instructions for the products.
#[inline(always)]
fn round([a, b, c, d]: [u64; 4], [k, l]: [u64; 2]) -> [u64; 4] {
    let [high, low] = products(a, c);
    [low >> 32 ^ b ^ k, low, high >> 32 ^ d ^ l, high]
}

/// The last round, and its words in pairs: the upper ones are in place but for what is added.
#[inline(always)]
fn last_round([a, b, c, d]: [u64; 4], [k, l]: [u64; 2]) -> [u64; 2] {
    let [high, low] = products(a, c);
    [low ^ (b ^ k) << 32, high ^ (d ^ l) << 32]
}

#[inline(always)]
fn products(a: u64, c: u64) -> [u64; 2] {
    let word = |wide: u64| wide & 0xFFFF_FFFF;
    [word(a) * FIRST_FACTOR, word(c) * SECOND_FACTOR]
}

/// The streams of `N` successive sequence numbers, their first blocks made together.
///
/// A packet rarely needs more than the first block of its stream, so that is all there is,
/// as two numbers of 64 bits a stream; [`stream`](Self::stream) is for the others.
///
/// ```
/// use turnwise_network::random::{Purpose, Random, StreamKey, Streams};
/// let key = StreamKey::<8>::new(1);
/// let together = Streams::new(&key, Purpose::Other, 7, 20);
/// let mut alone = Random::new(1, Purpose::Other, 7, 23);
/// assert_eq!(alone.next_u64(), together.first[3]);
/// assert_eq!(alone.next_u64(), together.second[3]);
/// assert_eq!(alone.next_u64(), together.stream(3, 2).next_u64());
/// ```
#[derive(Clone, Debug)]
pub struct Streams<const N: usize> {
    /// The first 64 bits of each.
    pub first: [u64; N],
    /// The 64 bits that come next.
    pub second: [u64; N],
    seed: u64,
    purpose: Purpose,
    entity: u32,
    sequence: u32,
}

impl<const N: usize> Streams<N> {
    /// The streams of an entity from this sequence number on, see [`Random::new`].
    #[inline]
    pub fn new(prepared: &StreamKey<N>, purpose: Purpose, entity: u32, sequence: u32) -> Self {
        let mut streams = Self {
            first: [0; N],
            second: [0; N],
            seed: prepared.seed,
            purpose,
            entity,
            sequence,
        };
        let (middle, last) = prepared.rounds.split_at(LATER - 1);
        for index in 0..N {
            let number = sequence.wrapping_add(index as u32);
            let mut words = [0, purpose as u32, entity, number].map(u64::from);
            let mut halves = first_key(prepared.seed);
            for _ in 0..EARLY {
                words = round(words, halves.map(u64::from));
                halves = next_key(halves);
            }
            for [k, l] in middle {
                words = round(words, [k.0[index], l.0[index]]);
            }
            let [k, l] = &last[0];
            [streams.first[index], streams.second[index]] =
                last_round(words, [k.0[index], l.0[index]]);
        }
        streams
    }

    /// One of the streams, as it goes on when the first `drawn` numbers of 64 bits have been
    /// drawn from it, at most two.
    #[inline]
    pub fn stream(&self, index: usize, drawn: u8) -> Random {
        let number = self.sequence.wrapping_add(index as u32);
        Random {
            block: [self.first[index], self.second[index]],
            left: 4 - 2 * drawn.min(2),
            ..Random::new(self.seed, self.purpose, self.entity, number).at_block(1)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_side_by_side_are_the_same_streams() {
        for (seed, entity, sequence) in [(1, 2, 3), (u64::MAX, 9, u32::MAX - 1)] {
            let key = StreamKey::<8>::new(seed);
            let together = Streams::new(&key, Purpose::Other, entity, sequence);
            for (index, drawn) in (0..8).flat_map(|index| [(index, 0), (index, 1), (index, 2)]) {
                let number = sequence.wrapping_add(index as u32);
                let mut alone = Random::new(seed, Purpose::Other, entity, number);
                let begins = [together.first[index], together.second[index]];
                for first in &begins[..usize::from(drawn)] {
                    assert_eq!(alone.next_u64(), *first);
                }
                let mut rest = together.stream(index, drawn);
                for _ in 0..9 {
                    assert_eq!(rest.next_u32(), alone.next_u32());
                }
            }
        }
    }
}
