//! Dimension order on meshes, tori and hypercubes.

use super::Ties;
use crate::lanes::Lanes;
use crate::survivors::Survivors;
use std::sync::Arc;
use turnwise_network::random::Random;
use turnwise_network::shape::Grid;
use turnwise_network::{
    Congestion, Header, Hop, Network, Port, RouterId, Routing, Start, TerminalId, Vc, VcSet,
};

/// `Header::class` of a packet that is about to enter a dimension.
const ENTERING: u16 = 0;

pub(super) struct GridOrder {
    network: Arc<Network>,
    coordinates: Vec<u32>,
    /// In the order they are taken.
    dimensions: Vec<Dimension>,
    ties: Ties,
    lanes: Lanes,
    /// Virtual channels by `Header::class` while inside a ring.
    classes: [VcSet; 3],
    survivors: Option<Survivors>,
    /// By router and destination router: port and flags below; empty for faulty or large grids.
    lookup: Vec<u16>,
}

/// Beyond this many routers the table would leave the caches and take long to fill.
const MOST_ROUTERS: usize = 1024;
/// Lower bits of a table entry: the port.
const PORT: u16 = 0xff;
/// The dimension has dateline classes.
const DATELINE: u16 = 0x100;
/// A packet that enters the dimension here takes the upper class.
const UPPER_CLASS: u16 = 0x200;
/// This hop ends the packet's way along the dimension.
const LAST: u16 = 0x400;
/// Both ways along the dimension are equally long; the port is that of the way up.
const TIE: u16 = 0x800;
/// The table does not say.
const UNDECIDED: u16 = u16::MAX;

struct Dimension {
    index: usize,
    size: u32,
    ring: bool,
    dateline: bool,
    positive_port: Port,
}

/// What the rule does next: move along a dimension, either way if it is a tie.
struct Move<'a> {
    dimension: &'a Dimension,
    here: u32,
    there: u32,
    positive: bool,
    negative: bool,
}

impl Dimension {
    fn port(&self, positive: bool) -> Port {
        self.positive_port + Port::from(!positive)
    }

    /// Hops up from `here` to `there`; meaningful on a ring, or if `there` is higher.
    fn distance_up(&self, here: u32, there: u32) -> u32 {
        if there >= here {
            there - here
        } else {
            there + self.size - here
        }
    }
}

impl GridOrder {
    pub(super) fn new(
        network: &Arc<Network>,
        shape: &Grid,
        order: &[usize],
        ties: Ties,
        lanes: Lanes,
        dateline: bool,
    ) -> Self {
        let dimensions = order.iter().map(|&index| Dimension {
            index,
            size: shape.sizes[index],
            ring: shape.is_ring(index),
            dateline: dateline && shape.is_ring(index),
            positive_port: shape.port(index, true),
        });
        let classes = [lanes.every_class(), lanes.class(0, 2), lanes.class(1, 2)];
        let routers = network.routers();
        let mut routing = Self {
            network: network.clone(),
            coordinates: routers
                .flat_map(|router| shape.coordinates(router.0))
                .collect(),
            dimensions: dimensions.collect(),
            ties,
            lanes,
            classes,
            survivors: None,
            lookup: Vec::new(),
        };
        if !is_complete(network, shape) {
            let may = |at, destination, port| {
                routing.next_move(at, destination).is_some_and(|step| {
                    step.positive && port == step.dimension.port(true)
                        || step.negative && port == step.dimension.port(false)
                })
            };
            routing.survivors = Some(Survivors::of_rule(network, may));
        } else if network.router_count() <= MOST_ROUTERS {
            let pairs = network
                .routers()
                .flat_map(|at| network.routers().map(move |to| (at, to)));
            routing.lookup = pairs.map(|(at, to)| routing.entry(at, to)).collect();
        }
        routing
    }

