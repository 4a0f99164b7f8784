//! How much memory the engine takes, from the sizes of what it allocates.
//!
//! Arrays that begin as zeroes cost what is touched of them, page by page: the timeline has
//! places for routers that a domain does not simulate, and for none.

use super::block::{Lane, OutVc, Queue};
use super::crossbar::Crossbar;
use super::itinerary::Itinerary;
use super::mail::Mail;
use super::outputs::OutputQueues;
use super::pace::Pace;
use super::packets::Packet;
use super::partition::Partition;
use super::source::Source;
use super::wiring::Wiring;
use super::{domain_count, state, storage, timeline};
use crate::memory::Traffic;
use crate::model::RouterModel;
use std::mem::size_of;
use turnwise_network::{ChannelId, Network};

/// What memory the system provides at once.
const PAGE: u64 = 4096;
/// Larger pieces of memory than this go back to the system when they are given up (glibc).
const LARGE: u64 = 32 << 20;
/// What every domain has whatever it simulates: wheels, scratch lists, histograms.
const OF_DOMAIN: u64 = 1 << 19;

/// A network as it would be simulated.
pub(crate) struct Footprint<'a> {
    model: &'a RouterModel,
    wiring: Wiring,
    partition: Partition,
    channels: u64,
    /// Share of the channels that lead from one domain to another.
    crossing: f64,
}

impl<'a> Footprint<'a> {
    pub(crate) fn new(network: &Network, model: &'a RouterModel, threads: usize) -> Self {
        let wiring = Wiring::new(network, model.virtual_channels, model.credit_delay);
        let domains = domain_count(model, threads);
        let partition = Partition::new(&wiring, model, domains);
        let crosses = |id: &ChannelId| {
            let ends = network.ends(*id);
            ends.is_some_and(|(from, to)| {
                partition.owner[from.index()] != partition.owner[to.index()]
            })
        };
        let ids = (0..network.channel_count()).map(ChannelId::from);
        let crossing = ids.filter(crosses).count() as f64;
        let channels = network.channel_count();
        Self {
            model,
            crossing: crossing / channels.max(1) as f64,
            channels: channels as u64,
            wiring,
            partition,
        }
    }

    /// Packets inside the network at a time: never more than find room in its buffers.
    fn packets(&self, traffic: &Traffic) -> f64 {
        let vcs = u32::from(self.model.virtual_channels);
        let buffers = f64::from(self.wiring.ports) * f64::from(vcs);
        let room = f64::from(self.model.buffer_flits) / traffic.packet_flits.max(1.0);
        traffic.packets().min(buffers * room.max(1.0))
    }

    /// Every domain has its share of the packets in an array, which is copied when it doubles. Whether the last time
    /// was just before the peak or long ago cannot be told, so what that takes is averaged.
    fn packet_bytes(&self, traffic: &Traffic) -> u64 {
        const DOUBTS: [f64; 5] = [0.9, 0.95, 1.0, 1.05, 1.1];
        let packets = self.packets(traffic);
        let each = packets / self.partition.domains as f64;
        let beyond = DOUBTS.map(|doubt| {
            let packets = each * doubt;
            packets.ceil().max(1.0).log2().ceil().exp2() - packets
        });
        // Domains do not grow in the same moment.
        let beyond = beyond.iter().sum::<f64>() / DOUBTS.len() as f64;
        let free = packets * size_of::<u32>() as f64;
        ((packets + beyond) * size_of::<Packet>() as f64 + free) as u64
    }

    /// Bytes at the peak of a run.
    pub(crate) fn bytes(&self, traffic: &Traffic) -> u64 {
        let domains = self.partition.domains as u64;
        let routers = self.partition.owner.len() as u64;
        // Flits by channel when the window opens, when it closes, in it and now, and what is made of them.
        let counts = self.channels * (4 * 4 + 8);
        self.wiring.bytes()
            + routers * 2
            + counts
            + domains * (self.domain_bytes() + Itinerary::bytes(self.situations()) + OF_DOMAIN)
            + self.left_over_bytes()
            + self.timeline_bytes(traffic)
            + self.packet_bytes(traffic)
            + self.event_bytes(traffic)
            + self.mail_bytes(traffic)
    }

