//! What will be inside a network at a time, from the routes of a few packets through an idle one.
//!
//! By Little's law, packets inside are those sent in a cycle times the cycles they stay. Where
//! more is sent than gets through, what is inside grows until the run or the buffers end.
//! Which is rough: how much of an overload gets through is what one simulates for.
//!
//! Where messages answer others, what terminals send before they have heard anything is taken for what is always
//! under way, there and back.

use crate::demand::Demand;
use crate::walk::walk;
use crate::workshop::Experiment;
use std::collections::BTreeMap;
use turnwise_network::{Channel, ChannelClass, ChannelId, Event, Outbox, TerminalId, VcSet};
use turnwise_sim::{News, Phases, RouterModel, Traffic};

/// Packets whose routes are looked at.
const SAMPLES: usize = 1_024;
/// Terminals whose packets these are where their programs have to be looked at.
const RANKS: usize = 128;

/// Routes of a few packets, whatever the load.
#[derive(Clone, Debug, Default)]
pub(crate) struct Routes {
    terminals: f64,
    /// What all channels together can carry in a cycle.
    channels: f64,
    packet_flits: f64,
    /// Packets that are created at once.
    packets_of_message: f64,
    hops: f64,
    /// Cycles on channels, behind each other and in routers where nobody waits.
    idle_cycles: f64,
    classes: Vec<Class>,
    /// The same by channel, for those that a full load would overload for certain.
    narrow: Vec<(f32, f32)>,
    closed: Option<Closed>,
    news: News,
}

/// The channels of a class.
#[derive(Clone, Copy, Debug)]
struct Class {
    class: ChannelClass,
    /// The virtual channels that packets take there in an idle network.
    vcs: VcSet,
    /// What all channels can carry, in flits a cycle.
    capacity: f64,
    /// The share of the flits sent that cross one.
    share: f64,
}

/// Terminals that answer each other.
#[derive(Clone, Copy, Debug)]
struct Closed {
    /// Flits that a terminal sends before it hears anything, and the cycles before it does so.
    first_flits: f64,
    first_cycle: f64,
    /// Flits that it sends in all, if there is an end.
    total_flits: Option<f64>,
}

/// What crosses channels: flits, and the virtual channels they take.
type Crossing<K> = BTreeMap<K, (f64, VcSet)>;

impl Routes {
    pub(crate) fn of(experiment: &Experiment) -> Self {
        let (network, routing) = (&experiment.routed.network, &*experiment.routed.routing);
        let model = &experiment.model;
        let terminals: Vec<TerminalId> = network.living_terminals().collect();
        let samples = match foretold(experiment, terminals.first()) {
            true => RANKS,
            false => SAMPLES,
        };
        let each = SAMPLES.div_ceil(terminals.len().clamp(1, samples)) as u32;
        // All over the network, and not all in the same column of a grid.
        let spread = |index: usize| terminals[index.wrapping_mul(2_654_435_761) % terminals.len()];
        let (mut packets, mut flits, mut hops, mut cycles) = (0.0, 0.0, 0.0, 0.0);
        let mut channels: Crossing<ChannelId> = BTreeMap::new();
        let mut closed = None;
        let sources = terminals.len().min(samples);
        for source in (0..sources).map(spread) {
            for (destination, length) in first_packets(experiment, source, each, &mut closed) {
                let injection = network.channel(network.injection_channel(source));
                packets += 1.0;
                flits += length;
                cycles += f64::from(injection.latency);
                let mut slowest = injection.interval;
                for (router, hop, _) in walk(network, routing, source, destination) {
                    let Some(channel) = network.out_channel(router, hop.port) else {
                        continue;
                    };
                    hops += 1.0;
                    cycles += f64::from(network.channel(channel).latency);
                    slowest = slowest.max(network.channel(channel).interval);
                    add(&mut channels, channel, length, hop.vcs);
                }
                cycles += length * f64::from(slowest);
            }
        }
        let mean = |sum: f64| sum / f64::max(packets, 1.0);
        let (length, hops) = (mean(flits), mean(hops));
        let mut classes: Crossing<ChannelClass> = BTreeMap::new();
        let mut narrow = Vec::new();
        for (&id, &(crossing, vcs)) in &channels {
            let channel = network.channel(id);
            add(&mut classes, channel.class, crossing, vcs);
            let packets = crossing / length;
            let certain = (packets - 2.0 * packets.sqrt()).max(0.0) * length / flits;
            let capacity = capacity(model, length, vcs, channel);
            if certain * terminals.len() as f64 > capacity {
                narrow.push((certain as f32, capacity as f32));
            }
        }
        let class = |(class, (crossing, vcs)): (ChannelClass, (f64, VcSet))| {
            let all = network.channels();
            let same = all.filter(|(_, channel)| channel.class == class);
            let capacities = same.map(|(_, channel)| capacity(model, length, vcs, channel));
            Class {
                class,
                vcs,
                capacity: capacities.sum(),
                share: crossing / f64::max(flits, 1.0),
            }
        };
        Self {
            terminals: terminals.len() as f64,
            channels: network
                .channels()
                .map(|(_, channel)| pace(channel))
                .sum::<f64>()
                .max(f64::MIN_POSITIVE),
            packet_flits: length,
            packets_of_message: packets_of_message(experiment),
            hops,
            idle_cycles: mean(cycles) + (hops + 1.0) * f64::from(model.pipeline()),
            classes: classes.into_iter().map(class).collect(),
            narrow,
            closed: closed.map(|closed: Closed| closed.shared_by(sources)),
            news: routing
                .sensing()
                .map_or(News::default(), |sensing| News::of(network, sensing)),
        }
    }

