//! What a build says it was built from, in a checkout and without one.

use std::fs;
use std::path::Path;
use std::process::Command;

const BUILD: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/build.rs");

fn done(command: &mut Command) -> String {
    let output = command.output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}: {errors}");
    String::from_utf8(output.stdout).unwrap()
}

fn git(root: &Path, arguments: &[&str]) {
    let author = ["user.name=somebody", "user.email=somebody@example.org"];
    let mut command = Command::new("git");
    // Nothing of whoever runs this: a hook's repository, signatures, hooks.
    for name in ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"] {
        command.env_remove(name);
    }
    command.env("GIT_CONFIG_GLOBAL", "/dev/null");
    for setting in author {
        command.args(["-c", setting]);
    }
    done(command.current_dir(root).args(arguments));
}

#[test]
fn builds_of_different_sources_are_told_apart() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("root");
    let program = folder.path().join("build");
    let rustc = std::env::var_os("RUSTC").unwrap_or("rustc".into());
    done(
        Command::new(rustc)
            .args(["--edition=2024", "-o"])
            .arg(&program)
            .arg(BUILD),
    );
    let write = |path: &str, text: &str| {
        let path = root.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    let revision_in = |root: &Path| {
        // A checkout further up is not of these.
        let mut command = Command::new(&program);
        command.env("GIT_CEILING_DIRECTORIES", folder.path());
        let said = done(command.current_dir(root.join("crates/study")));
        // A build would run again and again for what is not there.
        let watched = said
            .lines()
            .filter_map(|line| line.split_once("rerun-if-changed="));
        for (_, path) in watched.filter(|(_, path)| *path != "build.rs") {
            assert!(root.join("crates/study").join(path).exists(), "{path}");
        }
        let line = said.lines().find_map(|line| line.split_once("REVISION="));
        line.unwrap().1.to_owned()
    };
    let revision = || revision_in(&root);
    write("crates/study/src/lib.rs", "//! A study.\n");
    write("crates/sim/src/engine/mod.rs", "//! An engine.\n");
    let outside = revision();
    assert!(outside.starts_with("sources-"), "{outside}");
    assert_eq!(outside.len(), "sources-".len() + 8);

    git(&root, &["init", "--quiet"]);
    assert_eq!(revision(), outside, "nothing is committed");
    git(&root, &["add", "."]);
    git(&root, &["commit", "--quiet", "--message=first"]);
    let first = revision();
    assert_eq!(first.len(), 12, "{first}");
    write("docs/simulator.md", "# The simulator\n");
    assert_eq!(revision(), first);
    git(&root, &["add", "."]);
    git(&root, &["commit", "--quiet", "--message=no source"]);
    assert_eq!(revision(), first, "it computes what it did");

    write("crates/sim/src/engine/mod.rs", "//! Another engine.\n");
    let changed = revision();
    assert!(changed.starts_with(&format!("{first}+")), "{changed}");
    assert_eq!(changed.len(), 12 + 1 + 8);
    write("crates/sim/src/engine/new.rs", "");
    let added = revision();
    assert!(added.starts_with(&format!("{first}+")) && added != changed);
    fs::remove_file(root.join("crates/sim/src/engine/new.rs")).unwrap();
    assert_eq!(revision(), changed);
    git(&root, &["commit", "--quiet", "--all", "--message=another"]);
    let second = revision();
    assert!(second != first && second.len() == 12, "{second}");
    // Whatever was changed last, its oldest commit would be said to have done it.
    let shallow = format!("file://{}", root.display());
    git(
        folder.path(),
        &["clone", "--quiet", "--depth=1", &shallow, "shallow"],
    );
    let of_shallow = revision_in(&folder.path().join("shallow"));
    assert!(of_shallow.starts_with("sources-"), "{of_shallow}");
}
