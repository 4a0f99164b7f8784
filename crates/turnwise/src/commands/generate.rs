//! Completions and man pages, generated from the same definitions as the help.

use crate::arguments::Arguments;
use crate::failure::{Failure, Status};
use crate::output;
use clap::{Arg, ArgAction, Command, CommandFactory};
use clap_complete::Shell;
use clap_mangen::Man;
use clap_mangen::roff::{Inline, Roff, bold, italic, roman};
use std::io;
use std::path::Path;

pub(crate) fn completions(shell: Shell) -> Result<Status, Failure> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Arguments::command(), "turnwise", &mut script);
    output::print(&String::from_utf8_lossy(&script))?;
    Ok(Status::Fine)
}

pub(crate) fn man(folder: &Path) -> Result<Status, Failure> {
    let fail = |error: io::Error| Failure::writing(&folder.display().to_string(), &error);
    std::fs::create_dir_all(folder).map_err(fail)?;
    let mut command = Arguments::command().disable_help_subcommand(true);
    command.build();
    pages(&command, folder).map_err(fail)?;
    Ok(Status::Fine)
}

/// The page of a command and those of the commands below it.
fn pages(command: &Command, folder: &Path) -> io::Result<()> {
    let shown = command
        .get_subcommands()
        .filter(|below| !below.is_hide_set());
    for below in shown {
        pages(below, folder)?;
    }
    // Commands below the first have no version of their own, but all are of one program.
    let source = concat!("turnwise ", env!("CARGO_PKG_VERSION"));
    let page = Man::new(command.clone()).source(source);
    let mut text = Vec::new();
    page.render(&mut text)?;
    let text = mended(&String::from_utf8_lossy(&text), command);
    std::fs::write(folder.join(page.get_filename()), text)
}

/// A page with what clap leaves to its users: what comes behind the help has the heading that `man` has for it, and options in the
/// synopsis have their values.
fn mended(page: &str, command: &Command) -> String {
    const SYNOPSIS: &str = ".SH SYNOPSIS\n";
    let of_whom = match command.get_name() {
        "turnwise" => ".SH \"EXIT STATUS\"\n",
        _ => ".SH NOTES\n",
    };
    let page = page.replace(".SH EXTRA\n", of_whom);
    // No date is none, and not the version, which comes after it.
    let page = page.replacen(" 1  \"", " 1 \"\" \"", 1);
    let Some((head, rest)) = page.split_once(SYNOPSIS) else {
        return page;
    };
    let behind = rest.find(".SH ").unwrap_or(rest.len());
    format!("{head}{SYNOPSIS}{}{}", synopsis(command), &rest[behind..])
}

/// All that can be asked of a command, in a line.
fn synopsis(command: &Command) -> String {
    let mut line = vec![bold(
        command.get_bin_name().unwrap_or_else(|| command.get_name()),
    )];
    let shown = || command.get_arguments().filter(|of| !of.is_hide_set());
    let options = shown().filter(|of| !of.is_positional());
    for argument in options.chain(shown().filter(|of| of.is_positional())) {
        let [open, close] = match argument.is_required_set() {
            true => [" ", ""],
            false => [" [", "]"],
        };
        line.push(roman(open));
        line.extend(words(argument));
        line.push(roman(close));
        if matches!(argument.get_action(), ArgAction::Append) {
            line.push(roman("..."));
        }
    }
    if command.has_subcommands() {
        line.extend([roman(" "), italic("COMMAND")]);
    }
    Roff::new().text(line).to_roff()
}

/// An argument as it is written: its names, and what its value is called.
fn words(argument: &Arg) -> Vec<Inline> {
    let short = argument.get_short().map(|short| format!("-{short}"));
    let long = argument.get_long().map(|long| format!("--{long}"));
    let names = short.into_iter().chain(long).collect::<Vec<_>>().join("|");
    let takes_value = argument.is_positional() || argument.get_action().takes_values();
    let value = argument.get_value_names().filter(|_| takes_value);
    let value = value.map(|names| names.join(" "));
    let space = (!names.is_empty() && value.is_some()).then(|| roman(" "));
    let named = (!names.is_empty()).then(|| bold(names));
    named
        .into_iter()
        .chain(space)
        .chain(value.map(italic))
        .collect()
}
