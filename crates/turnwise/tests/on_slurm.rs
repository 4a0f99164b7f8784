//! `turnwise run --on slurm` where Slurm is a few lines of shell that say what a real one says rarely:
//! that a task ran out of memory, or of time. `tests/slurm` has the real one.

#![allow(clippy::unwrap_used, reason = "tests and their helpers may")]

#[allow(dead_code)]
mod common;

use common::{Ran, command, good_study, turnwise};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use tempfile::TempDir;

/// In the first rounds task 0 takes the first bundle and comes to an end; later ones do what they should.
const SBATCH: &str = r#"#!/bin/sh
for script; do :; done
round=$(dirname "$script")
number=$(basename "$round")
echo "$@" >> sbatch.txt
if [ "$number" -le "$BAD_ROUNDS" ]; then
    [ -n "$TAKES" ] && printf 0 > "$round/taken/0"
    [ -n "$SAYS" ] && echo "$SAYS" > "$round/task-0.log"
else
    SLURM_ARRAY_TASK_ID=0 sh "$script" > "$round/task-0.log" 2>&1
fi
echo "$number"
"#;

const SCONTROL: &str = r#"#!/bin/sh
state=COMPLETED exit=0:0
if [ "$4" -le "$BAD_ROUNDS" ]; then state=$STATE exit=$EXIT; fi
echo "JobId=$4 ArrayJobId=$4 ArrayTaskId=0 JobState=$state Reason=None ExitCode=$exit NodeList=n4"
"#;

const LOADS: &str = "sweep.traffic.load=[0.1, 0.2, 0.3]";

fn program(folder: &Path, name: &str, text: &str) {
    let path = folder.join(name);
    fs::write(&path, text).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
}

/// A study and Slurm's programs.
fn cluster() -> TempDir {
    let folder = good_study();
    let bin = folder.path().join("bin");
    fs::create_dir(&bin).unwrap();
    program(&bin, "sbatch", SBATCH);
    program(&bin, "scontrol", SCONTROL);
    program(&bin, "scancel", "#!/bin/sh\n");
    folder
}

/// Runs three points; so many rounds end with this state and exit code.
fn run(folder: &Path, rounds: &str, state: &str, exit: &str, more: &[(&str, &str)]) -> Ran {
    let path = std::env::var("PATH").unwrap();
    let mut command = command(folder);
    command
        .args(["run", "study.toml", "--on", "slurm", "--set", LOADS])
        .env("PATH", format!("{}:{path}", folder.join("bin").display()))
        .env("BAD_ROUNDS", rounds)
        .env("STATE", state)
        .env("EXIT", exit)
        .envs(more.iter().copied());
    command.output().unwrap().into()
}

const TAKES: &[(&str, &str)] = &[("TAKES", "yes")];

#[test]
fn a_task_that_ends_of_its_point_is_told_with_what_to_do() {
    for (rounds, state, exit, words) in [
        (
            "1",
            "OUT_OF_MEMORY",
            "0:125",
            "job 1_0 ran out of memory on n4, where about ",
        ),
        (
            "1",
            "OUT_OF_MEMORY",
            "0:125",
            " MiB are expected; give it more by --memory",
        ),
        (
            "1",
            "TIMEOUT",
            "0:15",
            "job 1_0 reached its time limit on n4, where about ",
        ),
        (
            "1",
            "TIMEOUT",
            "0:15",
            " s are expected; give it more by --time",
        ),
        (
            "2",
            "FAILED",
            "0:9",
            "job 2_0 ended on n4 with signal 9, as where a node has no memory left",
        ),
        (
            "2",
            "FAILED",
            "101:0",
            "job 2_0 ended on n4 with exit code 101",
        ),
    ] {
        let folder = cluster();
        let ran = run(folder.path(), rounds, state, exit, TAKES);
        assert_eq!(ran.code, Some(3), "{ran:#?}");
        // The costliest point is taken first.
        let failure = ran
            .stderr
            .lines()
            .find(|line| line.contains(" failed: "))
            .unwrap();
        assert!(
            failure.starts_with("point 2 (traffic.load = 0.3) failed: "),
            "{failure}"
        );
        assert!(failure.contains(words), "{failure}");
        assert!(ran.stdout.contains("2 of 3 points simulated"), "{ran:#?}");
        // Whoever reads the store later is told as well.
        turnwise(folder.path(), &["report", "study.toml", "--set", LOADS]);
        let page = folder.path().join("turnwise-out/study/report.html");
        let told = fs::read_to_string(page).unwrap();
        assert!(told.contains(words), "{words}");
    }
}

#[test]
fn what_is_nobodys_fault_goes_again() {
    for (state, exit) in [("NODE_FAIL", "0:0"), ("PREEMPTED", "0:15")] {
        let folder = cluster();
        let first = run(folder.path(), "1", state, exit, TAKES);
        assert_eq!(first.code, Some(130), "{first:#?}");
        let again = run(folder.path(), "1", state, exit, TAKES);
        assert_eq!(again.code, Some(0), "{again:#?}");
        assert!(
            again.stdout.contains("3 of 3 points simulated"),
            "{again:#?}"
        );
    }
}

