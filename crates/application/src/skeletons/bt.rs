//! BT: block tridiagonal systems in three directions. Every rank has cells on a diagonal of the grid, so that all have something
//! to do at every stage of a sweep.

use super::{Benchmark, Calls, Plan, Skeleton, share, too_many};
use turnwise_config::diagnostic::Invalid;

pub(super) const BT: Benchmark = Benchmark {
    name: "bt",
    summary: "Block tridiagonal systems: six partners, sweeps in three directions",
    build: |options| {
        let (class, ranks) = (options.class, options.ranks);
        let side = ranks.isqrt();
        if side * side != ranks {
            let message = format!("BT runs on a square of ranks, found {ranks}");
            let help = format!("for example {} or {}", side * side, (side + 1) * (side + 1));
            return Err(Invalid::new("ranks", message).with_help(help));
        }
        let points = class.of([12, 24, 64, 102, 162, 408, 1020]);
        if points / side < 3 {
            return Err(too_many(
                "BT",
                options,
                "its cells would have fewer than 3 points along an edge",
            ));
        }
        let n = f64::from(points);
        let operations = 3478.8 * n.powi(3) - 17_655.7 * n * n + 28_023.7 * n;
        let of_class = class.of([60, 200, 200, 200, 200, 250, 250]);
        let plan = Bt {
            side,
            points,
            iterations: options.iterations.unwrap_or(of_class),
            computing: share(options, operations, 4.9e9),
        };
        Ok(Box::new(Skeleton { ranks, plan }))
    },
};

#[derive(Clone)]
struct Bt {
    side: u32,
    points: u32,
    iterations: u32,
    computing: f64,
}

struct Own {
    /// Where each of its cells lies.
    cells: Vec<[u32; 3]>,
    before: [u32; 3],
    after: [u32; 3],
    /// Bytes of faces to each side.
    high: [u64; 3],
    low: [u64; 3],
}

/// Tags of what comes from one side and goes to the other, by axis.
const DOWN: [u32; 3] = [3000, 5000, 6000];
const UP: [u32; 3] = [2000, 4000, 7000];

impl Bt {
    /// Points of the cells at a coordinate.
    fn size(&self, at: u32) -> u64 {
        u64::from(self.points / self.side + u32::from(at < self.points % self.side))
    }
}

fn others(axis: usize) -> [usize; 2] {
    [[1, 2], [0, 2], [0, 1]][axis]
}

impl Plan for Bt {
    type Own = Own;

    fn iterations(&self) -> u32 {
        self.iterations
    }

    fn own(&self, me: u32) -> Own {
        let side = self.side;
        let (i, j) = (me % side, me / side);
        let (next, last) = (|at: u32| (at + 1) % side, |at: u32| (at + side - 1) % side);
        let mut cells = vec![[i, j, 0]];
        for cell in 1..side {
            let [x, y, _] = cells[cell as usize - 1];
            cells.push([next(x), last(y), cell]);
        }
        let face = |axis: usize, without: u32| {
            let others = others(axis);
            let inside = cells.iter().filter(|cell| cell[axis] != without);
            let values = inside.map(|cell| {
                let [a, b] = others.map(|axis| self.size(cell[axis]));
                10 * a * b
            });
            8 * values.sum::<u64>()
        };
        Own {
            before: [
                last(i) + side * j,
                i + side * last(j),
                next(i) + side * last(j),
            ],
            after: [
                next(i) + side * j,
                i + side * next(j),
                last(i) + side * next(j),
            ],
            high: [0, 1, 2].map(|axis| face(axis, side - 1)),
            low: [0, 1, 2].map(|axis| face(axis, 0)),
            cells,
        }
    }

    fn iterate(&self, own: &Own, part: u32, calls: &mut Calls<'_>) -> bool {
        for axis in 0..3 {
            let request = 2 * axis as u32;
            // What comes from one side is as long as what that sends to the other.
            calls.irecv(own.after[axis], own.high[axis], DOWN[axis], request);
            calls.irecv(own.before[axis], own.low[axis], UP[axis], request + 1);
        }
        for axis in 0..3 {
            let request = 6 + 2 * axis as u32;
            calls.isend(own.after[axis], own.high[axis], UP[axis], request);
            calls.isend(own.before[axis], own.low[axis], DOWN[axis], request + 1);
        }
        calls.0.push(crate::calls::Call::Waitall(12));
        calls.compute(self.computing / 4.0);
        for axis in 0..3 {
            self.solve(own, axis, calls);
        }
        part + 1 >= self.iterations
    }
}

impl Bt {
    /// There and back along an axis.
    fn solve(&self, own: &Own, axis: usize, calls: &mut Calls<'_>) {
        let (side, last) = (self.side, self.side - 1);
        let stage = self.computing / 4.0 / f64::from(side);
        let edge = u64::from(self.points / side + 1);
        let [a, b] = others(axis);
        let tag = |base: u32, at: u32| {
            let cell = own.cells.iter().find(|cell| cell[axis] == at);
            base + cell.map_or(0, |cell| cell[a] + side * cell[b])
        };
        let (to, from) = (own.after[axis], own.before[axis]);
        let there = 8 * 30 * edge * edge;
        for at in 0..side {
            if at > 0 {
                calls.irecv(from, there, tag(DOWN[axis], at), 0);
                calls.compute(0.4 * stage);
                calls.wait(1);
                calls.wait(0);
            }
            calls.compute(if at > 0 { 0.4 } else { 0.8 } * stage);
            if at < last {
                calls.isend(to, there, tag(DOWN[axis], at), 1);
            }
        }
        let back = 8 * 5 * edge * edge;
        for at in (0..side).rev() {
            if at < last {
                calls.irecv(to, back, tag(UP[axis], at), 0);
                calls.wait(1);
                calls.wait(0);
            }
            calls.compute(0.2 * stage);
            if at > 0 {
                calls.isend(from, back, tag(UP[axis], at), 1);
            }
        }
    }
}
