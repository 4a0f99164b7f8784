//! Collectives whose blocks have lengths of their own, as one member knows them.

use crate::collectives::{Collective, Kind, Lengths};
use std::sync::Arc;

/// All-to-all: bytes to each member, and from each.
pub(super) fn all_to_all(me: u32, sent: Vec<u64>, mut received: Vec<u64>) -> Collective {
    // What it has for itself is what it sends itself.
    received[me as usize] = sent[me as usize];
    let bytes = mean(&[&sent[..], &received].concat());
    let lengths = move |from: u32, to: u32| match from == me {
        true => sent[to as usize],
        false => received[from as usize],
    };
    Collective {
        lengths: Some(Lengths(Arc::new(lengths))),
        ..Collective::new(Kind::AllToAll, bytes)
    }
}

/// Gather or scatter: bytes of its own block, and at the root those of all.
pub(super) fn of_root(kind: Kind, me: u32, root: u32, own: u64, all: Vec<u64>) -> Collective {
    let bytes = if me == root { mean(&all) } else { own };
    let gathers = kind == Kind::Gather;
    let lengths = move |from: u32, to: u32| match (me == root, gathers) {
        (false, _) => own,
        (true, true) => all[from as usize],
        (true, false) => all[to as usize],
    };
    Collective {
        root,
        lengths: Some(Lengths(Arc::new(lengths))),
        ..Collective::new(kind, bytes)
    }
}

/// What algorithms are chosen by, and all blocks of an all-gather have.
pub(super) fn mean(bytes: &[u64]) -> u64 {
    let sum: u128 = bytes.iter().map(|&bytes| u128::from(bytes)).sum();
    (sum / bytes.len().max(1) as u128) as u64
}
