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

use common::{GOOD, assert_refused, content, good_study, refuse, shell, turnwise};
use std::fs;
use std::path::{Path, PathBuf};

fn bad_studies() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/bad-studies")
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
            Some((message, help)) => (
                message,
                Some(help.trim().to_owned()).filter(|help| !help.is_empty()),
            ),
            None => (words, None),
        };
        let place = Some(place).filter(|place| *place != "-").map(str::to_owned);
        Expected {
            place,
            message: message.to_owned(),
            help,
        }
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
        problems.push(format!(
            "{} errors instead of {}",
            found.len(),
            expected.len()
        ));
    }
    for Expected {
        place,
        message,
        help,
    } in expected
    {
        let start = match place {
            Some(place) => format!("error: {name}:{place}: "),
            None => format!("error: {name}: "),
        };
        let first_line = |error: &str| error.lines().next().unwrap_or_default().to_owned();
        let told =
            |error: &&String| error.starts_with(&start) && first_line(error).contains(message);
        let Some(error) = found.iter().find(told) else {
            problems.push(format!("no \"{start}... {message}\""));
            continue;
        };
        let helped = |help: &String| {
            error
                .split_once("help: ")
                .is_some_and(|(_, told)| told.contains(help))
        };
        if !help.as_ref().is_none_or(helped) {
            problems.push(format!("no help {help:?} with {message:?}"));
        }
        let line = place
            .as_deref()
            .and_then(|place| Some(place.split_once(':')?.0));
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
            problems.push(format!(
                "exit code {:?}, on stdout {:?}",
                ran.code, ran.stdout
            ));
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
    let folder = good_study();
    let mut study = b"# ma\xc3\x9fe: \xff\n".to_vec();
    study.extend(GOOD.bytes());
    fs::write(folder.path().join("bytes.toml"), study).unwrap();
    refuse(
        folder.path(),
        &["run", "bytes.toml"],
        &[
            "error: bytes.toml:1:9: byte 0xff is not UTF-8 text",
            "UTF-8 encoding",
        ],
    );
    fs::write(folder.path().join("cables.txt"), b"0 1\n1 2 # \xf0\n").unwrap();
    let arguments = [
        "network",
        "study.toml",
        "--set",
        "network={ kind = \"edge-list\", file = \"cables.txt\" }",
    ];
    refuse(
        folder.path(),
        &arguments,
        &["error: --set #1:1:38: cables.txt:2:7: this is not UTF-8 text"],
    );
}

#[test]
fn overrides_are_named_with_their_place() {
    let folder = good_study();
    let refuse = |overrides: &[&str], words: &[&str]| {
        let mut arguments = vec!["run", "study.toml", "--no-report"];
        arguments.extend(overrides.iter().flat_map(|text| ["--set", text]));
        let ran = refuse(folder.path(), &arguments, words);
        assert_eq!(errors(&ran.stderr).len(), words.len(), "{}", ran.stderr);
    };
    refuse(
        &["traffic.load"],
        &["--set #1:1:1: `traffic.load` sets nothing"],
    );
    refuse(&["traffic.load="], &["--set #1:1:14: a value is missing"]);
    refuse(&["=1"], &["--set #1:1:1: `` is not the path of a field"]);
    refuse(
        &["traffic..load=1"],
        &["--set #1:1:1: `traffic..load` is not the path of a field"],
    );
    refuse(&["traffic.load=[0.1,"], &["--set #1:1:19: unclosed array"]);
    refuse(
        &["traffic.load=high"],
        &["--set #1:1:14: expected a number, found the string \"high\""],
    );
    refuse(
        &["traffic.load=nan"],
        &["--set #1:1:14: expected a finite number"],
    );
    refuse(&["traffic.lode=0.2"], &["--set #1:1:1: unknown key `lode`"]);
    refuse(
        &["trafic.load=0.2"],
        &["--set #1:1:1: unknown table `trafic`"],
    );
    refuse(
        &["network.sizes[2]=4"],
        &["--set #1:1:1: network.sizes: has no element 2"],
    );
    refuse(
        &["network.sizes[1]=0"],
        &["--set #1:1:18: sizes[1]: a dimension has at least one router"],
    );
    refuse(
        &["network.sizes.x=4"],
        &["--set #1:1:1: network.sizes: is an array of 2 values, not a table"],
    );
    refuse(
        &["sweep.traffic.load=[]"],
        &["--set #1:1:20: a sweep over no values has no points"],
    );
    refuse(
        &["sweep.rooting.kind=[1]"],
        &["--set #1:1:1: `rooting.kind` cannot be swept"],
    );
    refuse(
        &["simulation.threads=0"],
        &["--set #1:1:20: threads: expected 1 to 1024 threads, found 0"],
    );
    refuse(
        &[
            "traffic.load=0.2",
            "network.kind=dragonfyl",
            "traffic.pattern=\"unifrom\"",
        ],
        &[
            "--set #2:1:14: unknown kind \"dragonfyl\"",
            "--set #3:1:17: unknown pattern \"unifrom\"",
        ],
    );
}

