//! Explicit tables, and random ones.

use super::eject;
use std::collections::BTreeMap;
use turnwise_network::metrics::{UNREACHABLE, distances};
use turnwise_network::random::Random;
use turnwise_network::{
    ChannelId, End, Header, Hop, Network, RouterId, Routing, Start, TerminalId, Vc, VcSet,
};

/// The hops of one route.
pub(crate) type Route = Vec<(ChannelId, Vc)>;

/// One explicit route for each pair, between terminals or between routers.
pub(crate) struct Table<'a> {
    pub(crate) network: &'a Network,
    pub(crate) vcs: Vc,
    pub(crate) between_terminals: bool,
    pub(crate) routes: BTreeMap<(u32, u32), Route>,
}

impl Table<'_> {
    pub(crate) fn route(&self, source: TerminalId, destination: TerminalId) -> Option<&Route> {
        let router = |terminal| self.network.router_of(terminal).0;
        match self.between_terminals {
            true => self.routes.get(&(source.0, destination.0)),
            false => self.routes.get(&(router(source), router(destination))),
        }
    }
}

impl Routing for Table<'_> {
    fn virtual_channels(&self) -> Vc {
        self.vcs
    }

    fn start(&self, source: TerminalId, destination: TerminalId) -> Option<Start> {
        self.route(source, destination)?;
        let header = Header {
            via: source.0,
            ..Header::to(destination)
        };
        Some(Start {
            header,
            vcs: VcSet::one(0),
        })
    }

    fn options(&self, at: RouterId, header: Header, options: &mut Vec<Hop>) {
        let Some(route) = self.route(TerminalId(header.via), header.destination) else {
            return;
        };
        let Some(&(channel, vc)) = route.get(header.step as usize) else {
            if at == self.network.router_of(header.destination) {
                options.push(eject(self.network, header));
            }
            return;
        };
        let End::Router(router, port) = self.network.channel(channel).source else {
            return;
        };
        assert_eq!(router, at);
        options.push(Hop {
            port,
            vcs: VcSet::one(vc),
            header: Header {
                step: header.step + 1,
                ..header
            },
        });
    }

    fn distinguishes_terminals(&self) -> bool {
        self.between_terminals
    }
}

/// How the random tables assign virtual channels.
#[derive(Clone, Copy, Debug)]
pub(crate) enum VcRule {
    Random,
    /// The n-th hop takes VC n, as far as there are VCs.
    ByHop,
    Zero,
}

/// A random simple path for each pair (or a shortest one) with VCs by some rule.
pub(crate) fn random_table<'a>(network: &'a Network, rng: &mut Random) -> Table<'a> {
    let vcs = [1, 1, 2, 3][rng.below(4) as usize];
    let between_terminals = rng.below(2) == 0;
    let shortest = rng.below(3) == 0;
    let rule = [VcRule::Random, VcRule::ByHop, VcRule::Zero][rng.below(3) as usize];
    let mut routes = BTreeMap::new();
    let ends: Vec<(u32, RouterId)> = match between_terminals {
        true => network
            .living_terminals()
            .map(|terminal| (terminal.0, network.router_of(terminal)))
            .collect(),
        false => network.routers().map(|router| (router.0, router)).collect(),
    };
    for &(source, from) in &ends {
        for &(destination, to) in &ends {
            if between_terminals && source == destination {
                continue;
            }
            if let Some(channels) = random_path(network, from, to, shortest, rng) {
                let route = channels.into_iter().enumerate().map(|(hop, channel)| {
                    let vc = match rule {
                        VcRule::Random => rng.below(u32::from(vcs)) as Vc,
                        VcRule::ByHop => (hop as Vc).min(vcs - 1),
                        VcRule::Zero => 0,
                    };
                    (channel, vc)
                });
                routes.insert((source, destination), route.collect());
            }
        }
    }
    Table {
        network,
        vcs,
        between_terminals,
        routes,
    }
}

fn random_path(
    network: &Network,
    from: RouterId,
    to: RouterId,
    shortest: bool,
    rng: &mut Random,
) -> Option<Vec<ChannelId>> {
    // All links have two directions in these tests, so distances from `to` are distances to it.
    let distance = distances(network, to);
    if distance[from.index()] == UNREACHABLE {
        return None;
    }
    let mut path: Vec<ChannelId> = Vec::new();
    let mut at = from;
    let mut visited = vec![from];
    while at != to {
        let closer = |router: RouterId| distance[router.index()] < distance[at.index()];
        let onward: Vec<_> = network
            .neighbours(at)
            .filter(|n| !shortest || closer(n.router))
            .collect();
        let step = onward[rng.below(onward.len() as u32) as usize];
        path.push(step.channel);
        at = step.router;
        // A random walk with its loops erased is a random simple path.
        if let Some(before) = visited.iter().position(|&router| router == at) {
            visited.truncate(before);
            path.truncate(before);
        }
        visited.push(at);
    }
    Some(path)
}
