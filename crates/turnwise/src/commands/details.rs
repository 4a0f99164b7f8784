//! `turnwise report --details`: files with what a row is too small for.

use crate::failure::Failure;
use std::path::Path;
use std::{fs, io};
use turnwise_study::Plan;
use turnwise_study::details::Details;
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
        move |error: io::Error| Failure::writing(&name, &error)
    };
    let mut without = 0;
    take_away(folder).map_err(failing(folder))?;
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
        fs::create_dir_all(&own).map_err(failing(&own))?;
        for (name, text) in details.files(&network, &row) {
            let path = own.join(name);
            write_atomically(&path, text.as_bytes()).map_err(failing(&path))?;
        }
    }
    Ok(without)
}

/// Removes what another study, or this one as it was before, has left in folders of points: it would be taken for theirs.
fn take_away(folder: &Path) -> io::Result<()> {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(error),
    };
    for entry in entries {
        let own = entry?;
        let name = own.file_name();
        let number = name.to_str().and_then(|name| name.strip_prefix("point-"));
        if number.is_none_or(|number| number.parse::<usize>().is_err()) {
            continue;
        }
        for name in Details::FILES {
            match fs::remove_file(own.path().join(name)) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                _ => {}
            }
        }
        // Whatever else is in there is somebody else's.
        let _ = fs::remove_dir(own.path());
    }
    Ok(())
}
