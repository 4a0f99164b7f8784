//! Programs as MPI has them: every rank makes calls, one after the other.
//!
//! Calls become tasks in `lowering`. A call that does not block sets the next one free when it has started, one that blocks
//! when it is done, and a wait lets the next one wait for its requests.

use crate::collectives::{Collective, Selection};
use crate::group::Group;
use crate::lowering::Lowering;
use crate::script::{Program, Resources, Script};
use crate::task::Message;
use std::sync::Arc;

/// What a rank calls.
#[derive(Clone, Debug, PartialEq)]
pub enum Call {
    /// It computes for so many picoseconds.
    Compute(u64),
    /// `MPI_Send`, which returns when the message has left, or has been received if it is large.
    Send(Message),
    /// `MPI_Recv`.
    Recv(Message),
    /// `MPI_Isend` with a request.
    Isend(Message, u32),
    /// `MPI_Irecv` with a request.
    Irecv(Message, u32),
    /// `MPI_Wait` for a request.
    Wait(u32),
    /// `MPI_Waitall` for all requests below a number.
    Waitall(u32),
    /// A collective operation of a group.
    Collective(Collective, Group),
}

/// A rank of a program that makes calls.
pub trait Caller: Send {
    /// Adds the calls of a part of the program; parts are asked for from 0 on, one after the other. Is it the last?
    fn calls(&mut self, part: u32, calls: &mut Vec<Call>) -> bool;
}

/// A program that makes calls.
pub trait Calling: Send + Sync {
    /// How many ranks it has.
    fn ranks(&self) -> u32;

    /// How many parts its ranks' calls come in that are alike, but for the first and the last: iterations.
    fn parts(&self) -> u32;

    /// A rank, before its first call.
    fn caller(&self, rank: u32) -> Box<dyn Caller>;
}

/// A program that makes calls, with the algorithms that its collectives use.
pub struct Calls {
    program: Box<dyn Calling>,
    selection: Arc<Selection>,
}

impl Calls {
    /// Plays the calls with these algorithms.
    pub fn new(program: Box<dyn Calling>, selection: Selection) -> Self {
        let selection = Arc::new(selection);
        Self { program, selection }
    }

    /// What is called.
    pub fn program(&self) -> &dyn Calling {
        &*self.program
    }
}

impl Program for Calls {
    fn ranks(&self) -> u32 {
        self.program.ranks()
    }

    /// What is offloaded has a processor of its own, that of the interface.
    fn resources(&self) -> Resources {
        Resources {
            processors: 1 + u8::from(self.selection.is_ever_offloaded()),
            ..Resources::default()
        }
    }

    fn script(&self, rank: u32) -> Box<dyn Script> {
        let (caller, selection) = (self.program.caller(rank), Arc::clone(&self.selection));
        Box::new(Lowering::new(rank, caller, selection))
    }
}
