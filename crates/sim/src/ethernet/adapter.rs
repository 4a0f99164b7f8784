//! Adapters of terminals: what waits to be sent, in lanes.
//!
//! Every class of messages has a lane, and every flow that has been slowed down has one of its own, so that it keeps nobody
//! waiting. Lanes take turns. A lane whose first frame must wait, since its flow is slow or its priority is paused, is passed over.

use super::Setup;
use super::agenda::Event;
use super::fabric::Fabric;
use super::frames::{Frame, NOWHERE};
use super::links::Links;
use super::open::Source;
use super::reaction::ReactionPoint;
use rustc_hash::FxHashMap;
use std::collections::VecDeque;
use turnwise_network::random::{Purpose, Random};
use turnwise_network::{Header, Start, TerminalId, VcSet};

/// All adapters.
pub(super) struct Adapters {
    pub(super) all: Vec<Adapter>,
    /// Does the routing let frames of a flow overtake each other, so that they have to be numbered?
    numbers: bool,
    /// Terminals whose present packet is created before the window ends; where packets depend on nothing.
    pub(super) early: usize,
    /// Lanes that every adapter has.
    classes: usize,
}

/// The adapter of a terminal.
pub(super) struct Adapter {
    /// Those of the classes first, then those of slow flows.
    pub(super) lanes: Vec<Lane>,
    /// The lane that was served last.
    turn: usize,
    /// Packets that only the injector knows of.
    pub(super) source: Option<Source>,
    /// Timers of slow flows that have been set.
    pub(super) timers: u32,
    /// The next cycle in which it is woken.
    wake: u64,
    /// By destination and class, the number of the next frame.
    orders: FxHashMap<(u32, u8), u32>,
}

/// What waits in an order.
#[derive(Default)]
pub(super) struct Lane {
    pub(super) queue: VecDeque<Waiting>,
    /// The first frame, if it is made.
    pub(super) head: Option<u32>,
    /// The cycle from which it may go.
    pub(super) ready: u64,
    /// The flow that the lane belongs to.
    pub(super) flow: Option<Flow>,
}

/// A flow that has been slowed down.
pub(super) struct Flow {
    /// Where it goes, or [`ANYWHERE`].
    pub(super) destination: u32,
    pub(super) point: ReactionPoint,
}

/// A packet that has been created.
#[derive(Clone, Copy, Debug)]
pub(super) struct Waiting {
    pub(super) destination: TerminalId,
    pub(super) created: u64,
    pub(super) tag: u64,
    pub(super) note: u64,
    pub(super) number: u32,
    pub(super) flits: u16,
    pub(super) class: u8,
    pub(super) parties: [u8; 2],
    pub(super) is_reported: bool,
}

/// The destination of all flows of a source together.
pub(super) const ANYWHERE: u32 = u32::MAX;

impl Lane {
    /// Is it that of the slow flow to a destination?
    pub(super) fn is_of(&self, destination: u32) -> bool {
        let flow = self.flow.as_ref();
        flow.is_some_and(|flow| flow.destination == destination)
    }
}

/// So many packets of a slow flow are set aside, at most, before others wait behind it.
const MOST_ASIDE: usize = 64;

impl Adapters {
    pub(super) fn new(setup: &Setup<'_>) -> Self {
        let classes = setup
            .demand
            .workload()
            .map_or(1, |workload| usize::from(workload.classes().max(1)));
        let adapter = |_| Adapter {
            lanes: std::iter::repeat_with(Lane::default)
                .take(classes)
                .collect(),
            turn: 0,
            source: None,
            timers: 0,
            wake: u64::MAX,
            orders: FxHashMap::default(),
        };
        Self {
            all: (0..setup.network.terminal_count()).map(adapter).collect(),
            numbers: !setup.routing.keeps_order(),
            early: 0,
            classes,
        }
    }
}

