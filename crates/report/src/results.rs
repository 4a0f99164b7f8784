//! The full results as a table that can be sorted.

use super::model::Table;
use super::text::{count, escape};
use std::io::{self, Write};

/// Writes the table, closed when it is long.
pub(super) fn write(table: &Table, out: &mut dyn Write) -> io::Result<()> {
    let all = table.rows.len() + table.left_out;
    writeln!(
        out,
        "<details{}>\n<summary>{} {}, {} columns</summary>",
        if all <= 12 { " open" } else { "" },
        count(all as u64),
        if all == 1 { "row" } else { "rows" },
        table.columns.len()
    )?;
    if table.left_out > 0 {
        let shown = count(table.rows.len() as u64);
        writeln!(
            out,
            "<p class=\"note\">Shows the first {shown} rows; the CSV export has all of them.</p>"
        )?;
    }
    grid(table, "All results", "one row per point", out)?;
    writeln!(out, "</details>")
}

/// The rows under headings that sort them.
pub(super) fn grid(table: &Table, name: &str, rows: &str, out: &mut dyn Write) -> io::Result<()> {
    let numeric: Vec<bool> = (0..table.columns.len())
        .map(|i| is_numeric(table, i))
        .collect();
    let class = |i: usize| {
        if numeric.get(i).copied().unwrap_or(false) {
            " class=\"n\""
        } else {
            ""
        }
    };
    write!(
        out,
        "<div class=\"scroll tall\" tabindex=\"0\" role=\"region\" aria-label=\"{name}\">\
         <table class=\"grid sortable\"><caption class=\"hidden\">{name}, {rows}</caption>\n<thead><tr>",
    )?;
    for (i, column) in table.columns.iter().enumerate() {
        let (class, column) = (class(i), escape(column));
        write!(
            out,
            "<th scope=\"col\"{class}><button type=\"button\" class=\"sort\">{column}</button></th>"
        )?;
    }
    writeln!(out, "</tr></thead>\n<tbody>")?;
    for row in &table.rows {
        write!(out, "<tr>")?;
        for i in 0..table.columns.len() {
            let cell = row.get(i).map_or("", String::as_str);
            write!(out, "<td{}>{}</td>", class(i), escape(cell))?;
        }
        writeln!(out, "</tr>")?;
    }
    writeln!(out, "</tbody></table></div>")
}

/// Whether a column holds numbers, apart from empty cells and dashes.
fn is_numeric(table: &Table, column: usize) -> bool {
    let cells = || {
        table
            .rows
            .iter()
            .filter_map(|row| row.get(column))
            .map(|cell| cell.trim())
    };
    let known = |cell: &&str| !matches!(*cell, "" | "-" | "\u{2013}");
    cells().any(|cell| known(&cell))
        && cells()
            .filter(known)
            .all(|cell| cell.replace(',', "").parse::<f64>().is_ok())
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
            columns: vec!["<a>".to_owned(), "b".to_owned()],
            rows: text(&[&["<script>"], &["x", "1,000", "dropped"]]),
            left_out: 0,
        });
        assert!(!html.contains("<script>") && !html.contains("dropped"));
        assert_eq!(html.matches("<td").count(), 4);
        assert!(html.contains("<td class=\"n\">1,000</td>"));
    }

    #[test]
    fn long_tables_say_what_they_leave_out() {
        let html = html(&Table {
            columns: vec!["n".to_owned()],
            rows: vec![vec!["1".to_owned()]; 5_000],
            left_out: 1,
        });
        assert!(html.contains("5,001 rows") && html.contains("first 5,000 rows"));
    }
}
