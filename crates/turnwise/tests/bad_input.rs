//! What goes wrong is told: exit code 2, the place, the nearest name, and nothing left behind.
//!
//! Every file of `tests/bad-studies` is a broken study that says itself how it is broken, in
//! comments at its end:
//!
//! ```toml
//! #! 2:8 unknown kind "tours" => did you mean `torus`?
//! #! - the table [routing] is missing
//! ```
//!
//! Each of these lines is one error: `line:column` (`-` for none), words of the message, and
//! after `=>` words of the help. There must be no other errors.

#![allow(clippy::unwrap_used, reason = "tests and their helpers may")]

#[allow(dead_code)]
mod common;

use common::{Ran, command, content, shell, turnwise};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use tempfile::TempDir;

const GOOD: &str = "\
[network]
kind = \"torus\"
sizes = [4, 4]

[routing]
kind = \"dimension-order\"

[traffic]
pattern = \"uniform\"
load = 0.1

[simulation]
warmup_cycles = 50
measure_cycles = 200
";

/// A folder with a good study in it.
fn folder() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("study.toml"), GOOD).unwrap();
    folder
}

fn bad_studies() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/bad-studies")
}

/// A refusal is quiet on stdout, not a panic, and has exit code 2.
fn assert_refused(ran: &Ran, what: &str) {
    assert_eq!(ran.code, Some(2), "{what}: {ran:#?}");
    assert_eq!(ran.stdout, "", "{what}");
    assert!(!ran.stderr.contains("panicked"), "{what}: {}", ran.stderr);
}

/// Runs a command that must be refused with all of these words and leave everything as it was.
fn refuse(folder: &Path, arguments: &[&str], words: &[&str]) -> Ran {
    let before = content(folder);
    let ran = turnwise(folder, arguments);
    let what = arguments.join(" ");
    assert_refused(&ran, &what);
    for words in words {
        assert!(ran.stderr.contains(words), "{what}: expected {words:?} in\n{}", ran.stderr);
    }
    assert_eq!(content(folder), before, "{what}: something was left behind");
    ran
}

/// One `#!` line of a broken study.
struct Expected {
    place: Option<String>,
    message: String,
    help: Option<String>,
}

fn expectations(study: &str) -> Vec<Expected> {
    let lines = study.lines().filter_map(|line| line.strip_prefix("#! "));
    let read = |line: &str| {
        let (place, words) = line.split_once(' ').unwrap();
        let (message, help) = match words.split_once(" => ") {
            Some((message, help)) => (message, Some(help.trim().to_owned()).filter(|help| !help.is_empty())),
            None => (words, None),
        };
        let place = Some(place).filter(|place| *place != "-").map(str::to_owned);
        Expected { place, message: message.to_owned(), help }
    };
    lines.map(read).collect()
}

/// Splits what was said into errors: each begins with `error: ` and goes up to the next.
fn errors(stderr: &str) -> Vec<String> {
    let mut errors: Vec<String> = Vec::new();
    for line in stderr.lines() {
        match errors.last_mut() {
            _ if line.starts_with("error: ") => errors.push(line.to_owned()),
            Some(error) => *error += &format!("\n{line}"),
            None => errors.push(line.to_owned()),
        }
    }
    errors
}

/// What is wrong with what was said about the study `name`.
fn problems(name: &str, stderr: &str, expected: &[Expected]) -> Vec<String> {
    let found = errors(stderr);
    let mut problems = Vec::new();
    if found.len() != expected.len() {
        problems.push(format!("{} errors instead of {}", found.len(), expected.len()));
    }
    for Expected { place, message, help } in expected {
        let start = match place {
            Some(place) => format!("error: {name}:{place}: "),
            None => format!("error: {name}: "),
        };
        let first_line = |error: &str| error.lines().next().unwrap_or_default().to_owned();
        let told = |error: &&String| error.starts_with(&start) && first_line(error).contains(message);
        let Some(error) = found.iter().find(told) else {
            problems.push(format!("no \"{start}... {message}\""));
            continue;
        };
        let helped = |help: &String| error.split_once("help: ").is_some_and(|(_, told)| told.contains(help));
        if !help.as_ref().is_none_or(helped) {
            problems.push(format!("no help {help:?} with {message:?}"));
        }
        let line = place.as_deref().and_then(|place| Some(place.split_once(':')?.0));
        if line.is_some_and(|line| !error.contains(&format!(" {line} │ "))) {
            problems.push(format!("line {line:?} is not shown with {message:?}"));
        }
    }
    let counted = stderr.ends_with(&format!("\n{} errors\n", expected.len()));
    if counted != (expected.len() > 1) {
        problems.push("the errors are not counted at the end".to_owned());
    }
    problems
}

