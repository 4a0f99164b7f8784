//! A whole route for each (source router, destination router).

use super::{Ends, both_live, ejection};
use crate::contract::{Congestion, Header, Hop, Routing, Start};
use crate::ids::{Port, RouterId, TerminalId, Vc, VcSet};
use crate::network::Network;
use crate::populated::PopulatedRouters;
use crate::random::Random;
use std::sync::Arc;
use turnwise_config::diagnostic::Invalid;

/// A whole route for each (source router, destination router).
///
/// `Header::via` is where the next hop stands in the arena.
#[derive(Clone, Debug)]
pub struct PathTable {
    network: Arc<Network>,
    sources: PopulatedRouters,
    /// Where the route of a pair begins; it ends where the next begins.
    offsets: Vec<u32>,
    ports: Vec<Port>,
    vcs: Vec<Vc>,
    total: Vc,
}

impl PathTable {
    /// Asks `route` for the hops of every ordered pair of different routers with terminals,
    /// which it appends to an empty list; none means that the pair is not routed.
    ///
    /// O(sum of route lengths) time and memory.
    ///
    /// # Errors
    /// A hop that leads to no living router, a route that ends elsewhere or meets its
    /// destination twice, a virtual channel at or above `virtual_channels`, an arena of 2^32 hops.
    pub fn new(
        network: &Arc<Network>,
        virtual_channels: Vc,
        mut route: impl FnMut(RouterId, RouterId, &mut Vec<(Port, Vc)>),
    ) -> Result<Self, Invalid> {
        if virtual_channels == 0 || virtual_channels > VcSet::CAPACITY {
            let message = format!(
                "expected 1 to {} virtual channels, found {virtual_channels}",
                VcSet::CAPACITY
            );
            return Err(Invalid::new("virtual_channels", message));
        }
        let sources = PopulatedRouters::new(network);
        let (mut offsets, mut ports, mut vcs) = (vec![0], Vec::new(), Vec::new());
        let mut hops = Vec::new();
        for &from in &sources.routers {
            for &to in &sources.routers {
                hops.clear();
                if from != to {
                    route(from, to, &mut hops);
                }
                check_route(network, Ends { from, to }, &hops, virtual_channels)?;
                ports.extend(hops.iter().map(|&(port, _)| port));
                vcs.extend(hops.iter().map(|&(_, vc)| vc));
                let end = u32::try_from(ports.len());
                offsets.push(end.map_err(|_| {
                    Invalid::new("", "the routes have more than 2^32 hops together")
                })?);
            }
        }
        Ok(Self {
            network: network.clone(),
            sources,
            offsets,
            ports,
            vcs,
            total: virtual_channels,
        })
    }

    /// The hops of a pair's route; empty if it is not routed, or from a router to itself.
    pub fn route(&self, from: RouterId, to: RouterId) -> impl ExactSizeIterator<Item = (Port, Vc)> {
        let hops = self.range(from, to).unwrap_or_default();
        hops.map(|hop| (self.ports[hop], self.vcs[hop]))
    }

    fn range(&self, from: RouterId, to: RouterId) -> Option<std::ops::Range<usize>> {
        let (row, column) = (self.sources.number(from)?, self.sources.number(to)?);
        let pair = row * self.sources.routers.len() + column;
        Some(self.offsets[pair] as usize..self.offsets[pair + 1] as usize)
    }

    #[inline]
    fn hop(&self, at: RouterId, header: Header) -> Option<Hop> {
        let destination = self.network.router_of(header.destination);
        if at == destination {
            return Some(ejection(&self.network, header, self.total));
        }
        next_of(&self.network, at, header, (&self.ports, &self.vcs))
    }
}

/// The hop of a route that lies behind others in one arena of ports and virtual channels: `Header::via` is where, until the route ends.
#[inline]
pub fn next_of(
    network: &Network,
    at: RouterId,
    header: Header,
    (ports, vcs): (&[Port], &[Vc]),
) -> Option<Hop> {
    let hop = header.via as usize;
    let (&port, &vc) = (ports.get(hop)?, vcs.get(hop)?);
    // Forget the place at the end, so that all routes arrive in the same state.
    let last = network.next_router(at, port)? == network.router_of(header.destination);
    let via = if last { 0 } else { header.via + 1 };
    Some(Hop {
        port,
        vcs: VcSet::one(vc),
        header: Header { via, ..header },
    })
}

fn check_route(
    network: &Network,
    ends: Ends,
    hops: &[(Port, Vc)],
    virtual_channels: Vc,
) -> Result<(), Invalid> {
    let mut at = ends.from;
    for (index, &(port, vc)) in hops.iter().enumerate() {
        if vc >= virtual_channels {
            let what = format_args!("takes virtual channel {vc} of {virtual_channels}");
            return Err(ends.wrong(what));
        }
        at = ends.follow(network, at, port)?;
        if at == ends.to && index + 1 < hops.len() {
            return Err(ends.wrong("goes on behind its end"));
        }
    }
    if hops.is_empty() || at == ends.to {
        Ok(())
    } else {
        Err(ends.wrong(format_args!("ends at router {at}")))
    }
}

impl Routing for PathTable {
    fn memory_bytes(&self) -> u64 {
        let of_hop = size_of::<Port>() + size_of::<Vc>();
        (4 * self.offsets.len() + of_hop * self.ports.len()) as u64
    }

    fn virtual_channels(&self) -> Vc {
        self.total
    }

    fn start(&self, source: TerminalId, destination: TerminalId) -> Option<Start> {
        let (from, to) = (
            self.network.router_of(source),
            self.network.router_of(destination),
        );
        let range = self.range(from, to)?;
        let via = if from == to { 0 } else { range.start as u32 };
        let header = Header {
            via,
            ..Header::to(destination)
        };
        let routed = from == to || !range.is_empty();
        (routed && both_live(&self.network, source, destination)).then(|| Start {
            header,
            vcs: VcSet::all(self.total),
        })
    }

    fn options(&self, at: RouterId, header: Header, options: &mut Vec<Hop>) {
        options.extend(self.hop(at, header));
    }

    fn choose(
        &self,
        at: RouterId,
        header: Header,
        _: &dyn Congestion,
        _: &mut Random,
    ) -> Option<Hop> {
        self.hop(at, header)
    }

    fn settled(&self, at: RouterId, header: Header) -> Option<Hop> {
        self.hop(at, header)
    }

    fn keeps_order(&self) -> bool {
        self.total == 1
    }
}
