//! Instructions a flit-hop: this program once more, under valgrind, for a run and one twice as long.
//!
//! What is done once, reading the study and setting the engine up, cancels. Counts do not depend
//! on what else the machine does, but on the compiler.

use crate::machines::Machine;
use crate::{Row, simulate};
use std::process::Command;

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
    let cycles = row.machine.counted;
    let (few, short) = run(row, cycles);
    let (many, long) = run(row, 2 * cycles);
    (many - few) / (long - short)
}

/// Instructions and flit-hops of a run of so many cycles.
fn run(row: &Row<'_>, cycles: u64) -> (f64, f64) {
    let mut command = Command::new("valgrind");
    command
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
        .arg(std::env::current_exe().unwrap())
        .args([ALONE, row.machine.name])
        .args([
            row.load.to_string(),
            row.flits.to_string(),
            cycles.to_string(),
        ]);
    let output = command.output().unwrap();
    let (out, error) = (
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr),
    );
    let collected = error
        .lines()
        .find_map(|line| line.split_once("Collected :"));
    let instructions = collected.and_then(|(_, count)| count.trim().parse().ok());
    let Some(instructions) = instructions else {
        panic!("valgrind did not count: {error}");
    };
    (instructions, out.trim().parse().unwrap())
}
