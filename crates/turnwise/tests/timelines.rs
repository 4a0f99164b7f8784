//! Time lines, critical paths and logs of messages, by the command: on routers, on Ethernet, of jobs, and of replays.

#![allow(clippy::unwrap_used, reason = "tests and their helpers may")]

#[allow(dead_code)]
mod common;

use common::{refuse, turnwise};
use serde_json::Value as Json;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

const HEAD: &str = "[study]\nclock = '1 GHz'\nflit_size = '16 B'\n\
    [network]\nkind = 'k-ary-n-tree'\narity = 4\nlevels = 2\n[routing]\nkind = 'd-mod-k'\n\
    [simulation]\ncycles_limit = 10_000_000\ntimeline = true\n";
const PROGRAM: &str = "class = 'S'\niterations = 1\n\
    host = { eager_bytes = 500, overhead_cycles = 20, packet_flits = 64 }\n";

fn program() -> String {
    format!("{HEAD}[workload]\nkind = 'npb'\nprogram = 'mg'\n{PROGRAM}")
}

fn ethernet() -> String {
    let network = "m = [4, 4]\nw = [1, 2]\n[ethernet]\nbuffer_flits = 20000\n";
    let slim = program().replace("arity = 4\nlevels = 2\n", network);
    slim.replace("k-ary-n-tree", "xgft")
        .replace("1 GHz", "1.25 GHz")
        .replace("16 B", "1 B")
        .replace("packet_flits = 64", "packet_flits = 1500")
}

fn jobs() -> String {
    let job = |name: &str, program: &str| {
        format!(
            "[[workload.jobs]]\nname = '{name}'\nkind = 'npb'\nprogram = '{program}'\nranks = 8\n{PROGRAM}"
        )
    };
    let apart = "placement = { kind = 'round-robin', block = 1 }\nstart_cycles = 1000\n";
    format!(
        "{HEAD}[workload]\nkind = 'jobs'\n{}{}{apart}[sweep]\n'workload.only' = ['all', 'sums', 'sort']\n",
        job("sums", "cg"),
        job("sort", "is"),
    )
}

fn lines(file: &Path) -> Vec<Vec<String>> {
    let text = fs::read_to_string(file).unwrap();
    let cells = |line: &str| line.split(',').map(str::to_owned).collect();
    text.lines().map(cells).collect()
}

/// The sum of a file's columns from one on.
fn sum(lines: &[Vec<String>], from: usize) -> f64 {
    let cells = lines[1..].iter().flat_map(|line| &line[from..]);
    cells.map(|cell| cell.parse::<f64>().unwrap()).sum()
}

/// Runs a study on so many threads; its rows.
fn run(folder: &Path, threads: &str, out: &str) -> Vec<Json> {
    let messages = format!("{out}/messages");
    let arguments = [
        "run",
        "study.toml",
        "--output",
        out,
        "--threads",
        threads,
        "--messages",
        &messages,
        "--format",
        "json",
        "--report",
    ];
    let ran = turnwise(folder, &arguments).fine();
    let rows = ran.stdout.lines();
    rows.map(|row| serde_json::from_str(row).unwrap()).collect()
}

#[test]
fn every_run_says_how_its_time_comes_to_be_whatever_the_threads() {
    for study in [program(), ethernet(), jobs()] {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::write(at("study.toml"), &study).unwrap();
        let rows = run(folder.path(), "1", "one");
        assert_eq!(run(folder.path(), "4", "four").len(), rows.len());
        let report = ["report", "study.toml", "--output", "one", "--details", "d"];
        turnwise(folder.path(), &report).fine();
        for (point, row) in rows.iter().enumerate() {
            let file = format!("messages/point-{point}.csv");
            let log = lines(&at("one").join(&file));
            assert_eq!(log, lines(&at("four").join(&file)), "{study}");
            let transactions = row["transactions"].as_u64().unwrap();
            assert_eq!(log.len() as u64 - 1, transactions, "{study}");
            assert!(log.iter().flatten().all(|cell| !cell.is_empty()));
            let details = at(&format!("d/point-{point}"));
            let path = lines(&details.join("critical-path.csv"));
            let ranks = lines(&details.join("ranks.csv"));
            // Files of several jobs have one more column, with as many ranks of each as it has.
            let several = usize::from(log[0][0] == "job");
            assert_eq!(
                sum(&path, 6 + several),
                row["makespan"].as_f64().unwrap(),
                "{study}"
            );
            assert!(sum(&ranks, 4 + several) > 0.0, "{study}");
            assert_eq!(path[0][3 + several], "rank");
            if several == 1 {
                assert_eq!((&*ranks[0][0], &*path[0][3]), ("job", "job"));
                let all: BTreeSet<(&str, &str)> = ranks[1..]
                    .iter()
                    .map(|line| (&*line[0], &*line[1]))
                    .collect();
                let numbers = ["0", "1", "2", "3", "4", "5", "6", "7"];
                let of_job = |job: &'static str| numbers.map(move |rank| (job, rank));
                let expected = ["sums", "sort"].map(of_job);
                assert!(all.iter().eq(&BTreeSet::from_iter(expected.concat())));
                let of_path = path[1..].iter().map(|line| (&*line[3], &*line[4]));
                assert!(of_path.into_iter().all(|rank| all.contains(&rank)));
            }
        }
        let page = fs::read_to_string(at("one/report.html")).unwrap();
        assert!(page.contains("<section id=\"timeline\""));
        let is_of_jobs = study.contains("'jobs'");
        assert_eq!(page.contains("<section id=\"jobs\""), is_of_jobs);
        if is_of_jobs {
            let (_, jobs) = page.split_once("<section id=\"jobs\"").unwrap();
            let (jobs, _) = jobs.split_once("</section>").unwrap();
            assert!(jobs.contains(">sums<") && jobs.contains("&nbsp;%"));
            assert!(page.contains(">sort 0<"), "ranks of jobs have their names");
        }
    }
}

