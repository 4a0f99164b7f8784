//! Notes which sources this is built from, so that results can say which program made them.
//!
//! In a checkout that is the last commit that changed any of them; what is not committed yet adds its digest. Outside of a checkout, and in
//! a shallow one, there is nothing else.

use std::fs;
use std::hash::{DefaultHasher, Hasher};
use std::path::Path;
use std::process::Command;

/// What results depend on, seen from this crate. Who only shows them, or hands them round, changes nothing about them.
const SOURCES: [&str; 11] = [
    "../../Cargo.lock",
    "../../Cargo.toml",
    "../application/src",
    "../config/src",
    "../network/src",
    "../routing/src",
    "../sim/src",
    "../unified/src",
    "../verify/src",
    "../workload/src",
    "src",
];

fn main() {
    println!("cargo:rustc-env=TURNWISE_REVISION={}", revision());
    // Where git notes every move of HEAD, which linked worktrees have elsewhere.
    let moves = git(&["rev-parse", "--git-path", "logs/HEAD"], &[]);
    let paths = ["build.rs"].into_iter().chain(SOURCES);
    // What is not there would count as changed every time.
    for path in paths.chain(moves.as_deref()) {
        if Path::new(path).exists() {
            println!("cargo:rerun-if-changed={path}");
        }
    }
}

fn revision() -> String {
    let commit = git(&["log", "-1", "--abbrev=12", "--format=%h", "--"], &SOURCES);
    let changed = git(&["status", "--porcelain", "--"], &SOURCES);
    // Of what lies beside a checkout's own files git knows no commit, and a shallow one has everything from its oldest.
    let is_shallow = git(&["rev-parse", "--is-shallow-repository"], &[]);
    let is_whole = is_shallow.as_deref() == Some("false");
    let commit = commit.filter(|commit| is_whole && !commit.is_empty());
    match (commit, changed) {
        (Some(commit), Some(changed)) if changed.is_empty() => commit,
        (Some(commit), Some(_)) => format!("{commit}+{}", digest()),
        _ => format!("sources-{}", digest()),
    }
}

/// What git prints of these paths, if there is git and this is a checkout.
fn git(arguments: &[&str], paths: &[&str]) -> Option<String> {
    let mut command = Command::new("git");
    // A build that a hook starts may be of another repository than the hook's.
    for name in ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"] {
        command.env_remove(name);
    }
    let output = command.args(arguments).args(paths).output().ok()?;
    let text = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    output.status.success().then_some(text)
}

/// Of everything there is in the sources: eight digits, which the same compiler gives to the same text.
fn digest() -> String {
    let mut hasher = DefaultHasher::new();
    for path in SOURCES {
        add(Path::new(path), &mut hasher);
    }
    format!("{:08x}", hasher.finish() >> 32)
}

fn add(path: &Path, hasher: &mut DefaultHasher) {
    let Ok(entries) = fs::read_dir(path) else {
        let content = fs::read(path).unwrap_or_default();
        hasher.write(path.to_string_lossy().as_bytes());
        hasher.write_usize(content.len());
        return hasher.write(&content);
    };
    let mut below: Vec<_> = entries.flatten().map(|entry| entry.path()).collect();
    below.sort();
    for path in below {
        add(&path, hasher);
    }
}
