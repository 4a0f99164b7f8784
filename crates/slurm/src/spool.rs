//! Folders of jobs that are whole or absent, whenever a writer is killed.
//!
//! A folder is filled under another name beside its place and renamed when it is complete and on the disk.
//! Each writer holds a lock on a file of its own, which the kernel releases however the writer
//! ends; whoever comes next removes what belongs to a lock that nobody holds. All creating,
//! renaming and removing happens under the lock of the whole spool, and is short.
//!
//! | name | what |
//! |---|---|
//! | `job-7`, `job-7.0` | whole folders of a job and of a step |
//! | `.job-7.4711-0.part`, `.old`, `.lock` | a writer's unfinished folder, the one it replaces, its lock |
//! | `.lock` | the lock of the spool |

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Where the folders of jobs are.
#[derive(Clone, Debug)]
pub struct Spool {
    folder: PathBuf,
}

/// What the lock of the spool is waited for; its holders only rename and remove.
const PATIENCE: Duration = Duration::from_secs(30);

/// The folder's name of a job, or of one of its steps.
pub fn name_of(job: &str, step: Option<&str>) -> String {
    match step {
        Some(step) => format!("job-{job}.{step}"),
        None => format!("job-{job}"),
    }
}

impl Spool {
    /// A spool in a folder, which need not exist yet.
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Self {
            folder: folder.into(),
        }
    }

    /// Where a folder is, or would be.
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    /// Writes a folder of files, replacing one of the same name; removes what killed writers left.
    ///
    /// # Errors
    /// Whatever the file system says; then there is no new folder.
    pub fn publish(&self, name: &str, files: &[(String, Vec<u8>)]) -> io::Result<PathBuf> {
        fs::create_dir_all(&self.folder)?;
        let writer = {
            let _spool = self.lock()?;
            self.sweep()?;
            Writer::new(&self.folder, name)?
        };
        let written = writer.fill(files);
        let _spool = self.lock()?;
        let target = self.path(name);
        let placed = written.and_then(|()| {
            if !writer.part().is_dir() {
                let ended = "the job ended while its tables were written";
                return Err(io::Error::new(ErrorKind::Interrupted, ended));
            }
            self.set_aside(&target, &writer)?;
            fs::rename(writer.part(), &target).inspect_err(|_| {
                // An old folder is better than none; the first error is the one that matters.
                let _ = fs::rename(writer.old(), &target);
            })?;
            sync(&self.folder)
        });
        writer.clear();
        placed.map(|()| target)
    }

    /// Removes the folders that `wanted` accepts by name, and what killed writers left; tells
    /// how many folders there were. Writers that are still at work on such a folder will fail:
    /// a job that has ended must not get tables afterwards.
    ///
    /// # Errors
    /// Whatever the file system says. A spool that does not exist has no folders.
    pub fn remove(&self, wanted: impl Fn(&str) -> bool) -> io::Result<usize> {
        if !self.folder.exists() {
            return Ok(0);
        }
        let _spool = self.lock()?;
        self.sweep()?;
        let names = self.names()?;
        self.cancel(&names, &wanted)?;
        let doomed: Vec<&String> = names.iter().filter(|name| wanted(name)).collect();
        for name in &doomed {
            let writer = Writer::new(&self.folder, name)?;
            let aside = self.set_aside(&self.path(name), &writer);
            writer.clear();
            aside?;
        }
        sync(&self.folder)?;
        Ok(doomed.len())
    }

    /// Takes their unfinished folders away from living writers.
    fn cancel(&self, names: &[String], wanted: impl Fn(&str) -> bool) -> io::Result<()> {
        for name in names {
            let stem = name
                .strip_prefix('.')
                .and_then(|name| name.strip_suffix(".lock"));
            let Some(stem) = stem.filter(|stem| stem.starts_with("job-")) else {
                continue;
            };
            if !stem
                .rsplit_once('.')
                .is_some_and(|(folder, _)| wanted(folder))
            {
                continue;
            }
            let writer = Writer::at(self.folder.join(format!(".{stem}")));
            match fs::rename(writer.part(), writer.old()) {
                // It has not begun; what stands in its way stops it.
                Err(error) if error.kind() == ErrorKind::NotFound => {
                    File::create(writer.part())?;
                }
                other => other?,
            }
        }
        Ok(())
    }

    fn names(&self) -> io::Result<Vec<String>> {
        let entries = fs::read_dir(&self.folder)?;
        let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
        Ok(names.collect())
    }

    /// Renames a folder away, so that it is gone at once and can be removed at leisure.
    fn set_aside(&self, target: &Path, writer: &Writer) -> io::Result<()> {
        match fs::rename(target, writer.old()) {
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
            other => other,
        }
    }

    /// The lock of the spool; released when dropped.
    fn lock(&self) -> io::Result<File> {
        let path = self.folder.join(".lock");
        let start = Instant::now();
        loop {
            let file = open_shared(&path)?;
            match file.try_lock() {
                Ok(()) => return Ok(file),
                Err(TryLockError::WouldBlock) if start.elapsed() < PATIENCE => {
                    std::thread::sleep(Duration::from_millis(5));
                }
                Err(TryLockError::WouldBlock) => {
                    let message = format!("somebody holds {} for too long", path.display());
                    return Err(io::Error::new(ErrorKind::TimedOut, message));
                }
                Err(TryLockError::Error(error)) => return Err(error),
            }
        }
    }

    /// Removes what belongs to writers that are no more.
    fn sweep(&self) -> io::Result<()> {
        for name in self.names()? {
            let own = name
                .strip_prefix('.')
                .and_then(|name| name.rsplit_once('.'));
            let Some((stem, ending)) = own.filter(|(stem, _)| stem.starts_with("job-")) else {
                continue;
            };
            let writer = Writer::at(self.folder.join(format!(".{stem}")));
            let is_dead = match ending {
                "lock" => writer.is_dead(),
                // A writer has its lock before and after everything else.
                "part" | "old" => !writer.lock_path().exists(),
                _ => false,
            };
            if is_dead {
                writer.clear();
            }
        }
        Ok(())
    }
}

