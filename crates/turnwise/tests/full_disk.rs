//! Stores and disks that fail: what could be kept is kept, and the rest can be made up for.

#![allow(clippy::unwrap_used, reason = "tests and their helpers may")]

#[allow(dead_code)]
mod common;

use common::{Ran, assert_refused, content, good_study, refuse, rows, shell, turnwise};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Sixteen points, enough for a store of several pages.
const SIXTEEN: [&str; 2] = [
    "--set",
    "sweep.traffic.load={ from = 0.01, to = 0.16, step = 0.01 }",
];

fn run_sixteen(folder: &Path, more: &[&str]) -> Ran {
    let mut arguments = vec!["run", "study.toml", "--no-report"];
    arguments.extend(SIXTEEN.iter().chain(more));
    turnwise(folder, &arguments)
}

/// With `ulimit`, because it works for everybody: a write beyond the limit fails like one to a
/// full disk. (`dash` counts in blocks of 512 bytes, others in KiB.)
#[test]
fn a_full_disk_costs_nothing_but_the_rest() {
    let folder = good_study();
    let study = fs::read(folder.path().join("study.toml")).unwrap();
    let limited = |blocks: u32, arguments: &str| {
        let set = "--set 'sweep.traffic.load={ from = 0.01, to = 0.16, step = 0.01 }'";
        let line = format!("ulimit -f {blocks}; exec \"$turnwise\" {arguments} study.toml {set}");
        shell(folder.path(), &line)
    };
    let before = content(folder.path());
    let ran = limited(0, "run --no-report");
    assert_refused(&ran, "no room for a store");
    assert!(
        ran.stderr
            .contains("cannot use the result store turnwise-out/study/results/"),
        "{}",
        ran.stderr
    );
    assert_eq!(content(folder.path()), before, "no room for a store");

    // Twenty KiB are an empty store, and its journal stays below that.
    let ran = limited(42, "run --no-report");
    assert_refused(&ran, "no room for all rows");
    assert!(
        ran.stderr.contains("shard0-writer0.sqlite"),
        "{}",
        ran.stderr
    );
    let left: Vec<String> = content(folder.path()).into_keys().collect();
    let kept = [
        "study.toml",
        "turnwise-out",
        "turnwise-out/study",
        "turnwise-out/study/results",
    ];
    assert_eq!(left[..4], kept);
    assert_eq!(
        left[4..],
        ["turnwise-out/study/results/shard0-writer0.sqlite"],
        "a store and nothing else"
    );

    let resumed = run_sixteen(folder.path(), &["--format", "json"]).fine();
    let whole = run_sixteen(folder.path(), &["--format", "json", "--fresh"]).fine();
    assert_eq!(rows(&resumed).len(), 16);
    assert_eq!(rows(&resumed), rows(&whole));

    let before = content(folder.path());
    let ran = limited(16, "report");
    assert_refused(&ran, "no room for a report");
    assert!(
        ran.stderr
            .contains("cannot write turnwise-out/study/report.html: File too large"),
        "{}",
        ran.stderr
    );
    assert_eq!(content(folder.path()), before, "no room for a report");
    assert_eq!(fs::read(folder.path().join("study.toml")).unwrap(), study);
}

/// A file system of a few KiB, gone when dropped.
struct Tmpfs(PathBuf);

impl Tmpfs {
    fn mount(at: &Path, size: &str) -> Option<Self> {
        let mut command = Command::new("mount");
        command
            .args([
                "-t",
                "tmpfs",
                "-o",
                &format!("size={size}"),
                "turnwise-test",
            ])
            .arg(at);
        let mounted = command
            .stderr(Stdio::null())
            .status()
            .is_ok_and(|status| status.success());
        mounted.then(|| Self(at.to_owned()))
    }

