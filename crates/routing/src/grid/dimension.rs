//! One dimension of a grid or HyperX: which way is shorter, and what becomes of a packet's class.

use crate::grid::Ties;
use std::cmp::Ordering;
use turnwise_network::shape::{Grid, HyperX};
use turnwise_network::{Header, Network, Port, RouterId};

/// `Header::class` of a packet that is about to enter a dimension.
pub(crate) const ENTERING: u16 = 0;

/// How the routers of a dimension are joined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Joined {
    /// Each to the next one.
    Line,
    /// So, and the last to the first.
    Ring,
    /// Each to each.
    Row,
}

#[derive(Clone, Debug)]
pub(crate) struct Dimension {
    pub(crate) index: usize,
    pub(crate) size: u32,
    pub(crate) joined: Joined,
    pub(crate) dateline: bool,
    /// The port up in a line or ring, or in a row the one to coordinate 0 from a higher one.
    pub(crate) first_port: Port,
}

/// A hop along a dimension, either way if both are equally long.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Step {
    pub(crate) here: u32,
    pub(crate) there: u32,
    pub(crate) positive: bool,
    pub(crate) negative: bool,
}

impl Dimension {
    /// Without datelines.
    pub(crate) fn of_grid(shape: &Grid, index: usize) -> Self {
        let joined = match shape.is_ring(index) {
            true => Joined::Ring,
            false => Joined::Line,
        };
        Self {
            index,
            size: shape.sizes[index],
            joined,
            dateline: false,
            first_port: shape.port(index, true),
        }
    }

    pub(crate) fn of_hyperx(shape: &HyperX, index: usize) -> Self {
        Self {
            index,
            size: shape.sizes[index],
            joined: Joined::Row,
            dateline: false,
            first_port: shape.port(index, 1, 0),
        }
    }

    /// The port up or down in a line or ring.
    pub(crate) fn port(&self, positive: bool) -> Port {
        self.first_port + Port::from(!positive)
    }

    /// The port of a hop.
    pub(crate) fn port_of(&self, step: &Step, positive: bool) -> Port {
        match self.joined {
            Joined::Row => self.row_port(step.here, step.there),
            Joined::Line | Joined::Ring => self.port(positive),
        }
    }

    /// The port from one coordinate to another one of a row.
    pub(crate) fn row_port(&self, here: u32, there: u32) -> Port {
        self.first_port + if there < here { there } else { there - 1 } as Port
    }

    /// Hops up from `here` to `there`; meaningful on a ring, or if `there` is higher.
    pub(crate) fn distance_up(&self, here: u32, there: u32) -> u32 {
        if there >= here {
            there - here
        } else {
            there + self.size - here
        }
    }

    /// Hops from one coordinate to another, the shorter way.
    pub(crate) fn distance(&self, from: u32, to: u32) -> u32 {
        match self.joined {
            Joined::Line => from.abs_diff(to),
            Joined::Ring => from.abs_diff(to).min(self.size - from.abs_diff(to)),
            Joined::Row => u32::from(from != to),
        }
    }

    /// The hop from one coordinate towards another.
    pub(crate) fn step(&self, here: u32, there: u32, ties: Ties) -> Step {
        let (positive, negative) = match self.joined {
            Joined::Row => (true, false),
            Joined::Line => (there > here, there < here),
            Joined::Ring => match (2 * self.distance_up(here, there)).cmp(&self.size) {
                Ordering::Less => (true, false),
                Ordering::Greater => (false, true),
                Ordering::Equal => match ties {
                    Ties::Random => (true, true),
                    Ties::Parity => (here.is_multiple_of(2), !here.is_multiple_of(2)),
                    Ties::Positive => (true, false),
                },
            },
        };
        Step {
            here,
            there,
            positive,
            negative,
        }
    }

    /// Can both ways be equally long?
    pub(crate) fn has_ties(&self) -> bool {
        self.joined == Joined::Ring && self.size.is_multiple_of(2)
    }
}

/// Hops between two routers with these coordinates.
pub(crate) fn distance(dimensions: &[Dimension], from: &[u32], to: &[u32]) -> u32 {
    let hops = |dimension: &Dimension| {
        let index = dimension.index;
        dimension.distance(from[index], to[index])
    };
    dimensions.iter().map(hops).sum()
}

impl Step {
    pub(crate) fn is_tie(&self) -> bool {
        self.positive && self.negative
    }

    /// Does a packet that enters a ring here take the upper class?
    pub(crate) fn upper_class(&self, positive: bool) -> bool {
        let wraps = match positive {
            true => self.here > self.there,
            false => self.here < self.there,
        };
        wraps == positive
    }

    /// Does this hop end the way along the dimension?
    pub(crate) fn is_last(&self, dimension: &Dimension, positive: bool) -> bool {
        let (from, to) = match positive {
            true => (self.here, self.there),
            false => (self.there, self.here),
        };
        dimension.joined == Joined::Row || dimension.distance_up(from, to) == 1
    }
}

/// The class of a hop: 0 without dateline classes, or else 1 plus the one it took on entering.
#[inline]
pub(crate) fn class(dateline: bool, header: Header, upper: bool) -> u16 {
    match (dateline, header.class) {
        (false, _) => 0,
        (true, ENTERING) => 1 + u16::from(upper),
        (true, class) => class.min(2),
    }
}

/// Does every channel of the shape exist?
pub(crate) fn is_complete(network: &Network, shape: &Grid) -> bool {
    network.routers().all(|router| {
        let coordinates = shape.coordinates(router.0);
        (0..shape.sizes.len()).all(|dimension| {
            [true, false].into_iter().all(|positive| {
                let Some(next) = shape.step(dimension, coordinates[dimension], positive) else {
                    return true;
                };
                let mut there = coordinates.clone();
                there[dimension] = next;
                let port = shape.port(dimension, positive);
                network.next_router(router, port) == Some(RouterId(shape.router_at(&there)))
            })
        })
    })
}
