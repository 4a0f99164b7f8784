//! The memory that `turnwise plan` foresees is what a run takes.
//!
//! Asked of the system, for the command as users start it: what the process had in memory at its
//! peak. What it only set aside does not count there, nor in the prediction. Other systems
//! than Linux do not tell.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::print_stderr, reason = "tests may")]

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

/// How far a prediction may be off, as a share of what was measured.
const MARGIN: f64 = 0.15;

const TORUS: &str = "[network]\nkind = 'torus'\nsizes = [16, 16, 8]\nchannel_latency = 2\n\
    [routing]\nkind = 'dimension-order'\n[router]\nvirtual_channels = 4\nbuffer_flits = 16\n";
const DRAGONFLY: &str = "[network]\nkind = 'dragonfly'\ngroups = 42\nrouters_per_group = 16\n\
    terminals_per_router = 16\nglobal_ports_per_router = 6\n\
    channel_latency = { local = 10, global = 100 }\n[router]\nvirtual_channels = 4\nbuffer_flits = 256\n";
const FAT_TREE: &str = "[network]\nkind = 'xgft'\nm = [16, 16, 32]\nw = [1, 16, 16]\n\
    [routing]\nkind = 'd-mod-k'\n[router]\nvirtual_channels = 2\nbuffer_flits = 16\n";
const GRAPH: &str = "[network]\nkind = 'random-regular'\nrouters = 3000\ndegree = 8\n\
    terminals_per_router = 2\n[routing]\nkind = 'shortest-path'\n[router]\nbuffer_flits = 16\n";

/// Name, network and routing, load, flits of a packet, threads.
const CASES: [(&str, &str, f64, u32, u32); 9] = [
    ("torus", TORUS, 0.2, 1, 1),
    ("torus on three threads", TORUS, 0.2, 5, 3),
    ("torus, overloaded", TORUS, 0.9, 1, 1),
    ("dragonfly", DRAGONFLY, 0.05, 1, 1),
    ("dragonfly on two threads", DRAGONFLY, 0.1, 4, 2),
    ("dragonfly, overloaded", DRAGONFLY, 0.4, 1, 2),
    ("fat tree", FAT_TREE, 0.3, 1, 1),
    ("fat tree on two threads", FAT_TREE, 0.3, 3, 2),
    ("table of routes", GRAPH, 0.1, 1, 2),
];

fn turnwise(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_turnwise"));
    command.current_dir(folder).args(arguments);
    command.stdin(Stdio::null()).stderr(Stdio::null());
    command
}

/// Bytes that `turnwise plan` says a study takes.
fn foreseen(folder: &Path) -> f64 {
    let mut command = turnwise(folder, &["plan", "study.toml", "--format", "json"]);
    let output = command.output().unwrap();
    let line: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    line["memory_bytes"].as_f64().unwrap()
}

/// Bytes that a process has had in memory at its peak so far.
fn peak(process: u32) -> Option<f64> {
    let status = fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kib: f64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kib * 1024.0)
}

/// Bytes that `turnwise run` takes. Looked at until the end: the peak is never the last thing.
fn taken(folder: &Path) -> f64 {
    let mut command = turnwise(
        folder,
        &["run", "study.toml", "--fresh", "--format", "json"],
    );
    let mut child = command.stdout(Stdio::null()).spawn().unwrap();
    let mut most = 0.0;
    while child.try_wait().unwrap().is_none() {
        most = peak(child.id()).unwrap_or(most);
        std::thread::sleep(Duration::from_millis(1));
    }
    most
}

#[test]
fn the_memory_of_a_run_is_foreseen() {
    let mut wrong = Vec::new();
    for (name, network, load, flits, threads) in CASES {
        let folder = tempfile::tempdir().unwrap();
        let routing = match network == DRAGONFLY {
            true => "[routing]\nkind = 'minimal'\n",
            false => "",
        };
        let study = format!(
            "{network}{routing}[traffic]\npattern = 'uniform'\nload = {load}\npacket_flits = {flits}\n\
             [simulation]\nwarmup_cycles = 200\nmeasure_cycles = 200\ndrain = false\nthreads = {threads}\n"
        );
        fs::write(folder.path().join("study.toml"), study).unwrap();
        let (foreseen, taken) = (foreseen(folder.path()), taken(folder.path()));
        let mib = f64::from(1 << 20);
        let line = format!(
            "{name}: foreseen {:.0} MiB, taken {:.0} MiB, {:+.1} %",
            foreseen / mib,
            taken / mib,
            100.0 * (foreseen / taken - 1.0),
        );
        eprintln!("{line}");
        if taken == 0.0 || (foreseen / taken - 1.0).abs() > MARGIN {
            wrong.push(line);
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}
