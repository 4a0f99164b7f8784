//! Writes a report: the page, and its figures as files of their own.

use crate::export::{fill_atomically, outermost_missing, remove_empty, write_atomically};
use std::fs::create_dir_all;
use std::io;
use std::path::{Path, PathBuf};
use turnwise_report::{Report, plots, write_html};

/// Writes `report.html` and `plots/*.svg` into a folder, which is made if it is not there.
///
/// # Errors
/// What could not be written, and why; folders that were made for nothing are removed again.
pub fn write(report: &Report, folder: &Path) -> Result<(), (PathBuf, io::Error)> {
    let figures = folder.join("plots");
    let missing = outermost_missing(&figures);
    let make = |folder: &Path| create_dir_all(folder).map_err(|error| (folder.to_owned(), error));
    let all = || {
        make(folder)?;
        let page = folder.join("report.html");
        fill_atomically(&page, &mut |out| write_html(report, out))
            .map_err(|error| (page.clone(), error))?;
        make(&figures)?;
        plots(report, &mut |name, svg| {
            let file = figures.join(name);
            write_atomically(&file, svg.as_bytes()).map_err(|error| (file, error))
        })
    };
    all().inspect_err(|_| {
        let made = if figures.exists() { &figures } else { folder };
        remove_empty(made, missing.as_deref());
    })
}
