//! Studies from configurations of other simulators.
//!
//! What has no counterpart here is refused at its place, never left out: a study that says less would have other results. The comparisons
//! with those simulators' own runs, in `tests/reference`, import the configuration of each.

mod booksim;
mod supersim;

use crate::mistakes;
use crate::source::Source;
use std::fmt::Write;
use turnwise_config::diagnostic::{Diagnostic, Span, listed};

/// What is known of a simulator.
struct Simulator {
    name: &'static str,
    /// Where a text is seen to be one of its configurations, if it is.
    recognised: fn(&str) -> Option<Span>,
    /// The study with a name that the texts of a configuration describe.
    tables: fn(&str, &Source) -> Result<Tables, Vec<Diagnostic>>,
}

/// The tables of a study by their names.
type Tables = Vec<(&'static str, Lines)>;

/// One of them, a line for each of its fields.
type Lines = Vec<String>;

const BOOKSIM: Simulator = Simulator {
    name: "BookSim2",
    recognised: booksim::recognised,
    tables: booksim::tables,
};

const SUPERSIM: Simulator = Simulator {
    name: "SuperSim",
    recognised: supersim::recognised,
    tables: supersim::tables,
};

const SIMULATORS: [Simulator; 2] = [SUPERSIM, BOOKSIM];

/// The study of a configuration, the first text of a source; those behind it are settings on top of that, as on the simulator's command
/// line. `name` is the study's.
///
/// # Errors
/// Everything that makes no sense, or means something that there is not here.
pub fn study(name: &str, source: &Source) -> Result<String, Vec<Diagnostic>> {
    let configuration = source.text(0).unwrap_or_default();
    let mut simulators = SIMULATORS.iter();
    let recognised = simulators.find(|one| (one.recognised)(configuration).is_some());
    let simulator = match recognised {
        Some(simulator) => simulator,
        None if supersim::may_be_one(configuration) => &SUPERSIM,
        None => &BOOKSIM,
    };
    let tables = (simulator.tables)(name, source).map_err(mistakes::distinct)?;
    let mut text = format!("# From a configuration of {}.\n", simulator.name);
    for (table, lines) in tables {
        // Writing to a text cannot fail.
        let _ = write!(text, "\n[{table}]\n");
        for line in lines {
            text.extend([&line, "\n"]);
        }
    }
    Ok(text)
}

/// What to say of a text that is no study, if it is the configuration of a simulator.
pub fn is_one(text: &str) -> Option<Diagnostic> {
    SIMULATORS.iter().find_map(|simulator| {
        let span = (simulator.recognised)(text)?;
        let message = format!("this is a configuration of {}, not a study", simulator.name);
        let help = "`turnwise import` prints the study that it describes";
        Some(Diagnostic::at(span, message).with_help(help))
    })
}

/// What to say of a setting with a value that has no counterpart.
fn no_counterpart(name: &str, value: &str) -> String {
    format!("`{name} = {value}` has no counterpart here")
}

/// The help to that, where only one value has one, or none if it is nothing.
fn only(name: &str, value: &str) -> String {
    match value {
        "" => "leave it out".to_owned(),
        _ => format!("only `{name} = {value}` has"),
    }
}

/// The help to that, where these have.
fn what_has<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    format!("what has: {}", listed(names))
}

/// A text as TOML has it.
fn quoted(text: &str) -> String {
    toml::Value::from(text).to_string()
}