#[test]
fn broken_studies_say_where_and_why() {
    let folder = tempfile::tempdir().unwrap();
    let mut names = Vec::new();
    for (name, text) in content(&bad_studies()) {
        let path = folder.path().join(&name);
        match text {
            Some(text) => fs::write(&path, text).unwrap(),
            None => fs::create_dir(&path).unwrap(),
        }
        names.extend(name.ends_with(".toml").then_some(name));
    }
    let before = content(folder.path());
    let mut all = String::new();
    for name in &names {
        let expected = expectations(&fs::read_to_string(folder.path().join(name)).unwrap());
        let ran = turnwise(folder.path(), &["run", name, "--no-report"]);
        let mut problems = problems(name, &ran.stderr, &expected);
        if ran.code != Some(2) || !ran.stdout.is_empty() || ran.stderr.contains("panicked") {
            problems.push(format!("exit code {:?}, on stdout {:?}", ran.code, ran.stdout));
        }
        if turnwise(folder.path(), &["plan", name]).stderr != ran.stderr {
            problems.push("`plan` says something else than `run`".to_owned());
        }
        if !problems.is_empty() {
            all += &format!("{name}: {}\n{}\n", problems.join("; "), ran.stderr);
        }
    }
    assert!(all.is_empty(), "{all}");
    assert_eq!(content(folder.path()), before, "something was left behind");
    assert!(names.len() >= 100, "only {} broken studies", names.len());
}

#[test]
fn a_byte_that_is_no_text_has_a_place() {
    let folder = folder();
    let mut study = b"# ma\xc3\x9fe: \xff\n".to_vec();
    study.extend(GOOD.bytes());
    fs::write(folder.path().join("bytes.toml"), study).unwrap();
    refuse(folder.path(), &["run", "bytes.toml"], &["error: bytes.toml:1:9: byte 0xff is not UTF-8 text", "UTF-8 encoding"]);
    fs::write(folder.path().join("cables.txt"), b"0 1\n1 2 # \xf0\n").unwrap();
    let arguments = ["network", "study.toml", "--set", "network={ kind = \"edge-list\", file = \"cables.txt\" }"];
    refuse(folder.path(), &arguments, &["error: --set #1:1:38: cables.txt:2:7: this is not UTF-8 text"]);
}

#[test]
fn overrides_are_named_with_their_place() {
    let folder = folder();
    let refuse = |overrides: &[&str], words: &[&str]| {
        let mut arguments = vec!["run", "study.toml", "--no-report"];
        arguments.extend(overrides.iter().flat_map(|text| ["--set", text]));
        let ran = refuse(folder.path(), &arguments, words);
        assert_eq!(errors(&ran.stderr).len(), words.len(), "{}", ran.stderr);
    };
    refuse(&["traffic.load"], &["--set #1:1:1: `traffic.load` sets nothing"]);
    refuse(&["traffic.load="], &["--set #1:1:14: a value is missing"]);
    refuse(&["=1"], &["--set #1:1:1: `` is not the path of a field"]);
    refuse(&["traffic..load=1"], &["--set #1:1:1: `traffic..load` is not the path of a field"]);
    refuse(&["traffic.load=[0.1,"], &["--set #1:1:19: unclosed array"]);
    refuse(&["traffic.load=high"], &["--set #1:1:14: expected a number, found the string \"high\""]);
    refuse(&["traffic.load=nan"], &["--set #1:1:14: expected a finite number"]);
    refuse(&["traffic.lode=0.2"], &["--set #1:1:1: unknown key `lode`"]);
    refuse(&["trafic.load=0.2"], &["--set #1:1:1: unknown table `trafic`"]);
    refuse(&["network.sizes[2]=4"], &["--set #1:1:1: network.sizes: has no element 2"]);
    refuse(&["network.sizes[1]=0"], &["--set #1:1:18: sizes[1]: a dimension has at least one router"]);
    refuse(&["network.sizes.x=4"], &["--set #1:1:1: network.sizes: is an array of 2 values, not a table"]);
    refuse(&["sweep.traffic.load=[]"], &["--set #1:1:20: a sweep over no values has no points"]);
    refuse(&["sweep.rooting.kind=[1]"], &["--set #1:1:1: `rooting.kind` cannot be swept"]);
    refuse(&["simulation.threads=0"], &["--set #1:1:20: threads: expected 1 to 1024 threads, found 0"]);
    refuse(
        &["traffic.load=0.2", "network.kind=dragonfyl", "traffic.pattern=\"unifrom\""],
        &["--set #2:1:14: unknown kind \"dragonfyl\"", "--set #3:1:17: unknown pattern \"unifrom\""],
    );
}