/// What is foreseen of a run has ranks begin, too, and that is not what they did.
#[test]
fn ranks_begin_once() {
    let folder = tempfile::tempdir().unwrap();
    let trace = "turnwise-trace 1\nranks 2\ntime ns\ncontent calls\n\
                 rank 0\ncompute 100\nsend 0 8 1\nrecv 0 8 1\nsend 1 1600 3\nrank 1\nrecv 0 1600 3\nend\n";
    fs::write(folder.path().join("two.trace"), trace).unwrap();
    let study = format!("{HEAD}[workload]\nkind = 'trace'\nfile = 'two.trace'\n");
    fs::write(folder.path().join("study.toml"), study).unwrap();
    run(folder.path(), "1", "out");
    let log = lines(&folder.path().join("out/messages/point-0.csv"));
    assert_eq!(log.len(), 1 + 2, "{log:?}");
    let report = ["report", "study.toml", "--output", "out", "--details", "d"];
    turnwise(folder.path(), &report).fine();
    let ranks = lines(&folder.path().join("d/point-0/ranks.csv"));
    let compute = ranks[0].iter().position(|name| name == "compute").unwrap();
    let computed = |line: &Vec<String>| line[compute].parse::<f64>().unwrap();
    let all: f64 = ranks[1..].iter().map(computed).sum();
    assert!((all - 100.0).abs() < 1e-6, "{all} cycles of computing");
}

#[test]
fn what_is_cut_off_has_no_time_line_and_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let study = program().replace("cycles_limit = 10_000_000", "cycles_limit = 20_000");
    fs::write(folder.path().join("study.toml"), study).unwrap();
    let words =
        "warning: 1 of 1 points that ask for a time line have none: simulation.cycles_limit came";
    for arguments in [
        &["run", "study.toml", "--no-report"][..],
        &["report", "study.toml", "--details", "d"],
    ] {
        let ran = turnwise(folder.path(), arguments).fine();
        assert!(ran.stderr.contains(words), "{}", ran.stderr);
    }
}

/// Files of what was not kept would look like empty results.
#[test]
fn without_details_there_are_files_of_the_time_line_alone() {
    let folder = tempfile::tempdir().unwrap();
    let files = |details: bool| {
        let study = program().replace(
            "timeline = true",
            &format!("timeline = true\ndetails = {details}"),
        );
        fs::write(folder.path().join("study.toml"), study).unwrap();
        let out = format!("out-{details}");
        turnwise(
            folder.path(),
            &["run", "study.toml", "--output", &out, "--no-report"],
        )
        .fine();
        let kept = format!("kept-{details}");
        let report = ["report", "study.toml", "--output", &out, "--details", &kept];
        turnwise(folder.path(), &report).fine();
        let of_point = fs::read_dir(folder.path().join(kept).join("point-0")).unwrap();
        of_point
            .map(|file| file.unwrap().file_name().into_string().unwrap())
            .collect::<BTreeSet<_>>()
    };
    let of_time_line = BTreeSet::from(["critical-path.csv", "ranks.csv"].map(str::to_owned));
    assert_eq!(files(false), of_time_line);
    let all = files(true);
    assert!(
        all.is_superset(&of_time_line) && all.contains("terminals.csv"),
        "{all:?}"
    );
}

