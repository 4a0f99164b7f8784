//! DimWAR, dimensionally weighted adaptive routing of HyperX and full meshes: dimension by dimension; in each, straight on or by one other
//! router of the row, whichever weighs less.
//!
//! In the first dimension that a packet has not finished, every router is linked to every other. The packet goes straight to its
//! coordinate, or first to any other one and from there straight. Each router decides anew, and by its own ports alone. A way weighs
//!
//! ```text
//! flits that have left for its first port and are not known to have gone on  x  channels still to go
//! ```
//!
//! and the packet goes straight unless that weighs more than the lightest detour, less a threshold that the straight way's queue may
//! have for nothing. So it meets congestion in every dimension and not only at its source, and detours are short: one channel more, never
//! two in a dimension.
//!
//! **Threshold.** Half of the flits and credits that are under way on the channel straight on when it is busy, as under
//! [`ugal`](crate::grouped::ugal), where more is said of it. The paper compares weights as they are (`threshold_flits = 0`), which makes
//! detours of small differences: under uniform traffic on a 6x6 HyperX (6 terminals at a router, an internal speedup of 2, load 0.5)
//! packets then take 15.9 cycles, and 12.1 with this one.
//!
//! **Classes.** A detour begins on the first of two classes of virtual channels and ends on the second; who goes straight takes either.
//! Dimensions only follow each other in one order, and inside a dimension the second class only the first: free of deadlock with two
//! virtual channels, however many dimensions there are.
//!
//! **Faults.** A packet only takes channels behind which one of its ways survives; a pair without any is not routed. Detours by other
//! routers of a row save what dimension order loses.
//!
//! Source: McDonald, Isaev, Flores, Davis, Kim, "Practical and efficient incremental adaptive routing for HyperX networks", SC 2019. What
//! is not in its abstract is our reading: ties among detours are broken at random.
//!
//! Complexity: O(routers of a row) where a packet decides, O(dimensions) elsewhere; O(routers x dimensions) memory, with faults also
//! routers squared bits twice, found in O(routers squared x routers of a row).
//!
//! ```
//! use std::sync::Arc;
//! use turnwise_network::topologies::{HyperX, Topology};
//! use turnwise_network::{RouterId, TerminalId, VcSet};
//! use turnwise_routing::algorithms::DimWar;
//! use turnwise_routing::{Algorithm, Context};
//!
//! let network = Arc::new(HyperX { sizes: vec![4, 4], ..HyperX::default() }.build(None)?);
//! let routing = DimWar::default().build(&network, &Context::default())?;
//! // From (0,0) to (1,2): straight to row 1, or by row 2 or 3.
//! let header = routing.start(TerminalId(0), TerminalId(6)).expect("no faults").header;
//! let mut options = Vec::new();
//! routing.options(RouterId(0), header, &mut options);
//! let vcs: Vec<VcSet> = options.iter().map(|hop| hop.vcs).collect();
//! assert_eq!(vcs, [VcSet::all(2), VcSet::one(0), VcSet::one(0)]);
//! # Ok::<(), turnwise_network::Invalid>(())
//! ```

use crate::algorithm::{Algorithm, AlgorithmEntry, Context, misfit};
use crate::common::draw::Least;
use crate::common::endpoints;
use crate::common::phantom::{Phantom, compensated};
use crate::common::survivors::Survivors;
use crate::common::vc_plan::VcPlan;
use crate::common::visible::{Counted, Thresholds};
use crate::common::whole_queues::whole;
use crate::grid::dimension::Dimension;
use crate::grid::ports::GridPorts;
use schemars::JsonSchema;
use serde::Deserialize;
use std::sync::Arc;
use turnwise_config::registry::{Entry, parse_as, schema_of};
use turnwise_config::units;
use turnwise_network::random::Random;
use turnwise_network::{
    Congestion, Header, Hop, Invalid, Network, RouterId, Routing, Shape, Start, TerminalId, Vc,
    VcSet,
};

pub(crate) const ENTRY: AlgorithmEntry = AlgorithmEntry {
    entry: Entry {
        name: NAME,
        aliases: &[],
        summary: "HyperX: in each dimension straight or by another router of the row, whatever weighs less",
        source: "McDonald et al., Practical and efficient incremental adaptive routing for HyperX networks, SC 2019",
        example: "threshold_flits = 0\nphantom = { value_coefficient = 1.0, length_coefficient = 2.0 }\nwhole_queues = true\n\
                  virtual_channels = 4",
        schema: schema_of::<DimWar>,
        parse: |table, errors| Some(Box::new(parse_as::<DimWar, dyn Algorithm>(table, errors)?)),
    },
    fits: |shape| matches!(shape, Shape::HyperX(_)),
};

