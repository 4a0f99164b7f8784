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
/// How many times more instructions than are kept are too many.
const MOST: f64 = 1.03;

fn rows() -> impl Iterator<Item = Row<'static>> {
    GUARDED.iter().map(|&(name, load, flits)| {
        let machine = MACHINES.iter().find(|machine| machine.name == name);
        let machine = machine.unwrap_or_else(|| panic!("{name} is not in the matrix"));
        Row {
            machine,
            load,
            flits,
        }
    })
}

/// The exit status: 1 if a row takes more instructions than it may, of this program or of a command.
pub(crate) fn guard(command: Option<&Path>) -> i32 {
    if !count::is_possible() {
        eprintln!("instructions are not counted: there is no valgrind");
        return 0;
    }
    let compiler = table::compiler();
    let mut status = 0;
    for row in rows() {
        let (kept, found, renew) = match command {
            Some(command) => (
                table::kept_of_command(&row),
                count::count_of(command, &row),
                "`-- --keep COMMAND`",
            ),
            None => (table::kept(&row), count::count(&row), "`make bench`"),
        };
        let (name, load, flits) = (row.machine.name, row.load, row.flits);
        let Some((kept, with)) = kept else {
            panic!("{name} {load} {flits} is not kept: {renew}");
        };
        let change = 100.0 * (found / kept - 1.0);
        println!(
            "{name}, load {load}, {flits} flits: {found:.0} instructions a flit-hop, {kept:.0} in the table, {change:+.1} %"
        );
        if with != compiler {
            println!("which were counted with {with}, not {compiler}, so nothing follows from it");
        } else if found > kept * MOST {
            eprintln!("{name}: too many; if that has a good reason, {renew} writes the table anew");
            status = 1;
        }
    }
    status
}

/// Counts what a command takes and keeps it for the guard.
pub(crate) fn keep(command: &Path) {
    let counts: Vec<(Row<'_>, f64)> = rows()
        .map(|row| {
            let count = count::count_of(command, &row);
            (row, count)
        })
        .collect();
    table::keep_of_command(&counts);
}
