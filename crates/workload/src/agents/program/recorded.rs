//! Programs that are read from files, whatever their format.

use super::host::too_long;
use super::playing::{Means, Playing};
use super::words::MOST_BYTES;
use crate::agents::calls;
use std::collections::BTreeMap;
use std::sync::Arc;
use turnwise_application::collectives::Preset;
use turnwise_application::formats::{Format, Reading};
use turnwise_application::{Call, Calling, Graph, Message, Program, Work};
use turnwise_config::{File, Invalid};

/// A program of files, as a workload has it.
pub(in crate::agents) struct Recorded<'a> {
    /// The name of the format.
    pub(in crate::agents) format: &'static str,
    /// As [`WorkloadParameters::files`](crate::workload::WorkloadParameters::files).
    pub(in crate::agents) files: Vec<(&'static str, &'a str)>,
    pub(in crate::agents) means: Means<'a>,
    /// What the format leaves open.
    pub(in crate::agents) reading: Result<Reading, Invalid>,
}

/// Parameters of a program that is read from files.
pub(in crate::agents) trait Recording: Send + Sync {
    fn recorded(&self) -> Recorded<'_>;
}

impl<R: Recording> Playing for R {
    fn means(&self) -> Means<'_> {
        self.recorded().means
    }

    fn program(&self, _: u32, files: &[File]) -> Result<Arc<dyn Program>, Invalid> {
        let recorded = self.recorded();
        let format = Format::named(recorded.format)?;
        let read = format.read(&Arc::from(files), &recorded.reading?);
        let program = read.map_err(|fault| fault.in_files("file", files))?;
        match too_long_of(&*program) {
            None => Ok(Arc::from(program)),
            Some(words) => {
                let name = files.first().map_or("", |file| &*file.name);
                Err(Invalid::new("file", format!("{name}: {words}")))
            }
        }
    }

    fn check_own(&self) -> Result<(), Invalid> {
        self.recorded().reading.map(drop)
    }

    fn own_files(&self) -> Vec<(&'static str, &str)> {
        self.recorded().files
    }

    fn companions_of(&self, file: &File) -> Vec<String> {
        let format = Format::named(self.recorded().format);
        format.map_or(Vec::new(), |format| format.companions(&file.bytes))
    }

    fn field(&self) -> &'static str {
        "file"
    }
}

/// The first message of a program that is too long for a network, and where its source has it.
fn too_long_of(program: &dyn Program) -> Option<String> {
    let sends = |rank| -> Box<dyn Iterator<Item = Option<Message>>> {
        match program.calling() {
            Some(calling) => Box::new(calls_of(calling, rank).map(|call| match call {
                Call::Send(message) | Call::Isend(message, _) => Some(message),
                _ => None,
            })),
            None => {
                let tasks = Graph::of_rank(program, rank).tasks.into_iter();
                Box::new(tasks.map(|task| match task.work {
                    Work::Send(message) => Some(message),
                    _ => None,
                }))
            }
        }
    };
    (0..program.ranks()).find_map(|rank| {
        let is_too_long = |message: &Message| message.bytes >= MOST_BYTES;
        let mut sends = (0..).zip(sends(rank));
        let (number, message) =
            sends.find_map(|(number, send)| Some((number, send.filter(is_too_long)?)))?;
        let place = match program.calling() {
            Some(calling) => calling.place(rank, number),
            None => program.place(rank, number),
        };
        let place = place.map_or(String::new(), |place| format!(" ({place})"));
        Some(too_long(rank, &message) + &place)
    })
}

/// The calls of a rank, a few at a time.
fn calls_of(calling: &dyn Calling, rank: u32) -> impl Iterator<Item = Call> {
    let mut caller = calling.caller(rank);
    let mut parts = 0..;
    let mut is_over = false;
    std::iter::from_fn(move || {
        if is_over {
            return None;
        }
        let mut calls = Vec::new();
        is_over = caller.calls(parts.next()?, &mut calls);
        Some(calls)
    })
    .flatten()
}

/// What a format leaves open, where ranks do so many operations in a second.
pub(in crate::agents) fn reading(
    library: Preset,
    collectives: &BTreeMap<String, String>,
    speed: f64,
) -> Result<Reading, Invalid> {
    if !(1.0..=1e24).contains(&speed) {
        let message = format!("expected 1 to 10^24 operations in a second, found {speed}");
        return Err(Invalid::new("speed", message));
    }
    let selection = calls::selection(library, collectives)?;
    Ok(Reading { selection, speed })
}
