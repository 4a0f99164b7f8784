//! The ways of a few packets, and how much of a load gets through on them.

use crate::walk::{WalkedHop, walk_seeing};
use std::collections::BTreeMap;
use turnwise_network::{
    Channel, ChannelClass, ChannelId, Congestion, Network, NoCongestion, Port, RouterId, Routing,
    TerminalId, VcSet,
};
use turnwise_sim::RouterModel;

/// Where packets are looked at.
#[derive(Clone, Copy)]
pub(super) struct Site<'a> {
    pub(super) network: &'a Network,
    pub(super) routing: &'a dyn Routing,
    pub(super) model: &'a RouterModel,
}

/// A packet: from where, to where, of how many flits.
pub(super) type Sample = (TerminalId, TerminalId, f64);

/// Ways of a few packets, whatever the load.
#[derive(Clone, Debug, Default)]
pub(super) struct Ways {
    /// Router-to-router channels that a packet crosses in the mean.
    pub(super) hops: f64,
    /// Cycles on channels, behind each other and in routers where nobody waits.
    pub(super) idle_cycles: f64,
    pub(super) classes: Vec<Class>,
    narrow: Vec<Narrow>,
}

/// The channels of a class.
#[derive(Clone, Copy, Debug)]
pub(super) struct Class {
    pub(super) class: ChannelClass,
    /// The virtual channels that packets take there.
    pub(super) vcs: VcSet,
    /// What all channels can carry, in flits a cycle.
    pub(super) capacity: f64,
    /// The share of the flits sent that cross one.
    pub(super) share: f64,
}

/// A packet on whose way a channel is overloaded for certain when all terminals send all the time.
#[derive(Clone, Copy, Debug)]
struct Narrow {
    /// Its share of the flits sent.
    share: f32,
    /// Flits a cycle of all terminals that its narrowest channel just carries.
    most: f32,
}

/// Channels in front of which flits wait.
pub(super) struct Full(Vec<bool>);

/// What crosses channels: flits, and the virtual channels they take.
type Crossing<K> = BTreeMap<K, (f64, VcSet)>;

impl Ways {
    /// The ways through an idle network, and the channels on them that are full, or wait for one that is, when all terminals send all
    /// the time; `None` if none is for certain.
    pub(super) fn idle(site: Site<'_>, samples: &[Sample]) -> (Self, Option<Full>) {
        Self::seeing(site, samples, |_| NoCongestion)
    }

    /// Those where routers see that channels are full.
    pub(super) fn around(site: Site<'_>, samples: &[Sample], full: &Full) -> Self {
        Self::seeing(site, samples, |at| Queues { site, at, full }).0
    }

