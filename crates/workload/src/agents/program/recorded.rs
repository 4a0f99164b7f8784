//! Programs that are read from files, whatever their format.

use super::{Counting, HostFields, build, classes, flits};
use crate::agents::calls;
use crate::workload::{ProgramParameters, WorkloadParameters};
use std::collections::BTreeMap;
use std::sync::Arc;
use turnwise_application::collectives::Preset;
use turnwise_application::formats::{Format, Reading};
use turnwise_application::{Graph, Program};
use turnwise_config::{File, Invalid};
use turnwise_network::{Network, Workload};

/// A program of files, as a workload has it.
pub(in crate::agents) struct Recorded<'a> {
    /// The name of the format.
    pub(in crate::agents) format: &'static str,
    /// As [`WorkloadParameters::files`].
    pub(in crate::agents) files: Vec<(&'static str, &'a str)>,
    pub(in crate::agents) host: &'a HostFields,
    pub(in crate::agents) cycle_ns: Option<f64>,
    pub(in crate::agents) flit_bytes: Option<u32>,
    /// What the format leaves open.
    pub(in crate::agents) reading: Result<Reading, Invalid>,
}

/// Parameters of a program that is read from files.
pub(in crate::agents) trait Recording: Send + Sync {
    fn recorded(&self) -> Recorded<'_>;
}

impl Recorded<'_> {
    fn program(&self, files: &[File]) -> Result<Arc<dyn Program>, Invalid> {
        let reading = self.reading.clone()?;
        let format = Format::named(self.format)?;
        let read = format.read(&Arc::from(files), &reading).map(Arc::from);
        read.map_err(|fault| fault.in_files("file", files))
    }

    fn counting(&self) -> Result<Counting, Invalid> {
        Counting::new(self.cycle_ns, self.flit_bytes)
    }
}

impl<R: Recording> WorkloadParameters for R {
    fn files(&self) -> Vec<(&'static str, &str)> {
        self.recorded().files
    }

    fn companions(&self, file: &File) -> Vec<String> {
        let format = Format::named(self.recorded().format);
        format.map_or(Vec::new(), |format| format.companions(&file.bytes))
    }

    fn classes(&self) -> &'static [&'static str] {
        classes()
    }

    fn lengths(&self) -> (u16, u16) {
        self.recorded().host.lengths()
    }

    /// Rank after rank, so that none but one is told whole.
    fn total_flits(&self, terminals: u32, files: &[File]) -> Option<f64> {
        let recorded = self.recorded();
        let counting = recorded.counting().ok()?;
        let program = recorded.program(files).ok()?;
        let of_rank = |rank| {
            let graph = Graph::of_rank(&*program, rank);
            flits(rank, &graph, recorded.host, &counting)
        };
        let flits: u64 = (0..program.ranks()).map(of_rank).sum();
        Some(flits as f64 / f64::from(terminals))
    }

    fn ends(&self) -> bool {
        true
    }

    fn as_program(&self) -> Option<&dyn ProgramParameters> {
        Some(self)
    }

    fn check(&self) -> Result<(), Invalid> {
        let recorded = self.recorded();
        recorded.host.check()?;
        recorded.reading.clone()?;
        recorded.counting().map(drop)
    }

    fn build(
        &self,
        network: &Network,
        _: u64,
        files: &[File],
    ) -> Result<Box<dyn Workload>, Invalid> {
        build(self, network, None, files)
    }
}

impl<R: Recording> ProgramParameters for R {
    fn host(&self) -> &HostFields {
        self.recorded().host
    }

    fn counting(&self) -> Result<Counting, Invalid> {
        self.recorded().counting()
    }

    fn program(&self, _: u32, files: &[File]) -> Result<Arc<dyn Program>, Invalid> {
        self.recorded().program(files)
    }

    fn field_of_ranks(&self) -> &'static str {
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
