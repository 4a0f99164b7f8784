//! Piggyback routing of dragonflies: routers tell those of their group which global channels are congested.
//!
//! A channel is if far more flits are under way on it than on its router's others. The source's router makes
//! a detour if the global channel of the shortest way is congested or the queue that way is far longer.
//!
//! Source: Jiang, Kim, Dally, "Indirect adaptive routing on large scale interconnection networks", ISCA 2009.

use super::routings::{NextHop, eject};
use turnwise_network::random::Random;
use turnwise_network::shape::Dragonfly;
use turnwise_network::{
    Congestion, Header, Hop, Network, Notice, Port, Receiver, RouterId, Routing, Sender, Sensing,
    Shape, Start, TerminalId, Vc, VcSet,
};

/// Phases of a packet: not decided; to the intermediate router, and from there; the shortest way.
const SOURCE: u8 = 0;
const FIRST: u8 = 1;
const SECOND: u8 = 2;
const MINIMAL: u8 = 3;

/// Two legs of local, global, local.
const CLASSES: Vc = 4;

pub(crate) struct Piggyback<'a> {
    network: &'a Network,
    shape: &'a Dragonfly,
    shortest: NextHop<'a>,
    /// Do routers tell each other anything?
    talks: bool,
    /// Flits by which a queue, or what is under way on a channel, must be longer.
    threshold: u32,
}

impl<'a> Piggyback<'a> {
    pub(crate) const VIRTUAL_CHANNELS: Vc = CLASSES;

    pub(crate) fn new(network: &'a Network, talks: bool, threshold: u32) -> Self {
        let Shape::Dragonfly(shape) = network.shape() else {
            panic!("piggyback routing is for dragonflies");
        };
        Self {
            network,
            shape,
            shortest: NextHop::shortest(network, CLASSES),
            talks,
            threshold,
        }
    }

    fn group(&self, router: RouterId) -> u32 {
        self.shape.group_and_index(router.0).0
    }

    fn first_global(&self) -> Port {
        (self.shape.terminals_per_router + self.shape.routers_per_group - 1) as Port
    }

    fn target(&self, header: Header) -> RouterId {
        self.network.router_of(header.destination)
    }

    /// One hop of the shortest way to a router. Local channels have a class before and after the global one of
    /// each leg, global ones a class for each leg.
    fn towards(&self, at: RouterId, to: RouterId, header: Header) -> Hop {
        let port = self.shortest.port(at, to);
        let leg = Vc::from(header.phase == SECOND);
        let class = match port >= self.first_global() {
            true => leg,
            false => 2 * leg + Vc::from(self.group(at) == self.group(to)),
        };
        let vcs = VcSet::one(class);
        Hop { port, vcs, header }
    }

    fn minimal(&self, at: RouterId, header: Header) -> Hop {
        let phase = if header.phase == SOURCE {
            MINIMAL
        } else {
            header.phase
        };
        self.towards(at, self.target(header), Header { phase, ..header })
    }

    fn detour(&self, at: RouterId, header: Header, via: RouterId) -> Hop {
        let (phase, via_number) = (FIRST, via.0);
        self.towards(
            at,
            via,
            Header {
                phase,
                via: via_number,
                ..header
            },
        )
    }

    /// What is left to do without a choice.
    fn only(&self, at: RouterId, header: Header) -> Option<Hop> {
        let to = self.target(header);
        match header.phase {
            FIRST if at.0 != header.via => Some(self.detour(at, header, RouterId(header.via))),
            FIRST => self.only(
                at,
                Header {
                    phase: SECOND,
                    via: 0,
                    ..header
                },
            ),
            _ if at == to => Some(eject(self.network, header, CLASSES)),
            SOURCE if self.group(at) != self.group(to) => None,
            _ => Some(self.minimal(at, header)),
        }
    }

    /// The global channel of the shortest way to a router of another group: its router, and which it is there.
    fn global(&self, mut at: RouterId, to: RouterId) -> (RouterId, u32) {
        loop {
            let port = self.shortest.port(at, to);
            if port >= self.first_global() {
                return (at, u32::from(port - self.first_global()));
            }
            at = self.network.next_router(at, port).unwrap();
        }
    }

