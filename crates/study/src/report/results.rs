//! The full results as a table that can be sorted.

use super::model::Table;
use super::text::{count, escape};

/// A browser takes seconds to lay out more rows than this; the CSV export has them all.
const MOST_ROWS: usize = 5_000;

/// The table, closed when it is long; nothing when there are no columns.
pub(super) fn table(table: &Table) -> String {
    if table.columns.is_empty() {
        return String::new();
    }
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
    let rows = &table.rows[..table.rows.len().min(MOST_ROWS)];
    let mut out = format!(
        "<details{}>\n<summary>{} {}, {} columns</summary>\n",
        if table.rows.len() <= 12 { " open" } else { "" },
        count(table.rows.len() as u64),
        if table.rows.len() == 1 { "row" } else { "rows" },
        table.columns.len()
    );
    if rows.len() < table.rows.len() {
        out.push_str(&format!(
            "<p class=\"note\">Shows the first {} rows; the CSV export has all of them.</p>\n",
            count(rows.len() as u64)
        ));
    }
    out.push_str(
        "<div class=\"scroll tall\" tabindex=\"0\" role=\"region\" aria-label=\"All results\">\
         <table class=\"grid sortable\"><caption class=\"hidden\">All results, one row per point</caption>\n<thead><tr>",
    );
    for (i, column) in table.columns.iter().enumerate() {
        out.push_str(&format!(
            "<th scope=\"col\"{}><button type=\"button\" class=\"sort\">{}</button></th>",
            class(i),
            escape(column)
        ));
    }
    out.push_str("</tr></thead>\n<tbody>\n");
    for row in rows {
        out.push_str("<tr>");
        for i in 0..table.columns.len() {
            let cell = row.get(i).map_or("", String::as_str);
            out.push_str(&format!("<td{}>{}</td>", class(i), escape(cell)));
        }
        out.push_str("</tr>\n");
    }
    out.push_str("</tbody></table></div>\n</details>\n");
    out
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

    fn text(rows: &[&[&str]]) -> Vec<Vec<String>> {
        rows.iter()
            .map(|row| row.iter().map(|cell| (*cell).to_owned()).collect())
            .collect()
    }

    #[test]
    fn cells_are_escaped_and_short_rows_filled() {
        let html = table(&Table {
            columns: vec!["<a>".to_owned(), "b".to_owned()],
            rows: text(&[&["<script>"], &["x", "1,000", "dropped"]]),
        });
        assert!(!html.contains("<script>") && !html.contains("dropped"));
        assert_eq!(html.matches("<td").count(), 4);
        assert!(html.contains("<td class=\"n\">1,000</td>"));
    }

    #[test]
    fn long_tables_say_what_they_leave_out() {
        let html = table(&Table {
            columns: vec!["n".to_owned()],
            rows: vec![vec!["1".to_owned()]; 5_001],
        });
        assert!(html.contains("5,001 rows") && html.contains("first 5,000 rows"));
    }
}
