//! How long the queue of a channel between groups gets that is seen, and from when on it is long.
//!
//! A threshold that no queue exceeds makes an adaptive routing a minimal one. How long one gets depends on the router. What has left
//! for a channel is at most
//!
//! - the flits that its virtual channel holds behind the channel: no more credits are there to be used;
//! - while nothing is in the way behind it, the flits and credits under way when it carries all it can, and what its output queue takes.
//!   An output queue fills only if flits cross to it faster than the channel takes them: those of few virtual channels may not, in short
//!   packets. In a router that queues at its inputs, and whose crossbar is as fast as its channels, the backlog waits where nobody sees it.
//!
//! The channels between groups are what everybody must be able to call congested, so they are what counts here. Where there are no groups
//! every port has a threshold of its own: see [`Thresholds`].
//!
//! Complexity: O(channels).

use crate::algorithm::{Context, OutputQueue};
use crate::common::phantom::Phantom;
use std::sync::Arc;
use turnwise_network::{Channel, ChannelClass, Network, Port, RouterId, VcSet};

/// BookSim's threshold, in flits.
pub(crate) const BOOKSIM_THRESHOLD: u32 = 30;
/// Buffers are never less deep than this, and never less than the longest channel's round trip, unless the study says so.
const LEAST_BUFFER_FLITS: u32 = 16;

/// What of a queue an algorithm looks at.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Counted {
    /// Packets that wait in the router for the channel, too.
    pub(crate) whole_queues: bool,
    /// What of the flits under way does not count.
    pub(crate) phantom: Option<Phantom>,
}

/// The flits of the longest queue that is seen at some channel between groups, of packets that have these virtual channels there.
pub(crate) fn longest_queue(
    network: &Network,
    virtual_channels: VcSet,
    counted: Counted,
    context: &Context<'_>,
) -> u32 {
    let virtual_channels = virtual_channels.iter().count() as u32;
    let held = buffer_flits(network, context).saturating_mul(virtual_channels);
    if counted.whole_queues {
        return held;
    }
    let channels = network.channels().map(|(_, channel)| channel);
    let between_groups = channels.filter(|channel| channel.class == ChannelClass::Global);
    let shown = |channel: &Channel| shown(channel, held, virtual_channels, counted, context);
    between_groups.map(shown).min().unwrap_or(held)
}

/// By port of all routers: what a queue there has to exceed to be called one, in flits.
///
/// If a study does not say, that is half of the flits and credits that are under way on the port's channel when it carries all it can, as
/// far as they are counted. With less, few flits that happen to meet send packets astray; with more, routers that queue at their inputs show
/// nothing that is as long.
pub(crate) struct Thresholds {
    network: Arc<Network>,
    flits: Vec<i32>,
}

impl Thresholds {
    pub(crate) fn new(
        network: &Arc<Network>,
        said: Option<i32>,
        virtual_channels: VcSet,
        counted: Counted,
        context: &Context<'_>,
    ) -> Self {
        let virtual_channels = virtual_channels.iter().count() as u32;
        let held = buffer_flits(network, context).saturating_mul(virtual_channels);
        let usual = |router: RouterId, port: usize| {
            let channel = network.out_channel(router, port as Port);
            let channel = channel.map(|channel| network.channel(channel));
            channel.map_or(0, |channel| under_way(channel, held, counted, context) / 2)
        };
        let of_router = |router| (0..network.radix(router)).map(move |port| (router, port));
        let ports = network.routers().flat_map(of_router);
        let flits = |(router, port)| said.unwrap_or_else(|| usual(router, port) as i32);
        Self {
            network: network.clone(),
            flits: ports.map(flits).collect(),
        }
    }

    #[inline]
    pub(crate) fn of(&self, at: RouterId, port: Port) -> i64 {
        self.flits[self.network.port_range(at).start + usize::from(port)].into()
    }
}

/// A queue that is long if none is longer than this: half of it, and no longer than is long for BookSim.
pub(crate) fn long_queue(longest: u32) -> u32 {
    (longest / 2).min(BOOKSIM_THRESHOLD)
}

/// What a virtual channel holds behind a channel between routers.
fn buffer_flits(network: &Network, context: &Context<'_>) -> u32 {
    let latencies = network.channels().map(|(_, channel)| channel.latency);
    let round_trip = || 2 * latencies.max().unwrap_or(0);
    context
        .router_buffer_flits
        .unwrap_or_else(|| LEAST_BUFFER_FLITS.max(round_trip()))
}

/// What is seen of the queue of a channel that carries all it can, if nothing is in the way behind it.
fn shown(
    channel: &Channel,
    held: u32,
    virtual_channels: u32,
    counted: Counted,
    context: &Context<'_>,
) -> u32 {
    let outputs = context.router_outputs;
    let under_way = under_way(channel, held, counted, context);
    let lanes = u64::from(outputs.lane_permille) * u64::from(virtual_channels);
    let crossing_permille = lanes.min(outputs.crossing_permille.into());
    if crossing_permille * u64::from(channel.interval) <= 1000 {
        return under_way;
    }
    match outputs.queue {
        OutputQueue::None => under_way,
        OutputQueue::OfChannel(flits) => under_way.saturating_add(flits).min(held),
        OutputQueue::OfVirtualChannel(flits) => {
            under_way.saturating_add(flits.saturating_mul(virtual_channels))
        }
    }
}

