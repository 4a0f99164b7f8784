//! Collectives: one of them again and again, by all terminals or by groups of them side by side.
//!
//! A transaction is a receive, from its posting to its end.
//!
//! Complexity: memory for what is under way.

use super::calls;
use super::program::{HostFields, Means, Playing};
use crate::workload::{WorkloadEntry, WorkloadParameters, check_range};
use schemars::JsonSchema;
use serde::Deserialize;
use std::sync::Arc;
use turnwise_application::collectives::{self, Kind, Preset, Selection, Tuning};
use turnwise_application::{Calls, Members, Program, Repeated};
use turnwise_config::File;
use turnwise_config::registry::{Entry, parse_as, schema_of};
use turnwise_config::units;
use turnwise_network::Invalid;

pub(super) const ENTRY: WorkloadEntry = WorkloadEntry {
    entry: Entry {
        name: "collective",
        aliases: &[],
        summary: "A collective operation of all terminals, or of groups of them, again and again",
        source: "Thakur, Rabenseifner and Gropp, Optimization of collective communication operations in MPICH, IJHPCA 19(1), 2005",
        example: "collective = \"all-reduce\"\nalgorithm = \"double-tree\"\nbytes = 100000\nrepeat = 4\nsegment_bytes = 4096\n\
                  cycle_ns = 1\nflit_bytes = 16",
        schema: schema_of::<Collective>,
        parse: |table, errors| {
            Some(Box::new(parse_as::<Collective, dyn WorkloadParameters>(
                table, errors,
            )?))
        },
    },
    of_protocol: &[],
    counts_bytes: true,
};

/// Parameters of a collective.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Collective {
    /// Which one.
    pub collective: Kind,
    /// How it is done; as `library` says if not given.
    pub algorithm: Option<String>,
    /// Which library's choice of an algorithm is followed.
    #[serde(default)]
    pub library: Preset,
    /// Which member of a group begins or ends a broadcast, reduce, gather or scatter, counted from 0.
    #[serde(default)]
    pub root: u32,
    /// Bytes of the vector; of all-to-all, all-gather, gather and scatter, of what one rank has for another, or contributes.
    #[serde(default)]
    #[schemars(transform = units::bytes)]
    pub bytes: u64,
    /// How many ranks take part; as many as find a place if not given.
    #[schemars(range(min = 1))]
    pub ranks: Option<u32>,
    /// Into how many groups of equal size ranks are divided, each of which does it for itself.
    #[schemars(range(min = 1))]
    #[serde(default = "one")]
    pub groups: u32,
    /// Who is in a group with whom.
    #[serde(default)]
    pub members: Members,
    /// How often it is done.
    #[schemars(range(min = 1))]
    #[serde(default = "one")]
    pub repeat: u32,
    /// Nanoseconds for which each rank computes before each.
    #[schemars(range(min = 0.0))]
    #[serde(default)]
    pub computing_ns: f64,
    /// Algorithms that go piece by piece cut vectors into pieces of at most so many bytes; 128 KiB if not given, or, where the library
    /// chooses the algorithm, what that has.
    #[schemars(range(min = 1), transform = units::bytes)]
    pub segment_bytes: Option<u64>,
    /// How many are below each in a tree by levels; by how much dissemination multiplies its reach in a round; the k of `knomial`. That
    /// has 4 if not given, others 2.
    #[schemars(range(min = 1))]
    pub radix: Option<u32>,
    /// What hosts do with messages.
    #[serde(default)]
    pub host: HostFields,
    /// Nanoseconds of a cycle; as `study.clock` says if not given.
    #[schemars(range(min = 0.000_001))]
    pub cycle_ns: Option<f64>,
    /// Bytes of a flit; as `study.flit_size` says if not given.
    #[schemars(range(min = 1), transform = units::bytes)]
    pub flit_bytes: Option<u32>,
}

fn one() -> u32 {
    1
}

/// What is foreseen of a program is counted piece by piece.
const MOST_SEGMENTS: u64 = 1 << 23;

impl Collective {
    fn selection(&self) -> Result<Selection, Invalid> {
        let selection = Selection::new(self.library).tuned(self.segment_bytes, self.radix);
        match &self.algorithm {
            None => Ok(selection),
            Some(name) => calls::with(selection, self.collective, name, "algorithm"),
        }
    }

    /// The program for so many terminals.
    fn calls(&self, terminals: u32, repeat: u32) -> Result<Calls, Invalid> {
        if self.ranks.is_none() && terminals == 0 {
            let message = "no terminal is left for this program";
            let help = "say how many ranks each of the jobs has";
            return Err(Invalid::new("ranks", message).with_help(help));
        }
        let program = Repeated {
            collective: collectives::Collective {
                root: self.root,
                ..collectives::Collective::new(self.collective, self.bytes)
            },
            ranks: self.ranks.unwrap_or(terminals),
            groups: self.groups,
            members: self.members,
            times: repeat,
            computing: (self.computing_ns * 1000.0).round() as u64,
        };
        program.check()?;
        Ok(Calls::new(Box::new(program), self.selection()?))
    }
}

impl Playing for Collective {
    fn means(&self) -> Means<'_> {
        Means {
            host: &self.host,
            cycle_ns: self.cycle_ns,
            flit_bytes: self.flit_bytes,
        }
    }

    fn program(&self, places: u32, _: &[File]) -> Result<Arc<dyn Program>, Invalid> {
        Ok(Arc::new(self.calls(places, self.repeat)?))
    }

    fn check_own(&self) -> Result<(), Invalid> {
        self.selection()?;
        check_range("ranks", self.ranks.unwrap_or(1).into(), 1, 1 << 24)?;
        check_range("groups", self.groups.into(), 1, 1 << 24)?;
        check_range("repeat", self.repeat.into(), 1, u32::MAX.into())?;
        check_range("bytes", self.bytes, 0, 1 << 40)?;
        let segment = self.segment_bytes.unwrap_or(Tuning::default().segment);
        check_range("segment_bytes", segment, 1, 1 << 40)?;
        if self.bytes.div_ceil(segment) > MOST_SEGMENTS {
            let message = format!(
                "{} bytes are more than {MOST_SEGMENTS} pieces of {segment}",
                self.bytes
            );
            let help = format!("{} or more", self.bytes.div_ceil(MOST_SEGMENTS));
            return Err(Invalid::new("segment_bytes", message).with_help(help));
        }
        // A tree by levels may be a chain; everything else with a radix needs two at least.
        let least = match self.algorithm.as_deref() {
            Some("tree" | "offloaded") => 1,
            _ => 2,
        };
        check_range("radix", self.radix.unwrap_or(2).into(), least, 1 << 16)?;
        match (0.0..=1e12).contains(&self.computing_ns) {
            true => Ok(()),
            false => {
                let message = format!("expected 0 to 10^12, found {}", self.computing_ns);
                Err(Invalid::new("computing_ns", message))
            }
        }
    }

    fn flits(&self, places: u32, _: &[File]) -> Option<f64> {
        let build = |repeat: Option<u32>| self.calls(places, repeat.unwrap_or(self.repeat)).ok();
        calls::flits(Some(self.repeat), build, &self.means())
    }
}
