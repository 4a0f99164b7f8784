//! Rules: dimension order, adaptive minimal, Valiant, and anything from closures.

use super::eject;
use turnwise_network::metrics::distances;
use turnwise_network::{
    Header, Hop, Network, Port, RouterId, Routing, Shape, Start, TerminalId, TwoPhases, Vc, VcSet,
};

/// Dimension order on a grid, X first, `+` on ties; with datelines packets that have gone
/// around the end of a ring change to VC 1 until they leave it.
pub(crate) struct DimensionOrder<'a> {
    pub(crate) network: &'a Network,
    pub(crate) datelines: bool,
}

impl Routing for DimensionOrder<'_> {
    fn virtual_channels(&self) -> Vc {
        if self.datelines { 2 } else { 1 }
    }

    fn start(&self, _: TerminalId, destination: TerminalId) -> Option<Start> {
        Some(Start {
            header: Header::to(destination),
            vcs: VcSet::one(0),
        })
    }

    fn options(&self, at: RouterId, header: Header, options: &mut Vec<Hop>) {
        let Shape::Grid(grid) = self.network.shape() else {
            panic!("a grid")
        };
        let here = grid.coordinates(at.0);
        let there = grid.coordinates(self.network.router_of(header.destination).0);
        let Some(dimension) =
            (0..here.len()).find(|&dimension| here[dimension] != there[dimension])
        else {
            return options.push(eject(self.network, header));
        };
        let (from, to, size) = (here[dimension], there[dimension], grid.sizes[dimension]);
        let ahead = (to + size - from) % size;
        let positive = match grid.is_ring(dimension) {
            true => 2 * ahead <= size,
            false => to > from,
        };
        let next = grid.step(dimension, from, positive).unwrap();
        let wraps = grid.is_ring(dimension) && from.abs_diff(next) > 1;
        // `phase` is the dimension of the last hop plus one, so that VC 1 ends with its ring.
        let same_ring = usize::from(header.phase) == dimension + 1;
        let class = u16::from(self.datelines && (wraps || (same_ring && header.class == 1)));
        let header = Header {
            class,
            phase: dimension as u8 + 1,
            ..header
        };
        options.push(Hop {
            port: grid.port(dimension, positive),
            vcs: VcSet::one(class as Vc),
            header,
        });
    }
}

/// Any channel that leads closer to the destination, on any virtual channel.
pub(crate) struct AdaptiveMinimal<'a> {
    pub(crate) network: &'a Network,
    pub(crate) vcs: Vc,
}

impl Routing for AdaptiveMinimal<'_> {
    fn virtual_channels(&self) -> Vc {
        self.vcs
    }

    fn start(&self, _: TerminalId, destination: TerminalId) -> Option<Start> {
        Some(Start {
            header: Header::to(destination),
            vcs: VcSet::one(0),
        })
    }

    fn options(&self, at: RouterId, header: Header, options: &mut Vec<Hop>) {
        let to = self.network.router_of(header.destination);
        if at == to {
            return options.push(eject(self.network, header));
        }
        minimal(self.network, at, to, |port| {
            options.push(Hop {
                port,
                vcs: VcSet::all(self.vcs),
                header,
            })
        });
    }
}

fn minimal(network: &Network, at: RouterId, to: RouterId, mut found: impl FnMut(Port)) {
    let distance = distances(network, to);
    for neighbour in network.neighbours(at) {
        if distance[neighbour.router.index()] < distance[at.index()] {
            found(neighbour.port);
        }
    }
}

/// Valiant: minimally to a random router, then minimally on, by the first minimal channel;
/// every phase has its own virtual channel.
pub(crate) struct Valiant<'a> {
    pub(crate) network: &'a Network,
}

impl Routing for Valiant<'_> {
    fn virtual_channels(&self) -> Vc {
        2
    }

    fn two_phases(&self) -> Option<&dyn TwoPhases> {
        Some(self)
    }

    fn start(&self, _: TerminalId, destination: TerminalId) -> Option<Start> {
        Some(Start {
            header: Header::to(destination),
            vcs: VcSet::one(0),
        })
    }

    fn options(&self, at: RouterId, header: Header, options: &mut Vec<Hop>) {
        let to = self.network.router_of(header.destination);
        if header.phase == 0 && at == to {
            options.push(eject(self.network, header));
        } else if header.phase == 0 {
            for via in self.network.routers() {
                let header = self.by(at, header, via);
                options.extend(self.onward(at, to, header));
            }
        } else {
            options.extend(self.onward(at, to, header));
        }
    }
}

impl TwoPhases for Valiant<'_> {
    fn intermediates(&self) -> Vec<RouterId> {
        self.network.routers().collect()
    }

    fn by(&self, _: RouterId, header: Header, intermediate: RouterId) -> Header {
        Header {
            via: intermediate.0,
            phase: 1,
            ..header
        }
    }
}

impl Valiant<'_> {
    fn onward(&self, at: RouterId, to: RouterId, header: Header) -> Option<Hop> {
        let header = match header.phase == 1 && at.0 == header.via {
            true => Header {
                via: 0,
                phase: 2,
                ..header
            },
            false => header,
        };
        let target = if header.phase == 1 {
            RouterId(header.via)
        } else {
            to
        };
        if at == target {
            return Some(eject(self.network, header));
        }
        let mut first = None;
        minimal(self.network, at, target, |port| {
            first.get_or_insert(port);
        });
        Some(Hop {
            port: first?,
            vcs: VcSet::one(header.phase as Vc - 1),
            header,
        })
    }
}

/// Anything: starts and options from closures.
pub(crate) struct Custom<S, O> {
    pub(crate) vcs: Vc,
    pub(crate) start: S,
    pub(crate) options: O,
}

impl<S, O> Routing for Custom<S, O>
where
    S: Fn(TerminalId, TerminalId) -> Option<Header> + Send + Sync,
    O: Fn(RouterId, Header, &mut Vec<Hop>) + Send + Sync,
{
    fn virtual_channels(&self) -> Vc {
        self.vcs
    }

    fn start(&self, source: TerminalId, destination: TerminalId) -> Option<Start> {
        Some(Start {
            header: (self.start)(source, destination)?,
            vcs: VcSet::one(0),
        })
    }

    fn options(&self, at: RouterId, header: Header, options: &mut Vec<Hop>) {
        (self.options)(at, header, options);
    }
}
