//! The memory that `turnwise plan` foresees is never less than what a run takes, and not much more.
//!
//! Asked of the system, for the command as users start it: what the process had in memory at its
//! peak. What it only set aside does not count there, nor in the prediction. Of the program's own file a system maps
//! more than is read, as much as its cache has in one piece, and can take it back at any time: no more of it counts than is foreseen.
//! Other systems than Linux do not tell.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::print_stderr, reason = "tests may")]

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;
use turnwise_study::estimate::PROGRAM_BYTES;

/// How much may be foreseen of what is taken: it is an upper bound.
const MOST: f64 = 1.6;

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

/// Bytes that a process has had in memory at its peak so far, and those of files that it has now.
fn memory(process: u32) -> Option<[f64; 2]> {
    let status = fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let kib = |name| -> Option<f64> {
        let line = status.lines().find_map(|line| line.strip_prefix(name))?;
        line.trim().strip_suffix("kB")?.trim().parse().ok()
    };
    let bytes = |name| Some(1024.0 * kib(name)?);
    Some([bytes("VmHWM:")?, bytes("RssFile:")?])
}

/// Bytes that `turnwise run` takes.
fn taken(folder: &Path) -> f64 {
    most(turnwise(
        folder,
        &["run", "study.toml", "--fresh", "--format", "json"],
    ))
}

