//! An algorithm for grids that keeps every promise, and others that break one each.
//!
//! What a stranger might register: honest dimension order on one virtual channel, and its sabotaged kin.

use schemars::JsonSchema;
use std::sync::Arc;
use turnwise_config::registry::{Entry, schema_of};
use turnwise_network::random::Random;
use turnwise_network::shape::Grid;
use turnwise_network::{
    Congestion, FlowControl, Header, Hop, Invalid, Network, Notice, Port, QueueLine,
};
use turnwise_network::{Receiver, RouterId, Routing, Sender, Sensing, Shape};
use turnwise_network::{Start, TerminalId, TwoPhases, Vc, VcSet};
use turnwise_routing::{Algorithm, AlgorithmEntry, Context};

/// What is wrong with an algorithm.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sabotage {
    Nothing,
    /// Lets every turn pass: all minimal ports in any order, on one virtual channel.
    EveryTurn,
    /// Routes as if nothing had failed.
    IgnoresFaults,
    /// Refuses a pair that it could route.
    RefusesPairs,
    /// Takes a virtual channel that no option offers.
    UnofferedVc,
    /// The same, but only if a port is congested.
    UnofferedVcInCongestion,
    /// Offers a virtual channel that nobody has.
    MissingVc,
    /// Says that something else is settled than what is done.
    SettlesOtherwise,
    /// Promises order on two virtual channels.
    PromisesOrder,
    /// Routes the terminals of a router differently, and does not say so.
    DistinguishesTerminals,
    /// Has the terminals of a router set out differently, and does not say so.
    TellsSendersApart,
    /// Sets out in a way that is none of its starts.
    SetsOutOtherwise,
    /// Knows two ways to set out, and does not say so.
    HidesStarts,
    /// Has no start for messages of another class than the first.
    RefusesClasses,
    /// Has nothing to offer to packets that have arrived at terminal 0.
    KeepsPackets,
    /// Says that its line tells the queue of another port.
    MistellsQueues,
    /// Has an escape that is no option.
    UnofferedEscape,
    /// Asks again, and always for the same.
    Insists,
    /// Says that what leads on leads nowhere.
    MistellsVoid,
    /// Takes more memory than it said it would.
    UnderstatesMemory,
    /// Says that packets go by any router first.
    MistellsPhases,
    /// Says the same of its relation whether packets set out so or otherwise, by the flow control.
    MistellsRelation,
}

#[derive(JsonSchema)]
struct NoParameters {}

/// An entry of the registry for an algorithm with this one fault.
macro_rules! entry {
    ($name:literal, $sabotage:ident, $fits:expr) => {
        AlgorithmEntry {
            entry: Entry {
                name: $name,
                aliases: &[],
                summary: "Made up",
                source: "Made up",
                example: "# none",
                schema: schema_of::<NoParameters>,
                parse: |_, _| Some(Box::new(Scratch(Sabotage::$sabotage))),
            },
            fits: $fits,
        }
    };
}

fn is_mesh(shape: &Shape) -> bool {
    matches!(shape, Shape::Grid(grid) if (0..grid.sizes.len()).all(|at| !grid.is_ring(at)))
}

fn is_grid(shape: &Shape) -> bool {
    matches!(shape, Shape::Grid(_))
}

pub(crate) const HONEST: AlgorithmEntry = entry!("honest", Nothing, is_mesh);
pub(crate) const EVERY_TURN: AlgorithmEntry = entry!("every-turn", EveryTurn, is_grid);
pub(crate) const IGNORES_FAULTS: AlgorithmEntry = entry!("ignores-faults", IgnoresFaults, is_mesh);
pub(crate) const REFUSES_PAIRS: AlgorithmEntry = entry!("refuses-pairs", RefusesPairs, is_mesh);
pub(crate) const UNOFFERED_VC: AlgorithmEntry = entry!("unoffered-vc", UnofferedVc, is_mesh);
pub(crate) const UNOFFERED_VC_IN_CONGESTION: AlgorithmEntry = entry!(
    "unoffered-vc-in-congestion",
    UnofferedVcInCongestion,
    is_mesh
);
pub(crate) const MISSING_VC: AlgorithmEntry = entry!("missing-vc", MissingVc, is_mesh);
pub(crate) const SETTLES_OTHERWISE: AlgorithmEntry =
    entry!("settles-otherwise", SettlesOtherwise, is_mesh);
