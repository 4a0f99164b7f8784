//! `turnwise run`: simulate, prove, report.

use crate::arguments::{Format, RunArguments};
use crate::failure::{Failure, Status};
use crate::loading::{load, output_folder};
use crate::{output, progress};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use turnwise_study::export::{csv, outermost_missing, remove_empty, write_atomically};
use turnwise_study::finding::Finding;
use turnwise_study::row::Row;
use turnwise_study::runner::RunSummary;
use turnwise_study::specification::Scope;
use turnwise_study::store::{Results, Writer};
use turnwise_study::{Plan, Runner, report, reporting};

static STOP: AtomicBool = AtomicBool::new(false);

pub(crate) fn run(arguments: &RunArguments) -> Result<Status, Failure> {
    let (shard, of) = shard(arguments.shard.as_deref())?;
    Failure::unless_writable(arguments.csv.as_ref())?;
    let plan = load(&arguments.study, Scope::Simulation)?;
    let folder = output_folder(&plan, arguments.output.as_ref());
    let stored = folder.join("results");
    // The first Ctrl-C asks for an orderly end; if no handler can be set, it simply kills us.
    let _ = ctrlc::set_handler(|| {
        if STOP.swap(true, Ordering::Relaxed) {
            std::process::exit(130);
        }
    });
    let mut results = if arguments.fresh {
        Results::new()
    } else {
        plan.results(&stored)?
    };
    let complete = plan
        .points
        .iter()
        .all(|point| results.contains_key(&point.id));
    let writer = match arguments.fresh || complete {
        true => None,
        false => Some(Writer::open(&stored, shard as u32)?),
    };
    let threads = arguments
        .threads
        .or(plan.first.simulation.threads)
        .map_or_else(all_cores, |n| n as usize);
    let runner = Runner {
        plan: &plan,
        threads,
        stop: &STOP,
        shard: (shard, of),
    };
    let summary = simulate(&runner, &mut results, writer)?;
    let rows: Vec<&Row> = plan
        .points
        .iter()
        .filter_map(|point| results.get(&point.id))
        .collect();
    for failure in &summary.failures {
        eprintln!("point {} failed: {}", failure.index, failure.message);
    }
    if let Some(file) = &arguments.csv {
        write_csv(&plan, &rows, file)?;
    }
    match arguments.study.format {
        Format::Json => output::print(&rows.iter().map(|row| json_line(row)).collect::<String>())?,
        Format::Csv => output::print(&csv(&plan.keys, plan.is_repeated(), rows.iter().copied()))?,
        Format::Table => {}
    }
    if summary.interrupted {
        return Ok(interrupted(rows.len(), plan.points.len()));
    }
    let wants_report =
        !arguments.no_report && (arguments.study.format == Format::Table || arguments.report);
    let mut negative = rows.iter().any(|row| row.flag("deadlocked"));
    if wants_report {
        let Some(findings) = prove(&plan)? else {
            return Ok(interrupted(rows.len(), plan.points.len()));
        };
        negative |= findings.iter().any(Finding::is_negative);
        let report = reporting::report(&plan, &results, &findings, &summary.failures);
        write_report(&report, &folder)?;
        write_csv(&plan, &rows, &folder.join("results.csv"))?;
        if arguments.study.format == Format::Table {
            output::print(&closing_words(&report, &summary, &folder))?;
        }
    } else if arguments.study.format == Format::Table {
        output::print(&format!(
            "{} in {}\n",
            output::count(rows.len(), "point"),
            stored.display()
        ))?;
    }
    Ok(match (summary.failures.is_empty(), negative) {
        (false, _) => Status::PointsFailed,
        (true, true) => Status::Negative,
        (true, false) => Status::Fine,
    })
}

fn interrupted(done: usize, points: usize) -> Status {
    eprintln!(
        "interrupted after {done} of {}; the same command goes on from here",
        output::count(points, "point")
    );
    Status::Interrupted
}

pub(crate) fn all_cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
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
    results: &mut Results,
    writer: Option<Writer>,
) -> Result<RunSummary, Failure> {
    let bar = progress::bar(runner.plan.points.len() as u64, "simulating");
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
    let summary = runner.run(results, writer, &runner.plan.provenance, &mut show);
    bar.finish_and_clear();
    Ok(summary?)
}

/// Verdict and quality of every routing; `None` if interrupted.
pub(crate) fn prove(plan: &Plan) -> Result<Option<Vec<Finding>>, Failure> {
    let bar = progress::bar(1, "proving");
    let mut go_on = |done: usize, total: usize| {
        bar.set_length(total as u64);
        bar.set_position(done as u64);
        !STOP.load(Ordering::Relaxed)
    };
    let findings = turnwise_study::finding::findings(plan, &mut go_on);
    bar.finish_and_clear();
    findings.map_err(|error| Failure::Study(Box::new(plan.source.clone()), vec![error]))
}

/// Writes `report.html` and `plots/*.svg`.
pub(crate) fn write_report(report: &report::Report, folder: &Path) -> Result<(), Failure> {
    let plots = folder.join("plots");
    let missing = outermost_missing(&plots);
    let make = |folder: &Path| {
        std::fs::create_dir_all(folder)
            .map_err(|error| Failure::writing(&folder.display().to_string(), &error))
    };
    let all = || {
        make(folder)?;
        write(&folder.join("report.html"), &report::html(report))?;
        make(&plots)?;
        report::plots(report)
            .iter()
            .try_for_each(|(name, svg)| write(&plots.join(name), svg))
    };
    all().inspect_err(|_| {
        let made = if plots.exists() { &plots } else { folder };
        remove_empty(made, missing.as_deref());
    })
}

fn write_csv(plan: &Plan, rows: &[&Row], file: &Path) -> Result<(), Failure> {
    write(
        file,
        &csv(&plan.keys, plan.is_repeated(), rows.iter().copied()),
    )
}

fn write(file: &Path, text: &str) -> Result<(), Failure> {
    write_atomically(file, text.as_bytes())
        .map_err(|error| Failure::writing(&file.display().to_string(), &error))
}

fn json_line(row: &Row) -> String {
    serde_json::Value::Object(row.0.clone()).to_string() + "\n"
}

/// The summary of the report, and where it is.
fn closing_words(report: &report::Report, summary: &RunSummary, folder: &Path) -> String {
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
