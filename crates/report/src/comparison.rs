//! Two sets of results against each other, as a page of its own.

use super::model::Table;
use super::page;
use super::results::{self, Grid};
use super::text::escape;
use std::io::{self, Write};

/// What there is to say of two sets of results.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ComparisonPage {
    /// Heading of the page.
    pub title: String,
    /// What was found, in sentences, the most important first.
    pub summary: Vec<String>,
    /// The findings.
    pub parts: Vec<ComparisonPart>,
}

/// Findings of one kind.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ComparisonPart {
    /// Such as `Changed`.
    pub heading: String,
    /// How they are to be understood, in a sentence or two.
    pub note: String,
    /// A row for each.
    pub table: Table,
}

/// Writes the page.
///
/// # Errors
/// Whatever writing says.
pub fn write_comparison(page: &ComparisonPage, out: &mut dyn Write) -> io::Result<()> {
    let title = escape(&page.title);
    write!(
        out,
        "{}<body>\n<a class=\"skip\" href=\"#main\">Skip to the findings</a>\n\
         <header>\n<p class=\"brand\">Turnwise comparison</p>\n<h1>{title}</h1>\n</header>\n<main id=\"main\">\n",
        page::head(&page.title, false)
    )?;
    let sentence = |sentence: &String| format!("<li>{}</li>", escape(sentence));
    let summary: String = page.summary.iter().map(sentence).collect();
    writeln!(
        out,
        "<section class=\"summary\" aria-label=\"Summary\">\n<ol>{summary}</ol>\n</section>"
    )?;
    for (number, part) in page.parts.iter().enumerate() {
        let (heading, note) = (escape(&part.heading), escape(&part.note));
        writeln!(
            out,
            "<section aria-labelledby=\"part-{number}\">\n<h2 id=\"part-{number}\">{heading}</h2>\n<p class=\"note\">{note}</p>"
        )?;
        if part.table.left_out > 0 {
            let shown = part.table.rows.len();
            writeln!(
                out,
                "<p class=\"note\">Shows the first {shown} rows; --format json has all of them.</p>"
            )?;
        }
        let rows = &part.table.rows;
        results::grid(&part.table, rows, &Grid::sorted(&heading, "finding"), out)?;
        writeln!(out, "</section>")?;
    }
    write!(out, "{}", page::end())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_comparison_is_one_page_that_loads_nothing() {
        let page = ComparisonPage {
            title: "a & b".into(),
            summary: vec!["1 < 2".into()],
            parts: vec![ComparisonPart {
                heading: "Changed".into(),
                note: "by more than chance explains".into(),
                table: Table {
                    columns: vec!["point".into(), "before".into()],
                    swept: 1,
                    rows: vec![vec!["x = \"<y>\"".into(), "1.5".into()]],
                    left_out: 3,
                },
            }],
        };
        let mut html = Vec::new();
        write_comparison(&page, &mut html).unwrap();
        let html = String::from_utf8(html).unwrap();
        for words in [
            "<h1>a &amp; b</h1>",
            // The page's own style of findings, without the indent of a list.
            "<section class=\"summary\" aria-label=\"Summary\">\n<ol><li>1 &lt; 2</li></ol>",
            "&lt;y&gt;",
            "<td class=\"n\">1.5</td>",
            "first 1 rows",
        ] {
            assert!(html.contains(words), "{words} in {html}");
        }
        assert!(html.ends_with("</html>\n") && !html.contains("<link"));
    }
}