    /// The mean length of a packet in flits.
    pub(crate) fn packet_flits(&self) -> f64 {
        self.packet_flits
    }

    /// Classes of channels that do not carry what is sent at a load, and the virtual channels that packets take there in an idle network.
    pub(crate) fn overloaded(&self, load: f64) -> impl Iterator<Item = (ChannelClass, VcSet)> + '_ {
        let sent = load * self.terminals;
        let over = self
            .classes
            .iter()
            .filter(move |of| of.share * sent > of.capacity);
        over.map(|of| (of.class, of.vcs))
    }

    /// What terminals that answer each other send: about the load, and when. `None` if they do not.
    pub(crate) fn closed(&self, phases: &Phases) -> Option<(f64, Phases)> {
        let closed = self.closed?;
        let cycles = 2.0 * self.idle_cycles + closed.first_cycle;
        let load = (closed.first_flits / cycles.max(1.0)).min(1.0);
        let Some(total) = closed.total_flits else {
            return Some((load, *phases));
        };
        let cycles = if load > 0.0 { total / load } else { 0.0 };
        let measure = (cycles as u64).min(phases.limit);
        Some((load, Phases { measure, ..*phases }))
    }

    /// The share of the flits sent that do not get through, if so many are sent in a cycle.
    ///
    /// Channels of a class are taken for equally loaded, which a few packets tell well; a single
    /// channel is called overloaded only if it is for certain.
    fn stuck(&self, sent: f64) -> f64 {
        let beyond = |&(share, capacity): &(f32, f32)| {
            (f64::from(share) * sent - f64::from(capacity)).max(0.0)
        };
        let certain = self.narrow.iter().map(beyond).sum::<f64>() / sent.max(1e-9);
        let of_class = |of: &Class| 1.0 - of.capacity / (of.share * sent).max(1e-9);
        let stuck = self.classes.iter().map(of_class).fold(certain, f64::max);
        stuck.clamp(0.0, 1.0)
    }

    /// What is under way at a time, and how many flits cross a router before the run ends.
    pub(crate) fn traffic(&self, load: f64, phases: &Phases) -> (Traffic, f64) {
        let flits_per_cycle = load * self.terminals;
        // A channel that takes one flit a cycle, all of them loaded alike: the queue M/D/1.
        let busy = (flits_per_cycle * self.hops / self.channels).min(0.9);
        let at_once = self.packet_flits * self.packets_of_message;
        let waiting = at_once * busy / (2.0 * (1.0 - busy));
        let through = self.idle_cycles + (self.hops + 1.0) * waiting;
        let stuck = self.stuck(flits_per_cycle);
        let window_end = (phases.warmup + phases.measure) as f64;
        // A run that waits for every packet of its window goes on until the last has got through.
        let cycles = match phases.drain {
            true => (window_end / (1.0 - stuck).max(1e-3)).min(phases.limit as f64),
            false => window_end,
        };
        let residence = (1.0 - stuck) * through + stuck * cycles;
        // Who waits for answers sends no more.
        let most = self.closed.map_or(f64::INFINITY, |closed| {
            closed.first_flits * self.terminals / flits_per_cycle.max(1e-9)
        });
        let traffic = Traffic {
            flits_per_cycle,
            packet_flits: self.packet_flits,
            hops: self.hops,
            residence: residence.min(most),
            cycles,
            news: self.news,
        };
        let flits = flits_per_cycle * (1.0 - stuck) * cycles;
        (traffic, flits * (1.0 + self.hops))
    }
}

