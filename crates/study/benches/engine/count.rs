//! Instructions a flit-hop: this program once more, or the command, under valgrind, for a run and one twice as long.
//!
//! What is done once, reading the study and setting the engine up, cancels. Counts do not depend
//! on what else the machine does, but on the compiler.

use crate::machines::Machine;
use crate::{Row, simulate};
use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};

/// Is there a valgrind?
pub(crate) fn is_possible() -> bool {
    let output = Command::new("valgrind").arg("--version").output();
    output.is_ok_and(|output| output.status.success())
}

/// Arguments by which this program simulates one row for so many cycles and prints its flit-hops.
const ALONE: &str = "--alone";

/// Does what [`count`] asks for, if it does.
pub(crate) fn answer<'a>(
    arguments: &[String],
    mut machines: impl Iterator<Item = &'a Machine>,
) -> bool {
    let [first, name, load, flits, cycles] = arguments else {
        return false;
    };
    if first != ALONE {
        return false;
    }
    let machine = machines.find(|machine| machine.name == name);
    let (load, flits) = (load.parse().unwrap(), flits.parse().unwrap());
    let experiment = machine
        .unwrap()
        .experiment(load, flits, cycles.parse().unwrap());
    println!("{}", simulate(&experiment, 1).0.flit_hops);
    true
}

/// Instructions a flit-hop of a row.
pub(crate) fn count(row: &Row<'_>) -> f64 {
    per_flit_hop(row, |cycles| alone(row, cycles))
}

/// The same where `turnwise run` simulates the row: that of a build is what its users get.
pub(crate) fn count_of(command: &Path, row: &Row<'_>) -> f64 {
    per_flit_hop(row, |cycles| studied(command, row, cycles))
}

/// From the instructions and flit-hops of a run of so many cycles.
fn per_flit_hop(row: &Row<'_>, run: impl Fn(u64) -> (f64, f64)) -> f64 {
    let cycles = row.machine.counted;
    let (few, short) = run(cycles);
    let (many, long) = run(2 * cycles);
    (many - few) / (long - short)
}

/// This program.
fn alone(row: &Row<'_>, cycles: u64) -> (f64, f64) {
    let mut valgrind = valgrind();
    let numbers = [row.load.to_string(), row.flits.to_string()];
    valgrind
        .arg(std::env::current_exe().unwrap())
        .args([ALONE, row.machine.name])
        .args(numbers)
        .arg(cycles.to_string());
    let output = valgrind.output().unwrap();
    let flit_hops = String::from_utf8_lossy(&output.stdout).trim().parse();
    (instructions(&output), flit_hops.unwrap())
}

/// The command, which reads its study from its input.
fn studied(command: &Path, row: &Row<'_>, cycles: u64) -> (f64, f64) {
    let folder = tempfile::tempdir().unwrap();
    let mut valgrind = valgrind();
    valgrind
        .arg(command)
        .args([
            "run",
            "-",
            "--no-report",
            "--threads",
            "1",
            "--format",
            "json",
        ])
        .current_dir(folder.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut running = valgrind.spawn().unwrap();
    let study = row.machine.study(row.load, row.flits, cycles);
    let mut input = running.stdin.take().unwrap();
    input.write_all(study.as_bytes()).unwrap();
    drop(input);
    let output = running.wait_with_output().unwrap();
    let rows: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    (instructions(&output), rows["flit_hops"].as_f64().unwrap())
}

fn valgrind() -> Command {
    let mut command = Command::new("valgrind");
    command.args(["--tool=callgrind", "--callgrind-out-file=/dev/null"]);
    command
}

/// What valgrind says at the end.
fn instructions(output: &Output) -> f64 {
    let error = String::from_utf8_lossy(&output.stderr);
    let collected = error
        .lines()
        .find_map(|line| line.split_once("Collected :"));
    let instructions = collected.and_then(|(_, count)| count.trim().parse().ok());
    instructions.unwrap_or_else(|| panic!("valgrind did not count: {error}"))
}
