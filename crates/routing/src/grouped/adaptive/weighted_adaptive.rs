//! Weighted adaptive routing of dragonflies, as SuperSim has it, with the propagation ratio.
//!
//! Every router that a packet visits chooses anew, among all outputs that lead on, the one with the least weight
//!
//! ```text
//! minimal      q + w * PR
//! non-minimal  (q + w * PR + bias) * hop_ratio
//! ```
//!
//! where `q` is what the router takes for the output's congestion. A non-minimal output must be strictly better; equals of a kind
//! are drawn.
//!
//! * In the source's group the outputs are all global channels of the group, the router's own and those behind local
//!   channels, weighed by the router's own queues. A packet remembers how far it is and not where it wanted to go. If
//!   `progressive`, the second router looks at all of them again, and only a third must take a global channel of its own;
//!   otherwise the second must. Who must and has no minimal one calls all alike.
//! * At the first router of an intermediate group, if `valiant_node`: minimally on, or by any other router of the group,
//!   non-minimally. So the random router of Valiant's routing is taken under congestion only.
//! * Inside a group: directly, or by any other router, non-minimally.
//!
//! **Congestion.** `sensor_source`, `sensor_scope` and `normalised` say what is counted. A share counts what the
//! virtual channel holds: the buffer behind the channel and `queue_flits` before it (in SuperSim's input/output-queued router
//! 9). What is seen is rounded (`granularity`), at least `minimum`, and has `offset` added. On long channels flits and credits
//! under way look like a queue (phantom congestion), unless `phantom` says which of them do not count. Sensors may be late
//! (`sensor_latency`).
//!
//! Unless `sensor_scope = "port"` a packet settles for one virtual channel when it is routed, and for any as it leaves its source.
//!
//! **Propagation ratio.** `PR` is how many cycles the way takes on its channels, over the width of the network
//! (`width_cycles`, by default the latency of its longest global channel): the local channel to the owner of the global
//! one, that channel, and (`propagation = "full"`) the minimal way from there. `"next-hop"` leaves the last out: the first version of
//! its author, who rejected it. `"not-on-minimal"` adds the ratio to non-minimal outputs alone. With weight 0 nothing is added. Where the local channel leads to an owner of several, the
//! shortest way counts.
//!
//! **Classes.** Seven routing classes on five virtual channels, fewer without `progressive` or `valiant_node`:
//!
//! | | S1 | S2 | first global | I1 | I2 | last global | D1 | channels |
//! |---|---|---|---|---|---|---|---|---|
//! | both | 0 | 1 | 1 | 2 | 3 | 3 | 4 | 5 |
//! | progressive | 0 | 1 | 1 | | 2 | 2 | 3 | 4 |
//! | valiant node | | 0 | 0 | 1 | 2 | 2 | 3 | 4 |
//! | neither | | 0 | 0 | | 1 | 1 | 2 | 3 |
//!
//! S1 and S2 are the first and second local channel of the source's group, I1 and I2 those of an intermediate group, D1 that
//! of the destination's group and of packets that stay inside. They only rise along a route, so they are free of deadlock.
//! A class has the virtual channels whose numbers leave its own by the number of classes, so that with one too many it is the
//! first that has two.
//!
//! **Faults.** A router offers what leads on over what survives. A pair is routed if anything does.
//!
//! Source: SuperSim (McDonald et al., ISPASS 2018), dragonfly `adaptive` routing with the `weighted` reduction, commit 2ee12fe;
//! George, "Simulating Weighted Decision Routing Based On Propagation Delay Using SuperSim". The ratio of a local detour, the
//! width, and what a local channel to several owners weighs are reconstructed.
//!
//! Complexity: a choice looks at all channels of the router and, with a weight, at all global channels of the group. Memory as
//! `valiant`.

use super::latencies::longest;
use super::weighing::moves::{Seen, Step};
use super::weighing::propagation::Propagation;
use super::weighing::routing::{Scales, Sight, Weighing};
use super::weighing::sensor::{Sensor, SensorScope, SensorSource};
use super::weighing::steps::{Shares, Steps, class_numbers};
use crate::algorithm::{Algorithm, AlgorithmEntry, Context, misfit};
use crate::common::committed::Committed;
use crate::common::late::late;
use crate::common::phantom::{Phantom, compensated};
use crate::common::vc_plan::VcPlan;
use schemars::JsonSchema;
use serde::Deserialize;
use std::sync::Arc;
use turnwise_config::registry::{Entry, parse_as, schema_of};
use turnwise_config::units;
use turnwise_network::{ChannelClass, Header, Hop, Invalid, Network, Receiver, Routing, Shape, Vc};

