//! `turnwise slurm` without Slurm: what is written, what is refused, and what is wrong with the
//! user's text. The tests with real daemons are in `tests/slurm`.

#![allow(clippy::unwrap_used, reason = "tests and their helpers may")]

#[allow(dead_code)]
mod common;

use common::{Ran, assert_refused, command, content, json, refuse, turnwise};
use serde_json::Value;
use std::fs;
use std::path::Path;
use tempfile::TempDir;

const SITE: &str = "\
sizes = [4, 2]
hosts = \"n[1-8]\"
output = \"tables\"

[routing]
kind = \"angara-dor\"
";

/// A folder with a site file.
fn site(text: &str) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("site.toml"), text).unwrap();
    folder
}

fn prolog(folder: &Path, arguments: &[&str]) -> Ran {
    let all = ["slurm", "prolog", "--site", "site.toml"];
    turnwise(folder, &[&all[..], arguments].concat())
}

/// Names of whole folders of jobs.
fn jobs(folder: &Path) -> Vec<String> {
    let Ok(entries) = fs::read_dir(folder.join("tables")) else {
        return Vec::new();
    };
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> = names.filter(|name| name != ".lock").collect();
    names.sort();
    names
}

#[test]
fn a_job_gets_a_table_for_each_node_and_a_manifest() {
    let folder = site(SITE);
    let ran = prolog(folder.path(), &["--nodes", "n[1-6]", "--job", "7"]).fine();
    assert_eq!(ran.stdout, "");
    let line = "turnwise: job 7: 6 nodes n[1-6], angara-dor: deadlock-free, index ";
    assert!(ran.stderr.starts_with(line), "{}", ran.stderr);
    let job = folder.path().join("tables/job-7");
    assert_eq!(fs::read_dir(&job).unwrap().count(), 7);
    let table = fs::read_to_string(job.join("n1.csv")).unwrap();
    let lines: Vec<&str> = table.lines().collect();
    assert_eq!(lines[0], "destination,fs,bits,counts,ls");
    assert_eq!(lines[1], "1,none,0+,0:1,none");
    assert_eq!(lines.len(), 6);
    let manifest = fs::read_to_string(job.join("manifest.json")).unwrap();
    let manifest: Value = serde_json::from_str(&manifest).unwrap();
    assert_eq!(manifest["hostlist"], "n[1-6]");
    assert_eq!(manifest["verdict"], "deadlock-free");
    assert_eq!(
        (&manifest["pairs"], &manifest["routable_pairs"]),
        (&30.into(), &30.into())
    );
    assert_eq!(
        manifest["nodes"][5]["coordinates"],
        serde_json::json!([2, 1])
    );
    let sum = common::shell(&job, "sha256sum n6.csv").fine().stdout;
    assert!(
        sum.starts_with(manifest["nodes"][5]["sha256"].as_str().unwrap()),
        "{sum}"
    );
}

#[test]
fn the_same_job_gets_the_same_tables_and_replaces_its_old_ones() {
    let folder = site(SITE);
    let tables = |folder: &Path| {
        let mut all = content(&folder.join("tables/job-7"));
        all.remove("manifest.json");
        all
    };
    prolog(folder.path(), &["--nodes", "n[1-8]", "--job", "7"]).fine();
    prolog(folder.path(), &["--nodes", "n[3-6]", "--job", "7"]).fine();
    let first = tables(folder.path());
    assert_eq!(first.len(), 4);
    prolog(folder.path(), &["--nodes", "n6,n[3-5]", "--job", "7"]).fine();
    assert_eq!(tables(folder.path()), first);
    assert_eq!(jobs(folder.path()), ["job-7"]);
}