    fn next_move(&self, at: RouterId, destination: RouterId) -> Option<Move<'_>> {
        let count = self.dimensions.len();
        let here = &self.coordinates[at.index() * count..][..count];
        let there = &self.coordinates[destination.index() * count..][..count];
        let unfinished = |dimension: &&Dimension| here[dimension.index] != there[dimension.index];
        let dimension = self.dimensions.iter().find(unfinished)?;
        let (here, there) = (here[dimension.index], there[dimension.index]);
        let (positive, negative) = if dimension.ring {
            let up = dimension.distance_up(here, there);
            match (2 * up).cmp(&dimension.size) {
                std::cmp::Ordering::Less => (true, false),
                std::cmp::Ordering::Greater => (false, true),
                std::cmp::Ordering::Equal => match self.ties {
                    Ties::Random => (true, true),
                    Ties::Parity => (here.is_multiple_of(2), !here.is_multiple_of(2)),
                    Ties::Positive => (true, false),
                },
            }
        } else {
            (there > here, there < here)
        };
        Some(Move {
            dimension,
            here,
            there,
            positive,
            negative,
        })
    }

    /// One hop along the dimension, unless it leads where faults leave no way on.
    fn hop(&self, at: RouterId, header: Header, step: &Move<'_>, positive: bool) -> Option<Hop> {
        let Move {
            dimension,
            here,
            there,
            ..
        } = *step;
        let port = dimension.port(positive);
        if let Some(survivors) = &self.survivors {
            let next = self.network.next_router(at, port)?;
            let destination = self.network.router_of(header.destination);
            if !survivors.reaches(next, destination) {
                return None;
            }
        }
        let class = match (dimension.dateline, header.class) {
            (false, _) => 0,
            (true, ENTERING) => {
                let wraps = if positive { here > there } else { here < there };
                1 + u16::from(wraps == positive)
            }
            (true, class) => class.min(2),
        };
        let up = dimension.distance_up(here, there);
        let last = if positive {
            up == 1
        } else {
            dimension.distance_up(there, here) == 1
        };
        let next = Header {
            class: if last { ENTERING } else { class },
            ..header
        };
        Some(Hop {
            port,
            vcs: self.classes[usize::from(class)],
            header: next,
        })
    }

    /// The hop inside a healthy grid, looked up because every packet takes it at every router;
    /// at a tie the way up and `true`. The way down differs by its port alone.
    #[inline]
    fn looked_up(&self, at: RouterId, header: Header) -> Option<(Hop, bool)> {
        let row = at.index() * self.network.router_count();
        let destination = self.network.router_of(header.destination);
        let entry = *self.lookup.get(row + destination.index())?;
        if entry == UNDECIDED {
            return (at == destination).then(|| (self.ejection(header), false));
        }
        let class = if entry & DATELINE == 0 {
            0
        } else if header.class == ENTERING {
            1 + u16::from(entry & UPPER_CLASS != 0)
        } else {
            header.class.min(2)
        };
        let next = if entry & LAST != 0 { ENTERING } else { class };
        let hop = Hop {
            port: entry & PORT,
            vcs: self.classes[usize::from(class)],
            header: Header {
                class: next,
                ..header
            },
        };
        Some((hop, entry & TIE != 0))
    }

    #[inline]
    fn ejection(&self, header: Header) -> Hop {
        Hop {
            port: self.network.terminal_port(header.destination),
            vcs: self.lanes.all(),
            header,
        }
    }

    /// An entry of the table for [`looked_up`](Self::looked_up).
    fn entry(&self, at: RouterId, destination: RouterId) -> u16 {
        let Some(step) = self.next_move(at, destination) else {
            return UNDECIDED;
        };
        let port = step.dimension.port(step.positive);
        if port >= PORT {
            return UNDECIDED;
        }
        let (from, to) = if step.positive {
            (step.here, step.there)
        } else {
            (step.there, step.here)
        };
        let flag = |on: bool, flag: u16| if on { flag } else { 0 };
        port | flag(step.positive && step.negative, TIE)
            | flag(step.dimension.dateline, DATELINE)
            | flag((from > to) == step.positive, UPPER_CLASS)
            | flag(step.dimension.distance_up(from, to) == 1, LAST)
    }

    /// All there is to do, at most two things.
    fn hops(&self, at: RouterId, header: Header) -> [Option<Hop>; 2] {
        let destination = self.network.router_of(header.destination);
        if at == destination {
            return [Some(self.ejection(header)), None];
        }
        let Some(step) = self.next_move(at, destination) else {
            return [None, None];
        };
        let hop = |positive| self.hop(at, header, &step, positive);
        [
            step.positive.then(|| hop(true)).flatten(),
            step.negative.then(|| hop(false)).flatten(),
        ]
    }
}

/// Does every channel of the shape exist?
fn is_complete(network: &Network, shape: &Grid) -> bool {
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

impl Routing for GridOrder {
    fn virtual_channels(&self) -> Vc {
        self.lanes.total
    }

    fn start(&self, source: TerminalId, destination: TerminalId) -> Option<Start> {
        if !self.network.is_terminal_alive(source) || !self.network.is_terminal_alive(destination) {
            return None;
        }
        if let Some(survivors) = &self.survivors {
            let (from, to) = (
                self.network.router_of(source),
                self.network.router_of(destination),
            );
            if !survivors.reaches(from, to) {
                return None;
            }
        }
        Some(Start {
            header: Header::to(destination),
            vcs: self.lanes.all(),
        })
    }

    fn options(&self, at: RouterId, header: Header, options: &mut Vec<Hop>) {
        options.extend(self.hops(at, header).into_iter().flatten());
    }

    fn choose(
        &self,
        at: RouterId,
        header: Header,
        _: &dyn Congestion,
        dice: &mut Random,
    ) -> Option<Hop> {
        if let Some((mut hop, tie)) = self.looked_up(at, header) {
            hop.port += if tie { dice.below(2) as Port } else { 0 };
            return Some(hop);
        }
        match self.hops(at, header) {
            [Some(up), Some(down)] => Some(if dice.below(2) == 0 { up } else { down }),
            [one, other] => one.or(other),
        }
    }

    fn settled(&self, at: RouterId, header: Header) -> Option<Hop> {
        let (hop, tie) = self.looked_up(at, header)?;
        (!tie).then_some(hop)
    }

    fn keeps_order(&self) -> bool {
        self.ties != Ties::Random && self.lanes.total == 1
    }
}
