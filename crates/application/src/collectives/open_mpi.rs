//! What Open MPI would choose, by the number of ranks and bytes.
//!
//! Source: Open MPI, `ompi/mca/coll/tuned/coll_tuned_decision_fixed.c`, 4.1 and later, for operations that commute, without what
//! it does otherwise inside a node. Where an algorithm is not here the nearest takes its place:
//!
//! | Open MPI | here |
//! |---|---|
//! | broadcast and reduce `binary`, reduce `in-order_binary` | `tree` |
//! | reduce `chain`, which is two of them | `tree` |
//! | broadcast and reduce `pipeline`, broadcast `chain` | `chain` |
//! | broadcast `scatter_allgather` | `scatter-doubling`, or `scatter-all-gather` |
//! | all-reduce `segmented_ring` | `ring` |
//! | all-gather `neighbor`, where there is no neighbour for the last | `ring` |
//! | reduce-scatter `butterfly`, `non-overlapping` | `recursive-halving` |
//! | barrier `tree`, `bruck` | `binomial`, `dissemination` |
//! | all-to-all and gather `linear_sync`, scatter `linear_nb` | `linear` |
//!
//! Those that could cut vectors are told not to.

use super::{Kind, Part};

pub(super) fn choose(part: &Part) -> &'static str {
    let (ranks, bytes) = (part.ranks, part.collective.bytes);
    let is_equal = part.collective.lengths.is_none();
    match part.collective.kind {
        Kind::Barrier => barrier(ranks),
        Kind::Broadcast => broadcast(ranks, bytes),
        Kind::Reduce => reduce(ranks, bytes),
        Kind::AllReduce => all_reduce(ranks, bytes),
        Kind::AllGather => all_gather(ranks, bytes),
        Kind::AllToAll if is_equal => all_to_all(ranks, bytes),
        Kind::AllToAll => match ranks {
            ..4 | 64..128 | 256..1024 => "pairwise",
            _ => "linear",
        },
        Kind::ReduceScatter => reduce_scatter(ranks, bytes),
        Kind::Gather if is_equal => gather(ranks, bytes),
        Kind::Scatter if is_equal => scatter(ranks, bytes),
        Kind::Gather | Kind::Scatter => "linear",
    }
}

fn barrier(ranks: u32) -> &'static str {
    match ranks {
        ..4 | 8..64 => "recursive-doubling",
        4..8 => "linear",
        256..512 | 1024..4096 => "binomial",
        _ => "dissemination",
    }
}

fn broadcast(ranks: u32, bytes: u64) -> &'static str {
    let scattered = match ranks.is_power_of_two() {
        true => "scatter-doubling",
        false => "scatter-all-gather",
    };
    match (ranks, bytes) {
        (..4, ..32 | 256..512 | 131_072..262_144) => "chain",
        (..4, 32..256 | 32_768..131_072 | 1_048_576..) => "tree",
        (..4, 1024..32_768 | 262_144..524_288) => "linear",
        (..4, 524_288..) => "binomial",
        (4..8, ..64 | 128..2048) => "tree",
        (4..8, ..8192) => "binomial",
        (4..8, ..1_048_576) => "linear",
        (4..8, _) => "chain",
        (8..16, 8..64 | 4096..16_384) => "tree",
        (8..16, 16_384..32_768) => "binomial",
        (8..16, 32_768..) => "linear",
        (16..32, 1_048_576..) => scattered,
        (16..32, 4096..) | (32..64, ..2048) | (128..256, ..2) => "binomial",
        (128..256, 2..16_384 | 32_768..65_536) => "tree",
        (128..256, 16_384..32_768) => "linear",
        (256..1024, 16_384..32_768) => "split-binary",
        (1024..2048, 524_288..) | (2048.., 262_144..) => scattered,
        (4096.., 8192..16_384) => "tree",
        _ => "knomial",
    }
}