const NAME: &str = "dimwar";

/// Parameters of DimWAR.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct DimWar {
    /// Flits of the straight way's queue that do not count; negative prefers detours. By default half of those that are under way on its
    /// channel, credits included, when it is busy.
    #[schemars(transform = units::flits)]
    pub threshold_flits: Option<i32>,
    /// Flits on their way that do not count as waiting. By default all that are not credited count.
    pub phantom: Option<Phantom>,
    /// Do packets that wait in a router for a channel count as its queue, beside what has left for it?
    pub whole_queues: bool,
    /// Virtual channels to spread the two classes over: by default all the router has, or else 2.
    pub virtual_channels: Option<Vc>,
}

impl Algorithm for DimWar {
    fn minds_buffers(&self) -> bool {
        self.threshold_flits.is_none()
    }

    fn build(
        &self,
        network: &Arc<Network>,
        context: &Context<'_>,
    ) -> Result<Box<dyn Routing>, Invalid> {
        let ports = match network.shape() {
            Shape::HyperX(_) => GridPorts::of(network),
            _ => None,
        };
        let Some(ports) = ports else {
            return Err(misfit(NAME, "HyperX and full meshes", network));
        };
        let plan = VcPlan::new(NAME, self.virtual_channels, 2, context)?;
        let counted = Counted {
            whole_queues: self.whole_queues,
            phantom: self.phantom,
        };
        let all = plan.every_class();
        let thresholds = Thresholds::new(network, self.threshold_flits, all, counted, context);
        let routing = Box::new(DimWarHyperX::new(ports, plan, thresholds));
        let routing = whole(routing, self.whole_queues);
        compensated(routing, network, self.phantom)
    }
}

/// `Header::phase` of a packet that may make a detour in its next dimension.
const FREE: u8 = 0;
/// Of one on a detour.
const AWAY: u8 = 1;

struct DimWarHyperX {
    ports: GridPorts,
    plan: VcPlan,
    thresholds: Thresholds,
    /// By phase, with faults.
    survivors: Option<Vec<Survivors>>,
}

/// The dimension that a packet is about to finish.
#[derive(Clone, Copy)]
struct Row<'a> {
    dimension: &'a Dimension,
    here: u32,
    there: u32,
    /// Channels of the way straight on, those of further dimensions among them.
    channels: u32,
}

impl DimWarHyperX {
    fn new(ports: GridPorts, plan: VcPlan, thresholds: Thresholds) -> Self {
        let mut routing = Self {
            ports,
            plan,
            thresholds,
            survivors: None,
        };
        if !routing.ports.is_complete() {
            routing.survivors = Some(routing.find_survivors());
        }
        routing
    }

    /// From every router what its ways still reach: of those equally far packets on a detour go straight on, to nearer ones.
    fn find_survivors(&self) -> Vec<Survivors> {
        let network = &self.ports.network;
        let distance = |at, to| self.ports.distance(at, to);
        Survivors::by_phase(network, &[AWAY, FREE], distance, |found, at, to, phase| {
            let leads = |hop: Hop| {
                let next = network.next_router(at, hop.port);
                let after = &found[usize::from(hop.header.phase)];
                next.is_some_and(|next| after.reaches(next, to))
            };
            let header = Header {
                phase,
                ..Header::default()
            };
            self.healthy(at, to, header).any(leads)
        })
    }

