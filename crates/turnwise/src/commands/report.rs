//! `turnwise report`: the report of results that are already there.

use super::compare::compare;
use super::details::{without_timeline, write_details};
use super::export;
use super::places::Places;
use super::run::{advice_of, print_rows, prove, verdict, write_report, write_results};
use crate::arguments::{Format, ReportArguments};
use crate::failure::{Failure, Status};
use crate::loading::{load, output_folder};
use crate::output;
use std::path::Path;
use turnwise_study::reporting::{self, Beside};
use turnwise_study::runner::{PointFailure, all_cores};
use turnwise_study::specification::Scope;
use turnwise_study::store::read_details;
use turnwise_study::tables::Rows;

pub(crate) fn report(arguments: &ReportArguments) -> Result<Status, Failure> {
    if let Some(other) = &arguments.other {
        return compare(arguments, other);
    }
    let places = Places::default()
        .reads_study(&arguments.study.study)
        .writes(export::places(&arguments.export));
    places.check(|_, _| false)?;
    let exports = export::exports(&arguments.export)?;
    let plan = load(&arguments.study, Scope::Simulation)?;
    places.spare(&plan)?;
    let from = arguments.results.as_ref().or(arguments.output.as_ref());
    let from = output_folder(&plan, from);
    let folder = arguments.output.as_ref().unwrap_or(&from);
    places.spare_results(&from)?;
    places.spare_results(folder)?;
    let results = plan.results(&from.join("results"))?;
    let missing = plan.missing(&results).count();
    if missing == plan.len() {
        return Err(Failure::Plain(
            format!("there are no results of this study in {}", from.display()),
            Some(help(arguments, &output_folder(&plan, None))),
        ));
    }
    if missing > 0 {
        output::talk(&format!(
            "{missing} of {} points have no results yet",
            plan.len()
        ));
    }
    if let Some(details) = &arguments.details {
        let without = write_details(&plan, &results, &from.join("results"), details)?;
        if without > missing {
            output::talk(&format!(
                "{} of {} points have no details: they were simulated with simulation.details = false, or are very large",
                without - missing,
                plan.len()
            ));
        }
    }
    let warnings = [
        results
            .found_again(&from.join("results"))
            .map(|found| format!("warning: {found}")),
        without_timeline(&plan, &results),
    ];
    for warning in warnings.into_iter().flatten() {
        output::talk(&warning);
    }
    let Some(proofs) = prove(&plan, all_cores())? else {
        return Ok(Status::Interrupted);
    };
    let stored = from.join("results");
    let beside = Beside {
        failures: &PointFailure::noted(&plan, &results, &stored)?,
        advice: &advice_of(&plan)?,
        details: Some(&|id| read_details(&stored, id)),
    };
    let report = reporting::report(&plan, &results, &proofs, &beside)?;
    write_report(&report, folder)?;
    let rows = Rows {
        plan: &plan,
        results: &results,
        proofs: &proofs,
    };
    write_results(rows, folder)?;
    export::write(&exports, rows)?;
    print_rows(rows, arguments.study.format)?;
    if arguments.study.format == Format::Table {
        let place = folder.join("report.html");
        output::print(&format!("report: {}\n", place.display()))?;
    }
    Ok(verdict(&plan, &results, &proofs))
}

/// What to do when there are no results.
fn help(arguments: &ReportArguments, usual: &Path) -> String {
    match (&arguments.results, &arguments.output) {
        (None, Some(_)) if usual.join("results").exists() => {
            format!("say where they are: --results {}", usual.display())
        }
        _ => format!(
            "run the study first: turnwise run {}",
            arguments.study.study.display()
        ),
    }
}
