//! What changes during a run, in arrays sized at the start.
//!
//! A router's lanes and its output virtual channels are numbered alike, port by port. What a step
//! must know of all of them at once is kept in masks, one bit a lane. The state of a
//! router with up to 64 lanes is one block of memory, so that a step needs one
//! address; larger routers lie in arrays one behind the other.

use super::block::Queue;
use super::crossbar::Crossbar;
use super::extent::Extent;
use super::outputs::OutputQueues;
use super::pace::Pace;
use super::packets::Packets;
use super::registers::Registers;
use super::route_cache::RouteCache;
use super::storage::Storage;
use super::timeline::Timeline;
use super::unchecked::Part;
use super::wheel::Wheel;
use super::wiring::{NOWHERE, Wiring};
use crate::model::RouterModel;

/// A lane whose stage with more than one cycle of delay is over.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wake {
    pub(super) router: u32,
    pub(super) local: u32,
    /// The stage before channel allocation; otherwise that before switch allocation.
    pub(super) routed: bool,
}

/// The state of a domain except its terminals.
#[derive(Clone, Debug)]
pub(super) struct State<const ONE_WORD: bool> {
    pub(super) storage: Storage<ONE_WORD>,
    /// By lane: see [`Wiring::queue`].
    pub(super) queues: Part<Queue>,
    /// No flit and no credit is under way for longer than this.
    pub(super) longest_way: u64,
    /// By terminal and virtual channel: credits of the injection channel.
    pub(super) injection_credits: Part<u16>,
    pub(super) pace: Pace,
    pub(super) packets: Packets,
    pub(super) route_cache: RouteCache,
    pub(super) timeline: Timeline<ONE_WORD>,
    /// Credits on their way to terminals, by their place in `injection_credits`.
    pub(super) terminal_credits: Wheel<u32>,
    /// Credits that the timeline cannot hold: a second one for a virtual channel in the same cycle, or one
    /// due beyond its end. Router and local number.
    pub(super) further_credits: Wheel<(u32, u32)>,
    /// Flits due beyond the timeline's end, because they wait in an output queue: router, lane.
    pub(super) late_flits: Wheel<(u32, u32)>,
    pub(super) wakes: Wheel<Wake>,
    pub(super) outputs: OutputQueues,
    pub(super) crossbar: Crossbar,
    pub(super) registers: Registers,
}

impl<const ONE_WORD: bool> State<ONE_WORD> {
    pub(super) fn new(
        wiring: &Wiring,
        model: &RouterModel,
        withheld: u64,
        remember: bool,
        extent: &Extent,
        mine: &dyn Fn(u32) -> bool,
    ) -> Self {
        let longest = longest_delay(wiring.longest, wiring.slowest(), model);
        // A flit may wait in an output queue behind a whole downstream buffer of others.
        let queued = match model.outruns_channels() {
            true => wiring.longest_queue(),
            false => 0,
        };
        // Credits may be withheld besides.
        let queued = queued + withheld;
        let queues = match ONE_WORD {
            true => extent.routers.start * 64..extent.routers.end * 64,
            false => extent.lanes.clone(),
        };
        let injection = extent.terminals.clone().flat_map(|terminal| {
            let depth = wiring.injection_depth(terminal) as u16;
            std::iter::repeat_n(depth, wiring.stride as usize)
        });
        let timeline = Timeline::new(longest, &extent.routers, wiring.words);
        Self {
            storage: Storage::new(wiring, model, &timeline, extent, mine),
            queues: Part::filled(queues, Queue::EMPTY),
            longest_way: longest + queued,
            injection_credits: Part::new(
                extent.terminals.start << wiring.shift,
                injection.collect(),
            ),
            pace: Pace::new(wiring, model),
            packets: Packets::default(),
            route_cache: RouteCache::new(remember, wiring.alive.len()),
            timeline,
            terminal_credits: Wheel::new(longest + queued),
            further_credits: Wheel::new(longest + queued),
            late_flits: Wheel::new(longest + queued),
            wakes: Wheel::new(longest + u64::from(model.routing_delay)),
            outputs: OutputQueues::new(wiring, model, extent),
            crossbar: Crossbar::new(wiring, model, extent),
            registers: Registers::new(wiring, model, extent),
        }
    }

    /// Puts a packet at the end of a lane.
    #[inline(always)]
    pub(super) fn link(&mut self, queue: u32, slot: u32) {
        let queue = &mut self.queues[queue];
        let last = std::mem::replace(&mut queue.last, slot);
        if queue.first == NOWHERE {
            queue.first = slot;
        } else {
            self.packets.get_mut(last).next = slot;
        }
    }

    /// Takes the front packet of a lane away, whose tail has left.
    ///
    /// A packet that has come round to where its tail still is may be in the lane twice: what follows is not told by the numbers of the
    /// first and the last.
    #[inline(always)]
    pub(super) fn unlink(&mut self, queue: u32) {
        let first = &mut self.queues[queue].first;
        let next = &mut self.packets.get_mut(*first).next;
        *first = std::mem::replace(next, NOWHERE);
    }

    /// A credit for an output virtual channel counts from cycle `at` on. Between `PLAIN` routers the timeline
    /// has a place for each.
    #[inline(always)]
    pub(super) fn credit_later<const PLAIN: bool>(
        &mut self,
        now: u64,
        at: u64,
        router: u32,
        out: u32,
    ) {
        let late = !PLAIN && !self.timeline.reaches(now, at);
        let placed = !late && self.timeline.credit(at, router, out);
        if !PLAIN && !placed {
            self.further_credits.push(at, (router, out));
        }
    }

    /// When the next event of any kind is due, from cycle `now` on.
    pub(super) fn next_due(&self, now: u64) -> Option<u64> {
        let due = [
            self.timeline.next_due(now),
            self.terminal_credits.next_due(now),
            self.further_credits.next_due(now),
            self.late_flits.next_due(now),
            self.wakes.next_due(now),
            self.outputs.crossing.next_due(now),
        ];
        due.into_iter().flatten().min()
    }

    /// Adds the flits sent so far, by router-to-router channel; in the measurement window alone, if
    /// flits [wait behind the crossbar](RouterModel::waits_behind_crossbar).
    pub(super) fn add_channel_flits(&self, wiring: &Wiring, extent: &Extent, flits: &mut [u32]) {
        for router in extent.routers.clone() {
            let at = wiring.routers[router];
            for port in 0..at.ports {
                let channel = wiring.downstream[(at.first_port + port) as usize].channel;
                if channel != NOWHERE {
                    let sent = self.storage.port(router, port).sent;
                    let in_window = self
                        .pace
                        .sent_in_window
                        .get((at.first_port + port) as usize);
                    flits[channel as usize] += in_window.copied().unwrap_or(sent);
                }
            }
        }
    }
}

/// The longest delay of any event over channels of at most this latency and interval, without waiting in
/// an output queue.
pub(super) fn longest_delay(latency: u32, interval: u32, model: &RouterModel) -> u64 {
    let stages = model.pipeline() + model.credit_delay + 4;
    // As many flits as that may set out together for the same channel.
    let crossing = match model.vc_crossbar_outputs {
        true => model.virtual_channels.into(),
        false => model.output_speedup,
    };
    let together = u64::from(interval) * u64::from(crossing);
    u64::from(stages) + 2 * u64::from(latency).max(together)
}
