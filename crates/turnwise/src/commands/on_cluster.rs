//! `turnwise run --on slurm`: the points of a study as array jobs, and what one of their tasks does.

use crate::arguments::{RunArguments, TaskArguments};
use crate::failure::{Failure, Status};
use crate::{output, progress};
use std::ops::ControlFlow;
use std::path::{Path, absolute};
use std::sync::atomic::AtomicBool;
use turnwise_cluster::{ClusterError, Drive, Driven, News, Request, Round, Taker};
use turnwise_study::Plan;
use turnwise_study::runner::RunSummary;
use turnwise_study::store::Results;

/// Has a cluster simulate what has no result yet; or ends early, because jobs go on without us.
pub(super) fn simulate(
    arguments: &RunArguments,
    plan: &Plan,
    folder: &Path,
    stop: &AtomicBool,
) -> Result<ControlFlow<Status, (Results, RunSummary)>, Failure> {
    let request = request(arguments, plan, folder)?;
    let wait = !arguments.cluster.no_wait;
    let drive = Drive {
        plan,
        stored: &folder.join("results"),
        rounds: &folder.join("slurm"),
        request: &request,
        wait,
        stop,
    };
    let bar = progress::bar(plan.len() as u64, "simulating");
    let mut tell = |news: News| match news {
        News::Progress(done, tasks) => {
            bar.set_position(done as u64);
            bar.set_message(tasks);
        }
        other => bar.suspend(|| output::talk(&words(&other))),
    };
    let driven = drive.run(&mut tell);
    bar.finish_and_clear();
    let Driven {
        results,
        summary,
        under_way,
    } = driven?;
    let Some(job) = under_way else {
        let left = plan.missing(&results).count() - summary.failures.len();
        if left == 0 {
            return Ok(ControlFlow::Continue((results, summary)));
        }
        summary
            .failures
            .iter()
            .for_each(|failure| output::talk(&failure.to_string()));
        output::talk(&format!(
            "{left} of {} have no results; the same command goes on from here",
            output::count(plan.len(), "point")
        ));
        return Ok(ControlFlow::Break(Status::Interrupted));
    };
    let verb = if wait { "goes on" } else { "is under way" };
    output::talk(&format!(
        "job {job} {verb}; {} of {} have results. \
         The same command watches it to its end, `scancel {job}` ends it now",
        results.len(),
        output::count(plan.len(), "point")
    ));
    Ok(ControlFlow::Break(match wait {
        true => Status::Interrupted,
        false => Status::Fine,
    }))
}

/// What every task runs: this command, with absolute names.
fn request(arguments: &RunArguments, plan: &Plan, folder: &Path) -> Result<Request, Failure> {
    let study = &arguments.study.study;
    if study.as_os_str() == "-" {
        return Err(Failure::Plain(
            "a study from standard input cannot be read on other machines".into(),
            Some("write it into a file".into()),
        ));
    }
    let fail = |what: &str, error| Failure::plain(format!("cannot find {what}: {error}"));
    let named =
        |path: &Path| absolute(path).map_err(|error| fail(&path.display().to_string(), error));
    let program = std::env::current_exe().map_err(|error| fail("this program", error))?;
    let here = std::env::current_dir().map_err(|error| fail("the present folder", error))?;
    let cluster = &arguments.cluster;
    let threads = arguments.threads.unwrap_or(1);
    let words = |path: &Path| path.to_string_lossy().into_owned();
    let mut command = vec![words(&program), "run".into(), words(&named(study)?)];
    let overrides = arguments.study.overrides.iter();
    command.extend(overrides.map(|field| format!("--set={field}")));
    command.extend([
        format!("--output={}", words(folder)),
        format!("--threads={threads}"),
        "--no-report".into(),
    ]);
    Ok(Request {
        name: plan.name.clone(),
        tasks: cluster.tasks.map(|tasks| tasks as usize),
        threads: threads as usize,
        partition: cluster.partition.clone(),
        time: cluster.time.clone(),
        memory: cluster.memory.clone(),
        options: cluster.options.clone(),
        folder: here,
        command,
    })
}

/// News for people.
fn words(news: &News) -> String {
    match news {
        News::Submitted(job, tasks, points) => format!(
            "job {job}: {} for {}",
            output::count(*tasks, "task"),
            output::count(*points, "point")
        ),
        News::Found(job) => format!("job {job} is still under way"),
        News::Progress(done, tasks) => format!("{}: {tasks}", output::count(*done, "result")),
        News::Silent(why) => format!("Slurm does not answer now ({why}); its jobs go on"),
        News::Left(job, points, endings) => {
            let ended = match endings.is_empty() {
                true => "has ended".to_owned(),
                false => format!("has ended ({endings})"),
            };
            format!(
                "job {job} {ended}; {} without a result",
                output::count(*points, "point")
            )
        }
    }
}

/// Who hands out points, if this is a task of a job.
pub(super) fn taker(
    arguments: &TaskArguments,
    plan: &Plan,
    results: &Results,
) -> Result<Option<Taker>, Failure> {
    let (Some(round), Some(task)) = (&arguments.round, arguments.task) else {
        return Ok(None);
    };
    let taker = Taker::new(Round::open(round), &task.to_string(), plan, results)?;
    Ok(Some(taker))
}

impl From<ClusterError> for Failure {
    fn from(error: ClusterError) -> Self {
        let help = error.help();
        Self::Plain(error.to_string(), help)
    }
}
