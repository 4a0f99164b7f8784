//! LU: a relaxation that sweeps through planes. Short messages run as a wave from one corner of a grid of ranks to the opposite one, and
//! back.

use super::{Benchmark, Calls, Plan, Skeleton, share, too_many};
use crate::collectives::Kind;
use crate::group::Group;

pub(super) const LU: Benchmark = Benchmark {
    name: "lu",
    summary: "Relaxation by sweeps: waves of short messages through a grid of ranks",
    build: |options| {
        let (class, ranks) = (options.class, options.ranks);
        let columns = (1..=ranks.isqrt())
            .rev()
            .find(|&count| ranks.is_multiple_of(count));
        let columns = columns.unwrap_or(1);
        let rows = ranks / columns;
        let points = class.of([12, 33, 64, 102, 162, 408, 1020]);
        if rows > 2 * columns {
            let why = format!(
                "they would be {rows} by {columns}, and a grid is at most twice as long as wide"
            );
            return Err(too_many("LU", options, &why));
        }
        if points / rows < 3 {
            return Err(too_many(
                "LU",
                options,
                "each would have fewer than 3 points along an edge",
            ));
        }
        let of_class = class.of([50, 300, 250, 250, 250, 300, 300]);
        let n = f64::from(points);
        let operations = 1984.77 * n.powi(3) - 10_923.3 * n * n + 27_770.9 * n - 144_010.0;
        let plan = Lu {
            rows,
            columns,
            points,
            iterations: options.iterations.unwrap_or(of_class),
            computing: share(options, operations, 5e9),
        };
        Ok(Box::new(Skeleton { ranks, plan }))
    },
};

#[derive(Clone)]
struct Lu {
    rows: u32,
    columns: u32,
    points: u32,
    iterations: u32,
    computing: f64,
}

struct Own {
    north: Option<u32>,
    south: Option<u32>,
    west: Option<u32>,
    east: Option<u32>,
    /// Points of this rank along both axes, and those of them that are computed.
    points: [u64; 2],
    inner: [u64; 2],
}

const FROM_SOUTH: u32 = 1;
const FROM_NORTH: u32 = 2;
const FROM_EAST: u32 = 3;
const FROM_WEST: u32 = 4;

impl Plan for Lu {
    type Own = Own;

    fn iterations(&self) -> u32 {
        self.iterations
    }

    fn own(&self, me: u32) -> Own {
        let (row, column) = (me % self.rows, me / self.rows);
        let share = |count: u32, at: u32| {
            u64::from(self.points / count + u32::from(at < self.points % count))
        };
        let points = [share(self.rows, row), share(self.columns, column)];
        let north = (row > 0).then(|| me - 1);
        let south = (row + 1 < self.rows).then_some(me + 1);
        let west = (column > 0).then(|| me - self.rows);
        let east = (column + 1 < self.columns).then_some(me + self.rows);
        let without = |points: u64, ends: [Option<u32>; 2]| {
            points - ends.into_iter().filter(Option::is_none).count() as u64
        };
        Own {
            inner: [
                without(points[0], [north, south]),
                without(points[1], [west, east]),
            ],
            north,
            south,
            west,
            east,
            points,
        }
    }

    fn iterate(&self, own: &Own, part: u32, calls: &mut Calls<'_>) -> bool {
        let planes = self.points - 2;
        let plane = self.computing * 2.0 / 3.0 / f64::from(2 * planes);
        let rest = self.computing / 3.0 / 3.0;
        let [rows, columns] = own.inner.map(|points| 40 * points);
        for _ in 0..planes {
            receive(calls, own.north, columns, FROM_NORTH);
            receive(calls, own.west, rows, FROM_WEST);
            calls.compute(plane);
            send(calls, own.south, columns, FROM_NORTH);
            send(calls, own.east, rows, FROM_WEST);
        }
        for _ in 0..planes {
            receive(calls, own.south, columns, FROM_SOUTH);
            receive(calls, own.east, rows, FROM_EAST);
            calls.compute(plane);
            send(calls, own.north, columns, FROM_SOUTH);
            send(calls, own.west, rows, FROM_EAST);
        }
        let is_last = part + 1 >= self.iterations;
        self.norm(calls, is_last, 40);
        let [x, y] = own
            .points
            .map(|points| 80 * points * u64::from(self.points));
        calls.compute(rest);
        shift(calls, own.north, own.south, y, FROM_NORTH);
        shift(calls, own.south, own.north, y, FROM_SOUTH);
        calls.compute(rest);
        shift(calls, own.west, own.east, x, FROM_WEST);
        shift(calls, own.east, own.west, x, FROM_EAST);
        calls.compute(rest);
        self.norm(calls, is_last, 40);
        self.norm(calls, is_last, 8);
        is_last
    }
}

impl Lu {
    fn norm(&self, calls: &mut Calls<'_>, is_last: bool, bytes: u64) {
        if is_last {
            let world = Group::world(self.rows * self.columns);
            calls.collective(Kind::AllReduce, bytes, world);
        }
    }
}

fn receive(calls: &mut Calls<'_>, from: Option<u32>, bytes: u64, tag: u32) {
    if let Some(from) = from {
        calls.recv(from, bytes, tag);
    }
}

fn send(calls: &mut Calls<'_>, to: Option<u32>, bytes: u64, tag: u32) {
    if let Some(to) = to {
        calls.send(to, bytes, tag);
    }
}

/// A face from one side, and one to the other.
fn shift(calls: &mut Calls<'_>, from: Option<u32>, to: Option<u32>, bytes: u64, tag: u32) {
    if let Some(from) = from {
        calls.irecv(from, bytes, tag, 0);
    }
    send(calls, to, bytes, tag);
    if from.is_some() {
        calls.wait(0);
    }
}
