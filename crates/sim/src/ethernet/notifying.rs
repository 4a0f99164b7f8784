//! Notifications: queues that send them, switches that pass them on or keep them, flows that are slowed down.

use super::adapter::{ANYWHERE, Flow, Lane, entity_of};
use super::agenda::Event;
use super::fabric::{Control, Fabric};
use super::frames::{Frame, NOWHERE};
use super::links::Links;
use super::reaction::ReactionPoint;
use turnwise_network::random::{Purpose, Random};
use turnwise_network::{Header, Heard, Notification, Port, RouterId, TerminalId};

impl Fabric<'_> {
    /// A frame has joined an output queue of a switch, which may sample it.
    pub(super) fn sample(&mut self, router: u32, port: Port, channel: u32, slot: u32) {
        let Some(model) = &self.setup.model.notifications else {
            return;
        };
        let frame = self.frames.get(slot);
        let place = self.place(channel, frame.priority);
        let length = self.queues[place].flits;
        let seed = self.setup.seed;
        let random = |number| Random::new(seed, Purpose::Notification, place as u32, number);
        let point = &mut self.points[place];
        let Some(severity) = point.joined(frame.flits, length, model, random) else {
            return;
        };
        let flow = (place as u32, frame.header.destination.0);
        let severity = match severity {
            0 if model.positive_feedback && self.notified_of.remove(&flow) => Frame::RELIEF,
            0 => return,
            _ => severity,
        };
        if model.positive_feedback && severity != Frame::RELIEF {
            self.notified_of.insert(flow);
        }
        let notification = Frame {
            header: Header::to(TerminalId(frame.source)),
            source: frame.header.destination.0,
            hold: NOWHERE,
            flits: self.setup.model.control_flits,
            severity,
            ..Frame::default()
        };
        self.totals.notifications += 1;
        let slot = self.frames.add(notification);
        self.pass_on(router, port, true, slot);
    }

    /// A switch takes notice of a notification and passes it on towards its source, unless it keeps it.
    pub(super) fn pass_on(&mut self, router: u32, port: Port, is_local: bool, slot: u32) {
        let frame = self.frames.get(slot);
        let notification = Notification {
            source: frame.header.destination,
            destination: TerminalId(frame.source),
            severity: frame.told(),
        };
        let at = RouterId(router);
        if let Some(snooping) = self.setup.routing.snooping() {
            let heard = Heard {
                notification,
                port,
                is_local,
                now: self.now,
            };
            if !snooping.hear(at, &heard, &mut self.tables[router as usize]) {
                self.totals.absorbed += 1;
                self.frames.remove(slot);
                return;
            }
        }
        let network = self.setup.network;
        let way = self.paths.port(network, at, notification.source);
        let Some(out) = way.and_then(|port| network.out_channel(at, port)) else {
            self.frames.remove(slot);
            return;
        };
        self.senders[out.index()]
            .control
            .push_back(Control::Notification(slot));
        self.kick(out.0);
    }

    /// A notification has come to the source of the flow that it speaks of.
    pub(super) fn notified(&mut self, slot: u32) {
        let frame = self.frames.remove(slot);
        if frame.severity == Frame::RELIEF {
            return;
        }
        self.totals.heeded += 1;
        let Some(model) = self
            .setup
            .model
            .notifications
            .as_ref()
            .and_then(|model| model.reaction)
        else {
            return;
        };
        let terminal = frame.header.destination.0;
        let flow = match model.per_source {
            true => ANYWHERE,
            false => frame.source,
        };
        let (seed, entity) = (self.setup.seed, entity_of(terminal, flow));
        let random = |number| Random::new(seed, Purpose::Notification, entity, number);
        let interval = self.links[Links::injection(self.setup.network, terminal)].interval;
        let model = model.of_channel(interval);
        let adapter = &mut self.adapters.all[terminal as usize];
        adapter.timers += 1;
        let (timer, lanes) = (adapter.timers, &mut adapter.lanes);
        let index = lanes
            .iter()
            .position(|lane| lane.is_of(flow))
            .unwrap_or_else(|| {
                let point = ReactionPoint::new(timer.wrapping_mul(DRAWS));
                lanes.push(Lane {
                    flow: Some(Flow {
                        destination: flow,
                        point,
                    }),
                    ..Lane::default()
                });
                lanes.len() - 1
            });
        let Some(Flow { point, .. }) = &mut lanes[index].flow else {
            return;
        };
        point.slow_down(frame.severity, timer, &model, random);
        if let Some(after) = point.next_timer(&model, random) {
            self.schedule(
                after,
                Event::Raise {
                    terminal,
                    flow,
                    timer,
                },
            );
        }
    }

    /// Time raises a flow's rate, unless there has been another notification meanwhile.
    pub(super) fn raise(&mut self, terminal: u32, flow: u32, timer: u32) {
        let Some(model) = self
            .setup
            .model
            .notifications
            .as_ref()
            .and_then(|model| model.reaction)
        else {
            return;
        };
        let (seed, entity) = (self.setup.seed, entity_of(terminal, flow));
        let random = |number| Random::new(seed, Purpose::Notification, entity, number);
        let interval = self.links[Links::injection(self.setup.network, terminal)].interval;
        let model = model.of_channel(interval);
        let lanes = &mut self.adapters.all[terminal as usize].lanes;
        let Some(index) = lanes.iter().position(|lane| lane.is_of(flow)) else {
            return;
        };
        let lane = &mut lanes[index];
        let Some(Flow { point, .. }) = lane.flow.as_mut().filter(|flow| flow.point.timer == timer)
        else {
            return;
        };
        if !point.rung(&model) {
            if let Some(after) = point.next_timer(&model, random) {
                self.schedule(
                    after,
                    Event::Raise {
                        terminal,
                        flow,
                        timer,
                    },
                );
            }
        } else if lane.head.is_none() && lane.queue.is_empty() {
            self.close_lane(terminal, index);
        } else {
            lane.ready = lane.ready.min(self.now);
            self.kick(Links::injection(self.setup.network, terminal));
        }
    }
}

/// A flow that is slowed down anew draws other intervals than it did before.
const DRAWS: u32 = 1 << 10;
