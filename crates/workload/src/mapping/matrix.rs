//! The communication matrix of a program: bytes from rank to rank, over its whole length or round by round.
//!
//! Programs can be asked without a network. The n-th message of every rank belongs to round n: in programs whose ranks go in
//! step, those are under way together. Rounds in which the same ranks send to the same are one.
//!
//! Complexity: O(messages), of which those of so many rounds are kept at once.

use rustc_hash::FxHashMap;
use schemars::JsonSchema;
use serde::Deserialize;
use turnwise_application::{Graph, Program, Work};

/// Which messages count as being under way together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Together {
    /// All of the program.
    #[default]
    All,
    /// The first message of every rank, the second of every rank, and so on; loads of rounds are added up, as if each
    /// waited for the one before it.
    Rounds,
}

/// What a rank sends to, or receives from, another in a round.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Part {
    pub(crate) peer: u32,
    pub(crate) round: u32,
    pub(crate) bytes: f64,
}

/// Bytes by pair of ranks and round.
pub(crate) struct Matrix {
    /// By sender.
    sent: Vec<Vec<Part>>,
    /// By receiver.
    received: Vec<Vec<Part>>,
    rounds: u32,
}

/// Later messages of a rank are of one round.
const MOST_MESSAGES: usize = 4096;
/// So are those of further rounds that are like none before.
const MOST_ROUNDS: u32 = 256;

impl Matrix {
    /// What a program sends.
    pub(crate) fn of(program: &dyn Program, together: Together) -> Self {
        let ranks = program.ranks();
        let tracked = match together {
            Together::All => 0,
            Together::Rounds => MOST_MESSAGES,
        };
        // By number of the message, who sends how much to whom; what is not told apart comes last.
        let mut messages: Vec<Vec<(u32, u32, f64)>> = Vec::new();
        let mut others = Vec::new();
        // What one rank sends to each other one, and to whom that is anything.
        let mut sums = vec![0.0; ranks as usize];
        let mut peers = Vec::new();
        for rank in 0..ranks {
            let mut number = 0;
            for task in &Graph::of_rank(program, rank).tasks {
                let Work::Send(message) = task.work else {
                    continue;
                };
                if message.peer == rank || message.peer >= ranks {
                    continue;
                }
                // A message without bytes is a packet all the same.
                let bytes = message.bytes.max(1) as f64;
                if number < tracked {
                    if number == messages.len() {
                        messages.push(Vec::new());
                    }
                    messages[number].push((rank, message.peer, bytes));
                } else {
                    let sum = &mut sums[message.peer as usize];
                    if *sum == 0.0 {
                        peers.push(message.peer);
                    }
                    *sum += bytes;
                }
                number += 1;
            }
            peers.sort_unstable();
            for peer in peers.drain(..) {
                let sum = std::mem::take(&mut sums[peer as usize]);
                others.push((rank, peer, sum));
            }
        }
        let mut matrix = Self {
            sent: vec![Vec::new(); ranks as usize],
            received: vec![Vec::new(); ranks as usize],
            rounds: 1,
        };
        matrix.fill(messages, &others);
        matrix
    }

    /// Puts messages into rounds; round 0 has those that are not told apart.
    fn fill(&mut self, messages: Vec<Vec<(u32, u32, f64)>>, others: &[(u32, u32, f64)]) {
        let mut known: FxHashMap<Vec<(u32, u32)>, u32> = FxHashMap::default();
        let mut sums: FxHashMap<(u32, u32, u32), usize> = FxHashMap::default();
        let mut all: Vec<(u32, u32, u32, f64)> = Vec::new();
        let mut add = |round: u32, (from, to, bytes): (u32, u32, f64)| {
            let at = *sums.entry((round, from, to)).or_insert(all.len());
            match all.get_mut(at) {
                Some(part) => part.3 += bytes,
                None => all.push((round, from, to, bytes)),
            }
        };
        for message in messages {
            let pairs = message.iter().map(|&(from, to, _)| (from, to)).collect();
            let mut round = 0;
            if self.rounds <= MOST_ROUNDS || known.contains_key(&pairs) {
                round = *known.entry(pairs).or_insert(self.rounds);
                self.rounds = self.rounds.max(round + 1);
            }
            message.into_iter().for_each(|part| add(round, part));
        }
        others.iter().for_each(|&part| add(0, part));
        for (round, from, to, bytes) in all {
            let part = |peer| Part { peer, round, bytes };
            self.sent[from as usize].push(part(to));
            self.received[to as usize].push(part(from));
        }
    }

