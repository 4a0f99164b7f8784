//! Printing to stdout: aligned tables, JSON lines, CSV; a reader that goes away is no error.

use crate::failure::Failure;
use std::io::Write;
use turnwise_study::export::quoted;
pub(crate) use turnwise_study::row::figure;

/// Prints a text that ends with a newline.
pub(crate) fn print(text: &str) -> Result<(), Failure> {
    let mut stdout = std::io::stdout().lock();
    let written = stdout
        .write_all(text.as_bytes())
        .and_then(|()| stdout.flush());
    written.map_err(|error| Failure::writing("standard output", &error))
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

/// "1 point", "2 points".
pub(crate) fn count(number: usize, noun: &str) -> String {
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
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
