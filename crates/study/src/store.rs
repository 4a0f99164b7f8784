//! Where results live: SQLite, one transaction a point, one file per writer.
//!
//! Writers never share a file, so array tasks on a shared file system do not contend;
//! readers merge all files of the folder. Whatever is killed whenever, a result is either
//! there or not, and a second result of the same point changes nothing. A store can be read
//! while its writer lives; that it does is told by a lock beside the store, not on it.

use crate::details::Details;
use crate::export::{outermost_missing, remove_empty};
use crate::provenance::Provenance;
pub use crate::results::Results;
use crate::row::Row;
use crate::sweep::PointId;
use rusqlite::{Connection, ErrorCode as SqliteCode, OpenFlags, OptionalExtension, params};
use std::collections::BTreeMap;
use std::fs::{self, File, TryLockError};
use std::io::{self, ErrorKind};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// What went wrong with the store.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The file system said no.
    #[error("cannot use the result folder {path}: {source}")]
    Folder {
        /// The folder.
        path: PathBuf,
        /// Why.
        source: io::Error,
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
    ) STRICT;
    CREATE TABLE IF NOT EXISTS details (
        id TEXT PRIMARY KEY NOT NULL,
        data BLOB NOT NULL
    ) STRICT";

/// Made when something fails: most stores have none.
const FAILURES: &str = "
    CREATE TABLE IF NOT EXISTS failures (
        id TEXT PRIMARY KEY NOT NULL,
        message TEXT NOT NULL
    ) STRICT";

/// How long to wait for another process's transaction, which takes milliseconds.
const PATIENCE: Duration = Duration::from_secs(60);

/// Reads and merges every store of a folder, as far as `wanted` says; a folder that does not
/// exist has no results.
///
/// # Errors
/// A file that cannot be read or is damaged.
pub fn read_all(folder: &Path, wanted: &dyn Fn(&PointId) -> bool) -> Result<Results, StoreError> {
    let mut results = Results::new();
    for path in store_files(folder)? {
        read_one(&path, wanted, &mut results)?;
    }
    Ok(results)
}

fn store_files(folder: &Path) -> Result<Vec<PathBuf>, StoreError> {
    let fail = |source| StoreError::Folder {
        path: folder.to_owned(),
        source,
    };
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(fail(error)),
    };
    let mut paths = Vec::new();
    for entry in entries {
        let path = entry.map_err(fail)?.path();
        if path
            .extension()
            .is_some_and(|extension| extension == "sqlite")
        {
            paths.push(path);
        }
    }
    // Merging in a fixed order keeps the outcome independent of the file system's.
    paths.sort();
    Ok(paths)
}

fn read_one(
    path: &Path,
    wanted: &dyn Fn(&PointId) -> bool,
    results: &mut Results,
) -> Result<(), StoreError> {
    let fail = |source| database_error(path, source);
    let Some(connection) = open_with(path, "results")? else {
        return Ok(());
    };
    let mut statement = connection
        .prepare("SELECT id, row, revision FROM results ORDER BY id")
        .map_err(fail)?;
    let mut rows = statement.query([]).map_err(fail)?;
    while let Some(row) = rows.next().map_err(fail)? {
        let column = |number| row.get::<_, String>(number).map_err(fail);
        let (id, text, revision) = (column(0)?, column(1)?, column(2)?);
        // Other versions' results, and those of points that a study no longer has, may stay.
        let Some(point) = id.parse().ok().filter(wanted) else {
            continue;
        };
        let damaged = |why: String| StoreError::Damaged {
            path: path.to_owned(),
            what: format!("the row of point {id} {why}"),
        };
        let object = serde_json::from_str(&text)
            .map_err(|error| damaged(format!("is no JSON ({error})")))?;
        let row = Row::from_object(object).map_err(damaged)?;
        results.insert_found(point, &row, revision);
    }
    Ok(())
}

/// The [details](crate::details) of a point, if any store of the folder has them.
///
/// # Errors
/// A file that cannot be read or is damaged.
pub fn read_details(folder: &Path, id: &PointId) -> Result<Option<Details>, StoreError> {
    for path in store_files(folder)? {
        let fail = |source| database_error(&path, source);
        let Some(connection) = open_with(&path, "details")? else {
            continue;
        };
        let query = "SELECT data FROM details WHERE id = ?1";
        let data: Option<Vec<u8>> = connection
            .query_row(query, [id.to_string()], |row| row.get(0))
            .optional()
            .map_err(fail)?;
        if let Some(data) = data {
            let damaged = || StoreError::Damaged {
                path: path.clone(),
                what: format!("the details of point {id} cannot be read"),
            };
            return Details::decode(&data).map(Some).ok_or_else(damaged);
        }
    }
    Ok(None)
}