#[test]
fn slurm_says_which_job_and_which_nodes() {
    let folder = site(SITE);
    let bin = folder.path().join("bin");
    fs::create_dir(&bin).unwrap();
    common::shell(
        folder.path(),
        "printf '#!/bin/sh\\necho \"StepId=$3 X=1\"; echo \"  NodeList=n[5-6] Nodes=2\"\\n' \
         >bin/scontrol; chmod +x bin/scontrol",
    )
    .fine();
    let told = |variables: &[(&str, &str)], arguments: &[&str]| {
        let mut command = command(folder.path());
        for name in [
            "SLURM_JOB_ID",
            "SLURM_STEP_ID",
            "SLURM_JOB_NODELIST",
            "SLURM_STEP_NODELIST",
        ] {
            command.env_remove(name);
        }
        let path = format!("{}:{}", bin.display(), std::env::var("PATH").unwrap());
        command.env("PATH", path).envs(variables.iter().copied());
        let all = ["slurm", "prolog", "--site", "site.toml"];
        let output = command.args([&all[..], arguments].concat()).output();
        let ran: Ran = output.unwrap().into();
        let ran = ran.fine();
        let words: Vec<&str> = ran.stderr.split([' ', ',']).collect();
        format!("{} {}", words[2], words[5])
    };
    let job = [("SLURM_JOB_ID", "7"), ("SLURM_JOB_NODELIST", "n[1-4]")];
    assert_eq!(told(&job, &[]), "7: n[1-4]");
    let step = [job[0], job[1], ("SLURM_STEP_ID", "0")];
    assert_eq!(told(&step, &[]), "7.0: n[5-6]");
    let known = [step[0], step[1], step[2], ("SLURM_STEP_NODELIST", "n[7-8]")];
    // Of a step that was started in a task, these are the nodes of that task's own.
    assert_eq!(told(&known, &[]), "7.0: n[5-6]");
    let alone = [known[0], known[1], known[2], known[3], ("PATH", "/nowhere")];
    assert_eq!(told(&alone, &[]), "7.0: n[7-8]");
    assert_eq!(told(&known, &["--nodes", "n[1-2]"]), "7.0: n[1-2]");
    assert_eq!(
        told(&step, &["--job", "8", "--nodes", "n[1-2]"]),
        "8: n[1-2]"
    );
    assert_eq!(told(&step, &["--step", "3"]), "7.3: n[5-6]");
    assert_eq!(
        jobs(folder.path()),
        ["job-7", "job-7.0", "job-7.3", "job-8"]
    );
}

#[test]
fn a_job_that_is_named_does_not_get_the_nodes_of_another() {
    let folder = site(SITE);
    let inside_job_7 = |job: &str| -> Ran {
        let all = ["slurm", "prolog", "--site", "site.toml", "--job", job];
        let variables = [
            ("SLURM_JOB_ID", "7"),
            ("SLURM_STEP_ID", "0"),
            ("SLURM_JOB_NODELIST", "n[1-4]"),
            ("SLURM_NODELIST", "n[1-4]"),
            ("SLURM_STEP_NODELIST", "n[1-2]"),
        ];
        let mut command = command(folder.path());
        command.envs(variables).args(all).output().unwrap().into()
    };
    let ran = inside_job_7("8");
    assert_refused(&ran, "prolog --job 8");
    assert!(ran.stderr.contains("which nodes?"), "{}", ran.stderr);
    assert!(jobs(folder.path()).is_empty());
    let line = inside_job_7("7").fine().stderr;
    assert!(
        line.starts_with("turnwise: job 7: 4 nodes n[1-4]"),
        "{line}"
    );
}

#[test]
fn an_epilog_removes_a_job_with_its_steps_and_nothing_else() {
    let folder = site(SITE);
    for (job, step) in [
        ("7", None),
        ("7", Some("0")),
        ("7", Some("1")),
        ("71", None),
        ("71", Some("0")),
    ] {
        let mut arguments = vec!["--nodes", "n[1-2]", "--job", job];
        arguments.extend(step.into_iter().flat_map(|step| ["--step", step]));
        prolog(folder.path(), &arguments).fine();
    }
    let epilog = |arguments: &[&str]| {
        let all = ["slurm", "epilog", "--site", "site.toml"];
        turnwise(folder.path(), &[&all[..], arguments].concat()).fine();
        jobs(folder.path())
    };
    let left = epilog(&["--job", "7", "--step", "1"]);
    assert_eq!(left, ["job-7", "job-7.0", "job-71", "job-71.0"]);
    assert_eq!(epilog(&["--job", "7"]), ["job-71", "job-71.0"]);
    assert_eq!(epilog(&["--job", "7"]), ["job-71", "job-71.0"]);
    // Also while the site file has a mistake, in which no new job gets tables.
    let wrong = format!("{SITE}[failed]\nnodes = \"nobody\"\n");
    fs::write(folder.path().join("site.toml"), wrong).unwrap();
    let ran = prolog(folder.path(), &["--nodes", "n[1-2]", "--job", "8"]);
    assert_eq!(ran.code, Some(2), "{ran:?}");
    let all = ["slurm", "epilog", "--site", "site.toml", "--job", "71"];
    let ran = turnwise(folder.path(), &all);
    assert_refused(&ran, "epilog");
    assert!(ran.stderr.contains("nobody"), "{}", ran.stderr);
    assert!(jobs(folder.path()).is_empty());
}

