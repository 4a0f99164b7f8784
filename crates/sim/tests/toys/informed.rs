//! Routing that looks at what other routers have told.

use super::adaptive::Adaptive;
use turnwise_network::random::{Random, mix};
use turnwise_network::{
    Congestion, End, Header, Hop, Network, Notice, Port, Receiver, RouterId, Routing, Sender,
    Sensing, Start, TerminalId, Vc, VcSet,
};

/// Who tells whom what.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Talk {
    /// Neighbours, how much is under way behind their ports.
    Neighbours,
    /// Neighbours, that and half of the most that they have been told.
    Regions,
    /// All routers, after so many cycles: that and what waits for the ports.
    Everyone { after: u32 },
}

/// Any shortest way to where least is under way, here and there.
///
/// The last word of a memory is a digest of all that was heard, in the order in which it was. Among
/// equals it decides, so that nothing may be heard in another order unnoticed.
pub(crate) struct Informed<'a> {
    network: &'a Network,
    inner: Adaptive<'a>,
    pub(crate) talk: Talk,
}

impl<'a> Informed<'a> {
    pub(crate) fn new(network: &'a Network, vcs: Vc, talk: Talk) -> Self {
        let inner = Adaptive::new(network, vcs);
        Self {
            network,
            inner,
            talk,
        }
    }

    fn ports(&self, at: RouterId) -> impl Iterator<Item = Port> + use<> {
        0..self.network.radix(at) as Port
    }

    /// The port behind a port.
    fn far_port(&self, at: RouterId, port: Port) -> Option<Port> {
        let channel = self.network.out_channel(at, port)?;
        match self.network.channel(channel).target {
            End::Router(_, far) => Some(far),
            End::Terminal(_) => None,
        }
    }

    /// Where a router keeps what it is told of the router behind a port.
    fn place(&self, at: RouterId, port: Port) -> Option<usize> {
        let next = self.network.next_router(at, port)?;
        Some(match self.talk {
            Talk::Everyone { .. } => next.index(),
            Talk::Neighbours | Talk::Regions => port.into(),
        })
    }
}

impl Routing for Informed<'_> {
    fn virtual_channels(&self) -> Vc {
        self.inner.virtual_channels()
    }

    fn start(&self, source: TerminalId, destination: TerminalId) -> Option<Start> {
        self.inner.start(source, destination)
    }

    fn options(&self, at: RouterId, header: Header, options: &mut Vec<Hop>) {
        self.inner.options(at, header, options);
    }

    fn choose(
        &self,
        at: RouterId,
        header: Header,
        congestion: &dyn Congestion,
        rng: &mut Random,
    ) -> Option<Hop> {
        let mut options = Vec::new();
        self.options(at, header, &mut options);
        let cost = |hop: &Hop| {
            let told = self.place(at, hop.port);
            let told = told.map_or(0, |place| congestion.memory()[place]);
            congestion.occupancy(hop.port, hop.vcs) + congestion.awaiting(hop.port) + told
        };
        let least = options.iter().map(cost).min()?;
        options.retain(|hop| cost(hop) == least);
        let many = options.len() as u32;
        let digest = congestion.memory().last().map_or(0, |digest| digest % many);
        Some(options[((rng.below(many) + digest) % many) as usize])
    }

    fn sensing(&self) -> Option<&dyn Sensing> {
        Some(self)
    }
}

impl Sensing for Informed<'_> {
    fn region(&self, at: RouterId) -> u32 {
        match self.talk {
            Talk::Everyone { .. } => 0,
            Talk::Neighbours | Talk::Regions => at.0,
        }
    }

    fn words(&self, region: u32) -> usize {
        let senders = match self.talk {
            Talk::Everyone { .. } => self.network.router_count(),
            Talk::Neighbours | Talk::Regions => self.network.radix(RouterId(region)),
        };
        senders + 1
    }

    fn lines(&self, at: RouterId) -> Vec<Vec<Receiver>> {
        match self.talk {
            Talk::Everyone { after } => vec![vec![Receiver::Region { region: 0, after }]],
            Talk::Neighbours | Talk::Regions => {
                let ports = self.ports(at);
                ports.map(|port| vec![Receiver::Behind(port)]).collect()
            }
        }
    }

    fn counts_awaiting(&self) -> bool {
        matches!(self.talk, Talk::Everyone { .. })
    }

    fn report(&self, at: RouterId, sees: &dyn Congestion, notices: &mut [Notice]) {
        let here = self
            .ports(at)
            .map(|port| sees.occupancy(port, VcSet::EVERY) + sees.awaiting(port));
        let mut load: u32 = here.sum();
        if self.talk == Talk::Regions {
            let told = sees.memory().split_last();
            let most = told.and_then(|(_, told)| told.iter().max());
            load += most.map_or(0, |most| most / 2);
        }
        for (port, notice) in (0..).zip(notices) {
            let far = match self.talk {
                Talk::Everyone { .. } => None,
                Talk::Neighbours | Talk::Regions => self.far_port(at, port),
            };
            *notice = Notice([load, far.map_or(0, u32::from)]);
        }
    }

    fn receive(&self, _: u32, from: Sender, notice: Notice, memory: &mut [u32]) -> bool {
        let Notice([load, port]) = notice;
        match self.talk {
            Talk::Everyone { .. } => memory[from.router.index()] = load,
            Talk::Neighbours | Talk::Regions => memory[port as usize] = load,
        }
        if let Some(digest) = memory.last_mut() {
            let heard = mix(u64::from(*digest) << 32 | u64::from(from.router.0 << 16 | load));
            *digest = heard as u32;
        }
        self.talk == Talk::Regions
    }
}
