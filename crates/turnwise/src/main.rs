//! The program `turnwise`, which is the library's [`command`](turnwise::command).

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(turnwise::command(std::env::args_os()))
}