    fn resize(&self, size: &str) {
        let options = format!("remount,size={size}");
        let status = Command::new("mount")
            .args(["-o", &options])
            .arg(&self.0)
            .status()
            .unwrap();
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
    let folder = good_study();
    let disk = folder.path().join("disk");
    fs::create_dir(&disk).unwrap();
    let Some(tmpfs) = Tmpfs::mount(&disk, "48k") else {
        eprintln!("nothing can be mounted here; see a_full_disk_costs_nothing_but_the_rest");
        return;
    };
    let ran = run_sixteen(folder.path(), &["--output", "disk/out"]);
    assert_refused(&ran, "a full disk");
    assert!(
        ran.stderr
            .contains("disk/out/results/shard0-writer0.sqlite: database or disk is full"),
        "{}",
        ran.stderr
    );
    let names: Vec<String> = content(&disk).into_keys().collect();
    assert_eq!(
        names,
        ["out", "out/results", "out/results/shard0-writer0.sqlite"]
    );

    tmpfs.resize("128k");
    let resumed = run_sixteen(folder.path(), &["--output", "disk/out", "--format", "json"]).fine();
    let whole = run_sixteen(folder.path(), &["--fresh", "--format", "json"]).fine();
    assert_eq!(rows(&resumed), rows(&whole));

    let before = content(&disk);
    let ran = turnwise(
        folder.path(),
        &[
            "report",
            "study.toml",
            SIXTEEN[0],
            SIXTEEN[1],
            "--output",
            "disk/out",
        ],
    );
    assert_refused(&ran, "no room for a report");
    assert!(
        ran.stderr
            .contains("cannot write disk/out/report.html: No space left on device"),
        "{}",
        ran.stderr
    );
    assert_eq!(content(&disk), before);
    let ran = turnwise(
        folder.path(),
        &[
            "route",
            "study.toml",
            "--set",
            "network.sizes=[8, 8]",
            "--paths",
            "disk/paths.csv",
        ],
    );
    assert_refused(&ran, "no room for paths");
    assert_eq!(content(&disk), before);
}

/// What is wrong with a store is named, and nothing is written to it.
fn refuse_store(damage: impl FnOnce(Vec<u8>) -> Vec<u8>, words: &str) {
    let folder = good_study();
    run_sixteen(folder.path(), &[]).fine();
    let store = folder
        .path()
        .join("turnwise-out/study/results/shard0-writer0.sqlite");
    let whole = fs::read(&store).unwrap();
    fs::write(&store, damage(whole)).unwrap();
    let name = "turnwise-out/study/results/shard0-writer0.sqlite";
    for command in ["run", "plan", "report"] {
        let arguments = [command, "study.toml", SIXTEEN[0], SIXTEEN[1]];
        refuse(
            folder.path(),
            &arguments,
            &[name, "is damaged", words, "move it away"],
        );
    }
    fs::rename(&store, folder.path().join("damaged")).unwrap();
    assert_eq!(
        run_sixteen(folder.path(), &["--format", "json"])
            .fine()
            .stdout
            .lines()
            .count(),
        16
    );
}

/// Everywhere, because pages of a database keep copies of rows that have moved.
fn replaced(mut bytes: Vec<u8>, from: &[u8], to: &[u8]) -> Vec<u8> {
    assert_eq!(from.len(), to.len());
    let places: Vec<usize> = (0..bytes.len())
        .filter(|&at| bytes[at..].starts_with(from))
        .collect();
    assert!(!places.is_empty());
    places
        .iter()
        .for_each(|&at| bytes[at..at + to.len()].copy_from_slice(to));
    bytes
}

#[test]
fn damaged_stores_are_refused_and_left_alone() {
    refuse_store(
        |_| b"These are not the results you are looking for.".repeat(100),
        "file is not a database",
    );
    refuse_store(|bytes| bytes[..bytes.len() / 2].to_vec(), "malformed");
    refuse_store(
        |bytes| replaced(bytes, b"{\"point\":", b"?\"point\":"),
        "is no JSON",
    );
    refuse_store(
        |bytes| replaced(bytes, b"\"fingerprint\":", b"\"fingerprunt\":"),
        "has no `fingerprint`",
    );
    refuse_store(
        |bytes| replaced(bytes, b"\"point\":{", b"\"punkt\":{"),
        "has no `point`",
    );
}
