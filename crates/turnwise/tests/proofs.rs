//! Tables and certificates, checked by others than those who made them.

#![allow(clippy::unwrap_used, reason = "tests and their helpers may")]

#[allow(dead_code)]
mod common;

use common::{Ran, examples, json, turnwise};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The cells of a CSV text without quotes.
fn table(text: &str) -> Vec<Vec<&str>> {
    assert!(!text.contains('"'));
    text.lines().map(|line| line.split(',').collect()).collect()
}

/// With the fewest virtual channels that are said to suffice a routing is proved, and with one fewer a cycle is shown.
#[test]
fn fewer_virtual_channels_than_the_fewest_do_not_suffice() {
    let folder = tempfile::tempdir().unwrap();
    let dragonfly =
        "kind = \"dragonfly\"\ngroups = 9\nrouters_per_group = 4\nterminals_per_router = 2";
    let torus = "kind = \"torus\"\nsizes = [4, 4]";
    for (network, routing, expected) in [
        (dragonfly, "minimal", 2),
        (dragonfly, "valiant", 4),
        (dragonfly, "par", 5),
        (dragonfly, "informed", 4),
        (torus, "dimension-order", 2),
    ] {
        let study = format!(
            "[study]\nname = \"fewest\"\n[network]\n{network}\n[routing]\nkind = \"{routing}\"\n\
             [router]\nvirtual_channels = 6\n"
        );
        fs::write(folder.path().join("study.toml"), study).unwrap();
        let verified = |sets: &[String]| {
            let mut arguments = vec!["verify", "study.toml", "--format", "json"];
            arguments.extend(sets.iter().flat_map(|set| ["--set", set.as_str()]));
            json(&turnwise(folder.path(), &arguments))
        };
        let fewest = verified(&[])["fewest_virtual_channels"].as_u64().unwrap();
        assert_eq!(fewest, expected, "{routing}");
        let verdict = |channels: u64| {
            let fields = ["router", "routing"];
            let sets = fields.map(|table| format!("{table}.virtual_channels={channels}"));
            verified(&sets)["verdict"].clone()
        };
        assert_eq!(verdict(fewest), "deadlock-free", "{routing}");
        assert_eq!(verdict(fewest - 1), "cyclic", "{routing}");
    }
}

/// Threads leave no trace in what is proved, and who shares a proof with another has its own name in it.
#[test]
fn proofs_are_the_same_on_any_number_of_threads() {
    let folder = tempfile::tempdir().unwrap();
    let study = "[network]\nkind = \"dragonfly\"\ngroups = 19\nrouters_per_group = 6\nterminals_per_router = 2\n\
                 global_ports_per_router = 3\n[routing]\nkind = \"ugal-g\"\n";
    let several = "[sweep]\nrouting = [{ kind = \"ugal-g\" }, { kind = \"ugal-g\", feedback_delay = 9 }, { kind = \"piggyback\" }]\n";
    fs::write(folder.path().join("one.toml"), study).unwrap();
    fs::write(
        folder.path().join("several.toml"),
        format!("{study}{several}"),
    )
    .unwrap();
    let of = |threads: &str| {
        let verify = |line: &str| {
            let line = format!("verify {line} --threads {threads}");
            let arguments: Vec<&str> = line.split(' ').collect();
            turnwise(folder.path(), &arguments).fine().stdout
        };
        let alone = verify("one.toml --certificate proof.json");
        let proof = fs::read_to_string(folder.path().join("proof.json")).unwrap();
        (alone, verify("several.toml"), proof)
    };
    let (alone, together, proof) = of("1");
    assert_eq!(of("3"), (alone.clone(), together.clone(), proof));
    // The first of several says what it says alone, and the others what it does under their own names.
    assert!(together.starts_with(&alone), "{together}");
    for name in ["ugal-g, feedback delay 9", "piggyback"] {
        let said = alone.replacen("ugal-g", name, 1);
        assert!(together.contains(&said), "{name}: {together}");
    }
}