pub(crate) const ENTRY: AlgorithmEntry = AlgorithmEntry {
    entry: Entry {
        name: NAME,
        aliases: &[],
        summary: "Dragonfly: every router weighs all outputs by congestion, hops and distance",
        source: "SuperSim, dragonfly adaptive routing; George, Simulating Weighted Decision Routing Based On Propagation Delay",
        example: "progressive = true\nvaliant_node = true\nbias = 0.1\nhop_ratio = 2.0\npropagation_weight = 0.25\n\
                  propagation = \"full\"\nwidth_cycles = 320\nsensor_source = \"both\"\n\
                  sensor_scope = \"vc\"\nsensor_latency = 1\nnormalised = true\nqueue_flits = 9\ngranularity = 100\nminimum = 0.0\noffset = 0.1\n\
                  phantom = { value_coefficient = 1.0, length_coefficient = 2.0 }\nvirtual_channels = 5",
        schema: schema_of::<WeightedAdaptive>,
        parse: |table, errors| {
            Some(Box::new(parse_as::<WeightedAdaptive, dyn Algorithm>(
                table, errors,
            )?))
        },
    },
    fits: |shape| matches!(shape, Shape::Dragonfly(_)),
};

const NAME: &str = "weighted-adaptive";

/// Parameters of weighted adaptive routing.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct WeightedAdaptive {
    /// May the second router of the source's group look at all global channels again? Where channels inside groups are dead
    /// it mostly leaves fewer pairs without a way.
    pub progressive: bool,
    /// May the first router of an intermediate group send a packet by another one?
    pub valiant_node: bool,
    /// What is added to the congestion of non-minimal outputs.
    pub bias: f64,
    /// What their sum is multiplied with.
    #[schemars(range(min = 1))]
    pub hop_ratio: f64,
    /// Weight of the propagation ratio, w.
    #[schemars(range(min = 0))]
    pub propagation_weight: f64,
    /// Which way the ratio measures.
    pub propagation: PropagationVersion,
    /// Width of the network. By default the latency of its longest global channel.
    #[schemars(range(min = 1), transform = units::cycles)]
    pub width_cycles: Option<u32>,
    /// Which flits count as congestion.
    pub sensor_source: SensorSource,
    /// Where they are counted.
    pub sensor_scope: SensorScope,
    /// How late a router sees its own congestion. 1, the default, is what counts in the cycle of the decision; what it sees
    /// with 2 is from the end of the cycle before, and so on.
    #[schemars(range(min = 1, max = Receiver::MOST_DELAY), transform = units::cycles)]
    pub sensor_latency: u32,
    /// Is congestion a share of what a virtual channel holds, or flits?
    pub normalised: bool,
    /// Flits that a virtual channel holds in the output queue, beside the buffer behind the channel. A share is of both, or, as
    /// `sensor_source` says, of the buffer or the queue alone; 0 stands for the buffer.
    #[schemars(transform = units::flits)]
    pub queue_flits: u32,
    /// Steps from 0 to 1 that a congestion is rounded to. 0, the default, for none.
    pub granularity: u32,
    /// The least that is seen.
    #[schemars(range(min = 0))]
    pub minimum: f64,
    /// What is added to every congestion, as SuperSim's sensors do.
    #[schemars(range(min = 0))]
    pub offset: f64,
    /// Flits on their way that do not count as waiting. By default all that are not credited count.
    pub phantom: Option<Phantom>,
    /// Virtual channels to spread the classes over: by default all the router has, or else as many as there are classes.
    pub virtual_channels: Option<Vc>,
}

impl Default for WeightedAdaptive {
    /// SuperSim's sample configuration, without the propagation ratio.
    fn default() -> Self {
        Self {
            progressive: true,
            valiant_node: true,
            bias: 0.1,
            hop_ratio: 2.0,
            propagation_weight: 0.0,
            propagation: PropagationVersion::Full,
            width_cycles: None,
            sensor_source: SensorSource::Both,
            sensor_scope: SensorScope::Vc,
            sensor_latency: 1,
            normalised: true,
            queue_flits: 0,
            granularity: 0,
            minimum: 0.0,
            offset: 0.1,
            phantom: None,
            virtual_channels: None,
        }
    }
}