impl Closed {
    /// Sums over so many terminals as means.
    fn shared_by(self, sources: usize) -> Self {
        let sources = sources.max(1) as f64;
        Self {
            first_flits: self.first_flits / sources,
            first_cycle: self.first_cycle / sources,
            ..self
        }
    }
}

/// Is known what terminals send beyond what they begin with?
fn foretold(experiment: &Experiment, terminal: Option<&TerminalId>) -> bool {
    match (&experiment.demand, terminal) {
        (Demand::Closed { workload, .. }, Some(&at)) => workload.some_packets(at, 1).is_some(),
        _ => false,
    }
}

/// How many packets are created at once.
fn packets_of_message(experiment: &Experiment) -> f64 {
    let cutting = experiment.demand.cutting();
    cutting.map_or(1, |cutting| cutting.packets).into()
}

/// Destinations and lengths of the first few packets that a terminal sends; adds to `closed` where terminals answer.
fn first_packets(
    experiment: &Experiment,
    source: TerminalId,
    most: u32,
    closed: &mut Option<Closed>,
) -> Vec<(TerminalId, f64)> {
    match &experiment.demand {
        Demand::Open {
            injector, switches, ..
        } => {
            // The first ones of each phase, because each has channels of its own that are narrow.
            let begins = switches.iter().map(|at| at.checked_sub(1));
            let packets = std::iter::once(None).chain(begins).flat_map(|after| {
                (0..most).map_while(move |number| injector.next(source, number, after))
            });
            // Of the packets of a message, which are all on the same ways, one.
            let of_message = packets_of_message(experiment);
            let length = |flits: u16| f64::from(flits) / of_message;
            let few = packets.map(|packet| (packet.destination, length(packet.flits)));
            few.collect()
        }
        Demand::Closed {
            workload,
            total_flits,
            ..
        } => {
            let closed = closed.get_or_insert(Closed {
                first_flits: 0.0,
                first_cycle: 0.0,
                total_flits: *total_flits,
            });
            let (mut agent, mut out) = (workload.agent(source), Outbox::default());
            agent.on(Event::Start, 0, &mut out);
            if let (true, Some(&(at, timer))) = (out.messages.is_empty(), out.timers.first()) {
                agent.on(Event::Timer(timer), at, &mut out);
                closed.first_cycle += at as f64;
            }
            let flits = out.messages.iter().map(|message| f64::from(message.flits));
            closed.first_flits += flits.sum::<f64>();
            // Neighbours come first in many programs, and words that announce a message go before it.
            if let Some(packets) = workload.some_packets(source, most as usize) {
                return packets;
            }
            let few = out.messages.iter().take(most as usize);
            let few = few.map(|message| (message.destination, f64::from(message.flits)));
            few.collect()
        }
    }
}

fn add<K: Ord>(crossing: &mut Crossing<K>, key: K, flits: f64, vcs: VcSet) {
    let (sum, all) = crossing.entry(key).or_default();
    *sum += flits;
    all.0 |= vcs.0;
}

/// Flits a cycle over a channel in packets of this length: no more are on their way than virtual channels have room for, or than they
/// hand on.
fn capacity(model: &RouterModel, length: f64, vcs: VcSet, channel: &Channel) -> f64 {
    let round_trip = model.credit_round_trip(channel.latency);
    let room = f64::from(model.buffer_flits(channel)) / f64::from(round_trip);
    let each = room.min(model.lane_pace(length));
    (f64::from(vcs.0.count_ones()) * each).min(pace(channel))
}

/// Flits that a channel can carry in a cycle.
fn pace(channel: &Channel) -> f64 {
    1.0 / f64::from(channel.interval)
}
