//! Where results live: SQLite, one transaction a point, one file per writer.
//!
//! Writers never share a file, so array tasks on a shared file system do not contend;
//! readers merge all files of the folder. Whatever is killed whenever, a result is either
//! there or not, and a second result of the same point changes nothing.

use crate::provenance::Provenance;
use crate::row::Row;
use rusqlite::{Connection, ErrorCode, OptionalExtension, params};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// What went wrong with the store.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The file system said no.
    #[error("cannot use the result folder {path}: {source}")]
    Folder {
        /// The folder.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// SQLite said no.
    #[error("cannot use the result store {path}: {source}")]
    Database {
        /// The file.
        path: PathBuf,
        /// Why.
        source: rusqlite::Error,
    },
    /// The file is a database, but its content is not ours.
    #[error("the result store {path} is damaged: {what}; move it away to compute its points again")]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        what: String,
    },
}

const SCHEMA: &str = "
    CREATE TABLE IF NOT EXISTS results (
        id TEXT PRIMARY KEY NOT NULL,
        row TEXT NOT NULL,
        study_hash TEXT NOT NULL,
        version TEXT NOT NULL,
        revision TEXT NOT NULL,
        seed INTEGER NOT NULL
    ) STRICT";

/// All results of a folder, by point identity.
pub type Results = BTreeMap<String, Row>;

/// Reads and merges every store of a folder; a folder that does not exist has no results.
///
/// # Errors
/// A file that cannot be read or is damaged.
pub fn read_all(folder: &Path) -> Result<Results, StoreError> {
    let mut results = Results::new();
    for path in store_files(folder)? {
        read_one(&path, &mut results)?;
    }
    Ok(results)
}

fn store_files(folder: &Path) -> Result<Vec<PathBuf>, StoreError> {
    let fail = |source| StoreError::Folder { path: folder.to_owned(), source };
    let entries = match std::fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(fail(error)),
    };
    let mut paths = Vec::new();
    for entry in entries {
        let path = entry.map_err(fail)?.path();
        if path.extension().is_some_and(|extension| extension == "sqlite") {
            paths.push(path);
        }
    }
    // Merging in a fixed order keeps the outcome independent of the file system's.
    paths.sort();
    Ok(paths)
}

fn read_one(path: &Path, results: &mut Results) -> Result<(), StoreError> {
    let fail = |source| database_error(path, source);
    let connection = Connection::open(path).map_err(fail)?;
    connection.busy_timeout(std::time::Duration::from_secs(60)).map_err(fail)?;
    let exists: Option<i64> = connection
        .query_row("SELECT 1 FROM sqlite_master WHERE name = 'results'", [], |row| row.get(0))
        .optional()
        .map_err(fail)?;
    if exists.is_none() {
        // A writer was stopped before its first transaction.
        return Ok(());
    }
    let mut statement = connection.prepare("SELECT id, row FROM results ORDER BY id").map_err(fail)?;
    let mut rows = statement.query([]).map_err(fail)?;
    while let Some(row) = rows.next().map_err(fail)? {
        let (id, text): (String, String) = (row.get(0).map_err(fail)?, row.get(1).map_err(fail)?);
        let parsed = serde_json::from_str(&text).map_err(|error| StoreError::Damaged {
            path: path.to_owned(),
            what: format!("the row of point {id} is no JSON ({error})"),
        })?;
        results.entry(id).or_insert(Row(parsed));
    }
    Ok(())
}

fn database_error(path: &Path, source: rusqlite::Error) -> StoreError {
    let damaged = matches!(
        source.sqlite_error_code(),
        Some(ErrorCode::NotADatabase | ErrorCode::DatabaseCorrupt)
    );
    if damaged {
        return StoreError::Damaged { path: path.to_owned(), what: source.to_string() };
    }
    StoreError::Database { path: path.to_owned(), source }
}

/// This process's own store.
pub struct Writer {
    connection: Connection,
    path: PathBuf,
    is_new: bool,
    written: usize,
}

