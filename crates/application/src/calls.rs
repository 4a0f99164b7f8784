//! Programs as MPI has them: every rank makes calls, one after the other.
//!
//! Calls become tasks in `lowering`. A call that does not block sets the next one free when it has started, one that blocks
//! when it is done, and a wait lets the next one wait for its requests.

use crate::collectives::{Collective, Kind, Round, Selection};
use crate::group::Group;
use crate::lowering::Lowering;
pub(crate) use crate::lowering::{OF_COLLECTIVE, collective_context, collective_tag};
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

    /// How many ranks its collectives are among: the sizes of its groups; none where they are not known beforehand.
    fn group_sizes(&self) -> Vec<u32> {
        Vec::new()
    }

    /// Where in its source a rank's call stands, for messages; calls are numbered from 0 on.
    fn place(&self, rank: u32, call: u64) -> Option<String> {
        let _ = (rank, call);
        None
    }

    /// Bytes of memory that it takes, where it is much.
    fn memory_bytes(&self) -> u64 {
        0
    }
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

    /// The number of the call that a rank's task is of, and what kind of collective it calls, if any: calls are counted until there
    /// are as many tasks.
    ///
    /// Complexity: O(calls before it).
    fn call_of(&self, rank: u32, task: u64) -> Option<(u64, Option<Kind>)> {
        let mut caller = self.program.caller(rank);
        let mut calls = Vec::new();
        let (mut part, mut number, mut tasks) = (0, 0, 0);
        loop {
            let is_last = caller.calls(part, &mut calls);
            part += 1;
            for call in calls.drain(..) {
                let kind = match &call {
                    Call::Collective(collective, _) => Some(collective.kind),
                    _ => None,
                };
                tasks += self.tasks(rank, call);
                if tasks > task {
                    return Some((number, kind));
                }
                number += 1;
            }
            if is_last {
                return None;
            }
        }
    }

    /// Tasks that a call becomes.
    fn tasks(&self, rank: u32, call: Call) -> u64 {
        match call {
            Call::Compute(0) | Call::Wait(_) | Call::Waitall(_) => 0,
            Call::Compute(_) | Call::Send(_) | Call::Recv(_) => 1,
            Call::Isend(..) | Call::Irecv(..) => 1,
            Call::Collective(collective, group) => {
                let Some(me) = group.member(rank) else {
                    return 0;
                };
                let (part, algorithm) = self.selection.part(me, group.count(), collective);
                let mut scratch = Round::default();
                let of_round = |round| {
                    scratch.clear();
                    (algorithm.round)(&part, round, &mut scratch);
                    (scratch.receives.len() + scratch.sends.len()) as u64
                };
                (0..(algorithm.rounds)(&part)).map(of_round).sum()
            }
        }
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

    fn place(&self, rank: u32, task: u64) -> Option<String> {
        let (call, _) = self.call_of(rank, task)?;
        self.program.place(rank, call)
    }

    fn collective(&self, rank: u32, task: u64) -> Option<Kind> {
        self.call_of(rank, task)?.1
    }

    fn calling(&self) -> Option<&dyn Calling> {
        Some(self.program())
    }

    fn memory_bytes(&self) -> u64 {
        self.program.memory_bytes()
    }

    fn remarks(&self) -> Vec<String> {
        self.selection.replacements(&self.program.group_sizes())
    }
}