#[test]
fn suggestions_come_with_overrides_too() {
    let folder = folder();
    let suggested = |text: &str, near: &str| {
        refuse(folder.path(), &["run", "study.toml", "--set", text], &[&format!("did you mean `{near}`?")]);
    };
    suggested("network.kind=dragonfyl", "dragonfly");
    suggested("trafic.load=0.2", "traffic");
    suggested("traffic.laod=0.2", "load");
    suggested("router.allocator=islipp", "islip");
    suggested("sweep.rooting.kind=[1]", "routing");
}

#[test]
fn invocations_that_make_no_sense() {
    let folder = folder();
    let refuse = |arguments: &[&str], words: &[&str]| {
        refuse(folder.path(), arguments, words);
    };
    refuse(&[], &["Usage: turnwise <COMMAND>"]);
    refuse(&["rout", "study.toml"], &["unrecognized subcommand 'rout'", "'route'"]);
    refuse(&["run"], &["<STUDY>"]);
    refuse(&["run", "study.toml", "--shards", "0/2"], &["unexpected argument '--shards'", "'--shard'"]);
    refuse(&["run", "study.toml", "--format", "xml"], &["invalid value 'xml'", "table, json, csv"]);
    for shard in ["2/2", "x", "1", "1/0", "0/", "/2", "1.5/2", "0/99999999999999999999"] {
        refuse(&["run", "study.toml", "--shard", shard], &[shard, "expected I/N with I below N, for example 0/4"]);
    }
    refuse(&["run", "study.toml", "--threads", "0"], &["invalid value '0'", "1..=1024"]);
    refuse(&["run", "study.toml", "--threads", "many"], &["invalid value 'many'"]);
    refuse(&["run", "study.toml", "--report", "--no-report"], &["cannot be used with"]);
    refuse(&["list", "topologys"], &["invalid value 'topologys'"]);
    refuse(&["describe", "routing", "dimension-oder"], &["no routing called `dimension-oder`", "did you mean `dimension-order`?"]);
    refuse(&["describe", "network", "dragonfyl"], &["no network called `dragonfyl`", "did you mean `dragonfly`?"]);
    refuse(&["describe", "pattern", "adversary"], &["did you mean `adversarial`?"]);
    refuse(&["describe", "formats", "json"], &["formats have no parameters"]);
    refuse(&["completions", "fsh"], &["invalid value 'fsh'", "'fish'"]);
    refuse(&["network", "study.toml", "--export", "torus.jsn"], &["format of torus.jsn", "`dot`, `graphml` and `json`"]);
    refuse(&["network", "study.toml", "--export", "torus"], &["format of torus by its extension"]);
    refuse(&["report", "study.toml"], &["no results of this study in turnwise-out/study", "turnwise run study.toml"]);
    let two = "sweep.routing.kind=[\"dimension-order\", \"shortest-path\"]";
    refuse(&["route", "study.toml", "--set", two, "--paths", "paths.csv"], &["this study has 2", "--set"]);
    refuse(&["verify", "study.toml", "--set", two, "--certificate", "proof.json"], &["this study has 2", "--set"]);
}

