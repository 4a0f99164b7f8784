//! Turns results and proofs into the values of a report.

mod combination;
mod deadlocked;
mod details;
mod files;
mod jobs;
mod panels;
mod picture;
mod points;
mod roles;
mod sentences;
mod summary;
mod table;
mod timelines;
mod transients;

pub use details::ReadDetails;
pub use files::write;
pub use roles::check_roles;
pub use summary::{cut_off, is_cut_off};
pub use timelines::replayed;

use crate::advice::Advice;
use crate::plan::Plan;
use crate::proofs::Proofs;
use crate::row::Row;
use crate::runner::PointFailure;
use crate::store::{Results, StoreError};
use turnwise_report::Report;

/// What a report tells beside results and proofs.
pub struct Beside<'a> {
    /// Points that could not be simulated.
    pub failures: &'a [PointFailure],
    /// What to think about.
    pub advice: &'a [Advice],
    /// Reads what is kept of a point; `None` if nothing was stored.
    pub details: Option<ReadDetails<'a>>,
}

/// The report of a study.
///
/// # Errors
/// As reading details.
pub fn report(
    plan: &Plan,
    results: &Results,
    proofs: &Proofs,
    beside: &Beside<'_>,
) -> Result<Report, StoreError> {
    let rows: Vec<(usize, Row)> = proofs.rows(plan, results).collect();
    let rows: Vec<(usize, &Row)> = rows.iter().map(|(index, row)| (*index, row)).collect();
    let grouped = panels::panels(plan, proofs, &rows);
    let (details, details_note) = match beside.details {
        Some(read) => details::details(plan, proofs, &grouped, read)?,
        None => Default::default(),
    };
    let (transients, transients_note) = match beside.details {
        Some(read) => transients::transients(plan, &grouped, read)?,
        None => Default::default(),
    };
    let waiting = match beside.details {
        Some(read) => deadlocked::waiting(plan, &rows, proofs, read)?,
        None => None,
    };
    let (jobs, jobs_note) = jobs::jobs(plan, &rows);
    let panels = grouped.panels;
    let study = &plan.study;
    Ok(Report {
        title: study.title.clone().unwrap_or_else(|| plan.name.clone()),
        description: study.description.clone().unwrap_or_default(),
        fingerprint: fingerprint(&rows),
        summary: summary::summary(plan, &rows, proofs, (&panels, waiting)),
        combinations: combination::combinations(proofs),
        panels,
        transients,
        transients_note,
        details,
        details_note,
        jobs,
        jobs_note,
        table: table::table(plan, &rows),
        study_name: file_name(plan.source.name(0).unwrap_or_default()),
        study_text: plan.source.text(0).unwrap_or_default().to_owned(),
        provenance: provenance(plan, results),
        failures: beside
            .failures
            .iter()
            .map(PointFailure::to_string)
            .collect(),
        advice: beside.advice.iter().map(Advice::to_string).collect(),
        live: None,
    })
}

/// Why a study ends with a negative answer, in a few words; `None` if it does not.
pub fn negative_words(proofs: &Proofs, rows: impl Iterator<Item = Row>) -> Option<String> {
    summary::negative_words(proofs, rows)
}

/// The last part of a path: where the study lay on the machine that ran it is nobody's business.
fn file_name(path: &str) -> String {
    path.rsplit(['/', '\\']).next().unwrap_or(path).to_owned()
}

/// One fingerprint for all rows: equal if and only if every point's is. None where there is no row.
fn fingerprint(rows: &[(usize, &Row)]) -> String {
    let all: String = rows
        .iter()
        .filter_map(|(_, row)| row.text("fingerprint"))
        .collect();
    match all.is_empty() {
        true => String::new(),
        false => format!("{:016x}", crate::provenance::digest(all.as_bytes())),
    }
}

fn provenance(plan: &Plan, results: &Results) -> Vec<(String, String)> {
    let mut rows = plan.provenance_of(results);
    let scale = plan.study.other_scale();
    rows.extend(scale.map(|scale| ("scale".to_owned(), scale.to_owned())));
    rows.extend(plan.units.facts());
    let rounded = plan.rounded().iter();
    rows.extend(rounded.map(|rounded| ("rounded up".to_owned(), rounded.to_string())));
    for index in 1..plan.source.count() as u16 {
        let text = plan.source.text(index).unwrap_or_default();
        rows.push((format!("override {index}"), format!("--set {text}")));
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn where_nothing_was_found_there_is_no_fingerprint() {
        assert_eq!(fingerprint(&[]), "");
    }
}
