//! How long analyses take: `cargo bench -p turnwise-verify`.
//!
//! Valiant on a dragonfly has the most header states of all common routings: about the
//! square of the number of routers for each destination.
#![allow(clippy::print_stdout, reason = "a benchmark reports on its output")]

use std::time::Instant;
use turnwise_network::FlowControl;
use turnwise_network::metrics::distances;
use turnwise_network::topologies::{ChannelLatency, Dragonfly, Topology, Torus};
use turnwise_network::{
    Header, Hop, Network, Port, RouterId, Routing, Start, TerminalId, Vc, VcSet,
};
use turnwise_verify::{analyse, lower_bound};

/// Minimal first hops between all routers.
struct Minimal<'a> {
    network: &'a Network,
    ports: Vec<Port>,
}

impl<'a> Minimal<'a> {
    fn new(network: &'a Network) -> Self {
        let routers = network.router_count();
        let mut ports = vec![0; routers * routers];
        for to in network.routers() {
            let distance = distances(network, to);
            for at in network.routers() {
                let closer = network
                    .neighbours(at)
                    .find(|n| distance[n.router.index()] < distance[at.index()]);
                ports[at.index() * routers + to.index()] = closer.map_or(0, |n| n.port);
            }
        }
        Self { network, ports }
    }

    fn hop(&self, at: RouterId, to: RouterId, header: Header, vc: u16) -> Hop {
        let port = match at == to {
            true => self.network.terminal_port(header.destination),
            false => self.ports[at.index() * self.network.router_count() + to.index()],
        };
        let header = Header {
            step: u32::from(vc) + 1,
            ..header
        };
        Hop {
            port,
            vcs: VcSet::one(vc.min(7) as Vc),
            header,
        }
    }
}

impl Routing for Minimal<'_> {
    fn virtual_channels(&self) -> Vc {
        8
    }
    fn start(&self, _: TerminalId, destination: TerminalId) -> Option<Start> {
        Some(Start {
            header: Header::to(destination),
            vcs: VcSet::one(0),
        })
    }
    fn options(&self, at: RouterId, header: Header, options: &mut Vec<Hop>) {
        options.push(self.hop(
            at,
            self.network.router_of(header.destination),
            header,
            header.step as u16,
        ));
    }
}

/// Through any router, a new virtual channel for every hop.
struct Valiant<'a>(Minimal<'a>);

impl Routing for Valiant<'_> {
    fn virtual_channels(&self) -> Vc {
        8
    }
    fn start(&self, source: TerminalId, destination: TerminalId) -> Option<Start> {
        self.0.start(source, destination)
    }
    fn options(&self, at: RouterId, header: Header, options: &mut Vec<Hop>) {
        match header.phase {
            0 => options.extend(self.0.network.routers().map(|via| {
                self.onward(
                    at,
                    Header {
                        via: via.0,
                        phase: 1,
                        ..header
                    },
                )
            })),
            _ => options.push(self.onward(at, header)),
        }
    }
}

impl Valiant<'_> {
    fn onward(&self, at: RouterId, header: Header) -> Hop {
        match header.phase == 1 && header.via != at.0 {
            true => self
                .0
                .hop(at, RouterId(header.via), header, header.step as u16),
            false => {
                let header = Header {
                    phase: 2,
                    via: 0,
                    ..header
                };
                self.0.hop(
                    at,
                    self.0.network.router_of(header.destination),
                    header,
                    header.step as u16,
                )
            }
        }
    }
}

fn main() {
    let dragonfly = Dragonfly {
        groups: 33,
        routers_per_group: 8,
        terminals_per_router: 4,
        global_ports_per_router: Some(4),
        arrangement: Default::default(),
        seed: 0,
        channel_latency: ChannelLatency::default(),
    };
    let torus = Torus {
        sizes: vec![10, 10, 10],
        ..Torus::default()
    };
    let build = |topology: &dyn Topology| {
        topology
            .build(None)
            .expect("parameters of the benchmark are valid")
    };
    let (dragonfly, torus) = (build(&dragonfly), build(&torus));
    report(
        "Valiant, 264-router dragonfly",
        &dragonfly,
        &Valiant(Minimal::new(&dragonfly)),
    );
    report(
        "minimal, 264-router dragonfly",
        &dragonfly,
        &Minimal::new(&dragonfly),
    );
    report("minimal, 1000-router torus", &torus, &Minimal::new(&torus));
}

fn report(name: &str, network: &Network, routing: &dyn Routing) {
    let begin = Instant::now();
    let analysis = analyse(network, routing, FlowControl::Wormhole);
    let analysed = begin.elapsed();
    let bound = lower_bound(network);
    println!(
        "{name}: {:.2} s, free of deadlock: {}, index {:.1}; bound {} in {:.2} s ({})",
        analysed.as_secs_f64(),
        analysis.verdict.is_deadlock_free(),
        analysis.quality.edge_forwarding_index,
        bound.ceil(),
        (begin.elapsed() - analysed).as_secs_f64(),
        bound.words(),
    );
}
