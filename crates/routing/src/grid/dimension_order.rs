//! Dimension order: one dimension after the other, each the shorter way round.
//!
//! The classical deterministic routing of meshes, tori and hypercubes (e-cube), and, one hop
//! a dimension, of HyperX and full meshes. Routes are minimal. A mesh is free of deadlock with
//! one virtual channel, because no route turns back to an earlier dimension; a ring is not.
//!
//! **Ties.** In a ring of even size `k >= 4`, both ways to the opposite router are equally
//! long. After one hop they no longer are, so a packet need not remember its way.
//!
//! **Classes on rings** (`classes = "dateline"`). A packet takes its class when it *enters*
//! a dimension, as BookSim's `dim_order_torus` has it: going up, class 1 if it will wrap
//! around and class 0 if not; going down, class 0 if it will wrap around and class 1 if not.
//! With `V` virtual channels class 0 is `0 .. V/2` and class 1 the rest. Meshes and dimensions
//! of two routers need no classes and take all. There are no classes (`"none"`) by default if
//! flow control is bubble, which keeps rings free of deadlock by itself, or if there is
//! but one virtual channel.
//!
//! **Faults.** A pair is routed if any of its dimension-ordered routes survives (ties make
//! several), and then only along these.
//!
//! Source: Sullivan and Bashkow, "A large scale, homogeneous, fully distributed parallel
//! machine", ISCA 1977; Dally and Seitz, "Deadlock-free message routing in multiprocessor
//! interconnection networks", IEEE Trans. Computers 36(5), 1987.
//!
//! Complexity: O(dimensions) a hop, O(routers x dimensions) memory; with faults also
//! routers squared bits, made in O(routers x channels).
//!
//! ```
//! use std::sync::Arc;
//! use turnwise_network::topologies::{Topology, Torus};
//! use turnwise_network::{RouterId, TerminalId};
//! use turnwise_routing::algorithms::{DimensionOrder, Ties};
//! use turnwise_routing::{Algorithm, Context};
//!
//! let torus = Arc::new(Torus { sizes: vec![8, 8], ..Torus::default() }.build(None)?);
//! let parameters = DimensionOrder { ties: Ties::Positive, ..DimensionOrder::default() };
//! let routing = parameters.build(&torus, &Context::default())?;
//! assert_eq!(routing.virtual_channels(), 2);
//!
//! // From (0,0) to (6,1): two hops down around the ring of x, then one up along y.
//! let start = routing.start(TerminalId(0), TerminalId(6 * 8 + 1)).expect("no faults");
//! let (mut at, mut header, mut labels) = (RouterId(0), start.header, Vec::new());
//! loop {
//!     let mut options = Vec::new();
//!     routing.options(at, header, &mut options);
//!     header = options[0].header;
//!     let Some(next) = torus.next_router(at, options[0].port) else { break };
//!     labels.push(torus.router_label(next));
//!     at = next;
//! }
//! assert_eq!(labels, ["(7,0)", "(6,0)", "(6,1)"]);
//! # Ok::<(), turnwise_network::Invalid>(())
//! ```

mod grid;
mod hyperx;

use crate::algorithm::{Algorithm, AlgorithmEntry, Context, misfit};
use crate::common::only_way::OnlyWay;
use crate::common::vc_plan::VcPlan;
use schemars::JsonSchema;
use serde::Deserialize;
use std::sync::Arc;
use turnwise_config::registry::{Entry, parse_as, schema_of};
use turnwise_network::shape::Grid;
use turnwise_network::{FlowControl, Invalid, Network, Routing, Shape, Vc};

pub(crate) const ENTRY: AlgorithmEntry = AlgorithmEntry {
    entry: Entry {
        name: NAME,
        aliases: &["dor", "e-cube"],
        summary: "One dimension after the other, the shorter way round each ring",
        source: "Dally and Seitz, Deadlock-free message routing in multiprocessor interconnection networks, 1987",
        example: "ties = \"parity\"\norder = [1, 0]\nclasses = \"dateline\"\nvirtual_channels = 4",
        schema: schema_of::<DimensionOrder>,
        parse: |table, errors| {
            Some(Box::new(parse_as::<DimensionOrder, dyn Algorithm>(
                table, errors,
            )?))
        },
    },
    fits: |shape| matches!(shape, Shape::Grid(_) | Shape::HyperX(_)),
};