    fn seeing<C: Congestion>(
        site: Site<'_>,
        samples: &[Sample],
        sees: impl Fn(RouterId) -> C,
    ) -> (Self, Option<Full>) {
        let Site {
            network,
            routing,
            model,
        } = site;
        let (mut flits, mut hops, mut cycles) = (0.0, 0.0, 0.0);
        let mut channels: Crossing<ChannelId> = BTreeMap::new();
        let mut paths = Vec::with_capacity(samples.len());
        for &(source, destination, length) in samples {
            let injection = network.channel(network.injection_channel(source));
            flits += length;
            cycles += f64::from(injection.latency);
            let mut slowest = injection.interval;
            let walked = walk_seeing(network, routing, (source, destination), &sees);
            let channel =
                |(at, hop, _): WalkedHop| Some((network.out_channel(at, hop.port)?, hop.vcs));
            let path: Vec<_> = walked.into_iter().filter_map(channel).collect();
            for &(id, vcs) in &path {
                let channel = network.channel(id);
                cycles += f64::from(channel.latency);
                slowest = slowest.max(channel.interval);
                add(&mut channels, id, length, vcs);
            }
            hops += path.len() as f64;
            cycles += length * f64::from(slowest);
            paths.push(path);
        }
        let mean = |sum: f64| sum / f64::max(samples.len() as f64, 1.0);
        let (length, hops) = (mean(flits), mean(hops));
        let mut classes: Crossing<ChannelClass> = BTreeMap::new();
        let mut most: BTreeMap<ChannelId, f64> = BTreeMap::new();
        let full_load = network.living_terminals().count() as f64;
        for (&id, &(crossing, vcs)) in &channels {
            let channel = network.channel(id);
            add(&mut classes, channel.class, crossing, vcs);
            let packets = crossing / length;
            let certain = (packets - 2.0 * packets.sqrt()).max(0.0) * length / flits;
            let most_sent = capacity(model, length, vcs, channel) / certain;
            if most_sent < full_load {
                most.insert(id, most_sent);
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
        let mut narrow = Vec::new();
        let mut full = vec![false; network.total_channel_count()];
        for (path, &(.., length)) in paths.iter().zip(samples) {
            let limits = path.iter().enumerate();
            let limits = limits.filter_map(|(place, (id, _))| Some((*most.get(id)?, place)));
            if let Some((most, place)) = limits.min_by(|(one, _), (other, _)| one.total_cmp(other))
            {
                narrow.push(Narrow {
                    share: (length / flits) as f32,
                    most: most as f32,
                });
                path[..=place]
                    .iter()
                    .for_each(|(id, _)| full[id.index()] = true);
            }
        }
        let full = (!narrow.is_empty()).then_some(Full(full));
        let ways = Self {
            hops,
            idle_cycles: mean(cycles) + (hops + 1.0) * f64::from(model.pipeline()),
            classes: classes.into_iter().map(class).collect(),
            narrow,
        };
        (ways, full)
    }

    /// The share of the flits sent that do not get through, if so many are sent in a cycle.
    ///
    /// Channels of a class are taken for equally loaded, which a few packets tell well; a single
    /// channel is called overloaded only if it is for certain.
    pub(super) fn stuck(&self, sent: f64) -> f64 {
        let beyond = |narrow: &Narrow| {
            f64::from(narrow.share) * (1.0 - f64::from(narrow.most) / sent.max(1e-9)).max(0.0)
        };
        let certain = self.narrow.iter().map(beyond).sum::<f64>();
        let of_class = |of: &Class| 1.0 - of.capacity / (of.share * sent).max(1e-9);
        let stuck = self.classes.iter().map(of_class).fold(certain, f64::max);
        stuck.clamp(0.0, 1.0)
    }
}

/// What a router sees of full channels: all their buffers are taken, and all queues in front of them.
struct Queues<'a> {
    site: Site<'a>,
    at: RouterId,
    full: &'a Full,
}

impl Queues<'_> {
    /// The virtual channels of a full channel among some, as a number.
    fn full(&self, port: Port, vcs: VcSet) -> u32 {
        let channel = self.site.network.out_channel(self.at, port);
        let is_full = channel.is_some_and(|id| self.full.0[id.index()]);
        let all = self.site.model.virtual_channels;
        if is_full {
            vcs.0.count_ones().min(all.into())
        } else {
            0
        }
    }

    fn room(&self, port: Port) -> u32 {
        let channel = self.site.network.out_channel(self.at, port);
        channel.map_or(0, |id| {
            self.site.model.buffer_flits(self.site.network.channel(id))
        })
    }
}

impl Congestion for Queues<'_> {
    fn unacknowledged(&self, port: Port, vcs: VcSet) -> u32 {
        self.full(port, vcs) * self.room(port)
    }

    fn queued(&self, port: Port, vcs: VcSet) -> u32 {
        self.full(port, vcs) * self.site.model.output_queue_flits().unwrap_or(0)
    }

    fn awaiting(&self, port: Port) -> u32 {
        self.full(port, VcSet::EVERY) * self.room(port)
    }

    fn capacity(&self, port: Port) -> u32 {
        u32::from(self.site.model.virtual_channels) * self.room(port)
    }

    fn memory(&self) -> &[u32] {
        &[]
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
pub(super) fn pace(channel: &Channel) -> f64 {
    1.0 / f64::from(channel.interval)
}
