//! CG: a conjugate gradient with a random sparse matrix. Sums along rows of ranks, by doubling, and an exchange with the
//! rank that has the transposed part.

use super::{Benchmark, Calls, Plan, Skeleton, power_of_two, share};

pub(super) const CG: Benchmark = Benchmark {
    name: "cg",
    summary: "Conjugate gradient: sums along rows of ranks, and an exchange with the transposed rank",
    build: |options| {
        power_of_two("CG", options.ranks)?;
        let class = options.class;
        let iterations = class.of([15, 15, 15, 75, 75, 100, 100]);
        let size = class.of([1400, 7000, 14_000, 75_000, 150_000, 1_500_000, 9_000_000]);
        let nonzer = class.of([7.0, 8.0, 11.0, 13.0, 15.0, 21.0, 26.0]);
        let q = nonzer * (nonzer + 1.0);
        let operations = 2.0 * f64::from(size) * (3.0 + q + 25.0 * (5.0 + q) + 3.0);
        let plan = Cg {
            ranks: options.ranks,
            size,
            iterations: options.iterations.unwrap_or(iterations),
            computing: share(options, operations, 2.5e9),
        };
        Ok(Box::new(Skeleton {
            ranks: options.ranks,
            plan,
        }))
    },
};

#[derive(Clone)]
struct Cg {
    ranks: u32,
    size: u32,
    iterations: u32,
    /// Picoseconds of an iteration.
    computing: f64,
}

/// A partner: how many bytes go there, and how many come from there.
#[derive(Clone, Copy)]
struct Partner {
    rank: u32,
    sent: u64,
    received: u64,
}

struct Own {
    /// With whom it adds up.
    row: Vec<Partner>,
    transposed: Partner,
}

/// Inner iterations.
const STEPS: u32 = 25;

impl Cg {
    /// Rows and columns of ranks.
    fn grid(&self) -> [u32; 2] {
        let rows = 1 << (self.ranks.trailing_zeros() / 2);
        [rows, self.ranks / rows]
    }

    /// Elements of a rank's row, and how many of them it exchanges: all, or a half where two ranks share them.
    fn lengths(&self, me: u32) -> [u32; 2] {
        let [rows, columns] = self.grid();
        let size = match self.size.is_multiple_of(columns) {
            true => self.size / rows,
            false => self.size / rows + u32::from(me / columns < self.size % rows),
        };
        let length = match (rows == columns, me.is_multiple_of(2)) {
            (true, _) => size,
            (false, true) => size.div_ceil(2),
            (false, false) => size / 2,
        };
        [size, length]
    }
}

impl Plan for Cg {
    type Own = Own;

    fn iterations(&self) -> u32 {
        self.iterations
    }

    fn own(&self, me: u32) -> Own {
        let [rows, columns] = self.grid();
        let (row, column) = (me / columns, me % columns);
        let is_square = rows == columns;
        let [size, length] = self.lengths(me);
        let bytes = |elements: u32| 8 * u64::from(elements);
        let transposed = match is_square {
            true => me % rows * rows + me / rows,
            false => 2 * (me / 2 % rows * rows + me / 2 / rows) + me % 2,
        };
        let doublings = columns.trailing_zeros();
        let partner = |level: u32| {
            let width = columns >> level;
            // Whoever shares its elements with this one sends what this one has, and the other way round.
            let is_last = !is_square && level + 1 == doublings;
            Partner {
                rank: row * columns + (column + width / 2) % width + column / width * width,
                sent: bytes(if is_last { size - length } else { length }),
                received: bytes(length),
            }
        };
        Own {
            row: (0..doublings).map(partner).collect(),
            transposed: Partner {
                rank: transposed,
                sent: bytes(length),
                received: bytes(self.lengths(transposed)[1]),
            },
        }
    }

    fn iterate(&self, own: &Own, part: u32, calls: &mut Calls<'_>) -> bool {
        let product = 0.95 * self.computing / f64::from(STEPS + 1);
        let rest = 0.05 * self.computing / f64::from(2 * STEPS);
        own.sum(calls, 8);
        for _ in 0..STEPS {
            calls.compute(product);
            own.multiply(calls);
            own.sum(calls, 8);
            calls.compute(rest);
            own.sum(calls, 8);
            calls.compute(rest);
        }
        calls.compute(product);
        own.multiply(calls);
        own.sum(calls, 8);
        own.sum(calls, 16);
        part + 1 >= self.iterations
    }
}

impl Own {
    fn sum(&self, calls: &mut Calls<'_>, bytes: u64) {
        for (tag, partner) in (1..).zip(&self.row) {
            let same = Partner {
                sent: bytes,
                received: bytes,
                ..*partner
            };
            swap(calls, same, tag);
        }
    }

    fn multiply(&self, calls: &mut Calls<'_>) {
        for (index, &partner) in self.row.iter().enumerate().rev() {
            swap(calls, partner, index as u32 + 1);
        }
        if !self.row.is_empty() {
            swap(calls, self.transposed, 1);
        }
    }
}

fn swap(calls: &mut Calls<'_>, with: Partner, tag: u32) {
    calls.irecv(with.rank, with.received, tag, 0);
    calls.send(with.rank, with.sent, tag);
    calls.wait(0);
}
