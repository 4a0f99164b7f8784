//! Runs the `turnwise` command in folders of its own and looks at what it left behind.

use serde_json::Value;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use tempfile::TempDir;

/// How a command ended and what it said.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl From<Output> for Ran {
    fn from(output: Output) -> Self {
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        Self {
            code: output.status.code(),
            stdout: text(output.stdout),
            stderr: text(output.stderr),
        }
    }
}

impl Ran {
    /// The same, after making sure that it ended well.
    pub(crate) fn fine(self) -> Self {
        assert_eq!(self.code, Some(0), "{self:#?}");
        self
    }
}

/// The command under test: `$TURNWISE`, or the one that was built with the tests.
fn program() -> OsString {
    std::env::var_os("TURNWISE").unwrap_or(env!("CARGO_BIN_EXE_turnwise").into())
}

/// The command under test, to be run in `folder`.
pub(crate) fn command(folder: &Path) -> Command {
    let mut command = Command::new(program());
    command
        .current_dir(folder)
        .stdin(Stdio::null())
        .env("RUST_BACKTRACE", "1");
    command
}

/// Runs `turnwise ARGUMENTS` in `folder`.
pub(crate) fn turnwise(folder: &Path, arguments: &[&str]) -> Ran {
    command(folder).args(arguments).output().unwrap().into()
}

/// Runs a line of shell in `folder`, with `$turnwise` as the command under test.
pub(crate) fn shell(folder: &Path, line: &str) -> Ran {
    let mut command = Command::new("sh");
    command
        .current_dir(folder)
        .stdin(Stdio::null())
        .env("turnwise", program());
    command.args(["-c", line]).output().unwrap().into()
}

/// Everything below `folder`: files with their content, folders without.
pub(crate) fn content(folder: &Path) -> BTreeMap<String, Option<Vec<u8>>> {
    let mut all = BTreeMap::new();
    collect(folder, folder, &mut all);
    all
}

fn collect(root: &Path, folder: &Path, all: &mut BTreeMap<String, Option<Vec<u8>>>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path
            .strip_prefix(root)
            .unwrap()
            .to_str()
            .unwrap()
            .to_owned();
        if path.is_dir() {
            all.insert(name, None);
            collect(root, &path, all);
        } else {
            all.insert(name, Some(fs::read(&path).unwrap()));
        }
    }
}

pub(crate) const GOOD: &str = "\
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
pub(crate) fn good_study() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("study.toml"), GOOD).unwrap();
    folder
}

/// A refusal is quiet on stdout, not a panic, and has exit code 2.
pub(crate) fn assert_refused(ran: &Ran, what: &str) {
    assert_eq!(ran.code, Some(2), "{what}: {ran:#?}");
    assert_eq!(ran.stdout, "", "{what}");
    assert!(!ran.stderr.contains("panicked"), "{what}: {}", ran.stderr);
}

/// Runs a command that must be refused with all of these words and leave everything as it was.
pub(crate) fn refuse(folder: &Path, arguments: &[&str], words: &[&str]) -> Ran {
    let before = content(folder);
    let ran = turnwise(folder, arguments);
    let what = arguments.join(" ");
    assert_refused(&ran, &what);
    for words in words {
        assert!(
            ran.stderr.contains(words),
            "{what}: expected {words:?} in\n{}",
            ran.stderr
        );
    }
    assert_eq!(content(folder), before, "{what}: something was left behind");
    ran
}

/// A folder with the studies of the transcripts in `tests/cmd`.
pub(crate) fn examples() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let studies = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cmd/studies");
    for study in fs::read_dir(studies).unwrap() {
        let study = study.unwrap();
        if study.file_type().unwrap().is_dir() {
            continue;
        }
        fs::copy(study.path(), folder.path().join(study.file_name())).unwrap();
    }
    folder
}

/// The only JSON line on stdout.
pub(crate) fn json(ran: &Ran) -> Value {
    serde_json::from_str(&ran.stdout).unwrap()
}

/// The rows on stdout, but for their seconds.
pub(crate) fn rows(ran: &Ran) -> Vec<Value> {
    let mut rows: Vec<Value> = ran
        .stdout
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    rows.iter_mut()
        .for_each(|row| drop(row.as_object_mut().unwrap().remove("seconds")));
    rows
}

/// A folder with the fabric of `studies/infiniband`, and what OpenSM had programmed it with.
pub(crate) fn subnet() -> (TempDir, String) {
    let folder = tempfile::tempdir().unwrap();
    let studies = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../studies/infiniband");
    for file in ["fabric.net", "opensm-lfts.dump"] {
        fs::copy(studies.join(file), folder.path().join(file)).unwrap();
    }
    let tables = fs::read_to_string(folder.path().join("opensm-lfts.dump")).unwrap();
    (folder, tables)
}

/// What `turnwise verify` says of these tables of `fabric.net`.
pub(crate) fn verify(folder: &TempDir, tables: &str, more: &[&str]) -> Ran {
    fs::write(folder.path().join("now.lft"), tables).unwrap();
    let arguments = ["verify", "--fabric", "fabric.net", "--lft", "now.lft"];
    turnwise(folder.path(), &[&arguments, more].concat())
}

/// Tables whose ports have two LIDs each, twice the one they have here and the next, with the same routes.
pub(crate) fn doubled_lids(tables: &str) -> String {
    let doubled = |line: &str| match line.strip_prefix("0x") {
        Some(entry) => {
            let (lid, port) = entry.split_once(' ').unwrap();
            let lid = 2 * u32::from_str_radix(lid, 16).unwrap();
            format!("{lid:#06x} {port}\n{:#06x} {port}\n", lid + 1)
        }
        None => format!("{line}\n"),
    };
    tables.lines().map(doubled).collect()
}

/// Writes `fabric.net` without the link whose ends begin with these words as `cut.net`.
pub(crate) fn cut_link(folder: &Path, ends: [&str; 2]) {
    let fabric = fs::read_to_string(folder.join("fabric.net")).unwrap();
    let is_left = |line: &&str| !ends.iter().any(|end| line.starts_with(end));
    let left: Vec<&str> = fabric.lines().filter(is_left).collect();
    assert_eq!(left.len() + 2, fabric.lines().count());
    fs::write(folder.join("cut.net"), left.join("\n")).unwrap();
}
