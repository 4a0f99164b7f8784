//! `turnwise`: how people ask. Parses arguments, calls the study crate, prints.
//!
//! Data goes to stdout, talk to stderr. Exit codes: 0 fine, 1 negative verdict (deadlock,
//! unreachable pair), 2 user error, 3 some points failed, 130 interrupted and resumable.

mod arguments;
mod commands;
mod excerpt;
mod failure;
mod interruption;
mod loading;
mod output;
mod progress;

use arguments::{Arguments, Command};
use clap::Parser;
use std::ffi::OsString;

/// Does what the arguments ask for, of which the first is the command's own name; the exit code.
///
/// Prints, and takes over Ctrl-C: for a process of its own.
pub fn command(arguments: impl IntoIterator<Item = OsString>) -> u8 {
    tell_of_threads();
    interruption::outlive_limits();
    let arguments = match Arguments::try_parse_from(arguments) {
        Ok(arguments) => arguments,
        Err(answer) => return output::answer(&answer),
    };
    let done = match &arguments.command {
        Command::Run(arguments) => commands::run::run(arguments),
        Command::Plan(arguments) => commands::plan::plan(arguments),
        Command::Route(arguments) => commands::route::route(arguments),
        Command::Replay(arguments) => commands::replay::replay(arguments),
        Command::Verify(arguments) => commands::verify::verify(arguments),
        Command::Network(arguments) => commands::network::network(arguments),
        Command::Report(arguments) => commands::report::report(arguments),
        Command::Serve(arguments) => commands::serve::serve(arguments),
        Command::List(arguments) => commands::list::list(arguments),
        Command::Describe(arguments) => commands::describe::describe(arguments),
        Command::Import(arguments) => commands::import::import(arguments),
        Command::Slurm(arguments) => commands::slurm::slurm(arguments),
        Command::Schema(arguments) => commands::schema::schema(arguments),
        Command::Completions { shell } => commands::generate::completions(*shell),
        Command::Man { folder } => commands::generate::man(folder),
    };
    match done {
        Ok(status) => status.into(),
        Err(failure) => failure.report(),
    }
}

/// Says in words that the system gives no more threads, which the library of Rust panics of, whoever asks for one. The process ends at once, as
/// if it had been killed: what has been stored stays, and the same command goes on.
fn tell_of_threads() {
    let usual = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        let said = panic.payload().downcast_ref::<String>();
        if said.is_some_and(|said| said.starts_with("failed to spawn thread")) {
            output::talk("error: the system gives no more threads");
            output::talk(
                "  help: ask for fewer, with `--threads 1`, or have the limit raised (`ulimit -u`, or pids.max of the control group)",
            );
            std::process::exit(2);
        }
        usual(panic);
    }));
}
