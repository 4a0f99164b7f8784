//! Journals as they are kept: piece by piece, so that little of them is in memory.

use super::note::Note;
use std::io;
use std::sync::Mutex;
use std::sync::PoisonError;

/// Where pieces of journals are kept.
pub trait Shelf: Send + Sync {
    /// Keeps a piece; says where it begins.
    ///
    /// # Errors
    /// No room.
    fn keep(&self, piece: &[u8]) -> io::Result<u64>;

    /// Reads a piece again.
    ///
    /// # Errors
    /// It is gone.
    fn fetch(&self, at: u64, piece: &mut [u8]) -> io::Result<()>;
}

/// A shelf in memory.
#[derive(Default)]
pub struct Memory(Mutex<Vec<u8>>);

impl Shelf for Memory {
    fn keep(&self, piece: &[u8]) -> io::Result<u64> {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let at = all.len() as u64;
        all.extend_from_slice(piece);
        Ok(at)
    }

    fn fetch(&self, at: u64, piece: &mut [u8]) -> io::Result<()> {
        let all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let from = at as usize;
        piece.copy_from_slice(&all[from..from + piece.len()]);
        Ok(())
    }
}

/// The journals of all ranks of the programs of a run. Ranks are numbered program by program: those of the second behind those of the
/// first.
///
/// Memory: 16 bytes for each piece of 4 KiB, and a page for each rank.
pub struct Journals {
    shelf: Box<dyn Shelf>,
    /// By rank, where its pieces are.
    ranks: Vec<Mutex<Vec<Place>>>,
    /// The first rank of each program.
    programs: Vec<u32>,
    /// What went wrong first.
    fault: Mutex<Option<io::Error>>,
}

#[derive(Clone, Copy)]
pub(super) struct Place {
    at: u64,
    length: u32,
}

/// Pieces are about as long as this.
const PIECE: usize = 4096;

impl Journals {
    /// Of programs with so many ranks.
    pub fn new(ranks: &[u32], shelf: Box<dyn Shelf>) -> Self {
        let mut all = 0;
        let programs = ranks.iter().map(|ranks| {
            let first = all;
            all += ranks;
            first
        });
        let programs = programs.collect();
        Self {
            shelf,
            ranks: (0..all).map(|_| Mutex::default()).collect(),
            programs,
            fault: Mutex::default(),
        }
    }

    /// How many ranks may write.
    pub fn ranks(&self) -> u32 {
        self.ranks.len() as u32
    }

    /// One more than the last rank that has written anything.
    pub fn written(&self) -> u32 {
        let is_written = |rank: &u32| self.pieces(*rank) > 0;
        let last = (0..self.ranks()).rev().find(is_written);
        last.map_or(0, |rank| rank + 1)
    }

    /// The first ranks of the programs.
    pub fn programs(&self) -> &[u32] {
        &self.programs
    }

    /// The first rank of the program that a rank belongs to.
    pub(super) fn first(&self, rank: u32) -> u32 {
        let behind = self.programs.partition_point(|&first| first <= rank);
        self.programs[behind.saturating_sub(1)]
    }

    /// Bytes that writing them takes beside the shelf.
    pub fn memory_bytes(ranks: u32) -> u64 {
        u64::from(ranks) * (PIECE as u64 * 2 + 64)
    }

    /// Keeps another piece of a rank's journal. That there is no room for it, [`check`](Self::check) says.
    pub fn keep(&self, rank: u32, piece: &[u8]) {
        match self.shelf.keep(piece) {
            Ok(at) => {
                let places = self.ranks[rank as usize].lock();
                places.unwrap_or_else(PoisonError::into_inner).push(Place {
                    at,
                    length: piece.len() as u32,
                });
            }
            Err(error) => {
                let fault = self.fault.lock();
                let mut fault = fault.unwrap_or_else(PoisonError::into_inner);
                fault.get_or_insert(error);
            }
        }
    }

    /// Are they whole? To be asked when all has been written.
    ///
    /// # Errors
    /// What kept a piece from being kept.
    pub fn check(&self) -> io::Result<()> {
        let fault = self.fault.lock();
        let mut fault = fault.unwrap_or_else(PoisonError::into_inner);
        fault.take().map_or(Ok(()), Err)
    }

    /// How many pieces a rank has.
    pub(super) fn pieces(&self, rank: u32) -> usize {
        let places = self.ranks[rank as usize].lock();
        places.unwrap_or_else(PoisonError::into_inner).len()
    }

    /// Every piece: its rank, and its number among those of the rank.
    pub fn all_pieces(&self) -> impl Iterator<Item = (u32, usize)> + Clone + '_ {
        (0..self.ranks()).flat_map(|rank| (0..self.pieces(rank)).map(move |piece| (rank, piece)))
    }

    /// Reads a piece of a rank's journal.
    ///
    /// # Errors
    /// It is gone.
    ///
    /// # Panics
    /// If the rank has no such piece.
    pub fn piece(&self, rank: u32, number: usize, bytes: &mut Vec<u8>) -> io::Result<()> {
        let places = self.ranks[rank as usize].lock();
        let place = places.unwrap_or_else(PoisonError::into_inner)[number];
        bytes.clear();
        bytes.resize(place.length as usize, 0);
        self.shelf.fetch(place.at, bytes)
    }
}

/// The end of a rank's journal, that is being written. Turns are not torn apart.
#[derive(Clone, Default)]
pub struct Page {
    /// The notes themselves.
    pub bytes: Vec<u8>,
}

impl Page {
    /// Writes a note.
    pub fn note(&mut self, note: Note) {
        note.write(&mut self.bytes);
    }

    /// A turn is over: keeps the page if it is full.
    pub fn turned(&mut self, journals: &Journals, rank: u32) {
        if self.bytes.len() >= PIECE {
            self.close(journals, rank);
        }
    }

    /// Keeps what has been written.
    pub fn close(&mut self, journals: &Journals, rank: u32) {
        if !self.bytes.is_empty() {
            journals.keep(rank, &self.bytes);
            self.bytes.clear();
        }
    }
}
