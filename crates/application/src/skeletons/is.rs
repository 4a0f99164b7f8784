//! IS: integers sorted by buckets. Sizes of buckets are added up, and keys go to all.
//!
//! How many keys go from one rank to another depends on the keys, which nobody has here: as many as there are on average, give or take
//! the deviation of chance.

use super::{Benchmark, Calls, Plan, Skeleton, power_of_two, share, too_many};
use crate::calls::Call;
use crate::collectives::{Collective, Kind, Lengths};
use crate::group::Group;
use std::sync::Arc;

pub(super) const IS: Benchmark = Benchmark {
    name: "is",
    summary: "Integer sort: a sum of all, and all-to-all with lengths of their own",
    build: |options| {
        power_of_two("IS", options.ranks)?;
        let (class, ranks) = (options.class, options.ranks);
        let keys: u64 = 1 << class.of([16, 20, 23, 25, 27, 31, 35]);
        if class == super::Class::S && ranks > 128 {
            return Err(too_many("IS", options, "it takes at most 128"));
        }
        let mean = keys as f64 / f64::from(ranks).powi(2);
        let lengths = move |from: u32, to: u32| {
            let keys = mean + mean.sqrt() * deviation(from, to);
            4 * keys.max(0.0).round() as u64
        };
        let plan = Is {
            ranks,
            buckets: (1 << class.of([9, 10, 10, 10, 10, 10, 10])) + 5,
            mean: (4.0 * mean) as u64,
            lengths: Lengths(Arc::new(lengths)),
            iterations: options.iterations.unwrap_or(10),
            computing: share(options, keys as f64, 0.5e9),
        };
        Ok(Box::new(Skeleton { ranks, plan }))
    },
};

/// About normally distributed, the same whenever it is asked for: the sum of four equal parts of a mixed number.
fn deviation(from: u32, to: u32) -> f64 {
    // The finaliser of SplitMix64.
    let mut mixed = u64::from(from) << 32 | u64::from(to);
    mixed = (mixed ^ mixed >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^= mixed >> 31;
    let parts = (0..4).map(|part| (mixed >> (16 * part) & 0xffff) as f64 / 65_535.0);
    (parts.sum::<f64>() - 2.0) * 3.0_f64.sqrt()
}

#[derive(Clone)]
struct Is {
    ranks: u32,
    buckets: u64,
    mean: u64,
    lengths: Lengths,
    iterations: u32,
    computing: f64,
}

impl Plan for Is {
    type Own = ();

    fn iterations(&self) -> u32 {
        self.iterations
    }

    fn own(&self, _: u32) {}

    fn iterate(&self, (): &(), part: u32, calls: &mut Calls<'_>) -> bool {
        let world = || Group::world(self.ranks);
        calls.compute(self.computing / 2.0);
        calls.collective(Kind::AllReduce, 4 * self.buckets, world());
        calls.collective(Kind::AllToAll, 4, world());
        let keys = Collective {
            lengths: Some(self.lengths.clone()),
            ..Collective::new(Kind::AllToAll, self.mean)
        };
        calls.0.push(Call::Collective(keys, world()));
        calls.compute(self.computing / 2.0);
        part + 1 >= self.iterations
    }
}
