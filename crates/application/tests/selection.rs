//! Which algorithm does a collective: as libraries choose, on both sides of their switch points, or as one says.

#![allow(clippy::unwrap_used, reason = "tests and their helpers may")]

use turnwise_application::collectives::{Collective, Kind, Preset, Selection, Tuning};

#[test]
fn libraries_choose_by_ranks_and_bytes() {
    let all = |preset| {
        let selection = Selection::new(preset);
        for kind in Kind::ALL {
            for ranks in [1, 2, 3, 7, 8, 12, 16, 48, 64, 100, 128, 300, 512, 5000] {
                for bytes in [0, 4, 100, 300, 1000, 5000, 20_000, 100_000, 1 << 20] {
                    let (_, chosen) = selection.part(0, ranks, Collective::new(kind, bytes));
                    assert!(ranks.is_power_of_two() || !chosen.needs_power_of_two);
                    assert!(ranks.is_multiple_of(2) || !chosen.needs_even);
                }
            }
        }
    };
    all(Preset::Mpich);
    all(Preset::OpenMpi);
    all(Preset::Nccl);
    let choose = |preset, kind, ranks, bytes| {
        let selection = Selection::new(preset);
        selection
            .part(0, ranks, Collective::new(kind, bytes))
            .1
            .name
    };
    // The one that makes a benchmark load networks very differently: FT, class C, 128 ranks.
    assert_eq!(
        choose(Preset::Mpich, Kind::AllToAll, 128, 131_072),
        "pairwise"
    );
    assert_eq!(
        choose(Preset::OpenMpi, Kind::AllToAll, 128, 131_072),
        "linear"
    );
    // On both sides of some of Open MPI's switch points.
    for (kind, ranks, bytes, name) in [
        (Kind::Barrier, 32, 0, "recursive-doubling"),
        (Kind::Barrier, 64, 0, "dissemination"),
        (Kind::Barrier, 256, 0, "binomial"),
        (Kind::Barrier, 4096, 0, "dissemination"),
        (Kind::Broadcast, 2, 31, "chain"),
        (Kind::Broadcast, 3, 32, "tree"),
        (Kind::Broadcast, 3, 512, "knomial"),
        (Kind::Broadcast, 3, 32_767, "linear"),
        (Kind::Broadcast, 3, 524_288, "binomial"),
        (Kind::Broadcast, 4, 127, "binomial"),
        (Kind::Broadcast, 4, 8191, "binomial"),
        (Kind::Broadcast, 4, 8192, "linear"),
        (Kind::Broadcast, 4, 1_048_576, "chain"),
        (Kind::Broadcast, 15, 7, "knomial"),
        (Kind::Broadcast, 15, 4095, "knomial"),
        (Kind::Broadcast, 15, 32_767, "binomial"),
        (Kind::Broadcast, 15, 32_768, "linear"),
        (Kind::Broadcast, 16, 4095, "knomial"),
        (Kind::Broadcast, 16, 1_048_575, "binomial"),
        (Kind::Broadcast, 16, 1_048_576, "scatter-doubling"),
        (Kind::Broadcast, 17, 1_048_576, "scatter-all-gather"),
        (Kind::Broadcast, 63, 2047, "binomial"),
        (Kind::Broadcast, 63, 2048, "knomial"),
        (Kind::Broadcast, 64, 100_000, "knomial"),
        (Kind::Broadcast, 128, 1, "binomial"),
        (Kind::Broadcast, 128, 16_384, "linear"),
        (Kind::Broadcast, 128, 65_536, "knomial"),
        (Kind::Broadcast, 256, 16_383, "knomial"),
        (Kind::Broadcast, 256, 16_384, "split-binary"),
        (Kind::Broadcast, 2048, 262_143, "knomial"),
        (Kind::Broadcast, 4096, 8192, "tree"),
        (Kind::Reduce, 16, 4095, "tree"),
        (Kind::Reduce, 16, 4096, "binomial"),
        (Kind::Reduce, 2, 4, "reduce-scatter-gather"),
        (Kind::Reduce, 2, 16, "chain"),
        (Kind::Reduce, 2, 262_143, "linear"),
        (Kind::Reduce, 2, 524_288, "tree"),
        (Kind::Reduce, 2, 1_048_576, "chain"),
        (Kind::Reduce, 4, 65_536, "binomial"),
        (Kind::Reduce, 4, 262_144, "linear"),
        (Kind::Reduce, 7, 524_288, "binomial"),
        (Kind::Reduce, 7, 1_048_576, "linear"),
        (Kind::AllReduce, 2, 4096, "ring"),
        (Kind::AllReduce, 7, 15, "ring"),
        (Kind::AllReduce, 7, 16, "recursive-doubling"),
        (Kind::AllReduce, 255, 131_071, "reduce-broadcast"),
        (Kind::AllReduce, 255, 131_072, "recursive-doubling"),
        (Kind::AllReduce, 4096, 16_383, "ring"),
        (Kind::AllReduce, 4096, 16_384, "recursive-doubling"),
        (Kind::AllGather, 31, 1 << 20, "bruck"),
        (Kind::AllGather, 16, 1 << 20, "recursive-doubling"),
        (Kind::AllGather, 64, 512, "neighbor-exchange"),
        (Kind::AllGather, 65, 512, "ring"),
        (Kind::AllGather, 64, 65_536, "ring"),
        (Kind::AllGather, 256, 131_071, "neighbor-exchange"),
        (Kind::AllGather, 256, 524_287, "ring"),
        (Kind::AllGather, 512, 1 << 20, "neighbor-exchange"),
        (Kind::AllGather, 256, 127, "bruck"),
        (Kind::AllGather, 256, 128, "recursive-doubling"),
        (Kind::AllToAll, 2, 8, "pairwise"),
        (Kind::AllToAll, 3, 100, "linear"),
        (Kind::AllToAll, 256, 32_767, "linear"),
        (Kind::AllToAll, 256, 32_768, "pairwise"),
        (Kind::AllToAll, 2048, 1 << 20, "linear"),
        (Kind::ReduceScatter, 3, 100, "ring"),
        (Kind::ReduceScatter, 16, 262_143, "recursive-halving"),
        (Kind::ReduceScatter, 16, 262_144, "ring"),
        (Kind::Gather, 3, 3, "linear"),
        (Kind::Gather, 100, 6001, "binomial"),
        (Kind::Scatter, 11, 16_383, "binomial"),
        (Kind::Scatter, 11, 16_384, "linear"),
        (Kind::Scatter, 64, 512, "linear"),
    ] {
        let found = choose(Preset::OpenMpi, kind, ranks, bytes);
        assert_eq!(found, name, "{} of {bytes} B, {ranks} ranks", kind.name());
    }
    assert_eq!(
        choose(Preset::Mpich, Kind::AllReduce, 64, 8),
        "recursive-doubling"
    );
    // Whatever the number of ranks.
    for ranks in [7, 8] {
        let halving = choose(Preset::Mpich, Kind::ReduceScatter, ranks, 524_287);
        assert_eq!(halving, "recursive-halving");
        let pairwise = choose(Preset::Mpich, Kind::ReduceScatter, ranks, 524_288);
        assert_eq!(pairwise, "pairwise");
        let barrier = choose(Preset::OpenMpi, Kind::Barrier, ranks + 3, 0);
        assert_eq!(barrier, "recursive-doubling");
    }
    assert_eq!(
        choose(Preset::Mpich, Kind::AllReduce, 64, 1 << 20),
        "rabenseifner"
    );
    // NCCL goes by trees where latency counts, and by rings where bandwidth does.
    assert_eq!(
        choose(Preset::Nccl, Kind::AllReduce, 64, 1024),
        "double-tree"
    );
    assert_eq!(choose(Preset::Nccl, Kind::AllReduce, 8, 1 << 30), "ring");
    // What is asked for and needs a power of two gives way to what does not.
    for kind in Kind::ALL {
        for algorithm in kind.algorithms() {
            let selection = Selection::new(Preset::Mpich)
                .with(kind, algorithm.name)
                .unwrap();
            let chosen = |ranks| selection.part(0, ranks, Collective::new(kind, 100)).1;
            assert!(!chosen(5).needs_power_of_two && !chosen(5).needs_even);
            assert!(!chosen(6).needs_power_of_two);
            let is_particular = algorithm.needs_power_of_two || algorithm.needs_even;
            assert!(is_particular || chosen(5).name == algorithm.name);
            assert_eq!(chosen(8).name, algorithm.name);
        }
    }
    let unknown = Selection::new(Preset::Mpich)
        .with(Kind::Barrier, "disemination")
        .unwrap_err();
    assert!(
        unknown.help.contains("did you mean `dissemination`"),
        "{}",
        unknown.help
    );
}

