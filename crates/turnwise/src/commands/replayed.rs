//! `turnwise replay --messages`, `--timeline` and `--critical-path`: what ranks did in a replay.

use crate::arguments::ReplayArguments;
use crate::failure::Failure;
use crate::output;
use std::io;
use turnwise_application::Program;
use turnwise_application::journal::{Journals, timeline};
use turnwise_report::timeline_svg;
use turnwise_study::details::jobs::Jobs;
use turnwise_study::details::timeline::path_csv;
use turnwise_study::journals::{Clock, shelf, write_replayed};
use turnwise_study::reporting::replayed;

/// Journals for the ranks of a program, if anything is asked for that they tell.
pub(crate) fn wanted(
    arguments: &ReplayArguments,
    program: &dyn Program,
) -> Result<Option<Journals>, Failure> {
    let files = [
        &arguments.messages,
        &arguments.timeline,
        &arguments.critical_path,
    ];
    if files.iter().all(|file| file.is_none()) {
        return Ok(None);
    }
    let shelf = shelf().map_err(|error| {
        let folder = std::env::temp_dir();
        Failure::writing(&folder.display().to_string(), &error)
    })?;
    Ok(Some(Journals::new(&[program.ranks()], shelf)))
}

/// Writes what is asked for of a program with a name.
pub(crate) fn write_journals(
    arguments: &ReplayArguments,
    name: &str,
    journals: &Journals,
) -> Result<(), Failure> {
    let unread = |error: io::Error| Failure::Plain(format!("the journals of ranks: {error}"), None);
    journals.check().map_err(unread)?;
    if let Some(file) = &arguments.messages {
        output::fill(file, &mut |out| write_replayed(journals, out))?;
    }
    if arguments.timeline.is_none() && arguments.critical_path.is_none() {
        return Ok(());
    }
    let kept = timeline(journals).map_err(unread)?;
    if let Some(file) = &arguments.critical_path {
        let text = path_csv(&kept, &Jobs::default(), Clock::NANOSECONDS);
        output::fill(file, &mut |out| out.write_all(text.as_bytes()))?;
    }
    if let Some(file) = &arguments.timeline {
        match timeline_svg(&replayed(&kept), name) {
            Some(drawn) => output::fill(file, &mut |out| out.write_all(drawn.as_bytes()))?,
            None => output::talk("warning: no rank does anything, so there is no time line"),
        }
    }
    Ok(())
}
