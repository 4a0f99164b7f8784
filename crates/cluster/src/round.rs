//! The folder of one submission: what its tasks share.
//!
//! ```text
//! slurm/1/points     the bundles: a line for each, with the names of its points
//! slurm/1/script.sh  what every task runs
//! slurm/1/job        the number of the job
//! slurm/1/taken/7    bundle 7 is taken, by the task that this file names
//! slurm/1/failed/ID  why a point cannot be simulated
//! slurm/1/task-3.log what task 3 had to say
//! ```
//!
//! A bundle is taken by making its file, which one task alone can do, on NFS too. A point is named
//! by what it means, so that a study that is edited under its job does harm to nobody.

use crate::error::ClusterError;
use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use turnwise_study::sweep::PointId;

/// One submission.
#[derive(Clone, Debug)]
pub struct Round {
    folder: PathBuf,
}

impl Round {
    /// A new one in the folder of all of them, with these bundles.
    ///
    /// # Errors
    /// A folder that cannot be written.
    pub fn create(parent: &Path, bundles: &[Vec<PointId>]) -> Result<Self, ClusterError> {
        fs::create_dir_all(parent).map_err(ClusterError::at(parent))?;
        let mut number = numbers(parent)?.last().map_or(1, |last| last + 1);
        let folder = loop {
            let folder = parent.join(number.to_string());
            match fs::create_dir(&folder) {
                Ok(()) => break folder,
                Err(error) if error.kind() == ErrorKind::AlreadyExists => number += 1,
                Err(error) => return Err(ClusterError::at(&folder)(error)),
            }
        };
        let round = Self { folder };
        for part in ["taken", "failed"] {
            let part = round.folder.join(part);
            fs::create_dir(&part).map_err(ClusterError::at(&part))?;
        }
        let line = |bundle: &Vec<PointId>| {
            let names: Vec<String> = bundle.iter().map(PointId::to_string).collect();
            names.join(" ") + "\n"
        };
        round.write("points", &bundles.iter().map(line).collect::<String>())?;
        Ok(round)
    }

    /// One that is there.
    pub fn open(folder: &Path) -> Self {
        Self {
            folder: folder.to_owned(),
        }
    }

    /// The newest one of a folder that was submitted, and its job.
    ///
    /// # Errors
    /// A folder that cannot be read.
    pub fn newest(parent: &Path) -> Result<Option<(Self, String)>, ClusterError> {
        for number in numbers(parent)?.into_iter().rev() {
            let round = Self::open(&parent.join(number.to_string()));
            if let Ok(job) = fs::read_to_string(round.folder.join("job")) {
                return Ok(Some((round, job.trim().to_owned())));
            }
        }
        Ok(None)
    }

    /// Where it is.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Writes a file of it.
    ///
    /// # Errors
    /// A file that cannot be written.
    pub fn write(&self, name: &str, text: &str) -> Result<PathBuf, ClusterError> {
        let path = self.folder.join(name);
        fs::write(&path, text).map_err(ClusterError::at(&path))?;
        Ok(path)
    }

    /// The bundles; points of another version of Turnwise are left out.
    ///
    /// # Errors
    /// A file that cannot be read.
    pub fn bundles(&self) -> Result<Vec<Vec<PointId>>, ClusterError> {
        let path = self.folder.join("points");
        let text = fs::read_to_string(&path).map_err(ClusterError::at(&path))?;
        let line = |line: &str| line.split(' ').filter_map(|id| id.parse().ok()).collect();
        Ok(text.lines().map(line).collect())
    }

    /// Takes a bundle for a task; false if somebody has it.
    ///
    /// # Errors
    /// A file that cannot be written.
    pub fn take(&self, bundle: usize, task: &str) -> Result<bool, ClusterError> {
        let path = self.folder.join("taken").join(bundle.to_string());
        let made = File::options().write(true).create_new(true).open(&path);
        match made.and_then(|mut file| file.write_all(task.as_bytes())) {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(false),
            Err(error) => Err(ClusterError::at(&path)(error)),
        }
    }

