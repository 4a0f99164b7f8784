//! `turnwise run`: simulate, prove, report.

use super::details::{point_number, without_timeline};
use super::export;
use super::places::Places;
use super::{on_cluster, on_mpi};
use crate::arguments::{Engine, Format, RunArguments};
use crate::failure::{Failure, Status};
use crate::interruption::{self, STOP};
use crate::loading::{load_for, output_folder};
use crate::{output, progress};
use serde_json::Value as Json;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf, absolute};
use std::sync::atomic::Ordering;
use turnwise_report::Report;
use turnwise_sim::Processes;
use turnwise_study::advice::{self, Advice};
use turnwise_study::handout::Share;
use turnwise_study::processes::Leader;
use turnwise_study::proofs::{self, MOST_WORK, Proofs};
use turnwise_study::reporting::Beside;
use turnwise_study::runner::{RunSummary, all_cores, is_in_shard};
use turnwise_study::specification::Scope;
use turnwise_study::store::{Results, Writer, read_details};
use turnwise_study::sweep::PointId;
use turnwise_study::tables::{self, Rows};
use turnwise_study::{Plan, Runner, reporting, warm_up};

pub(crate) fn run(arguments: &RunArguments) -> Result<Status, Failure> {
    let session = match arguments.cluster.on {
        Some(Engine::Mpi) => Some(on_mpi::join(arguments)?),
        Some(Engine::Slurm) if arguments.fresh => {
            return Err(Failure::plain(
                "--fresh: array jobs of `--on slurm` store what they find; `--on mpi` and single runs compute everything again",
            ));
        }
        Some(Engine::Slurm) if arguments.messages.is_some() => {
            return Err(Failure::plain(
                "--messages: array jobs of `--on slurm` keep no log of messages; `--on mpi` and single runs do",
            ));
        }
        Some(Engine::Slurm) | None => None,
    };
    interruption::listen();
    let processes = session.as_ref().map_or(1, Processes::count);
    let prepared = prepare(arguments, processes);
    if let Some(session) = &session {
        let plan = prepared.as_ref().map(|prepared| &prepared.plan);
        if let ControlFlow::Break(status) = on_mpi::part(session, plan, &STOP)? {
            return Ok(status);
        }
    }
    let Prepared {
        plan,
        shard,
        exports,
    } = prepared?;
    let leader = session.as_ref().map(|session| Leader::new(session));
    let mut folder = output_folder(&plan, arguments.output.as_ref());
    if arguments.cluster.on.is_some() {
        // Others are told of it, wherever they run.
        folder = absolute(&folder)
            .map_err(|error| Failure::writing(&folder.display().to_string(), &error))?;
    }
    let job = Job {
        arguments,
        plan: &plan,
        shard,
        leader: leader.as_ref(),
        stored: folder.join("results"),
        folder,
    };
    let (results, summary) = match arguments.cluster.on {
        Some(Engine::Slurm) => match on_cluster::simulate(arguments, &plan, &job.folder, &STOP)? {
            ControlFlow::Continue(done) => done,
            ControlFlow::Break(status) => return Ok(status),
        },
        Some(Engine::Mpi) | None => job.simulate()?,
    };
    if let Some(leader) = &leader {
        leader.let_go();
    }
    if arguments.messages.is_some() && summary.reused > 0 {
        output::talk(&format!(
            "{} had results already and no log of messages was written; --fresh simulates them again",
            output::count(summary.reused, "point")
        ));
    }
    for failure in &summary.failures {
        output::talk(&failure.to_string());
    }
    if arguments.task.task.is_some() {
        // Whoever submitted the task says what there is to say of the study.
        return Ok(match (summary.interrupted, summary.failures.is_empty()) {
            (true, _) => interrupted(results.len(), plan.len()),
            (false, true) => Status::Fine,
            (false, false) => Status::PointsFailed,
        });
    }
    let warnings = [
        results
            .found_again(&job.stored)
            .map(|found| format!("warning: {found}")),
        without_timeline(&plan, &results),
    ];
    for warning in warnings.into_iter().flatten() {
        output::talk(&warning);
    }
    let unproved = Proofs::default();
    let rows = Rows {
        plan: &plan,
        results: &results,
        proofs: &unproved,
    };
    // A file that is another one by now: what was found of the one before is handed out all the same.
    let or_rows_alone = |why| hand_out(arguments, &exports, rows).err().unwrap_or(why);
    let advice = print_advice(&plan).map_err(or_rows_alone)?;
    let wants_report = job.wants_report() && !job.waits_for_others(&results, &summary);
    // What a stopped run may warn of depends on how far it came.
    if !wants_report && !summary.interrupted {
        for warning in warm_up::warnings(&plan, plan.numbered_rows(&results)) {
            output::talk(&warning);
        }
    }
    // Data do not wait for the proofs of a run that was stopped.
    let proofs = match wants_report && !summary.interrupted {
        true => prove(&plan, job.threads()).map_err(or_rows_alone)?,
        false => None,
    };
    let stopped = summary.interrupted || (wants_report && proofs.is_none());
    let proofs = proofs.unwrap_or_default();
    let rows = Rows {
        proofs: &proofs,
        ..rows
    };
    hand_out(arguments, &exports, rows)?;
    if stopped {
        return Ok(interrupted(results.len(), plan.len()));
    }
    if wants_report {
        job.report(rows, &summary, &advice)?;
    } else {
        job.say_where(&results)?;
    }
    let verdict = verdict(&plan, &results, &proofs);
    Ok(match summary.failures.is_empty() {
        false => Status::PointsFailed,
        true => verdict,
    })
}