#[test]
fn suggestions_come_with_overrides_too() {
    let folder = good_study();
    let suggested = |text: &str, near: &str| {
        refuse(
            folder.path(),
            &["run", "study.toml", "--set", text],
            &[&format!("did you mean `{near}`?")],
        );
    };
    suggested("network.kind=dragonfyl", "dragonfly");
    suggested("trafic.load=0.2", "traffic");
    suggested("traffic.laod=0.2", "load");
    suggested("router.allocator=islipp", "islip");
    suggested("sweep.rooting.kind=[1]", "routing");
}

#[test]
fn invocations_that_make_no_sense() {
    let folder = good_study();
    let refuse = |arguments: &[&str], words: &[&str]| {
        refuse(folder.path(), arguments, words);
    };
    refuse(&[], &["Usage: turnwise <COMMAND>"]);
    refuse(
        &["rout", "study.toml"],
        &["unrecognized subcommand 'rout'", "'route'"],
    );
    refuse(&["run"], &["<STUDY>"]);
    refuse(
        &["run", "study.toml", "--shards", "0/2"],
        &["unexpected argument '--shards'", "'--shard'"],
    );
    refuse(
        &["run", "study.toml", "--format", "xml"],
        &["invalid value 'xml'", "table, json, csv"],
    );
    for shard in [
        "2/2",
        "x",
        "1",
        "1/0",
        "0/",
        "/2",
        "1.5/2",
        "0/99999999999999999999",
    ] {
        refuse(
            &["run", "study.toml", "--shard", shard],
            &[shard, "expected I/N with I below N, for example 0/4"],
        );
    }
    refuse(
        &["run", "study.toml", "--threads", "0"],
        &["invalid value '0'", "1..=1024"],
    );
    refuse(
        &["run", "study.toml", "--threads", "many"],
        &["invalid value 'many'"],
    );
    refuse(
        &["run", "study.toml", "--report", "--no-report"],
        &["cannot be used with"],
    );
    refuse(&["list", "topologys"], &["invalid value 'topologys'"]);
    refuse(
        &["describe", "routing", "dimension-oder"],
        &[
            "no routing called `dimension-oder`",
            "did you mean `dimension-order`?",
        ],
    );
    refuse(
        &["describe", "network", "dragonfyl"],
        &["no network called `dragonfyl`", "did you mean `dragonfly`?"],
    );
    refuse(
        &["describe", "pattern", "adversary"],
        &["did you mean `adversarial`?"],
    );
    refuse(
        &["describe", "formats", "json"],
        &["formats have no parameters"],
    );
    refuse(
        &["describe", "simulaton"],
        &[
            "nothing is called `simulaton`",
            "did you mean `simulation`?",
        ],
    );
    refuse(
        &["describe", "router", "bufer_flits"],
        &[
            "no field called `bufer_flits` in [router]",
            "did you mean `buffer_flits`?",
        ],
    );
    refuse(&["completions", "fsh"], &["invalid value 'fsh'", "'fish'"]);
    // Nothing of it is printed.
    refuse(
        &["serve", "study.toml", "--format", "json"],
        &["unexpected argument '--format'"],
    );
    refuse(
        &["network", "study.toml", "--export", "torus.jsn"],
        &[
            "format of torus.jsn",
            "`dot`, `graphml`, `json`, `net` and `conf`",
        ],
    );
    refuse(
        &["network", "study.toml", "--export", "torus"],
        &["format of torus by its extension"],
    );
    refuse(
        &["report", "study.toml"],
        &[
            "no results of this study in turnwise-out/study",
            "turnwise run study.toml",
        ],
    );
    let two = "sweep.routing.kind=[\"dimension-order\", \"shortest-path\"]";
    refuse(
        &["route", "study.toml", "--set", two, "--paths", "paths.csv"],
        &["this study has 2", "--set"],
    );
    refuse(
        &[
            "verify",
            "study.toml",
            "--set",
            two,
            "--certificate",
            "proof.json",
        ],
        &["this study has 2", "--set"],
    );
}

