//! A comparison as CSV: a line for each finding.

use super::Comparison;
use crate::columns::about;
use crate::export::{json_cell, quoted};
use serde_json::Value as Json;
use std::collections::BTreeSet;
use std::io::{self, Write};

/// What a finding has beside its point.
const FOUND: [&str; 7] = [
    "metric",
    "unit",
    "before",
    "after",
    "change",
    "half_width",
    "chance",
];

impl Comparison {
    /// Writes what [`json`](Self::json) says: the kind of the finding, the fields that any point has,
    /// then the figure. What a finding does not have is an empty cell.
    ///
    /// # Errors
    /// Whatever writing says.
    pub fn write_csv(&self, out: &mut dyn Write) -> io::Result<()> {
        let findings: Vec<Json> = self.json().collect();
        let fields: BTreeSet<&String> = findings.iter().flat_map(keys).collect();
        let header = ["finding".to_owned()].into_iter();
        let header = header.chain(fields.iter().map(|field| quoted(field)));
        let header = header.chain(FOUND.map(str::to_owned));
        writeln!(out, "{}", header.collect::<Vec<_>>().join(","))?;
        for finding in &findings {
            let point = fields
                .iter()
                .map(|&field| json_cell(finding["point"].get(field)));
            let found = FOUND.iter().map(|&name| match name {
                "unit" => finding["metric"].as_str().map_or_else(String::new, unit),
                name => json_cell(finding.get(name)),
            });
            let cells = [json_cell(finding.get("finding"))].into_iter();
            let cells: Vec<String> = cells.chain(point).chain(found).collect();
            writeln!(out, "{}", cells.join(","))?;
        }
        Ok(())
    }
}

/// The fields of a finding's point.
fn keys(finding: &Json) -> impl Iterator<Item = &String> {
    let point = finding["point"].as_object();
    point.into_iter().flat_map(|point| point.keys())
}

fn unit(metric: &str) -> String {
    about(metric).map_or_else(String::new, |about| quoted(about.unit))
}