/// Writes rows to the files that are asked for, and prints them even if one of these cannot be written after all.
fn hand_out(
    arguments: &RunArguments,
    exports: &[export::Export<'_>],
    rows: Rows<'_>,
) -> Result<(), Failure> {
    let file = arguments.csv.as_ref();
    let written = file.map_or(Ok(()), |file| write_csv(rows, file));
    let written = written.and_then(|()| export::write(exports, rows));
    print_rows(rows, arguments.study.format)?;
    written
}

/// What must be right before anything is simulated.
struct Prepared<'a> {
    plan: Plan,
    shard: (usize, usize),
    exports: Vec<export::Export<'a>>,
}

fn prepare(arguments: &RunArguments, processes: usize) -> Result<Prepared<'_>, Failure> {
    let shard = shard(arguments.shard.as_deref())?;
    let places = Places::default()
        .reads_study(&arguments.study.study)
        .writes([("--csv", arguments.csv.as_ref())])
        .writes(export::places(&arguments.export))
        .fills("--messages", arguments.messages.as_ref(), is_log);
    places.check(|_, _| false)?;
    let exports = export::exports(&arguments.export)?;
    let plan = load_for(&arguments.study, Scope::Simulation, processes)?;
    places.spare(&plan)?;
    places.spare_results(&output_folder(&plan, arguments.output.as_ref()))?;
    if let Some(messages) = &arguments.messages {
        prepare_messages(&plan, messages)?;
        if arguments.fresh {
            take_away_logs(messages, &plan, shard)?;
        }
    }
    Ok(Prepared {
        plan,
        shard,
        exports,
    })
}

/// Is this a file in the folder of `--messages`?
fn is_log(name: &str) -> bool {
    name.starts_with("point-") && name.ends_with(".csv")
}

/// Makes the folder for logs of messages, if there will be any.
fn prepare_messages(plan: &Plan, folder: &Path) -> Result<(), Failure> {
    if !(0..plan.len()).any(|index| plan.is_program(index)) {
        return Err(Failure::plain(
            "--messages: this study has no [workload] that is a program, such as kind = \"npb\"",
        ));
    }
    std::fs::create_dir_all(folder)
        .map_err(|error| Failure::writing(&folder.display().to_string(), &error))
}

/// Removes logs that another run has left of points that are simulated again, or that there are no more: they would be taken for those of this
/// one. Those of other shards stay.
fn take_away_logs(folder: &Path, plan: &Plan, shard: (usize, usize)) -> Result<(), Failure> {
    let failing = |error| Failure::writing(&folder.display().to_string(), &error);
    for entry in std::fs::read_dir(folder).map_err(failing)? {
        let entry = entry.map_err(failing)?;
        let number = point_number(&entry.file_name(), ".csv");
        let is_old =
            number.is_some_and(|number| is_in_shard(number, shard) || number >= plan.len());
        if is_old && entry.file_type().map_err(failing)?.is_file() {
            std::fs::remove_file(entry.path()).map_err(failing)?;
        }
    }
    Ok(())
}

/// A study to be run, and where its results go.
struct Job<'a> {
    arguments: &'a RunArguments,
    plan: &'a Plan,
    /// This process's part of the points: which, of how many.
    shard: (usize, usize),
    /// If other processes help with every point.
    leader: Option<&'a Leader<'a>>,
    folder: PathBuf,
    /// Where results are stored.
    stored: PathBuf,
}

