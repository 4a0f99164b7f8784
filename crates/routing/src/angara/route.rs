//! A route as the hardware encodes it in a packet's header.

use super::{Direction, Directions, System};

/// First step, direction bits, hop counts, last step: eight bytes.
///
/// The regular part takes `counts[i]` hops along dimension `i`, up or down by the dimension's
/// direction bit, dimension by dimension in the order of directions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Route {
    /// Hops of the regular part, by dimension.
    pub counts: [u8; Directions::MOST_DIMENSIONS],
    /// One bit a dimension: the regular part goes down there. Clear where there are no hops.
    pub down: u8,
    /// Dimension of the first step, counted from 1; 0 without.
    first: u8,
    /// Dimension of the last step, counted from 1; 0 without.
    last: u8,
}

impl Route {
    /// No hops: from a node to itself, or no route at all.
    pub const NONE: Self = Self {
        counts: [0; Directions::MOST_DIMENSIONS],
        down: 0,
        first: 0,
        last: 0,
    };

    /// A regular route.
    pub fn regular(counts: [u8; Directions::MOST_DIMENSIONS], down: u8) -> Self {
        Self {
            counts,
            down,
            ..Self::NONE
        }
    }

    /// The same with a first step up a dimension.
    #[must_use]
    pub fn with_first(self, dimension: Option<usize>) -> Self {
        Self {
            first: dimension.map_or(0, |dimension| dimension as u8 + 1),
            ..self
        }
    }

    /// The same with a last step down a dimension.
    #[must_use]
    pub fn with_last(self, dimension: Option<usize>) -> Self {
        Self {
            last: dimension.map_or(0, |dimension| dimension as u8 + 1),
            ..self
        }
    }

    /// Dimension of the first step.
    #[inline]
    pub fn first(self) -> Option<usize> {
        usize::from(self.first).checked_sub(1)
    }

    /// Dimension of the last step.
    #[inline]
    pub fn last(self) -> Option<usize> {
        usize::from(self.last).checked_sub(1)
    }

    /// Does it go nowhere?
    #[inline]
    pub fn is_empty(self) -> bool {
        self.first | self.last == 0 && self.counts == [0; Directions::MOST_DIMENSIONS]
    }

    /// Number of hops.
    #[inline]
    pub fn len(self) -> u32 {
        let regular: u32 = self.counts.iter().map(|&count| u32::from(count)).sum();
        regular + u32::from(self.first != 0) + u32::from(self.last != 0)
    }

    /// Calls `run` with rank and hops of every part of the route, in order: the first step, the
    /// regular part dimension by dimension, the last step.
    #[inline]
    pub(crate) fn each_run(self, directions: &Directions, mut run: impl FnMut(usize, u32)) {
        if let Some(dimension) = self.first() {
            run(directions.rank(dimension, true), 1);
        }
        for rank in 0..directions.count() {
            let Direction {
                dimension,
                positive,
            } = directions.at(rank);
            let hops = self.counts[usize::from(dimension)];
            if hops > 0 && (self.down >> dimension & 1 == 1) != positive {
                run(rank, u32::from(hops));
            }
        }
        if let Some(dimension) = self.last() {
            run(directions.rank(dimension, false), 1);
        }
    }

    /// Calls `step` with the rank of every hop's direction, in order.
    #[inline]
    pub fn each_hop(self, directions: &Directions, mut step: impl FnMut(usize)) {
        self.each_run(directions, |rank, hops| (0..hops).for_each(|_| step(rank)));
    }

    /// The ranks of its hops' directions, in order.
    pub fn hops(self, directions: &Directions) -> Vec<usize> {
        let mut hops = Vec::with_capacity(self.len() as usize);
        self.each_hop(directions, |rank| hops.push(rank));
        hops
    }

    /// Calls `cross` with every channel from `source` on; `false` if it meets a dead one, and stops there.
    #[inline]
    pub fn walk(self, system: &System, source: u32, mut cross: impl FnMut(usize)) -> bool {
        let count = system.directions().count();
        let targets = system.targets();
        let (mut at, mut alive) = (source, true);
        self.each_hop(system.directions(), |rank| {
            if alive {
                let channel = at as usize * count + rank;
                at = targets[channel];
                alive = at != super::system::NONE;
                if alive {
                    cross(channel);
                }
            }
        });
        alive
    }

