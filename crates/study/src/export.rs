//! Results as CSV, and files that are either whole or absent.

use crate::row::{COLUMNS, Row};
use serde_json::Value as Json;
use std::fs;
use std::io::{self, BufWriter, ErrorKind, Write};
use std::path::{Path, PathBuf};

/// A header line and one line per row: the swept fields, then [`COLUMNS`].
pub fn csv<'a>(keys: &[String], repeated: bool, rows: impl Iterator<Item = &'a Row>) -> String {
    let mut header: Vec<String> = keys.iter().map(|key| quoted(key)).collect();
    if repeated {
        header.push("repeat".into());
    }
    header.extend(COLUMNS.iter().map(|column| (*column).to_owned()));
    let mut text = header.join(",");
    text.push('\n');
    let fields = keys
        .iter()
        .map(String::as_str)
        .chain(repeated.then_some("repeat"));
    let fields: Vec<&str> = fields.collect();
    for row in rows {
        let point = row.0.get("point");
        let swept = fields
            .iter()
            .map(|field| point.and_then(|point| point.get(*field)));
        let measured = COLUMNS.iter().map(|column| row.0.get(*column));
        let cells: Vec<String> = swept.chain(measured).map(cell).collect();
        text.push_str(&cells.join(","));
        text.push('\n');
    }
    text
}

fn cell(value: Option<&Json>) -> String {
    match value {
        None | Some(Json::Null) => String::new(),
        Some(Json::String(text)) => quoted(text),
        Some(other) => quoted(&other.to_string()),
    }
}

/// A cell of a CSV file.
pub fn quoted(text: &str) -> String {
    if text.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.to_owned()
    }
}

/// Sees to it, before the work that fills a file, that the file can be written at all.
///
/// # Errors
/// A folder that does not exist, a folder in the way.
pub fn check_target(path: &Path) -> io::Result<()> {
    let folder = path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty())
        .unwrap_or(Path::new("."));
    if !fs::metadata(folder)?.is_dir() {
        return Err(ErrorKind::NotADirectory.into());
    }
    match fs::metadata(path) {
        Ok(metadata) if metadata.is_dir() => Err(ErrorKind::IsADirectory.into()),
        _ => Ok(()),
    }
}

/// The outermost folder that must be made for `folder` to exist.
pub fn outermost_missing(folder: &Path) -> Option<PathBuf> {
    let is_missing = |path: &&Path| !path.as_os_str().is_empty() && !path.exists();
    folder
        .ancestors()
        .take_while(is_missing)
        .last()
        .map(Path::to_owned)
}

/// Removes `folder` and the folders around it up to `outermost`, as far as they are empty:
/// what was made for nothing.
pub fn remove_empty(folder: &Path, outermost: Option<&Path>) {
    let Some(outermost) = outermost else { return };
    for folder in folder
        .ancestors()
        .take_while(|ancestor| ancestor.starts_with(outermost))
    {
        if fs::remove_dir(folder).is_err() {
            return;
        }
    }
}

/// Writes a file whole or not at all: to a neighbour first, then renamed into place.
///
/// # Errors
/// Whatever the file system says; the neighbour is removed then. Devices (`/dev/stdout`) are
/// written to directly.
pub fn write_atomically(path: &Path, content: &[u8]) -> io::Result<()> {
    fill_atomically(path, &mut |file| file.write_all(content))
}

/// As [`write_atomically`], for what is too large to be held in memory.
///
/// # Errors
/// As [`write_atomically`], or whatever `fill` says.
pub fn fill_atomically(
    path: &Path,
    fill: &mut dyn FnMut(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    if fs::metadata(path).is_ok_and(|metadata| !metadata.is_file() && !metadata.is_dir()) {
        let mut device = BufWriter::new(fs::File::options().write(true).open(path)?);
        fill(&mut device)?;
        return device.flush();
    }
    let name = path.file_name().ok_or(io::Error::new(
        io::ErrorKind::InvalidInput,
        "not a file name",
    ))?;
    let mut temporary = std::ffi::OsString::from(".");
    temporary.push(name);
    temporary.push(format!(".{}.part", std::process::id()));
    let temporary = path.with_file_name(temporary);
    let written = fs::File::create(&temporary).and_then(|file| {
        let mut file = BufWriter::new(file);
        fill(&mut file)?;
        file.flush()?;
        file.get_ref().sync_all()
    });
    let renamed = written.and_then(|()| fs::rename(&temporary, path));
    if renamed.is_err() {
        // The first error is the one that matters.
        let _ = fs::remove_file(&temporary);
    }
    renamed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_with_commas_and_quotes_survive() {
        let mut point = serde_json::Map::new();
        point.insert("network.sizes".into(), serde_json::json!([4, 4]));
        point.insert("note".into(), "say \"hi\"".into());
        let mut row = serde_json::Map::new();
        row.insert("point".into(), point.into());
        row.insert("offered_load".into(), 0.1.into());
        let text = csv(
            &["network.sizes".into(), "note".into()],
            false,
            [Row(row)].iter(),
        );
        let lines: Vec<&str> = text.lines().collect();
        assert!(lines[0].starts_with("network.sizes,note,offered_load,accepted_load"));
        assert!(
            lines[1].starts_with("\"[4,4]\",\"say \"\"hi\"\"\",0.1,,"),
            "{}",
            lines[1]
        );
        assert_eq!(lines[0].split(',').count(), COLUMNS.len() + 2);
    }

    #[test]
    fn a_failed_write_leaves_nothing_behind() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("taken");
        fs::create_dir(&target).unwrap();
        assert!(write_atomically(&target, b"x").is_err());
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
        write_atomically(&folder.path().join("new"), b"x").unwrap();
        assert_eq!(fs::read(folder.path().join("new")).unwrap(), b"x");
    }
}
