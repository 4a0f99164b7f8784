//! All results as data, column by column, for readers who choose what they look at.

use super::data;
use super::model::Table;
use std::io::{self, Write};

/// Writes the table as one JSON object. A column has figures or words; words that occur again are written once.
pub(super) fn write(table: &Table, out: &mut dyn Write) -> io::Result<()> {
    write!(
        out,
        "<script type=\"application/json\" id=\"points\">{{\"rows\":{},\"all\":{},\"columns\":[",
        table.rows.len(),
        table.rows.len() + table.left_out
    )?;
    for (index, column) in table.columns.iter().enumerate() {
        if index > 0 {
            write!(out, ",")?;
        }
        let (name, swept) = (data::text(&column.name), index < table.swept);
        write!(out, "{{\"name\":{name},\"swept\":{swept},")?;
        if is_aside(table, index) {
            write!(out, "\"aside\":true,")?;
        }
        for (key, words) in [("unit", &column.unit), ("meaning", &column.meaning)] {
            if !words.is_empty() {
                write!(out, "\"{key}\":{},", data::text(words))?;
            }
        }
        let cells = || cells(table, index);
        if is_numeric(table, index) {
            let figures = data::list(cells().map(json_figure));
            write!(out, "\"figures\":{figures}}}")?;
        } else {
            let (words, codes) = data::texts(cells());
            write!(out, "\"words\":{words},\"codes\":{codes}}}")?;
        }
    }
    writeln!(out, "]}}</script>")
}

/// What a column has, from the first row to the last.
fn cells(table: &Table, column: usize) -> impl Iterator<Item = &str> {
    let rows = table.rows.iter();
    rows.map(move |row| row.get(column).map_or("", |cell| cell.trim()))
}

/// Nothing is known of empty cells and dashes.
fn is_known(cell: &str) -> bool {
    !matches!(cell, "" | "-" | "\u{2013}")
}

fn parse(cell: &str) -> Option<f64> {
    let value: f64 = cell.replace(',', "").parse().ok()?;
    value.is_finite().then_some(value)
}

/// A figure as it was written, as far as JSON has it.
fn json_figure(cell: &str) -> String {
    let value = parse(cell).filter(|_| is_known(cell));
    value.map_or("null".to_owned(), |value| match value.abs() < 1e15 {
        true => value.to_string(),
        false => format!("{value:e}"),
    })
}

/// Whether a column holds figures, apart from cells of which nothing is known.
pub(super) fn is_numeric(table: &Table, column: usize) -> bool {
    let known = || cells(table, column).filter(|cell| is_known(cell));
    known().next().is_some() && known().all(|cell| parse(cell).is_some())
}

/// What readers look for first among what was found, for where there is no room for all of it.
const MAIN: &[&str] = &[
    "verdict",
    "makespan",
    "mean_transaction_time",
    "accepted_load",
    "mean_packet_latency",
    "latency_p99",
    "mean_hops",
    "saturated",
];

/// A table of no more columns than this fits a sheet of paper.
const ON_PAPER: usize = 12;

/// Whether a column is left out on paper: neither a field that was swept nor one of the main results.
pub(super) fn is_aside(table: &Table, column: usize) -> bool {
    let found = column >= table.swept && table.columns.len() > ON_PAPER;
    let is_main = || MAIN.contains(&table.columns[column].name.as_str());
    let known = || cells(table, column).any(is_known);
    found && !(is_main() && known())
}

/// What a table on paper says of the columns that it leaves out.
pub(super) fn left_out(table: &Table) -> Option<String> {
    let all = table.columns.len();
    let aside = (0..all).filter(|column| is_aside(table, *column)).count();
    (aside > 0).then(|| {
        format!(
            "Shows {} of {all} columns; results.csv has all of them.",
            all - aside
        )
    })
}

#[cfg(test)]
mod tests {
    use super::super::model::TableColumn;
    use super::*;

    #[test]
    fn columns_have_figures_or_words() {
        let row = |cells: [&str; 3]| cells.map(str::to_owned).to_vec();
        let table = Table {
            columns: vec![
                "routing.kind".into(),
                TableColumn {
                    unit: "flits/cycle".into(),
                    ..TableColumn::from("load")
                },
                TableColumn {
                    meaning: "what \"it\" says".into(),
                    ..TableColumn::from("note")
                },
            ],
            swept: 2,
            rows: vec![
                row(["minimal", "1,000.5", "x"]),
                row(["minimal", "-", "</script>"]),
                vec!["valiant".to_owned()],
            ],
            left_out: 2,
        };
        let mut out = Vec::new();
        write(&table, &mut out).unwrap();
        assert_eq!(
            String::from_utf8(out).unwrap(),
            "<script type=\"application/json\" id=\"points\">{\"rows\":3,\"all\":5,\"columns\":[\
             {\"name\":\"routing.kind\",\"swept\":true,\"words\":[\"minimal\",\"valiant\"],\"codes\":[0,0,1]},\
             {\"name\":\"load\",\"swept\":true,\"unit\":\"flits/cycle\",\"figures\":[1000.5,null,null]},\
             {\"name\":\"note\",\"swept\":false,\"meaning\":\"what \\\"it\\\" says\",\"words\":[\"x\",\"\\u003c/script\\u003e\",\"\"],\"codes\":[0,1,2]}]}</script>\n"
        );
    }

    #[test]
    fn large_tables_leave_out_on_paper_what_is_not_looked_for_first() {
        let table = |columns: usize| {
            let names = (0..columns).map(|index| match index {
                0 => "traffic.load".into(),
                1 => "accepted_load".into(),
                2 => "makespan".into(),
                _ => TableColumn::from(format!("other_{index}").as_str()),
            });
            let mut row = vec!["1".to_owned(); columns];
            row[2] = "-".to_owned();
            Table {
                columns: names.collect(),
                swept: 1,
                rows: vec![row],
                left_out: 0,
            }
        };
        assert_eq!(left_out(&table(ON_PAPER)), None);
        let large = table(61);
        // Nothing is known of the makespan.
        let shown: Vec<usize> = (0..61).filter(|at| !is_aside(&large, *at)).collect();
        assert_eq!(shown, [0, 1]);
        assert_eq!(
            left_out(&large).as_deref(),
            Some("Shows 2 of 61 columns; results.csv has all of them.")
        );
    }
}
