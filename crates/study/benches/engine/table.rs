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

/// A file that the project keeps.
fn path(name: &str) -> PathBuf {
    let results = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/results/");
    PathBuf::from(format!("{results}{name}"))
}

/// What the guard keeps of the command, which is another program than this one.
const GUARD: &str = "engine-guard.csv";

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
        let csv = format!("{FIELDS}\n{}", self.csv);
        fs::write(path("engine-bench.md"), markdown).unwrap();
        fs::write(path("engine-bench.csv"), csv).unwrap();
    }
}

/// Instructions a flit-hop of a row as the project keeps them, and the compiler they were counted with.
pub(crate) fn kept(row: &Row<'_>) -> Option<(f64, String)> {
    find("engine-bench.csv", row, [3, 5])
}

/// The same of the command.
pub(crate) fn kept_of_command(row: &Row<'_>) -> Option<(f64, String)> {
    find(GUARD, row, [0, 1])
}

/// Which of the fields behind network, load and length are instructions and compiler?
fn find(file: &str, row: &Row<'_>, [instructions, compiler]: [usize; 2]) -> Option<(f64, String)> {
    let text = fs::read_to_string(path(file)).ok()?;
    let start = format!("\"{}\",{},{},", row.machine.name, row.load, row.flits);
    let line = text.lines().find_map(|line| line.strip_prefix(&start))?;
    let fields: Vec<&str> = line.split(',').collect();
    let instructions = fields.get(instructions)?.parse().ok()?;
    Some((instructions, (*fields.get(compiler)?).to_owned()))
}

/// Keeps what the command takes for these rows.
pub(crate) fn keep_of_command(counts: &[(Row<'_>, f64)]) {
    let mut csv = "network,load,packet_flits,instructions_per_flit_hop,compiler\n".to_owned();
    for (row, count) in counts {
        let (name, load, flits) = (row.machine.name, row.load, row.flits);
        csv += &format!("\"{name}\",{load},{flits},{count:.0},{}\n", compiler());
    }
    fs::write(path(GUARD), csv).unwrap();
}