#[test]
fn a_manifest_has_the_seed_that_was_used() {
    let seeded = |own: &str| {
        let routing = format!("[routing]\nkind = \"angara-bfs\"\n{own}");
        let folder = site(&SITE.replace("[routing]\nkind = \"angara-dor\"\n", &routing));
        prolog(folder.path(), &["--nodes", "n[1-2]", "--job", "7"]).fine();
        let text = fs::read_to_string(folder.path().join("tables/job-7/manifest.json")).unwrap();
        serde_json::from_str::<serde_json::Value>(&text).unwrap()["seed"].clone()
    };
    assert_eq!(seeded(""), 1);
    assert_eq!(seeded("seed = 3\n"), 3);
}

#[test]
fn a_job_that_cannot_be_routed_ends_with_one_and_has_no_tables() {
    let failed = format!("{SITE}[failed]\nnodes = \"n5\"\nlinks = [[\"n1\", \"n2\"]]\n");
    let folder = site(&format!("log = \"jobs.log\"\n{failed}"));
    fs::create_dir_all(folder.path().join("tables/job-7")).unwrap();
    for (nodes, why) in [
        ("n[5-6]", "n5 is out of order"),
        ("n[1-2]", "no route from n1 to n2: the failed link n1 - n2"),
        (
            "n[1,4]",
            "no route from n1 to n4: the rule against passing through other nodes",
        ),
    ] {
        let ran = prolog(folder.path(), &["--nodes", nodes, "--job", "7"]);
        assert_eq!((ran.code, ran.stdout.as_str()), (Some(1), ""), "{ran:?}");
        let line = format!("job 7: refused on {nodes}: {why}");
        assert!(
            ran.stderr.starts_with(&format!("turnwise: {line}")),
            "{}",
            ran.stderr
        );
        assert!(jobs(folder.path()).is_empty());
        let log = fs::read_to_string(folder.path().join("jobs.log")).unwrap();
        assert!(log.contains(&line), "{log}");
    }
    // The log has what went well too, and nothing is said.
    let ran = prolog(folder.path(), &["--nodes", "n[3-4]", "--job", "7"]).fine();
    assert_eq!(ran.stderr, "");
    let log = fs::read_to_string(folder.path().join("jobs.log")).unwrap();
    assert!(
        log.lines()
            .last()
            .unwrap()
            .contains("Z job 7: 2 nodes n[3-4], angara-dor"),
        "{log}"
    );
}