/// Bytes that a command takes, of files no more than is foreseen. Looked at until the end: the peak is never the last thing.
fn most(mut command: Command) -> f64 {
    let mut child = command.stdout(Stdio::null()).spawn().unwrap();
    let [mut most, mut files] = [0.0, 0.0_f64];
    while child.try_wait().unwrap().is_none() {
        if let Some([peak, now]) = memory(child.id()) {
            // The system may take pages of a file back, and the peak was before that: the most that was seen.
            files = files.max(now);
            most = peak - (files - PROGRAM_BYTES as f64).max(0.0);
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    most
}

/// What is foreseen and what is taken, if that is more, or less than so many times.
fn misjudged(name: &str, study: &str, most: f64) -> Option<String> {
    let folder = tempfile::tempdir().unwrap();
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
    let is_right = taken > 0.0 && (taken..=most * taken).contains(&foreseen);
    (!is_right).then_some(line)
}

/// News of queues are in memory until they are known, for a million cycles if the study says so.
#[test]
fn news_that_take_long_are_foreseen() {
    /// Which share of the flits crosses the channels that are told of is not known before.
    const MOST: f64 = 2.5;
    let small = "kind = 'dragonfly'\ngroups = 9\nrouters_per_group = 4\nterminals_per_router = 2";
    let megafly = "kind = 'megafly'\nhalf_radix = 4\ngroups = 17";
    let mut wrong = Vec::new();
    for (network, routing) in [
        (small, "kind = 'weighted-adaptive'\nsensor_latency = 60_000"),
        (
            small,
            "kind = 'weighted-adaptive'\nsensor_latency = 100_000",
        ),
        (small, "kind = 'ugal-g'\nfeedback_delay = 60_000"),
        (megafly, "kind = 'ku-gcn'\nfeedback_delay = 10_000_000"),
    ] {
        let study = format!(
            "[network]\n{network}\n[routing]\n{routing}\n[traffic]\npattern = 'uniform'\nload = 0.2\n\
             [simulation]\nmeasure_cycles = 25_000\ndrain = false\n"
        );
        wrong.extend(misjudged(routing, &study, MOST));
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn the_memory_of_a_run_is_foreseen() {
    /// How many of their packets wait at sources, where they take nothing, is not known before.
    const MOST_OF_MESSAGES: f64 = 2.0;
    let mut wrong = Vec::new();
    for (name, network, load, flits, threads) in CASES {
        let routing = match network == DRAGONFLY {
            true => "[routing]\nkind = 'minimal'\nvirtual_channels = 2\n",
            false => "",
        };
        let study = format!(
            "{network}{routing}[traffic]\npattern = 'uniform'\nload = {load}\npacket_flits = {flits}\n\
             [simulation]\nwarmup_cycles = 200\nmeasure_cycles = 200\ndrain = false\nthreads = {threads}\n"
        );
        wrong.extend(misjudged(name, &study, MOST));
        if flits == 1 && threads == 1 {
            let messages = study.replace("packet_flits", "message_flits = 64\npacket_flits");
            wrong.extend(misjudged(
                &format!("{name}, messages"),
                &messages,
                MOST_OF_MESSAGES,
            ));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// Programs whose ranks have many partners, many messages under way at once, or neither, in units of ns and bytes.
#[test]
fn the_memory_of_programs_is_foreseen() {
    /// How many of their messages are under way at once depends on the network.
    const MOST_OF_PROGRAMS: f64 = 2.0;
    const CUT_THROUGH: &str =
        "[router]\nflow_control = 'virtual-cut-through'\nbuffer_flits = 64\nvirtual_channels = 2\n";
    let all_to_all = |algorithm: &str, ranks: u32| {
        format!(
            "kind = 'collective'\ncollective = 'all-to-all'\nalgorithm = '{algorithm}'\nbytes = 64\nranks = {ranks}\n"
        )
    };
    let mut wrong = Vec::new();
    for (name, routers, workload) in [
        ("linear", CUT_THROUGH, all_to_all("linear", 512)),
        (
            "linear on Ethernet",
            "[ethernet]\n",
            all_to_all("linear", 256),
        ),
        ("scattered", CUT_THROUGH, all_to_all("scattered", 384)),
        ("pairwise", CUT_THROUGH, all_to_all("pairwise", 384)),
        (
            "announced",
            CUT_THROUGH,
            all_to_all("linear", 192) + "host = { eager_bytes = 0 }\n",
        ),
        (
            "ring",
            CUT_THROUGH,
            "kind = 'collective'\ncollective = 'all-reduce'\nalgorithm = 'ring'\nbytes = 8192\n"
                .into(),
        ),
        (
            "conjugate gradient",
            CUT_THROUGH,
            "kind = 'npb'\nprogram = 'cg'\nclass = 'S'\nranks = 128\niterations = 2\n".into(),
        ),
        (
            "phases on Ethernet",
            "[ethernet]\n",
            "kind = 'phases'\nranks = 256\nphases = [{ shift = 16, bytes = 500000 }]\n".into(),
        ),
    ] {
        let study = format!(
            "[study]\nclock = '1 GHz'\nflit_size = '64 B'\n[network]\nkind = 'xgft'\nm = [32, 16]\nw = [1, 32]\n\
             [routing]\nkind = 'd-mod-k'\n{routers}[workload]\n{workload}"
        );
        wrong.extend(misjudged(name, &study, MOST_OF_PROGRAMS));
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// Overloaded for long, nearly every packet has a latency of its own, which are more than an array has room for; they were kept one by one.
#[test]
fn latencies_of_long_runs_are_foreseen() {
    let study = "[network]\nkind = 'torus'\nsizes = [4, 4]\n[routing]\nkind = 'dimension-order'\n\
                 [traffic]\npattern = 'uniform'\nload = 1.0\n[simulation]\nwarmup_cycles = 100_000\n\
                 measure_cycles = 400_000\n";
    let wrong = misjudged("a long overload", study, MOST);
    assert_eq!(wrong, None);
}

/// Who only sends, and hears of nobody, does not run ahead of the network: messages wait in the program, not in memory.
#[test]
fn ranks_that_only_send_do_not_run_ahead() {
    let folder = tempfile::tempdir().unwrap();
    let study = "[network]\nkind = 'torus'\nsizes = [4, 4]\n[routing]\nkind = 'shortest-path'\n\
                 [workload]\nkind = 'phases'\nphases = [{ shift = 1, bytes = 1000 }]\nranks = 8\ncycle_ns = 1\n\
                 flit_bytes = 32\nrepeat = 4_000_000_000\n[simulation]\ncycles_limit = 100_000\n";
    fs::write(folder.path().join("study.toml"), study).unwrap();
    let (foreseen, taken) = (foreseen(folder.path()), taken(folder.path()));
    assert!(foreseen < 32e6 && taken < 32e6, "{foreseen}, {taken}");
}

const RING: &str = "[network]\nkind = 'torus'\nsizes = [3]\n[routing]\nkind = 'dimension-order'\n\
    [traffic]\npattern = 'uniform'\nload = 0.1\n[simulation]\nwarmup_cycles = 10\nmeasure_cycles = 20\n";

/// A study of many points takes little for each of them, planned or run.
#[test]
fn points_take_little() {
    const MOST_BYTES: f64 = 4096.0;
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("study.toml"), RING).unwrap();
    let commands: [(&[&str], u32); 3] = [
        (&["plan", "study.toml"], 20_000),
        (&["plan", "study.toml", "--format", "csv"], 20_000),
        (&["run", "study.toml", "--fresh", "--no-report"], 4_000),
    ];
    for (arguments, points) in commands {
        let bytes = |set: String| {
            let arguments = [arguments, &["--set", &set]].concat();
            most(turnwise(folder.path(), &arguments))
        };
        let loads = "sweep.traffic.load={from=0.01, to=0.1, count=";
        for many in [
            format!("study.repeat={points}"),
            format!("{loads}{points}}}"),
        ] {
            // One point may be over before the system is asked.
            let mut tries = (0..100).map(|_| bytes("study.repeat=1".into()));
            let one = tries.find(|&bytes| bytes > 0.0).unwrap();
            let all = bytes(many.clone());
            let each = (all - one) / f64::from(points);
            eprintln!("{} --set {many}: {each:.0} bytes a point", arguments[0]);
            assert!(each < MOST_BYTES, "{many}: {each} bytes a point");
        }
    }
}

/// Whatever is asked for, nothing is allocated that does not fit: no abort, but a sentence.
#[test]
fn what_does_not_fit_is_refused_beforehand() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("study.toml"), RING).unwrap();
    let (huge, large) = ("network.sizes=[5000, 5000]", "network.sizes=[1000, 1000]");
    let tables = "network.sizes=[300, 300]";
    let cases: [(&str, &[&str]); 8] = [
        ("plan", &[huge]),
        ("run", &[huge]),
        ("network", &[huge]),
        ("route", &[huge]),
        ("verify", &[huge]),
        ("plan", &[large]),
        ("run", &[large]),
        ("verify", &[tables, "routing.kind=shortest-path"]),
    ];
    for (name, sets) in cases {
        let sets: String = sets.iter().map(|set| format!(" --set '{set}'")).collect();
        let program = env!("CARGO_BIN_EXE_turnwise");
        let line = format!("ulimit -v 4000000; exec '{program}' {name} study.toml{sets}");
        let mut shell = Command::new("sh");
        let output = shell
            .current_dir(folder.path())
            .args(["-c", &line])
            .output()
            .unwrap();
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{line}: {stderr}");
        assert!(
            stderr.contains(" GiB of memory, and there are only "),
            "{line}: {stderr}"
        );
    }
}

/// Each of several processes has a part of what changes in a run.
#[test]
fn what_several_processes_can_simulate_is_not_refused() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("study.toml"), RING).unwrap();
    for (processes, code) in [(1, 2), (64, 0)] {
        let program = env!("CARGO_BIN_EXE_turnwise");
        let plan =
            format!("plan study.toml --set 'network.sizes=[600, 600]' --processes {processes}");
        let line = format!("ulimit -v 2000000; exec '{program}' {plan}");
        let mut shell = Command::new("sh");
        shell.current_dir(folder.path()).args(["-c", &line]);
        let output = shell.output().unwrap();
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{line}: {stderr}");
    }
}

/// A rule whose packets have more states than there is memory for is not proved, instead of taking all there is.
#[test]
fn proofs_keep_to_the_memory_there_is() {
    let folder = tempfile::tempdir().unwrap();
    // On a torus of which something has failed phases are not proved apart.
    let valiant = RING.replace("dimension-order", "valiant");
    fs::write(folder.path().join("study.toml"), valiant).unwrap();
    let program = env!("CARGO_BIN_EXE_turnwise");
    for command in ["verify", "route"] {
        for format in ["table", "json"] {
            let mut shell = Command::new("sh");
            let options = format!(
                "--set 'network.sizes=[14, 14, 14]' --set network.faults.random_links=1 --format {format}"
            );
            let line = format!("ulimit -v 600000; exec '{program}' {command} study.toml {options}");
            shell.current_dir(folder.path()).args(["-c", &line]);
            let output = shell.output().unwrap();
            let told = String::from_utf8(output.stdout).unwrap();
            // Nobody may rely on what is not proved.
            assert_eq!(output.status.code(), Some(1), "{told}");
            if format == "json" {
                let row: serde_json::Value = serde_json::from_str(&told).unwrap();
                assert_eq!(row["verdict"], "not-proved");
                // What is known of a part of the destinations is not told as if it were of all.
                for figure in [
                    "pairs",
                    "routable_pairs",
                    "edge_forwarding_index",
                    "mean_load",
                ] {
                    assert!(row[figure].is_null(), "{told}");
                }
            } else if command == "verify" {
                assert!(
                    told.contains("not proved: ") && told.contains("with more memory"),
                    "{told}"
                );
            }
        }
    }
}
