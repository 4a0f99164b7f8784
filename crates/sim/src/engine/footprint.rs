//! How much memory the engine takes at most, from the sizes of its largest arrays.
//!
//! An upper bound, a sum of few terms: routers with their lanes and ports, the timeline, terminals,
//! packets, and what domains send each other. Domains of several processes have arrays for their own part of the
//! network, those of one for no more than the whole. What is small, or not in every kind of router, is covered by a share of the rest and a constant.

use super::block::{Block, Lane, Masks, OutVc, PortState, Queue, WORD};
use super::may_take::MayTake;
use super::packets::Packet;
use super::terminal::{Source, VcQueues};
use super::{outputs, registers, route_cache::RouteCache, signals, state, timeline};
use crate::measure::TerminalFlits;
use crate::memory::{Crew, Dimensions, News, Traffic};
use crate::model::RouterModel;
use std::mem::size_of;

/// What every domain has whatever it simulates: wheels, scratch lists, histograms.
const OF_DOMAIN: u64 = 1 << 20;
/// Bytes of a port in the wiring and in the arrays of counts.
const OF_PORT: u64 = 64;
/// Bytes of a router in the wiring and the partition.
const OF_ROUTER: u64 = 48;
/// What a domain keeps of a terminal.
const OF_TERMINAL_STATE: u64 = (size_of::<Source>() + size_of::<TerminalFlits>()) as u64;
/// Bytes of a terminal in lists of when it sends next, beside its source.
const OF_TERMINAL: u64 = 32;
/// Bytes of a lane in what only some routers have, beside registers and output queues: crossbars with several inputs.
const OF_SPECIAL_LANE: u64 = 64;

/// Bytes at the peak of a run, in each process.
pub(crate) fn bytes(size: &Dimensions, model: &RouterModel, crew: Crew, traffic: &Traffic) -> u64 {
    let (processes, threads) = (crew.processes.max(1) as u64, crew.threads as u64);
    let domains = match processes {
        1 => threads.clamp(1, (size.routers / 2).max(1)),
        _ => threads.max(1),
    };
    let part = match processes {
        1 => *size,
        _ => part_of(size, processes * domains),
    };
    let of_domain = [
        router_bytes(&part, model),
        may_take_bytes(&part, model, traffic),
        timeline_bytes(&part, model, traffic),
        part.terminals * (OF_TERMINAL_STATE + OF_TERMINAL + 2 * stride(model)),
        (size.terminals - part.terminals) * size_of::<TerminalFlits>() as u64,
        vc_queue_bytes(&part, model, traffic),
        wheel_bytes(size, model),
        RouteCache::most_bytes(size.routers.saturating_mul(size.terminals)),
        OF_DOMAIN,
    ];
    let of_domain = of_domain
        .iter()
        .fold(0, |sum: u64, &bytes| sum.saturating_add(bytes));
    let shared = size.ports * OF_PORT + size.routers * OF_ROUTER;
    let all = processes * domains;
    let grown =
        packet_bytes(size, model, all, traffic) + outbox_bytes(size, all, processes, traffic);
    let grown = (grown + news_bytes(size, traffic)).div_ceil(processes);
    of_domain
        .saturating_mul(domains)
        .saturating_add(shared)
        .saturating_add(grown)
}

/// One of so many parts of a network.
fn part_of(size: &Dimensions, parts: u64) -> Dimensions {
    Dimensions {
        routers: size.routers.div_ceil(parts),
        terminals: size.terminals.div_ceil(parts),
        ports: size.ports.div_ceil(parts),
        ..*size
    }
}

/// Lanes of a port: a power of two.
fn stride(model: &RouterModel) -> u64 {
    u64::from(model.virtual_channels).next_power_of_two()
}

/// Lanes of all routers.
fn lanes(size: &Dimensions, model: &RouterModel) -> u64 {
    size.ports.saturating_mul(stride(model))
}

/// Mask words of a router.
fn words(size: &Dimensions, model: &RouterModel) -> u64 {
    (size.radix * stride(model)).div_ceil(WORD as u64).max(1)
}

/// What heads may take that choose again, which is kept of routers with one mask word.
fn may_take_bytes(size: &Dimensions, model: &RouterModel, traffic: &Traffic) -> u64 {
    let is_kept = traffic.asks_again && words(size, model) == 1;
    u64::from(is_kept) * lanes(size, model).saturating_mul(size_of::<MayTake>() as u64)
}

fn router_bytes(size: &Dimensions, model: &RouterModel) -> u64 {
    let (words, lanes) = (words(size, model), lanes(size, model));
    let special = match super::is_plain(model) {
        true => 0,
        false => lanes.saturating_mul(OF_SPECIAL_LANE),
    };
    let registers = match model.has_registers() {
        true => lanes.saturating_mul(registers::BYTES),
        false => 0,
    };
    let queues = match model.output_queue_flits() {
        Some(flits) => lanes.saturating_mul(outputs::bytes(flits)),
        None => 0,
    };
    let states = match words {
        1 => size.routers * (size_of::<Block>() + WORD * size_of::<Queue>()) as u64,
        _ => {
            let of_lane = size_of::<Lane>() + size_of::<OutVc>() + size_of::<Queue>();
            let of_port = size_of::<PortState>() as u64 + 8 * words;
            let of_lanes = lanes.saturating_mul(of_lane as u64);
            let of_ports = size.ports * of_port + size.routers * words * size_of::<Masks>() as u64;
            of_lanes.saturating_add(of_ports)
        }
    };
    [special, registers, queues]
        .into_iter()
        .fold(states, u64::saturating_add)
}