#[test]
fn studies_that_cannot_be_read() {
    let folder = folder();
    fs::create_dir(folder.path().join("studies")).unwrap();
    for command in ["run", "plan", "route", "verify", "network", "report"] {
        refuse(folder.path(), &[command, "studdy.toml"], &["cannot read studdy.toml: No such file", "did you mean `study.toml`?"]);
    }
    refuse(folder.path(), &["run", "nowhere/study.toml"], &["cannot read nowhere/study.toml: No such file"]);
    refuse(folder.path(), &["run", "studies"], &["cannot read studies: Is a directory"]);
    refuse(folder.path(), &["run", "study.toml/study.toml"], &["cannot read study.toml/study.toml: Not a directory"]);
    refuse(folder.path(), &["run", "/proc/self/mem"], &["cannot read /proc/self/mem: Input/output error"]);
    let ran = shell(folder.path(), "\"$turnwise\" run - </dev/null");
    assert_refused(&ran, "an empty standard input");
    assert!(ran.stderr.contains("error: standard input: the table [network] is missing"), "{}", ran.stderr);
    let ran = shell(folder.path(), "sed s/torus/tours/ study.toml | \"$turnwise\" run -");
    assert!(ran.stderr.contains("error: standard input:2:8: unknown kind \"tours\""), "{}", ran.stderr);
    let ran = shell(folder.path(), "\"$turnwise\" run - <.");
    assert!(ran.stderr.contains("cannot read standard input: Is a directory"), "{}", ran.stderr);
}

#[test]
fn endless_files_do_not_fill_the_memory() {
    let folder = folder();
    let ran = shell(folder.path(), "ulimit -v 500000; \"$turnwise\" run /dev/zero");
    assert_refused(&ran, "an endless study");
    assert!(ran.stderr.contains("/dev/zero is larger than 64 MiB"), "{}", ran.stderr);
    let ran = shell(folder.path(), "ulimit -v 500000; \"$turnwise\" run - </dev/zero");
    assert!(ran.stderr.contains("standard input is larger than 64 MiB"), "{}", ran.stderr);
}

/// Refused within the memory of a small container: nothing of the asked size is allocated.
#[test]
fn absurd_sizes_need_no_memory() {
    let folder = folder();
    let studies = bad_studies();
    for name in ["huge-torus", "huge-dragonfly", "huge-random-regular", "huge-full-mesh", "huge-tree", "too-many-points"] {
        let study = studies.join(format!("{name}.toml"));
        let ran = shell(folder.path(), &format!("ulimit -v 500000; \"$turnwise\" run '{}'", study.display()));
        assert_refused(&ran, name);
    }
}

#[test]
fn outputs_that_cannot_be_written() {
    let folder = folder();
    let refuse = |arguments: &[&str], words: &[&str]| {
        refuse(folder.path(), arguments, words);
    };
    fs::write(folder.path().join("taken"), "mine").unwrap();
    fs::create_dir(folder.path().join("folder")).unwrap();
    refuse(&["run", "study.toml", "--output", "taken"], &["taken/results", "Not a directory"]);
    refuse(&["run", "study.toml", "--output", "taken", "--fresh"], &["taken", "File exists"]);
    refuse(&["run", "study.toml", "--output", "/proc/nowhere"], &["cannot use the result folder /proc/nowhere/results"]);
    refuse(&["run", "study.toml", "--csv", "nowhere/results.csv"], &["cannot write nowhere/results.csv"]);
    refuse(&["run", "study.toml", "--csv", "folder"], &["cannot write folder", "directory"]);
    refuse(&["run", "study.toml", "--fresh", "--no-report", "--csv", "/dev/full"], &["cannot write /dev/full: No space left"]);
    refuse(&["route", "study.toml", "--paths", "nowhere/paths.csv"], &["cannot write nowhere/paths.csv"]);
    refuse(&["route", "study.toml", "--paths", "/dev/full"], &["cannot write /dev/full: No space left"]);
    refuse(&["verify", "study.toml", "--certificate", "taken/proof.json"], &["cannot write taken/proof.json"]);
    refuse(&["verify", "study.toml", "--certificate", "/dev/full"], &["cannot write /dev/full: No space left"]);
    refuse(&["network", "study.toml", "--export", "nowhere/torus.json"], &["cannot write nowhere/torus.json"]);
    refuse(&["network", "study.toml", "--export", "taken/torus.dot"], &["cannot write taken/torus.dot"]);
    refuse(&["man", "taken"], &["cannot write taken"]);
    for arguments in ["list", "schema", "network study.toml", "run study.toml --fresh --format json"] {
        let before = content(folder.path());
        let ran = shell(folder.path(), &format!("\"$turnwise\" {arguments} >/dev/full"));
        assert_refused(&ran, arguments);
        assert!(ran.stderr.contains("cannot write standard output: No space left"), "{}", ran.stderr);
        assert_eq!(content(folder.path()), before, "{arguments}");
    }
}

