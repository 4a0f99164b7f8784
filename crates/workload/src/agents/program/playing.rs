//! What the parameters of all programs have in common, whatever says what their ranks do.

use super::{CLASSES, Counting, HostFields, build, flits};
use crate::workload::{ProgramParameters, WorkloadParameters};
use std::sync::Arc;
use turnwise_application::{Program, visit};
use turnwise_config::{File, Invalid};
use turnwise_network::{Network, Workload};

/// What hosts do with messages, and what time and bytes are counted by, as written.
#[derive(Clone, Copy)]
pub(in crate::agents) struct Means<'a> {
    pub(in crate::agents) host: &'a HostFields,
    pub(in crate::agents) cycle_ns: Option<f64>,
    pub(in crate::agents) flit_bytes: Option<u32>,
}

impl Means<'_> {
    pub(in crate::agents) fn counting(&self) -> Result<Counting, Invalid> {
        Counting::new(self.cycle_ns, self.flit_bytes)
    }

    /// Flits that all ranks of a program send.
    pub(in crate::agents) fn flits(&self, program: &dyn Program) -> Option<f64> {
        let counting = self.counting().ok()?;
        let mut all = 0;
        for rank in 0..program.ranks() {
            visit(program, rank, |task| {
                all += flits(rank, task, self.host, &counting);
            });
        }
        Some(all as f64)
    }
}

/// Parameters of a program: all of [`WorkloadParameters`] and [`ProgramParameters`] follows.
pub(in crate::agents) trait Playing: Send + Sync {
    fn means(&self) -> Means<'_>;

    /// As [`ProgramParameters::program`].
    fn program(&self, places: u32, files: &[File]) -> Result<Arc<dyn Program>, Invalid>;

    /// What is wrong with the other fields, whatever the network.
    fn check_own(&self) -> Result<(), Invalid>;

    /// As [`WorkloadParameters::files`].
    fn own_files(&self) -> Vec<(&'static str, &str)> {
        Vec::new()
    }

    /// As [`WorkloadParameters::companions`].
    fn companions_of(&self, file: &File) -> Vec<String> {
        let _ = file;
        Vec::new()
    }

    /// As [`WorkloadParameters::phases`].
    fn pairs(&self) -> Option<Vec<Vec<(u32, u32)>>> {
        None
    }

    /// About how many flits all ranks send, if there are so many places for them.
    fn flits(&self, places: u32, files: &[File]) -> Option<f64> {
        let program = self.program(places, files).ok()?;
        self.means().flits(&*program)
    }

    /// As [`ProgramParameters::field_of_ranks`].
    fn field(&self) -> &'static str {
        "ranks"
    }
}

impl<P: Playing> WorkloadParameters for P {
    fn files(&self) -> Vec<(&'static str, &str)> {
        self.own_files()
    }

    fn companions(&self, file: &File) -> Vec<String> {
        self.companions_of(file)
    }

    fn classes(&self) -> &'static [&'static str] {
        CLASSES
    }

    fn lengths(&self) -> (u16, u16) {
        self.means().host.lengths()
    }

    fn total_flits(&self, terminals: u32, files: &[File]) -> Option<f64> {
        Some(Playing::flits(self, terminals, files)? / f64::from(terminals))
    }

    fn ends(&self) -> bool {
        true
    }

    fn as_program(&self) -> Option<&dyn ProgramParameters> {
        Some(self)
    }

    fn phases(&self) -> Option<Vec<Vec<(u32, u32)>>> {
        self.pairs()
    }

    fn check(&self) -> Result<(), Invalid> {
        self.means().host.check()?;
        self.check_own()?;
        self.means().counting().map(drop)
    }

    fn build(
        &self,
        network: &Network,
        _: u64,
        files: &[File],
    ) -> Result<Box<dyn Workload>, Invalid> {
        build(self, network, None, files, None)
    }
}

impl<P: Playing> ProgramParameters for P {
    fn host(&self) -> &HostFields {
        self.means().host
    }

    fn counting(&self) -> Result<Counting, Invalid> {
        self.means().counting()
    }

    fn program(&self, places: u32, files: &[File]) -> Result<Arc<dyn Program>, Invalid> {
        Playing::program(self, places, files)
    }

    fn field_of_ranks(&self) -> &'static str {
        self.field()
    }
}