/// Packets that blocked virtual channels hold back at their sources are taken to be no more than those in the network.
fn vc_queue_bytes(size: &Dimensions, model: &RouterModel, traffic: &Traffic) -> u64 {
    if !model.vc_source_queues {
        return 0;
    }
    let (of_vc, of_packet) = VcQueues::BYTES;
    let packets = traffic.packets() as u64;
    size.terminals * stride(model) * of_vc + 2 * packets * of_packet
}

/// Two masks for each word of each router, and whether they are empty, in as many cycles as
/// anything may be under way.
fn timeline_bytes(size: &Dimensions, model: &RouterModel, traffic: &Traffic) -> u64 {
    let reach = state::longest_delay(size.longest_latency(), size.slowest_interval(), model);
    let cycles = timeline::cycles(reach).min((traffic.cycles as u64).saturating_add(reach));
    let of_cycle = size.routers * (16 * words(size, model) + 1);
    cycles.saturating_mul(of_cycle)
}

/// Where flits wait behind a crossbar that is faster than the channels, three lists for each cycle in which the last
/// of them may leave.
fn wheel_bytes(size: &Dimensions, model: &RouterModel) -> u64 {
    if !model.outruns_channels() {
        return 0;
    }
    let classes = size.channels.each().into_iter().zip(model.buffers.each());
    let queue = classes.map(|(channels, &depth)| {
        let flits = model.depth(depth, channels.longest, 1);
        u64::from(flits) * u64::from(channels.slowest)
    });
    let cycles = queue.max().unwrap_or(0).saturating_mul(stride(model));
    let lists = timeline::cycles(cycles).saturating_mul(3);
    lists.saturating_mul(size_of::<Vec<u32>>() as u64)
}

/// Packets inside the network at a time find room in its buffers. An array that doubles is in
/// memory twice until everything is copied.
fn packet_bytes(size: &Dimensions, model: &RouterModel, domains: u64, traffic: &Traffic) -> u64 {
    /// How many more there may be than foreseen.
    const DOUBT: f64 = 1.05;
    let buffers = size.channels.each().into_iter().zip(model.buffers.each());
    let room = buffers.map(|(channels, &depth)| {
        let flits = f64::from(model.depth(depth, channels.longest, 1));
        channels.count as f64 * (flits / traffic.packet_flits.max(1.0)).max(1.0)
    });
    let room = room.sum::<f64>() * f64::from(model.virtual_channels);
    let packets = (traffic.packets() * DOUBT).min(room);
    let each = (packets / domains as f64).ceil().max(1.0);
    let copied = each.log2().floor().exp2();
    let most = domains as f64 * each.max(2.0 * copied);
    (most * (size_of::<Packet>() + size_of::<u32>()) as f64) as u64
}

/// News are about flits that leave by a port and credits that come there. Where few ports are told of, as those between groups, twice
/// their share of the flits crosses them at most. News are in lists by the cycle in which they are known, which grow by half of what
/// they hold on average.
fn news_bytes(size: &Dimensions, traffic: &Traffic) -> u64 {
    const GROWTH: f64 = 1.5;
    const OF_CYCLE: f64 = 48.0;
    let News {
        lines,
        heard,
        longest,
    } = traffic.news;
    if lines == 0 {
        return 0;
    }
    let crossings = traffic.flits_per_cycle * (traffic.hops + 1.0);
    let share = (2.0 * lines as f64 / size.ports.max(1) as f64).min(1.0);
    let changes = (2.0 * crossings * share).min(2.0 * lines as f64);
    let told = changes * heard as f64 / lines as f64;
    let cycles = traffic.cycles.min(longest as f64);
    let of_cycle = told * signals::OF_NEWS as f64 * GROWTH + OF_CYCLE;
    lines * signals::OF_LINE + (cycles * of_cycle) as u64
}

/// Three outboxes for every direction: one is filled, one is under way, one is read. No more
/// crosses a border than moves at all.
fn outbox_bytes(size: &Dimensions, domains: u64, processes: u64, traffic: &Traffic) -> u64 {
    if domains == 1 {
        return 0;
    }
    let cycles = super::partition::cycles_between_exchanges(size.ports, processes) as f64;
    let flits = traffic.flits_per_cycle * traffic.hops * cycles.min(traffic.cycles);
    let of_packet = (size_of::<Packet>() + size_of::<u32>()) as f64;
    let of_flit = 2.0 * size_of::<(u64, u32, u32)>() as f64;
    (3.0 * flits * (of_packet / traffic.packet_flits.max(1.0) + of_flit)) as u64
}