/// Recomputes, from the CSV file alone, what `route` says of a single-path routing.
#[test]
fn paths_agree_with_the_table() {
    let folder = examples();
    for (study, set) in [
        ("torus.toml", "routing.ties=parity"),
        ("cables.toml", "routing.ties=first"),
        (
            "torus.toml",
            "network={ kind = \"mesh\", sizes = [3, 4], terminals_per_router = 2 }",
        ),
    ] {
        let arguments = [
            "route",
            study,
            "--set",
            set,
            "--format",
            "json",
            "--paths",
            "paths.csv",
        ];
        let told = json(&turnwise(folder.path(), &arguments).fine());
        let text = fs::read_to_string(folder.path().join("paths.csv")).unwrap();
        let cells = table(&text);
        assert_eq!(
            cells[0],
            [
                "source",
                "destination",
                "hop",
                "router",
                "port",
                "next_router",
                "vc"
            ]
        );
        let mut crossings: BTreeMap<(&str, &str), u64> = BTreeMap::new();
        let mut paths: BTreeMap<(&str, &str), Vec<(&str, &str)>> = BTreeMap::new();
        for row in &cells[1..] {
            *crossings.entry((row[3], row[4])).or_default() += 1;
            let path = paths.entry((row[0], row[1])).or_default();
            assert_eq!(row[2], path.len().to_string(), "hops are in order");
            assert!(
                path.last().is_none_or(|(_, next)| *next == row[3]),
                "hops join"
            );
            path.push((row[3], row[5]));
        }
        let whole = |name: &str| told[name].as_u64().unwrap();
        assert_eq!(
            crossings.values().max(),
            Some(&whole("edge_forwarding_index")),
            "{study} {set}"
        );
        assert_eq!(
            crossings.values().min(),
            Some(&whole("min_load")),
            "{study} {set}"
        );
        let mean = |sum: usize, count: u64| sum as f64 / count as f64;
        let near = |name: &str, value: f64| {
            assert!(
                (told[name].as_f64().unwrap() - value).abs() < 1e-6,
                "{name}: {value}"
            )
        };
        near("mean_hops", mean(cells.len() - 1, whole("pairs")));
        near("mean_load", mean(cells.len() - 1, crossings.len() as u64));
        assert_eq!(
            paths.values().map(Vec::len).max(),
            Some(whole("diameter") as usize)
        );
        assert_eq!(whole("pairs"), whole("routable_pairs"));
    }
}

fn checker() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tools/check_certificate.py")
}

fn check(folder: &Path, arguments: &[&str]) -> Ran {
    let mut command = Command::new("python3");
    command
        .arg(checker())
        .args(arguments)
        .current_dir(folder)
        .output()
        .unwrap()
        .into()
}

/// Certificates convince a checker that shares no code with what made them, and not if altered.
#[test]
fn certificates_convince_a_stranger() {
    let folder = examples();
    let ethernet = "[network]\nkind = \"k-ary-n-tree\"\narity = 3\nlevels = 2\n[routing]\nkind = \"anca\"\n[ethernet]\n\
                    [traffic]\npattern = \"uniform\"\nload = 0.1\npacket_flits = 94\n";
    fs::write(folder.path().join("ethernet.toml"), ethernet).unwrap();
    // Rings of two virtual channels between which packets may change.
    let bubble = "[network]\nkind = \"torus\"\nsizes = [4, 3]\n[routing]\nkind = \"dimension-order\"\nclasses = \"none\"\n\
                  [router]\nvirtual_channels = 2\nflow_control = \"bubble\"\nbuffer_flits = 4\n";
    fs::write(folder.path().join("bubble.toml"), bubble).unwrap();
    let set = |text| ["--set", text];
    for (study, set) in [
        ("ethernet.toml", set("routing.kind=d-mod-k")),
        ("ethernet.toml", set("routing.kind=anca")),
        ("torus.toml", set("routing.ties=random")),
        ("torus.toml", set("router.flow_control=bubble")),
        ("bubble.toml", set("routing.ties=random")),
        ("cables.toml", set("routing.ties=first")),
        ("dragonfly.toml", set("sweep.routing.kind=[\"minimal\"]")),
        ("dragonfly.toml", set("sweep.routing.kind=[\"valiant\"]")),
        ("dragonfly.toml", set("sweep.routing.kind=[\"ugal\"]")),
    ] {
        let proof = [&["verify", study, "--certificate", "proof.json"], &set[..]].concat();
        turnwise(folder.path(), &proof).fine();
        turnwise(
            folder.path(),
            &[&["route", study, "--paths", "paths.csv"], &set[..]].concat(),
        )
        .fine();
        let ran = check(folder.path(), &["proof.json", "--paths", "paths.csv"]);
        assert_eq!(ran.code, Some(0), "{study} {set:?}: {ran:?}");
        assert!(ran.stdout.starts_with("accepted: "), "{}", ran.stdout);

        let text = fs::read_to_string(folder.path().join("proof.json")).unwrap();
        let mut certificate: Value = serde_json::from_str(&text).unwrap();
        let count = certificate["numbers"].as_array().unwrap().len();
        for vertex in [0, count / 2, count - 1] {
            for difference in [-1, 1] {
                let number = certificate["numbers"][vertex].as_i64().unwrap();
                certificate["numbers"][vertex] = (number + difference).into();
                fs::write(folder.path().join("altered.json"), certificate.to_string()).unwrap();
                certificate["numbers"][vertex] = number.into();
                let ran = check(folder.path(), &["altered.json"]);
                assert_eq!(
                    ran.code,
                    Some(1),
                    "{study} {set:?}, number {vertex}: {ran:?}"
                );
                assert!(
                    ran.stdout.starts_with("refuted: ") || ran.stdout.starts_with("refused: "),
                    "{}",
                    ran.stdout
                );
            }
        }
    }
}