    /// Which bundles are taken.
    ///
    /// # Errors
    /// A folder that cannot be read.
    pub fn taken(&self) -> Result<BTreeSet<usize>, ClusterError> {
        let names = names(&self.folder.join("taken"))?;
        Ok(names.iter().filter_map(|name| name.parse().ok()).collect())
    }

    /// The bundles that are taken, by the tasks that have taken them.
    ///
    /// # Errors
    /// A folder that cannot be read.
    pub fn takers(&self) -> Result<BTreeMap<usize, String>, ClusterError> {
        let mut takers = BTreeMap::new();
        for bundle in self.taken()? {
            let path = self.folder.join("taken").join(bundle.to_string());
            match fs::read_to_string(&path) {
                Ok(task) => takers.insert(bundle, task),
                Err(error) if error.kind() == ErrorKind::NotFound => continue,
                Err(error) => return Err(ClusterError::at(&path)(error)),
            };
        }
        Ok(takers)
    }

    /// Gives back what a task had taken before Slurm started it again.
    ///
    /// # Errors
    /// A folder that cannot be read or written.
    pub fn give_back(&self, task: &str) -> Result<(), ClusterError> {
        for (bundle, taker) in self.takers()? {
            if taker == task {
                let path = self.folder.join("taken").join(bundle.to_string());
                fs::remove_file(&path).map_err(ClusterError::at(&path))?;
            }
        }
        Ok(())
    }

    /// Notes why a point cannot be simulated.
    ///
    /// # Errors
    /// A file that cannot be written.
    pub fn fail(&self, point: &PointId, message: &str) -> Result<(), ClusterError> {
        self.write(&format!("failed/{point}"), message).map(drop)
    }

    /// The points that cannot be simulated, and why.
    ///
    /// # Errors
    /// A folder that cannot be read.
    pub fn failures(&self) -> Result<BTreeMap<PointId, String>, ClusterError> {
        let folder = self.folder.join("failed");
        let mut failures = BTreeMap::new();
        for name in names(&folder)? {
            let path = folder.join(&name);
            if let Ok(point) = name.parse() {
                let message = fs::read_to_string(&path).map_err(ClusterError::at(&path))?;
                failures.insert(point, message);
            }
        }
        Ok(failures)
    }

    /// What the task said last; `None` if it never came to say anything.
    pub fn last_words(&self, task: usize) -> Option<String> {
        let log = fs::read(self.log(&task.to_string())).ok()?;
        let log = String::from_utf8_lossy(&log);
        let said = log.lines().rev().find(|line| !line.trim().is_empty());
        Some(said.unwrap_or_default().to_owned())
    }

    /// Where a task's words go.
    pub fn log(&self, task: &str) -> PathBuf {
        self.folder.join(format!("task-{task}.log"))
    }
}

/// The numbers of the rounds in a folder, rising; none if there is no such folder.
fn numbers(parent: &Path) -> Result<Vec<u32>, ClusterError> {
    let names = match names(parent) {
        Err(ClusterError::Folder { source, .. }) if source.kind() == ErrorKind::NotFound => {
            Vec::new()
        }
        other => other?,
    };
    let mut numbers: Vec<u32> = names.iter().filter_map(|name| name.parse().ok()).collect();
    numbers.sort_unstable();
    Ok(numbers)
}

/// The names in a folder, sorted.
fn names(folder: &Path) -> Result<Vec<String>, ClusterError> {
    let entries = fs::read_dir(folder).map_err(ClusterError::at(folder))?;
    let mut names = Vec::new();
    for entry in entries {
        let name = entry.map_err(ClusterError::at(folder))?.file_name();
        names.extend(name.into_string());
    }
    names.sort();
    Ok(names)
}
