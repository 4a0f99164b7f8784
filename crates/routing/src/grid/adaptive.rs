//! Minimal adaptive routing of grids and HyperX: of the ways closer that a rule allows, the least congested.
//!
//! A head whose choice has no free virtual channel asks again, for any of its ways at random. With faults
//! a packet only takes ways behind which the rule, or its escape if it has one, still leads to its destination.
//!
//! Complexity: O(dimensions) a hop, O(routers x dimensions) memory; with faults also routers
//! squared bits a phase, made in O(routers x (routers log routers + channels)).

use crate::algorithm::{Context, misfit};
use crate::common::draw;
use crate::common::endpoints;
use crate::common::survivors::Survivors;
use crate::common::vc_plan::VcPlan;
use crate::grid::ports::{GridPorts, Way};
use std::sync::Arc;
use turnwise_network::random::Random;
use turnwise_network::{
    Congestion, Header, Hop, Invalid, Network, RouterId, Routing, Start, TerminalId, Vc, VcSet,
};

/// Which of the ways closer a packet may take, and how.
pub(crate) trait Rule: Send + Sync {
    /// May it go this way from these coordinates to those? `phase` is its header's, below [`PHASES`](Self::PHASES).
    fn may(&self, here: &[u32], there: &[u32], way: &Way<'_>, phase: u8) -> bool;

    /// Its phase after that; 0 at first.
    fn phase_after(&self, way: &Way<'_>, phase: u8) -> u8 {
        let _ = way;
        phase
    }

    /// The virtual channels of the way.
    fn vcs(&self, way: &Way<'_>) -> VcSet;

    /// Those of them that belong to the escape.
    fn escape_of(&self, way: &Way<'_>) -> VcSet {
        let _ = way;
        VcSet::default()
    }

    /// Does it keep an escape, of which something must be left wherever a packet gets?
    fn has_escape(&self) -> bool {
        false
    }

    /// How many phases there are.
    const PHASES: u8 = 1;
}

/// Which turns packets of a mesh may take: a rule for which all virtual channels are alike.
pub(crate) trait TurnModel: Send + Sync {
    /// As [`Rule::may`].
    fn may(&self, here: &[u32], there: &[u32], way: &Way<'_>, phase: u8) -> bool;

    /// As [`Rule::phase_after`].
    fn phase_after(&self, way: &Way<'_>, phase: u8) -> u8 {
        let _ = way;
        phase
    }

    /// As [`Rule::PHASES`].
    const PHASES: u8 = 1;
}

struct Turns<M> {
    model: M,
    vcs: VcSet,
}

impl<M: TurnModel> Rule for Turns<M> {
    fn may(&self, here: &[u32], there: &[u32], way: &Way<'_>, phase: u8) -> bool {
        self.model.may(here, there, way, phase)
    }

    fn phase_after(&self, way: &Way<'_>, phase: u8) -> u8 {
        self.model.phase_after(way, phase)
    }

    fn vcs(&self, _: &Way<'_>) -> VcSet {
        self.vcs
    }

    const PHASES: u8 = M::PHASES;
}

/// The routing of the turn model `name` on a mesh, of so many dimensions if it says.
pub(crate) fn of_turns(
    name: &str,
    model: impl TurnModel + 'static,
    dimensions: Option<usize>,
    virtual_channels: Option<Vc>,
    (network, context): (&Arc<Network>, &Context<'_>),
) -> Result<Box<dyn Routing>, Invalid> {
    let Some(ports) = GridPorts::of_mesh(network, dimensions) else {
        let routes = match dimensions {
            Some(_) => "meshes of two dimensions",
            None => "meshes and hypercubes",
        };
        return Err(misfit(name, routes, network));
    };
    let plan = VcPlan::new(name, virtual_channels, 1, context)?;
    let vcs = plan.every_class();
    Ok(Box::new(GridAdaptive::new(
        ports,
        plan,
        Turns { model, vcs },
    )))
}

pub(crate) struct GridAdaptive<R> {
    ports: GridPorts,
    plan: VcPlan,
    rule: R,
    /// By phase, with faults.
    survivors: Vec<Survivors>,
}

impl<R: Rule> GridAdaptive<R> {
    pub(crate) fn new(ports: GridPorts, plan: VcPlan, rule: R) -> Self {
        let mut routing = Self {
            ports,
            plan,
            rule,
            survivors: Vec::new(),
        };
        if !routing.ports.is_complete() {
            routing.survivors = routing.find_survivors();
        }
        routing
    }

    /// From every router what the rule still reaches, the nearest routers first. Where there is an
    /// escape it must get there alone, or else a packet could be where it has none.
    fn find_survivors(&self) -> Vec<Survivors> {
        let network = &self.ports.network;
        let phases: Vec<u8> = (0..R::PHASES).collect();
        let distance = |at, to| self.ports.distance(at, to);
        Survivors::by_phase(network, &phases, distance, |found, at, to, phase| {
            let leads = |way: Way<'_>| {
                let next = network.next_router(at, way.port);
                let after = usize::from(self.rule.phase_after(&way, phase));
                let counts = !self.rule.has_escape() || !self.rule.escape_of(&way).is_empty();
                counts && next.is_some_and(|next| found[after].reaches(next, to))
            };
            self.allowed(at, to, phase).any(leads)
        })
    }

    /// What the rule allows on the healthy network.
    fn allowed(
        &self,
        at: RouterId,
        to: RouterId,
        phase: u8,
    ) -> impl Iterator<Item = Way<'_>> + Clone {
        let (here, there) = (self.ports.coordinates(at), self.ports.coordinates(to));
        let may = move |way: &Way<'_>| self.rule.may(here, there, way, phase);
        self.ports.ways(at, to).filter(may)
    }

    /// All there is to do on the way, without allocating.
    fn ways(&self, at: RouterId, header: Header) -> impl Iterator<Item = Way<'_>> + Clone {
        let (to, phase) = (self.to(header), header.phase);
        let survives = move |way: &Way<'_>| {
            let after = usize::from(self.rule.phase_after(way, phase));
            let Some(survivors) = self.survivors.get(after) else {
                return true;
            };
            let next = self.ports.network.next_router(at, way.port);
            next.is_some_and(|next| survivors.reaches(next, to))
        };
        self.allowed(at, to, phase).filter(survives)
    }

