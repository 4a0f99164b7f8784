//! Phases: exchanges of long messages between pairs of ranks, one after the other.
//!
//! A transaction is a receive, from its posting to its end.
//!
//! Complexity: memory for a number by phase and rank.

use super::program::{self, HostFields, Means, Playing};
use crate::workload::{WorkloadEntry, WorkloadParameters, check_range};
use schemars::JsonSchema;
use serde::Deserialize;
use std::sync::Arc;
use turnwise_application::collectives::{Preset, Selection};
use turnwise_application::phases::{self, Phase};
use turnwise_application::{Calls, Program};
use turnwise_config::File;
use turnwise_config::registry::{Entry, parse_as, schema_of};
use turnwise_config::units;
use turnwise_network::Invalid;

pub(super) const ENTRY: WorkloadEntry = WorkloadEntry {
    entry: Entry {
        name: "phases",
        aliases: &[],
        summary: "Exchanges of long messages between pairs of ranks, one after the other: those of CG, FT and WRF, or your own",
        source: "Rodriguez et al., Oblivious routing schemes in extended generalized fat tree networks, CLUSTER 2009",
        example: "ranks = 4\nphases = [{ xor = 1, bytes = 2000 }, { shift = 1, around = true, bytes = 500 }]\ncycle_ns = 1\nflit_bytes = 16",
        schema: schema_of::<Phases>,
        parse: |table, errors| {
            Some(Box::new(parse_as::<Phases, dyn WorkloadParameters>(
                table, errors,
            )?))
        },
    },
    of_protocol: &[],
    counts_bytes: true,
};

/// Phases that the literature judges fat trees by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Known {
    /// CG of class D on 128 ranks: four exchanges within rows of 16, one with the transposed rank, of 750,000 B.
    Cg,
    /// FT of class C on 128 ranks: 127 exchanges of 131,072 B, with every other rank.
    Ft,
    /// WRF on 256 ranks: 500,000 B to the rank 16 on, and to the one 16 before.
    Wrf,
}

/// Parameters of phases.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Phases {
    /// Phases that are known by name; instead of `ranks` and `phases`.
    pub program: Option<Known>,
    /// How many ranks take part, one at a terminal.
    #[schemars(range(min = 1))]
    pub ranks: Option<u32>,
    /// What is exchanged, in order.
    #[serde(default)]
    pub phases: Vec<PhaseFields>,
    /// How often all phases are repeated.
    #[schemars(range(min = 1))]
    #[serde(default = "once")]
    pub repeat: u32,
    /// Divides the lengths of all messages.
    #[schemars(range(min = 1))]
    #[serde(default = "once")]
    pub shorter: u32,
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

fn once() -> u32 {
    1
}

/// One exchange: with whom, by one of `xor`, `shift`, `transposed` and `partners`, and of how much.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PhaseFields {
    /// With the rank whose number differs in these bits.
    pub xor: Option<u32>,
    /// To the rank so far on.
    pub shift: Option<i64>,
    /// With `shift`: does the last rank send to the first?
    #[serde(default)]
    pub around: bool,
    /// With the transposed rank, in so many rows of twice as many ranks.
    #[schemars(range(min = 1))]
    pub transposed: Option<u32>,
    /// By rank, whom it sends to; itself for nobody.
    pub partners: Option<Vec<u32>>,
    /// Length of each message, in bytes.
    #[schemars(range(min = 1), transform = units::bytes)]
    pub bytes: u64,
}