pub(crate) const PROMISES_ORDER: AlgorithmEntry = entry!("promises-order", PromisesOrder, is_mesh);
pub(crate) const DISTINGUISHES_TERMINALS: AlgorithmEntry =
    entry!("distinguishes-terminals", DistinguishesTerminals, is_mesh);
pub(crate) const TELLS_SENDERS_APART: AlgorithmEntry =
    entry!("tells-senders-apart", TellsSendersApart, is_mesh);
pub(crate) const SETS_OUT_OTHERWISE: AlgorithmEntry =
    entry!("sets-out-otherwise", SetsOutOtherwise, is_mesh);
pub(crate) const HIDES_STARTS: AlgorithmEntry = entry!("hides-starts", HidesStarts, is_mesh);
pub(crate) const REFUSES_CLASSES: AlgorithmEntry =
    entry!("refuses-classes", RefusesClasses, is_mesh);
pub(crate) const KEEPS_PACKETS: AlgorithmEntry = entry!("keeps-packets", KeepsPackets, is_mesh);
pub(crate) const MISTELLS_QUEUES: AlgorithmEntry =
    entry!("mistells-queues", MistellsQueues, is_mesh);
pub(crate) const UNOFFERED_ESCAPE: AlgorithmEntry =
    entry!("unoffered-escape", UnofferedEscape, is_mesh);
pub(crate) const INSISTS: AlgorithmEntry = entry!("insists", Insists, is_mesh);
pub(crate) const MISTELLS_VOID: AlgorithmEntry = entry!("mistells-void", MistellsVoid, is_mesh);
pub(crate) const MISTELLS_PHASES: AlgorithmEntry =
    entry!("mistells-phases", MistellsPhases, is_mesh);
pub(crate) const UNDERSTATES_MEMORY: AlgorithmEntry =
    entry!("understates-memory", UnderstatesMemory, is_mesh);
pub(crate) const MISTELLS_RELATION: AlgorithmEntry =
    entry!("mistells-relation", MistellsRelation, is_mesh);
pub(crate) const DENIES_MESHES: AlgorithmEntry =
    entry!("denies-meshes", Nothing, |shape| is_mesh(shape)
        && !is_mesh(shape));
pub(crate) const CLAIMS_EVERYTHING: AlgorithmEntry = entry!("claims-everything", Nothing, |_| true);

struct Scratch(Sabotage);

impl Algorithm for Scratch {
    fn build(
        &self,
        network: &Arc<Network>,
        context: &Context<'_>,
    ) -> Result<Box<dyn Routing>, Invalid> {
        let Shape::Grid(grid) = network.shape() else {
            return Err(Invalid::new("kind", "it routes grids"));
        };
        if self.0 != Sabotage::EveryTurn && !is_mesh(network.shape()) {
            return Err(Invalid::new("kind", "it routes meshes"));
        }
        let (network, grid) = (network.clone(), grid.clone());
        Ok(Box::new(Rule {
            network,
            grid,
            sabotage: self.0,
            flow_control: context.flow_control,
        }))
    }
}

struct Rule {
    network: Arc<Network>,
    grid: Grid,
    sabotage: Sabotage,
    flow_control: FlowControl,
}