/// Sixteen points, enough for a store of several pages.
const SIXTEEN: [&str; 2] = ["--set", "sweep.traffic.load={ from = 0.01, to = 0.16, step = 0.01 }"];

/// The rows of a run as JSON, but for the seconds they took.
fn rows(ran: &Ran) -> Vec<serde_json::Value> {
    let mut rows: Vec<serde_json::Value> =
        ran.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    rows.iter_mut().for_each(|row| row["seconds"] = 0.into());
    rows
}

fn run_sixteen(folder: &Path, more: &[&str]) -> Ran {
    let mut arguments = vec!["run", "study.toml", "--no-report"];
    arguments.extend(SIXTEEN.iter().chain(more));
    turnwise(folder, &arguments)
}

/// With `ulimit`, because it works for everybody: a write beyond the limit fails like one to a
/// full disk, once its signal is ignored. (`dash` counts in blocks of 512 bytes, others in KiB.)
#[test]
fn a_full_disk_costs_nothing_but_the_rest() {
    let folder = folder();
    let study = fs::read(folder.path().join("study.toml")).unwrap();
    let limited = |blocks: u32, arguments: &str| {
        let set = "--set 'sweep.traffic.load={ from = 0.01, to = 0.16, step = 0.01 }'";
        let line = format!("trap '' XFSZ; ulimit -f {blocks}; exec \"$turnwise\" {arguments} study.toml {set}");
        shell(folder.path(), &line)
    };
    let before = content(folder.path());
    let ran = limited(0, "run --no-report");
    assert_refused(&ran, "no room for a store");
    assert!(ran.stderr.contains("cannot use the result store turnwise-out/study/results/"), "{}", ran.stderr);
    assert_eq!(content(folder.path()), before, "no room for a store");

    // Twelve KiB are an empty store, and its journal stays below that.
    let ran = limited(26, "run --no-report");
    assert_refused(&ran, "no room for all rows");
    assert!(ran.stderr.contains("shard0-writer0.sqlite"), "{}", ran.stderr);
    let left: Vec<String> = content(folder.path()).into_keys().collect();
    let kept = ["study.toml", "turnwise-out", "turnwise-out/study", "turnwise-out/study/results"];
    assert_eq!(left[..4], kept);
    assert_eq!(left[4..], ["turnwise-out/study/results/shard0-writer0.sqlite"], "a store and nothing else");

    let resumed = run_sixteen(folder.path(), &["--format", "json"]).fine();
    let whole = run_sixteen(folder.path(), &["--format", "json", "--fresh"]).fine();
    assert_eq!(rows(&resumed).len(), 16);
    assert_eq!(rows(&resumed), rows(&whole));

    let before = content(folder.path());
    let ran = limited(16, "report");
    assert_refused(&ran, "no room for a report");
    assert!(ran.stderr.contains("cannot write turnwise-out/study/report.html: File too large"), "{}", ran.stderr);
    assert_eq!(content(folder.path()), before, "no room for a report");
    assert_eq!(fs::read(folder.path().join("study.toml")).unwrap(), study);
}

/// A file system of a few KiB, gone when dropped.
struct Tmpfs(PathBuf);

impl Tmpfs {
    fn mount(at: &Path, size: &str) -> Option<Self> {
        let mut command = Command::new("mount");
        command.args(["-t", "tmpfs", "-o", &format!("size={size}"), "turnwise-test"]).arg(at);
        let mounted = command.stderr(Stdio::null()).status().is_ok_and(|status| status.success());
        mounted.then(|| Self(at.to_owned()))
    }

    fn resize(&self, size: &str) {
        let options = format!("remount,size={size}");
        let status = Command::new("mount").args(["-o", &options]).arg(&self.0).status().unwrap();
        assert!(status.success());
    }
}

impl Drop for Tmpfs {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(&self.0).status();
    }
}

