//! Small routing algorithms and injectors, so that the engine's tests need no other crate.
#![allow(dead_code)]

use std::sync::Arc;
use turnwise_network::random::{Purpose, Random};
use turnwise_network::topologies::{ChannelLatency, Topology, Torus};
use turnwise_network::{
    Header, Hop, Injector, Network, PacketRequest, RouterId, Routing, Shape, Start, TerminalId, Vc, VcSet,
};

/// A torus with the given latency of its router-to-router channels.
pub fn torus(sizes: &[u32], latency: &str) -> Network {
    let latency: ChannelLatency = serde_json::from_str(latency).unwrap();
    Torus { sizes: sizes.to_vec(), terminals_per_router: 1, channel_latency: latency }.build(None).unwrap()
}

/// Which virtual channels a ring's packets use.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Classes {
    /// BookSim's dateline classes.
    Dateline,
    /// All of them, everywhere.
    None,
}

/// Dimension order on a torus, ties at random.
pub struct DimensionOrder {
    pub network: Arc<Network>,
    pub vcs: Vc,
    pub classes: Classes,
}

impl DimensionOrder {
    fn directions(&self, size: u32, from: u32, to: u32, phase: u16) -> Vec<bool> {
        let forward = (to + size - from) % size;
        match (phase, forward.cmp(&(size - forward))) {
            (1, _) => vec![true],
            (2, _) => vec![false],
            (_, std::cmp::Ordering::Less) => vec![true],
            (_, std::cmp::Ordering::Greater) => vec![false],
            _ if size == 2 => vec![from == 0],
            _ => vec![true, false],
        }
    }
}

impl Routing for DimensionOrder {
    fn virtual_channels(&self) -> Vc {
        self.vcs
    }

    fn start(&self, _: TerminalId, destination: TerminalId) -> Option<Start> {
        Some(Start { header: Header::to(destination), vcs: VcSet::all(self.vcs) })
    }

    fn options(&self, at: RouterId, header: Header, options: &mut Vec<Hop>) {
        let Shape::Grid(grid) = self.network.shape() else { panic!("a torus") };
        let target = self.network.router_of(header.destination);
        let all = VcSet::all(self.vcs);
        if at == target {
            let port = self.network.terminal_port(header.destination);
            return options.push(Hop { port, vcs: all, header });
        }
        let (here, there) = (grid.coordinates(at.0), grid.coordinates(target.0));
        let dimension = (0..here.len()).find(|&d| here[d] != there[d]).unwrap();
        let (from, to) = (here[dimension], there[dimension]);
        let underway = header.class as usize == dimension + 1;
        let phase = if underway { header.phase & 3 } else { 0 };
        for positive in self.directions(grid.sizes[dimension], from, to, phase) {
            let class = match underway {
                true => header.phase >> 2,
                false => u16::from(if positive { from > to } else { to < from }),
            };
            let half = self.vcs / 2;
            let vcs = match (self.classes, class) {
                (Classes::None, _) => all,
                (_, 0) => VcSet::range(0, half),
                _ => VcSet::range(half, self.vcs),
            };
            let phase = if positive { 1 } else { 2 } | class << 2;
            let header = Header { class: dimension as u16 + 1, phase, ..header };
            options.push(Hop { port: grid.port(dimension, positive), vcs, header });
        }
    }
}

/// Uniform traffic, the source included, with Bernoulli arrivals.
pub struct Uniform {
    pub terminals: u32,
    pub load: f64,
    pub flits: u16,
    pub seed: u64,
}

impl Injector for Uniform {
    fn next(&self, terminal: TerminalId, sequence: u32, after: Option<u64>) -> Option<PacketRequest> {
        if self.load <= 0.0 {
            return None;
        }
        let mut random = Random::new(self.seed, Purpose::Injection, terminal.0, sequence);
        let p = self.load / f64::from(self.flits);
        let u = (random.next_u32() as f64 + 0.5) / 2f64.powi(32);
        let gap = if p >= 1.0 { 1 } else { (u.ln() / (1.0 - p).ln()).floor() as u64 + 1 };
        let created = after.map_or(gap - 1, |after| after + gap);
        Some(PacketRequest { created, destination: TerminalId(random.below(self.terminals)), flits: self.flits })
    }
}

/// Exactly these packets: (source, created, destination, flits).
pub struct Listed(pub Vec<(u32, u64, u32, u16)>);

impl Injector for Listed {
    fn next(&self, terminal: TerminalId, sequence: u32, _: Option<u64>) -> Option<PacketRequest> {
        let mut own = self.0.iter().filter(|packet| packet.0 == terminal.0);
        let &(_, created, destination, flits) = own.nth(sequence as usize)?;
        Some(PacketRequest { created, destination: TerminalId(destination), flits })
    }
}
