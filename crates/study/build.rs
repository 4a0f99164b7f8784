//! Notes which sources this is built from, so that results can say which program made them.
//!
//! In a checkout that is the last commit that changed any of them; what is not committed yet adds its digest, and outside of a checkout
//! there is nothing else.

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
    for path in ["build.rs"].iter().chain(&SOURCES) {
        println!("cargo:rerun-if-changed={path}");
    }
    // Where git notes every move of HEAD, which linked worktrees have elsewhere; what is not there would count as changed every time.
    let moves = git(&["rev-parse", "--git-path", "logs/HEAD"], &[]);
    if let Some(path) = moves.filter(|path| Path::new(path).exists()) {
        println!("cargo:rerun-if-changed={path}");
    }
}

fn revision() -> String {
    let commit = git(&["log", "-1", "--abbrev=12", "--format=%h", "--"], &SOURCES);
    let changed = git(&["status", "--porcelain", "--"], &SOURCES);
    // Sources that lie in the checkout of something else are in no commit of it.
    match (commit.filter(|commit| !commit.is_empty()), changed) {
        (Some(commit), Some(changed)) if changed.is_empty() => commit,
        (Some(commit), Some(_)) => format!("{commit}+{}", digest()),
        _ => format!("sources-{}", digest()),
    }
}

/// What git prints of these paths, if there is git and this is a checkout.
fn git(arguments: &[&str], paths: &[&str]) -> Option<String> {
    let mut command = Command::new("git");
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
