//! Files that `route` and `verify` are given: they are read or refused, and none is written over another one.

#![allow(clippy::unwrap_used, reason = "tests and their helpers may")]

#[allow(dead_code)]
mod common;

use common::{subnet, turnwise};
use std::fs;

/// A study has nothing to do with tables: a verdict on its own routing must not pass for one on theirs.
#[test]
fn tables_beside_a_study_are_refused_and_not_passed_over() {
    let (folder, _) = subnet();
    let study = "[network]\nkind = \"ibnetdiscover\"\nfile = \"fabric.net\"\n[routing]\nkind = \"turnwise\"\n";
    fs::write(folder.path().join("study.toml"), study).unwrap();
    let run = |line: &str| turnwise(folder.path(), &line.split(' ').collect::<Vec<_>>());
    run("verify study.toml").fine();
    let new = "--lft opensm-lfts.dump";
    let change = format!("{new} --from opensm-lfts.dump");
    let keep = "--keep opensm-lfts.dump";
    // Each option beside a study, with those that it needs.
    for (command, needed) in [
        ("verify", new.to_owned()),
        ("verify", "--lft no-such-file".to_owned()),
        ("verify", format!("{new} --service-levels qos")),
        ("verify", format!("{new} --sl2vl lanes")),
        ("verify", change.clone()),
        ("verify", format!("{change} --from-service-levels qos")),
        ("verify", format!("{change} --from-sl2vl lanes")),
        ("verify", format!("{change} --steps steps")),
        ("route", keep.to_owned()),
        ("route", format!("{keep} --keep-service-levels qos")),
        ("route", format!("{keep} --steps steps")),
    ] {
        let ran = run(&format!("{command} study.toml {needed}"));
        assert_eq!(ran.code, Some(2), "{needed}: {ran:#?}");
        let says = "it needs --fabric FILE in the place of a study";
        assert!(ran.stderr.contains(says), "{needed}: {}", ran.stderr);
        assert_eq!(ran.stdout, "", "{needed}");
    }
    // Those that no table is given for want that first.
    for alone in [
        "verify study.toml --service-levels qos",
        "verify study.toml --from opensm-lfts.dump",
        "verify study.toml --steps steps",
        "route study.toml --keep-service-levels qos",
        "route study.toml --steps steps",
    ] {
        assert_eq!(run(alone).code, Some(2), "{alone}");
    }
}

/// No file is written over one that is read, whatever it is called, and none over another one.
#[test]
fn files_do_not_overwrite_each_other() {
    let (folder, _) = subnet();
    let at = |file: &str| folder.path().join(file);
    let run = |line: &str| turnwise(folder.path(), &line.split(' ').collect::<Vec<_>>());
    run("route --fabric fabric.net --lft a.lft --service-levels a.qos").fine();
    fs::write(at("study.toml"), "[network]\nkind = 'torus'\nsizes = [4]\n").unwrap();
    fs::create_dir(at("steps")).unwrap();
    fs::copy(at("a.lft"), at("steps/step-1.lft")).unwrap();
    let all = || {
        let names = [
            "fabric.net",
            "a.lft",
            "a.qos",
            "study.toml",
            "steps/step-1.lft",
        ];
        names.map(|name| fs::read(at(name)).unwrap())
    };
    let before = all();
    let route = "route --fabric fabric.net --keep a.lft --keep-service-levels a.qos";
    let verify = "verify --fabric fabric.net --lft a.lft --service-levels a.qos";
    for (line, says) in [
        (
            format!("{route} --lft fabric.net"),
            "--lft would overwrite fabric.net, which --fabric reads",
        ),
        (
            format!("{route} --lft a.qos"),
            "--lft would overwrite a.qos, which --keep-service-levels reads",
        ),
        (
            format!("{route} --paths ./a.lft"),
            "--paths would overwrite ./a.lft, which --keep reads",
        ),
        (
            format!("{route} --paths b --source-routes b"),
            "--paths and --source-routes would both write b",
        ),
        (
            format!("{route} --paths b --sl2vl steps/../b"),
            "--paths and --sl2vl would both write",
        ),
        (
            "route --fabric fabric.net --keep steps/step-1.lft --steps steps".to_owned(),
            "--steps writes a file of the same name as that of --keep",
        ),
        (
            format!("{route} --lft out/sl2vl.txt --ibdmchk out"),
            "--ibdmchk writes a file of the same name as that of --lft",
        ),
        (
            "route study.toml --paths study.toml".to_owned(),
            "which is the study",
        ),
        (
            format!("{verify} --certificate a.lft"),
            "--certificate would overwrite a.lft, which --lft reads",
        ),
        (
            format!("{verify} --certificate fabric.net"),
            "which --fabric reads",
        ),
        (
            format!("{verify} --failures a.lft"),
            "--failures would overwrite a.lft, which --lft reads",
        ),
        (
            format!("{verify} --failures b --certificate b"),
            "--certificate and --failures would both write b",
        ),
        (
            "verify study.toml --certificate study.toml".to_owned(),
            "which is the study",
        ),
        (
            format!("{verify} --from steps/step-1.lft --steps steps"),
            "--steps writes a file of the same name as that of --from",
        ),
    ] {
        fs::create_dir_all(at("out")).unwrap();
        let ran = run(&line);
        assert_eq!(ran.code, Some(2), "{line}: {ran:#?}");
        assert!(ran.stderr.contains(says), "{line}: {}", ran.stderr);
        assert!(all() == before, "{line}");
        assert!(!at("b").exists(), "{line}");
    }
    // Tables are kept up to date in place, and what is no file takes anything.
    run(&format!(
        "{route} --lft a.lft --service-levels a.qos --steps out"
    ))
    .fine();
    run(&format!("{route} --lft /dev/null --paths /dev/null")).fine();
}

/// What is wrong with a file is told with the option that names it, not with a study that the user has never seen.
#[test]
fn a_file_that_is_wrong_is_told_with_its_option() {
    let (folder, _) = subnet();
    fs::write(folder.path().join("no.txt"), "this is\nnone of it\n").unwrap();
    let tables = "--fabric fabric.net --lft opensm-lfts.dump";
    for (line, says) in [
        ("route --fabric no.txt".to_owned(), "--fabric: no.txt:1:1: "),
        (
            "route --fabric gone.file".to_owned(),
            "--fabric: cannot read ./gone.file: ",
        ),
        (
            "route --fabric fabric.net --keep no.txt".to_owned(),
            "--keep: no.txt:1:1: ",
        ),
        (
            "verify --fabric fabric.net --lft no.txt".to_owned(),
            "--lft: no.txt:1:1: ",
        ),
        (
            format!("verify {tables} --from no.txt"),
            "--from: no.txt:1:1: ",
        ),
        (
            format!("verify {tables} --sl2vl no.txt"),
            "--sl2vl: no.txt:1:1: ",
        ),
        (
            format!("verify {tables} --from opensm-lfts.dump --from-service-levels no.txt"),
            "--from-service-levels: no.txt:1:1: ",
        ),
    ] {
        let ran = turnwise(folder.path(), &line.split(' ').collect::<Vec<_>>());
        assert_eq!(ran.code, Some(2), "{line}: {ran:#?}");
        let first = ran.stderr.lines().next().unwrap_or_default();
        assert!(
            first.starts_with(&format!("error: {says}")),
            "{line}: {}",
            ran.stderr
        );
    }
}