/// Why points failed, by point, as one of those has noted who tried; some may have a result since.
///
/// # Errors
/// A file that cannot be read or is damaged.
pub fn read_failures(folder: &Path) -> Result<BTreeMap<PointId, String>, StoreError> {
    let mut failures = BTreeMap::new();
    for path in store_files(folder)? {
        let fail = |source| database_error(&path, source);
        let Some(connection) = open_with(&path, "failures")? else {
            continue;
        };
        let mut statement = connection
            .prepare("SELECT id, message FROM failures ORDER BY id")
            .map_err(fail)?;
        let mut rows = statement.query([]).map_err(fail)?;
        while let Some(row) = rows.next().map_err(fail)? {
            let id: String = row.get(0).map_err(fail)?;
            if let Ok(id) = id.parse() {
                failures.insert(id, row.get(1).map_err(fail)?);
            }
        }
    }
    Ok(failures)
}

/// Opens a store that has this table; `None` if its writer ended or was stopped before it had one.
fn open_with(path: &Path, table: &str) -> Result<Option<Connection>, StoreError> {
    let fail = |source| database_error(path, source);
    // Writing is allowed because what a killed writer left half done must be taken back.
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = match Connection::open_with_flags(path, flags) {
        Ok(connection) => connection,
        // Its writer ended without results meanwhile.
        Err(_) if !path.exists() => return Ok(None),
        Err(error) => return Err(fail(error)),
    };
    connection.busy_timeout(PATIENCE).map_err(fail)?;
    let is_there = has_table(&connection, table).map_err(fail)?;
    Ok(is_there.then_some(connection))
}

fn has_table(connection: &Connection, name: &str) -> rusqlite::Result<bool> {
    let query = "SELECT 1 FROM sqlite_master WHERE name = ?1";
    let found: Option<i64> = connection
        .query_row(query, [name], |row| row.get(0))
        .optional()?;
    Ok(found.is_some())
}

fn database_error(path: &Path, source: rusqlite::Error) -> StoreError {
    let damaged = matches!(
        source.sqlite_error_code(),
        Some(SqliteCode::NotADatabase | SqliteCode::DatabaseCorrupt)
    );
    if damaged {
        return StoreError::Damaged {
            path: path.to_owned(),
            what: source.to_string(),
        };
    }
    StoreError::Database {
        path: path.to_owned(),
        source,
    }
}

/// This process's own store.
pub struct Writer {
    connection: Option<Connection>,
    path: PathBuf,
    claim: Claim,
    /// Rows, and notes of failures.
    written: usize,
}

/// The right to write a store: a locked file beside it, and what was made for the store.
struct Claim {
    lock: File,
    lock_path: PathBuf,
    /// The outermost folder that did not exist.
    new_folder: Option<PathBuf>,
    is_new_store: bool,
}

impl Writer {
    /// Opens the first store of the folder that no living writer holds, or makes a new one.
    ///
    /// `shard` keeps array tasks apart from the start.
    ///
    /// # Errors
    /// A folder or file that cannot be written.
    pub fn open(folder: &Path, shard: u32) -> Result<Self, StoreError> {
        let new_folder = outermost_missing(folder);
        let (path, lock, lock_path) = claim(folder, shard).map_err(|source| {
            remove_empty(folder, new_folder.as_deref());
            StoreError::Folder {
                path: folder.to_owned(),
                source,
            }
        })?;
        let is_new_store = !path.exists();
        let claim = Claim {
            lock,
            lock_path,
            new_folder,
            is_new_store,
        };
        // From here on, dropping the writer takes back whatever was made for nothing.
        let mut writer = Self {
            connection: None,
            path,
            claim,
            written: 0,
        };
        let connection =
            connect(&writer.path).map_err(|source| database_error(&writer.path, source))?;
        writer.connection = Some(connection);
        Ok(writer)
    }

    /// Adds a point's row; a point that is there already keeps its first row.
    ///
    /// # Errors
    /// A disk that is full, for one.
    pub fn add(
        &mut self,
        id: &PointId,
        row: &Row,
        provenance: &Provenance,
    ) -> Result<(), StoreError> {
        self.add_all(id, row, None, provenance)
    }