impl Rule {
    /// The ports of shortest ways that the rule allows, dead ones included.
    fn ports(&self, at: RouterId, to: RouterId) -> Vec<Port> {
        let (here, there) = (self.grid.coordinates(at.0), self.grid.coordinates(to.0));
        let mut ports = Vec::new();
        for (dimension, &size) in self.grid.sizes.iter().enumerate() {
            let (here, there) = (here[dimension], there[dimension]);
            if here == there {
                continue;
            }
            if self.sabotage != Sabotage::EveryTurn && !ports.is_empty() {
                break;
            }
            let up = (there + size - here) % size;
            let (positive, negative) = match self.grid.is_ring(dimension) {
                true => (2 * up <= size, 2 * up >= size),
                false => (there > here, there < here),
            };
            ports.extend(positive.then(|| self.grid.port(dimension, true)));
            ports.extend(negative.then(|| self.grid.port(dimension, false)));
        }
        ports
    }

    /// Those of them that live, and behind which a way to the destination survives.
    fn open_ports(&self, at: RouterId, to: RouterId) -> Vec<Port> {
        let mut ports = self.ports(at, to);
        let open = |port: &Port| {
            let next = self.network.next_router(at, *port);
            next.is_some_and(|next| next == to || !self.open_ports(next, to).is_empty())
        };
        if self.sabotage != Sabotage::IgnoresFaults {
            ports.retain(open);
        }
        ports
    }

    fn hop(&self, port: Port, header: Header) -> Hop {
        let vcs = match self.sabotage {
            Sabotage::MissingVc => VcSet::one(1),
            Sabotage::PromisesOrder => VcSet::all(2),
            Sabotage::DistinguishesTerminals => VcSet::one((header.destination.0 % 2) as Vc),
            _ => VcSet::one(0),
        };
        Hop { port, vcs, header }
    }
}

impl Routing for Rule {
    fn virtual_channels(&self) -> Vc {
        match self.sabotage {
            Sabotage::UnofferedVc
            | Sabotage::UnofferedVcInCongestion
            | Sabotage::PromisesOrder
            | Sabotage::DistinguishesTerminals
            | Sabotage::Insists => 2,
            _ => 1,
        }
    }

    fn start(&self, source: TerminalId, destination: TerminalId) -> Option<Start> {
        let (network, alive) = (&self.network, |terminal| {
            self.network.is_terminal_alive(terminal)
        });
        let (from, to) = (network.router_of(source), network.router_of(destination));
        let reached = from == to || !self.open_ports(from, to).is_empty();
        let refused = match self.sabotage {
            Sabotage::IgnoresFaults => false,
            Sabotage::RefusesPairs if !network.is_terminal_alive(TerminalId(1)) => true,
            _ => !reached || !alive(source) || !alive(destination),
        };
        let otherwise =
            self.sabotage == Sabotage::MistellsRelation && self.flow_control == FlowControl::Bubble;
        let odd = self.sabotage == Sabotage::TellsSendersApart && source.0 % 2 == 1;
        (!refused).then(|| Start {
            header: Header {
                class: (otherwise || odd).into(),
                ..Header::to(destination)
            },
            vcs: VcSet::one(0),
        })
    }

    fn starts(
        &self,
        source: TerminalId,
        destination: TerminalId,
        class: u8,
        starts: &mut Vec<Start>,
    ) {
        let start = self.start(source, destination);
        match self.sabotage {
            Sabotage::RefusesClasses if class > 0 => {}
            Sabotage::HidesStarts => starts.extend(start.into_iter().chain(start)),
            _ => starts.extend(start),
        }
    }

    fn choose_start(
        &self,
        source: TerminalId,
        destination: TerminalId,
        _: u8,
        _: &mut Random,
    ) -> Option<Start> {
        let mut start = self.start(source, destination)?;
        if self.sabotage == Sabotage::SetsOutOtherwise {
            start.header.class = 1;
        }
        Some(start)
    }

