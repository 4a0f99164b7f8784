//! What the pages have in common that are made of committed results: CSV, tables, plots.

// No page uses everything.
#![allow(dead_code)]

pub(crate) mod places;
pub(crate) mod plot;
mod svg;

/// Rows of results by the names of their columns.
pub(crate) struct Csv {
    header: Vec<String>,
    rows: Vec<Vec<String>>,
}

/// One row of them.
#[derive(Clone, Copy)]
pub(crate) struct Record<'a> {
    header: &'a [String],
    cells: &'a [String],
}

impl Csv {
    pub(crate) fn read(text: &str) -> Self {
        let mut lines = text.lines().map(cells);
        let header = lines.next().unwrap();
        let rows = lines.collect();
        Self { header, rows }
    }

    pub(crate) fn header(&self) -> &[String] {
        &self.header
    }

    pub(crate) fn records(&self) -> impl Iterator<Item = Record<'_>> + Clone {
        let header = &self.header;
        self.rows.iter().map(|cells| Record { header, cells })
    }
}

impl<'a> Record<'a> {
    pub(crate) fn text(self, column: &str) -> &'a str {
        self.find(column)
            .unwrap_or_else(|| panic!("no column {column}"))
    }

    /// A cell, where there is such a column.
    pub(crate) fn find(self, column: &str) -> Option<&'a str> {
        let place = self.header.iter().position(|name| name == column)?;
        Some(&self.cells[place])
    }

    /// A figure; NaN where there is none.
    pub(crate) fn number(self, column: &str) -> f64 {
        self.text(column).parse().unwrap_or(f64::NAN)
    }

    pub(crate) fn is(self, flag: &str) -> bool {
        self.text(flag) == "true"
    }
}

/// The cells of a line; quotes are doubled inside quotes.
fn cells(line: &str) -> Vec<String> {
    let mut cells = vec![String::new()];
    let mut quoted = false;
    for (index, part) in line.split('"').enumerate() {
        // A part between two quotes is quoted text; an empty one in between stands for a quote.
        if index > 0 {
            quoted = !quoted;
        }
        let last = |cells: &mut Vec<String>, text: &str| cells.last_mut().unwrap().push_str(text);
        match quoted {
            true => {
                if index > 1 && !cells.last().unwrap().is_empty() {
                    last(&mut cells, "\"");
                }
                last(&mut cells, part);
            }
            false => {
                let mut pieces = part.split(',');
                last(&mut cells, pieces.next().unwrap());
                cells.extend(pieces.map(str::to_owned));
            }
        }
    }
    cells
}

/// A table in Markdown, without the last end of line.
pub(crate) fn table<H: AsRef<str>>(
    header: &[H],
    rows: impl IntoIterator<Item = Vec<String>>,
) -> String {
    // An empty cell is one blank wide.
    let cell = |text: &str| match text {
        "" => " |".to_owned(),
        text => format!(" {text} |"),
    };
    let line = |cells: Vec<String>| format!("|{}\n", cells.concat());
    let names = header.iter().map(|name| cell(name.as_ref()));
    let mut text = line(names.collect()) + "|" + &"---|".repeat(header.len()) + "\n";
    for row in rows {
        text.push_str(&line(row.iter().map(|text| cell(text)).collect()));
    }
    text.trim_end().to_owned()
}

/// The mean of figures; NaN of none.
pub(crate) fn mean(figures: impl IntoIterator<Item = f64>) -> f64 {
    let figures: Vec<f64> = figures.into_iter().collect();
    figures.iter().sum::<f64>() / figures.len() as f64
}
