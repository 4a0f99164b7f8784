//! What will be inside a network at a time, from the routes of a few packets through an idle one.
//!
//! By Little's law, packets inside are those sent in a cycle times the cycles they stay. Where
//! more is sent than gets through, what is inside grows until the run or the buffers end.
//! Which is rough: how much of an overload gets through is what one simulates for.

use crate::walk::walk;
use crate::workshop::Experiment;
use std::collections::BTreeMap;
use turnwise_network::{ChannelClass, ChannelId, Network, TerminalId, VcSet};
use turnwise_sim::{RouterModel, Traffic};

/// Packets whose routes are looked at.
const SAMPLES: usize = 1_024;

/// What packets looked at have in common.
#[derive(Default)]
struct Sample {
    packets: f64,
    flits: f64,
    hops: f64,
    /// Cycles on channels and behind each other, without those in routers.
    cycles: f64,
    /// By channel: flits that cross it, and the virtual channels they take.
    channels: BTreeMap<ChannelId, (f64, VcSet)>,
}

impl Sample {
    fn of(experiment: &Experiment) -> Self {
        let (network, routing) = (&experiment.routed.network, &*experiment.routed.routing);
        let terminals: Vec<TerminalId> = network.living_terminals().collect();
        let each = SAMPLES.div_ceil(terminals.len().max(1)) as u32;
        // All over the network, and not all in the same column of a grid.
        let spread = |index: usize| terminals[index.wrapping_mul(2_654_435_761) % terminals.len()];
        let mut sample = Self::default();
        for source in (0..terminals.len().min(SAMPLES)).map(spread) {
            for sequence in 0..each {
                let Some(packet) = experiment.injector.next(source, sequence, None) else {
                    break;
                };
                let injection = network.channel(network.injection_channel(source)).latency;
                let length = f64::from(packet.flits);
                sample.packets += 1.0;
                sample.flits += length;
                sample.cycles += f64::from(injection) + length;
                for (router, hop, _) in walk(network, routing, source, packet.destination) {
                    let Some(channel) = network.out_channel(router, hop.port) else {
                        continue;
                    };
                    sample.hops += 1.0;
                    sample.cycles += f64::from(network.channel(channel).latency);
                    let (flits, vcs) = sample.channels.entry(channel).or_default();
                    *flits += length;
                    vcs.0 |= hop.vcs.0;
                }
            }
        }
        sample
    }

    /// The mean of something that was added up over all packets.
    fn mean(&self, sum: f64) -> f64 {
        sum / self.packets.max(1.0)
    }

    /// The share of the flits sent that do not get through, if so many are sent in a cycle.
    ///
    /// Channels of a class are taken for equally loaded, which a few packets tell well; a single
    /// channel is called overloaded only if it is for certain.
    fn stuck(&self, network: &Network, model: &RouterModel, sent: f64) -> f64 {
        let scale = sent / self.flits.max(1.0);
        let length = self.mean(self.flits);
        // A virtual channel goes to the next packet when the tail has left, and no more flits
        // are on their way than it has room for.
        let turn = f64::from(model.vc_allocation_delay + model.switch_allocation_delay);
        let capacity = |vcs: VcSet, latency: u32| {
            let round_trip = f64::from(model.credit_round_trip(latency));
            let room = f64::from(model.buffer_flits) / round_trip;
            (f64::from(vcs.0.count_ones()) * room.min(length / (length + turn))).min(1.0)
        };
        let mut classes: BTreeMap<ChannelClass, (f64, VcSet)> = BTreeMap::new();
        let mut certain = 0.0;
        for (&id, &(flits, vcs)) in &self.channels {
            let channel = network.channel(id);
            let (sum, all) = classes.entry(channel.class).or_default();
            *sum += flits;
            all.0 |= vcs.0;
            let packets = flits / length;
            let least = (packets - 2.0 * packets.sqrt()) * length * scale;
            certain += (least - capacity(vcs, channel.latency)).max(0.0);
        }
        let mut stuck = certain / sent.max(1e-9);
        for (class, (flits, vcs)) in classes {
            let channels = network
                .channels()
                .filter(|(_, channel)| channel.class == class);
            let capacity: f64 = channels
                .map(|(_, channel)| capacity(vcs, channel.latency))
                .sum();
            stuck = stuck.max(1.0 - capacity / (flits * scale));
        }
        stuck.min(1.0)
    }
}

/// What is under way at a time.
pub(crate) fn traffic(experiment: &Experiment) -> Traffic {
    let (network, model) = (&experiment.routed.network, &experiment.model);
    let phases = &experiment.phases;
    let sample = Sample::of(experiment);
    let hops = sample.mean(sample.hops);
    let packet_flits = sample.mean(sample.flits);
    let flits_per_cycle = experiment.load * network.living_terminals().count() as f64;
    let cycles = (phases.warmup + phases.measure) as f64;
    // A channel that takes one flit a cycle, all of them loaded alike: the queue M/D/1.
    let busy = flits_per_cycle * hops / network.channel_count().max(1) as f64;
    let busy = busy.min(0.9);
    let waiting = packet_flits * busy / (2.0 * (1.0 - busy));
    let idle = sample.mean(sample.cycles);
    let in_routers = (hops + 1.0) * (f64::from(model.pipeline()) + waiting);
    let stuck = sample.stuck(network, model, flits_per_cycle);
    Traffic {
        flits_per_cycle,
        packet_flits,
        hops,
        residence: (1.0 - stuck) * (idle + in_routers) + stuck * cycles,
        cycles,
    }
}
