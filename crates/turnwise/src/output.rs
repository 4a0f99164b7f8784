//! Printing. Data goes to stdout: aligned tables, JSON lines, CSV; what nobody reads any more is dropped, and
//! the exit code is still that of the work. Or it goes to a file, which is whole or absent. Talk goes to stderr, and is dropped where that cannot be written.

use crate::failure::Failure;
use serde_json::{Map, Value as Json};
use std::io::{self, BufWriter, Write};
use std::path::Path;
pub(crate) use turnwise_config::diagnostic::count;
use turnwise_config::visible::visible;
use turnwise_study::export::{fill_atomically, quoted};
pub(crate) use turnwise_study::row::figure;

/// Prints a text that ends with a newline. What the user wrote may be in it: a terminal must not
/// obey it.
pub(crate) fn print(text: &str) -> Result<(), Failure> {
    let mut stdout = std::io::stdout().lock();
    let written = stdout
        .write_all(visible(text, &['\n', '\t']).as_bytes())
        .and_then(|()| stdout.flush());
    unless_unread(written).map_err(|error| Failure::writing("standard output", &error))
}

/// Prints what is too much to be made at once.
pub(crate) fn stream(
    fill: &mut dyn FnMut(&mut dyn Write) -> io::Result<()>,
) -> Result<(), Failure> {
    let mut stdout = BufWriter::new(std::io::stdout().lock());
    let written = fill(&mut stdout).and_then(|()| stdout.flush());
    unless_unread(written).map_err(|error| Failure::writing("standard output", &error))
}

/// A reader that has gone away is no failure.
fn unless_unread(written: io::Result<()>) -> io::Result<()> {
    match written {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        written => written,
    }
}

/// Writes a file, which is as it was if that fails.
pub(crate) fn fill(
    file: &Path,
    fill: &mut dyn FnMut(&mut dyn Write) -> io::Result<()>,
) -> Result<(), Failure> {
    unless_unread(fill_atomically(file, fill))
        .map_err(|error| Failure::writing(&file.display().to_string(), &error))
}

/// Takes away what an earlier run has written, and says why there is nothing in its place. What a link leads to may be somebody else's, and
/// stays.
pub(crate) fn take_away(file: &Path, why: &str) {
    let is_left = match std::fs::symlink_metadata(file) {
        Ok(found) if found.is_file() => std::fs::remove_file(file).is_err(),
        Ok(found) => found.is_symlink() && !file.starts_with("/dev"),
        Err(_) => false,
    };
    talk(&match is_left {
        true => format!("{why}; {} is what it was before", file.display()),
        false => why.to_owned(),
    });
}

/// Says something on stderr: errors, progress, advice.
///
/// What cannot be delivered is dropped: the exit code is that of the work, not of the talk about it.
pub(crate) fn talk(line: &str) {
    let mut stderr = std::io::stderr().lock();
    let _ = writeln!(stderr, "{line}").and_then(|()| stderr.flush());
}

/// Help and version, which are data, or what is wrong with the arguments; the exit code.
pub(crate) fn answer(answer: &clap::Error) -> u8 {
    let printed = answer.print().and_then(|()| std::io::stdout().flush());
    if answer.use_stderr() {
        return 2;
    }
    match unless_unread(printed) {
        Ok(()) => 0,
        Err(error) => Failure::writing("standard output", &error).report(),
    }
}

/// An estimate for people: two significant digits.
pub(crate) fn rough(value: f64) -> String {
    let rounded: f64 = format!("{value:.1e}").parse().unwrap_or(value);
    figure(rounded)
}

/// Columns aligned with two spaces between them; numbers to the right, words to the left.
pub(crate) fn table(header: &[String], rows: &[Vec<String>]) -> String {
    let columns = header.len();
    let width = |column: usize| {
        let cells = rows
            .iter()
            .filter_map(|row| row.get(column))
            .chain(header.get(column));
        cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let numeric = |column: usize| {
        let mut cells = rows
            .iter()
            .filter_map(|row| row.get(column))
            .filter(|cell| !cell.is_empty())
            .peekable();
        cells.peek().is_some() && cells.all(|cell| cell == "-" || cell.parse::<f64>().is_ok())
    };
    let to_right: Vec<bool> = (0..columns).map(numeric).collect();
    let line = |cells: &[String]| {
        let padded: Vec<String> = (0..columns)
            .map(|column| {
                let cell = cells.get(column).map_or("", String::as_str);
                let width = widths[column];
                if to_right[column] {
                    format!("{cell:>width$}")
                } else {
                    format!("{cell:<width$}")
                }
            })
            .collect();
        padded.join("  ").trim_end().to_owned() + "\n"
    };
    let mut text = line(header);
    for row in rows {
        text.push_str(&line(row));
    }
    text
}

/// Comma-separated values; cells that need quotes get them.
pub(crate) fn csv(header: &[String], rows: &[Vec<String>]) -> String {
    let line = |cells: &Vec<String>| {
        cells
            .iter()
            .map(|cell| quoted(cell))
            .collect::<Vec<_>>()
            .join(",")
            + "\n"
    };
    std::iter::once(&header.to_vec())
        .chain(rows)
        .map(line)
        .collect()
}

/// Rows of facts as comma-separated values, with all their digits. A column for whatever some row has; what a row has not is empty.
pub(crate) fn csv_of(rows: &[Map<String, Json>]) -> String {
    let mut names: Vec<String> = Vec::new();
    for name in rows.iter().flat_map(Map::keys) {
        if !names.contains(name) {
            names.push(name.clone());
        }
    }
    let cells = |row: &Map<String, Json>| {
        let cells = names.iter().map(|name| row.get(name));
        cells
            .map(|value| value.map_or_else(String::new, csv_cell))
            .collect()
    };
    csv(&names, &rows.iter().map(cells).collect::<Vec<_>>())
}

/// A value of a row as a cell; lists have their items on lines of their own.
pub(crate) fn csv_cell(value: &Json) -> String {
    match value {
        Json::Null => String::new(),
        Json::String(text) => text.clone(),
        Json::Array(items) if items.iter().all(Json::is_string) => {
            let items = items.iter().filter_map(Json::as_str);
            items.collect::<Vec<_>>().join("\n")
        }
        // Whole figures look it.
        Json::Number(number) => number.to_string().trim_end_matches(".0").to_owned(),
        other => other.to_string(),
    }
}

/// A fact for people; what is not known is empty.
pub(crate) fn text(value: &Json) -> String {
    match value {
        Json::Null => String::new(),
        Json::String(text) => text.clone(),
        Json::Number(number) => number.as_f64().map_or_else(|| number.to_string(), figure),
        other => other.to_string(),
    }
}

/// `name  value` lines.
pub(crate) fn facts(facts: &[(&str, String)]) -> String {
    let width = facts
        .iter()
        .map(|(name, _)| name.chars().count())
        .max()
        .unwrap_or(0);
    facts
        .iter()
        .map(|(name, value)| format!("{name:<width$}  {value}\n"))
        .collect()
}
