//! NAS parallel benchmarks: CG, FT, IS, MG, LU and BT as they communicate, with the nominal time of computing in between.
//!
//! A transaction is a receive, from its posting to its end.
//!
//! Complexity: memory for what is under way.

use super::calls;
use super::program::{HostFields, Means, Playing};
use crate::workload::{WorkloadEntry, WorkloadParameters, check_range};
use schemars::JsonSchema;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::sync::Arc;
use turnwise_application::collectives::{Preset, Selection};
use turnwise_application::skeletons::{BENCHMARKS, Benchmark, Class, Options};
use turnwise_application::{Calls, Program as AnyProgram};
use turnwise_config::File;
use turnwise_config::registry::{Entry, parse_as, schema_of};
use turnwise_config::units;
use turnwise_network::Invalid;

pub(super) const ENTRY: WorkloadEntry = WorkloadEntry {
    entry: Entry {
        name: "npb",
        aliases: &[],
        summary: "A NAS parallel benchmark as it communicates: CG, FT, IS, MG, LU or BT",
        source: "Bailey et al., The NAS parallel benchmarks 2.0, NAS-95-020, 1995",
        example: "program = \"cg\"\nclass = \"S\"\niterations = 2\ncomputing = 0\ncycle_ns = 1\nflit_bytes = 16",
        schema: schema_of::<Npb>,
        parse: |table, errors| {
            Some(Box::new(parse_as::<Npb, dyn WorkloadParameters>(
                table, errors,
            )?))
        },
    },
    of_protocol: &[],
    counts_bytes: true,
};

/// A benchmark.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Program {
    /// Conjugate gradient: sums along rows of ranks, and an exchange with the transposed rank.
    Cg,
    /// Fourier transform: all-to-all.
    Ft,
    /// Integer sort: a sum of all, and all-to-all with lengths of their own.
    Is,
    /// Multigrid: faces to neighbours, more and more distant ones on coarse grids.
    Mg,
    /// Relaxation by sweeps: waves of short messages through a grid of ranks.
    Lu,
    /// Block tridiagonal systems: six partners, sweeps in three directions.
    Bt,
}

/// Parameters of a benchmark.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Npb {
    /// Which one.
    pub program: Program,
    /// How large its problem is.
    pub class: Class,
    /// How many ranks run it; the most that it takes and that find a place if not given.
    #[schemars(range(min = 1))]
    pub ranks: Option<u32>,
    /// How many iterations; those of the class if not given.
    #[schemars(range(min = 1))]
    pub iterations: Option<u32>,
    /// How fast ranks compute: 1 as fast as a core of 2022, 0 for no time at all.
    #[schemars(range(min = 0.0))]
    #[serde(default = "one")]
    pub computing: f64,
    /// Which library's choices of algorithms collectives follow.
    #[serde(default)]
    pub library: Preset,
    /// Algorithms for collectives whatever their size, for example `{ all-to-all = "linear" }`.
    #[serde(default)]
    pub collectives: BTreeMap<String, String>,
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

fn one() -> f64 {
    1.0
}

impl Npb {
    fn benchmark(&self) -> &'static Benchmark {
        &BENCHMARKS[self.program as usize]
    }

    fn selection(&self) -> Result<Selection, Invalid> {
        calls::selection(self.library, &self.collectives)
    }

    /// The program for so many terminals.
    fn calls(&self, terminals: u32, iterations: Option<u32>) -> Result<Calls, Invalid> {
        let selection = self.selection()?;
        let build = |ranks| {
            self.benchmark().build(&Options {
                class: self.class,
                ranks,
                iterations,
                computing: self.computing,
            })
        };
        let program = match self.ranks {
            Some(ranks) => build(ranks)?,
            None => {
                let fitting = (1..=terminals).rev().find_map(|ranks| build(ranks).ok());
                fitting.ok_or_else(|| match terminals {
                    0 => Invalid::new("ranks", "no terminal is left for this program")
                        .with_help("say how many ranks each of the jobs has"),
                    _ => {
                        let message =
                            format!("this benchmark takes no number of ranks up to {terminals}");
                        Invalid::new("ranks", message)
                    }
                })?
            }
        };
        Ok(Calls::new(program, selection))
    }
}

impl Playing for Npb {
    fn means(&self) -> Means<'_> {
        Means {
            host: &self.host,
            cycle_ns: self.cycle_ns,
            flit_bytes: self.flit_bytes,
        }
    }

    fn program(&self, places: u32, _: &[File]) -> Result<Arc<dyn AnyProgram>, Invalid> {
        Ok(Arc::new(self.calls(places, self.iterations)?))
    }

    fn check_own(&self) -> Result<(), Invalid> {
        self.selection()?;
        check_range("ranks", self.ranks.unwrap_or(1).into(), 1, 1 << 24)?;
        check_range(
            "iterations",
            self.iterations.unwrap_or(1).into(),
            1,
            u32::MAX.into(),
        )?;
        match self.computing.is_finite() && self.computing >= 0.0 {
            true => Ok(()),
            false => {
                let message = format!("expected 0 or more, found {}", self.computing);
                Err(Invalid::new("computing", message))
            }
        }
    }

    fn flits(&self, places: u32, _: &[File]) -> Option<f64> {
        let build = |iterations| self.calls(places, iterations).ok();
        calls::flits(self.iterations, build, &self.means())
    }
}
