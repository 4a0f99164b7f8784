//! Programs in phases: in each of them, every rank sends a message to one rank and receives one from some rank.
//!
//! This is how the literature on fat trees sees applications: the exchanges of CG, FT and WRF, one after the other, with nothing in
//! between. A rank begins a phase when its own part in the one before is over; nobody waits for all.
//!
//! Sources of the three: W. E. Denzel et al. and R. Luijten on adaptive routing for Convergence Enhanced Ethernet, 2009 and 2010;
//! Rodriguez et al., "Oblivious routing schemes in extended generalized fat tree networks", CLUSTER 2009. Sizes and partners are derived from
//! the programs themselves.

use crate::calls::{Call, Caller, Calling};
use crate::task::Message;
use std::sync::Arc;

/// One exchange of all ranks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Phase {
    /// By rank, whom it sends to; itself if to nobody.
    pub partners: Vec<u32>,
    /// Length of each message.
    pub bytes: u64,
}

/// A program of phases, all of which are repeated.
#[derive(Clone, Debug)]
pub struct Phases {
    /// By phase and rank: whom it sends to, whom it receives from.
    steps: Arc<[Step]>,
    ranks: u32,
    repeat: u32,
}

#[derive(Clone, Debug)]
struct Step {
    to: Vec<u32>,
    /// Itself if from nobody.
    from: Vec<u32>,
    bytes: u64,
}

impl Phases {
    /// The phases in their order, so often.
    ///
    /// # Errors
    /// A phase that is not of so many ranks, or in which two ranks send to the same one, or nobody to anybody: its number, and what is
    /// wrong.
    pub fn new(ranks: u32, phases: &[Phase], repeat: u32) -> Result<Self, (usize, String)> {
        let step = |(number, phase): (usize, &Phase)| {
            let mut from: Vec<u32> = (0..ranks).collect();
            let mut is_taken = vec![false; ranks as usize];
            if phase.partners.len() != ranks as usize {
                let message = format!(
                    "expected a partner for each of {ranks} ranks, found {}",
                    phase.partners.len()
                );
                return Err((number, message));
            }
            for (rank, &to) in (0..).zip(&phase.partners).filter(|&(rank, &to)| rank != to) {
                match is_taken.get_mut(to as usize) {
                    None => {
                        return Err((
                            number,
                            format!("rank {rank} sends to rank {to}, and there are {ranks}"),
                        ));
                    }
                    Some(true) => return Err((number, format!("two ranks send to rank {to}"))),
                    Some(taken) => *taken = true,
                }
                from[to as usize] = rank;
            }
            if !is_taken.contains(&true) {
                return Err((
                    number,
                    format!("none of {ranks} ranks sends to another one"),
                ));
            }
            Ok(Step {
                to: phase.partners.clone(),
                from,
                bytes: phase.bytes,
            })
        };
        let steps = phases
            .iter()
            .enumerate()
            .map(step)
            .collect::<Result<Vec<_>, _>>()?;
        Ok(Self {
            steps: steps.into(),
            ranks,
            repeat,
        })
    }

    /// Messages of all ranks in each phase, as sender and receiver.
    pub fn pairs(&self) -> Vec<Vec<(u32, u32)>> {
        let of_step = |step: &Step| {
            let pairs = (0..).zip(step.to.iter().copied());
            pairs.filter(|(from, to)| from != to).collect()
        };
        self.steps.iter().map(of_step).collect()
    }
}

impl Calling for Phases {
    fn ranks(&self) -> u32 {
        self.ranks
    }

    fn parts(&self) -> u32 {
        self.repeat
    }

    fn caller(&self, rank: u32) -> Box<dyn Caller> {
        Box::new(Player {
            program: self.clone(),
            rank,
        })
    }
}

struct Player {
    program: Phases,
    rank: u32,
}

