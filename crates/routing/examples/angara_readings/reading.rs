//! What the paper leaves open in BFS, and how it may be read.

use crate::graph::Edge;

/// What is left open, and how it may be read; the first choice on every axis is `angara-bfs`.
#[rustfmt::skip]
pub(crate) const AXES: [(&str, &[&str]); COUNT] = [
    ("steps that repeat regular routes", &["left out", "kept", "only first left out", "only last left out"]),
    ("end edges weigh", &["by vertex", "by node", "nothing"]),
    ("end edge in key", &["if kept", "never", "always"]),
    ("key", &["min", "max", "sum", "mean", "ascending list", "descending list", "list", "list with end last"]),
    ("key over", &["all edges", "edges to what is new"]),
    ("equal vertices", &["as discovered", "backwards", "ascending", "descending"]),
    ("edges", &["lightest first", "as listed"]),
    ("list by", &["rank", "rank down", "dimension", "dimension down, up first", "dimension down", "dimension, down first"]),
    ("list hops", &["together", "regular first", "steps first", "regular, first, last", "regular, last, first",
                    "first, regular, last", "last, first, regular"]),
    ("next of the farthest", &["last, X fastest", "last, X slowest", "first, X fastest", "first, X slowest"]),
    ("first source", &["first", "last"]),
];
const COUNT: usize = 11;

/// Places in [`AXES`].
#[derive(Clone, Copy)]
pub(crate) enum Axis {
    Steps,
    EndWeight,
    End,
    Key,
    KeyEdges,
    Equal,
    Edges,
    List,
    Hops,
    Next,
    First,
}

/// A choice on every axis.
#[derive(Clone, Copy)]
pub(crate) struct Reading([usize; COUNT]);

impl Reading {
    /// The first choice on every axis.
    pub(crate) const FIRST: Self = Self([0; COUNT]);

    pub(crate) fn all() -> impl Iterator<Item = Self> {
        let sizes = AXES.map(|(_, choices)| choices.len());
        (0..sizes.iter().product::<usize>()).map(move |mut number| {
            let mut choices = [0; COUNT];
            for (choice, size) in choices.iter_mut().zip(sizes).rev() {
                (*choice, number) = (number % size, number / size);
            }
            Self(choices)
        })
    }

    /// The choice on an axis.
    #[inline]
    pub(crate) fn on(&self, axis: Axis) -> usize {
        self.0[axis as usize]
    }

    /// The choices on all axes in words.
    pub(crate) fn words(&self) -> impl Iterator<Item = &'static str> {
        AXES.iter()
            .zip(self.0)
            .map(|((_, choices), choice)| choices[choice])
    }

    /// Does no earlier reading necessarily do the same?
    pub(crate) fn is_new(&self) -> bool {
        let weight_is_idle = self.on(Axis::End) == 1 && self.on(Axis::EndWeight) > 0;
        let end_is_there = self.on(Axis::End) == 2 && !self.leaves_out_first();
        !weight_is_idle && !end_is_there
    }

    pub(crate) fn leaves_out_first(&self) -> bool {
        matches!(self.on(Axis::Steps), 0 | 2)
    }

    pub(crate) fn keeps(&self, edge: &Edge) -> bool {
        let left_out = match edge.kind {
            2 => matches!(self.on(Axis::Steps), 0 | 3),
            _ => self.leaves_out_first(),
        };
        !(edge.repeats && left_out)
    }
}