#[test]
fn slips_in_arguments_are_shown_where_they_are() {
    let folder = site(SITE);
    let refused = |nodes: &str, words: &[&str]| {
        let arguments = [
            "slurm",
            "prolog",
            "--site",
            "site.toml",
            "--job",
            "7",
            "--nodes",
            nodes,
        ];
        refuse(folder.path(), &arguments, words);
    };
    refused(
        "n[1-4],n9",
        &[
            "error: --nodes:1:8: the site has no host `n9`",
            "its hosts are n[1-8]",
        ],
    );
    refused(
        "m1",
        &[
            "error: --nodes:1:1: the site has no host `m1`",
            "did you mean `n1`?",
        ],
    );
    refused(
        "n1,n[2-3],n2",
        &["error: --nodes:1:11: host `n2` is listed twice"],
    );
    refused("n[1-", &["error: --nodes:1:2: `[` is never closed"]);
    refused(
        "n[3-1]",
        &[
            "error: --nodes:1:3: the range 3-1 runs backwards",
            "write 1-3",
        ],
    );
    refused("", &["error: --nodes:1:1: there are no nodes in this list"]);
    let select = [
        "slurm",
        "select",
        "2",
        "--site",
        "site.toml",
        "--busy",
        "n[1-9]",
    ];
    refuse(
        folder.path(),
        &select,
        &["error: --busy:1:1: the site has no host `n9`"],
    );
    for (arguments, words) in [
        (
            &["prolog", "--job", "../7", "--nodes", "n1"][..],
            "expected the number of a job or step",
        ),
        (
            &["prolog", "--job", "7", "--step", ".", "--nodes", "n1"],
            "expected the number of a job or step",
        ),
        (&["select", "0"], "0 is not in 1.."),
        (&["select", "many"], "invalid"),
    ] {
        let all = [&["slurm"], arguments, &["--site", "site.toml"]].concat();
        refuse(folder.path(), &all, &[words]);
    }
}