#[test]
fn studies_that_cannot_be_read() {
    let folder = good_study();
    fs::create_dir(folder.path().join("studies")).unwrap();
    for command in ["run", "plan", "route", "verify", "network", "report"] {
        refuse(
            folder.path(),
            &[command, "studdy.toml"],
            &[
                "cannot read studdy.toml: No such file",
                "did you mean `study.toml`?",
            ],
        );
    }
    refuse(
        folder.path(),
        &["run", "nowhere/study.toml"],
        &["cannot read nowhere/study.toml: No such file"],
    );
    refuse(
        folder.path(),
        &["run", "studies"],
        &["cannot read studies: Is a directory"],
    );
    refuse(
        folder.path(),
        &["run", "study.toml/study.toml"],
        &["cannot read study.toml/study.toml: Not a directory"],
    );
    refuse(
        folder.path(),
        &["run", "/proc/self/mem"],
        &["cannot read /proc/self/mem: Input/output error"],
    );
    let ran = shell(folder.path(), "\"$turnwise\" run - </dev/null");
    assert_refused(&ran, "an empty standard input");
    assert!(
        ran.stderr
            .contains("error: standard input: the table [network] is missing"),
        "{}",
        ran.stderr
    );
    let ran = shell(
        folder.path(),
        "sed s/torus/tours/ study.toml | \"$turnwise\" run -",
    );
    assert!(
        ran.stderr
            .contains("error: standard input:2:8: unknown kind \"tours\""),
        "{}",
        ran.stderr
    );
    let ran = shell(folder.path(), "\"$turnwise\" run - <.");
    assert!(
        ran.stderr
            .contains("cannot read standard input: Is a directory"),
        "{}",
        ran.stderr
    );
}

#[test]
fn endless_files_do_not_fill_the_memory() {
    let folder = good_study();
    let ran = shell(
        folder.path(),
        "ulimit -v 500000; \"$turnwise\" run /dev/zero",
    );
    assert_refused(&ran, "an endless study");
    assert!(
        ran.stderr.contains("/dev/zero is larger than 64 MiB"),
        "{}",
        ran.stderr
    );
    let ran = shell(
        folder.path(),
        "ulimit -v 500000; \"$turnwise\" run - </dev/zero",
    );
    assert!(
        ran.stderr.contains("standard input is larger than 64 MiB"),
        "{}",
        ran.stderr
    );
}

/// Refused within the memory of a small container: nothing of the asked size is allocated.
#[test]
fn absurd_sizes_need_no_memory() {
    let folder = good_study();
    let studies = bad_studies();
    for name in [
        "huge-torus",
        "huge-dragonfly",
        "huge-random-regular",
        "huge-full-mesh",
        "huge-tree",
        "too-many-points",
    ] {
        let study = studies.join(format!("{name}.toml"));
        let ran = shell(
            folder.path(),
            &format!("ulimit -v 500000; \"$turnwise\" run '{}'", study.display()),
        );
        assert_refused(&ran, name);
    }
}

#[test]
fn outputs_that_cannot_be_written() {
    let folder = good_study();
    let refuse = |arguments: &[&str], words: &[&str]| {
        refuse(folder.path(), arguments, words);
    };
    fs::write(folder.path().join("taken"), "mine").unwrap();
    fs::create_dir(folder.path().join("folder")).unwrap();
    refuse(
        &["run", "study.toml", "--output", "taken"],
        &["taken/results", "Not a directory"],
    );
    refuse(
        &["run", "study.toml", "--output", "taken", "--fresh"],
        &["taken", "File exists"],
    );
    refuse(
        &["run", "study.toml", "--output", "/proc/nowhere"],
        &["cannot use the result folder /proc/nowhere/results"],
    );
    refuse(
        &["run", "study.toml", "--csv", "nowhere/results.csv"],
        &["cannot write nowhere/results.csv"],
    );
    refuse(
        &["run", "study.toml", "--csv", "folder"],
        &["cannot write folder", "directory"],
    );
    refuse(
        &[
            "run",
            "study.toml",
            "--fresh",
            "--no-report",
            "--csv",
            "/dev/full",
        ],
        &["cannot write /dev/full: No space left"],
    );
    refuse(
        &["route", "study.toml", "--paths", "nowhere/paths.csv"],
        &["cannot write nowhere/paths.csv"],
    );
    refuse(
        &["route", "study.toml", "--paths", "/dev/full"],
        &["cannot write /dev/full: No space left"],
    );
    refuse(
        &["verify", "study.toml", "--certificate", "taken/proof.json"],
        &["cannot write taken/proof.json"],
    );
    refuse(
        &["verify", "study.toml", "--certificate", "/dev/full"],
        &["cannot write /dev/full: No space left"],
    );
    refuse(
        &["network", "study.toml", "--export", "nowhere/torus.json"],
        &["cannot write nowhere/torus.json"],
    );
    refuse(
        &["network", "study.toml", "--export", "taken/torus.dot"],
        &["cannot write taken/torus.dot"],
    );
    refuse(&["man", "taken"], &["cannot write taken"]);
    for arguments in [
        "list",
        "schema",
        "network study.toml",
        "run study.toml --fresh --format json",
    ] {
        let before = content(folder.path());
        let ran = shell(
            folder.path(),
            &format!("\"$turnwise\" {arguments} >/dev/full"),
        );
        assert_refused(&ran, arguments);
        assert!(
            ran.stderr
                .contains("cannot write standard output: No space left"),
            "{}",
            ran.stderr
        );
        assert_eq!(content(folder.path()), before, "{arguments}");
    }
}