    /// The same with the point's encoded [details](crate::details), if there are any: both or neither.
    ///
    /// # Errors
    /// As [`add`](Self::add).
    pub fn add_all(
        &mut self,
        id: &PointId,
        row: &Row,
        details: Option<&[u8]>,
        provenance: &Provenance,
    ) -> Result<(), StoreError> {
        let text = serde_json::Value::Object(row.clone().into_object()).to_string();
        let Provenance {
            study_hash,
            version,
            revision,
            seed,
            ..
        } = provenance;
        if let Some(connection) = &self.connection {
            let id = id.to_string();
            let add = || {
                let transaction = connection.unchecked_transaction()?;
                transaction.execute(
                    "INSERT OR IGNORE INTO results VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
                    // SQLite's integers are signed; the bits are what counts.
                    params![id, text, study_hash, version, revision, *seed as i64],
                )?;
                if let Some(details) = details {
                    transaction.execute(
                        "INSERT OR IGNORE INTO details VALUES (?1, ?2)",
                        params![id, details],
                    )?;
                }
                transaction.commit()
            };
            add().map_err(|source| database_error(&self.path, source))?;
            self.written += 1;
        }
        Ok(())
    }

    /// Notes why a point failed, in the place of what was noted before: another shard may write the report.
    ///
    /// # Errors
    /// As [`add`](Self::add).
    pub fn note_failure(&mut self, id: &PointId, message: &str) -> Result<(), StoreError> {
        let Some(connection) = &self.connection else {
            return Ok(());
        };
        let note = || {
            let transaction = connection.unchecked_transaction()?;
            transaction.execute_batch(FAILURES)?;
            transaction.execute(
                "INSERT OR REPLACE INTO failures VALUES (?1, ?2)",
                params![id.to_string(), message],
            )?;
            transaction.commit()
        };
        note().map_err(|source| database_error(&self.path, source))?;
        self.written += 1;
        Ok(())
    }
}

impl Drop for Writer {
    /// A store that was made for nothing leaves nothing behind.
    fn drop(&mut self) {
        let folder = self.path.parent().map(Path::to_owned).unwrap_or_default();
        drop(self.connection.take());
        if self.claim.is_new_store && self.written == 0 {
            discard(&self.path);
        }
        // Nothing better can be done about a lock that cannot be removed.
        let _ = fs::remove_file(&self.claim.lock_path);
        let _ = self.claim.lock.unlock();
        remove_empty(&folder, self.claim.new_folder.as_deref());
    }
}

/// The first store that no living writer has locked and that this user may write, and its lock. The system unlocks
/// when the process ends, however it ends.
fn claim(folder: &Path, shard: u32) -> io::Result<(PathBuf, File, PathBuf)> {
    let (mut number, mut tries) = (0, 0);
    fs::create_dir_all(folder)?;
    loop {
        let path = folder.join(format!("shard{shard}-writer{number}.sqlite"));
        let lock_path = path.with_extension("lock");
        let lock = File::options()
            .write(true)
            .create(true)
            .truncate(false)
            .open(&lock_path);
        let lock = match lock {
            Ok(lock) => lock,
            // Another user's, in a folder that both may write.
            Err(_) if is_of_another_user(&lock_path) => {
                number += 1;
                continue;
            }
            // Another writer that has no results may remove the folder just when we have made it.
            Err(error) if error.kind() == ErrorKind::NotFound && tries < MOST_TRIES => {
                tries += 1;
                // It may be removed while it is made, too.
                let _ = fs::create_dir_all(folder);
                continue;
            }
            Err(error) => return Err(error),
        };
        match lock.try_lock() {
            // Whoever had it has removed it meanwhile: another writer may have made a new one, and hold that.
            Ok(()) if !lies_at(&lock, &lock_path) => {}
            Ok(()) if is_of_another_user(&path) => {
                let _ = fs::remove_file(&lock_path);
                number += 1;
            }
            Ok(()) => return Ok((path, lock, lock_path)),
            Err(TryLockError::WouldBlock) => number += 1,
            Err(TryLockError::Error(error)) => {
                let _ = fs::remove_file(&lock_path);
                return Err(error);
            }
        }
    }
}

/// So often a folder may be removed while it is made.
const MOST_TRIES: u32 = 100;

/// Is an open file the one that lies there now?
fn lies_at(file: &File, path: &Path) -> bool {
    let identity = |found: fs::Metadata| (found.dev(), found.ino());
    let own = file.metadata().map(identity).ok();
    own.is_some() && own == fs::metadata(path).map(identity).ok()
}