    /// How many ranks there are.
    pub(crate) fn ranks(&self) -> u32 {
        self.sent.len() as u32
    }

    /// How many rounds there are.
    pub(crate) fn rounds(&self) -> u32 {
        self.rounds
    }

    /// Who sends to whom in each round that is told apart, the round that moves most bytes first.
    fn pairs(&self) -> Vec<Vec<(u32, u32)>> {
        let mut rounds = vec![(0.0, Vec::new()); self.rounds as usize];
        for (from, parts) in (0..).zip(&self.sent) {
            for part in parts {
                let (bytes, pairs) = &mut rounds[part.round as usize];
                *bytes += part.bytes;
                pairs.push((from, part.peer));
            }
        }
        let mut rounds = rounds.split_off(1);
        rounds.sort_by(|one, other| other.0.total_cmp(&one.0));
        rounds.into_iter().map(|(_, pairs)| pairs).collect()
    }

    /// What a rank sends.
    pub(crate) fn sent(&self, rank: u32) -> &[Part] {
        &self.sent[rank as usize]
    }

    /// What a rank receives.
    pub(crate) fn received(&self, rank: u32) -> &[Part] {
        &self.received[rank as usize]
    }
}

/// Who sends to whom at a time in a program that does not tell, as if its ranks went in step: the pairs of its rounds, those of the
/// most bytes first. Up to 256 rounds with other pairs, of the first 4,096 messages of each rank.
pub(crate) fn rounds(program: &dyn Program) -> Vec<Vec<(u32, u32)>> {
    Matrix::of(program, Together::Rounds).pairs()
}

#[cfg(test)]
mod tests {
    use super::*;
    use turnwise_application::formats::goal;

    fn part(peer: u32, round: u32, bytes: f64) -> Part {
        Part { peer, round, bytes }
    }

    #[test]
    fn messages_of_a_pair_are_added_up() {
        let schedule = b"num_ranks 3\nrank 0 {\nsend 8b to 1\nsend 30b to 1\nsend 5b to 0\nrecv 5b from 0\n}\n\
                         rank 1 {\nrecv 8b from 0\nrecv 30b from 0\nsend 7b to 2\n}\nrank 2 {\nrecv 7b from 1\n}";
        let matrix = Matrix::of(&goal::read(schedule).unwrap(), Together::All);
        assert_eq!((matrix.ranks(), matrix.rounds()), (3, 1));
        assert_eq!(matrix.sent(0), [part(1, 0, 38.0)]);
        assert_eq!(matrix.sent(1), [part(2, 0, 7.0)]);
        assert_eq!(matrix.sent(2), []);
        assert_eq!(matrix.received(2), [part(1, 0, 7.0)]);
        assert_eq!(matrix.received(0), []);
    }

    /// Two ranks exchange 5 bytes, both send on, and exchange again: two rounds.
    #[test]
    fn rounds_with_the_same_pairs_are_one() {
        let rank = |to: u32, then: u32, from: u32| {
            format!(
                "send 5b to {to}\nsend 9b to {then}\nsend 6b to {to}\nrecv 5b from {to}\nrecv 6b from {to}\nrecv 9b from {from}\n"
            )
        };
        let text = format!(
            "num_ranks 4\nrank 0 {{\n{}}}\nrank 1 {{\n{}}}\nrank 2 {{\n{}}}\nrank 3 {{\n{}}}",
            rank(1, 2, 2),
            rank(0, 3, 3),
            rank(3, 0, 0),
            rank(2, 1, 1)
        );
        let matrix = Matrix::of(&goal::read(text.as_bytes()).unwrap(), Together::Rounds);
        assert_eq!(matrix.rounds(), 3);
        assert_eq!(matrix.sent(0), [part(1, 1, 11.0), part(2, 2, 9.0)]);
        assert_eq!(matrix.received(3), [part(2, 1, 11.0), part(1, 2, 9.0)]);
        let pairs = [(0, 1), (1, 0), (2, 3), (3, 2)];
        let then = [(0, 2), (1, 3), (2, 0), (3, 1)];
        assert_eq!(matrix.pairs(), [pairs, then]);
    }
}