/// The same with a disk that is really full, where one may mount one; the test above runs
/// everywhere.
#[test]
fn a_really_full_disk_costs_nothing_but_the_rest() {
    let folder = folder();
    let disk = folder.path().join("disk");
    fs::create_dir(&disk).unwrap();
    let Some(tmpfs) = Tmpfs::mount(&disk, "32k") else {
        eprintln!("nothing can be mounted here; see a_full_disk_costs_nothing_but_the_rest");
        return;
    };
    let ran = run_sixteen(folder.path(), &["--output", "disk/out"]);
    assert_refused(&ran, "a full disk");
    assert!(ran.stderr.contains("disk/out/results/shard0-writer0.sqlite: database or disk is full"), "{}", ran.stderr);
    let names: Vec<String> = content(&disk).into_keys().collect();
    assert_eq!(names, ["out", "out/results", "out/results/shard0-writer0.sqlite"]);

    tmpfs.resize("64k");
    let resumed = run_sixteen(folder.path(), &["--output", "disk/out", "--format", "json"]).fine();
    let whole = run_sixteen(folder.path(), &["--fresh", "--format", "json"]).fine();
    assert_eq!(rows(&resumed), rows(&whole));

    let before = content(&disk);
    let ran = turnwise(folder.path(), &["report", "study.toml", SIXTEEN[0], SIXTEEN[1], "--output", "disk/out"]);
    assert_refused(&ran, "no room for a report");
    assert!(ran.stderr.contains("cannot write disk/out/report.html: No space left on device"), "{}", ran.stderr);
    assert_eq!(content(&disk), before);
    let ran = turnwise(folder.path(), &["route", "study.toml", "--set", "network.sizes=[8, 8]", "--paths", "disk/paths.csv"]);
    assert_refused(&ran, "no room for paths");
    assert_eq!(content(&disk), before);
}

/// What is wrong with a store is named, and nothing is written to it.
fn refuse_store(damage: impl FnOnce(Vec<u8>) -> Vec<u8>, words: &str) {
    let folder = folder();
    run_sixteen(folder.path(), &[]).fine();
    let store = folder.path().join("turnwise-out/study/results/shard0-writer0.sqlite");
    let whole = fs::read(&store).unwrap();
    fs::write(&store, damage(whole)).unwrap();
    let name = "turnwise-out/study/results/shard0-writer0.sqlite";
    for command in ["run", "plan", "report"] {
        let arguments = [command, "study.toml", SIXTEEN[0], SIXTEEN[1]];
        refuse(folder.path(), &arguments, &[name, "is damaged", words, "move it away"]);
    }
    fs::rename(&store, folder.path().join("damaged")).unwrap();
    assert_eq!(run_sixteen(folder.path(), &["--format", "json"]).fine().stdout.lines().count(), 16);
}

/// Everywhere, because pages of a database keep copies of rows that have moved.
fn replaced(mut bytes: Vec<u8>, from: &[u8], to: &[u8]) -> Vec<u8> {
    assert_eq!(from.len(), to.len());
    let places: Vec<usize> = (0..bytes.len()).filter(|&at| bytes[at..].starts_with(from)).collect();
    assert!(!places.is_empty());
    places.iter().for_each(|&at| bytes[at..at + to.len()].copy_from_slice(to));
    bytes
}

#[test]
fn damaged_stores_are_refused_and_left_alone() {
    refuse_store(|_| b"These are not the results you are looking for.".repeat(100), "file is not a database");
    refuse_store(|bytes| bytes[..bytes.len() / 2].to_vec(), "malformed");
    refuse_store(|bytes| replaced(bytes, b"{\"point\":", b"?\"point\":"), "is no JSON");
    refuse_store(|bytes| replaced(bytes, b"\"fingerprint\":", b"\"fingerprunt\":"), "has no `fingerprint`");
    refuse_store(|bytes| replaced(bytes, b"\"point\":{", b"\"punkt\":{"), "has no `point`");
}