    fn row(&self, at: RouterId, to: RouterId) -> Option<Row<'_>> {
        let (here, there) = (self.ports.coordinates(at), self.ports.coordinates(to));
        let differs = |dimension: &&Dimension| here[dimension.index] != there[dimension.index];
        let mut ahead = self.ports.dimensions.iter().filter(differs);
        let dimension = ahead.next()?;
        let (here, there) = (here[dimension.index], there[dimension.index]);
        Some(Row {
            dimension,
            here,
            there,
            channels: 1 + ahead.count() as u32,
        })
    }

    /// The hop straight on.
    #[inline]
    fn straight(&self, row: Row<'_>, header: Header) -> Hop {
        let vcs = match header.phase {
            FREE => self.plan.every_class(),
            _ => self.plan.class(1, 2),
        };
        Hop {
            port: row.dimension.row_port(row.here, row.there),
            vcs,
            header: Header {
                phase: FREE,
                ..header
            },
        }
    }

    /// The first hops of all detours there are without faults.
    #[inline]
    fn detours(&self, row: Row<'_>, header: Header) -> impl Iterator<Item = Hop> + Clone {
        let all = match header.phase {
            FREE => 0..row.dimension.size,
            _ => 0..0,
        };
        let vcs = self.plan.class(0, 2);
        all.filter(move |&by| by != row.here && by != row.there)
            .map(move |by| Hop {
                port: row.dimension.row_port(row.here, by),
                vcs,
                header: Header {
                    phase: AWAY,
                    ..header
                },
            })
    }

    /// All a packet may do before its end without faults, the way straight on first.
    fn healthy(&self, at: RouterId, to: RouterId, header: Header) -> impl Iterator<Item = Hop> {
        let row = self.row(at, to).into_iter();
        row.flat_map(move |row| {
            let straight = self.straight(row, header);
            std::iter::once(straight).chain(self.detours(row, header))
        })
    }

    /// Does one of a packet's ways survive behind this hop?
    #[inline]
    fn leads_on(&self, at: RouterId, to: RouterId, hop: &Hop) -> bool {
        let Some(survivors) = &self.survivors else {
            return true;
        };
        let next = self.ports.network.next_router(at, hop.port);
        next.is_some_and(|next| survivors[usize::from(hop.header.phase)].reaches(next, to))
    }

    fn to(&self, header: Header) -> RouterId {
        self.ports.network.router_of(header.destination)
    }

    fn ejection(&self, header: Header) -> Hop {
        endpoints::ejection(&self.ports.network, header, self.plan.all())
    }
}

impl Routing for DimWarHyperX {
    fn virtual_channels(&self) -> Vc {
        self.plan.total
    }

    fn relation(&self) -> Option<String> {
        Some(format!("DimWAR, {:?}", self.plan))
    }

    fn start(&self, source: TerminalId, destination: TerminalId) -> Option<Start> {
        let (network, vcs) = (&self.ports.network, self.plan.all());
        let survivors = self.survivors.as_ref();
        let connected = |from, to| {
            survivors.is_none_or(|survivors| survivors[usize::from(FREE)].reaches(from, to))
        };
        endpoints::start(network, source, destination, vcs, connected)
    }

    fn options(&self, at: RouterId, header: Header, options: &mut Vec<Hop>) {
        let to = self.to(header);
        if at == to {
            return options.push(self.ejection(header));
        }
        let hops = self.healthy(at, to, header);
        options.extend(hops.filter(|hop| self.leads_on(at, to, hop)));
    }

    fn choose(
        &self,
        at: RouterId,
        header: Header,
        sees: &dyn Congestion,
        rng: &mut Random,
    ) -> Option<Hop> {
        let to = self.to(header);
        let Some(row) = self.row(at, to) else {
            return Some(self.ejection(header));
        };
        let weight = |queue: i64, channels: u32| queue * i64::from(channels);
        let queue = |hop: &Hop| i64::from(sees.occupancy(hop.port, VcSet::EVERY));
        let straight = Some(self.straight(row, header)).filter(|hop| self.leads_on(at, to, hop));
        let its = straight.map_or(i64::MAX, |hop| {
            let beyond = queue(&hop) - self.thresholds.of(at, hop.port);
            weight(beyond, row.channels)
        });
        if its <= 0 {
            return straight;
        }
        let mut lightest = Least::default();
        let detours = self.detours(row, header);
        for detour in detours.filter(|hop| self.leads_on(at, to, hop)) {
            let that = weight(queue(&detour), row.channels + 1);
            lightest.offer(that, detour, rng);
        }
        match lightest.key() {
            Some(that) if its > that => lightest.item(),
            _ => straight,
        }
    }

    fn settled(&self, at: RouterId, header: Header) -> Option<Hop> {
        let to = self.to(header);
        let Some(row) = self.row(at, to) else {
            return Some(self.ejection(header));
        };
        let is_open = header.phase == FREE && row.dimension.size > 2;
        let straight = (!is_open).then(|| self.straight(row, header));
        straight.filter(|hop| self.leads_on(at, to, hop))
    }
}
