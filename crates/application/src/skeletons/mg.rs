//! MG: a multigrid. Faces go to six neighbours, on coarse grids to ever more distant ones, until some ranks have nothing left.

use super::{Benchmark, Calls, Plan, Skeleton, power_of_two, share, too_many};
use crate::collectives::Kind;
use crate::group::Group;

pub(super) const MG: Benchmark = Benchmark {
    name: "mg",
    summary: "Multigrid: faces to neighbours, more and more distant ones on coarse grids",
    build: |options| {
        power_of_two("MG", options.ranks)?;
        let (class, ranks) = (options.class, options.ranks);
        let levels = class.of([5, 7, 8, 8, 9, 10, 11]);
        let of_class = class.of([4, 4, 4, 20, 20, 50, 50]);
        let log = ranks.trailing_zeros();
        let x = 1 << (log / 3);
        let y = 1 << ((log - log / 3) / 2);
        let sizes = [x, y, ranks / (x * y)];
        if sizes.iter().any(|&size| size > 1 << levels) {
            return Err(too_many(
                "MG",
                options,
                "its grid has fewer points on an edge",
            ));
        }
        let edge = f64::from(1_u32 << levels);
        let plan = Mg {
            sizes,
            levels,
            iterations: options.iterations.unwrap_or(of_class),
            computing: share(options, 58.0 * edge.powi(3), 4.4e9),
        };
        Ok(Box::new(Skeleton { ranks, plan }))
    },
};

#[derive(Clone)]
struct Mg {
    sizes: [u32; 3],
    levels: u32,
    iterations: u32,
    computing: f64,
}

/// A grid as a rank has it.
#[derive(Clone, Copy, Default)]
struct Level {
    /// Points along each axis, those around it too.
    edges: [u64; 3],
    /// Ranks before and after it along each axis.
    before: [u32; 3],
    after: [u32; 3],
    /// Does it give or take values between grids, along each axis?
    gives: [bool; 3],
    takes: [bool; 3],
    is_empty: bool,
}

/// By level, from 1 on.
struct Own(Vec<Level>);

impl Level {
    /// Values on a face across an axis.
    fn face(&self, axis: usize) -> u64 {
        let [x, y, z] = self.edges;
        match axis {
            0 => (y - 2) * (z - 2),
            1 => x * (z - 2),
            _ => x * y,
        }
    }

    /// The same with the edges.
    fn whole_face(&self, axis: usize) -> u64 {
        let [x, y, z] = self.edges;
        [y * z, x * z, x * y][axis]
    }
}

fn tag(axis: usize, is_after: bool) -> u32 {
    let direction = if is_after { 3 } else { 1 };
    100 * (direction + 10 * (axis as u32 + 1))
}

impl Plan for Mg {
    type Own = Own;

    fn iterations(&self) -> u32 {
        self.iterations
    }

    fn own(&self, me: u32) -> Own {
        let [x, y, _] = self.sizes;
        let place = [me % x, me / x % y, me / (x * y)];
        let mut levels = vec![Level::default(); self.levels as usize + 2];
        let mut next = [1_u32; 3];
        for number in (1..=self.levels).rev() {
            let points = 1_u64 << number;
            let mut level = levels[number as usize];
            for axis in 0..3 {
                let (ranks, at) = (self.sizes[axis], place[axis]);
                let of = |at: u32| {
                    let (at, ranks) = (u64::from(at), u64::from(ranks));
                    2 + (at + 1) * points / ranks - at * points / ranks
                };
                let (own, other) = (of(at), of(at + next[axis]));
                if own == 2 || other == 2 {
                    next[axis] *= 2;
                }
                if number < self.levels {
                    let finer = &mut levels[number as usize + 1];
                    finer.gives[axis] |= other == 2 && own == 3;
                    finer.takes[axis] |= other == 3 && own == 2;
                }
                level.is_empty |= own == 2;
                level.edges[axis] = own;
                let neighbour = |at: u32| {
                    let mut place = place;
                    place[axis] = at % ranks;
                    place[0] + x * (place[1] + y * place[2])
                };
                let distance = next[axis] % ranks;
                level.after[axis] = neighbour(at + distance);
                level.before[axis] = neighbour(at + ranks - distance);
            }
            let Level { gives, takes, .. } = levels[number as usize];
            levels[number as usize] = Level {
                gives,
                takes,
                ..level
            };
        }
        Own(levels)
    }

    fn iterate(&self, own: &Own, part: u32, calls: &mut Calls<'_>) -> bool {
        let finest = self.levels as usize;
        if part == 0 {
            own.exchange(calls, finest);
            self.norm(calls);
        }
        // An eighth of the work for each coarser grid; 2.5 operators on one, and one more on the finest.
        let unit = self.computing / (1.0 + 3.0 * 8.0 / 7.0);
        let work = |level: usize| unit / 8.0_f64.powi((finest - level) as i32);
        for level in (2..=finest).rev() {
            calls.compute(work(level) / 2.0);
            own.exchange(calls, level - 1);
        }
        calls.compute(work(1));
        own.exchange(calls, 1);
        for level in 2..finest {
            calls.compute(work(level) / 2.0);
            own.exchange_between(calls, level);
            calls.compute(work(level));
            own.exchange(calls, level);
            calls.compute(work(level));
            own.exchange(calls, level);
        }
        calls.compute(work(finest) / 2.0);
        own.exchange_between(calls, finest);
        for _ in 0..3 {
            calls.compute(work(finest));
            own.exchange(calls, finest);
        }
        let is_last = part + 1 >= self.iterations;
        if is_last {
            self.norm(calls);
        }
        is_last
    }
}

impl Mg {
    fn norm(&self, calls: &mut Calls<'_>) {
        for _ in 0..2 {
            let world = Group::world(self.sizes.iter().product());
            calls.collective(Kind::AllReduce, 8, world);
        }
    }
}

impl Own {
    /// Faces to and from all neighbours.
    fn exchange(&self, calls: &mut Calls<'_>, level: usize) {
        let level = &self.0[level];
        if level.is_empty {
            return;
        }
        for axis in 0..3 {
            let (before, after) = (level.before[axis], level.after[axis]);
            let bytes = 8 * level.face(axis);
            calls.irecv(after, bytes, tag(axis, false), 0);
            calls.irecv(before, bytes, tag(axis, true), 1);
            calls.send(after, bytes, tag(axis, true));
            calls.send(before, bytes, tag(axis, false));
            calls.wait(0);
            calls.wait(1);
        }
    }

    /// Values for those who had none on the coarser grid.
    fn exchange_between(&self, calls: &mut Calls<'_>, level: usize) {
        let level = &self.0[level];
        for axis in 0..3 {
            let (before, after) = (level.before[axis], level.after[axis]);
            let face = 8 * level.whole_face(axis);
            if level.takes[axis] {
                calls.irecv(after, face, tag(axis, false), 0);
                calls.irecv(before, 2 * face, tag(axis, true), 1);
                calls.wait(0);
                calls.wait(1);
            }
            if level.gives[axis] {
                calls.send(after, 2 * face, tag(axis, true));
                calls.send(before, face, tag(axis, false));
            }
        }
    }
}