/// What the first point does was once taken for what all do.
#[test]
fn only_points_that_ask_for_a_time_line_miss_it_and_only_programs_have_a_log() {
    let folder = tempfile::tempdir().unwrap();
    let study = program()
        .replace("cycles_limit = 10_000_000", "cycles_limit = 20_000")
        .replace("timeline = true\n", "");
    for order in ["[true, false]", "[false, true]"] {
        let study = format!("{study}[sweep]\n'simulation.timeline' = {order}\n");
        fs::write(folder.path().join("study.toml"), study).unwrap();
        let ran = turnwise(folder.path(), &["run", "study.toml", "--no-report"]).fine();
        let words = "warning: 1 of 1 points that ask for a time line have none";
        assert!(ran.stderr.contains(words), "{order}: {}", ran.stderr);
    }
    let (head, _) = study.split_once("[workload]").unwrap();
    let kinds = [
        "{ kind = 'barrier' }",
        "{ kind = 'collective', collective = 'barrier' }",
    ];
    for (order, log) in [([0, 1], "point-1.csv"), ([1, 0], "point-0.csv")] {
        let [first, second] = order.map(|kind: usize| kinds[kind]);
        let study = format!("{head}[sweep]\nworkload = [{first}, {second}]\n");
        fs::write(folder.path().join("study.toml"), study).unwrap();
        let run = [
            "run",
            "study.toml",
            "--fresh",
            "--no-report",
            "--messages",
            "messages",
        ];
        turnwise(folder.path(), &run).fine();
        let logs: Vec<_> = fs::read_dir(folder.path().join("messages"))
            .unwrap()
            .collect();
        assert_eq!(logs.len(), 1, "{order:?}");
        assert!(
            folder.path().join("messages").join(log).exists(),
            "{order:?}"
        );
        fs::remove_dir_all(folder.path().join("messages")).unwrap();
    }
}

#[test]
fn a_log_that_cannot_be_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let study = program().replace("timeline = true\n", "");
    let (head, _) = study.split_once("[workload]").unwrap();
    let traffic = format!("{head}[traffic]\npattern = 'uniform'\nload = 0.1\n");
    fs::write(folder.path().join("study.toml"), traffic).unwrap();
    refuse(
        folder.path(),
        &["run", "study.toml", "--messages", "messages"],
        &["no [workload] that is a program"],
    );
    let on_slurm = [
        "run",
        "study.toml",
        "--on",
        "slurm",
        "--messages",
        "messages",
    ];
    refuse(
        folder.path(),
        &on_slurm,
        &["array jobs of `--on slurm` keep no log"],
    );
    assert!(!folder.path().join("messages").exists());
}

#[test]
fn a_replay_says_what_ranks_did() {
    let folder = tempfile::tempdir().unwrap();
    let asked = [
        "replay",
        "--npb",
        "lu.S.16",
        "--iterations",
        "2",
        "--format",
        "json",
    ];
    let plain = turnwise(folder.path(), &asked).fine().stdout;
    let files = [
        "--messages",
        "m.csv",
        "--timeline",
        "t.svg",
        "--critical-path",
        "p.csv",
    ];
    let told = turnwise(folder.path(), &[&asked[..], &files].concat()).fine();
    let [plain, told]: [Json; 2] =
        [&plain, &told.stdout].map(|row| serde_json::from_str(row).unwrap());
    assert_eq!(plain["makespan_ns"], told["makespan_ns"]);
    let path = lines(&folder.path().join("p.csv"));
    let makespan = told["makespan_ns"].as_f64().unwrap();
    assert!((sum(&path, 6) - makespan).abs() < 1e-6 * makespan);
    let log = lines(&folder.path().join("m.csv"));
    assert_eq!(log.len() as u64 - 1, told["messages"].as_u64().unwrap());
    let drawn = fs::read_to_string(folder.path().join("t.svg")).unwrap();
    assert!(drawn.starts_with("<svg") && drawn.contains("class=\"critical\""));
}

#[test]
fn what_changes_benchmarks_is_refused_for_files() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("a.goal"), "num_ranks 1\nrank 0 {\n}\n").unwrap();
    for option in ["--iterations", "--computing"] {
        let asked = ["replay", "a.goal", option, "2"];
        refuse(folder.path(), &asked, &[option, "cannot be used with"]);
    }
}

/// What keeps a program comes before pictures of it, which there may be none of.
#[test]
fn a_replay_of_nothing_has_no_time_line() {
    let folder = tempfile::tempdir().unwrap();
    let files = ["--messages", "m.csv", "--timeline", "t.svg"];
    let empty = "num_ranks 2\nrank 0 {\n}\nrank 1 {\n}\n";
    let stalled = "num_ranks 2\nrank 0 {\nrecv 8b from 1\n}\nrank 1 {\nrecv 8b from 0\n}\n";
    for (program, code, words) in [(empty, 0, "completed"), (stalled, 1, "stalled")] {
        fs::write(folder.path().join("a.goal"), program).unwrap();
        let asked = [&["replay", "a.goal"][..], &files].concat();
        let ran = turnwise(folder.path(), &asked);
        assert_eq!(ran.code, Some(code), "{}", ran.stderr);
        assert!(ran.stdout.contains(words), "{}", ran.stdout);
        assert!(
            ran.stderr
                .contains("warning: no rank does anything, so there is no time line"),
            "{}",
            ran.stderr
        );
        assert_eq!(
            ran.stderr.contains("in a circle of 2: 0 -> 1 -> 0"),
            code == 1
        );
        assert!(!folder.path().join("t.svg").exists());
    }
}
