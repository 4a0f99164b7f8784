//! Loads laid out so that the channels of a run along one dimension lie side by side.
//!
//! A route is a handful of runs, and a run is one span of a line, or two where it passes the end of a
//! ring. Sums and updates over spans are as fast as memory.

use crate::angara::{Direction, Directions, Route, Rules, System};
use std::ops::Range;

/// Routes by channel: direction by direction, line by line, by coordinate.
pub(super) struct Lines<'a> {
    system: &'a System,
    strides: [u32; Directions::MOST_DIMENSIONS],
    /// By node and dimension: where its line begins, as far as the first direction's channels go.
    begins: Vec<[u32; Directions::MOST_DIMENSIONS]>,
    /// Twice the load, and one more while the channel is taken.
    marked_loads: Vec<u32>,
}

/// Channels side by side.
pub(super) type Span = Range<u32>;

impl<'a> Lines<'a> {
    pub(super) fn new(rules: &'a Rules) -> Self {
        let system = rules.system();
        let mut strides = [0; Directions::MOST_DIMENSIONS];
        let mut stride = 1;
        for (slot, &size) in strides.iter_mut().zip(system.sizes()).rev() {
            *slot = stride;
            stride *= size;
        }
        let begins = |node: u32| {
            let mut begins = [0; Directions::MOST_DIMENSIONS];
            for (dimension, &size) in system.sizes().iter().enumerate() {
                let (before, after) = (node / strides[dimension] / size, node % strides[dimension]);
                begins[dimension] = (before * strides[dimension] + after) * size;
            }
            begins
        };
        Self {
            system,
            begins: (0..system.nodes() as u32).map(begins).collect(),
            strides,
            marked_loads: vec![0; system.targets().len()],
        }
    }

    /// Calls `found` with the spans a route crosses.
    #[inline]
    pub(super) fn each_span(&self, source: u32, route: Route, mut found: impl FnMut(Span)) {
        let directions = self.system.directions();
        let nodes = self.system.nodes() as u32;
        let mut node = source;
        let mut at = self.system.coordinates(source).map(u32::from);
        route.each_run(directions, |rank, hops| {
            let Direction {
                dimension,
                positive,
            } = directions.at(rank);
            let dimension = usize::from(dimension);
            let size = self.system.sizes()[dimension];
            let line = rank as u32 * nodes + self.begins[node as usize][dimension];
            let here = at[dimension];
            let there = if positive {
                let end = here + hops;
                if end <= size {
                    found(line + here..line + end);
                } else {
                    found(line + here..line + size);
                    found(line..line + end - size);
                }
                if end < size { end } else { end - size }
            } else if hops <= here {
                found(line + here + 1 - hops..line + here + 1);
                here - hops
            } else {
                let rest = hops - here - 1;
                found(line..line + here + 1);
                if rest > 0 {
                    found(line + size - rest..line + size);
                }
                size - rest - 1
            };
            at[dimension] = there;
            let line_start = node - here * self.strides[dimension];
            node = line_start + there * self.strides[dimension];
        });
    }

    /// The direction of a span's channels.
    #[inline]
    pub(super) fn rank(&self, span: &Span) -> u32 {
        span.start / self.system.nodes() as u32
    }

    /// Adds a route.
    #[inline]
    pub(super) fn add(&mut self, source: u32, route: Route) {
        let mut loads = std::mem::take(&mut self.marked_loads);
        self.each_span(source, route, |span| add_all(&mut loads, &span, 2));
        self.marked_loads = loads;
    }

    /// Sum of the loads of some spans.
    #[inline]
    pub(super) fn sum(&self, spans: &[Span]) -> u64 {
        let mut sum = 0;
        for span in spans {
            for &marked in self.of(span) {
                sum += u64::from(marked >> 1);
            }
        }
        sum
    }

    /// The largest load of some spans.
    #[inline]
    pub(super) fn most(&self, spans: &[Span]) -> u32 {
        let of_span = |span| self.of(span).iter().map(|&marked| marked >> 1).max();
        spans.iter().filter_map(of_span).max().unwrap_or(0)
    }

    /// Takes all channels of some spans; `false` if one of them is taken already.
    #[inline]
    pub(super) fn take(&mut self, spans: &[Span]) -> bool {
        let taken = |span| self.of(span).iter().any(|&marked| marked & 1 == 1);
        if spans.iter().any(taken) {
            return false;
        }
        for span in spans {
            add_all(&mut self.marked_loads, span, 1);
        }
        true
    }

    /// Adds a route whose channels are taken, and gives them back.
    #[inline]
    pub(super) fn settle(&mut self, spans: &[Span]) {
        for span in spans {
            add_all(&mut self.marked_loads, span, 1);
        }
    }

    #[inline]
    fn of(&self, span: &Span) -> &[u32] {
        &self.marked_loads[span.start as usize..span.end as usize]
    }
}

#[inline]
fn add_all(values: &mut [u32], span: &Span, more: u32) {
    for value in &mut values[span.start as usize..span.end as usize] {
        *value += more;
    }
}
