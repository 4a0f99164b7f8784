//! Results as CSV, and files that are either whole or absent.

use crate::row::{COLUMNS, Cell, Row};
use crate::units::Column;
use serde_json::Value as Json;
use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io::{self, BufWriter, ErrorKind, Write};
use std::path::{Path, PathBuf};

/// A header line and one line per row: the swept fields, then [`COLUMNS`], the verdict, and those
/// that are `also` asked for.
///
/// # Errors
/// Whatever writing says.
pub fn csv(
    out: &mut dyn Write,
    keys: &[String],
    repeated: bool,
    also: &[Column],
    rows: impl Iterator<Item = Row>,
) -> io::Result<()> {
    let mut header: Vec<String> = keys.iter().map(|key| quoted(key)).collect();
    if repeated {
        header.push("repeat".into());
    }
    let columns = || COLUMNS.iter().copied().chain(std::iter::once("verdict"));
    let own = also.iter().map(|column| column.name);
    header.extend(columns().chain(own).map(str::to_owned));
    writeln!(out, "{}", header.join(","))?;
    let fields = keys
        .iter()
        .map(String::as_str)
        .chain(repeated.then_some("repeat"));
    let fields: Vec<&str> = fields.collect();
    for row in rows {
        let swept = fields.iter().map(|field| json_cell(row.point.get(*field)));
        let text = |cell: &Cell| match cell {
            Cell::Nothing => String::new(),
            Cell::Text(text) => quoted(text),
            Cell::Number(number) => number.to_string(),
            Cell::Flag(flag) => flag.to_string(),
        };
        let measured = columns().map(|column| text(row.cell(column)));
        let measured = measured.chain(also.iter().map(|column| text(&column.cell(&row))));
        let cells: Vec<String> = swept.chain(measured).collect();
        writeln!(out, "{}", cells.join(","))?;
    }
    Ok(())
}

/// The cell of a value that may not be there.
pub(crate) fn json_cell(value: Option<&Json>) -> String {
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

/// Writes a file whole or not at all: to a neighbour first, then renamed into place. A link stays one, and what it leads to is written; a file
/// that is there already keeps its permissions.
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
        let mut device = BufWriter::new(File::options().write(true).open(path)?);
        fill(&mut device)?;
        return device.flush();
    }
    let target = match path.is_symlink() {
        true => match fs::canonicalize(path) {
            Ok(target) => Some(target),
            // A link to nowhere is replaced.
            Err(error) if error.kind() == ErrorKind::NotFound => None,
            Err(error) => return Err(error),
        },
        false => None,
    };
    let path = target.as_deref().unwrap_or(path);
    let name = path.file_name().ok_or(io::Error::new(
        io::ErrorKind::InvalidInput,
        "not a file name",
    ))?;
    let parts = Parts { path, name };
    parts.remove_stale();
    let temporary = parts.own();
    let written = Parts::create(&temporary).and_then(|file| {
        if let Ok(old) = fs::metadata(path) {
            file.set_permissions(old.permissions())?;
        }
        let mut file = BufWriter::new(file);
        fill(&mut file)?;
        file.flush()?;
        file.get_ref().sync_all()?;
        // Nobody may take the file for a dead writer's before it has its name.
        fs::rename(&temporary, path)
    });
    if written.is_err() {
        // The first error is the one that matters.
        let _ = fs::remove_file(&temporary);
    }
    written
}

/// Files that are to become `path` when they are whole: one for each process that writes it,
/// which keeps it locked as long as it lives.
struct Parts<'a> {
    path: &'a Path,
    name: &'a OsStr,
}

