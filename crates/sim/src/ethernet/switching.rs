//! What a switch does with a frame that has come: it takes room, is routed, and joins an output queue.

use super::fabric::Fabric;
use super::frames::{Frame, NOWHERE};
use super::view::View;
use turnwise_network::random::{Purpose, Random};
use turnwise_network::{ChannelId, Hop, Passing, RouterId, TerminalId, VcSet};

impl Fabric<'_> {
    /// A frame has come to a switch by a channel.
    pub(super) fn came(&mut self, router: u32, channel: u32, slot: u32) {
        let frame = *self.frames.get(slot);
        if frame.severity > 0 {
            let port = self.links[channel].to_port;
            self.pass_on(router, port, false, slot);
            return;
        }
        self.take_room(channel, frame.priority, frame.flits);
        let hop = match self.setup.routing.settled(RouterId(router), frame.header) {
            Some(hop) => Some(hop),
            None => self.choose(router, &frame),
        };
        let Some(hop) = hop else {
            self.totals
                .lose(self.now, frame.source, frame.header.destination);
            return;
        };
        if self.setup.check {
            self.check_choice(router, &frame, hop);
        }
        let out = self
            .links
            .of_router(router)
            .get(usize::from(hop.port))
            .copied();
        let Some(out) = out.filter(|&out| out != NOWHERE) else {
            self.totals
                .lose(self.now, frame.source, frame.header.destination);
            return;
        };
        let priority = self.shortest(out, hop.vcs);
        let hold = self.place(channel, frame.priority) as u32;
        let frame = self.frames.get_mut(slot);
        frame.hold = hold;
        frame.header = hop.header;
        frame.priority = priority;
        frame.routers += 1;
        let flits = frame.flits;
        self.totals.flit_hops += u64::from(flits);
        let place = self.place(out, priority);
        self.queues[place].push(slot, &mut self.frames);
        self.senders[out as usize].waiting |= 1 << priority;
        if self.setup.model.notifications.is_some() {
            self.sample(router, hop.port, out, slot);
        }
        self.kick(out);
    }

    /// A switch holds so many flits more of what comes by a channel.
    fn take_room(&mut self, channel: u32, priority: u8, flits: u16) {
        let place = self.place(channel, priority);
        let (held, link) = (&mut self.holds[place], &self.links.links[channel as usize]);
        held.flits += u32::from(flits);
        held.most = held.most.max(held.flits);
        if held.flits > self.setup.model.buffer_flits {
            let name = self.setup.network.channel_label(ChannelId(channel));
            let held = held.flits;
            self.totals.violate(self.now, || {
                format!("{held} flits are held of what came by {name}, which is more than fits")
            });
        } else if held.flits > link.pause_above && !held.is_paused {
            held.is_paused = true;
            self.send_pause(channel, priority, true);
        }
    }

    /// The priority with the shortest queue for a channel, the first of them.
    #[inline]
    fn shortest(&self, channel: u32, among: VcSet) -> u8 {
        if self.priorities == 1 {
            return 0;
        }
        let all = VcSet::all(self.priorities as u8);
        let may = VcSet(among.0 & all.0);
        let length = |&priority: &u8| self.queues[self.place(channel, priority)].flits;
        may.iter().min_by_key(length).unwrap_or_default()
    }

    #[inline(never)]
    fn choose(&mut self, router: u32, frame: &Frame) -> Option<Hop> {
        let at = RouterId(router);
        let (ports, capacity) = (self.links.of_router(router), self.setup.model.buffer_flits);
        let sees = View::new(ports, &self.queues, self.priorities, capacity);
        if let Some(snooping) = self.setup.routing.snooping() {
            let passing = Passing {
                source: TerminalId(frame.source),
                flits: frame.flits.into(),
                now: self.now,
            };
            let table = &mut self.tables[router as usize];
            return snooping.choose(at, frame.header, passing, &sees, table);
        }
        let mut rng = Random::new(
            self.setup.seed,
            Purpose::Routing,
            frame.source,
            frame.number,
        )
        .at_block(u32::from(frame.routers) * BLOCKS);
        self.setup.routing.choose(at, frame.header, &sees, &mut rng)
    }

    fn check_choice(&mut self, router: u32, frame: &Frame, hop: Hop) {
        let mut options = Vec::new();
        self.setup
            .routing
            .options(RouterId(router), frame.header, &mut options);
        if !options.iter().any(|option| hop.is_part_of(option)) {
            let header = frame.header;
            self.totals.violate(self.now, || {
                format!("at router {router} the algorithm chose {hop:?} for {header:?}, which is no option of it")
            });
        }
    }
}

/// Blocks of random numbers that a packet may draw at one router.
const BLOCKS: u32 = 64;