    /// A router's congested global channels, one bit each.
    fn congested(&self, sees: &dyn Congestion) -> u32 {
        let count = self.shape.global_ports_per_router;
        let queue =
            |global: u32| sees.occupancy(self.first_global() + global as Port, VcSet::EVERY);
        let all: u32 = (0..count).map(queue).sum();
        let is_congested = |global: &u32| count * queue(*global) > 2 * all + count * self.threshold;
        (0..count)
            .filter(is_congested)
            .fold(0, |bits, global| bits | 1 << global)
    }

    /// Is a global channel of the group congested, as far as a router has been told?
    fn knows_of(
        &self,
        at: RouterId,
        (router, global): (RouterId, u32),
        sees: &dyn Congestion,
    ) -> bool {
        let bits = match (router == at, self.talks) {
            (true, _) => self.congested(sees),
            (false, true) => sees.memory()[self.shape.group_and_index(router.0).1 as usize],
            (false, false) => 0,
        };
        bits >> global & 1 == 1
    }
}

impl Routing for Piggyback<'_> {
    fn virtual_channels(&self) -> Vc {
        CLASSES
    }

    fn start(&self, _: TerminalId, destination: TerminalId) -> Option<Start> {
        let vcs = VcSet::all(CLASSES);
        Some(Start {
            header: Header::to(destination),
            vcs,
        })
    }

    fn options(&self, at: RouterId, header: Header, options: &mut Vec<Hop>) {
        if let Some(only) = self.only(at, header) {
            return options.push(only);
        }
        options.push(self.minimal(at, header));
        let ends = [self.group(at), self.group(self.target(header))];
        let others = self
            .network
            .routers()
            .filter(|&via| !ends.contains(&self.group(via)));
        options.extend(others.map(|via| self.detour(at, header, via)));
    }

    fn choose(
        &self,
        at: RouterId,
        header: Header,
        sees: &dyn Congestion,
        rng: &mut Random,
    ) -> Option<Hop> {
        if let Some(only) = self.only(at, header) {
            return Some(only);
        }
        let to = self.target(header);
        let minimal = self.minimal(at, header);
        let via = RouterId(rng.below(self.network.router_count() as u32));
        if [self.group(at), self.group(to)].contains(&self.group(via)) {
            return Some(minimal);
        }
        let detour = self.detour(at, header, via);
        let queue = |hop: &Hop| sees.occupancy(hop.port, VcSet::EVERY);
        let knows_of = |to| self.knows_of(at, self.global(at, to), sees);
        let longer = queue(&minimal) > 2 * queue(&detour) + self.threshold;
        match (longer || knows_of(to)) && !knows_of(via) {
            true => Some(detour),
            false => Some(minimal),
        }
    }

    fn sensing(&self) -> Option<&dyn Sensing> {
        self.talks.then_some(self)
    }
}

impl Sensing for Piggyback<'_> {
    fn words(&self, _: u32) -> usize {
        self.shape.routers_per_group as usize
    }

    /// One line, which all others of the group hear.
    fn lines(&self, _: RouterId) -> Vec<Vec<Receiver>> {
        let local = self.shape.terminals_per_router as Port..self.first_global();
        vec![local.map(Receiver::Behind).collect()]
    }

    /// A channel must hold more than the threshold to be congested; a part of it is close enough.
    fn grain(&self, _: RouterId, port: Port) -> u32 {
        match port < self.first_global() {
            true => 0,
            false => (self.threshold / 4).max(1),
        }
    }

    fn report(&self, _: RouterId, sees: &dyn Congestion, notices: &mut [Notice]) {
        notices[0] = Notice([self.congested(sees), 0]);
    }

    fn receive(&self, _: u32, from: Sender, notice: Notice, memory: &mut [u32]) -> bool {
        let (_, index) = self.shape.group_and_index(from.router.0);
        memory[index as usize] = notice.0[0];
        false
    }
}
