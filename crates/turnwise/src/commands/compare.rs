//! `turnwise report --compare`: two sets of results against each other.

use super::run::prove;
use crate::arguments::{FailOn, Format, ReportArguments, StudyArguments};
use crate::failure::{Failure, Status};
use crate::loading::{load, output_folder, read_file};
use crate::output;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use turnwise_report::{ComparisonPage, write_comparison};
use turnwise_study::Plan;
use turnwise_study::comparison::{Comparison, Side};
use turnwise_study::proofs::Proofs;
use turnwise_study::runner::all_cores;
use turnwise_study::specification::Scope;
use turnwise_study::store::Results;
use turnwise_study::tables::TABLE_FORMATS;

pub(super) fn compare(arguments: &ReportArguments, other: &Path) -> Result<Status, Failure> {
    let mut inputs = Vec::new();
    for path in [&arguments.study.study, other] {
        let Some(input) = Input::read(arguments, path)? else {
            return Ok(Status::Interrupted);
        };
        inputs.push(input);
    }
    let names = names([&arguments.study.study, other]);
    let [before, after] = [(0, 1), (1, 0)].map(|(own, other)| {
        let (own_input, other_input) = (&inputs[own], &inputs[other]);
        own_input.side(&names[own], &other_input.fields())
    });
    let comparison = Comparison::new(&before, &after);
    if let Some(folder) = &arguments.output {
        write_page(&comparison.page(), folder)?;
    }
    print(&comparison, arguments)?;
    Ok(verdict(&comparison, arguments.fail_on))
}

/// Writes `comparison.html` into a folder, which is made.
fn write_page(page: &ComparisonPage, folder: &Path) -> Result<(), Failure> {
    std::fs::create_dir_all(folder)
        .map_err(|error| Failure::writing(&folder.display().to_string(), &error))?;
    let file = folder.join("comparison.html");
    output::fill(&file, &mut |out| write_comparison(page, out))
}

/// A set of results.
enum Input {
    Study(Box<(Plan, Results, Proofs)>),
    Lines(Side),
}

impl Input {
    /// A study's results, or rows that were printed; `None` if interrupted.
    fn read(arguments: &ReportArguments, path: &Path) -> Result<Option<Self>, Failure> {
        let extension = path.extension().and_then(|extension| extension.to_str());
        let is_one_of = |names: &[&str]| {
            extension.is_some_and(|extension| {
                names
                    .iter()
                    .any(|name| name.eq_ignore_ascii_case(extension))
            })
        };
        if is_one_of(&["json", "jsonl", "ndjson"]) {
            return lines(path).map(|side| Some(Self::Lines(side)));
        }
        // Tables of results have neither proofs nor all that rows say of their intervals.
        if TABLE_FORMATS.iter().any(|format| is_one_of(&[format.name])) {
            return Err(no_study(path));
        }
        let study = StudyArguments {
            study: path.to_owned(),
            ..arguments.study.clone()
        };
        let plan = load(&study, Scope::Simulation).map_err(|failure| match &failure {
            // Rows under another name, or from a pipe: no study begins like that.
            Failure::Study(source, _)
                if source
                    .text(0)
                    .is_some_and(|text| text.trim_start().starts_with('{')) =>
            {
                no_study(path)
            }
            _ => failure,
        })?;
        let folder = output_folder(&plan, arguments.results.as_ref());
        let results = plan.results(&folder.join("results"))?;
        let missing = plan.missing(&results).count();
        if missing == plan.len() {
            return Err(Failure::Plain(
                format!(
                    "there are no results of {} in {}",
                    path.display(),
                    folder.display()
                ),
                Some(format!("run it first: turnwise run {}", path.display())),
            ));
        }
        if missing > 0 {
            let points = output::count(plan.len(), "point");
            output::talk(&format!(
                "{}: {missing} of {points} have no results yet",
                path.display()
            ));
        }
        let proofs = prove(&plan, all_cores())?;
        Ok(proofs.map(|proofs| Self::Study(Box::new((plan, results, proofs)))))
    }