impl Fabric<'_> {
    /// Something may have to be sent that had to wait for this cycle.
    pub(super) fn wake(&mut self, terminal: u32) {
        let adapter = &mut self.adapters.all[terminal as usize];
        if adapter.wake == self.now {
            adapter.wake = u64::MAX;
        }
        self.kick(Links::injection(self.setup.network, terminal));
    }

    /// Wakes an adapter in a later cycle, unless it is woken before.
    pub(super) fn wake_at(&mut self, terminal: u32, at: u64) {
        let adapter = &mut self.adapters.all[terminal as usize];
        if at < adapter.wake {
            adapter.wake = at;
            self.schedule(at - self.now, Event::Wake { terminal });
        }
    }

    /// The next frame that a terminal sends now, if any may go.
    pub(super) fn next_of_adapter(&mut self, terminal: u32) -> Option<u32> {
        let injection = Links::injection(self.setup.network, terminal);
        let paused = self.senders[injection as usize].paused;
        let (mut wake, mut is_stopped) = (u64::MAX, false);
        // Before anything is chosen, packets of slow flows have to be in their lanes.
        for class in 0..self.adapters.classes {
            self.head(terminal, class);
        }
        let lanes = self.adapters.all[terminal as usize].lanes.len();
        for step in 1..=lanes {
            let adapter = &mut self.adapters.all[terminal as usize];
            let index = (adapter.turn + step) % lanes;
            let Some(slot) = self.head(terminal, index) else {
                continue;
            };
            let adapter = &mut self.adapters.all[terminal as usize];
            let lane = &mut adapter.lanes[index];
            if lane.ready > self.now {
                wake = wake.min(lane.ready);
                continue;
            }
            if paused >> self.frames.get(slot).priority & 1 == 1 {
                is_stopped = true;
                continue;
            }
            lane.head = None;
            adapter.turn = index;
            self.go(terminal, index, slot);
            return Some(slot);
        }
        let sender = &mut self.senders[injection as usize];
        if is_stopped && sender.stopped.is_none() {
            sender.stopped = Some(self.now);
        }
        let source = self.adapters.all[terminal as usize].source.as_ref();
        let created = source.map_or(u64::MAX, |source| source.next_creation(self.now));
        let wake = wake.min(created);
        if wake < u64::MAX {
            self.wake_at(terminal, wake);
        }
        None
    }

    /// The first frame of a lane, made if need be. Packets of slow flows are set aside on the way.
    fn head(&mut self, terminal: u32, index: usize) -> Option<u32> {
        loop {
            let lane = &self.adapters.all[terminal as usize].lanes[index];
            if lane.head.is_some() {
                return lane.head;
            }
            let own = lane.flow.as_ref().map(|flow| flow.destination);
            if index == 0 {
                self.draw(terminal);
            }
            let adapter = &mut self.adapters.all[terminal as usize];
            let waiting = *adapter.lanes[index].queue.front()?;
            let destination = waiting.destination.0;
            let is_of = |lane: &Lane| lane.is_of(destination) || lane.is_of(ANYWHERE);
            let aside = match own {
                Some(_) => None,
                None => adapter.lanes.iter().position(is_of),
            };
            if let Some(aside) = aside {
                if adapter.lanes[aside].queue.len() >= MOST_ASIDE {
                    return None;
                }
                adapter.lanes[index].queue.pop_front();
                adapter.lanes[aside].queue.push_back(waiting);
                continue;
            }
            adapter.lanes[index].queue.pop_front();
            let slot = self.make(terminal, waiting)?;
            self.adapters.all[terminal as usize].lanes[index].head = Some(slot);
        }
    }

    /// A frame of a packet, as the routing has it set out.
    fn make(&mut self, terminal: u32, waiting: Waiting) -> Option<u32> {
        let source = TerminalId(terminal);
        let Some(start) = self.starting(source, &waiting) else {
            self.totals.lose(self.now, terminal, waiting.destination);
            return None;
        };
        let vcs = start.vcs.0 & VcSet::all(self.priorities as u8).0;
        Some(self.frames.add(Frame {
            header: Header {
                destination: waiting.destination,
                ..start.header
            },
            created: waiting.created,
            tag: waiting.tag,
            note: waiting.note,
            source: terminal,
            number: waiting.number,
            hold: NOWHERE,
            flits: waiting.flits,
            priority: VcSet(vcs).iter().next().unwrap_or_default(),
            class: waiting.class,
            parties: waiting.parties,
            is_reported: waiting.is_reported,
            ..Frame::default()
        }))
    }

    /// Sees to it that no packet is longer than was declared: what switches leave room for depends on it.
    pub(super) fn check_length(&mut self, terminal: u32, flits: u16) {
        let longest = self.setup.model.longest_frame;
        if flits > longest {
            self.totals.violate(self.now, || {
                format!("terminal {terminal} sends a packet of {flits} flits, although none is longer than {longest}")
            });
        }
    }

    fn starting(&self, source: TerminalId, waiting: &Waiting) -> Option<Start> {
        let (routing, destination) = (self.setup.routing, waiting.destination);
        if destination.index() >= self.adapters.all.len() {
            return None;
        }
        // Classes that are told apart for the statistics only are one to the routing.
        let class = match self.setup.demand.workload() {
            Some(_) => waiting.class,
            None => 0,
        };
        if routing.chooses_start() {
            let mut rng = Random::new(
                self.setup.seed,
                Purpose::Departure,
                source.0,
                waiting.number,
            );
            return routing.choose_start(source, destination, class, &mut rng);
        }
        if class == 0 {
            return routing.start(source, destination);
        }
        let mut starts = Vec::new();
        routing.starts(source, destination, class, &mut starts);
        starts.first().copied()
    }

    /// A frame sets out: it gets its number, and its flow's rate says when the next one may.
    fn go(&mut self, terminal: u32, index: usize, slot: u32) {
        let injection = Links::injection(self.setup.network, terminal);
        let interval = self.links[injection].interval;
        let frame = self.frames.get_mut(slot);
        frame.injected = self.now;
        let adapter = &mut self.adapters.all[terminal as usize];
        if self.adapters.numbers {
            let order = adapter
                .orders
                .entry((frame.header.destination.0, frame.class))
                .or_insert(0);
            frame.order = *order;
            *order = order.wrapping_add(1);
        }
        let flits = frame.flits;
        let reaction = self
            .setup
            .model
            .notifications
            .as_ref()
            .and_then(|model| model.reaction);
        let lane = &mut adapter.lanes[index];
        let reaction = reaction.map(|model| model.of_channel(interval));
        if let (Some(flow), Some(model)) = (&mut lane.flow, reaction) {
            let cycles = f64::from(flits) * f64::from(interval) / flow.point.rate();
            lane.ready = self.now.saturating_add(cycles as u64);
            let (seed, entity) = (self.setup.seed, entity_of(terminal, flow.destination));
            let random = |number| Random::new(seed, Purpose::Notification, entity, number);
            flow.point.sent(flits, &model, random);
            let is_over = flow.point.rate() >= 1.0 && lane.queue.is_empty();
            if is_over {
                self.close_lane(terminal, index);
            }
        }
    }

    /// A flow is as fast as all others again, and nothing of it waits.
    pub(super) fn close_lane(&mut self, terminal: u32, index: usize) {
        let adapter = &mut self.adapters.all[terminal as usize];
        adapter.lanes.remove(index);
        adapter.turn = match adapter.turn {
            turn if turn >= index => turn.saturating_sub(1),
            turn => turn,
        };
    }
}

/// Whose random numbers a flow draws.
pub(super) fn entity_of(source: u32, destination: u32) -> u32 {
    (turnwise_network::random::mix(u64::from(source) << 32 | u64::from(destination)) as u32)
        | 1 << 31
}