#[test]
fn a_crash_that_does_not_come_again_is_forgotten() {
    let folder = cluster();
    let ran = run(folder.path(), "1", "FAILED", "0:9", TAKES);
    assert_eq!(ran.code, Some(0), "{ran:#?}");
    assert!(ran.stdout.contains("3 of 3 points simulated"), "{ran:#?}");
}

#[test]
fn who_cancels_the_job_gets_no_other_one() {
    let folder = cluster();
    let ran = run(folder.path(), "1", "CANCELLED", "0:0", TAKES);
    assert_eq!(ran.code, Some(130), "{ran:#?}");
    assert_eq!(
        ran.stderr,
        "job 1: 1 task for 3 points\n\
         job 1 has ended (cancelled); 3 points without a result\n\
         3 of 3 points have no results; the same command goes on from here\n"
    );
}

#[test]
fn a_task_that_cannot_begin_says_why() {
    let said = [("SAYS", "n4 does not see /home/me")];
    for (says, words) in [
        (&said[..], "task 0 on n4 said: n4 does not see /home/me"),
        (&[], "task 0 could not write into "),
    ] {
        let folder = cluster();
        let ran = run(folder.path(), "1", "FAILED", "2:0", says);
        assert_eq!(ran.code, Some(2), "{ran:#?}");
        let begin = format!("error: job 1 ended before it had begun: {words}");
        assert!(ran.stderr.contains(&begin), "{ran:#?}");
    }
}

#[test]
fn a_point_that_cannot_be_simulated_fails_as_anywhere() {
    let folder = cluster();
    // The hop to nowhere fails while the point is simulated, in the task.
    let arguments = [
        "run",
        "study.toml",
        "--set",
        LOADS,
        "--set",
        "network.faults={ links = [[0, 1], [0, 3], [0, 4], [0, 12]] }",
    ];
    let here = turnwise(folder.path(), &arguments);
    let path = std::env::var("PATH").unwrap();
    let mut there = command(folder.path());
    there
        .args(arguments)
        .args(["--on", "slurm", "--output", "there"])
        .env(
            "PATH",
            format!("{}:{path}", folder.path().join("bin").display()),
        )
        .env("BAD_ROUNDS", "0");
    let there: Ran = there.output().unwrap().into();
    assert_eq!(there.code, here.code, "{there:#?}");
    let failures = |ran: &Ran| {
        let lines = ran.stderr.lines().filter(|line| line.contains(" failed: "));
        lines.map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(failures(&there).len(), 3, "{there:#?}");
    assert_eq!(failures(&there), failures(&here));
}

#[test]
fn slurm_must_be_there_and_the_study_a_file() {
    let folder = good_study();
    let mut without = command(folder.path());
    let ran: Ran = without
        .args(["run", "study.toml", "--on", "slurm"])
        .env("PATH", folder.path())
        .output()
        .unwrap()
        .into();
    assert_eq!(ran.code, Some(2));
    assert_eq!(
        ran.stderr,
        "error: cannot run `sbatch`: No such file or directory (os error 2)\n  \
         help: run this where jobs are submitted, with Slurm's programs on the PATH\n"
    );
    assert!(!folder.path().join("turnwise-out").exists());
    let ran = common::shell(folder.path(), "$turnwise run - --on slurm < study.toml");
    assert_eq!(ran.code, Some(2));
    assert!(
        ran.stderr
            .contains("a study from standard input cannot be read on other machines")
    );
    let ran = turnwise(folder.path(), &["run", "study.toml", "--tasks", "3"]);
    assert_eq!(ran.code, Some(2));
    assert!(ran.stderr.contains("--on <ENGINE>"), "{ran:#?}");
}

#[test]
fn options_reach_sbatch_and_names_may_be_strange() {
    let folder = cluster();
    let strange = folder.path().join("it's 50%");
    fs::create_dir(&strange).unwrap();
    fs::rename(folder.path().join("bin"), strange.join("bin")).unwrap();
    fs::rename(
        folder.path().join("study.toml"),
        strange.join("a study.toml"),
    )
    .unwrap();
    let path = std::env::var("PATH").unwrap();
    let mut command = command(&strange);
    command
        .args(["run", "a study.toml", "--on", "slurm", "--set", LOADS])
        .args(["--partition", "long", "--time", "1:00:00", "--memory", "2G"])
        .args(["--threads", "2", "--sbatch=--account=physics"])
        .env("PATH", format!("{}:{path}", strange.join("bin").display()))
        .env("BAD_ROUNDS", "0");
    let ran: Ran = command.output().unwrap().into();
    assert_eq!(ran.code, Some(0), "{ran:#?}");
    let asked = fs::read_to_string(strange.join("sbatch.txt")).unwrap();
    let options = " --cpus-per-task=2 --partition=long --time=1:00:00 --mem=2G --account=physics /";
    assert!(asked.contains(options), "{asked}");
    assert!(
        asked.contains("50%%/turnwise-out/a study/slurm/1/task-%a.log"),
        "{asked}"
    );
}
