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
    /// For all virtual channels of a port together, their mean; a packet takes any of its class.
    Port,
    /// The smaller of the two; a packet takes the least congested virtual channel of its class.
    Min,
    /// The larger of the two, likewise.
    Max,
}

impl SensorScope {
    /// Does a packet settle for one virtual channel?
    pub(crate) fn settles(self) -> bool {
        self != Self::Port
    }
}

/// A sensor.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sensor {
    pub(crate) source: SensorSource,
    pub(crate) scope: SensorScope,
    pub(crate) is_normalised: bool,
    /// Flits that a virtual channel's queues hold beside the buffer behind the channel.
    pub(crate) queue_flits: u32,
    /// Steps between 0 and 1 that a congestion is rounded to; 0 if it is not.
    pub(crate) granularity: u32,
    pub(crate) minimum: f64,
    pub(crate) offset: f64,
    /// Virtual channels of a channel.
    pub(crate) vcs: u32,
}

impl Sensor {
    /// The congestion of virtual channels of a port: a share of what they hold, or flits; with the offset.
    #[inline(always)]
    pub(crate) fn at(&self, sees: &dyn Congestion, port: Port, vcs: VcSet) -> f64 {
        let exact = match (self.source, self.scope) {
            (SensorSource::Both, SensorScope::Vc) => {
                let (flits, capacity) = sees.occupancy_of(port, vcs);
                f64::from(flits) / self.room(capacity)
            }
            _ => self.share(sees, port, vcs),
        };
        let seen = match self.granularity {
            0 => exact,
            steps => rounded(exact, steps.into()),
        };
        let least = self.minimum;
        (if seen > least { seen } else { least }) + self.offset
    }

    /// Is a virtual channel with fewer flits always less congested, and one with as many just as much? Not where some differences are left
    /// out, on purpose or because the offset is so large that the sum cannot show them.
    pub(crate) fn tells_flits(&self) -> bool {
        let by_vc = (self.source, self.scope) == (SensorSource::Both, SensorScope::Vc);
        by_vc && self.granularity == 0 && self.minimum <= 0.0 && self.offset <= 1e3
    }

    /// The share, or the flits, whatever counts.
    #[inline(never)]
    fn share(&self, sees: &dyn Congestion, port: Port, vcs: VcSet) -> f64 {
        let room = self.room(sees.capacity(port));
        let own = || self.flits(sees, port, vcs) / room;
        let all = || self.flits(sees, port, VcSet::EVERY) / (room * f64::from(self.vcs));
        match self.scope {
            SensorScope::Vc => own(),
            SensorScope::Port => all(),
            SensorScope::Min => own().min(all()),
            SensorScope::Max => own().max(all()),
        }
    }

    #[inline]
    fn flits(&self, sees: &dyn Congestion, port: Port, vcs: VcSet) -> f64 {
        f64::from(match self.source {
            SensorSource::Both => sees.occupancy(port, vcs),
            SensorSource::Credits => sees.unacknowledged(port, vcs),
            SensorSource::Queue => sees.queued(port, vcs),
        })
    }

    /// What a virtual channel of a port with this capacity holds, or 1 where flits are counted.
    #[inline(always)]
    fn room(&self, capacity: u32) -> f64 {
        let behind = || capacity / self.vcs.max(1);
        let room = match (self.is_normalised, self.source) {
            (false, _) => 1,
            (true, SensorSource::Both) => behind().saturating_add(self.queue_flits),
            (true, SensorSource::Queue) if self.queue_flits > 0 => self.queue_flits,
            (true, SensorSource::Credits | SensorSource::Queue) => behind(),
        };
        f64::from(room.max(1))
    }
}

/// A congestion, rounded to so many steps.
#[inline(never)]
fn rounded(exact: f64, steps: f64) -> f64 {
    (exact * steps).round() / steps
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two virtual channels with 4 and 8 flits in output queues, and 6 and 2 without a credit, of 12 each.
    struct Two;

    impl Congestion for Two {
        fn unacknowledged(&self, _: Port, vcs: VcSet) -> u32 {
            [6, 2]
                .iter()
                .zip(0..)
                .filter(|&(_, vc)| vcs.contains(vc))
                .map(|(flits, _)| flits)
                .sum()
        }

        fn queued(&self, _: Port, vcs: VcSet) -> u32 {
            [4, 8]
                .iter()
                .zip(0..)
                .filter(|&(_, vc)| vcs.contains(vc))
                .map(|(flits, _)| flits)
                .sum()
        }

        fn capacity(&self, _: Port) -> u32 {
            24
        }

        fn memory(&self) -> &[u32] {
            &[]
        }
    }

    const PLAIN: Sensor = Sensor {
        source: SensorSource::Both,
        scope: SensorScope::Vc,
        is_normalised: false,
        queue_flits: 8,
        granularity: 0,
        minimum: 0.0,
        offset: 0.0,
        vcs: 2,
    };

    fn seen(sensor: Sensor) -> [f64; 2] {
        [0, 1].map(|vc| sensor.at(&Two, 0, VcSet::one(vc)))
    }

    #[test]
    fn flits_count_by_source_and_scope() {
        use SensorScope::{Max, Min, Port, Vc};
        use SensorSource::{Both, Credits, Queue};
        for (source, of_vc, of_port) in [
            (Both, [10.0, 10.0], 10.0),
            (Credits, [6.0, 2.0], 4.0),
            (Queue, [4.0, 8.0], 6.0),
        ] {
            let at = |scope| {
                seen(Sensor {
                    source,
                    scope,
                    ..PLAIN
                })
            };
            assert_eq!(at(Vc), of_vc);
            assert_eq!(at(Port), [of_port; 2]);
            assert_eq!(at(Min), of_vc.map(|flits| flits.min(of_port)));
            assert_eq!(at(Max), of_vc.map(|flits| flits.max(of_port)));
        }
    }

    #[test]
    fn a_share_is_of_what_is_counted() {
        let at = |source, queue_flits| {
            seen(Sensor {
                source,
                queue_flits,
                is_normalised: true,
                ..PLAIN
            })
        };
        assert_eq!(at(SensorSource::Both, 8), [0.5, 0.5]);
        assert_eq!(at(SensorSource::Credits, 8), [0.5, 2.0 / 12.0]);
        assert_eq!(at(SensorSource::Queue, 8), [0.5, 1.0]);
        assert_eq!(at(SensorSource::Queue, 0), [4.0 / 12.0, 8.0 / 12.0]);
    }

    #[test]
    fn what_is_seen_is_rounded_and_at_least_the_minimum() {
        let sensor = Sensor {
            source: SensorSource::Credits,
            is_normalised: true,
            granularity: 3,
            minimum: 0.4,
            offset: 1.0,
            ..PLAIN
        };
        // A half is rounded up to two thirds, a sixth to a third, which is less than the minimum.
        assert_eq!(seen(sensor), [1.0 + 2.0 / 3.0, 1.4]);
    }
}