    fn hop(&self, way: &Way<'_>, header: Header) -> Hop {
        let phase = self.rule.phase_after(way, header.phase);
        Hop {
            port: way.port,
            vcs: self.rule.vcs(way),
            header: Header { phase, ..header },
        }
    }

    fn to(&self, header: Header) -> RouterId {
        self.ports.network.router_of(header.destination)
    }

    fn ejection(&self, at: RouterId, header: Header) -> Option<Hop> {
        (at == self.to(header))
            .then(|| endpoints::ejection(&self.ports.network, header, self.plan.all()))
    }
}

impl<R: Rule> Routing for GridAdaptive<R> {
    fn virtual_channels(&self) -> Vc {
        self.plan.total
    }

    fn start(&self, source: TerminalId, destination: TerminalId) -> Option<Start> {
        let at_first = self.survivors.first();
        let connected = |from, to| at_first.is_none_or(|survivors| survivors.reaches(from, to));
        endpoints::start(
            &self.ports.network,
            source,
            destination,
            self.plan.all(),
            connected,
        )
    }

    fn options(&self, at: RouterId, header: Header, options: &mut Vec<Hop>) {
        options.extend(self.ejection(at, header));
        options.extend(self.ways(at, header).map(|way| self.hop(&way, header)));
    }

    fn choose(
        &self,
        at: RouterId,
        header: Header,
        congestion: &dyn Congestion,
        rng: &mut Random,
    ) -> Option<Hop> {
        self.ejection(at, header).or_else(|| {
            let used = |way: &Way<'_>| congestion.occupancy(way.port, VcSet::EVERY);
            let way = draw::least(self.ways(at, header), used, rng)?;
            Some(self.hop(&way, header))
        })
    }

    fn choose_again(
        &self,
        at: RouterId,
        header: Header,
        _: &dyn Congestion,
        rng: &mut Random,
    ) -> Option<Hop> {
        self.ejection(at, header).or_else(|| {
            let way = draw::among(self.ways(at, header), rng)?;
            Some(self.hop(&way, header))
        })
    }

    fn asks_again(&self) -> bool {
        true
    }

    fn escape(&self, at: RouterId, header: Header, options: &mut Vec<Hop>) {
        for way in self.ways(at, header) {
            let vcs = self.rule.escape_of(&way);
            if !vcs.is_empty() {
                options.push(Hop {
                    vcs,
                    ..self.hop(&way, header)
                });
            }
        }
    }

    fn settled(&self, at: RouterId, header: Header) -> Option<Hop> {
        self.ejection(at, header).or_else(|| {
            let mut ways = self.ways(at, header);
            let way = ways.next()?;
            let is_only = ways.next().is_none();
            is_only.then(|| self.hop(&way, header))
        })
    }
}
