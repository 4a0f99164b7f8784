//! What adaptive routing costs beyond minimal routing of the same packets, on the same dragonfly.

use crate::machines::{ADAPTIVE, MACHINES, Machine};
use crate::{Row, count};
use std::path::Path;

/// The network of minimal routing.
const MINIMAL: &str = "dragonfly 1,056 minimal";
/// Flits per terminal and cycle, and flits of a packet.
const TRAFFIC: (f64, u32) = (0.3, 1);

/// Prints a table of instructions a flit-hop, of this program or of a command.
pub(crate) fn compare(command: Option<&Path>) {
    if !count::is_possible() {
        eprintln!("instructions are not counted: there is no valgrind");
        return;
    }
    let count = |machine: &Machine| {
        let (load, flits) = TRAFFIC;
        let row = Row {
            machine,
            load,
            flits,
        };
        match command {
            Some(command) => count::count_of(command, &row),
            None => count::count(&row),
        }
    };
    let minimal = MACHINES.iter().find(|machine| machine.name == MINIMAL);
    let minimal = count(minimal.unwrap());
    println!("| routing | instructions per flit-hop | beyond minimal |\n|---|---|---|");
    println!("| minimal | {minimal:.0} | |");
    for machine in &ADAPTIVE {
        let found = count(machine);
        println!(
            "| {} | {found:.0} | {:+.0} |",
            machine.name,
            found - minimal
        );
    }
}
