//! The commands, as their users see them: transcripts, files, and whether these agree.
//!
//! The transcripts in `tests/cmd/*.md` are documentation that cannot be wrong. To renew them:
//!
//! ```text
//! TRYCMD=overwrite cargo test -p turnwise --test commands transcripts
//! ```
//!
//! `[..]` in them stands for anything on the line, such as seconds.

#![allow(clippy::unwrap_used, reason = "tests and their helpers may")]

#[allow(dead_code)]
mod common;

use common::{content, examples, good_study, json, shell, turnwise};
use serde_json::Value;
use std::collections::BTreeSet;
use std::fs;

#[test]
fn transcripts() {
    trycmd::TestCases::new().case("tests/cmd/*.md");
}

#[test]
fn json_reads_back_as_the_same_network() {
    let folder = examples();
    for (study, set) in [
        ("torus.toml", "network.channel_latency=3"),
        (
            "dragonfly.toml",
            "network.faults={ random_links = 5, routers = [7], seed = 3 }",
        ),
        ("cables.toml", "network.faults={ links = [[0, 1]] }"),
    ] {
        let network = |arguments: &[&str]| {
            let ran = turnwise(
                folder.path(),
                &[&["network"], arguments, &["--format", "json"]].concat(),
            );
            assert!(ran.stderr.is_empty(), "{ran:?}");
            json(&ran)
        };
        let facts = network(&[study, "--set", set, "--export", "network.json"]);
        let read = "network={ kind = \"edge-list\", file = \"network.json\" }";
        assert_eq!(
            network(&["torus.toml", "--set", read, "--export", "again.json"]),
            facts,
            "{study}"
        );
        // Labels come from the shape, which files do not keep.
        let [first, again] = ["network.json", "again.json"].map(|name| {
            let mut network: Value =
                serde_json::from_slice(&fs::read(folder.path().join(name)).unwrap()).unwrap();
            let routers = network["routers"].as_array_mut().unwrap();
            routers
                .iter_mut()
                .for_each(|router| drop(router.as_object_mut().unwrap().remove("label")));
            network
        });
        assert_eq!(first, again, "{study}");
        // GraphML keeps what matters to routing.
        network(&[study, "--set", set, "--export", "network.graphml"]);
        let read = "network={ kind = \"graphml\", file = \"network.graphml\" }";
        let graphml = network(&["torus.toml", "--set", read]);
        for fact in [
            "routers",
            "terminals",
            "channels",
            "diameter",
            "mean_distance",
            "disconnected_pairs",
        ] {
            assert_eq!(graphml[fact], facts[fact], "{study}: {fact}");
        }
    }
}

#[test]
fn dot_is_a_graph() {
    let folder = examples();
    turnwise(
        folder.path(),
        &["network", "cables.toml", "--export", "cables.dot"],
    )
    .fine();
    let dot = fs::read_to_string(folder.path().join("cables.dot")).unwrap();
    assert!(
        dot.starts_with("graph ") && dot.trim_end().ends_with('}'),
        "{dot}"
    );
    assert_eq!(dot.matches(" -- ").count(), 4, "{dot}");
}

#[test]
fn the_schema_is_json_and_knows_every_name() {
    let folder = examples();
    let schema = json(&turnwise(folder.path(), &["schema"]).fine());
    let list = turnwise(folder.path(), &["list", "--format", "json"]).fine();
    for entry in list
        .stdout
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap())
    {
        let (table, key) = match entry["family"].as_str().unwrap() {
            "network" => ("network", "kind"),
            "routing" => ("routing", "kind"),
            "pattern" => ("traffic", "pattern"),
            _ => continue,
        };
        let family = &schema["properties"][table];
        let alternatives = family["anyOf"]
            .as_array()
            .or(family["oneOf"].as_array())
            .unwrap();
        let names = |alternative: &Value| {
            alternative["properties"][key]["enum"]
                .as_array()
                .cloned()
                .unwrap()
        };
        assert!(
            alternatives
                .iter()
                .any(|alternative| names(alternative).contains(&entry["name"])),
            "{entry}"
        );
    }
}

#[test]
fn everything_that_is_listed_is_described() {
    let folder = examples();
    let list = turnwise(folder.path(), &["list", "--format", "json"]).fine();
    let mut families = BTreeSet::new();
    for entry in list
        .stdout
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap())
    {
        let (family, name) = (
            entry["family"].as_str().unwrap(),
            entry["name"].as_str().unwrap(),
        );
        families.insert(family.to_owned());
        if family == "format" {
            continue;
        }
        if family == "table" {
            let ran = turnwise(folder.path(), &["describe", name]).fine();
            assert!(
                ran.stdout.starts_with(&format!("[{name}]: ")),
                "{}",
                ran.stdout
            );
            continue;
        }
        let ran = turnwise(folder.path(), &["describe", family, name]).fine();
        assert!(
            ran.stdout.starts_with(&format!("{name}: ")),
            "{}",
            ran.stdout
        );
        for alias in entry["aliases"].as_array().unwrap() {
            assert_eq!(
                turnwise(
                    folder.path(),
                    &["describe", family, alias.as_str().unwrap()]
                )
                .fine()
                .stdout,
                ran.stdout
            );
        }
    }
    assert_eq!(
        families.into_iter().collect::<Vec<_>>(),
        [
            "format",
            "network",
            "pattern",
            "placement",
            "routing",
            "table",
            "workload"
        ]
    );
}

