//! Studies from configurations of BookSim2 (Jiang and others, ISPASS 2013).
//!
//! What has no counterpart here is refused at its place, never left out: a study that says less would have other results. The comparison
//! with BookSim2's own runs in `tests/reference/booksim` imports the configuration of each.

mod keys;
mod settings;
mod tables;

use crate::source::Source;
use settings::Settings;
use std::fmt::Write;
use turnwise_config::diagnostic::{Diagnostic, Span};

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

/// What to say of a text that is no study, if it is a configuration of BookSim2: at its first line that is a setting of one.
pub fn is_one(text: &str) -> Option<Diagnostic> {
    let mut lines = text.split_inclusive('\n').scan(0, |end, line| {
        *end += line.len();
        Some((*end - line.len(), line))
    });
    let (start, line) = lines.find(|(_, line)| {
        let plain = line.split("//").next().unwrap_or_default().trim();
        let setting = plain
            .strip_suffix(';')
            .and_then(|plain| plain.split_once('='));
        setting.is_some_and(|(name, value)| {
            keys::names().any(|known| known == name.trim())
                && !value.contains('"')
                && !value.contains(';')
        })
    })?;
    let span = Span::new(0, start as u32, (start + line.trim_end().len()) as u32);
    let message = "this is a configuration of BookSim2, not a study";
    Some(
        Diagnostic::at(span, message)
            .with_help("`turnwise import` prints the study that it describes"),
    )
}

#[cfg(test)]
mod tests;