impl Job<'_> {
    /// Simulates what has no result yet.
    fn simulate(&self) -> Result<(Results, RunSummary), Failure> {
        let stored = (!self.arguments.fresh).then_some(&*self.stored);
        let (mut results, writer) = self.plan.open(stored, self.number())?;
        let runner = Runner {
            plan: self.plan,
            threads: self.threads(),
            stop: &STOP,
            shard: self.shard,
            messages: self.arguments.messages.as_deref(),
            leader: self.leader,
        };
        let taker = on_cluster::taker(&self.arguments.task, self.plan, &results)?;
        let share = taker.as_ref().map(|taker| Share {
            handout: taker,
            total: self.plan.len(),
            missing: self.plan.missing(&results).count(),
        });
        let summary = simulate(&runner, share.as_ref(), &mut results, writer)?;
        if let Some(taker) = taker {
            taker.conclude(self.plan, &summary)?;
        }
        if self.is_shared() {
            // Other shards have stored theirs meanwhile.
            results = self.plan.results(&self.stored)?;
        }
        Ok((results, summary))
    }

    /// As many as are asked for. Where there are several processes they have a core each.
    fn threads(&self) -> usize {
        let asked = self.arguments.threads;
        let asked = asked.or(self.plan.first.simulation.threads);
        match (asked, self.leader) {
            (Some(threads), _) => threads as usize,
            (None, Some(_)) => 1,
            (None, None) => all_cores(),
        }
    }

    /// This process among those that add to the same results.
    fn number(&self) -> u32 {
        self.arguments.task.task.unwrap_or(self.shard.0 as u32)
    }

    /// Do other processes add to the same results?
    fn is_shared(&self) -> bool {
        self.shard.1 > 1 && !self.arguments.fresh
    }

    fn wants_report(&self) -> bool {
        let is_for_people = self.arguments.study.format == Format::Table;
        !self.arguments.no_report && (is_for_people || self.arguments.report)
    }

    /// Have other shards something left to do? If so, says it.
    fn waits_for_others(&self, results: &Results, summary: &RunSummary) -> bool {
        if self.shard.1 == 1 {
            return false;
        }
        let missing = match self.arguments.fresh {
            // Nobody tells of theirs.
            true => {
                let all = 0..self.plan.len();
                all.filter(|&index| !is_in_shard(index, self.shard)).count()
            }
            false => {
                let missing = self.plan.missing(results).count();
                missing.saturating_sub(summary.failures.len())
            }
        };
        let waits = missing > 0;
        if waits && !self.arguments.no_report {
            let points = output::count(self.plan.len(), "point");
            output::talk(&match self.arguments.fresh {
                true => format!(
                    "{missing} of {points} are those of other shards, so there is no report; with --fresh none stores what it finds"
                ),
                false => format!(
                    "{missing} of {points} have no results yet; when all shards are done, `turnwise report` makes the report"
                ),
            });
        }
        waits
    }

    /// Writes report and `results.csv`, and prints the summary.
    fn report(
        &self,
        rows: Rows<'_>,
        summary: &RunSummary,
        advice: &[Advice],
    ) -> Result<(), Failure> {
        let read = |id: &PointId| read_details(&self.stored, id);
        let beside = Beside {
            failures: &summary.failures,
            advice,
            details: (!self.arguments.fresh).then_some(&read),
        };
        let report = reporting::report(self.plan, rows.results, rows.proofs, &beside)?;
        write_report(&report, &self.folder)?;
        write_results(rows, &self.folder)?;
        if self.arguments.study.format == Format::Table {
            output::print(&closing_words(&report, summary, &self.folder))?;
        }
        Ok(())
    }

    /// Where results are that no report was made of, for people; that some are not whole to all.
    fn say_where(&self, results: &Results) -> Result<(), Failure> {
        let points = output::count(results.len(), "point");
        let rows = self.plan.rows(results);
        let cut = rows.filter(|row| reporting::is_cut_off(self.plan, row));
        let cut = reporting::cut_off(cut.count());
        if self.arguments.study.format != Format::Table {
            if !cut.is_empty() {
                output::talk(&format!("warning: {points}{cut}"));
            }
            return Ok(());
        }
        output::print(&match self.arguments.fresh {
            true => format!("{points} simulated, none stored{cut}\n"),
            false => format!("{points} in {}{cut}\n", self.stored.display()),
        })
    }
}

/// Negative or fine; if negative, the reason is told on standard error.
pub(crate) fn verdict(plan: &Plan, results: &Results, proofs: &Proofs) -> Status {
    match reporting::negative_words(proofs, plan.rows(results)) {
        Some(reason) => {
            output::talk(&format!("negative: {reason}"));
            Status::Negative
        }
        None => Status::Fine,
    }
}