const NAME: &str = "dimension-order";

/// Parameters of dimension-order routing.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct DimensionOrder {
    /// Which way to the opposite router of a ring.
    pub ties: Ties,
    /// The dimensions in the order to take them, 0 is X; ascending by default.
    pub order: Option<Vec<u32>>,
    /// How rings are kept free of deadlock: by default datelines, but nothing with bubble
    /// flow control, with a single virtual channel, or without rings.
    pub classes: Option<Classes>,
    /// Virtual channels to use: by default all the router has, or else 2 with datelines and 1 without.
    pub virtual_channels: Option<Vc>,
}

/// Which way to the opposite router of a ring of even size, where both are equally long.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Ties {
    /// Either way, drawn packet by packet when it enters the dimension.
    #[default]
    Random,
    /// Up from even coordinates, down from odd ones: balanced and deterministic.
    Parity,
    /// Always up.
    Positive,
}

/// How rings are kept free of deadlock.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Classes {
    /// Two classes of virtual channels, by whether a packet wraps around.
    Dateline,
    /// All packets use all virtual channels: only safe with bubble flow control.
    None,
}

impl Algorithm for DimensionOrder {
    fn is_free_of_deadlock(&self, shape: &Shape) -> bool {
        let is_ring = |grid: &Grid| (0..grid.sizes.len()).any(|dimension| grid.is_ring(dimension));
        let rings = matches!(shape, Shape::Grid(grid) if is_ring(grid));
        self.classes != Some(Classes::None) || !rings
    }

    fn build(
        &self,
        network: &Arc<Network>,
        context: &Context<'_>,
    ) -> Result<Box<dyn Routing>, Invalid> {
        match network.shape() {
            Shape::Grid(shape) => {
                let order = self.order(shape.sizes.len())?;
                let rings = (0..shape.sizes.len()).any(|dimension| shape.is_ring(dimension));
                let (plan, dateline) = self.plan(rings, context)?;
                Ok(Box::new(grid::GridOrder::new(
                    network, shape, &order, self.ties, plan, dateline,
                )))
            }
            Shape::HyperX(shape) => {
                let order = self.order(shape.sizes.len())?;
                let (plan, _) = self.plan(false, context)?;
                let rule = hyperx::HyperXOrder::new(network, shape, &order, plan);
                Ok(Box::new(OnlyWay(rule)))
            }
            _ => Err(misfit(
                NAME,
                "meshes, tori, hypercubes, HyperX and full meshes",
                network,
            )),
        }
    }
}

impl DimensionOrder {
    fn order(&self, dimensions: usize) -> Result<Vec<usize>, Invalid> {
        let Some(order) = &self.order else {
            return Ok((0..dimensions).collect());
        };
        let mut sorted = order.clone();
        sorted.sort_unstable();
        if sorted
            .iter()
            .map(|&dimension| dimension as usize)
            .eq(0..dimensions)
        {
            return Ok(order.iter().map(|&dimension| dimension as usize).collect());
        }
        let message = format!(
            "expected every dimension from 0 to {} once",
            dimensions.saturating_sub(1)
        );
        Err(Invalid::new("order", message)
            .with_help("leave it out to take them in ascending order"))
    }

    /// The virtual channels, and whether rings divide them into two classes.
    fn plan(&self, rings: bool, context: &Context<'_>) -> Result<(VcPlan, bool), Invalid> {
        let granted = self.virtual_channels.or(context.router_virtual_channels);
        let dateline = rings
            && match self.classes {
                Some(classes) => classes == Classes::Dateline,
                None => context.flow_control != FlowControl::Bubble && granted != Some(1),
            };
        let default = granted.unwrap_or(if dateline { 2 } else { 1 });
        let plan = VcPlan::new(NAME, self.virtual_channels, default, context)?;
        if dateline && plan.used < 2 {
            let message = "datelines need at least 2 virtual channels";
            let help = "take virtual_channels = 2 or more, or classes = \"none\"";
            return Err(Invalid::new("classes", message).with_help(help));
        }
        Ok((plan, dateline))
    }
}
