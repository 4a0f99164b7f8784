//! Which algorithm does a collective: as a library of MPI would choose, or as one says.

use super::{Algorithm, Collective, Kind, Part, Tuning, nccl, open_mpi};
use turnwise_config::diagnostic::suggestion;

/// Which algorithm is taken for which collective.
#[derive(Clone, Debug, Default)]
pub struct Selection {
    preset: Preset,
    /// By kind, in the order of `Kind::ALL`.
    fixed: [Option<&'static Algorithm>; Kind::ALL.len()],
    segment: Option<u64>,
    radix: Option<u32>,
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

    /// With a [segment](Tuning::segment) and a [radix](Tuning::radix), if they are to be others than a library or an algorithm
    /// has of itself.
    #[must_use]
    pub fn tuned(self, segment: Option<u64>, radix: Option<u32>) -> Self {
        Self {
            segment,
            radix,
            ..self
        }
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

    /// The same, for a collective that is called by its name.
    ///
    /// # Errors
    /// There is no such collective, or it has none of that name.
    pub fn with_named(self, collective: &str, algorithm: &str) -> Result<Self, UnknownAlgorithm> {
        let mut kinds = Kind::ALL.into_iter();
        let Some(kind) = kinds.find(|kind| kind.name() == collective) else {
            let names = || Kind::ALL.into_iter().map(Kind::name);
            return Err(UnknownAlgorithm {
                message: format!("there is no collective `{collective}`"),
                help: suggestion(collective, "the collectives are", names(), names()),
            });
        };
        self.with(kind, algorithm)
    }

    /// Which algorithms that were chosen by name are replaced by others among so many ranks, each in a sentence. What goes by lengths of
    /// its own may replace more.
    pub fn replacements(&self, sizes: &[u32]) -> Vec<String> {
        let mut sentences = Vec::new();
        for (kind, chosen) in Kind::ALL.into_iter().zip(self.fixed) {
            let Some(chosen) = chosen else { continue };
            for &ranks in sizes.iter().filter(|&&ranks| ranks > 0) {
                let (_, taken) = self.part(0, ranks, Collective::new(kind, 0));
                let words = format!(
                    "`{}` does no {} among {ranks} ranks; `{}` is simulated in its place",
                    chosen.name,
                    kind.name(),
                    taken.name
                );
                if taken.name != chosen.name && !sentences.contains(&words) {
                    sentences.push(words);
                }
            }
        }
        sentences
    }

    /// A member's part in a collective, and the algorithm that does it. One that needs a power of two of ranks, or an even number,
    /// where there is none, or blocks of one length, where they have lengths of their own, gives way to the first of its kind
    /// that does not.
    pub fn part(&self, me: u32, ranks: u32, collective: Collective) -> (Part, &'static Algorithm) {
        let mut part = Part {
            me,
            ranks,
            collective,
            tuning: Tuning::default(),
        };
        let kind = part.collective.kind;
        let fixed = self.fixed[kind as usize];
        let (name, segment) = match (fixed, self.preset) {
            (Some(algorithm), _) => (algorithm.name, None),
            (None, Preset::Mpich) => (mpich(&part), None),
            // It could cut vectors into segments, and is never told to.
            (None, Preset::OpenMpi) => (open_mpi::choose(&part), Some(u64::MAX)),
            (None, Preset::Nccl) => nccl::choose(&part),
        };
        let algorithms = kind.algorithms();
        let is_equal = part.collective.lengths.is_none();
        let fits = |it: &&Algorithm| {
            (ranks.is_power_of_two() || !it.needs_power_of_two)
                && (ranks.is_multiple_of(2) || !it.needs_even)
                && (is_equal || !it.needs_equal_blocks)
        };
        let fitting = || algorithms.iter().filter(fits);
        let meant = fitting().find(|algorithm| algorithm.name == name);
        let algorithm = meant.or_else(|| fitting().next()).unwrap_or(&algorithms[0]);
        part.tuning = Tuning {
            segment: self.segment.or(segment).unwrap_or(part.tuning.segment),
            radix: self.radix.unwrap_or(algorithm.radix),
        };
        (part, algorithm)
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
        Kind::ReduceScatter if bytes < 524_288 => "recursive-halving",
        Kind::ReduceScatter => "pairwise",
        Kind::Gather | Kind::Scatter if part.collective.lengths.is_some() => "linear",
        Kind::Gather | Kind::Scatter => "binomial",
    }
}
