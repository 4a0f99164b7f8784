//! Runs the `turnwise` command in folders of its own and looks at what it left behind.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};

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
        Self { code: output.status.code(), stdout: text(output.stdout), stderr: text(output.stderr) }
    }
}

impl Ran {
    /// The same, after making sure that it ended well.
    pub(crate) fn fine(self) -> Self {
        assert_eq!(self.code, Some(0), "{self:#?}");
        self
    }
}

/// The command under test, to be run in `folder`.
pub(crate) fn command(folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_turnwise"));
    command.current_dir(folder).stdin(Stdio::null()).env("RUST_BACKTRACE", "1");
    command
}

/// Runs `turnwise ARGUMENTS` in `folder`.
pub(crate) fn turnwise(folder: &Path, arguments: &[&str]) -> Ran {
    command(folder).args(arguments).output().unwrap().into()
}

/// Runs a line of shell in `folder`, with `$turnwise` as the command under test.
pub(crate) fn shell(folder: &Path, line: &str) -> Ran {
    let mut command = Command::new("sh");
    command.current_dir(folder).stdin(Stdio::null()).env("turnwise", env!("CARGO_BIN_EXE_turnwise"));
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
        let name = path.strip_prefix(root).unwrap().to_str().unwrap().to_owned();
        if path.is_dir() {
            all.insert(name, None);
            collect(root, &path, all);
        } else {
            all.insert(name, Some(fs::read(&path).unwrap()));
        }
    }
}
