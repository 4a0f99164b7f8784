//! Whatever is killed whenever: the same command goes on, nothing is lost or counted twice.

#![allow(clippy::unwrap_used, reason = "tests and their helpers may")]

#[allow(dead_code)]
mod common;

use common::{Ran, command, content, turnwise};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// Sixty points of a few ten milliseconds each.
const STUDY: &str = "\
[network]
kind = \"torus\"
sizes = [4, 4]
terminals_per_router = 2

[routing]
kind = \"dimension-order\"

[traffic]
pattern = \"uniform\"
load = 0.2

[simulation]
warmup_cycles = 200
measure_cycles = 2500

[study]
repeat = 4

[sweep]
\"traffic.load\" = [0.1, 0.2, 0.3, 0.4, 0.5]
\"traffic.packet_flits\" = [1, 2, 4]
";

const POINTS: usize = 60;

/// Where the results of [`STUDY`] are kept.
const STORE: &str = "turnwise-out/study/results";

const RUN: [&str; 6] = ["run", "study.toml", "--threads", "1", "--format", "json"];

fn folder() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("study.toml"), STUDY).unwrap();
    folder
}

/// The rows by their points, but for the seconds they took.
fn rows(ran: &Ran) -> BTreeMap<String, Value> {
    let mut rows = BTreeMap::new();
    for line in ran.stdout.lines() {
        let mut row: Value = serde_json::from_str(line).unwrap();
        row.as_object_mut().unwrap().remove("seconds");
        let twice = rows.insert(row["point"].to_string(), row);
        assert_eq!(twice, None, "a point is there twice");
    }
    rows
}

/// All rows of a run that nobody disturbs, and the time it takes.
fn undisturbed() -> (BTreeMap<String, Value>, Duration) {
    let start = Instant::now();
    let ran = turnwise(folder().path(), &RUN).fine();
    (rows(&ran), start.elapsed())
}

fn start(folder: &Path) -> Child {
    let mut command = command(folder);
    command
        .args(RUN)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

/// SplitMix64: moments that are arbitrary, but the same in every run of this test.
fn random(state: &mut u64) -> f64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut z = *state;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 53) as f64
}

const KILLS: usize = 20;

/// Starts a run and kills it, again and again; how many of them were still running then.
fn kill_again_and_again(folder: &Path, time: Duration) -> usize {
    let mut moment = 1;
    let mut hits = 0;
    for _ in 0..KILLS {
        let mut child = start(folder);
        // On average a twenty-fourth of the study, so that the last one still has work to do.
        std::thread::sleep(time.mul_f64(random(&mut moment) / 12.0));
        child.kill().unwrap();
        let ended = child.wait_with_output().unwrap();
        let was_killed = ended.status.code().is_none();
        hits += usize::from(was_killed);
        if was_killed {
            // Who has done all of it, and has not ended yet, may have given advice.
            let talk = String::from_utf8_lossy(&ended.stderr);
            let advice = |line: &&str| line.starts_with("A warm-up of ");
            let others: Vec<&str> = talk.lines().filter(|line| !advice(line)).collect();
            assert_eq!(others, [""; 0]);
        }
    }
    hits
}

#[test]
fn killed_twenty_times_and_complete_in_the_end() {
    let (expected, mut time) = undisturbed();
    assert_eq!(expected.len(), POINTS);
    let folder = loop {
        let folder = folder();
        if kill_again_and_again(folder.path(), time) > KILLS / 2 {
            break folder;
        }
        // The machine was busy with something else when the time was taken, and is not any more.
        time /= 2;
        assert!(
            time > Duration::from_millis(10),
            "nothing runs that could be killed"
        );
    };
    let ran = turnwise(folder.path(), &RUN).fine();
    assert_eq!(rows(&ran), expected);
    // Once more there is nothing left to do, and nothing changes.
    let before = content(folder.path());
    assert_eq!(rows(&turnwise(folder.path(), &RUN).fine()), expected);
    assert_eq!(content(folder.path()), before);
    let files: Vec<String> = content(&folder.path().join(STORE)).into_keys().collect();
    assert_eq!(
        files,
        ["shard0-writer0.sqlite"],
        "every run went on with the store of the one before"
    );
}

/// Waits until something holds of what `plan` tells, without ending the run it is about.
fn await_plan(folder: &Path, child: &mut Child, holds: impl Fn(&str) -> bool) {
    let deadline = Instant::now() + Duration::from_secs(20);
    while !holds(
        &turnwise(folder, &["plan", "study.toml", "--format", "json"])
            .fine()
            .stdout,
    ) {
        assert!(Instant::now() < deadline, "it took too long");
        if child.try_wait().unwrap().is_some() {
            return;
        }
    }
}

fn signal(child: &Child, name: &str) {
    let pid = child.id().to_string();
    assert!(
        Command::new("kill")
            .args([&format!("-{name}"), &pid])
            .status()
            .unwrap()
            .success()
    );
}