/// Prints results as data; a table is for people and is printed in other words.
pub(crate) fn print_rows(rows: Rows<'_>, format: Format) -> Result<(), Failure> {
    match format {
        Format::Json => output::stream(&mut |out| {
            let mut all = rows.proofs.rows(rows.plan, rows.results);
            all.try_for_each(|(_, row)| {
                let mut object = row.into_object();
                rows.plan.units.extend(&mut object);
                writeln!(out, "{}", Json::Object(object))
            })
        }),
        Format::Csv => output::stream(&mut |out| tables::write_csv(rows, out)),
        Format::Table => Ok(()),
    }
}

/// What is allowed and probably not meant goes to standard error.
pub(crate) fn print_advice(plan: &Plan) -> Result<Vec<Advice>, Failure> {
    let advice = advice_of(plan)?;
    for advice in &advice {
        output::talk(&format!("warning: {advice}"));
    }
    Ok(advice)
}

/// What is allowed and probably not meant.
pub(crate) fn advice_of(plan: &Plan) -> Result<Vec<Advice>, Failure> {
    advice::advice(plan).map_err(|error| Failure::Study(Box::new(plan.source.clone()), vec![error]))
}

fn interrupted(done: usize, points: usize) -> Status {
    output::talk(&format!(
        "interrupted after {done} of {}; the same command goes on from here",
        output::count(points, "point")
    ));
    Status::Interrupted
}

/// `I/N` as (I, N).
fn shard(text: Option<&str>) -> Result<(usize, usize), Failure> {
    let Some(text) = text else { return Ok((0, 1)) };
    let parsed = text
        .split_once('/')
        .and_then(|(i, n)| Some((i.parse().ok()?, n.parse().ok()?)));
    match parsed {
        Some((i, n)) if i < n => Ok((i, n)),
        _ => Err(Failure::plain(format!(
            "--shard {text}: expected I/N with I below N, for example 0/4"
        ))),
    }
}

fn simulate(
    runner: &Runner<'_>,
    share: Option<&Share<'_>>,
    results: &mut Results,
    writer: Option<Writer>,
) -> Result<RunSummary, Failure> {
    let bar = progress::bar(runner.plan.len() as u64, "simulating");
    bar.enable_steady_tick(std::time::Duration::from_millis(200));
    let mut show = |progress: turnwise_study::runner::Progress| {
        bar.set_length(progress.total as u64);
        bar.set_position(progress.done as u64);
        let seconds = bar.elapsed().as_secs_f64().max(1e-3);
        bar.set_message(format!(
            "{:.1} M flit-hops/s",
            progress.flit_hops as f64 / seconds / 1e6
        ));
    };
    let provenance = &runner.plan.provenance;
    let summary = match share {
        Some(share) => runner.run_share(share, results, writer, provenance, &mut show),
        None => runner.run(results, writer, provenance, &mut show),
    };
    bar.finish_and_clear();
    Ok(summary?)
}

/// Verdict and quality of every routing, on so many threads; `None` if interrupted.
pub(crate) fn prove(plan: &Plan, threads: usize) -> Result<Option<Proofs>, Failure> {
    let bar = progress::bar(1, "proving");
    let mut go_on = |done: usize, total: usize| {
        bar.set_length(total as u64);
        bar.set_position(done as u64);
        !STOP.load(Ordering::Relaxed)
    };
    let proofs = proofs::prove(plan, MOST_WORK, threads, &mut go_on);
    bar.finish_and_clear();
    proofs.map_err(|error| Failure::Study(Box::new(plan.source.clone()), vec![error]))
}

/// Writes `report.html` and `plots/*.svg`.
pub(crate) fn write_report(report: &Report, folder: &Path) -> Result<(), Failure> {
    reporting::write(report, folder)
        .map_err(|(path, error)| Failure::writing(&path.display().to_string(), &error))
}

/// Writes `results.csv`, and beside it what it is of.
pub(crate) fn write_results(rows: Rows<'_>, folder: &Path) -> Result<(), Failure> {
    let mut files = tables::RESULT_FILES.iter();
    files
        .try_for_each(|(name, write)| output::fill(&folder.join(name), &mut |out| write(rows, out)))
}

/// Writes the rows to a CSV file.
fn write_csv(rows: Rows<'_>, file: &Path) -> Result<(), Failure> {
    output::fill(file, &mut |out| tables::write_csv(rows, out))
}

/// The summary of the report, and where it is.
fn closing_words(report: &Report, summary: &RunSummary, folder: &Path) -> String {
    let mut text: String = report
        .summary
        .iter()
        .map(|sentence| format!("{sentence}\n"))
        .collect();
    if summary.reused > 0 {
        let verb = if summary.reused == 1 { "was" } else { "were" };
        text.push_str(&format!(
            "({} {verb} there from an earlier run.)\n",
            output::count(summary.reused, "point")
        ));
    }
    text.push_str(&format!(
        "report: {}\n",
        folder.join("report.html").display()
    ));
    text
}