/// Is there a file that this user may not write? It is not opened: to close a store would end the locks that this process has on it.
fn is_of_another_user(path: &Path) -> bool {
    let writable = rustix::fs::access(path, rustix::fs::Access::WRITE_OK);
    writable == Err(rustix::io::Errno::ACCESS)
}

fn connect(path: &Path) -> rusqlite::Result<Connection> {
    let connection = Connection::open(path)?;
    connection.busy_timeout(PATIENCE)?;
    connection.execute_batch(&format!("BEGIN IMMEDIATE; {SCHEMA}; COMMIT;"))?;
    Ok(connection)
}

fn discard(path: &Path) {
    let mut journal = path.as_os_str().to_owned();
    journal.push("-journal");
    for path in [path, Path::new(&journal)] {
        // Nothing better can be done about a file that cannot be removed either.
        let _ = fs::remove_file(path);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::provenance::REVISION;
    use serde_json::{Value as Json, json};

    fn id(hash: u128) -> PointId {
        PointId { hash, file: None }
    }

    fn row(cycles: u64) -> Row {
        let mut row = Row::nothing();
        row.set("cycles", cycles);
        row
    }

    fn files(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().file_name());
        let mut names: Vec<String> = entries.map(|name| name.into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn it_is_told_which_revision_results_are_of() {
        let folder = tempfile::tempdir().unwrap();
        let mut provenance = Provenance::of_text("", 1);
        let mut writer = Writer::open(folder.path(), 0).unwrap();
        for (hash, revision) in [(1, "a"), (2, "b"), (3, REVISION), (4, "b"), (2, "a")] {
            provenance.revision = revision.into();
            writer.add(&id(hash), &row(1), &provenance).unwrap();
        }
        let results = read_all(folder.path(), &|_| true).unwrap();
        assert_eq!(Vec::from_iter(results.others()), [("a", 1), ("b", 2)]);
        let some = read_all(folder.path(), &|wanted| wanted.hash > 2).unwrap();
        assert_eq!(Vec::from_iter(some.others()), [("b", 1)]);
    }

    #[test]
    fn writers_do_not_share_files_and_readers_merge_them() {
        let folder = tempfile::tempdir().unwrap();
        let provenance = Provenance::of_text("", 1);
        let mut first = Writer::open(folder.path(), 0).unwrap();
        let mut second = Writer::open(folder.path(), 0).unwrap();
        first.add(&id(1), &row(1), &provenance).unwrap();
        first.add(&id(1), &row(9), &provenance).unwrap();
        second.add(&id(2), &row(2), &provenance).unwrap();
        assert_eq!(store_files(folder.path()).unwrap().len(), 2);
        drop((first, second));
        let results = read_all(folder.path(), &|_| true).unwrap();
        assert_eq!(results.len(), 2);
        let cycles = |hash| results.get(&id(hash)).unwrap().figure("cycles");
        assert_eq!([cycles(1), cycles(2)], [Some(1.0), Some(2.0)]);
        assert_eq!(results.others().next(), None);
        let some = read_all(folder.path(), &|wanted| *wanted == id(2)).unwrap();
        assert_eq!((some.len(), some.contains_key(&id(2))), (1, true));
        assert_eq!(
            files(folder.path()),
            ["shard0-writer0.sqlite", "shard0-writer1.sqlite"]
        );
    }

    #[test]
    fn details_lie_beside_their_row_and_are_found_in_any_store() {
        let folder = tempfile::tempdir().unwrap();
        let provenance = Provenance::of_text("", 1);
        let details = Details {
            channels: vec![3, 1, 4],
            ..Details::default()
        };
        let mut writers = [0, 1].map(|shard| Writer::open(folder.path(), shard).unwrap());
        writers[0].add(&id(1), &row(1), &provenance).unwrap();
        let bytes = details.encode();
        writers[1]
            .add_all(&id(2), &row(1), Some(&bytes), &provenance)
            .unwrap();
        let damaged = Some(&bytes[1..]);
        writers[1]
            .add_all(&id(3), &row(1), damaged, &provenance)
            .unwrap();
        let read = |id: &PointId| read_details(folder.path(), id);
        assert_eq!(read(&id(1)).unwrap(), None);
        assert_eq!(read(&id(2)).unwrap(), Some(details));
        let error = read(&id(3)).unwrap_err().to_string();
        assert!(
            error.contains(&format!("the details of point {} cannot be read", id(3))),
            "{error}"
        );
    }

    #[test]
    fn a_store_can_be_read_while_its_writer_lives() {
        let folder = tempfile::tempdir().unwrap();
        let provenance = Provenance::of_text("", 1);
        let mut writer = Writer::open(folder.path(), 0).unwrap();
        assert_eq!(read_all(folder.path(), &|_| true).unwrap().len(), 0);
        for (hash, count) in [(1, 1), (2, 2)] {
            writer.add(&id(hash), &row(1), &provenance).unwrap();
            assert_eq!(read_all(folder.path(), &|_| true).unwrap().len(), count);
        }
    }

    #[test]
    fn a_writer_without_results_leaves_nothing() {
        let folder = tempfile::tempdir().unwrap();
        drop(Writer::open(&folder.path().join("a/b"), 3).unwrap());
        assert!(files(folder.path()).is_empty());
        drop(Writer::open(folder.path(), 3).unwrap());
        assert!(files(folder.path()).is_empty());
    }

    #[test]
    fn writers_that_come_and_go_do_not_take_the_stores_of_others() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path().join("results");
        let (threads, rounds) = (4, 200);
        std::thread::scope(|scope| {
            for thread in 0..threads {
                let folder = &folder;
                scope.spawn(move || {
                    let provenance = Provenance::of_text("", 1);
                    for round in 0..rounds {
                        let mut writer = Writer::open(folder, 0).unwrap();
                        // One in four finds something.
                        if round % 4 == 0 {
                            let id = id(u128::from(thread * rounds + round));
                            writer.add(&id, &row(1), &provenance).unwrap();
                        }
                    }
                });
            }
        });
        let all = read_all(&folder, &|_| true).unwrap();
        assert_eq!(all.len() as u64, threads * rounds / 4);
    }

    #[test]
    fn a_store_of_failures_is_kept() {
        let folder = tempfile::tempdir().unwrap();
        let mut writer = Writer::open(folder.path(), 1).unwrap();
        writer.note_failure(&id(1), "no route").unwrap();
        drop(writer);
        let failures = read_failures(folder.path()).unwrap();
        assert_eq!(failures[&id(1)], "no route");
    }

    #[test]
    fn a_killed_writer_holds_nothing_up() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("shard0-writer0.lock"), b"").unwrap();
        let writer = Writer::open(folder.path(), 0).unwrap();
        assert_eq!(
            files(folder.path()),
            ["shard0-writer0.lock", "shard0-writer0.sqlite"]
        );
        drop(writer);
        assert!(files(folder.path()).is_empty());
    }

    #[test]
    fn damage_is_named() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(
            folder.path().join("x.sqlite"),
            b"this is no database at all, not one bit",
        )
        .unwrap();
        let error = read_all(folder.path(), &|_| true).unwrap_err();
        assert!(matches!(error, StoreError::Damaged { .. }), "{error}");
        assert!(error.to_string().contains("x.sqlite"));
    }

    #[test]
    fn rows_are_whole_or_damaged() {
        let mut half = row(1).into_object();
        half.remove("fingerprint");
        let mut damaged = vec![(half, "has no `fingerprint`".to_owned())];
        let wrong = [
            ("accepted_load", json!("0.1"), "number"),
            ("packets", json!([]), "number"),
            ("saturated", json!("no"), "truth value"),
            ("ending", json!(1), "text"),
        ];
        for (column, value, what) in wrong {
            let mut row = row(1).into_object();
            row.insert(column.into(), value);
            let fault = format!("has something else than a {what} for `{column}`");
            damaged.push((row, fault));
        }
        for (object, fault) in damaged {
            let folder = tempfile::tempdir().unwrap();
            let mut writer = Writer::open(folder.path(), 0).unwrap();
            writer
                .add(&id(1), &row(1), &Provenance::of_text("", 1))
                .unwrap();
            drop(writer);
            let file = folder.path().join(&files(folder.path())[0]);
            let text = Json::Object(object).to_string();
            let changed = Connection::open(file)
                .and_then(|store| store.execute("UPDATE results SET row = ?1", [text]));
            assert_eq!(changed, Ok(1));
            let error = read_all(folder.path(), &|_| true).unwrap_err().to_string();
            let expected = format!("the row of point {} {fault}", id(1));
            assert!(error.contains(&expected), "{error}");
        }
    }
}