    /// The encoding of a sequence of hops, regular if it can be; `None` if the header has no room for it.
    pub fn encode(directions: &Directions, hops: &[usize]) -> Option<Self> {
        let dimension = |rank: usize| usize::from(directions.at(rank).dimension);
        let regular = |middle: &[usize]| {
            let mut route = Self::NONE;
            let in_order = middle.windows(2).all(|pair| pair[0] <= pair[1]);
            for &rank in middle {
                let (d, up) = (dimension(rank), directions.at(rank).positive);
                let clash = route.counts[d] > 0 && (route.down >> d & 1 == 0) != up;
                route.counts[d] = route.counts[d].checked_add(1).filter(|_| !clash)?;
                route.down |= u8::from(!up) << d;
            }
            in_order.then_some(route)
        };
        let first = hops
            .split_first()
            .filter(|&(&rank, _)| directions.at(rank).positive);
        let last = hops
            .split_last()
            .filter(|&(&rank, _)| !directions.at(rank).positive);
        let with_first = || {
            let (&rank, rest) = first?;
            Some(regular(rest)?.with_first(Some(dimension(rank))))
        };
        let with_last = || {
            let (&rank, rest) = last?;
            Some(regular(rest)?.with_last(Some(dimension(rank))))
        };
        let with_both = || {
            let ((&first, rest), (&last, _)) = (first?, last?);
            let (_, middle) = rest.split_last().filter(|(_, middle)| !middle.is_empty())?;
            let route = regular(middle)?.with_first(Some(dimension(first)));
            Some(route.with_last(Some(dimension(last))))
        };
        regular(hops)
            .or_else(with_first)
            .or_else(with_last)
            .or_else(with_both)
    }

    /// Where it leads, if all its channels live.
    pub fn end(self, system: &System, source: u32) -> Option<u32> {
        let mut at = source;
        let targets = system.targets();
        self.walk(system, source, |channel| at = targets[channel])
            .then_some(at)
    }

    /// How often the direction changes on the way.
    pub fn turns(self, directions: &Directions) -> u32 {
        let (mut before, mut turns) = (None, 0);
        self.each_run(directions, |rank, _| {
            turns += u32::from(before.is_some_and(|before| before != rank));
            before = Some(rank);
        });
        turns
    }

    /// The four fields of a table's row: `+Y,+0-,2:0:1,-X`; `none` where there is no such step.
    pub fn fields(self, dimensions: usize) -> [String; 4] {
        let step = |dimension: Option<usize>, positive| {
            let direction = |dimension: usize| Direction {
                dimension: dimension as u8,
                positive,
            };
            dimension.map_or_else(|| "none".to_owned(), |d| direction(d).name())
        };
        let bits = (0..dimensions).map(|dimension| match self.counts[dimension] {
            0 => '0',
            _ if self.down >> dimension & 1 == 1 => '-',
            _ => '+',
        });
        let counts: Vec<String> = self.counts[..dimensions]
            .iter()
            .map(u8::to_string)
            .collect();
        [
            step(self.first(), true),
            bits.collect(),
            counts.join(":"),
            step(self.last(), false),
        ]
    }

