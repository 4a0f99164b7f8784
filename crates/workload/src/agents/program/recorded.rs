//! Programs that are read from files, whatever their format.

use super::{Counting, HostFields, Played, flits};
use crate::agents::calls;
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
    pub(in crate::agents) host: &'a HostFields,
    pub(in crate::agents) cycle_ns: Option<f64>,
    pub(in crate::agents) flit_bytes: Option<u32>,
    /// What the format leaves open.
    pub(in crate::agents) reading: Result<Reading, Invalid>,
}

impl Recorded<'_> {
    /// The program.
    pub(in crate::agents) fn program(&self, files: &[File]) -> Result<Arc<dyn Program>, Invalid> {
        let reading = self.reading.clone()?;
        let format = Format::named(self.format)?;
        let read = format.read(&Arc::from(files), &reading).map(Arc::from);
        read.map_err(|fault| fault.in_files("file", files))
    }

    /// What is wrong whatever is in the files.
    pub(in crate::agents) fn check(&self) -> Result<(), Invalid> {
        self.host.check()?;
        self.reading.clone()?;
        Counting::new(self.cycle_ns, self.flit_bytes).map(drop)
    }

    /// Flits of a terminal of so many; rank after rank, so that none but one is told whole.
    pub(in crate::agents) fn total_flits(&self, terminals: u32, files: &[File]) -> Option<f64> {
        let counting = Counting::new(self.cycle_ns, self.flit_bytes).ok()?;
        let program = self.program(files).ok()?;
        let of_rank = |rank| flits(rank, &Graph::of_rank(&*program, rank), self.host, &counting);
        let flits: u64 = (0..program.ranks()).map(of_rank).sum();
        Some(flits as f64 / f64::from(terminals))
    }

    /// The workload.
    pub(in crate::agents) fn build(
        &self,
        network: &Network,
        files: &[File],
    ) -> Result<Box<dyn Workload>, Invalid> {
        let counting = Counting::new(self.cycle_ns, self.flit_bytes)?;
        let program = self.program(files)?;
        let played = Played::new(program, network, self.host.clone(), counting, "file")?;
        Ok(Box::new(played))
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
