//! Routes that are written to files are those that are judged.

#![allow(clippy::unwrap_used, reason = "tests and their helpers may")]

#[allow(dead_code)]
mod common;

use common::turnwise;
use std::fs;

/// A route that passes its target and comes back to it is written as it is judged.
#[test]
fn routes_that_pass_their_target_are_written_whole() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let study = |more: &str| format!("[network]\nkind = 'torus'\nsizes = [4]\n[routing]\n{more}\n");
    fs::write(at("a.toml"), study("kind = 'angara-dor'")).unwrap();
    let table = "kind = 'angara-table'\nfile = 'table.csv'";
    fs::write(at("b.toml"), study(table)).unwrap();
    let route = |study: &str, file: &str| {
        turnwise(folder.path(), &["route", study, "--source-routes", file]).fine();
        fs::read_to_string(at(file)).unwrap()
    };
    let longer = route("a.toml", "a.csv").replace("0,1,none,+,1,none", "0,1,none,+,5,none");
    fs::write(at("table.csv"), &longer).unwrap();
    assert!(longer.contains("+,5"));
    assert_eq!(route("b.toml", "b.csv"), longer);
}