impl Parts<'_> {
    /// This process's own.
    fn own(&self) -> PathBuf {
        let mut name = OsString::from(".");
        name.push(self.name);
        name.push(format!(".{}.part", std::process::id()));
        self.path.with_file_name(name)
    }

    /// An empty, locked file. Where nothing can be locked, nothing is taken for stale either.
    fn create(part: &Path) -> io::Result<File> {
        loop {
            let file = File::create(part)?;
            // Another writer may have taken it for stale before it was locked.
            if file.lock().is_err() || part.exists() {
                return Ok(file);
            }
        }
    }

    /// Removes what writers left behind that were killed. What cannot be removed may stay.
    fn remove_stale(&self) {
        let folder = match self.path.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder,
            _ => Path::new("."),
        };
        let (own, prefix) = (self.own(), format!(".{}.", self.name.to_string_lossy()));
        let is_part = |path: &PathBuf| {
            let name = path.file_name().map(OsStr::to_string_lossy);
            let process = name.as_ref().and_then(|name| {
                let rest = name.strip_prefix(&prefix)?;
                rest.strip_suffix(".part")
            });
            process.is_some_and(|process| process.parse::<u32>().is_ok())
        };
        let entries = fs::read_dir(folder).into_iter().flatten().flatten();
        let others = entries.map(|entry| entry.path());
        for part in others.filter(|path| path.file_name() != own.file_name() && is_part(path)) {
            if let Ok(file) = File::options().write(true).open(&part)
                && file.try_lock().is_ok()
            {
                let _ = fs::remove_file(&part);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whoever reads the file by another name reads the new one.
    #[cfg(unix)]
    #[test]
    fn links_are_followed_and_permissions_stay() {
        use std::os::unix::fs::{PermissionsExt, symlink};
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::create_dir(at("etc")).unwrap();
        fs::write(at("etc/tables"), "old").unwrap();
        fs::set_permissions(at("etc/tables"), fs::Permissions::from_mode(0o600)).unwrap();
        symlink("etc/tables", at("link")).unwrap();
        write_atomically(&at("link"), b"new").unwrap();
        assert!(at("link").is_symlink());
        assert_eq!(fs::read_to_string(at("etc/tables")).unwrap(), "new");
        let mode = fs::metadata(at("etc/tables")).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        symlink("nowhere", at("lost")).unwrap();
        write_atomically(&at("lost"), b"here").unwrap();
        assert_eq!(fs::read_to_string(at("lost")).unwrap(), "here");
        let left: Vec<_> = fs::read_dir(at("etc")).unwrap().collect();
        assert_eq!(left.len(), 1);
    }

    #[test]
    fn cells_with_commas_and_quotes_survive() {
        let mut row = Row::nothing();
        let sizes = serde_json::json!([4, 4]);
        row.point.insert("network.sizes".into(), sizes);
        row.point.insert("note".into(), "say \"hi\"".into());
        row.set("offered_load", 0.1);
        let (mut text, keys) = (Vec::new(), ["network.sizes".into(), "note".into()]);
        csv(&mut text, &keys, false, &[], [row].into_iter()).unwrap();
        let text = String::from_utf8(text).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        assert!(
            lines[0].starts_with("network.sizes,note,offered_load,injected_load,accepted_load")
        );
        assert!(
            lines[1].starts_with("\"[4,4]\",\"say \"\"hi\"\"\",0.1,,"),
            "{}",
            lines[1]
        );
        assert_eq!(lines[0].split(',').count(), COLUMNS.len() + 3);
    }

    #[test]
    fn what_killed_writers_left_is_removed_and_what_living_ones_write_is_not() {
        let folder = tempfile::tempdir().unwrap();
        let part = |name: &str| folder.path().join(name);
        let (stale, living) = (
            part(".x.csv.4000000001.part"),
            part(".x.csv.4000000002.part"),
        );
        let others = [".y.csv.7.part", ".x.csv.z.part", "x.csv.7.part"].map(part);
        for path in others.iter().chain([&stale]) {
            fs::write(path, b"half").unwrap();
        }
        let _locked = Parts::create(&living).unwrap();
        write_atomically(&part("x.csv"), b"whole").unwrap();
        assert!(!stale.exists() && living.exists());
        assert!(others.iter().all(|path| path.exists()));
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 5);
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
