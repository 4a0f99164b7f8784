//! The full results: as data that can be explored, and as a table for those without scripts.

use super::model::{Table, TableColumn};
use super::points::{self, is_aside, is_numeric};
use super::text::{count, escape};
use std::io::{self, Write};

/// Rows that are written as a table; readers with scripts see all that there are.
const MOST_WRITTEN: usize = 1_000;

/// Writes the data, and the table where no script makes one of them.
pub(super) fn write(table: &Table, out: &mut dyn Write) -> io::Result<()> {
    points::write(table, out)?;
    // Browsers with scripts do not lay out what is in here.
    writeln!(out, "<div id=\"explorer\"></div>\n<noscript>")?;
    written(table, out)?;
    writeln!(out, "</noscript>")
}

fn written(table: &Table, out: &mut dyn Write) -> io::Result<()> {
    let all = table.rows.len() + table.left_out;
    writeln!(
        out,
        "<details{}>\n<summary>{} {}, {} columns</summary>",
        if all <= 12 { " open" } else { "" },
        count(all as u64),
        if all == 1 { "row" } else { "rows" },
        table.columns.len()
    )?;
    if all > MOST_WRITTEN {
        let shown = count(MOST_WRITTEN as u64);
        writeln!(
            out,
            "<p class=\"note\">Shows the first {shown} rows; the CSV export has all of them.</p>"
        )?;
    }
    let rows = &table.rows[..table.rows.len().min(MOST_WRITTEN)];
    grid(table, rows, &Grid::plain("All results", "point"), out)?;
    writeln!(out, "</details>")
}

/// How rows are written.
pub(super) struct Grid<'a> {
    name: &'a str,
    /// What each row is.
    row: &'a str,
    sorts: bool,
}

impl<'a> Grid<'a> {
    /// For readers without scripts.
    pub(super) fn plain(name: &'a str, row: &'a str) -> Self {
        let sorts = false;
        Self { name, row, sorts }
    }

    /// Under headings that sort it.
    pub(super) fn sorted(name: &'a str, row: &'a str) -> Self {
        let sorts = true;
        Self { name, row, sorts }
    }
}

/// Some rows of a table.
pub(super) fn grid(
    table: &Table,
    rows: &[Vec<String>],
    grid: &Grid<'_>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let Grid { name, row, sorts } = grid;
    if let Some(words) = points::left_out(table) {
        writeln!(out, "<p class=\"note on-paper\">{words}</p>")?;
    }
    let (class, open, close) = match sorts {
        true => (
            "grid sortable",
            "<button type=\"button\" class=\"sort\">",
            "</button>",
        ),
        false => ("grid tight breaks", "", ""),
    };
    write!(
        out,
        "<div class=\"scroll tall\" tabindex=\"0\" role=\"region\" aria-label=\"{name}\">\
         <table class=\"{class}\"><caption class=\"hidden\">{name}, one row per {row}</caption>\n<thead><tr>",
    )?;
    let classes: Vec<&str> = (0..table.columns.len())
        .map(
            |column| match (is_numeric(table, column), is_aside(table, column)) {
                (true, false) => " class=\"n\"",
                (true, true) => " class=\"n aside\"",
                (false, true) => " class=\"aside\"",
                (false, false) => "",
            },
        )
        .collect();
    for (column, class) in table.columns.iter().zip(&classes) {
        let (name, unit, meaning) = (escape(&column.name), unit(column), meaning(column));
        write!(
            out,
            "<th scope=\"col\"{class}{meaning}>{open}{name}{close}{unit}</th>"
        )?;
    }
    writeln!(out, "</tr></thead>\n<tbody>")?;
    for row in rows {
        write!(out, "<tr>")?;
        for (i, class) in classes.iter().enumerate() {
            let cell = row.get(i).map_or("", String::as_str);
            write!(out, "<td{class}>{}</td>", escape(cell))?;
        }
        writeln!(out, "</tr>")?;
    }
    writeln!(out, "</tbody></table></div>")
}

/// The unit beside a heading.
fn unit(column: &TableColumn) -> String {
    match column.unit.as_str() {
        "" => String::new(),
        unit => format!(" <small>{}</small>", escape(unit)),
    }
}

/// What a heading says to those who point at it.
fn meaning(column: &TableColumn) -> String {
    match column.meaning.as_str() {
        "" => String::new(),
        meaning => format!(" title=\"{}\"", escape(meaning)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn html(table: &Table) -> String {
        let mut html = Vec::new();
        write(table, &mut html).unwrap();
        String::from_utf8(html).unwrap()
    }

    fn text(rows: &[&[&str]]) -> Vec<Vec<String>> {
        rows.iter()
            .map(|row| row.iter().map(|cell| (*cell).to_owned()).collect())
            .collect()
    }

    #[test]
    fn cells_are_escaped_and_short_rows_filled() {
        let html = html(&Table {
            columns: vec!["<a>".into(), "b".into()],
            swept: 1,
            rows: text(&[&["<evil>"], &["x", "1,000", "dropped"]]),
            left_out: 0,
        });
        assert!(!html.contains("<evil>") && !html.contains("dropped"));
        assert_eq!(html.matches("<td").count(), 4);
        assert!(html.contains("<td class=\"n\">1,000</td>"));
    }

    #[test]
    fn long_tables_say_what_they_leave_out() {
        let html = html(&Table {
            columns: vec!["n".into()],
            swept: 0,
            rows: vec![vec!["1".to_owned()]; 5_000],
            left_out: 1,
        });
        assert!(html.contains("5,001 rows") && html.contains("first 1,000 rows"));
        assert_eq!(html.matches("<td").count(), 1_000);
    }
}