impl Writer {
    /// Opens the first store of the folder that no living writer holds, or makes a new one.
    ///
    /// `shard` keeps array tasks apart from the start.
    ///
    /// # Errors
    /// A folder or file that cannot be written.
    pub fn open(folder: &Path, shard: u32) -> Result<Self, StoreError> {
        let fail = |source| StoreError::Folder { path: folder.to_owned(), source };
        std::fs::create_dir_all(folder).map_err(fail)?;
        let mut number = 0;
        loop {
            let path = folder.join(format!("shard{shard}-writer{number}.sqlite"));
            match Self::try_open(&path) {
                Err(StoreError::Database { source, .. })
                    if source.sqlite_error_code() == Some(ErrorCode::DatabaseBusy) =>
                {
                    number += 1;
                }
                opened => return opened,
            }
        }
    }

    fn try_open(path: &Path) -> Result<Self, StoreError> {
        let is_new = !path.exists();
        let open = || -> rusqlite::Result<Connection> {
            let connection = Connection::open(path)?;
            // The lock is the sign of a living writer; the system drops it with the process.
            connection.pragma_update(None, "locking_mode", "EXCLUSIVE")?;
            connection.execute_batch(&format!("BEGIN IMMEDIATE; {SCHEMA}; COMMIT;"))?;
            Ok(connection)
        };
        match open() {
            Ok(connection) => Ok(Self { connection, path: path.to_owned(), is_new, written: 0 }),
            Err(error) => {
                let busy = error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy);
                if is_new && !busy {
                    discard(path);
                }
                Err(database_error(path, error))
            }
        }
    }

    /// Adds a point's row; a point that is there already keeps its first row.
    ///
    /// # Errors
    /// A disk that is full, for one.
    pub fn add(&mut self, id: &str, row: &Row, provenance: &Provenance) -> Result<(), StoreError> {
        let text = serde_json::Value::Object(row.0.clone()).to_string();
        let Provenance { study_hash, version, revision, seed, .. } = provenance;
        let added = self.connection.execute(
            "INSERT OR IGNORE INTO results VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
            // SQLite's integers are signed; the bits are what counts.
            params![id, text, study_hash, version, revision, *seed as i64],
        );
        added.map_err(|source| database_error(&self.path, source))?;
        self.written += 1;
        Ok(())
    }
}

impl Drop for Writer {
    /// A store that was made for nothing leaves nothing behind.
    fn drop(&mut self) {
        if self.is_new && self.written == 0 {
            discard(&self.path);
        }
    }
}

fn discard(path: &Path) {
    let mut journal = path.as_os_str().to_owned();
    journal.push("-journal");
    for path in [path, Path::new(&journal)] {
        // Nothing better can be done about a file that cannot be removed either.
        let _ = std::fs::remove_file(path);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(value: i64) -> Row {
        let mut row = serde_json::Map::new();
        row.insert("cycles".into(), value.into());
        Row(row)
    }

    #[test]
    fn writers_do_not_share_files_and_readers_merge_them() {
        let folder = tempfile::tempdir().unwrap();
        let provenance = Provenance::of_text("", 1);
        let mut first = Writer::open(folder.path(), 0).unwrap();
        let mut second = Writer::open(folder.path(), 0).unwrap();
        first.add("a", &row(1), &provenance).unwrap();
        first.add("a", &row(9), &provenance).unwrap();
        second.add("b", &row(2), &provenance).unwrap();
        assert_eq!(store_files(folder.path()).unwrap().len(), 2);
        drop((first, second));
        let results = read_all(folder.path()).unwrap();
        assert_eq!(results.keys().collect::<Vec<_>>(), ["a", "b"]);
        assert_eq!(results["a"], row(1));
    }

    #[test]
    fn a_writer_without_results_leaves_nothing() {
        let folder = tempfile::tempdir().unwrap();
        drop(Writer::open(folder.path(), 3).unwrap());
        assert!(store_files(folder.path()).unwrap().is_empty());
    }

    #[test]
    fn damage_is_named() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("x.sqlite"), b"this is no database at all, not one bit").unwrap();
        let error = read_all(folder.path()).unwrap_err();
        assert!(matches!(error, StoreError::Damaged { .. }), "{error}");
        assert!(error.to_string().contains("x.sqlite"));
    }
}
