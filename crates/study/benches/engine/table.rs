//! Where results go: a table to read and one to compute with.

use crate::{Result, Row};
use std::fs;
use std::path::PathBuf;
use std::process::Command;

/// The head of the table to read.
pub(crate) const HEADER: &str = "\
| network | load | flits | accepted | million flit-hops per CPU-second | instructions per flit-hop | bytes per router |\n\
|---|---|---|---|---|---|---|";

/// The head of the table to compute with.
const FIELDS: &str = "network,load,packet_flits,accepted_load,flit_hops,flit_hops_per_cpu_second,\
                      instructions_per_flit_hop,bytes_per_router,compiler";

/// Both tables.
#[derive(Default)]
pub(crate) struct Table {
    markdown: String,
    csv: String,
}

/// The file that the project keeps, without its suffix.
fn path(suffix: &str) -> PathBuf {
    let results = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../docs/results/engine-bench."
    );
    PathBuf::from(format!("{results}{suffix}"))
}

/// The compiler that instructions depend on.
pub(crate) fn compiler() -> String {
    let output = Command::new("rustc").arg("--version").output();
    let text = output.map_or(String::new(), |output| {
        String::from_utf8_lossy(&output.stdout).into_owned()
    });
    text.split_whitespace()
        .take(2)
        .collect::<Vec<_>>()
        .join(" ")
}

impl Table {
    /// Adds a row; the line to read.
    pub(crate) fn add(&mut self, row: &Row<'_>, result: &Result) -> String {
        let (name, load, flits) = (row.machine.name, row.load, row.flits);
        let Result {
            accepted,
            flit_hops,
            flit_hops_per_second,
            bytes_per_router,
            ..
        } = result;
        let instructions = result.instructions.map(|count| format!("{count:.0}"));
        let instructions = instructions.unwrap_or_default();
        let line = format!(
            "| {name} | {load} | {flits} | {accepted:.3} | {:.2} | {instructions} | {bytes_per_router} |",
            flit_hops_per_second / 1e6,
        );
        self.markdown.push_str(&(line.clone() + "\n"));
        self.csv.push_str(&format!(
            "\"{name}\",{load},{flits},{accepted:.4},{flit_hops},{flit_hops_per_second:.0},{instructions},\
             {bytes_per_router},{}\n",
            compiler()
        ));
        line
    }

    /// Writes both files.
    pub(crate) fn write(&self) {
        let title = "# What the engine costs\n\nMade by `make bench`; [performance](../performance.md) says what is what.\n";
        let markdown = format!("{title}\n{HEADER}\n{}", self.markdown);
        for (suffix, text) in [("md", markdown), ("csv", format!("{FIELDS}\n{}", self.csv))] {
            fs::write(path(suffix), text).unwrap();
        }
    }
}

/// Instructions a flit-hop of a row as the project keeps them, and the compiler they were counted with.
pub(crate) fn kept(row: &Row<'_>) -> Option<(f64, String)> {
    let text = fs::read_to_string(path("csv")).ok()?;
    let start = format!("\"{}\",{},{},", row.machine.name, row.load, row.flits);
    let line = text.lines().find_map(|line| line.strip_prefix(&start))?;
    let fields: Vec<&str> = line.split(',').collect();
    Some((fields.get(3)?.parse().ok()?, (*fields.get(5)?).to_owned()))
}
