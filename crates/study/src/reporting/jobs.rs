//! Jobs of a study, setting by setting: beside each other, and alone where the study has both.

use crate::naming::point_words;
use crate::plan::Plan;
use crate::row::Row;
use serde_json::{Map, Value as Json};
use turnwise_report::{JobFigures, Jobs};

/// Settings that are shown, at most.
const MOST: usize = 24;
/// The field that says who runs.
const ONLY: &str = "workload.only";
/// What differs between points of one setting.
const WITHIN: [&str; 2] = [ONLY, "repeat"];

/// The rows of a setting.
struct Setting<'a> {
    fields: Map<String, Json>,
    rows: Vec<&'a Row>,
}

/// The jobs of all settings in which several ran side by side, and a note on what is not there.
pub(super) fn jobs(plan: &Plan, rows: &[(usize, &Row)]) -> (Vec<Jobs>, String) {
    let mut settings: Vec<Setting<'_>> = Vec::new();
    for (_, row) in rows.iter().filter(|(_, row)| row.jobs.is_some()) {
        let mut fields = row.point.clone();
        WITHIN.iter().for_each(|name| drop(fields.remove(*name)));
        match settings.iter_mut().find(|known| known.fields == fields) {
            Some(setting) => setting.rows.push(row),
            None => settings.push(Setting {
                fields,
                rows: vec![row],
            }),
        }
    }
    settings.retain(|setting| setting.rows.iter().any(|row| of_row(row).len() > 1));
    let all = settings.len();
    settings.truncate(MOST);
    let shown: Vec<Jobs> = settings
        .iter()
        .map(|setting| figures(plan, setting))
        .collect();
    let is_alone = |jobs: &Jobs| jobs.jobs.iter().any(|job| job.alone.is_finite());
    let mut note = String::new();
    if !shown.is_empty() && !shown.iter().any(is_alone) {
        note.push_str("What they cost each other is told where the sweep has \"workload.only\" with \"all\" and the names of jobs.");
    }
    if all > MOST {
        note.push_str(&format!(" {MOST} of {all} settings."));
    }
    (shown, note.trim().to_owned())
}

fn of_row(row: &Row) -> &[Json] {
    let jobs = row.jobs.as_deref().and_then(Json::as_array);
    jobs.map_or(&[], Vec::as_slice)
}

fn figures(plan: &Plan, setting: &Setting<'_>) -> Jobs {
    let together = || setting.rows.iter().filter(|row| of_row(row).len() > 1);
    let alone = || setting.rows.iter().filter(|row| of_row(row).len() == 1);
    let first = together().next();
    let job = |job: &Json| {
        let name = job["name"].as_str().unwrap_or_default();
        let known = |field: &str| job[field].as_f64().unwrap_or(f64::NAN);
        JobFigures {
            name: name.to_owned(),
            ranks: known("ranks"),
            start: known("start_cycles"),
            alone: makespan(name, &mut alone().copied()),
            together: makespan(name, &mut together().copied()),
        }
    };
    Jobs {
        title: point_words(
            setting
                .fields
                .iter()
                .map(|(name, value)| (name.as_str(), value)),
        ),
        units: plan.units.of_report(),
        jobs: first
            .map_or(&[][..], |row| of_row(row))
            .iter()
            .map(job)
            .collect(),
    }
}

/// The mean of what a job took in some rows; NaN if it is in none of them, or did not end in one.
fn makespan(name: &str, rows: &mut dyn Iterator<Item = &Row>) -> f64 {
    let (mut sum, mut count) = (0.0, 0.0);
    for job in rows.flat_map(of_row).filter(|job| job["name"] == name) {
        sum += job["makespan"].as_f64().unwrap_or(f64::NAN);
        count += 1.0;
    }
    sum / count
}