/// Which way the propagation ratio measures.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum PropagationVersion {
    /// Over the next global channel, and from there on minimally.
    #[default]
    Full,
    /// Over the next global channel only.
    NextHop,
    /// As `full`, and only of ways that are not minimal: nothing is added to minimal ones.
    NotOnMinimal,
}

impl Algorithm for WeightedAdaptive {
    fn build(
        &self,
        network: &Arc<Network>,
        context: &Context<'_>,
    ) -> Result<Box<dyn Routing>, Invalid> {
        let Shape::Dragonfly(shape) = network.shape() else {
            return Err(misfit(NAME, "dragonflies", network));
        };
        for (field, value, least) in [
            ("bias", self.bias, f64::MIN),
            ("hop_ratio", self.hop_ratio, 1.0),
            ("propagation_weight", self.propagation_weight, 0.0),
            ("minimum", self.minimum, 0.0),
            ("offset", self.offset, 0.0),
        ] {
            if !(value.is_finite() && value >= least) {
                let message = format!("expected a number of at least {least}, found {value}");
                return Err(Invalid::new(field, message));
            }
        }
        if self.width_cycles == Some(0) {
            let message = "expected at least 1 cycle, found 0";
            return Err(Invalid::new("width_cycles", message));
        }
        let kinds = (self.progressive, self.valiant_node);
        let needed = class_numbers(kinds.0, kinds.1).1;
        let plan = VcPlan::new(NAME, self.virtual_channels, needed, context)?;
        let widest = || longest(network, ChannelClass::Global);
        let moves = Steps::new(network, shape, plan, kinds, Shares::Numbered);
        let propagation = Propagation::new(
            &moves,
            self.propagation_weight,
            self.width_cycles.unwrap_or_else(widest).into(),
            (
                self.propagation == PropagationVersion::NextHop,
                self.propagation != PropagationVersion::NotOnMinimal,
            ),
        );
        let sensor = Sensor {
            source: self.sensor_source,
            scope: self.sensor_scope,
            is_normalised: self.normalised,
            queue_flits: self.queue_flits,
            granularity: self.granularity,
            minimum: self.minimum,
            offset: self.offset,
            vcs: plan.total.into(),
        };
        let routing = Weighing {
            moves,
            scales: Weights {
                sensor,
                propagation,
                bias: self.bias,
                hop_ratio: self.hop_ratio,
            },
        };
        let routing: Box<dyn Routing> = match self.sensor_scope.settles() {
            true => Box::new(Committed(routing)),
            false => Box::new(routing),
        };
        if self.sensor_latency > 1 && self.phantom.is_some() {
            let message = "`phantom` tells what waits from what was sent lately, as it is now: it needs a `sensor_latency` of 1";
            return Err(Invalid::new("phantom", message));
        }
        let routing = late(routing, network, "sensor_latency", self.sensor_latency)?;
        compensated(routing, network, self.phantom)
    }
}

struct Weights {
    sensor: Sensor,
    propagation: Propagation,
    bias: f64,
    hop_ratio: f64,
}

impl Scales<Steps> for Weights {
    #[inline(always)]
    fn settles(&self) -> bool {
        self.sensor.scope.settles()
    }

    fn go_by_occupancy(&self) -> bool {
        self.sensor.tells_flits()
    }

    #[inline(always)]
    fn weight(&self, steps: &Steps, sight: &Sight<'_>, step: &Step) -> impl Fn(Hop) -> f64 {
        let (is_minimal, sees) = (step.is_minimal, sight.sees);
        let adds = self.propagation.weight > 0.0 && (self.propagation.on_minimal || !is_minimal);
        let far = match adds {
            true => self.propagation.weighted(steps, (sight.at, sight.to), step),
            false => 0.0,
        };
        move |hop| {
            let weight = self.sensor.at(sees, hop.port, hop.vcs) + far;
            match is_minimal {
                true => weight,
                false => (weight + self.bias) * self.hop_ratio,
            }
        }
    }

    #[inline(always)]
    fn weight_seen(&self, steps: &Steps, sight: &Sight<'_>, header: Header, seen: Seen) -> f64 {
        match self.propagation.weight > 0.0 {
            true => self.weight_first(steps, sight, header),
            false => self.sensor.at(sight.sees, seen.port, seen.vcs),
        }
    }

    #[inline(always)]
    fn least_other(&self) -> f64 {
        (self.sensor.offset + self.bias) * self.hop_ratio
    }
}
