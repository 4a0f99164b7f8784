//! Programs that are read from files, whatever their format.

use super::playing::{Means, Playing};
use crate::agents::calls;
use std::collections::BTreeMap;
use std::sync::Arc;
use turnwise_application::Program;
use turnwise_application::collectives::Preset;
use turnwise_application::formats::{Format, Reading};
use turnwise_config::{File, Invalid};

/// A program of files, as a workload has it.
pub(in crate::agents) struct Recorded<'a> {
    /// The name of the format.
    pub(in crate::agents) format: &'static str,
    /// As [`WorkloadParameters::files`](crate::workload::WorkloadParameters::files).
    pub(in crate::agents) files: Vec<(&'static str, &'a str)>,
    pub(in crate::agents) means: Means<'a>,
    /// What the format leaves open.
    pub(in crate::agents) reading: Result<Reading, Invalid>,
}

/// Parameters of a program that is read from files.
pub(in crate::agents) trait Recording: Send + Sync {
    fn recorded(&self) -> Recorded<'_>;
}

impl<R: Recording> Playing for R {
    fn means(&self) -> Means<'_> {
        self.recorded().means
    }

    fn program(&self, _: u32, files: &[File]) -> Result<Arc<dyn Program>, Invalid> {
        let recorded = self.recorded();
        let format = Format::named(recorded.format)?;
        let read = format.read(&Arc::from(files), &recorded.reading?);
        read.map(Arc::from)
            .map_err(|fault| fault.in_files("file", files))
    }

    fn check_own(&self) -> Result<(), Invalid> {
        self.recorded().reading.map(drop)
    }

    fn own_files(&self) -> Vec<(&'static str, &str)> {
        self.recorded().files
    }

    fn companions_of(&self, file: &File) -> Vec<String> {
        let format = Format::named(self.recorded().format);
        format.map_or(Vec::new(), |format| format.companions(&file.bytes))
    }

    fn field(&self) -> &'static str {
        "file"
    }
}

/// What a format leaves open, where ranks do so many operations in a second.
pub(in crate::agents) fn reading(
    library: Preset,
    collectives: &BTreeMap<String, String>,
    speed: f64,
) -> Result<Reading, Invalid> {
    if !(1.0..=1e24).contains(&speed) {
        let message = format!("expected 1 to 10^24 operations in a second, found {speed}");
        return Err(Invalid::new("speed", message));
    }
    let selection = calls::selection(library, collectives)?;
    Ok(Reading { selection, speed })
}
