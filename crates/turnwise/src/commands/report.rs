//! `turnwise report`: the report of results that are already there.

use super::run::{prove, write_report};
use crate::arguments::ReportArguments;
use crate::failure::{Failure, Status};
use crate::loading::{load, output_folder};
use crate::output;
use turnwise_study::reporting;
use turnwise_study::specification::Scope;

pub(crate) fn report(arguments: &ReportArguments) -> Result<Status, Failure> {
    let plan = load(&arguments.study, Scope::Simulation)?;
    let folder = output_folder(&plan, arguments.output.as_ref());
    let results = plan.results(&folder.join("results"))?;
    let missing = plan
        .points
        .iter()
        .filter(|point| !results.contains_key(&point.id))
        .count();
    if missing == plan.points.len() {
        let help = format!(
            "run the study first: turnwise run {}",
            arguments.study.study.display()
        );
        return Err(Failure::Plain(
            format!("there are no results of this study in {}", folder.display()),
            Some(help),
        ));
    }
    if missing > 0 {
        eprintln!(
            "{missing} of {} points have no results yet",
            plan.points.len()
        );
    }
    let Some(findings) = prove(&plan)? else {
        return Ok(Status::Interrupted);
    };
    write_report(&reporting::report(&plan, &results, &findings, &[]), &folder)?;
    output::print(&format!(
        "report: {}\n",
        folder.join("report.html").display()
    ))?;
    Ok(Status::Fine)
}
