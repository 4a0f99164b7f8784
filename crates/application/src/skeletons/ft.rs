//! FT: a Fourier transform in three dimensions. Transposes by all-to-all, in planes or in pencils.

use super::{Benchmark, Calls, Plan, Skeleton, power_of_two, share, too_many};
use crate::collectives::Kind;
use crate::group::Group;

pub(super) const FT: Benchmark = Benchmark {
    name: "ft",
    summary: "Fourier transform: all-to-all",
    build: |options| {
        power_of_two("FT", options.ranks)?;
        let (class, ranks) = (options.class, options.ranks);
        let edges: [u64; 3] = class.of([
            [64, 64, 64],
            [128, 128, 32],
            [256, 256, 128],
            [512, 256, 256],
            [512, 512, 512],
            [2048, 1024, 1024],
            [4096, 2048, 2048],
        ]);
        let points: u64 = edges.iter().product();
        let planes = edges[2] as u32;
        let columns = ranks.div_ceil(planes);
        if u64::from(columns) > edges[1] {
            return Err(too_many("FT", options, "there are not as many pencils"));
        }
        let of_class = class.of([6, 6, 6, 20, 20, 25, 25]);
        let iterations = options.iterations.unwrap_or(of_class);
        let (n, log) = (points as f64, (points as f64).ln());
        let operations =
            n * (14.8157 + 7.19641 * log + (5.23518 + 7.21113 * log) * f64::from(iterations));
        let plan = Ft {
            ranks,
            rows: if columns > 1 { planes } else { 1 },
            bytes: points * 16 / u64::from(ranks),
            iterations,
            computing: share(options, operations, 4.7e9) / f64::from(iterations + 1),
        };
        Ok(Box::new(Skeleton { ranks, plan }))
    },
};

#[derive(Clone)]
struct Ft {
    ranks: u32,
    /// Groups of ranks that have planes together; 1 if ranks have whole planes.
    rows: u32,
    /// Of a rank's part.
    bytes: u64,
    iterations: u32,
    computing: f64,
}

impl Ft {
    fn transpose(&self, calls: &mut Calls<'_>, me: u32, in_row: bool) {
        let columns = self.ranks / self.rows;
        let (row, column) = (me / columns, me % columns);
        let group = match in_row {
            true => Group::line(1 + row, row * columns, 1, columns),
            false => Group::line(1 + self.rows + column, column, columns, self.rows),
        };
        let bytes = self.bytes / u64::from(group.count());
        calls.collective(Kind::AllToAll, bytes, group);
    }
}

impl Plan for Ft {
    type Own = u32;

    fn iterations(&self) -> u32 {
        self.iterations
    }

    fn own(&self, rank: u32) -> u32 {
        rank
    }

    fn iterate(&self, &me: &u32, part: u32, calls: &mut Calls<'_>) -> bool {
        let in_pencils = self.rows > 1;
        let pass = self.computing / if in_pencils { 3.0 } else { 2.0 };
        calls.compute(pass);
        let is_forward = part == 0;
        if in_pencils {
            self.transpose(calls, me, !is_forward);
            calls.compute(pass);
            self.transpose(calls, me, is_forward);
        } else {
            self.transpose(calls, me, true);
        }
        calls.compute(pass);
        if !is_forward {
            calls.collective(Kind::Reduce, 16, Group::world(self.ranks));
        }
        part >= self.iterations
    }
}
