//! Programs: what every rank does, told piece by piece so that nobody has to hold it all.

use crate::calls::Calling;
use crate::collectives::Kind;
use crate::window::Window;

/// What a parallel program does.
pub trait Program: Send + Sync {
    /// How many ranks it has.
    fn ranks(&self) -> u32;

    /// What a rank does, from its beginning.
    fn script(&self, rank: u32) -> Box<dyn Script>;

    /// How many processors and interfaces each rank has.
    fn resources(&self) -> Resources {
        Resources::default()
    }

    /// Over how many network interfaces a rank sends, at most.
    fn sending_interfaces(&self) -> usize {
        1
    }

    /// Where in its source a rank's task stands, for messages: `"line 12"`. Tasks are numbered in the order in
    /// which they were added.
    fn place(&self, rank: u32, task: u64) -> Option<String> {
        let _ = (rank, task);
        None
    }

    /// The collective that a rank's task is part of, for messages, where that is known.
    fn collective(&self, rank: u32, task: u64) -> Option<Kind> {
        let _ = (rank, task);
        None
    }

    /// What it calls, if it is a program that makes calls.
    fn calling(&self) -> Option<&dyn Calling> {
        None
    }

    /// What it does otherwise than it was asked to, each a sentence.
    fn remarks(&self) -> Vec<String> {
        Vec::new()
    }

    /// Bytes of memory that all ranks take, where it is much.
    fn memory_bytes(&self) -> u64 {
        0
    }
}

/// What a rank has to work with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Resources {
    /// Processors, that work side by side.
    pub processors: u8,
    /// Network interfaces.
    pub interfaces: u8,
}

impl Default for Resources {
    fn default() -> Self {
        Self {
            processors: 1,
            interfaces: 1,
        }
    }
}

/// The tasks of one rank, a few at a time.
///
/// A script adds tasks to a window, and among them, wherever it does not want to go on yet, a task
/// [`Work::Proceed`](crate::Work::Proceed): it is asked again, with that task's number, when what that depends on has happened.
/// So a window holds little more than what is under way. A script that adds no such task has told all.
pub trait Script: Send {
    /// Adds what comes next. `point` is 0 for the first time, and then what the `Proceed` said.
    fn proceed(&mut self, point: u32, window: &mut Window);

    /// Bytes of memory that it takes now, where it is much.
    fn memory_bytes(&self) -> u64 {
        0
    }
}
