//! What must be absent from this crate: routing algorithms, and the outside world.

use std::path::Path;

#[test]
fn the_verifier_knows_no_algorithm_and_no_outside_world() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let manifest = std::fs::read_to_string(root.join("Cargo.toml")).unwrap();
    for floor_mate in [
        "turnwise-routing",
        "turnwise-sim",
        "turnwise-workload",
        "turnwise-study",
    ] {
        assert!(
            !manifest.contains(floor_mate),
            "turnwise-verify must not depend on {floor_mate}"
        );
    }
    let mut folders = vec![root.join("src")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let text = std::fs::read_to_string(&path).unwrap();
            for world in [
                "std::fs",
                "std::io",
                "std::env",
                "std::time",
                "std::thread",
                "\nstatic ",
                "std::sync",
            ] {
                assert!(!text.contains(world), "{} mentions {world}", path.display());
            }
        }
    }
}

/// What it proves holds whatever routers see, and whatever they have told each other.
#[test]
fn the_verifier_sees_no_congestion() {
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("src")];
    let mut files = 0;
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let text = std::fs::read_to_string(&path).unwrap();
            for word in [
                "Congestion",
                ".choose(",
                ".sensing(",
                "Sensing",
                ".memory()",
            ] {
                assert!(!text.contains(word), "{} mentions {word}", path.display());
            }
            files += 1;
        }
    }
    assert!(files > 10);
}