impl Caller for Player {
    fn calls(&mut self, part: u32, calls: &mut Vec<Call>) -> bool {
        for step in &*self.program.steps {
            let [to, from] = [&step.to, &step.from].map(|of| of[self.rank as usize]);
            if from != self.rank {
                calls.push(Call::Irecv(Message::new(from, step.bytes, 0), 0));
            }
            if to != self.rank {
                calls.push(Call::Send(Message::new(to, step.bytes, 0)));
            }
            if from != self.rank {
                calls.push(Call::Wait(0));
            }
        }
        part + 1 >= self.program.repeat
    }
}

/// Ranks exchange with the one whose number differs in these bits; those without a partner do nothing.
pub fn exclusive_or(ranks: u32, bits: u32) -> Vec<u32> {
    let partner = |rank: u32| {
        Some(rank ^ bits)
            .filter(|&other| other < ranks)
            .unwrap_or(rank)
    };
    (0..ranks).map(partner).collect()
}

/// Ranks send to the one so far on; beyond the last there is nobody, or the first again if it goes round.
pub fn shift(ranks: u32, by: i64, around: bool) -> Vec<u32> {
    let partner = |rank: u32| {
        let to = match around {
            true => Some((i64::from(rank) + by.rem_euclid(ranks.into())) % i64::from(ranks)),
            false => i64::from(rank).checked_add(by),
        };
        let to = to.and_then(|to| u32::try_from(to).ok());
        to.filter(|&to| to < ranks).unwrap_or(rank)
    };
    (0..ranks).map(partner).collect()
}

/// The exchange of CG with the transposed rank, where there are twice as many columns of ranks as rows.
pub fn transposed(rows: u32) -> Vec<u32> {
    let partner = |rank: u32| {
        let pair = rank / 2;
        2 * (pair % rows * rows + pair / rows) + rank % 2
    };
    (0..2 * rows * rows).map(partner).collect()
}

/// The five exchanges of CG, class D, on 128 ranks: four within rows of 16 ranks, one with the transposed rank.
pub fn cg() -> (u32, Vec<Phase>) {
    let rows = (0..4).map(|bit| exclusive_or(128, 1 << bit));
    let phase = |partners| Phase {
        partners,
        bytes: 750_000,
    };
    (128, rows.chain([transposed(8)]).map(phase).collect())
}

/// The 127 exchanges of an all-to-all of FT, class C, on 128 ranks.
pub fn ft() -> (u32, Vec<Phase>) {
    let phase = |bits| Phase {
        partners: exclusive_or(128, bits),
        bytes: 131_072,
    };
    (128, (1..128).map(phase).collect())
}

/// The exchanges of WRF on 256 ranks in rows of 16: with the row above, and with the one below.
pub fn wrf() -> (u32, Vec<Phase>) {
    let phase = |by| Phase {
        partners: shift(256, by, false),
        bytes: 500_000,
    };
    (256, [16, -16].map(phase).into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exchanges_are_between_two() {
        for (ranks, phases) in [cg(), ft()] {
            for phase in &phases {
                for rank in 0..ranks as usize {
                    let partner = phase.partners[rank] as usize;
                    assert_eq!(phase.partners[partner], rank as u32);
                }
            }
        }
        let (ranks, phases) = wrf();
        let program = Phases::new(ranks, &phases, 1).unwrap();
        assert_eq!(
            program.pairs().iter().map(Vec::len).collect::<Vec<_>>(),
            [240, 240]
        );
    }

    #[test]
    fn nobody_receives_twice() {
        let phase = |partners: &[u32]| Phase {
            partners: partners.into(),
            bytes: 1,
        };
        let fault = |partners| Phases::new(3, &[phase(&[1, 2, 0]), phase(partners)], 1).err();
        assert_eq!(fault(&[2, 0, 1]), None);
        // Who sends to itself sends to nobody.
        assert_eq!(fault(&[1, 1, 2]), None);
        assert_eq!(
            fault(&[2, 2, 2]).unwrap(),
            (1, "two ranks send to rank 2".into())
        );
        assert_eq!(
            fault(&[0, 1, 2]).unwrap(),
            (1, "none of 3 ranks sends to another one".into())
        );
        assert_eq!(fault(&[3, 0, 1]).unwrap().0, 1);
        assert_eq!(fault(&[0, 1]).unwrap().0, 1);
    }
}