    /// The fields that it sweeps.
    fn fields(&self) -> BTreeSet<String> {
        match self {
            Self::Study(study) => study.0.keys.iter().cloned().collect(),
            Self::Lines(side) => side.fields(),
        }
    }

    fn side(&self, name: &str, fields: &BTreeSet<String>) -> Side {
        match self {
            Self::Study(study) => {
                let (plan, results, proofs) = &**study;
                Side::of_plan(name, plan, results, proofs, fields)
            }
            Self::Lines(side) => side.clone().called(name),
        }
    }
}

/// What is neither a study nor a file that rows are read from.
fn no_study(path: &Path) -> Failure {
    let help = "give the study, or a file `.json` or `.jsonl` of what `turnwise run STUDY --format json` prints";
    let message = format!(
        "{} is no study, whose results could be compared",
        path.display()
    );
    Failure::Plain(message, Some(help.into()))
}

/// Rows that `--format json` has printed.
fn lines(path: &Path) -> Result<Side, Failure> {
    let name = path.display();
    let text = String::from_utf8(read_file(path)?)
        .map_err(|_| Failure::plain(format!("{name}: this is no text")))?;
    let side = Side::of_lines(&text).map_err(|(line, why)| {
        let help = "expected what `turnwise run STUDY --format json` prints";
        Failure::Plain(format!("{name}:{line}: {why}"), Some(help.into()))
    })?;
    match side.is_empty() {
        true => Err(Failure::plain(format!("{name}: there are no rows in it"))),
        false => Ok(side),
    }
}

/// What the two are called: as short as tells them apart.
fn names(paths: [&Path; 2]) -> [String; 2] {
    let short = paths.map(|path| path.file_name().map(PathBuf::from).unwrap_or_default());
    match short[0] == short[1] {
        true => paths.map(|path| path.display().to_string()),
        false => short.map(|path| path.display().to_string()),
    }
}

fn print(comparison: &Comparison, arguments: &ReportArguments) -> Result<(), Failure> {
    match arguments.study.format {
        Format::Json => {
            return output::stream(&mut |out| {
                let mut findings = comparison.json();
                findings.try_for_each(|finding| writeln!(out, "{finding}"))
            });
        }
        Format::Csv => return output::stream(&mut |out| comparison.write_csv(out)),
        Format::Table => {}
    }
    let mut text: String = comparison
        .summary()
        .iter()
        .map(|sentence| format!("{sentence}\n"))
        .collect();
    for part in comparison.parts() {
        let columns: Vec<String> = part
            .table
            .columns
            .iter()
            .map(|of| of.name.clone())
            .collect();
        let table = output::table(&columns, &part.table.rows);
        text.push_str(&format!("\n{}\n{table}", part.heading));
        if part.table.left_out > 0 {
            text.push_str(&format!(
                "... {} more: --format json shows all ...\n",
                part.table.left_out
            ));
        }
    }
    if let Some(folder) = &arguments.output {
        text.push_str(&format!(
            "\npage: {}\n",
            folder.join("comparison.html").display()
        ));
    }
    output::print(&text)
}

/// Negative if it is to be; the reason is told on standard error.
fn verdict(comparison: &Comparison, fail_on: Option<FailOn>) -> Status {
    // Who asks for it asks that something be compared.
    if comparison.points == 0 && fail_on.is_some() {
        output::talk("negative: there is no point in common");
        return Status::Negative;
    }
    let is_negative = match fail_on {
        None => false,
        Some(FailOn::Change) => comparison.has_changes(),
        Some(FailOn::Difference) => comparison.has_differences(),
    };
    if !is_negative {
        return Status::Fine;
    }
    let changes = comparison.changes.len() + comparison.verdicts.len();
    let [before, after] = comparison.only.each_ref().map(Vec::len);
    output::talk(&format!(
        "negative: {} changed, {} different without an interval, {} in one set only",
        output::count(changes, "figure"),
        comparison.unjudged.len(),
        output::count(before + after, "point")
    ));
    Status::Negative
}
