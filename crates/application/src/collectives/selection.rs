//! Which algorithm does a collective: as a library of MPI would choose, or as one says.

use super::{Algorithm, Kind, Part, Tuning, nccl, open_mpi};
use turnwise_config::diagnostic::suggestion;

/// Which algorithm is taken for which collective.
#[derive(Clone, Debug, Default)]
pub struct Selection {
    preset: Preset,
    /// By kind, in the order of `Kind::ALL`.
    fixed: [Option<&'static Algorithm>; Kind::ALL.len()],
    tuning: Tuning,
}

/// Whose choices are made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Preset {
    /// MPICH's, of 2025 (`maint/tuning/coll`), without those that know nodes.
    #[default]
    Mpich,
    /// Open MPI's, 4.1 and later (`coll_tuned_decision_fixed.c`), or the nearest of what is here, without those that know nodes.
    OpenMpi,
    /// NCCL's, of 2025 (`src/graph/tuning.cc`): what its model takes for the fastest, with 400 Gb/s a rank; all-to-all at once.
    Nccl,
}

/// An algorithm that a collective does not have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownAlgorithm {
    /// What is wrong.
    pub message: String,
    /// What could be meant.
    pub help: String,
}

impl Selection {
    /// As a library chooses.
    pub fn new(preset: Preset) -> Self {
        Self {
            preset,
            ..Self::default()
        }
    }

    /// With what algorithms leave open.
    #[must_use]
    pub fn tuned(self, tuning: Tuning) -> Self {
        Self { tuning, ..self }
    }

    /// What algorithms leave open.
    pub fn tuning(&self) -> Tuning {
        self.tuning
    }

    /// Is anything done without the ranks' processors?
    pub fn is_ever_offloaded(&self) -> bool {
        let mut fixed = self.fixed.iter().flatten();
        fixed.any(|algorithm| algorithm.is_offloaded)
    }

    /// This algorithm for a collective, whatever its size.
    ///
    /// # Errors
    /// There is none of that name.
    pub fn with(mut self, kind: Kind, name: &str) -> Result<Self, UnknownAlgorithm> {
        let algorithms = kind.algorithms();
        let Some(algorithm) = algorithms.iter().find(|algorithm| algorithm.name == name) else {
            let names = || algorithms.iter().map(|algorithm| algorithm.name);
            return Err(UnknownAlgorithm {
                message: format!("there is no {} `{name}`", kind.name()),
                help: suggestion(name, "the algorithms are", names(), names()),
            });
        };
        self.fixed[kind as usize] = Some(algorithm);
        Ok(self)
    }

    /// The algorithm for a collective. One that needs a power of two of ranks, where there is none, or blocks of one length, where
    /// they have lengths of their own, gives way to the first of its kind that does not.
    pub fn choose(&self, part: &Part) -> &'static Algorithm {
        let kind = part.collective.kind;
        let fixed = self.fixed[kind as usize].map(|algorithm| algorithm.name);
        let name = fixed.unwrap_or_else(|| match self.preset {
            Preset::Mpich => mpich(part),
            Preset::OpenMpi => open_mpi::choose(part),
            Preset::Nccl => nccl::choose(part),
        });
        let algorithms = kind.algorithms();
        let is_power = part.ranks.is_power_of_two();
        let is_equal = part.collective.lengths.is_none();
        let fits = |it: &&Algorithm| {
            (is_power || !it.needs_power_of_two) && (is_equal || !it.needs_equal_blocks)
        };
        let fitting = || algorithms.iter().filter(fits);
        let meant = fitting().find(|algorithm| algorithm.name == name);
        meant.or_else(|| fitting().next()).unwrap_or(&algorithms[0])
    }
}

fn mpich(part: &Part) -> &'static str {
    let (ranks, bytes) = (part.ranks, part.collective.bytes);
    let is_power = ranks.is_power_of_two();
    match part.collective.kind {
        Kind::Barrier => "dissemination",
        Kind::Broadcast if ranks < 8 || bytes <= 12_288 => "binomial",
        Kind::Broadcast if is_power && bytes <= 524_288 => "scatter-doubling",
        Kind::Broadcast => "scatter-all-gather",
        Kind::Reduce if bytes <= 2048 => "binomial",
        Kind::Reduce => "reduce-scatter-gather",
        // Counted in doubles.
        Kind::AllReduce if bytes <= 8 || bytes / 8 < u64::from(part.power().0) => {
            "recursive-doubling"
        }
        Kind::AllReduce => "rabenseifner",
        Kind::AllGather => match (is_power, bytes.saturating_mul(ranks.into())) {
            (true, ..524_288) => "recursive-doubling",
            (false, ..81_920) => "bruck",
            _ => "ring",
        },
        Kind::AllToAll if part.collective.lengths.is_some() => "scattered",
        Kind::AllToAll if bytes <= 256 && ranks >= 8 => "bruck",
        Kind::AllToAll if bytes <= 32_768 => "scattered",
        Kind::AllToAll => "pairwise",
        Kind::ReduceScatter if is_power => "recursive-halving",
        Kind::ReduceScatter => "pairwise",
        Kind::Gather | Kind::Scatter if part.collective.lengths.is_some() => "linear",
        Kind::Gather | Kind::Scatter => "binomial",
    }
}
