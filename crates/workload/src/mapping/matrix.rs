//! The communication matrix of a program: bytes from rank to rank, over its whole length.
//!
//! Programs can be asked without a network. Complexity: O(tasks); memory for one rank's tasks and O(pairs that talk).

use turnwise_application::{Graph, Program, Work};

/// Bytes by pair of ranks.
pub(crate) struct Matrix {
    /// By sender, receivers in ascending order and what they get; no rank sends to itself here.
    sent: Vec<Vec<(u32, f64)>>,
    /// By receiver, senders and what they send.
    received: Vec<Vec<(u32, f64)>>,
}

impl Matrix {
    /// What a program sends.
    pub(crate) fn of(program: &dyn Program) -> Self {
        let ranks = program.ranks();
        let mut received = vec![Vec::new(); ranks as usize];
        let mut sums = vec![0.0; ranks as usize];
        let mut of_rank = |rank: u32| {
            for task in &Graph::of_rank(program, rank).tasks {
                if let Work::Send(message) = task.work
                    && message.peer != rank
                    && let Some(sum) = sums.get_mut(message.peer as usize)
                {
                    // A message without bytes is a packet all the same.
                    *sum += message.bytes.max(1) as f64;
                }
            }
            let mut sent = Vec::new();
            for (peer, sum) in (0..).zip(&mut sums) {
                if *sum > 0.0 {
                    sent.push((peer, *sum));
                    received[peer as usize].push((rank, *sum));
                    *sum = 0.0;
                }
            }
            sent
        };
        let sent = (0..ranks).map(&mut of_rank).collect();
        Self { sent, received }
    }

    /// How many ranks there are.
    pub(crate) fn ranks(&self) -> u32 {
        self.sent.len() as u32
    }

    /// Whom a rank sends to, and how much.
    pub(crate) fn sent(&self, rank: u32) -> &[(u32, f64)] {
        &self.sent[rank as usize]
    }

    /// Whom a rank receives from, and how much.
    pub(crate) fn received(&self, rank: u32) -> &[(u32, f64)] {
        &self.received[rank as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use turnwise_application::formats::goal;

    #[test]
    fn messages_of_a_pair_are_added_up() {
        let schedule = b"num_ranks 3\nrank 0 {\nsend 8b to 1\nsend 30b to 1\nsend 5b to 0\nrecv 5b from 0\n}\n\
                         rank 1 {\nrecv 8b from 0\nrecv 30b from 0\nsend 7b to 2\n}\nrank 2 {\nrecv 7b from 1\n}";
        let matrix = Matrix::of(&goal::read(schedule).unwrap());
        assert_eq!(matrix.ranks(), 3);
        assert_eq!(
            [0, 1, 2].map(|rank| matrix.sent(rank)),
            [&[(1, 38.0)][..], &[(2, 7.0)], &[]]
        );
        assert_eq!(matrix.received(2), [(1, 7.0)]);
        assert_eq!(matrix.received(0), []);
    }
}