#[test]
fn interrupted_with_control_c_it_says_how_to_go_on() {
    let (expected, _) = undisturbed();
    let mut tries = 0;
    let (folder, ended) = loop {
        let folder = folder();
        let mut child = start(folder.path());
        await_plan(folder.path(), &mut child, |plan| {
            plan.contains("\"done\":true")
        });
        // On a busy machine it may have come to its end while it was asked for.
        if child.try_wait().unwrap().is_none() {
            signal(&child, "INT");
        }
        let ended: Ran = child.wait_with_output().unwrap().into();
        tries += 1;
        if ended.code != Some(0) || tries > 20 {
            break (folder, ended);
        }
    };
    assert_eq!(ended.code, Some(130), "{}", ended.stderr);
    let done = rows(&ended).len();
    let message = format!(
        "interrupted after {done} of {POINTS} points; the same command goes on from here\n"
    );
    assert_eq!(ended.stderr, message);
    assert!((1..POINTS).contains(&done), "{done} points");
    assert!(
        rows(&ended)
            .iter()
            .all(|(point, row)| &expected[point] == row)
    );

    let plan = turnwise(folder.path(), &["plan", "study.toml"]).fine();
    assert!(
        plan.stdout
            .contains(&format!("{POINTS} points, {done} of them done")),
        "{}",
        plan.stdout
    );
    let table = turnwise(folder.path(), &["run", "study.toml"]).fine();
    let verb = if done == 1 {
        "point was"
    } else {
        "points were"
    };
    assert!(
        table
            .stdout
            .contains(&format!("({done} {verb} there from an earlier run.)")),
        "{}",
        table.stdout
    );
    assert_eq!(rows(&turnwise(folder.path(), &RUN).fine()), expected);
}

#[test]
fn interrupted_while_it_proves_it_says_the_same() {
    let folder = folder();
    let large = ["--set", "network.sizes=[54, 54]", "--set", "study.repeat=1"];
    let small = [
        "--set",
        "simulation.measure_cycles=1",
        "--set",
        "simulation.warmup_cycles=0",
    ];
    let one = [
        "--set",
        "sweep.traffic.load=[0.01]",
        "--set",
        "sweep.traffic.packet_flits=[1]",
    ];
    let changes = [large, small, one].concat();
    let mut command = command(folder.path());
    let command = command.args(["run", "study.toml"]).args(&changes);
    let mut child = command
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let plan = [&["plan", "study.toml", "--format", "json"], &changes[..]].concat();
    let deadline = Instant::now() + Duration::from_secs(20);
    while !turnwise(folder.path(), &plan)
        .fine()
        .stdout
        .contains("\"done\":true")
    {
        assert!(
            Instant::now() < deadline && child.try_wait().unwrap().is_none(),
            "it took too long"
        );
    }
    signal(&child, "INT");
    let ended: Ran = child.wait_with_output().unwrap().into();
    let message = "interrupted after 1 of 1 point; the same command goes on from here\n";
    assert_eq!(
        (ended.code, ended.stderr.as_str()),
        (Some(130), message),
        "{ended:?}"
    );
    assert!(
        !folder
            .path()
            .join("turnwise-out/study/report.html")
            .exists()
    );
}

/// Tasks of an array job start when they may; those that come later read what is there
/// without waiting for those that still run.
#[test]
fn a_running_task_holds_nobody_up() {
    let folder = folder();
    let long = [
        "--set",
        "simulation.measure_cycles=100000000",
        "--set",
        "sweep.traffic.load=[0.1]",
    ];
    let mut child = command(folder.path())
        .args(RUN)
        .args(["--shard", "0/2"])
        .args(long)
        .spawn()
        .unwrap();
    let lock = folder.path().join(STORE).join("shard0-writer0.lock");
    await_plan(folder.path(), &mut child, |_| lock.exists());
    turnwise(folder.path(), &["plan", "study.toml"]).fine();
    let second = turnwise(folder.path(), &[&RUN[..], &["--shard", "1/2"]].concat()).fine();
    assert_eq!(rows(&second).len(), POINTS / 2);
    // The same task once more takes a store of its own.
    let third = turnwise(folder.path(), &[&RUN[..], &["--shard", "0/2"]].concat()).fine();
    assert_eq!(rows(&third).len(), POINTS);
    assert!(
        child.try_wait().unwrap().is_none(),
        "somebody waited for the first task, or it ended too early to tell"
    );
    child.kill().unwrap();
    child.wait().unwrap();
    let files: Vec<String> = content(&folder.path().join(STORE)).into_keys().collect();
    let stores: Vec<&String> = files
        .iter()
        .filter(|name| name.ends_with(".sqlite"))
        .collect();
    assert_eq!(
        stores,
        [
            "shard0-writer0.sqlite",
            "shard0-writer1.sqlite",
            "shard1-writer0.sqlite"
        ]
    );
}