/// Its flits and credits on their way, if it carries all it can.
fn under_way(channel: &Channel, held: u32, counted: Counted, context: &Context<'_>) -> u32 {
    let round_trip = 2 * channel.latency + context.router_outputs.turnaround;
    let lately = |phantom: Phantom| phantom.sent_in(channel.latency, round_trip);
    let subtracted = counted.phantom.map_or(0, lately);
    let under_way = round_trip.saturating_sub(subtracted) / channel.interval.max(1);
    under_way.min(held)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::algorithm::Outputs;
    use turnwise_config::units::Cycles;
    use turnwise_network::End;
    use turnwise_network::RouterId;
    use turnwise_network::topologies::{ChannelLatency, Dragonfly, Latency, Topology};

    /// What is seen of a queue of two virtual channels of 64 flits.
    fn seen(latency: u32, interval: u32, outputs: Outputs, phantom: Option<Phantom>) -> u32 {
        let channel = Channel {
            source: End::Router(RouterId(0), 0),
            target: End::Router(RouterId(1), 0),
            latency,
            interval,
            class: ChannelClass::Global,
        };
        let context = Context {
            router_outputs: outputs,
            ..Context::default()
        };
        let counted = Counted {
            phantom,
            ..Counted::default()
        };
        shown(&channel, 128, 2, counted, &context)
    }

    #[test]
    fn what_waits_at_inputs_is_not_seen() {
        let flits = |latency, interval| seen(latency, interval, Outputs::default(), None);
        // Seven cycles of the routers, and the channel twice.
        assert_eq!([flits(1, 1), flits(20, 1), flits(100, 1)], [9, 47, 128]);
        assert_eq!(flits(1, 4), 2);
    }

    #[test]
    fn output_queues_are_seen_where_they_fill() {
        let flits = |interval, crossing_permille, queue| {
            let outputs = Outputs {
                turnaround: 6,
                crossing_permille,
                lane_permille: crossing_permille,
                queue,
            };
            seen(1, interval, outputs, None)
        };
        let each = OutputQueue::OfVirtualChannel(8);
        assert_eq!(flits(1, 1000, each), 8);
        assert_eq!(flits(4, 1000, each), 2 + 16);
        assert_eq!(flits(1, 2000, each), 8 + 16);
        assert_eq!(flits(1, 2000, OutputQueue::OfChannel(5)), 8 + 5);
        assert_eq!(flits(1, 2000, OutputQueue::OfChannel(u32::MAX)), 128);
        assert_eq!(flits(4, 1000, OutputQueue::None), 2);
    }

    #[test]
    fn short_packets_of_few_virtual_channels_fill_no_queue() {
        let flits = |lane_permille| {
            let outputs = Outputs {
                turnaround: 6,
                crossing_permille: 5000,
                lane_permille,
                queue: OutputQueue::OfVirtualChannel(8),
            };
            seen(1, 1, outputs, None)
        };
        assert_eq!([500, 501].map(flits), [8, 8 + 16]);
    }

    #[test]
    fn what_is_subtracted_is_not_seen() {
        let outputs = Outputs {
            turnaround: 6,
            crossing_permille: 2000,
            lane_permille: 2000,
            queue: OutputQueue::OfChannel(10),
        };
        let all = Some(Phantom::default());
        // What routers take between a flit and its credit is left.
        assert_eq!(seen(20, 1, outputs, all), 6 + 10);
        assert_eq!(seen(20, 1, Outputs::default(), all), 7);
        let half = |value_coefficient, length_coefficient| {
            Some(Phantom {
                value_coefficient,
                length_coefficient,
            })
        };
        assert_eq!(seen(20, 1, Outputs::default(), half(1.0, 1.0)), 7 + 20);
        assert_eq!(seen(20, 1, Outputs::default(), half(0.5, 2.0)), 7 + 20);
        assert_eq!(seen(20, 1, Outputs::default(), half(1.0, 9.0)), 0);
        for nothing in [half(0.0, 2.0), half(1.0, 0.0)] {
            let none = seen(20, 1, Outputs::default(), None);
            assert_eq!(seen(20, 1, Outputs::default(), nothing), none);
        }
    }

    #[test]
    fn every_port_has_a_threshold_of_its_own() {
        let dragonfly = Dragonfly {
            channel_latency: ChannelLatency {
                local: Latency::Fixed(Cycles(4)),
                global: Latency::Fixed(Cycles(20)),
                ..ChannelLatency::default()
            },
            ..Dragonfly::default()
        };
        let network = Arc::new(dragonfly.build(None).unwrap());
        let (counted, context) = (Counted::default(), Context::default());
        let thresholds = |said| Thresholds::new(&network, said, VcSet::all(4), counted, &context);
        let of = |said| {
            let thresholds = thresholds(said);
            [2, 6].map(|port| thresholds.of(RouterId(3), port))
        };
        // Twice the latency, and seven cycles of the routers.
        assert_eq!(of(None), [15 / 2, 47 / 2]);
        assert_eq!(of(Some(-3)), [-3, -3]);
    }

    #[test]
    fn buffers_limit_what_is_seen() {
        let network = Dragonfly::default().build(None).unwrap();
        let longest = |counted, flits| {
            let context = Context {
                router_buffer_flits: Some(flits),
                ..Context::default()
            };
            longest_queue(&network, VcSet::all(2), counted, &context)
        };
        let sees = Counted::default();
        assert_eq!([2, 4, 16].map(|flits| longest(sees, flits)), [4, 8, 9]);
        let all = Counted {
            whole_queues: true,
            ..sees
        };
        assert_eq!(longest(all, 16), 32);
        assert_eq!([9, 32, 1000].map(long_queue), [4, 16, 30]);
    }
}
