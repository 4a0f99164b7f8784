//! `turnwise report --details`: files with what a row is too small for.

use crate::failure::Failure;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
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
    for planned in plan.points() {
        let own = folder.join(format!("point-{}", planned.point.index));
        let details = read_details(stored, &planned.id)?;
        let Some((details, row)) = details.zip(results.get(&planned.id)) else {
            take_away(&own, &[]).map_err(failing(&own))?;
            without += 1;
            continue;
        };
        let network = plan
            .network(&planned)
            .map_err(|error| Failure::Study(Box::new(plan.source.clone()), vec![error]))?;
        fs::create_dir_all(&own).map_err(failing(&own))?;
        let files = details.files(&network, &row);
        for (name, text) in &files {
            let path = own.join(name);
            write_atomically(&path, text.as_bytes()).map_err(failing(&path))?;
        }
        take_away(&own, &files).map_err(failing(&own))?;
    }
    for own in beyond(folder, plan.len()).map_err(failing(folder))? {
        take_away(&own, &[]).map_err(failing(&own))?;
    }
    Ok(without)
}

/// The point of a file or folder that is called `point-N` and ends in this way.
pub(crate) fn point_number(name: &OsStr, ending: &str) -> Option<usize> {
    let rest = name.to_str()?.strip_prefix("point-")?;
    rest.strip_suffix(ending)?.parse().ok()
}

/// Folders of points of another study, or of this one as it was before.
fn beyond(folder: &Path, points: usize) -> io::Result<Vec<PathBuf>> {
    if !folder.exists() {
        return Ok(Vec::new());
    }
    let mut found = Vec::new();
    for entry in fs::read_dir(folder)? {
        let name = entry?.file_name();
        let number = point_number(&name, "");
        if number.is_some_and(|number| number >= points) {
            found.push(folder.join(name));
        }
    }
    Ok(found)
}

/// Removes files of a point but for these, which would be taken for those of one that is there now. Whatever else is in its folder is somebody
/// else's, and so is what a link leads to.
fn take_away(own: &Path, but: &[(&str, String)]) -> io::Result<()> {
    let is_folder = fs::symlink_metadata(own).is_ok_and(|found| found.is_dir());
    if !is_folder {
        return Ok(());
    }
    for name in Details::FILES {
        if but.iter().any(|(kept, _)| *kept == name) {
            continue;
        }
        match fs::remove_file(own.join(name)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
    }
    // Unless there is something left in it.
    let _ = fs::remove_dir(own);
    Ok(())
}
