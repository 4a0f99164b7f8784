//! Completions and man pages, generated from the same definitions as the help.

use crate::arguments::Arguments;
use crate::failure::{Failure, Status};
use crate::output;
use clap::CommandFactory;
use clap_complete::Shell;
use std::path::Path;

pub(crate) fn completions(shell: Shell) -> Result<Status, Failure> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Arguments::command(), "turnwise", &mut script);
    output::print(&String::from_utf8_lossy(&script))?;
    Ok(Status::Fine)
}

pub(crate) fn man(folder: &Path) -> Result<Status, Failure> {
    let fail = |error: std::io::Error| Failure::writing(&folder.display().to_string(), &error);
    std::fs::create_dir_all(folder).map_err(fail)?;
    clap_mangen::generate_to(Arguments::command(), folder).map_err(fail)?;
    Ok(Status::Fine)
}
