//! What users write comes back safely and in sight: control characters, endless lines, sweeps whose
//! parts are wrong.

#![allow(clippy::unwrap_used, reason = "tests and their helpers may")]

#[allow(dead_code)]
mod common;

use common::{GOOD, content, good_study, refuse, turnwise};
use serde_json::Value as Json;
use std::fs;

/// An escape sequence, a bell, text that runs backwards, a C1 control and an invisible mark.
const NASTY: &str = "x\\u001b[31m\\u0007\\u202eevil\\u009b2J\\ufeff";

fn is_harmless(text: &str) -> bool {
    let invisible = turnwise_config::visible::is_invisible;
    text.chars()
        .all(|c| matches!(c, '\n' | '\t') || !invisible(c))
}

#[test]
fn control_characters_never_reach_the_terminal() {
    let folder = good_study();
    let nasty: String = serde_json::from_str(&format!("\"{NASTY}\"")).unwrap();
    // In the file itself only what TOML admits may stand unescaped.
    let raw = "x\u{202e}evil\u{9b}2J\u{feff}";
    let studies = [
        GOOD.replace("torus", NASTY),
        GOOD.replace("torus", raw),
        GOOD.replace("uniform", NASTY),
        GOOD.replace("sizes", &format!("\"{NASTY}\"")),
        format!("[\"{NASTY}\"]\n{GOOD}"),
        format!("{GOOD}\n[sweep]\n\"{NASTY}\" = [1]"),
        format!("{GOOD}\n[sweep]\nwhere = \"{NASTY}\""),
        format!("# {raw}\n{}", GOOD.replace("torus", "tours")),
        format!("{nasty}\n{GOOD}"),
        format!("[study]\nname = \"{NASTY}\"\n{GOOD}"),
        GOOD.replace(
            "kind = \"torus\"\nsizes",
            &format!("kind = \"edge-list\"\nfile = \"{NASTY}\"\nsizes"),
        ),
    ];
    for study in studies {
        fs::write(folder.path().join("nasty.toml"), &study).unwrap();
        for command in ["plan", "network", "verify", "run"] {
            let ran = turnwise(folder.path(), &[command, "nasty.toml"]);
            assert!(
                is_harmless(&ran.stdout),
                "{command}: {study}\n{:?}",
                ran.stdout
            );
            assert!(
                is_harmless(&ran.stderr),
                "{command}: {study}\n{:?}",
                ran.stderr
            );
            assert!(
                matches!(ran.code, Some(0 | 2)),
                "{command}: {study}\n{ran:?}"
            );
        }
    }
    for set in [
        format!("routing.kind={raw}"),
        format!("{raw}=1"),
        raw.to_owned(),
    ] {
        let ran = refuse(folder.path(), &["plan", "study.toml", "--set", &set], &[]);
        assert!(is_harmless(&ran.stderr), "{:?}", ran.stderr);
    }
    let ran = refuse(folder.path(), &["plan", &format!("{raw}.toml")], &[]);
    assert!(is_harmless(&ran.stderr), "{:?}", ran.stderr);
}

/// A network from a file brings its own labels, which go into every export.
#[test]
fn exported_files_are_well_formed_whatever_the_labels() {
    let folder = good_study();
    let json = format!(
        "{{\"description\": \"{NASTY}\\u0000\", \"routers\": [{{\"terminals\": 1, \"label\": \"{NASTY}\"}}, \
         {{\"terminals\": 1}}], \"links\": [{{\"a\": {{\"router\": 0, \"port\": 1}}, \"b\": {{\"router\": 1, \"port\": 1}}}}]}}"
    );
    fs::write(folder.path().join("nasty.json"), json).unwrap();
    let set = "network={ kind = \"edge-list\", file = \"nasty.json\" }";
    for extension in ["graphml", "dot", "json"] {
        let file = format!("out.{extension}");
        let ran = turnwise(
            folder.path(),
            &["network", "study.toml", "--set", set, "--export", &file],
        );
        assert_eq!(ran.code, Some(0), "{ran:?}");
        assert!(is_harmless(&ran.stdout), "{:?}", ran.stdout);
        let text = fs::read_to_string(folder.path().join(&file)).unwrap();
        let plain = |c: char| matches!(c, '\n' | '\t') || !c.is_ascii_control();
        assert!(text.chars().all(plain), "{text:?}");
    }
    let again = "network={ kind = \"graphml\", file = \"out.graphml\" }";
    turnwise(folder.path(), &["network", "study.toml", "--set", again]).fine();
    let json = fs::read_to_string(folder.path().join("out.json")).unwrap();
    assert!(serde_json::from_str::<Json>(&json).is_ok());
}