    /// Reads what [`fields`](Self::fields) writes.
    ///
    /// # Errors
    /// Index of the field that is wrong, and what was expected there.
    pub fn parse(fields: [&str; 4], dimensions: usize) -> Result<Self, (usize, String)> {
        let [first, bits, counts, last] = fields;
        let step = |index: usize, text: &str, positive: bool| {
            if text == "none" {
                return Ok(None);
            }
            let known = Direction::parse(text).filter(|direction| {
                direction.positive == positive && usize::from(direction.dimension) < dimensions
            });
            let sign = if positive { "positive" } else { "negative" };
            known
                .map(|direction| Some(usize::from(direction.dimension)))
                .ok_or_else(|| {
                    (
                        index,
                        format!("expected a {sign} direction or `none`, found {text:?}"),
                    )
                })
        };
        let (first, last) = (step(0, first, true)?, step(3, last, false)?);
        let wrong_bits = || {
            (
                1,
                format!("expected {dimensions} of `+`, `-` and `0`, found {bits:?}"),
            )
        };
        if bits.chars().count() != dimensions {
            return Err(wrong_bits());
        }
        let mut route = Self::NONE.with_first(first).with_last(last);
        let mut used = 0u8;
        for (dimension, bit) in bits.chars().enumerate() {
            match bit {
                '+' => used |= 1 << dimension,
                '-' => {
                    used |= 1 << dimension;
                    route.down |= 1 << dimension;
                }
                '0' => {}
                _ => return Err(wrong_bits()),
            }
        }
        let numbers: Result<Vec<u8>, _> = counts.split(':').map(str::parse).collect();
        let Some(numbers) = numbers.ok().filter(|numbers| numbers.len() == dimensions) else {
            let message = format!(
                "expected {dimensions} hop counts below 256 with `:` between, found {counts:?}"
            );
            return Err((2, message));
        };
        for (dimension, count) in numbers.into_iter().enumerate() {
            if (count > 0) != (used >> dimension & 1 == 1) {
                let letter = Directions::LETTERS[dimension];
                let message =
                    format!("direction bit and hop count of {letter} contradict each other");
                return Err((2, message));
            }
            route.counts[dimension] = count;
        }
        Ok(route)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn hops_come_in_the_order_of_directions() {
        let directions = Directions::positive_first(3);
        let route = Route::regular([2, 1, 1, 0], 0b001)
            .with_first(Some(2))
            .with_last(Some(1));
        let names: Vec<String> = route
            .hops(&directions)
            .iter()
            .map(|&rank| directions.at(rank).name())
            .collect();
        assert_eq!(names, ["+Z", "+Y", "+Z", "-X", "-X", "-Y"]);
        assert_eq!((route.len(), route.turns(&directions)), (6, 4));
        assert_eq!(route.fields(3), ["+Z", "-++", "2:1:1", "-Y"]);
    }

    #[test]
    fn wrong_fields_are_named() {
        let error = |fields| Route::parse(fields, 2).unwrap_err().0;
        assert_eq!(error(["-X", "+0", "1:0", "none"]), 0);
        assert_eq!(error(["none", "+", "1:0", "none"]), 1);
        assert_eq!(error(["none", "+0", "1:1", "none"]), 2);
        assert_eq!(error(["none", "+0", "256:0", "none"]), 2);
        assert_eq!(error(["none", "+0", "1:0", "-Z"]), 3);
    }

    #[test]
    fn the_header_has_no_room_for_every_route() {
        let directions = Directions::positive_first(2);
        let encode = |hops: &[usize]| Route::encode(&directions, hops);
        let [up_x, up_y, down_x, down_y] = [0, 1, 2, 3];
        assert_eq!(encode(&[]), Some(Route::NONE));
        assert_eq!(
            encode(&[up_x, up_y, up_y]),
            Some(Route::regular([1, 2, 0, 0], 0))
        );
        let first = Route::regular([2, 0, 0, 0], 0).with_first(Some(1));
        assert_eq!(encode(&[up_y, up_x, up_x]), Some(first));
        let around = Route::regular([1, 1, 0, 0], 1).with_first(Some(0));
        assert_eq!(
            encode(&[up_x, up_y, down_x]).unwrap().hops(&directions),
            [up_x, up_y, down_x]
        );
        assert_eq!(around.hops(&directions), [up_x, up_y, down_x]);
        assert_eq!(encode(&[up_y, up_y, up_x]), None);
        assert_eq!(encode(&[down_y, down_x, down_x]), None);
    }

    proptest! {
        #[test]
        fn every_route_is_found_again_from_its_hops(counts in any::<[u8; 4]>(), down in 0u8..16, first in proptest::option::of(0usize..4), last in proptest::option::of(0usize..4)) {
            let directions = Directions::positive_first(4);
            let counts = counts.map(|count| count % 5);
            let down = (0..4).filter(|&d| counts[d] > 0).map(|d| down & (1 << d)).sum();
            prop_assume!(counts != [0; 4] || first.is_none() || last.is_none());
            let route = Route::regular(counts, down).with_first(first).with_last(last);
            let hops = route.hops(&directions);
            let found = Route::encode(&directions, &hops).unwrap();
            prop_assert_eq!(found.hops(&directions), hops);
        }

        #[test]
        fn fields_round_trip(counts in any::<[u8; 4]>(), down in 0u8..16, first in proptest::option::of(0usize..4), last in proptest::option::of(0usize..4)) {
            let down = (0..4).filter(|&d| counts[d] > 0).map(|d| down & (1 << d)).sum();
            let route = Route::regular(counts, down).with_first(first).with_last(last);
            let fields = route.fields(4);
            let [a, b, c, d] = &fields;
            prop_assert_eq!(Route::parse([a, b, c, d], 4), Ok(route));
        }
    }
}
