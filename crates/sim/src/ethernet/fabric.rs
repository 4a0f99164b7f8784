//! Everything that changes in a run: queues, what is held and paused, and what will happen.

use super::Setup;
use super::adapter::Adapters;
use super::agenda::{Agenda, Event};
use super::congestion_point::CongestionPoint;
use super::frames::{Frames, NOWHERE, Queue};
use super::links::Links;
use super::paths::Paths;
use super::reception::Reception;
use super::totals::Totals;
use crate::classes::ClassRecorder;
use crate::measure::Recorder;
use crate::messages::Messages;
use crate::model::Schedule;
use rustc_hash::FxHashSet;
use std::collections::VecDeque;

/// A network of switches and adapters, in some cycle.
pub(super) struct Fabric<'a> {
    pub(super) setup: Setup<'a>,
    pub(super) links: Links,
    pub(super) priorities: usize,
    pub(super) now: u64,
    pub(super) agenda: Agenda,
    pub(super) frames: Frames,
    /// By channel.
    pub(super) senders: Vec<Sender>,
    /// By channel and priority: frames that wait at a switch to be sent.
    pub(super) queues: Vec<Queue>,
    /// By channel and priority: what a switch holds of what has come.
    pub(super) holds: Vec<Hold>,
    /// By channel and priority, if switches notify.
    pub(super) points: Vec<CongestionPoint>,
    /// Channel and priority, and a destination, of which was notified that they are congested, if it is told when they are not any more.
    pub(super) notified_of: FxHashSet<(u32, u32)>,
    /// By router, if the routing snoops.
    pub(super) tables: Vec<Vec<u32>>,
    pub(super) paths: Paths,
    pub(super) adapters: Adapters,
    pub(super) reception: Reception,
    /// Those of open-loop traffic that consist of several frames.
    pub(super) messages: Messages,
    pub(super) recorder: Recorder,
    pub(super) classes: ClassRecorder,
    pub(super) totals: Totals,
}

/// Whoever puts frames on a channel.
#[derive(Clone, Debug, Default)]
pub(super) struct Sender {
    pub(super) is_busy: bool,
    /// Priorities that it may not send, as bits.
    pub(super) paused: u32,
    /// Priorities of which something waits in a switch's queue, as bits.
    pub(super) waiting: u32,
    /// The priority that was sent last.
    pub(super) turn: u8,
    /// What goes first, and is never paused.
    pub(super) control: VecDeque<Control>,
    /// Flits of frames sent so far.
    pub(super) sent: u64,
    /// Since when all it has to send is paused.
    pub(super) stopped: Option<u64>,
}

/// What goes before all other frames.
#[derive(Clone, Copy, Debug)]
pub(super) enum Control {
    Pause { priority: u8, on: bool },
    Notification(u32),
}

/// What a switch holds of one priority of one channel that leads to it.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Hold {
    pub(super) flits: u32,
    pub(super) is_paused: bool,
    /// Pauses, and leaves to go on, that have not come to the sender.
    pub(super) under_way: u32,
    /// The most that it has held.
    pub(super) most: u32,
}

impl<'a> Fabric<'a> {
    pub(super) fn new(setup: Setup<'a>) -> Self {
        let (network, model) = (setup.network, setup.model);
        let priorities = usize::from(model.priorities);
        let channels = network.total_channel_count();
        let terminals = network.terminal_count();
        let points = model.notifications.as_ref();
        let points = points.map(|model| vec![CongestionPoint::new(model); channels * priorities]);
        let snoops = setup.routing.snooping().is_some();
        let recorder = match setup.schedule {
            Schedule::Window(phases) => {
                Recorder::new(phases.warmup, phases.measure, terminals, setup.interval)
            }
            Schedule::ToCompletion { limit } => {
                Recorder::to_completion(limit, terminals, setup.interval)
            }
        };
        Self {
            setup,
            links: Links::new(network, model),
            priorities,
            now: 0,
            agenda: Agenda::new(),
            frames: Frames::default(),
            senders: vec![Sender::default(); channels],
            queues: vec![Queue::EMPTY; channels * priorities],
            holds: vec![Hold::default(); channels * priorities],
            points: points.unwrap_or_default(),
            notified_of: FxHashSet::default(),
            tables: vec![Vec::new(); if snoops { network.router_count() } else { 0 }],
            paths: Paths::new(network),
            adapters: Adapters::new(&setup),
            reception: Reception::new(&setup),
            messages: Messages::new(setup.demand.cutting()),
            recorder,
            classes: ClassRecorder::new(setup.demand.classes()),
            totals: Totals::default(),
        }
    }

    /// The place of a channel's priority in arrays of these.
    #[inline(always)]
    pub(super) fn place(&self, channel: u32, priority: u8) -> usize {
        channel as usize * self.priorities + usize::from(priority)
    }

    /// All that happens in a cycle later than the last one.
    pub(super) fn step(&mut self, now: u64) {
        self.now = now;
        self.recorder.cover(now);
        let due = self.agenda.take(now);
        for part in 0..3 {
            for &event in due.iter().filter(|event| event.part() == part) {
                self.happen(event);
            }
        }
        self.totals.events += due.len() as u64;
        self.agenda.recycle(due);
    }

    #[inline]
    fn happen(&mut self, event: Event) {
        match event {
            Event::Left { channel, frame } => self.left(channel, frame),
            Event::Came { channel, frame } => match self.links[channel].to_router {
                NOWHERE => self.arrived(frame),
                router => self.came(router, channel, frame),
            },
            Event::Paused {
                channel,
                priority,
                on,
            } => self.paused(channel, priority, on),
            Event::Timer { terminal, timer } => self.ring(terminal, timer),
            Event::Message { terminal, place } => self.create_due(terminal, place),
            Event::Wake { terminal } => self.wake(terminal),
            Event::Raise {
                terminal,
                flow,
                timer,
            } => self.raise(terminal, flow, timer),
        }
    }

    /// Schedules an event.
    #[inline]
    pub(super) fn schedule(&mut self, after: u64, event: Event) {
        self.agenda.push(self.now, self.now + after, event);
    }
}
