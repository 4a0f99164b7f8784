//! What holds for every study that the schema allows, whatever is in it: it is refused where the mistake is, or it runs; and then
//! planning knew so, its rows are the same on any number of threads, when they are found again, and point by point; what is proved does not deadlock.
//!
//! 120 studies, or as many as `TURNWISE_SOAK_STUDIES` says, from `PROPTEST_RNG_SEED`. Which one fails is said with its text.

#![allow(clippy::unwrap_used, reason = "tests and their helpers may")]

#[allow(dead_code)]
mod common;
mod drawing;

use common::{Ran, assert_refused, examples, rows, shell, turnwise};
use drawing::{Drawer, Table, alone, text};
use serde_json::Value as Json;
use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicU32, Ordering};
use tempfile::TempDir;

/// Larger ones are planned, and not run.
const MOST_SECONDS: f64 = 0.5;
/// Of routers or terminals: such networks are drawn again.
const LARGE: u64 = 200;

fn set(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}

#[test]
fn every_drawn_study_is_refused_where_it_is_wrong_or_runs() {
    let printed = shell(Path::new("."), "\"$turnwise\" schema").fine().stdout;
    let schema: Json = serde_json::from_str(&printed).unwrap();
    let seed = set("PROPTEST_RNG_SEED").unwrap_or(1);
    let studies = set("TURNWISE_SOAK_STUDIES").unwrap_or(120) as u32;
    let (next, run) = (AtomicU32::new(0), AtomicU32::new(0));
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                let folder = folder();
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    if number >= studies {
                        break;
                    }
                    let mut drawer = Drawer::new(&schema, seed, number);
                    let study = drawer.study();
                    let was_run = settle(folder.path(), drawer, study);
                    run.fetch_add(u32::from(was_run), Ordering::Relaxed);
                }
            });
        }
    });
    let run = run.into_inner();
    assert!(3 * run > studies, "only {run} of {studies} could be run");
}

/// Where the files are that studies name.
fn folder() -> TempDir {
    let folder = examples();
    let fabric = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../studies/infiniband/fabric.net");
    fs::copy(fabric, folder.path().join("fabric.net")).unwrap();
    folder
}

/// Mends a study until it can be planned, and runs it; was it run?
fn settle(folder: &Path, mut drawer: Drawer<'_>, mut study: Table) -> bool {
    let json = |arguments: &[&str]| {
        let arguments = [arguments, &["study.toml", "--format", "json"]].concat();
        turnwise(folder, &arguments)
    };
    let mut was_refused = false;
    for _ in 0..25 {
        fs::write(folder.join("study.toml"), text(&study)).unwrap();
        let network = json(&["network", "--no-distances"]);
        assert_ended(&network, &[0, 1, 2], &study);
        if rows(&network).iter().any(is_large) {
            drawer.draw_table(&mut study, "network");
            continue;
        }
        let planned = json(&["plan"]);
        let what = || format!("{}\n{planned:#?}\n{network:#?}", text(&study));
        if planned.code != Some(2) {
            assert_eq!(planned.code, Some(0), "{}", what());
            assert_ne!(network.code, Some(2), "{}", what());
            let seconds = rows(&planned);
            let seconds = seconds
                .iter()
                .filter_map(|row| row["estimated_seconds"].as_f64());
            let is_short = seconds.sum::<f64>() < MOST_SECONDS;
            if is_short {
                runs_the_same(folder, &study);
            }
            return is_short;
        }
        assert_refused(&planned, &what());
        let first = planned.stderr.lines().next().unwrap();
        assert!(
            first.starts_with("error: study.toml:") || is_table_missing(first),
            "{}",
            what()
        );
        if !was_refused {
            let ran = json(&["run"]);
            assert_eq!(
                (ran.code, &ran.stderr),
                (Some(2), &planned.stderr),
                "{}",
                what()
            );
            assert_ended(&json(&["verify"]), &[0, 1, 2, 3], &study);
            was_refused = true;
        }
        if !drawer.mend(&mut study, &planned.stderr) {
            break;
        }
    }
    false
}

/// A command ends with one of these codes, and not in a panic.
fn assert_ended(ran: &Ran, codes: &[i32], study: &Table) {
    let is_known = ran.code.is_some_and(|code| codes.contains(&code));
    let is_told = is_known && !ran.stderr.contains("panicked");
    assert!(is_told, "{}\n{ran:#?}", text(study));
}

/// There is no place for what is not there.
fn is_table_missing(first: &str) -> bool {
    first.starts_with("error: study.toml: the table [") && first.ends_with(" is missing")
}

/// Has a network more routers or terminals than one waits for here?
fn is_large(network: &Json) -> bool {
    let counts = [&network["routers"], &network["terminals"]];
    counts.iter().any(|count| count.as_u64() > Some(LARGE))
}

/// Runs what can be planned in several ways.
fn runs_the_same(folder: &Path, study: &Table) {
    let run = |more: &[&str]| -> Ran {
        let ran = turnwise(
            folder,
            &[&["run", "study.toml", "--format", "json"], more].concat(),
        );
        assert_ended(&ran, &[0, 1, 3], study);
        ran
    };
    let output = tempfile::tempdir().unwrap();
    let kept = ["--report", "--output", output.path().to_str().unwrap()];
    let one = run(&[&kept[..], &["--threads", "1"]].concat());
    let again = run(&[&kept[..], &["--threads", "1"]].concat());
    let told = rows(&one);
    let differs = |what: &str| format!("{what}:\n{}", text(study));
    assert_eq!(rows(&again), told, "{}", differs("found again"));
    assert_eq!(again.code, one.code, "{}", differs("found again"));
    let page = fs::read_to_string(output.path().join("report.html")).unwrap();
    for wrong in [">NaN", "NaN,", ">undefined<", ">inf<"] {
        assert!(!page.contains(wrong), "{}", differs(wrong));
    }

    let bare = ["--fresh", "--no-report"];
    let two = rows(&run(&[&bare[..], &["--threads", "2"]].concat()));
    let one: Vec<Json> = told.iter().map(measured).collect();
    let two: Vec<Json> = two.iter().map(measured).collect();
    assert_eq!(two, one, "{}", differs("on two threads"));
    deadlocks_are_foreseen(folder, study, &told);

    let Some(points) = alone(study) else {
        return;
    };
    let mut singly = Vec::new();
    for point in points {
        fs::write(folder.join("study.toml"), text(&point)).unwrap();
        singly.extend(rows(&run(&bare)).iter().map(of_no_sweep));
    }
    let mut swept: Vec<String> = told.iter().map(of_no_sweep).collect();
    swept.sort();
    singly.sort();
    assert_eq!(singly, swept, "{}", differs("point by point"));
}

/// What is proved free of deadlock does not deadlock.
fn deadlocks_are_foreseen(folder: &Path, study: &Table, rows: &[Json]) {
    let verified = turnwise(folder, &["verify", "study.toml"]);
    assert_ended(&verified, &[0, 1, 3], study);
    let stood_still = rows.iter().any(|row| row["deadlocked"] == true);
    assert!(
        verified.code != Some(0) || !stood_still,
        "proved, and stands still:\n{}",
        text(study)
    );
}

/// A row without the verdict, which is there only with a report.
fn measured(row: &Json) -> Json {
    let mut row = row.clone();
    row.as_object_mut().unwrap().remove("verdict");
    row
}

/// A row as it is whatever else is swept.
fn of_no_sweep(row: &Json) -> String {
    let mut row = measured(row);
    row.as_object_mut().unwrap().remove("point");
    row.to_string()
}