/// Nothing is cut into segments that the library does not cut, and NCCL's pieces are as long as the buffers of its protocols. Whoever
/// asks for another length or radix has it.
#[test]
fn libraries_and_algorithms_have_lengths_and_radices_of_their_own() {
    let of = |selection: Selection, kind, ranks, bytes| {
        let (part, algorithm) = selection.part(0, ranks, Collective::new(kind, bytes));
        let Tuning { segment, radix } = part.tuning;
        (algorithm.name, segment, radix)
    };
    let library = |preset, kind, ranks, bytes| of(Selection::new(preset), kind, ranks, bytes);
    let whole = u64::MAX;
    for (kind, ranks, bytes, expected) in [
        (Kind::Broadcast, 4, 1 << 20, ("chain", whole, 2)),
        (Kind::Broadcast, 64, 1 << 20, ("knomial", whole, 4)),
        (Kind::Reduce, 16, 8, ("tree", whole, 2)),
    ] {
        assert_eq!(library(Preset::OpenMpi, kind, ranks, bytes), expected);
    }
    for kind in [Kind::Broadcast, Kind::Reduce] {
        for (bytes, piece) in [
            (8, 32 << 10),
            (400_000, 32 << 10),
            (1_000_000, 576_000),
            (10_000_000, 512 << 10),
        ] {
            assert_eq!(library(Preset::Nccl, kind, 64, bytes), ("chain", piece, 2));
        }
    }
    let asked = |preset| Selection::new(preset).tuned(Some(1000), Some(3));
    for preset in [Preset::Mpich, Preset::OpenMpi, Preset::Nccl] {
        let (_, segment, radix) = of(asked(preset), Kind::Broadcast, 64, 1 << 20);
        assert_eq!((segment, radix), (1000, 3));
    }
    let fixed = Selection::new(Preset::Nccl).with(Kind::Broadcast, "chain");
    let taken = of(fixed.unwrap(), Kind::Broadcast, 64, 1 << 20);
    assert_eq!(taken, ("chain", 128 << 10, 2));
}