/// Where there is no proof, no file says there is.
#[test]
fn no_certificate_without_a_proof() {
    let folder = examples();
    let ran = turnwise(
        folder.path(),
        &[
            "verify",
            "torus.toml",
            "--set",
            "routing.classes=none",
            "--certificate",
            "proof.json",
        ],
    );
    assert_eq!(ran.code, Some(1));
    assert_eq!(ran.stderr, "no certificate written: there is no proof\n");
    assert!(!folder.path().join("proof.json").exists());
}

#[test]
fn paths_of_another_routing_do_not_pass() {
    let folder = examples();
    turnwise(
        folder.path(),
        &[
            "verify",
            "torus.toml",
            "--certificate",
            "proof.json",
            "--set",
            "routing.ties=positive",
        ],
    )
    .fine();
    turnwise(
        folder.path(),
        &[
            "route",
            "torus.toml",
            "--paths",
            "paths.csv",
            "--set",
            "routing.order=[1, 0]",
        ],
    )
    .fine();
    let ran = check(folder.path(), &["proof.json", "--paths", "paths.csv"]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert!(
        ran.stdout
            .contains("the certificate does not list the dependency"),
        "{}",
        ran.stdout
    );
}

/// Packets go round a dead channel only where no link spares them that, and a router is drawn before the link to it.
#[test]
fn figures_of_detours_beside_dead_channels_are_of_what_packets_do() {
    let folder = tempfile::tempdir().unwrap();
    // By hand: a router of a third group and then a link by which it is reached straight, or a third group and then any link to it.
    for (groups, routers, ports, via, links, hops) in [
        (3, 3, 2, "router", "[0, 1]", 11.0 / 3.0),
        (4, 3, 2, "router", "[0, 1]", 3.924_242_4),
        (5, 4, 2, "router", "[0, 1]", 4.373_684_2),
        (4, 3, 4, "group", "[0, 1]", 3.484_375),
        (4, 3, 4, "group", "[0, 1], [1, 4], [2, 5]", 3.571_496_2),
        (4, 3, 4, "group", "[0, 3], [0, 3], [1, 4]", 3.454_545_5),
        (4, 3, 4, "router", "[0, 3], [0, 3], [1, 4]", 4.0),
    ] {
        let study = format!(
            "network = {{ kind = \"dragonfly\", groups = {groups}, routers_per_group = {routers}, \
             global_ports_per_router = {ports}, faults = {{ links = [{links}] }} }}\n\
             routing = {{ kind = \"valiant\", via = \"{via}\" }}\n"
        );
        fs::write(folder.path().join("study.toml"), study).unwrap();
        let found =
            json(&turnwise(folder.path(), &["route", "study.toml", "--format", "json"]).fine());
        let found = found["mean_hops"].as_f64().unwrap();
        assert!(
            (found - hops).abs() < 1e-6,
            "{groups} {routers} {via} {links}: {found}"
        );
    }
}
