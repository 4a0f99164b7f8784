//! Terminals as receivers: frames of a flow are put in order, and delivered.
//!
//! A frame that comes before one that was sent earlier is held back until that has come, or delivered at once where receivers
//! place frames wherever they belong (RDMA). It is the late frame that counts as reordered (RFC 4737, section 3.3).

use super::Setup;
use super::agents::Agents;
use super::fabric::Fabric;
use super::frames::Frame;
use crate::engine::Demand;
use crate::measure::Delivery;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use turnwise_network::random::mix;
use turnwise_network::{Event, Mark, TerminalId};

/// What receivers remember of flows, and the agents.
pub(super) struct Reception {
    pub(super) agents: Agents,
    /// By terminal; empty if frames cannot overtake each other.
    flows: Vec<FxHashMap<(u32, u8), Arrivals>>,
    /// By terminal: flits that are held back.
    held: Vec<u64>,
}

/// A frame that is held back.
struct Early {
    frame: Frame,
    since: u64,
    /// Had a later one of its flow come before it?
    is_late: bool,
}

/// What has come of a flow.
#[derive(Default)]
struct Arrivals {
    /// The number of the next frame to be delivered.
    next: u32,
    /// One more than the highest number that has come.
    beyond: u32,
    /// Frames that came too early, by number.
    early: BTreeMap<u32, Early>,
}

impl Reception {
    pub(super) fn new(setup: &Setup<'_>) -> Self {
        let terminals = match setup.routing.keeps_order() {
            true => 0,
            false => setup.network.terminal_count(),
        };
        let mut flows = Vec::new();
        flows.resize_with(terminals, FxHashMap::default);
        Self {
            agents: Agents::default(),
            flows,
            held: vec![0; terminals],
        }
    }
}

impl Fabric<'_> {
    /// A frame has come to its terminal.
    pub(super) fn arrived(&mut self, slot: u32) {
        if self.frames.get(slot).severity > 0 {
            self.notified(slot);
            return;
        }
        let frame = self.frames.remove(slot);
        let terminal = frame.header.destination.index();
        if self.reception.flows.is_empty() {
            if self.setup.check {
                self.check_order(&frame);
            }
            self.deliver(&frame);
            return;
        }
        let flow = self.reception.flows[terminal]
            .entry((frame.source, frame.class))
            .or_default();
        let is_late = frame.order < flow.beyond;
        flow.beyond = flow.beyond.max(frame.order + 1);
        if !self.setup.model.in_order {
            self.totals.reordered += u64::from(is_late);
            self.deliver(&frame);
            return;
        }
        if frame.order != flow.next {
            let early = Early {
                since: self.now,
                is_late,
                frame,
            };
            flow.early.insert(frame.order, early);
            let held = &mut self.reception.held[terminal];
            *held += u64::from(frame.flits);
            self.totals.most_held = self.totals.most_held.max(*held);
            self.totals.held_changes(self.now, frame.flits.into());
            return;
        }
        flow.next += 1;
        self.totals.reordered += u64::from(is_late);
        let mut ready = vec![frame];
        while let Some(early) = flow.early.remove(&flow.next) {
            flow.next += 1;
            self.totals.reordered += u64::from(early.is_late);
            self.totals.held_time += self.now - early.since;
            let flits = early.frame.flits;
            self.reception.held[terminal] -= u64::from(flits);
            self.totals.held_changes(self.now, -i64::from(flits));
            ready.push(early.frame);
        }
        for frame in &ready {
            self.deliver(frame);
        }
    }

    fn check_order(&mut self, frame: &Frame) {
        let flow = (frame.source, frame.header.destination.0, frame.class);
        let last = self.totals.last_of.insert(flow, frame.number);
        if let Some(last) = last.filter(|&last| last > frame.number) {
            let (source, destination, number) =
                (frame.source, frame.header.destination, frame.number);
            self.totals.violate(self.now, || {
                format!(
                    "packet {number} of terminal {source} arrived at terminal {destination} after packet {last}, \
                     although the routing keeps order"
                )
            });
        }
    }

    /// Books a packet that is delivered, and tells the agent of its terminal.
    fn deliver(&mut self, frame: &Frame) {
        let (destination, now) = (frame.header.destination, self.now);
        let minimal = self
            .setup
            .minimal
            .map(|hops| hops(TerminalId(frame.source), destination));
        let routers = frame.routers;
        self.recorder.flits_arrived(now, frame.flits);
        self.recorder.packet_delivered(&Delivery {
            source: frame.source,
            destination: destination.0,
            flits: frame.flits,
            created: frame.created,
            injected: frame.injected,
            arrived: now,
            routers,
            nonminimal: minimal.is_some_and(|minimal| u32::from(routers) - 1 > minimal),
        });
        let (source, recorder) = (TerminalId(frame.source), &mut self.recorder);
        (self.messages).deliver(source, frame.number, frame.created, now, recorder);
        if self.classes.is_used() {
            let class = frame.class.into();
            if self.recorder.in_window(now) {
                self.classes.accepted(class, frame.flits);
            }
            if self.recorder.in_window(frame.created) {
                self.classes.delivered(class, now - frame.created);
            }
        }
        self.totals.packets += 1;
        self.totals.last_arrival = now;
        let who = u64::from(frame.source) << 32 | u64::from(frame.number);
        let what =
            u64::from(destination.0) << 32 | u64::from(routers) << 16 | u64::from(frame.flits);
        let when = now.rotate_left(32) ^ frame.created;
        let digest = mix(mix(mix(who) ^ what) ^ when);
        self.totals.fingerprint = self.totals.fingerprint.wrapping_add(digest);
        if matches!(self.setup.demand, Demand::Closed(_)) {
            self.reception.agents.arrived(destination.0);
            let arrived = Event::Arrived {
                from: TerminalId(frame.source),
                tag: frame.tag,
                note: frame.note,
                flits: frame.flits,
                class: frame.class,
                mark: Mark::default(),
                parties: frame.parties,
            };
            self.tell(destination.0, arrived);
        }
    }
}
