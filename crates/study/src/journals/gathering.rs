//! Journals of ranks that several processes simulate: the first process has all of them afterwards.
//!
//! They may be longer than memory, so they travel in rounds of some pieces each.

use std::io;
use turnwise_application::journal::Journals;
use turnwise_sim::Processes;

/// Pieces that a process sends in a round, of some 4 KiB each.
const PIECES_A_ROUND: usize = 256;

/// Has the first process keep what all others have kept. Every process calls it when its part is simulated.
///
/// # Errors
/// Journals that could not be kept or read, here or elsewhere; all processes hear of it.
pub(super) fn gather(journals: &Journals, processes: &dyn Processes) -> io::Result<()> {
    let is_first = processes.rank() == 0;
    let mut mine = journals.all_pieces();
    let pieces = if is_first { 0 } else { mine.clone().count() };
    let rounds = pieces.div_ceil(PIECES_A_ROUND) as u64;
    let told = processes.tell_all(rounds.to_le_bytes().to_vec());
    let rounds = told.iter().map(|told| number(told));
    let mut done = journals.check();
    for _ in 0..rounds.max().unwrap_or(0) {
        let mut outgoing = vec![Vec::new(); processes.count()];
        if !is_first && done.is_ok() {
            done = pack(
                journals,
                mine.by_ref().take(PIECES_A_ROUND),
                &mut outgoing[0],
            );
        }
        let mut incoming = vec![Vec::new(); processes.count()];
        processes.exchange(&outgoing, &mut incoming);
        if is_first {
            incoming.iter().for_each(|bytes| unpack(bytes, journals));
        }
    }
    let done = done.and_then(|()| journals.check());
    let words = done.map_err(|error| error.to_string());
    crate::processes::agree(processes, words).map_err(io::Error::other)
}

/// A piece is its rank, its length and its bytes.
fn pack(
    journals: &Journals,
    pieces: impl Iterator<Item = (u32, usize)>,
    out: &mut Vec<u8>,
) -> io::Result<()> {
    let mut piece = Vec::new();
    for (rank, number) in pieces {
        journals.piece(rank, number, &mut piece)?;
        out.extend(rank.to_le_bytes());
        out.extend((piece.len() as u32).to_le_bytes());
        out.extend(&piece);
    }
    Ok(())
}

fn unpack(mut bytes: &[u8], journals: &Journals) {
    while let Some((head, rest)) = bytes.split_at_checked(8) {
        let (rank, length) = (number(&head[..4]), number(&head[4..]));
        let (piece, rest) = rest.split_at(length as usize);
        journals.keep(rank as u32, piece);
        bytes = rest;
    }
}

/// A number as it is sent, the lowest byte first.
fn number(bytes: &[u8]) -> u64 {
    let bytes = bytes.iter().rev();
    bytes.fold(0, |number, &byte| number << 8 | u64::from(byte))
}

#[cfg(test)]
mod tests {
    use super::*;
    use turnwise_application::journal::Memory;
    use turnwise_sim::Pipes;

    const RANKS: u32 = 5;

    /// Journals in which the process writes that has the ranks which are `rank` modulo 3; unlike numbers of pieces, also none.
    fn journals(rank: usize) -> Journals {
        let journals = Journals::new(&[RANKS], Box::new(Memory::default()));
        for own in (0..RANKS).filter(|own| *own as usize % 3 == rank) {
            for piece in 0..own * 200 {
                journals.keep(own, format!("{own}, {piece}").as_bytes());
            }
        }
        journals
    }

    #[test]
    fn the_first_process_has_all_pieces_in_their_order() {
        let first = std::thread::scope(|scope| {
            let mut pipes = Pipes::connect(3).into_iter();
            let pipe = pipes.next().unwrap();
            for (rank, pipe) in (1..).zip(pipes) {
                scope.spawn(move || gather(&journals(rank), &pipe).unwrap());
            }
            let first = journals(0);
            gather(&first, &pipe).unwrap();
            first
        });
        let mut bytes = Vec::new();
        for rank in 0..RANKS {
            let of_rank = first.all_pieces().filter(|(of, _)| *of == rank);
            assert_eq!(of_rank.count() as u32, rank * 200);
            for piece in 0..rank * 200 {
                first.piece(rank, piece as usize, &mut bytes).unwrap();
                assert_eq!(bytes, format!("{rank}, {piece}").as_bytes());
            }
        }
    }

    /// A shelf without room.
    struct Full;

    impl turnwise_application::journal::Shelf for Full {
        fn keep(&self, _: &[u8]) -> io::Result<u64> {
            Err(io::ErrorKind::StorageFull.into())
        }

        fn fetch(&self, _: u64, _: &mut [u8]) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn all_hear_of_journals_that_could_not_be_kept() {
        let said = std::thread::scope(|scope| {
            let threads = Pipes::connect(2).into_iter().enumerate();
            let threads = threads.map(|(rank, pipe)| {
                scope.spawn(move || {
                    let shelf: Box<dyn turnwise_application::journal::Shelf> = match rank {
                        0 => Box::new(Memory::default()),
                        _ => Box::new(Full),
                    };
                    let journals = Journals::new(&[2], shelf);
                    journals.keep(rank as u32, b"piece");
                    gather(&journals, &pipe).unwrap_err().to_string()
                })
            });
            let threads: Vec<_> = threads.collect();
            let said = threads.into_iter().map(|thread| thread.join().unwrap());
            said.collect::<Vec<_>>()
        });
        assert_eq!(said, ["process 1: no storage space"; 2]);
    }
}