#[test]
fn negative_verdicts_end_with_one() {
    let folder = folder();
    let cyclic = ["--set", "routing.classes=none"];
    let unroutable = ["--set", "network.faults={ links = [[0, 1], [0, 3], [0, 4], [0, 12]] }"];
    for (set, words) in [(cyclic, "CYCLIC"), (unroutable, "UNROUTABLE: 39 of 240 pairs")] {
        let ran = turnwise(folder.path(), &[&["verify", "study.toml"], &set[..]].concat());
        assert_eq!(ran.code, Some(1), "{ran:?}");
        assert!(ran.stdout.contains(words), "{}", ran.stdout);
        assert_eq!(turnwise(folder.path(), &[&["route", "study.toml"], &set[..]].concat()).code, Some(1));
    }
    let ran = turnwise(folder.path(), &["network", "study.toml", unroutable[0], unroutable[1]]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    // The simulation survives the low load, but the proof does not.
    let ran = turnwise(folder.path(), &["run", "study.toml", cyclic[0], cyclic[1]]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert!(ran.stdout.contains("can deadlock"), "{}", ran.stdout);
}

#[test]
fn deadlocked_points_end_with_one() {
    let folder = folder();
    let arguments = [
        "run", "study.toml", "--format", "json", "--set", "network.sizes=[16]", "--set", "routing.classes=none",
        "--set", "router.virtual_channels=1", "--set", "router.buffer_flits=1", "--set", "traffic.load=1.0",
        "--set", "traffic.packet_flits=8", "--set", "traffic.pattern=tornado",
        "--set", "simulation.measure_cycles=5000",
    ];
    let ran = turnwise(folder.path(), &arguments);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert_eq!(rows(&ran)[0]["deadlocked"], true);
    assert_eq!(rows(&ran)[0]["ending"], "deadlocked");
}

/// One of three points asks for more than a crippled network can do; the others are simulated,
/// and stay so.
#[test]
fn failed_points_end_with_three() {
    let folder = folder();
    let links = "sweep.network.faults.random_links=[0, 20, 1]";
    let arguments =
        ["run", "study.toml", "--no-report", "--format", "json", "--set", links, "--set", "routing.kind=shortest-path"];
    for _ in 0..2 {
        let ran = turnwise(folder.path(), &arguments);
        assert_eq!(ran.code, Some(3), "{ran:?}");
        assert!(ran.stderr.starts_with("point 1 failed: the routing cannot deliver packets from terminal "), "{ran:?}");
        let links: Vec<serde_json::Value> =
            rows(&ran).iter().map(|row| row["point"]["network.faults.random_links"].clone()).collect();
        assert_eq!(links, [0, 1]);
    }
    let ran = turnwise(folder.path(), &[&arguments[..2], &arguments[5..]].concat());
    assert_eq!(ran.code, Some(3), "{ran:?}");
    assert!(folder.path().join("turnwise-out/study/report.html").exists());
}

/// What no machine has is not asked for; the other points go on.
#[test]
fn points_that_need_too_much_memory_fail_alone() {
    let folder = folder();
    let arguments = [
        "run", "study.toml", "--format", "json", "--set", "sweep.network.sizes=[[200, 200], [4, 4]]", "--set",
        "sweep.router.buffer_flits=[65535, 16]", "--set", "sweep.zip=[\"network.sizes\", \"router.buffer_flits\"]",
        "--set", "router.virtual_channels=32",
    ];
    let ran = turnwise(folder.path(), &arguments);
    assert_eq!(ran.code, Some(3), "{ran:?}");
    assert!(ran.stderr.starts_with("point 0 failed: it needs 15"), "{}", ran.stderr);
    assert!(ran.stderr.contains(" GiB of memory, and there are only "), "{}", ran.stderr);
    assert_eq!(rows(&ran)[0]["point"]["network.sizes"], serde_json::json!([4, 4]));
}

#[test]
fn nobody_reading_is_no_error() {
    let folder = folder();
    for arguments in [
        &["list"][..],
        &["schema"],
        &["completions", "zsh"],
        &["network", "study.toml"],
        &["route", "study.toml", "--format", "json"],
        &["run", "study.toml", "--fresh", "--format", "csv"],
    ] {
        let mut child = command(folder.path()).args(arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        drop(child.stdout.take());
        let ended: Ran = child.wait_with_output().unwrap().into();
        assert_eq!((ended.code, ended.stderr.as_str()), (Some(0), ""), "{arguments:?}");
    }
    let ran = shell(folder.path(), "\"$turnwise\" list | head -1; \"$turnwise\" schema | head -1");
    assert_eq!((ran.stdout.lines().count(), ran.stderr.as_str()), (2, ""), "{ran:?}");
}
