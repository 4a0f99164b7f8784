//! Deliberate exit codes: 1 for what is proved to be bad, 3 for points that failed, and 0 when
//! nobody wants to read on. Code 2 has its own tests, and so has 130.

#![allow(clippy::unwrap_used, reason = "tests and their helpers may")]

#[allow(dead_code)]
mod common;

use common::{Ran, command, examples, good_study, rows, shell, turnwise};
use std::fs;
use std::process::Stdio;

#[test]
fn negative_verdicts_end_with_one() {
    let folder = good_study();
    let cyclic = ["--set", "routing.classes=none"];
    let unroutable = [
        "--set",
        "network.faults={ links = [[0, 1], [0, 3], [0, 4], [0, 12]] }",
    ];
    for (set, words) in [
        (cyclic, "CYCLIC"),
        (unroutable, "UNROUTABLE: 39 of 240 pairs"),
    ] {
        let ran = turnwise(
            folder.path(),
            &[&["verify", "study.toml"], &set[..]].concat(),
        );
        assert_eq!(ran.code, Some(1), "{ran:?}");
        assert!(ran.stdout.contains(words), "{}", ran.stdout);
        assert_eq!(
            turnwise(
                folder.path(),
                &[&["route", "study.toml"], &set[..]].concat()
            )
            .code,
            Some(1)
        );
    }
    let ran = turnwise(
        folder.path(),
        &["network", "study.toml", unroutable[0], unroutable[1]],
    );
    assert_eq!(ran.code, Some(1), "{ran:?}");
    // The simulation survives the low load, but the proof does not.
    let ran = turnwise(folder.path(), &["run", "study.toml", cyclic[0], cyclic[1]]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert!(ran.stdout.contains("can deadlock"), "{}", ran.stdout);
    assert_eq!(ran.stderr, "negative: 1 of 1 routing can deadlock\n");
}

/// Whatever else a sweep has to say, the one bad router comes first, by name, and the others are counted.
#[test]
fn no_negative_verdict_is_hidden_by_positive_ones() {
    let folder = good_study();
    let sweep = "sweep.router.virtual_channels=[8, 6, 4, 3, 2, 1]";
    let ran = turnwise(folder.path(), &["run", "study.toml", "--set", sweep]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    let lines: Vec<&str> = ran.stdout.lines().collect();
    assert!(
        lines[0].starts_with("dimension-order, virtual channels 1 on 4x4 torus: can deadlock"),
        "{}",
        ran.stdout
    );
    assert!(
        lines.contains(&"And 3 more proved deadlock-free."),
        "{}",
        ran.stdout
    );
    assert_eq!(ran.stderr, "negative: 1 of 6 routings can deadlock\n");
    let output = folder.path().join("turnwise-out/study");
    let html = std::fs::read_to_string(output.join("report.html")).unwrap();
    let cards: Vec<&str> = html.split("<article").skip(1).collect();
    assert_eq!(cards.len(), 6);
    assert!(cards[0].contains("Can deadlock") && cards[0].contains("virtual channels 1<"));
    let csv = std::fs::read_to_string(output.join("results.csv")).unwrap();
    let verdicts: Vec<(&str, &str)> = csv
        .lines()
        .skip(1)
        .filter_map(|line| Some((line.split(',').next()?, line.rsplit(',').next()?)))
        .collect();
    assert_eq!(verdicts[5], ("1", "cyclic"));
    assert!(
        verdicts[..5]
            .iter()
            .all(|(_, verdict)| *verdict == "deadlock-free")
    );
}

/// Flow control decides the verdict, so points that differ in it are proved apart.
#[test]
fn flow_controls_are_proved_apart() {
    let folder = good_study();
    let ran = turnwise(
        folder.path(),
        &[
            "run",
            "study.toml",
            "--format",
            "json",
            "--report",
            "--set",
            "routing.classes=none",
            "--set",
            "network.sizes=[4]",
            "--set",
            "sweep.router.flow_control=[\"wormhole\", \"bubble\"]",
        ],
    );
    assert_eq!(ran.code, Some(1), "{ran:?}");
    let verdicts: Vec<serde_json::Value> = rows(&ran)
        .iter()
        .map(|row| row["verdict"].clone())
        .collect();
    assert_eq!(verdicts, ["cyclic", "deadlock-free"]);
    // Without a report nothing is proved, and nothing claimed.
    let ran = turnwise(folder.path(), &["run", "study.toml", "--format", "json"]).fine();
    assert!(rows(&ran)[0]["verdict"].is_null());
}

#[test]
fn deadlocked_points_end_with_one() {
    let folder = good_study();
    let arguments = [
        "run",
        "study.toml",
        "--format",
        "json",
        "--set",
        "network.sizes=[16]",
        "--set",
        "routing.classes=none",
        "--set",
        "router.virtual_channels=1",
        "--set",
        "router.buffer_flits=1",
        "--set",
        "traffic.load=1.0",
        "--set",
        "traffic.packet_flits=8",
        "--set",
        "traffic.pattern=tornado",
        "--set",
        "simulation.measure_cycles=5000",
    ];
    let ran = turnwise(folder.path(), &arguments);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert_eq!(rows(&ran)[0]["deadlocked"], true);
    assert_eq!(rows(&ran)[0]["ending"], "deadlocked");
}

/// BookSim's virtual channels for UGAL: the cycle that is proved possible closes once all packets make detours.
#[test]
fn booksims_adaptive_dragonfly_deadlocks_and_ours_does_not() {
    let folder = examples();
    let run = |set: &[&str]| {
        let mut arguments = vec!["run", "dragonfly.toml", "--format", "json"];
        for setting in [
            "sweep.routing.kind=[\"ugal\"]",
            "routing.threshold_flits=-1000",
            "sweep.traffic.load=[1.0]",
            "traffic.pattern=bad-dragon",
            "router.virtual_channels=4",
            "router.buffer_flits=16",
        ]
        .iter()
        .chain(set)
        {
            arguments.extend(["--set", setting]);
        }
        let ran = turnwise(folder.path(), &arguments);
        (
            ran.code,
            rows(&ran)[0]["ending"].as_str().unwrap().to_owned(),
        )
    };
    let booksim = run(&["routing.classes=booksim"]);
    assert_eq!(booksim, (Some(1), "deadlocked".into()));
    let (code, ending) = run(&[]);
    assert_eq!(code, Some(0));
    assert_ne!(ending, "deadlocked");
}

/// A pair without a route is said to be one, also by routers that the engine's own checks look at.
#[test]
fn pairs_without_a_route_are_no_fault_of_the_engine() {
    let folder = tempfile::tempdir().unwrap();
    let study = "[network]\nkind = 'dragonfly'\ngroups = 4\nrouters_per_group = 3\nterminals_per_router = 2\n\
                 global_ports_per_router = 1\nfaults = { links = [[0, 3]] }\n[routing]\nkind = 'minimal'\n\
                 [router]\npreset = 'supersim-ioq'\n[traffic]\npattern = 'uniform'\nload = 0.3\n\
                 [simulation]\ncheck = true\n";
    std::fs::write(folder.path().join("study.toml"), study).unwrap();
    let ran = turnwise(folder.path(), &["run", "study.toml", "--no-report"]);
    assert_eq!(ran.code, Some(3), "{ran:?}");
    let wanted = "the routing cannot deliver packets from terminal 1 to terminal 7";
    assert!(ran.stderr.contains(wanted), "{ran:?}");
    let others = "though they are connected; `turnwise verify` lists all such pairs, and these go round whatever has failed: `shortest-path`";
    assert!(ran.stderr.contains(others), "{ran:?}");
}

/// One of three points asks for more than a crippled network can do; the others are simulated,
/// and stay so.
#[test]
fn failed_points_end_with_three() {
    let folder = good_study();
    let links = "sweep.network.faults.random_links=[0, 20, 1]";
    let arguments = [
        "run",
        "study.toml",
        "--no-report",
        "--format",
        "json",
        "--set",
        links,
        "--set",
        "routing.kind=shortest-path",
    ];
    for _ in 0..2 {
        let ran = turnwise(folder.path(), &arguments);
        assert_eq!(ran.code, Some(3), "{ran:?}");
        assert!(
            ran.stderr
                .starts_with("point 1 (network.faults.random_links = 20) failed: the routing cannot deliver packets from terminal "),
            "{ran:?}"
        );
        let why = "what has failed has cut them off";
        assert!(ran.stderr.contains(why), "{ran:?}");
        let links: Vec<serde_json::Value> = rows(&ran)
            .iter()
            .map(|row| row["point"]["network.faults.random_links"].clone())
            .collect();
        assert_eq!(links, [0, 1]);
    }
    // Reports that are made later tell it, too, and not as if the point had not been reached.
    let report = ["report", "study.toml"].iter().chain(&arguments[5..]);
    let ran = turnwise(folder.path(), &report.copied().collect::<Vec<_>>());
    assert_eq!(ran.code, Some(1), "{ran:?}");
    let page =
        std::fs::read_to_string(folder.path().join("turnwise-out/study/report.html")).unwrap();
    let failed = page.split("What failed").nth(1).unwrap();
    assert!(failed.contains("point 1 (network.faults.random_links = 20) failed: "));
    let ran = turnwise(folder.path(), &[&arguments[..2], &arguments[5..]].concat());
    assert_eq!(ran.code, Some(3), "{ran:?}");
    assert!(
        folder
            .path()
            .join("turnwise-out/study/report.html")
            .exists()
    );
}

/// What no machine has is not asked for; the other points go on.
#[test]
fn points_that_need_too_much_memory_fail_alone() {
    let folder = good_study();
    let arguments = [
        "run",
        "study.toml",
        "--format",
        "json",
        "--set",
        "sweep.network.sizes=[[200, 200], [4, 4]]",
        "--set",
        "sweep.network.channel_latency=[100000, 2]",
        "--set",
        "sweep.zip=[\"network.sizes\", \"network.channel_latency\"]",
        "--set",
        "router.buffer_flits=16",
    ];
    let ran = turnwise(folder.path(), &arguments);
    assert_eq!(ran.code, Some(3), "{ran:?}");
    assert!(
        ran.stderr.starts_with(
            "point 0 (network.sizes = [200,200], network.channel_latency = 100000) failed: it needs "
        ),
        "{}",
        ran.stderr
    );
    assert!(
        ran.stderr.contains(" GiB of memory, and there are only "),
        "{}",
        ran.stderr
    );
    assert_eq!(
        rows(&ran)[0]["point"]["network.sizes"],
        serde_json::json!([4, 4])
    );
}

/// What is printed is dropped then, and not the verdict.
#[test]
fn nobody_reading_is_no_error() {
    let folder = good_study();
    let cycle = ["--set", "routing.classes=none"];
    let split = [
        "--set",
        "sweep.network.faults.random_links=[0, 20]",
        "--set",
        "routing.kind=shortest-path",
    ];
    let rows = |seed: &str| {
        let seed = format!("study.seed={seed}");
        let arguments = [
            "run",
            "study.toml",
            "--format",
            "json",
            "--fresh",
            "--set",
            &seed,
        ];
        turnwise(folder.path(), &arguments).fine().stdout
    };
    for seed in ["1", "7"] {
        fs::write(folder.path().join(format!("{seed}.jsonl")), rows(seed)).unwrap();
    }
    for (arguments, code) in [
        (&["list"][..], 0),
        (&["schema"], 0),
        (&["completions", "zsh"], 0),
        (&["network", "study.toml"], 0),
        (&["verify", "study.toml", "--certificate", "/dev/stdout"], 0),
        (&["route", "study.toml", "--format", "json"], 0),
        (&["run", "study.toml", "--fresh", "--format", "csv"], 0),
        (
            &[
                "run",
                "study.toml",
                "--fresh",
                "--no-report",
                "--csv",
                "/dev/stdout",
            ],
            0,
        ),
        (&[&["verify", "study.toml"], &cycle[..]].concat(), 1),
        (&[&["route", "study.toml"], &cycle[..]].concat(), 1),
        (
            &[
                "report",
                "--compare",
                "1.jsonl",
                "7.jsonl",
                "--fail-on",
                "difference",
            ],
            1,
        ),
        (
            &[
                &["run", "study.toml", "--fresh", "--format", "json"],
                &split[..],
            ]
            .concat(),
            3,
        ),
    ] {
        let mut child = command(folder.path())
            .args(arguments)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        drop(child.stdout.take());
        let ended: Ran = child.wait_with_output().unwrap().into();
        assert_eq!(ended.code, Some(code), "{arguments:?}: {}", ended.stderr);
        assert!(
            !ended.stderr.contains("pipe"),
            "{arguments:?}: {}",
            ended.stderr
        );
        assert!(
            code > 0 || ended.stderr.is_empty(),
            "{arguments:?}: {}",
            ended.stderr
        );
    }
    let ran = shell(
        folder.path(),
        "\"$turnwise\" list | head -1; \"$turnwise\" schema | head -1",
    );
    assert_eq!(
        (ran.stdout.lines().count(), ran.stderr.as_str()),
        (2, ""),
        "{ran:?}"
    );
}
