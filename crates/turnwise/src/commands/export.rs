//! `--export`: results as files, whose format is told by their extension.

use crate::failure::Failure;
use crate::output;
use std::path::{Path, PathBuf};
use turnwise_config::diagnostic::listed;
use turnwise_study::tables::{Rows, TABLE_FORMATS, TableFormat, table_format};

/// A file to be written, and how.
pub(crate) type Export<'a> = (&'a Path, &'static TableFormat);

/// The formats of files.
pub(crate) fn exports<'a>(files: &'a [PathBuf]) -> Result<Vec<Export<'a>>, Failure> {
    let export = |file: &'a PathBuf| Ok((file.as_path(), format_of(file)?));
    files.iter().map(export).collect()
}

/// The same as what the option writes.
pub(crate) fn places(files: &[PathBuf]) -> impl Iterator<Item = (&'static str, Option<&PathBuf>)> {
    files.iter().map(|file| ("--export", Some(file)))
}

fn format_of(file: &Path) -> Result<&'static TableFormat, Failure> {
    let extension = file.extension().and_then(|extension| extension.to_str());
    table_format(extension.unwrap_or_default()).ok_or_else(|| {
        let name = file.display();
        let names = listed(TABLE_FORMATS.iter().map(|format| format.name));
        let message = format!("cannot tell the format of {name} by its extension");
        Failure::Plain(message, Some(format!("the extensions are {names}")))
    })
}

/// Writes results to files.
pub(crate) fn write(exports: &[Export<'_>], rows: Rows<'_>) -> Result<(), Failure> {
    exports
        .iter()
        .try_for_each(|(file, format)| output::fill(file, &mut |out| (format.write)(rows, out)))
}