impl PhaseFields {
    fn partners(&self, ranks: u32, field: &str) -> Result<Vec<u32>, Invalid> {
        if let Some(rows) = self.transposed {
            let all = u128::from(rows) * u128::from(rows) * 2;
            if all != u128::from(ranks) {
                let message = format!(
                    "{rows} rows of {} ranks are {all}, there are {ranks}",
                    2 * u64::from(rows)
                );
                return Err(Invalid::new(format!("{field}.transposed"), message));
            }
        }
        if self.around && self.shift.is_none() {
            let message = "only a shift goes around";
            return Err(Invalid::new(format!("{field}.around"), message));
        }
        let ways = [
            self.xor.map(|bits| phases::exclusive_or(ranks, bits)),
            self.shift.map(|by| phases::shift(ranks, by, self.around)),
            self.transposed.map(phases::transposed),
            self.partners.clone(),
        ];
        let mut ways = ways.into_iter().flatten();
        match (ways.next(), ways.next()) {
            (Some(partners), None) => Ok(partners),
            _ => {
                let message = "expected one of xor, shift, transposed and partners";
                let help = "for example { xor = 1, bytes = 750000 }";
                Err(Invalid::new(field, message).with_help(help))
            }
        }
    }
}

impl Phases {
    fn written(&self) -> Result<(u32, Vec<Phase>), Invalid> {
        let named = |known| match known {
            Known::Cg => phases::cg(),
            Known::Ft => phases::ft(),
            Known::Wrf => phases::wrf(),
        };
        if let Some(known) = self.program {
            if self.ranks.is_some() || !self.phases.is_empty() {
                let message = "a known program has ranks and phases of its own";
                return Err(Invalid::new("program", message)
                    .with_help("leave out `ranks` and `phases`, or `program`"));
            }
            return Ok(named(known));
        }
        let ranks = self.ranks.ok_or_else(|| {
            let help = "or name a known program: program = \"cg\"";
            Invalid::new("ranks", "how many ranks take part?").with_help(help)
        })?;
        if self.phases.is_empty() {
            let help = "for example phases = [{ xor = 1, bytes = 750000 }]";
            return Err(Invalid::new("phases", "expected at least one phase").with_help(help));
        }
        let phase = |(number, fields): (usize, &PhaseFields)| {
            let field = format!("phases[{number}]");
            check_range(
                &format!("{field}.bytes"),
                fields.bytes,
                1,
                program::MOST_BYTES - 1,
            )?;
            let partners = fields.partners(ranks, &field)?;
            Ok(Phase {
                partners,
                bytes: fields.bytes,
            })
        };
        let all: Result<Vec<Phase>, Invalid> = self.phases.iter().enumerate().map(phase).collect();
        Ok((ranks, all?))
    }

    fn phases(&self) -> Result<phases::Phases, Invalid> {
        let (ranks, mut all) = self.written()?;
        for phase in &mut all {
            phase.bytes = phase.bytes.div_ceil(self.shorter.into());
        }
        phases::Phases::new(ranks, &all, self.repeat)
            .map_err(|(number, message)| Invalid::new(format!("phases[{number}]"), message))
    }

    fn calls(&self) -> Result<Calls, Invalid> {
        Ok(Calls::new(
            Box::new(self.phases()?),
            Selection::new(Preset::default()),
        ))
    }
}

impl Playing for Phases {
    fn means(&self) -> Means<'_> {
        Means {
            host: &self.host,
            cycle_ns: self.cycle_ns,
            flit_bytes: self.flit_bytes,
        }
    }

    fn program(&self, _: u32, _: &[File]) -> Result<Arc<dyn Program>, Invalid> {
        Ok(Arc::new(self.calls()?))
    }

    fn check_own(&self) -> Result<(), Invalid> {
        check_range("repeat", self.repeat.into(), 1, u32::MAX.into())?;
        check_range("shorter", self.shorter.into(), 1, u32::MAX.into())?;
        check_range("ranks", self.ranks.unwrap_or(1).into(), 1, 1 << 24)?;
        self.phases().map(drop)
    }

    fn pairs(&self) -> Option<Vec<Vec<(u32, u32)>>> {
        Some(self.phases().ok()?.pairs())
    }

    fn flits(&self, _: u32, _: &[File]) -> Option<f64> {
        let once = Self {
            repeat: 1,
            ..self.clone()
        };
        let flits = self.means().flits(&once.calls().ok()?)?;
        Some(flits * f64::from(self.repeat))
    }

    fn field(&self) -> &'static str {
        match self.program {
            Some(_) => "program",
            None => "ranks",
        }
    }
}
