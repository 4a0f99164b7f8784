//! Informed adaptive routing: ours. Every router weighs all outputs by its own queues and by what its group has told of the global
//! channels behind them.
//!
//! A packet may do at every router what it may in [`weighted_adaptive`](super::weighted_adaptive): leave its group by any global
//! channel, go by another router of an intermediate group if that is better. Of all that, it takes what has the least
//! weight,
//!
//! ```text
//! minimal      q + t
//! non-minimal  (q + t + bias) * 2
//! ```
//!
//! where `q` counts the flits that the router has sent through the output, on all virtual channels, and that are not
//! credited; and `t`, where the output leads to another router of the group, those on the best global channel there, as that
//! router has told. So a source does not wait until a congested global channel is felt through a local one, and among
//! detours it finds the emptiest instead of trying one.
//!
//! **Information.** Each router tells its group the queue of each of its global channels, `queues_delay` cycles late (by default
//! the latency of the longest local channel), in steps of `queues_grain` flits.
//!
//! **Classes and faults.** As `weighted-adaptive` with a Valiant node: four virtual channels, five if `progressive`, which who is
//! told of global queues does not need.
//!
//! Source: ours.
//!
//! Complexity: a choice looks at all channels of the router and all global channels of the group. Memory as `valiant`.

use super::delay::{delay, longest_local};
use super::tables::QueueTables;
use super::weighing::routing::{Scales, Weighing};
use super::weighing::steps::{Leads, Step, Steps, class_numbers};
use crate::algorithm::{Algorithm, AlgorithmEntry, Context, misfit};
use crate::common::vc_plan::VcPlan;
use crate::grouped::links::GroupLink;
use schemars::JsonSchema;
use serde::Deserialize;
use std::sync::Arc;
use turnwise_config::registry::{Entry, parse_as, schema_of};
use turnwise_config::units;
use turnwise_network::{
    Congestion, Hop, Invalid, Network, Receiver, RouterId, Routing, Sensing, Shape, Vc, VcSet,
};

pub(crate) const ENTRY: AlgorithmEntry = AlgorithmEntry {
    entry: Entry {
        name: NAME,
        aliases: &[],
        summary: "Dragonfly: every router weighs all outputs by its queues and those its group has told of",
        source: "Turnwise",
        example: "bias_flits = 8\nqueues_delay = 1\nqueues_grain = 4\nprogressive = false\nvirtual_channels = 4",
        schema: schema_of::<Informed>,
        parse: |table, errors| {
            Some(Box::new(parse_as::<Informed, dyn Algorithm>(
                table, errors,
            )?))
        },
    },
    fits: |shape| matches!(shape, Shape::Dragonfly(_)),
};

const NAME: &str = "informed";

/// Parameters of informed adaptive routing.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Informed {
    /// Flits that a non-minimal output counts more than are there.
    #[schemars(transform = units::flits)]
    pub bias_flits: u32,
    /// Cycles until a group knows of a queue. By default the latency of its longest channel.
    #[schemars(range(min = 1, max = Receiver::MOST_DELAY), transform = units::cycles)]
    pub queues_delay: Option<u32>,
    /// Steps in which queues are told.
    #[schemars(range(min = 1), transform = units::flits)]
    pub queues_grain: u32,
    /// May the second router of the source's group look at all global channels again?
    pub progressive: bool,
    /// Virtual channels to spread the classes over: by default all the router has, or else as many as there are classes.
    pub virtual_channels: Option<Vc>,
}

impl Default for Informed {
    fn default() -> Self {
        Self {
            bias_flits: 8,
            queues_delay: None,
            queues_grain: 4,
            progressive: false,
            virtual_channels: None,
        }
    }
}

impl Algorithm for Informed {
    fn build(
        &self,
        network: &Arc<Network>,
        context: &Context<'_>,
    ) -> Result<Box<dyn Routing>, Invalid> {
        let Shape::Dragonfly(shape) = network.shape() else {
            return Err(misfit(NAME, "dragonflies", network));
        };
        if self.queues_grain == 0 {
            return Err(Invalid::new(
                "queues_grain",
                "expected at least 1 flit, found 0",
            ));
        }
        let cycles = self.queues_delay.unwrap_or_else(|| longest_local(network));
        let delay = delay("queues_delay", cycles)?;
        let kinds = (self.progressive, true);
        let needed = class_numbers(kinds.0, kinds.1).1;
        let plan = VcPlan::new(NAME, self.virtual_channels, needed, context)?;
        let steps = Steps::new(network, shape, plan, kinds);
        let queues = QueueTables::new(network, &steps.legs.links, delay, self.queues_grain);
        Ok(Box::new(Weighing {
            steps,
            scales: Told {
                queues,
                bias: self.bias_flits,
            },
        }))
    }
}

struct Told {
    queues: QueueTables,
    bias: u32,
}

impl Told {
    /// Flits on the best global channel behind a step.
    fn behind(
        &self,
        steps: &Steps,
        at: RouterId,
        to: RouterId,
        step: &Step,
        sees: &dyn Congestion,
    ) -> u32 {
        let Leads::ToOwner(owner) = step.leads else {
            return 0;
        };
        let there = steps.legs.group(to);
        let is_kind = |link: GroupLink| (steps.legs.group(link.peer) == there) == step.is_minimal;
        let links = steps.numbered(owner).filter(|&(_, link)| is_kind(link));
        let queues = links.map(|(number, _)| self.queues.queue(at, number, sees));
        queues.min().unwrap_or(0)
    }
}

impl Scales for Told {
    fn choices(&self, class: VcSet) -> impl Iterator<Item = VcSet> {
        std::iter::once(class)
    }

    #[inline]
    fn weight(
        &self,
        steps: &Steps,
        at: RouterId,
        to: RouterId,
        step: &Step,
        sees: &dyn Congestion,
    ) -> impl Fn(Hop) -> f64 {
        let told = self.behind(steps, at, to, step, sees);
        let is_minimal = step.is_minimal;
        move |hop| {
            let flits = sees.occupancy(hop.port, VcSet::EVERY) + told;
            f64::from(match is_minimal {
                true => flits,
                false => 2 * (flits + self.bias),
            })
        }
    }

    fn sensing(&self) -> Option<&dyn Sensing> {
        Some(&self.queues)
    }
}
