//! What a router takes for the congestion of an output: SuperSim's congestion sensors.

use schemars::JsonSchema;
use serde::Deserialize;
use turnwise_network::{Congestion, Port, VcSet};

/// Which flits count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SensorSource {
    /// Those in the router's output queue, and those sent and not yet credited.
    #[default]
    Both,
    /// Those sent and not yet credited: on the channel, in the buffer behind it, or their credits under way.
    Credits,
    /// Those in the router's output queue.
    Queue,
}

/// Where they are counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SensorScope {
    /// For every virtual channel by itself; a packet takes the least congested one of its class.
    #[default]
    Vc,
    /// For all virtual channels of a port together; a packet takes any of its class.
    Port,
}

/// A sensor.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sensor {
    pub(crate) source: SensorSource,
    pub(crate) scope: SensorScope,
    pub(crate) is_normalised: bool,
    /// Flits that a virtual channel's queues hold beside the buffer behind the channel.
    pub(crate) queue_flits: u32,
    pub(crate) offset: f64,
    /// Virtual channels of a channel.
    pub(crate) vcs: u32,
}

impl Sensor {
    /// The congestion of virtual channels of a port: a share of what they hold, or flits; with the offset.
    #[inline]
    pub(crate) fn congestion(&self, sees: &dyn Congestion, port: Port, vcs: VcSet) -> f64 {
        let (seen, count) = match self.scope {
            SensorScope::Vc => (vcs, 1),
            SensorScope::Port => (VcSet::EVERY, self.vcs),
        };
        let flits = match self.source {
            SensorSource::Both => sees.occupancy(port, seen),
            SensorSource::Credits => sees.unacknowledged(port, seen),
            SensorSource::Queue => sees.queued(port, seen),
        };
        let room = match self.is_normalised {
            true => f64::from(sees.capacity(port) / self.vcs.max(1) + self.queue_flits),
            false => 1.0,
        };
        f64::from(flits) / (room.max(1.0) * f64::from(count)) + self.offset
    }

    /// The virtual channels of a class between which a packet chooses: each by itself, or all at once.
    #[inline]
    pub(crate) fn choices(&self, class: VcSet) -> impl Iterator<Item = VcSet> {
        let (each, all) = match self.scope {
            SensorScope::Vc => (Some(class), None),
            SensorScope::Port => (None, Some(class)),
        };
        let each = each
            .into_iter()
            .flat_map(|class| class.iter().map(VcSet::one));
        each.chain(all)
    }
}
