//! `verify --failures`: what becomes of tables when each part of a network fails alone.

#![allow(clippy::unwrap_used, reason = "tests and their helpers may")]

#[allow(dead_code)]
mod common;

use common::{Ran, cut_link, json, subnet, turnwise};
use std::fs;
use std::path::Path;

fn run(folder: &Path, line: &str) -> Ran {
    turnwise(folder, &line.split(' ').collect::<Vec<_>>())
}

fn study(network: &str, routing: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let study = format!("[network]\n{network}\n[routing]\n{routing}\n");
    fs::write(folder.path().join("study.toml"), study).unwrap();
    folder
}

/// Four switches in a row: whatever fails cuts pairs off, which no table could help.
#[test]
fn what_nothing_else_connects_is_cut_off() {
    let folder = study("kind = 'mesh'\nsizes = [4]", "kind = 'turnwise'");
    let told = run(folder.path(), "verify study.toml --failures failures.csv").fine();
    let about_links = "  if one of 3 links fails, tables can be mended behind all of them\n    \
                       at most 8 entries change, on average 1.7 for each that led there; the busiest channel carries 2 routes at most\n    \
                       3 cut pairs off that nothing else connects, the most 8: (1) -> (2) [+x]\n";
    assert!(told.stdout.contains(about_links), "{}", told.stdout);
    let written = fs::read_to_string(folder.path().join("failures.csv")).unwrap();
    let expected = "\
kind,part,entries_over_it,outcome,entries_changed,service_levels_changed,pairs_cut_off,edge_forwarding_index,why
link,(0) -> (1) [+x],4,pairs cut off,6,0,6,2,
link,(1) -> (2) [+x],4,pairs cut off,8,0,8,1,
link,(2) -> (3) [+x],4,pairs cut off,6,0,6,2,
router,(0),0,mended,0,0,0,2,
router,(1),3,pairs cut off,4,0,4,1,
router,(2),3,pairs cut off,4,0,4,1,
router,(3),0,mended,0,0,0,2,
";
    assert_eq!(written, expected);
}

/// Where lanes do not suffice to mend tables the answer is negative, and says of whom. Without the router in the middle a mesh is a ring, round
/// which what stays leaves no way on one lane.
#[test]
fn what_cannot_be_mended_is_a_negative_answer() {
    let folder = study(
        "kind = 'mesh'\nsizes = [3, 3]",
        "kind = 'turnwise'\nvirtual_lanes = 1",
    );
    let line = "verify study.toml --failures failures.csv --format json";
    let told = run(folder.path(), line);
    assert_eq!(told.code, Some(1), "{told:#?}");
    let found = json(&told);
    assert_eq!(found["verdict"], "deadlock-free");
    assert_eq!(found["link_failures_mended"], 12);
    assert_eq!(found["router_failures"], 9);
    assert_eq!(found["router_failures_mended"], 8);
    let written = fs::read_to_string(folder.path().join("failures.csv")).unwrap();
    let mut refused = written.lines().filter(|line| line.contains(",not mended,"));
    let middle = "router,\"(1,1)\",12,not mended,,,,,no way round what has failed was found for packets from ";
    assert!(refused.next().unwrap().starts_with(middle), "{written}");
    assert_eq!(refused.next(), None);
    assert_eq!(
        run(
            folder.path(),
            &format!("{line} --set routing.virtual_lanes=8")
        )
        .code,
        Some(0)
    );
}

/// The same entries change as by `--keep` where a cable is missing.
#[test]
fn as_many_entries_change_as_by_keeping_to_the_tables() {
    let (folder, _) = subnet();
    let run = |line: &str| run(folder.path(), line);
    run("route --fabric fabric.net --lft a.lft --service-levels a.qos").fine();
    run("verify --fabric fabric.net --lft a.lft --service-levels a.qos --failures failures.csv")
        .fine();
    let read = |file: &str| fs::read_to_string(folder.path().join(file)).unwrap();
    // Port 1 of sw2_2 is linked to port 2 of sw3_2.
    let ends = [
        "[1]\t\"S-500000000000000f\"[2]",
        "[2]\t\"S-500000000000000b\"[1]",
    ];
    cut_link(folder.path(), ends);
    run("route --fabric cut.net --keep a.lft --keep-service-levels a.qos --lft b.lft").fine();
    let (before, after) = (read("a.lft"), read("b.lft"));
    let to_adapters = |line: &str| line.contains("Channel Adapter");
    let changed = before
        .lines()
        .zip(after.lines())
        .filter(|(old, new)| old != new && to_adapters(old));
    let failures = read("failures.csv");
    let of_link = failures
        .lines()
        .find(|line| line.contains("sw2_2[1]"))
        .unwrap();
    let entries = of_link.split(',').nth(4).unwrap();
    assert_eq!(entries, changed.count().to_string(), "{of_link}");
}

#[test]
fn what_has_no_such_tables_is_refused() {
    let torus = "kind = 'torus'\nsizes = [4, 4]";
    let folder = study(torus, "kind = 'dimension-order'");
    let line = "verify study.toml --failures failures.csv";
    let told = run(folder.path(), line);
    assert_eq!(told.code, Some(2));
    assert!(
        told.stderr
            .contains("--failures is about tables by destination"),
        "{told:#?}"
    );
    let told = run(
        folder.path(),
        &format!("{line} --set routing.kind=[\"turnwise\"]"),
    );
    assert_eq!(told.code, Some(2), "{told:#?}");
    let folder = study(torus, "kind = 'min-hop'");
    let told = run(folder.path(), line);
    assert_eq!(told.code, Some(1));
    assert!(
        told.stderr.contains("no file of failures written"),
        "{told:#?}"
    );
    assert!(!folder.path().join("failures.csv").exists());
    let folder = study(
        &format!("{torus}\n[sweep]\nrouting.virtual_lanes = [2, 4]"),
        "kind = 'turnwise'",
    );
    let told = run(folder.path(), line);
    assert_eq!(told.code, Some(2));
    assert!(
        told.stderr
            .contains("--failures is about one routing; this study has 2"),
        "{told:#?}"
    );
}