#[test]
fn what_nobody_says_is_asked_for() {
    let folder = site(&SITE.replace("output = \"tables\"\n", ""));
    let bare = |arguments: &[&str]| {
        let mut command = command(folder.path());
        for name in [
            "SLURM_JOB_ID",
            "SLURM_JOBID",
            "SLURM_STEP_ID",
            "SLURM_STEPID",
        ] {
            command.env_remove(name);
        }
        for name in [
            "SLURM_STEP_NODELIST",
            "SLURM_JOB_NODELIST",
            "SLURM_NODELIST",
        ] {
            command.env_remove(name);
        }
        let all = ["slurm", "prolog", "--site", "site.toml"];
        let ran: Ran = command
            .args([&all[..], arguments].concat())
            .output()
            .unwrap()
            .into();
        assert_refused(&ran, "prolog");
        ran.stderr
    };
    assert!(bare(&["--nodes", "n1"]).contains("which job?"));
    assert!(bare(&["--job", "7", "--out", "tables"]).contains("which nodes?"));
    assert!(bare(&["--job", "7", "--nodes", "n1"]).contains("where do the tables go?"));
    let step = bare(&["--job", "7", "--step", "0", "--out", "tables"]);
    assert!(
        step.contains("cannot find out the nodes of step 7.0: scontrol"),
        "{step}"
    );
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
fn broken_site_files_say_where_and_why() {
    let routing = "[routing]\nkind = \"angara-dor\"\n";
    for (text, words) in [
        (
            "sizes = [4, 2]\nhosts = \"n[1-7]\"\n",
            "2:9: 7 hosts do not fill a torus of 8 nodes",
        ),
        (
            "sizes = [4, 2]\nhosts = \"n[1-4],n[4-7]\"\n",
            "2:17: host `n4` is listed twice",
        ),
        (
            "sizes = [4, 2]\n[hosts]\nn1 = [0, 2]\n",
            "3:10: expected a coordinate of 0 to 1 along Y, found the number 2",
        ),
        (
            "sizes = [4, 2]\n[hosts]\nn1 = [0, 1]\nn2 = [0, 1]\n",
            "4:6: `n2` sits at (0,1), where `n1` is",
        ),
        (
            "sizes = [4, 2]\n[hosts]\nn1 = [0, 1]\nn1 = [1, 1]\n",
            "4:1: duplicate key `n1`",
        ),
        ("sizes = [4, 2]\n[hosts]\n", "2:1: there are no hosts"),
        ("sizes = [0]\nhosts = \"n1\"\n", "1:10: sizes[0]: "),
        ("size = [4]\nhosts = \"n1\"\n", "1:1: unknown key `size`"),
        ("sizes = [1]\nhosts = \"n1\"\ntransit = \"no\"\n", "3:11: "),
        (
            "sizes = [1]\nhosts = \"n1\"\ntime_limit = \"soon\"\n",
            "3:14: expected a time such as \"0.25 s\"",
        ),
        (
            "sizes = [2]\nhosts = \"n[1-2]\"\n[failed]\nnodes = \"n3\"\n",
            "4:10: the site has no host `n3`",
        ),
        (
            "sizes = [4]\nhosts = \"n[1-4]\"\n[failed]\nlinks = [[\"n1\", \"n3\"]]\n",
            "4:10: no link joins `n1` and `n3`",
        ),
        ("sizes = [4\nhosts = \"n1\"\n", ""),
    ] {
        let folder = site(&format!("{text}{routing}"));
        let place = format!("error: site.toml:{words}");
        for command in [
            &["prolog", "--job", "7", "--nodes", "n1", "--out", "tables"][..],
            &["epilog", "--job", "7", "--out", "tables"],
            &["select", "1"],
            &["export-topology"],
        ] {
            let arguments = [&["slurm"], command, &["--site", "site.toml"]].concat();
            refuse(folder.path(), &arguments, &[&place]);
        }
    }
    for (kind, words) in [
        ("angara-dro", "unknown kind \"angara-dro\""),
        ("minimal", "`minimal` does not route a torus"),
        (
            "angara-table\"\nfile = \"x.csv",
            "a table from a file is for one set of nodes",
        ),
    ] {
        let folder = site(&SITE.replace("angara-dor", kind));
        let arguments = [
            "slurm",
            "prolog",
            "--site",
            "site.toml",
            "--job",
            "7",
            "--nodes",
            "n1",
        ];
        refuse(folder.path(), &arguments, &["error: site.toml:", words]);
    }
}

#[test]
fn a_site_file_that_cannot_be_read_is_named() {
    let folder = site(SITE);
    let with = |site: &str, words: &[&str]| {
        let arguments = [
            "slurm", "prolog", "--site", site, "--job", "7", "--nodes", "n1",
        ];
        refuse(folder.path(), &arguments, words);
    };
    with(
        "sites.toml",
        &["cannot read sites.toml", "did you mean `site.toml`?"],
    );
    with(".", &["cannot read ."]);
    with("/dev/zero", &["/dev/zero is larger than 64 MiB"]);
    fs::write(folder.path().join("bytes.toml"), b"sizes = [4] # \xff").unwrap();
    with(
        "bytes.toml",
        &["error: bytes.toml:1:15: byte 0xff is not UTF-8 text"],
    );
}

#[test]
fn tables_that_cannot_be_written_are_an_error() {
    let folder = site(SITE);
    fs::write(folder.path().join("tables"), "in the way").unwrap();
    let arguments = [
        "slurm",
        "prolog",
        "--site",
        "site.toml",
        "--job",
        "7",
        "--nodes",
        "n[1-2]",
    ];
    refuse(
        folder.path(),
        &arguments,
        &["error: cannot write tables/job-7"],
    );
}

#[test]
fn proposed_nodes_are_free_and_routable() {
    let folder = site(&format!("{SITE}[failed]\nnodes = \"n8\"\n"));
    let select = [
        "slurm",
        "select",
        "4",
        "--site",
        "site.toml",
        "--busy",
        "n[1-2]",
    ];
    let found = json(
        &turnwise(
            folder.path(),
            &[&select[..], &["--format", "json"]].concat(),
        )
        .fine(),
    );
    assert_eq!(found["hostlist"], "n[3-6]");
    assert_eq!(
        (&found["nodes"], &found["box"]),
        (&4.into(), &"2x2 from (1,0)".into())
    );
    assert_eq!(found["verdict"], "deadlock-free");
    let csv = turnwise(folder.path(), &[&select[..], &["--format", "csv"]].concat()).fine();
    assert!(
        csv.stdout.starts_with("hostlist,nodes,box,"),
        "{}",
        csv.stdout
    );
    let none = turnwise(
        folder.path(),
        &["slurm", "select", "8", "--site", "site.toml"],
    );
    assert_eq!((none.code, none.stdout.as_str()), (Some(1), ""));
    let why = "turnwise: only 7 nodes are free, 8 are wanted (0 busy, 1 failed)\n";
    assert_eq!(none.stderr, why);
}