    /// Arrays that every domain has for the whole network and fills when it begins.
    fn domain_bytes(&self) -> u64 {
        let wiring = &self.wiring;
        let (routers, ports) = (wiring.routers.len() as u64, u64::from(wiring.ports));
        let (stride, words) = (u64::from(wiring.stride), u64::from(wiring.words));
        let terminals = wiring.terminals() as u64;
        let queues = match words {
            1 => routers * 64,
            _ => ports * stride,
        };
        let pace = Pace::bytes_of(self.model, ports, routers);
        let outputs = match self.model.output_queue_flits() {
            Some(_) => OutputQueues::bytes_of(routers, ports, stride, words),
            None => 0,
        };
        let crossbars = match Crossbar::is_needed(self.model) {
            true => Crossbar::bytes_of(self.model, routers, ports),
            false => 0,
        };
        storage::bytes_of(routers, ports, stride, words)
            + routers * size_of::<super::wiring::RouterWiring>() as u64
            + queues * size_of::<Queue>() as u64
            + pace
            + outputs
            + crossbars
            + terminals * (size_of::<Source>() as u64 + 2 * stride)
    }

    /// What the arrays of large routers leave behind as they grow, in pieces too small to be given back.
    fn left_over_bytes(&self) -> u64 {
        if self.wiring.words == 1 {
            return 0;
        }
        let lanes = self.wiring.lanes() as u64;
        let largest = |bytes: u64| {
            let copy = (lanes.next_power_of_two() / 2) * bytes;
            copy.min(LARGE / 2)
        };
        largest(size_of::<Lane>() as u64) + largest(size_of::<OutVc>() as u64)
    }

    /// Situations that packets may come into: routers and destinations, whatever else is in a header.
    fn situations(&self) -> u64 {
        let wiring = &self.wiring;
        (wiring.routers.len() * wiring.terminals()) as u64
    }

    /// What all domains together touch of their timelines.
    fn timeline_bytes(&self, traffic: &Traffic) -> u64 {
        let wiring = &self.wiring;
        let reach = state::longest_delay(wiring.longest, self.model);
        let cycles = timeline::cycles(reach).min(traffic.cycles as u64 + reach);
        let places = timeline::places(wiring.routers.len()) as u64;
        let of_router = 2 * size_of::<u64>() as u64 * u64::from(wiring.words);
        let touched = |bytes: u64| match bytes * places > PAGE {
            true => self.touched_pages(bytes) * PAGE,
            false => self.partition.domains as u64 * bytes * places,
        };
        cycles * (touched(of_router) + touched(1))
    }

    /// Pages with something of a domain's own, over all domains, in an array of so many bytes a router.
    fn touched_pages(&self, bytes: u64) -> u64 {
        let mut last = vec![u64::MAX; self.partition.domains];
        let mut pages = 0;
        for (router, &owner) in (0u64..).zip(&self.partition.owner) {
            let (first, end) = (router * bytes / PAGE, ((router + 1) * bytes - 1) / PAGE);
            let last = &mut last[usize::from(owner)];
            pages += end - first + u64::from(*last != first);
            *last = end;
        }
        pages
    }

    /// Terminals that wait for their next packet: as many lists as there are cycles in which
    /// one is due, each as long as the longest has been.
    fn event_bytes(&self, traffic: &Traffic) -> u64 {
        let due = traffic.flits_per_cycle / traffic.packet_flits.max(1.0);
        let of_event = size_of::<u32>() as f64;
        (self.wiring.terminals() as f64 * of_event * due.max(1.0).ln_1p()) as u64
    }

    /// Three boxes of mail for every direction: one is filled, one is under way, one is read.
    fn mail_bytes(&self, traffic: &Traffic) -> u64 {
        if self.partition.domains == 1 {
            return 0;
        }
        let flits = traffic.flits_per_cycle * traffic.hops * self.crossing;
        let cycles = (self.partition.lookahead as f64).min(traffic.cycles);
        let of_flit = Mail::bytes(1.0 / traffic.packet_flits.max(1.0));
        (3.0 * flits * cycles * of_flit) as u64
    }
}