fn reduce(ranks: u32, bytes: u64) -> &'static str {
    match (ranks, bytes) {
        (..4, ..8) => "reduce-scatter-gather",
        (..4, 8..16 | 524_288..1_048_576) => "tree",
        (..4, 16..32 | 262_144..) => "chain",
        (..4, _) => "linear",
        (4..8, ..65_536) => "tree",
        (4..8, 262_144..524_288 | 1_048_576..) => "linear",
        (8..16, ..8192) | (16..32, ..4096) => "tree",
        (256..512 | 2048.., 8192..16_384) => "tree",
        (2048..4096, 512..1024) => "tree",
        (4096.., 16..32 | 1024..2048) => "tree",
        _ => "binomial",
    }
}

fn all_reduce(ranks: u32, bytes: u64) -> &'static str {
    match (ranks, bytes) {
        (..4, ..8 | 4096..8192 | 16_384..262_144) => "ring",
        (4..8, ..16) | (16..32, ..64) | (32..64, ..128) => "ring",
        (2048..4096, 2048..4096) | (4096.., 2048..16_384) => "ring",
        (128..256, ..131_072) | (256..512, ..4096) | (512.., ..2048) => "reduce-broadcast",
        (..4, ..16_384) | (4..16, ..8192) | (16..32, ..4096) => "recursive-doubling",
        (64..256, ..262_144) => "recursive-doubling",
        (512..4096, ..16_384) | (4096.., ..32_768) => "recursive-doubling",
        _ => "rabenseifner",
    }
}

fn all_gather(ranks: u32, bytes: u64) -> &'static str {
    // Its recursive doubling is Bruck's where ranks are no power of two.
    let doubling = match ranks.is_power_of_two() {
        true => "recursive-doubling",
        false => "bruck",
    };
    match (ranks, bytes) {
        (256..512, 32..128) | (512..1024, 64..256) => "bruck",
        (1024..2048, 4..8 | 16..32 | 256..512) => "bruck",
        (2048..4096, ..32 | 128..512) | (4096.., 2..8 | 16..512) => "bruck",
        (..32, _) | (32..64, ..1024) | (64..256, ..512) | (256..512, ..1024) => doubling,
        (512..1024, ..2048) | (1024.., ..4096) => doubling,
        (32..128, 65_536..) | (128..512, 131_072..524_288 | 1_048_576..) => "ring",
        _ if ranks.is_multiple_of(2) => "neighbor-exchange",
        _ => "ring",
    }
}

fn all_to_all(ranks: u32, bytes: u64) -> &'static str {
    match (ranks, bytes) {
        (16..32, 4..512) | (32..64, ..512) | (64..512, ..1024) => "bruck",
        (512..2048, ..512) | (2048..4096, ..1024) | (4096.., ..2048) => "bruck",
        (..=2, _) | (3..8, 524_288..1_048_576) => "pairwise",
        (64..256 | 512..1024, 262_144..) | (256..512, 32_768..) => "pairwise",
        _ => "linear",
    }
}

fn reduce_scatter(ranks: u32, bytes: u64) -> &'static str {
    match (ranks, bytes) {
        (..4, 65_536..131_072) => "recursive-halving",
        (..4, _) | (4..32, 262_144..) | (32..64, 524_288..) => "ring",
        _ => "recursive-halving",
    }
}

fn gather(ranks: u32, bytes: u64) -> &'static str {
    match (ranks, bytes) {
        (..4, ..4 | 32_768..65_536 | 131_072..) => "linear",
        (4..8, 1024..8192 | 32_768..) | (256..512, 2048..8192) => "linear",
        _ => "binomial",
    }
}

fn scatter(ranks: u32, bytes: u64) -> &'static str {
    match (ranks, bytes) {
        (4..8, ..2048 | 4096..8192) | (8..32, ..16_384) => "binomial",
        (32.., ..512) | (32..64, 8192..16_384) => "binomial",
        _ => "linear",
    }
}
