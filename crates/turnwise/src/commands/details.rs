//! `turnwise report --details`: files with what a row is too small for.

use crate::failure::Failure;
use std::path::Path;
use turnwise_study::Plan;
use turnwise_study::export::write_atomically;
use turnwise_study::results::Results;
use turnwise_study::store::read_details;

/// Says which points were to have a time line and have none: only what has come to its end has one.
pub(crate) fn without_timeline(plan: &Plan, results: &Results) -> Option<String> {
    let asked = (0..plan.len()).filter(|&index| plan.simulation(index).timeline);
    let (mut all, mut cut) = (0, 0);
    for index in asked {
        all += 1;
        let row = plan.row(results, index);
        cut += usize::from(row.is_some_and(|row| row.reached_limit()));
    }
    (cut > 0).then(|| {
        format!(
            "warning: {cut} of {all} points that ask for a time line have none: simulation.cycles_limit came before all was done"
        )
    })
}

/// Writes the files of each point into a folder of its own, four where all details are kept; how many points have no details.
pub(crate) fn write_details(
    plan: &Plan,
    results: &Results,
    stored: &Path,
    folder: &Path,
) -> Result<usize, Failure> {
    let failing = |path: &Path| {
        let name = path.display().to_string();
        move |error: std::io::Error| Failure::writing(&name, &error)
    };
    let mut without = 0;
    for planned in plan.points() {
        let details = read_details(stored, &planned.id)?;
        let Some((details, row)) = details.zip(results.get(&planned.id)) else {
            without += 1;
            continue;
        };
        let network = plan
            .network(&planned)
            .map_err(|error| Failure::Study(Box::new(plan.source.clone()), vec![error]))?;
        let own = folder.join(format!("point-{}", planned.point.index));
        std::fs::create_dir_all(&own).map_err(failing(&own))?;
        for (name, text) in details.files(&network, &row) {
            let path = own.join(name);
            write_atomically(&path, text.as_bytes()).map_err(failing(&path))?;
        }
    }
    Ok(without)
}