#[test]
fn endless_lines_and_names_are_cut() {
    let folder = good_study();
    let long = "y".repeat(300_000);
    let studies = [
        GOOD.replace("torus", &long),
        GOOD.replace("sizes", &long),
        format!("{GOOD}\n[sweep]\n\"traffic.{long}\" = [1]"),
        format!("{GOOD}\n[sweep]\nwhere = \"{long} <\""),
        format!("# {long}\n{}", GOOD.replace("torus", "tours")),
        format!("{long}\n{GOOD}"),
        GOOD.replace("[4, 4]", &format!("[{}0]", "4, ".repeat(100_000))),
        GOOD.replace("[4, 4]", &format!("[{}]", "4 ".repeat(100_000))),
        "= \n".repeat(100_000),
    ];
    for study in studies {
        fs::write(folder.path().join("long.toml"), &study).unwrap();
        let ran = refuse(folder.path(), &["plan", "long.toml"], &["error: "]);
        let longest = ran.stderr.lines().map(str::len).max().unwrap();
        let start: String = study.chars().take(40).collect();
        assert!(
            longest < 3_000 && ran.stderr.len() < 100_000,
            "{start}: {longest}, {}",
            ran.stderr.len()
        );
    }
    // No argument may be longer than 128 KiB.
    let long = &long[..100_000];
    let ran = refuse(
        folder.path(),
        &["plan", "study.toml", "--set", &format!("{long}=1")],
        &[],
    );
    assert!(ran.stderr.len() < 5_000, "{}", ran.stderr.len());
}

/// What a sweep supplies is not missed because something else is wrong with the sweep.
#[test]
fn a_bad_sweep_does_not_make_its_fields_missing() {
    let folder = good_study();
    let without_load = GOOD.replace("load = 0.1\n", "");
    let sweeps = [
        "\"traffic.load\" = [0.1]\nwhere = \"traffic.load <\"",
        "traffic.load = [0.1]\nwhere = \"traffic.load <\"",
        "\"traffic.load\" = { form = 0, to = 1 }",
        "\"traffic.load\" = []",
        "traffic = [{ pattern = \"uniform\", load = 0.1 }]\nwhere = \"(\"",
    ];
    for sweep in sweeps {
        fs::write(
            folder.path().join("s.toml"),
            format!("{without_load}\n[sweep]\n{sweep}"),
        )
        .unwrap();
        let ran = refuse(folder.path(), &["plan", "s.toml"], &["error: s.toml:"]);
        assert!(
            !ran.stderr.contains("missing key `load`"),
            "{sweep}: {}",
            ran.stderr
        );
    }
    let other = "[sweep]\n\"traffic.packet_flits\" = [1]\nwhere = \"(\"";
    fs::write(
        folder.path().join("s.toml"),
        format!("{without_load}\n{other}"),
    )
    .unwrap();
    refuse(folder.path(), &["plan", "s.toml"], &["missing key `load`"]);
}

#[test]
fn every_network_of_a_sweep_is_shown() {
    let folder = good_study();
    let sweep =
        "sweep={ \"network.sizes\" = [[4, 4], [6], [3, 3]], \"traffic.load\" = [0.1, 0.2] }";
    let all = ["network", "study.toml", "--set", sweep];
    let rows = turnwise(folder.path(), &[&all[..], &["--format", "json"]].concat())
        .fine()
        .stdout;
    let rows: Vec<Json> = rows
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let routers: Vec<u64> = rows
        .iter()
        .map(|row| row["routers"].as_u64().unwrap())
        .collect();
    assert_eq!(routers, [16, 6, 9]);
    assert_eq!(rows[1]["point"]["network.sizes"].to_string(), "[6]");
    let table = turnwise(folder.path(), &all).fine().stdout;
    assert_eq!(table.matches("description ").count(), 3, "{table}");
    let csv = turnwise(folder.path(), &[&all[..], &["--format", "csv"]].concat())
        .fine()
        .stdout;
    assert_eq!(csv.lines().count(), 4, "{csv}");
    let before = content(folder.path());
    refuse(
        folder.path(),
        &[&all[..], &["--export", "torus.json"]].concat(),
        &[
            "--export writes one network; this study has 3",
            "choose one with --set",
        ],
    );
    assert_eq!(content(folder.path()), before);
}

#[test]
fn distances_can_be_left_out_and_are_sampled_where_they_take_long() {
    let folder = good_study();
    let arguments = [
        "network",
        "study.toml",
        "--no-distances",
        "--format",
        "json",
    ];
    let row: Json =
        serde_json::from_str(&turnwise(folder.path(), &arguments).fine().stdout).unwrap();
    assert_eq!(
        (&row["diameter"], &row["distances"]),
        (&Json::Null, &"not measured".into())
    );
    let apart = "network.faults={ links = [[0, 1], [0, 3], [0, 4], [0, 12]] }";
    let ran = turnwise(folder.path(), &[&arguments[..], &["--set", apart]].concat());
    assert_eq!(ran.code, Some(1), "{ran:?}");
    let ring: String = (0..60_000)
        .map(|a| format!("{a} {}\n", (a + 1) % 60_000))
        .collect();
    fs::write(folder.path().join("ring.txt"), ring).unwrap();
    let ring = "network={ kind = \"edge-list\", file = \"ring.txt\" }";
    let ran = turnwise(folder.path(), &["network", "study.toml", "--set", ring]).fine();
    assert!(
        ran.stdout
            .contains(" of 60000 routers only; the diameter is at least this"),
        "{}",
        ran.stdout
    );
    assert!(
        ran.stdout.contains("diameter            30000\n"),
        "{}",
        ran.stdout
    );
}
