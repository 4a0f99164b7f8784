//! Several processes that simulate one network together, each with the state of its own routers and no more.
//!
//! The engine says what has to be exchanged and when; how bytes get from one process to another is for whoever
//! starts them (MPI, or threads in tests).

mod pipes;

pub use pipes::Pipes;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::iter::Chain;
use std::ops::Range;

/// The processes of a run, as one of them sees them.
///
/// Every one of them makes the same calls in the same order.
pub trait Processes: Sync {
    /// Which of them this is, from 0 on.
    fn rank(&self) -> usize;

    /// How many there are.
    fn count(&self) -> usize;

    /// Who of them shares this machine and its memory.
    fn machine(&self) -> Machine {
        Machine {
            processes: self.count(),
            is_first: self.rank() == 0,
        }
    }

    /// Sends every process what is for it, by rank, and puts what every other one has for this one into `incoming`,
    /// by rank too. Both have [`count`](Self::count) entries; that of this process is neither read nor written.
    ///
    /// # Panics
    /// If another process is gone.
    fn exchange(&self, outgoing: &[Vec<u8>], incoming: &mut [Vec<u8>]);

    /// The ranks of all others.
    fn others(&self) -> Chain<Range<usize>, Range<usize>> {
        (0..self.rank()).chain(self.rank() + 1..self.count())
    }

    /// Everybody tells everybody the same: what all have told, by rank.
    fn tell_all(&self, mine: Vec<u8>) -> Vec<Vec<u8>> {
        let outgoing = vec![mine; self.count()];
        let mut told = outgoing.clone();
        self.exchange(&outgoing, &mut told);
        told
    }
}

/// Processes on one machine, as one of them sees them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Machine {
    /// How many they are, this one included.
    pub processes: usize,
    /// Is this the one with the lowest rank?
    pub is_first: bool,
}

/// [`Processes::tell_all`] for values.
pub(crate) fn tell_all<T: Serialize + DeserializeOwned>(
    processes: &dyn Processes,
    mine: &T,
) -> Vec<T> {
    let told = processes.tell_all(packed(mine));
    told.iter().map(|told| unpacked(&mut &told[..])).collect()
}

/// Everybody tells the first process: what the others have told, by rank, there and nowhere else.
pub(crate) fn tell_first<T: Serialize + DeserializeOwned>(
    processes: &dyn Processes,
    mine: &T,
) -> Option<impl Iterator<Item = T> + use<T>> {
    let is_first = processes.rank() == 0;
    let mut outgoing = vec![Vec::new(); processes.count()];
    if !is_first {
        outgoing[0] = packed(mine);
    }
    let mut incoming = vec![Vec::new(); processes.count()];
    processes.exchange(&outgoing, &mut incoming);
    let others = incoming.into_iter().skip(1);
    is_first.then(|| others.map(|told| unpacked(&mut &told[..])))
}

/// A value as bytes.
pub(crate) fn packed<T: Serialize>(value: &T) -> Vec<u8> {
    let mut bytes = Vec::new();
    pack(value, &mut bytes);
    bytes
}

/// Adds a value to bytes.
pub(crate) fn pack<T: Serialize>(value: &T, bytes: &mut Vec<u8>) {
    let added = postcard::to_io(value, bytes);
    added.expect("values of the engine can be written");
}

/// Takes a value off the front of bytes that the same program has written.
pub(crate) fn unpacked<T: DeserializeOwned>(bytes: &mut &[u8]) -> T {
    let (value, rest) =
        postcard::take_from_bytes(bytes).expect("all processes of a run are the same program");
    *bytes = rest;
    value
}