    fn options(&self, at: RouterId, header: Header, options: &mut Vec<Hop>) {
        let to = self.network.router_of(header.destination);
        if at != to {
            let ports = self.open_ports(at, to).into_iter();
            options.extend(ports.map(|port| self.hop(port, header)));
            if self.sabotage == Sabotage::Insists {
                let others = options.clone().into_iter();
                let vcs = VcSet::one(1);
                options.extend(others.map(|hop| Hop { vcs, ..hop }));
            }
        } else if self.sabotage != Sabotage::KeepsPackets || header.destination.0 != 0 {
            options.push(self.hop(self.network.terminal_port(header.destination), header));
        }
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
        let count = options.len() as u32;
        let mut hop = *options.get(rng.below(count.max(1)) as usize)?;
        let wrong = match self.sabotage {
            Sabotage::UnofferedVc => true,
            Sabotage::UnofferedVcInCongestion => congestion.occupancy(hop.port, hop.vcs) > 10,
            _ => false,
        };
        if wrong {
            hop.vcs = VcSet::one(1);
        }
        Some(hop)
    }

    fn void(&self, at: RouterId, header: Header) -> Option<Hop> {
        let mut options = Vec::new();
        self.options(at, header, &mut options);
        let leads_on = options.first().copied();
        leads_on.filter(|_| self.sabotage == Sabotage::MistellsVoid)
    }

    fn two_phases(&self) -> Option<&dyn TwoPhases> {
        (self.sabotage == Sabotage::MistellsPhases).then_some(self)
    }

    fn memory_bytes(&self) -> u64 {
        u64::from(self.sabotage == Sabotage::UnderstatesMemory)
    }

    fn settled(&self, at: RouterId, header: Header) -> Option<Hop> {
        let mut options = Vec::new();
        self.options(at, header, &mut options);
        let mut hop = *options.first()?;
        hop.header.class = 1;
        (self.sabotage == Sabotage::SettlesOtherwise).then_some(hop)
    }

    fn asks_again(&self) -> bool {
        matches!(self.sabotage, Sabotage::UnofferedEscape | Sabotage::Insists)
    }

    fn choose_again(
        &self,
        at: RouterId,
        header: Header,
        congestion: &dyn Congestion,
        rng: &mut Random,
    ) -> Option<Hop> {
        match self.sabotage {
            Sabotage::Insists => {
                let mut options = Vec::new();
                self.options(at, header, &mut options);
                options.first().copied()
            }
            _ => self.choose(at, header, congestion, rng),
        }
    }

    fn escape(&self, at: RouterId, header: Header, options: &mut Vec<Hop>) {
        if self.sabotage == Sabotage::UnofferedEscape {
            self.options(at, header, options);
            options.iter_mut().for_each(|hop| hop.header.phase = 1);
        }
    }

    fn sensing(&self) -> Option<&dyn Sensing> {
        (self.sabotage == Sabotage::MistellsQueues).then_some(self)
    }

    fn relation(&self) -> Option<String> {
        (self.sabotage == Sabotage::MistellsRelation).then(|| "a mesh".to_owned())
    }

    fn keeps_order(&self) -> bool {
        self.sabotage == Sabotage::PromisesOrder
    }
}

impl TwoPhases for Rule {
    fn intermediates(&self) -> Vec<RouterId> {
        self.network.routers().collect()
    }

    fn by(&self, _: RouterId, header: Header, _: RouterId) -> Header {
        header
    }
}

/// Every router tells itself the queue of its first port.
impl Sensing for Rule {
    fn words(&self, _: u32) -> usize {
        1
    }

    fn lines(&self, at: RouterId) -> Vec<Vec<Receiver>> {
        let (region, after) = (at.0, 1);
        vec![vec![Receiver::Region { region, after }]]
    }

    fn queue_line(&self, _: RouterId, _: usize) -> Option<QueueLine> {
        Some(QueueLine { port: 1, word: 0 })
    }

    fn report(&self, _: RouterId, sees: &dyn Congestion, notices: &mut [Notice]) {
        notices[0] = Notice([sees.occupancy(0, VcSet::EVERY), 0]);
    }

    fn receive(&self, _: u32, _: Sender, notice: Notice, memory: &mut [u32]) -> bool {
        memory[0] = notice.0[0];
        false
    }
}
