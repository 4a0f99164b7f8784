//! What keeps a study from being handed to a cluster.

use std::io;
use std::path::{Path, PathBuf};
use turnwise_config::diagnostic::Diagnostic;
use turnwise_study::store::StoreError;

/// Why a study cannot go on on a cluster.
#[derive(Debug, thiserror::Error)]
pub enum ClusterError {
    /// The file system said no.
    #[error("cannot use {path}: {source}")]
    Folder {
        /// The file or folder.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// One of Slurm's programs cannot be run.
    #[error("cannot run `{program}`: {why}")]
    Program {
        /// Its name.
        program: String,
        /// Why.
        why: String,
    },
    /// Slurm does not take the job.
    #[error("Slurm refuses the job: {words}")]
    Refused {
        /// In its own words.
        words: String,
        /// Partitions that there are, if it asks for another one.
        partitions: Vec<String>,
    },
    /// Tasks ended before they had taken a point.
    #[error("job {job} ended before it had begun: {why}")]
    NotBegun {
        /// The job.
        job: String,
        /// What is known of its tasks.
        why: String,
    },
    /// The study has changed under a job that is still under way.
    #[error("{0} of {1} points of this job are no longer in the study")]
    Changed(usize, usize),
    /// A worker has simulated something else than was asked.
    #[error("{0} came back as another one: the files of the study have changed since it was read")]
    Another(String),
    /// What a worker sent is no row.
    #[error("what a worker sent of {0} is no result: {1}")]
    Garbled(String, String),
    /// The store said no.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A point cannot be estimated.
    #[error("{0}")]
    Study(Box<Diagnostic>),
}

impl ClusterError {
    /// A complaint about a file, for `map_err`.
    pub(crate) fn at(path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::Folder { path, source }
    }

    /// What to do about it, if that is known.
    pub fn help(&self) -> Option<String> {
        match self {
            Self::Program { .. } => {
                Some("run this where jobs are submitted, with Slurm's programs on the PATH".into())
            }
            Self::Refused { partitions, .. } if !partitions.is_empty() => {
                Some(format!("partitions are {}", partitions.join(", ")))
            }
            _ => None,
        }
    }
}
