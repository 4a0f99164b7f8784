//! Studies from configurations of BookSim2 (Jiang and others, ISPASS 2013): networks, routings, routers and patterns that Turnwise has been
//! held against BookSim2's own runs with, under the names of its file.
//!
//! What has no counterpart here is refused at its place, never left out: a study that says less would have other results. Tests write the
//! configuration of every run in `tests/reference/booksim` and demand the very study that these runs are compared with.

mod keys;
mod settings;
mod tables;

use crate::source::Source;
use settings::Settings;
use std::fmt::Write;
use turnwise_config::diagnostic::Diagnostic;

/// The study of a configuration, the first text of a source; those behind it are `key=value` on top of that. `name` is the study's.
///
/// # Errors
/// Everything that makes no sense, or means something that there is not here.
pub fn study(name: &str, source: &Source) -> Result<String, Vec<Diagnostic>> {
    let mut settings = Settings::read(source);
    let tables = [
        ("study", tables::study(name, &mut settings)),
        ("network", tables::network(&mut settings)),
        ("routing", tables::routing(&mut settings)),
        ("router", tables::router(&mut settings)),
        ("traffic", tables::traffic(&mut settings)),
        ("simulation", tables::simulation(&mut settings)),
    ];
    if !settings.errors.is_empty() {
        return Err(crate::mistakes::distinct(settings.errors));
    }
    let mut text = String::from("# From a configuration of BookSim2.\n");
    for (table, lines) in tables {
        // Writing to a text cannot fail.
        let _ = write!(text, "\n[{table}]\n");
        for line in lines {
            text.extend([&line, "\n"]);
        }
    }
    Ok(text)
}

/// What to say of a text that is no study, if it is a configuration of BookSim2.
pub fn is_one(text: &str) -> Option<Diagnostic> {
    let mut source = Source::empty();
    source.add("", text);
    let settings = Settings::read(&source);
    let place = settings
        .place("topology")
        .or_else(|| settings.place("routing_function"))?;
    let message = "this is a configuration of BookSim2, not a study";
    Some(
        Diagnostic::at(place, message)
            .with_help("`turnwise import` prints the study that it describes"),
    )
}

#[cfg(test)]
mod tests;