/// Files come from systems that write their extensions in capital letters.
#[test]
fn extensions_may_be_capital_letters() {
    let folder = good_study();
    let names = ["rows.CSV", "rows.Parquet", "rows.ARROW"];
    let exports = names.iter().flat_map(|name| ["--export", name]);
    let run: Vec<&str> = ["run", "study.toml", "--no-report"]
        .into_iter()
        .chain(exports)
        .collect();
    turnwise(folder.path(), &run).fine();
    let network = ["network", "study.toml", "--export", "torus.JSON"];
    turnwise(folder.path(), &network).fine();
    let rows = content(folder.path())["rows.CSV"].clone().unwrap();
    assert!(rows.starts_with(b"offered_load,"));
    for name in ["rows.Parquet", "rows.ARROW", "torus.JSON"] {
        assert!(folder.path().join(name).exists(), "{name}");
    }
}

#[test]
fn shells_and_man_get_their_files() {
    let folder = examples();
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let script = turnwise(folder.path(), &["completions", shell])
            .fine()
            .stdout;
        assert!(
            script.contains("turnwise") && script.contains("verify"),
            "{shell}"
        );
    }
    let checked = shell(folder.path(), "\"$turnwise\" completions bash | bash -n");
    assert_eq!((checked.code, checked.stderr.as_str()), (Some(0), ""));
    turnwise(folder.path(), &["man", "pages/man1"]).fine();
    let pages = content(&folder.path().join("pages/man1"));
    for page in ["turnwise.1", "turnwise-run.1", "turnwise-verify.1"] {
        assert!(pages.contains_key(page), "{page}");
    }
    let version = env!("CARGO_PKG_VERSION");
    for (page, text) in pages {
        let text = String::from_utf8(text.unwrap()).unwrap();
        let title = text.lines().find(|line| line.starts_with(".TH ")).unwrap();
        assert!(
            title.contains(&format!(" 1 \"\" \"turnwise {version}\"")),
            "{page}: {title}"
        );
        assert!(
            !text.contains("EXTRA") && !text.contains("[default: ]"),
            "{page}"
        );
        let has_status = text.contains(".SH \"EXIT STATUS\"\nExit codes: 0 fine");
        assert_eq!(has_status, page == "turnwise.1", "{page}");
        let synopsis = text.split(".SH ").find(|part| part.starts_with("SYNOPSIS"));
        let synopsis = synopsis.unwrap().replace('\\', "");
        let is_serve = page == "turnwise-serve.1";
        let is_there = synopsis.contains("[fB--listenfR fIADDRESS:PORTfR]");
        assert_eq!(is_there, is_serve, "{page}: {synopsis}");
    }
}

#[test]
fn a_study_can_come_from_a_pipe() {
    let folder = examples();
    let direct = turnwise(folder.path(), &["run", "cables.toml", "--fresh"]);
    assert_eq!(direct.code, Some(2), "cables.toml has no traffic");
    let line = "cat cables.toml | \"$turnwise\" route - --format json";
    let (mut piped, mut direct) = (
        json(&shell(folder.path(), line).fine()),
        json(&turnwise(folder.path(), &["route", "cables.toml", "--format", "json"]).fine()),
    );
    for told in [&mut piped, &mut direct] {
        for name in ["seconds", "routing_seconds"] {
            told[name] = 0.into();
        }
    }
    assert_eq!(
        piped, direct,
        "file names in it start where the command runs"
    );
    let ran = shell(
        folder.path(),
        "cat torus.toml | \"$turnwise\" run - --no-report",
    )
    .fine();
    assert_eq!(ran.stdout, "1 point in turnwise-out/study/results\n");
}

#[test]
fn a_program_is_the_same_in_every_format_and_compressed() {
    let folder = examples();
    for name in ["pingpong.bin", "pingpong.trace"] {
        let export = ["replay", "pingpong.goal", "--export", name];
        turnwise(folder.path(), &export).fine();
    }
    for name in ["pingpong.bin", "pingpong.trace", "pingpong.goal"] {
        let packed = format!("{name}.zst");
        let export = ["replay", "pingpong.goal", "--export", &packed];
        turnwise(folder.path(), &export).fine();
        let bytes = fs::read(folder.path().join(packed)).unwrap();
        assert_eq!(bytes[..4], [0x28, 0xb5, 0x2f, 0xfd], "{name}");
    }
    let run = |kind: &str, file: &str| {
        let workload = format!("workload={{ kind = '{kind}', file = '{file}' }}");
        let arguments = ["run", "program.toml", "--fresh", "--no-report"];
        let ran = turnwise(
            folder.path(),
            &[&arguments[..], &["--format", "json", "--set", &workload]].concat(),
        );
        let row = json(&ran.fine());
        (row["fingerprint"].clone(), row["makespan"].clone())
    };
    let replay = |file: &str| {
        let ran = turnwise(folder.path(), &["replay", file, "--format", "json"]);
        json(&ran.fine())["makespan_ns"].clone()
    };
    let expected = run("goal", "pingpong.goal");
    for (kind, file) in [
        ("goal", "pingpong.bin"),
        ("goal", "pingpong.goal.zst"),
        ("goal", "pingpong.bin.zst"),
        ("trace", "pingpong.trace"),
        ("trace", "pingpong.trace.zst"),
    ] {
        assert_eq!(run(kind, file), expected, "{file}");
        assert_eq!(replay(file), replay("pingpong.goal"), "{file}");
    }
    // Damage is said, in studies too.
    let cut = fs::read(folder.path().join("pingpong.trace.zst")).unwrap();
    fs::write(folder.path().join("cut.zst"), &cut[..cut.len() / 2]).unwrap();
    let damaged = "workload={ kind = 'trace', file = 'cut.zst' }";
    let ran = turnwise(folder.path(), &["run", "program.toml", "--set", damaged]);
    assert!(
        ran.code == Some(2) && ran.stderr.contains("cut.zst: cannot decompress this"),
        "{ran:?}"
    );
}
