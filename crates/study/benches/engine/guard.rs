//! The engine must not become slower unnoticed: a few rows of the table are counted again.

use crate::machines::MACHINES;
use crate::{Row, count, table};
use std::path::Path;

/// Network, load, flits of a packet.
const GUARDED: [(&str, f64, u32); 3] = [
    ("torus 8x8", 0.4, 1),
    ("torus 8x8", 0.4, 5),
    ("dragonfly 1,056 minimal", 0.3, 1),
];
/// How many times more instructions than the table says are too many.
const MOST: f64 = 1.03;

/// The exit status: 1 if a row takes more instructions than it may, of this program or of a command.
pub(crate) fn guard(command: Option<&Path>) -> i32 {
    if !count::is_possible() {
        eprintln!("instructions are not counted: there is no valgrind");
        return 0;
    }
    let compiler = table::compiler();
    let mut status = 0;
    for (name, load, flits) in GUARDED {
        let machine = MACHINES.iter().find(|machine| machine.name == name);
        let Some(machine) = machine else {
            panic!("{name} is not in the matrix");
        };
        let row = Row {
            machine,
            load,
            flits,
        };
        let Some((kept, with)) = table::kept(&row) else {
            panic!("{name} {load} {flits} is not in the table: make bench");
        };
        let found = match command {
            Some(command) => count::count_of(command, &row),
            None => count::count(&row),
        };
        let change = 100.0 * (found / kept - 1.0);
        println!(
            "{name}, load {load}, {flits} flits: {found:.0} instructions a flit-hop, {kept:.0} in the table, {change:+.1} %"
        );
        if with != compiler {
            println!("which were counted with {with}, not {compiler}, so nothing follows from it");
        } else if found > kept * MOST {
            eprintln!(
                "{name}: too many; if that has a good reason, `make bench` writes the table anew"
            );
            status = 1;
        }
    }
    status
}