/// Opens a lock file that every user may lock. Creating comes second: a sticky folder refuses to
/// create over another user's file.
fn open_shared(path: &Path) -> io::Result<File> {
    use std::os::unix::fs::PermissionsExt;
    let open = || OpenOptions::new().read(true).write(true).open(path);
    match open() {
        Err(error) if error.kind() == ErrorKind::NotFound => {}
        other => return other,
    }
    let created = OpenOptions::new()
        .read(true)
        .write(true)
        .create_new(true)
        .open(path);
    match created {
        Ok(file) => {
            file.set_permissions(fs::Permissions::from_mode(0o666))?;
            Ok(file)
        }
        Err(error) if error.kind() == ErrorKind::AlreadyExists => open(),
        Err(error) => Err(error),
    }
}

fn sync(path: &Path) -> io::Result<()> {
    File::open(path)?.sync_all()
}

/// Somebody who writes or removes a folder.
struct Writer {
    /// The name before its endings.
    base: PathBuf,
    _lock: Option<File>,
}

impl Writer {
    /// A new writer, with its lock.
    fn new(folder: &Path, name: &str) -> io::Result<Self> {
        let id = std::process::id();
        let mut number = 0u32;
        loop {
            let mut writer = Self::at(folder.join(format!(".{name}.{id}-{number}")));
            let lock = OpenOptions::new()
                .read(true)
                .write(true)
                .create_new(true)
                .open(writer.lock_path());
            match lock {
                Ok(file) => {
                    file.lock()?;
                    writer._lock = Some(file);
                    return Ok(writer);
                }
                // The same number on another machine, or another thread of this process.
                Err(error) if error.kind() == ErrorKind::AlreadyExists => number += 1,
                Err(error) => return Err(error),
            }
        }
    }

    fn at(base: PathBuf) -> Self {
        Self { base, _lock: None }
    }

    fn with(&self, ending: &str) -> PathBuf {
        let mut path = self.base.clone().into_os_string();
        path.push(ending);
        path.into()
    }

    fn part(&self) -> PathBuf {
        self.with(".part")
    }

    fn old(&self) -> PathBuf {
        self.with(".old")
    }

    fn lock_path(&self) -> PathBuf {
        self.with(".lock")
    }

    /// Does nobody hold its lock any more? What cannot be asked counts as alive.
    fn is_dead(&self) -> bool {
        let file = OpenOptions::new()
            .read(true)
            .write(true)
            .open(self.lock_path());
        file.is_ok_and(|file| file.try_lock().is_ok())
    }

    /// Writes the files and waits until they are on the disk.
    fn fill(&self, files: &[(String, Vec<u8>)]) -> io::Result<()> {
        let part = self.part();
        fs::create_dir(&part)?;
        for (name, content) in files {
            File::create_new(part.join(name))?.write_all(content)?;
        }
        // The first of these takes the disk's time, the others find their work done.
        for (name, _) in files {
            sync(&part.join(name))?;
        }
        sync(&part)
    }

    /// Removes whatever is left of it, its lock last.
    fn clear(&self) {
        for path in [self.part(), self.old()] {
            // What another user left behind stays; the whole folders matter.
            let _ = match fs::symlink_metadata(&path) {
                Ok(metadata) if metadata.is_dir() => fs::remove_dir_all(&path),
                Ok(_) => fs::remove_file(&path),
                Err(_) => Ok(()),
            };
        }
        if !self.part().exists() && !self.old().exists() {
            let _ = fs::remove_file(self.lock_path());
        }
    }
}

#[cfg(test)]
mod tests;
