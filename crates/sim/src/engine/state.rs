//! Everything that changes while the network runs, in flat arrays sized at the start.
//!
//! What one flit's crossing touches lies together: its lane in one cache line, its two
//! ports and its output virtual channel in one each.

use super::itinerary::Itinerary;
use super::packets::Packets;
use super::unchecked::Arena;
use super::wheel::Wheel;
use super::wiring::{NOWHERE, Wiring};
use crate::model::RouterModel;
use turnwise_network::{Congestion, Port, RouterId, Vc};

/// One virtual channel of an input port: a FIFO of flits and the way its front packet takes.
///
/// Flits of a packet are counted, not stored: they arrive in order and leave in order.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub(super) struct Lane {
    /// Output virtual channels the front packet may take, once routed; 0 before. See [`Wants::free`].
    pub(super) want: u64,
    /// The one it holds, likewise.
    pub(super) given: u64,
    /// Flits in the buffer.
    pub(super) len: u16,
    /// Packets with a flit here or, for the front one, still to come.
    pub(super) packets: u16,
    /// Flits of the front packet that have not crossed the switch, once it is routed.
    pub(super) left: u16,
    /// Where in the lane's ring the second packet is.
    pub(super) first: u16,
    /// The front packet, if there is one.
    pub(super) slot: u32,
    /// What the next flit tells the lane it goes to: see [`Arrival::slot`].
    pub(super) announce: u32,
    /// Output virtual channel the front packet holds; [`NOWHERE`] before allocation.
    pub(super) out: u32,
    /// Output port the front packet takes, relative to the router.
    pub(super) port: u16,
    /// Its input port, relative to the router.
    pub(super) input: u16,
    /// Which virtual channel of its port it is.
    pub(super) vc: Vc,
    /// Inside an allocation stage of more than one cycle: a wake-up will come.
    pub(super) held: bool,
    /// Its index among the router's lanes.
    pub(super) local: u32,
    pub(super) router: u32,
    /// The output virtual channel that sends to it.
    pub(super) credit_to: u32,
    /// Channel allocation: the output virtual channel that was accepted last.
    pub(super) accept: u32,
}

/// One virtual channel of an output port.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(16))]
pub(super) struct OutVc {
    /// Free slots downstream, as far as the sender knows.
    pub(super) credits: u16,
    /// Channel allocation: the lane that was granted last.
    pub(super) grant: u32,
    /// Lane that holds it; [`NOWHERE`] if it is free, and if a terminal sends by it.
    pub(super) owner: u32,
    /// Lane behind it; [`NOWHERE`] if it leads to a terminal or nowhere. This never changes.
    pub(super) target: u32,
}

impl OutVc {
    /// Owner of a channel that waits for its last tail's credit.
    pub(super) const DRAINING: u32 = NOWHERE - 1;
}

/// One port, as output and as input.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(32))]
pub(super) struct PortState {
    /// Switch allocation: the input that was granted last.
    pub(super) grant: u16,
    /// Switch allocation: the output that was accepted last.
    pub(super) accept: u16,
    /// The virtual channel of this input that crossed the switch last.
    pub(super) choice: u16,
    /// Flits sent so far.
    pub(super) sent: u32,
    /// First lane behind the output; [`NOWHERE`] if it leads to a terminal or nowhere.
    pub(super) first_lane: u32,
    /// Cycles from crossing the switch to arriving behind the channel.
    pub(super) delay: u32,
    /// Cycles until a credit for a flit that leaves this input counts at its sender.
    pub(super) credit_delay: u32,
    /// Cycles from a flit's arrival at a terminal to its credit's arrival here.
    pub(super) echo: u32,
}

/// What happens at a router: one mask word of it, a bit for each lane.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
pub(super) struct Wants {
    /// A head came to the front when the tail before it left; it has no route yet.
    pub(super) route: u64,
    /// Heads whose routes were computed in this step.
    pub(super) fresh: u64,
    /// Routed heads that may find a virtual channel.
    pub(super) heads: u64,
    /// Lanes that hold a virtual channel, a flit, and a credit.
    pub(super) ready: u64,
    /// Output virtual channels that nobody holds, numbered like the lanes of the same port.
    pub(super) free: u64,
}

impl Wants {
    const NOTHING: Self = Self {
        route: 0,
        fresh: 0,
        heads: 0,
        ready: 0,
        free: u64::MAX,
    };

    #[inline(always)]
    pub(super) fn any(&self) -> bool {
        self.route | self.fresh | self.heads | self.ready != 0
    }
}

/// A flit on its way over a channel.
#[derive(Clone, Copy, Debug)]
pub(super) struct Arrival {
    pub(super) lane: u32,
    /// The packet of a head; [`BODY`](Self::BODY) for the flits after it.
    pub(super) slot: u32,
}

impl Arrival {
    pub(super) const BODY: u32 = u32::MAX;
}

/// A lane whose stage with more than one cycle of delay is over.
#[derive(Clone, Copy, Debug)]
pub(super) enum Wake {
    Vc(u32),
    Switch(u32),
}

/// A credit on its way back: output virtual channel, and whether a tail freed the slot.
#[derive(Clone, Copy, Debug)]
pub(super) struct Credit(u32);

impl Credit {
    const TAIL: u32 = 1 << 31;

    #[inline(always)]
    pub(super) fn new(out: u32, tail: bool) -> Self {
        Self(out | u32::from(tail) << 31)
    }

    #[inline(always)]
    pub(super) fn out(self) -> u32 {
        self.0 & !Self::TAIL
    }

    #[inline(always)]
    pub(super) fn is_tail(self) -> bool {
        self.0 & Self::TAIL != 0
    }
}

#[derive(Clone, Debug)]
pub(super) struct State {
    pub(super) lanes: Arena<Lane>,
    /// The packets behind the front one of each lane: rings of `1 << ring_shift` slots.
    rings: Arena<u32>,
    ring_shift: u32,
    /// Slots of a lane's buffer.
    pub(super) depth: u32,
    pub(super) outs: Arena<OutVc>,
    /// Ports of routers, then of terminals.
    pub(super) ports: Arena<PortState>,
    /// By port: the cycle in which its output last sends, for speedups above one.
    pub(super) last_send: Arena<u64>,
    /// By router, `words` each.
    pub(super) wants: Arena<Wants>,
    /// By port, `words` each: routed heads that wait until one of its virtual channels is given back.
    pub(super) parked: Arena<u64>,
    /// Routers whose lanes want anything, one bit each.
    pub(super) active: Arena<u64>,
    pub(super) packets: Packets,
    pub(super) itinerary: Itinerary,
    pub(super) arrivals: Wheel<Arrival>,
    pub(super) credits: Wheel<Credit>,
    pub(super) wakes: Wheel<Wake>,
}

impl State {
    pub(super) fn new(wiring: &Wiring, model: &RouterModel, remember: bool) -> Self {
        let stride = wiring.stride as usize;
        let credits = model.buffer_flits as u16;
        // A flit may wait in an output queue behind as many as the buffer it is sent to holds.
        let queued = if model.speedup_permille > 1000 {
            u64::from(model.buffer_flits) * stride as u64
        } else {
            0
        };
        let stages = model.pipeline() + model.credit_delay + 4;
        let longest = queued + u64::from(stages) + 2 * u64::from(wiring.longest);
        let ring_shift = model.buffer_flits.next_power_of_two().trailing_zeros();
        let (mut lanes, mut outs) = (Vec::with_capacity(wiring.lanes()), Vec::new());
        let mut ports = Vec::with_capacity(wiring.downstream.len());
        for (router, at) in wiring.routers.iter().enumerate() {
            for port in 0..at.ports {
                ports.push(port_state(wiring, model, at.first_port + port, at.ports));
            }
            for local in 0..at.lanes {
                let port = (at.first_port + local / wiring.stride) as usize;
                let upstream = wiring.upstream[port];
                lanes.push(Lane {
                    want: 0,
                    given: 0,
                    packets: 0,
                    len: 0,
                    left: 0,
                    first: 0,
                    slot: 0,
                    announce: Arrival::BODY,
                    out: NOWHERE,
                    port: 0,
                    accept: at.lanes - 1,
                    held: false,
                    vc: (local % wiring.stride) as Vc,
                    input: (local / wiring.stride) as u16,
                    local,
                    router: router as u32,
                    credit_to: upstream.first_out.saturating_add(local % wiring.stride),
                });
                outs.push(OutVc {
                    credits,
                    grant: at.lanes - 1,
                    owner: NOWHERE,
                    target: match wiring.downstream[port].first_lane {
                        NOWHERE => NOWHERE,
                        first => first + local % wiring.stride,
                    },
                });
            }
        }
        for terminal in wiring.ports as usize..wiring.downstream.len() {
            ports.push(port_state(wiring, model, terminal as u32, 1));
        }
        let free = OutVc {
            credits,
            grant: 0,
            owner: NOWHERE,
            target: NOWHERE,
        };
        outs.resize(wiring.downstream.len() * stride, free);
        let words = wiring.words as usize;
        let router_ports = wiring.ports as usize;
        Self {
            rings: Arena::new(vec![0; lanes.len() << ring_shift]),
            lanes: Arena::new(lanes),
            ring_shift,
            depth: model.buffer_flits,
            outs: Arena::new(outs),
            ports: Arena::new(ports),
            last_send: Arena::new(vec![0; router_ports]),
            wants: Arena::new(vec![Wants::NOTHING; wiring.routers.len() * words]),
            parked: Arena::new(vec![0; router_ports * words]),
            active: Arena::new(vec![0; wiring.routers.len().div_ceil(64)]),
            packets: Packets::default(),
            itinerary: Itinerary::new(remember, wiring.alive.len()),
            arrivals: Wheel::new(longest),
            credits: Wheel::new(longest),
            wakes: Wheel::new(longest),
        }
    }

    /// Puts a packet behind the others of a lane that has some.
    #[inline(always)]
    pub(super) fn queue(&mut self, lane: u32, slot: u32) {
        let at = &mut self.lanes[lane];
        let behind = u32::from(at.first) + u32::from(at.packets) - 1;
        at.packets += 1;
        *self.rings.at_mut(ring_index(self.ring_shift, lane, behind)) = slot;
    }

    /// Takes the front packet away, whose tail has left; is there another one?
    #[inline(always)]
    pub(super) fn unqueue(&mut self, lane: u32) -> bool {
        let at = &mut self.lanes[lane];
        at.packets -= 1;
        if at.packets == 0 {
            return false;
        }
        let first = u32::from(at.first);
        at.slot = *self.rings.at(ring_index(self.ring_shift, lane, first));
        at.first = (first + 1) as u16 & ((1u32 << self.ring_shift) - 1) as u16;
        true
    }

    /// A routed head may find a virtual channel now.
    pub(super) fn want_channel(&mut self, wiring: &Wiring, lane: u32) {
        let Lane { router, local, .. } = self.lanes[lane];
        self.wants[router * wiring.words + local / 64].heads |= 1 << (local % 64);
        self.activate(router);
    }

    /// Lets a lane that holds an output virtual channel ask for the switch, if it can use it.
    #[inline(always)]
    pub(super) fn want_switch(&mut self, wiring: &Wiring, lane: u32) {
        let Lane {
            out,
            len,
            held,
            router,
            local,
            ..
        } = self.lanes[lane];
        if out == NOWHERE || len == 0 || held || self.outs[out].credits == 0 {
            return;
        }
        self.wants[router * wiring.words + local / 64].ready |= 1 << (local % 64);
        self.activate(router);
    }

    /// Heads that waited for a virtual channel of a port look again.
    #[inline(always)]
    pub(super) fn unpark(&mut self, words: u32, router: u32, port: u32) {
        for word in 0..words {
            let parked = &mut self.parked[port * words + word];
            if *parked != 0 {
                self.wants[router * words + word].heads |= std::mem::take(parked);
            }
        }
    }

    #[inline(always)]
    pub(super) fn activate(&mut self, router: u32) {
        self.active[router / 64] |= 1 << (router % 64);
    }

    /// When the next event of any kind is due, from cycle `now` on.
    pub(super) fn next_due(&self, now: u64) -> Option<u64> {
        let due = [
            self.arrivals.next_due(now),
            self.credits.next_due(now),
            self.wakes.next_due(now),
        ];
        due.into_iter().flatten().min()
    }

    /// Flits sent so far, by router-to-router channel.
    pub(super) fn channel_flits(&self, wiring: &Wiring, channels: usize) -> Vec<u32> {
        let mut flits = vec![0; channels];
        for (port, downstream) in self.ports.iter().zip(&wiring.downstream) {
            if downstream.channel != NOWHERE {
                flits[downstream.channel as usize] = port.sent;
            }
        }
        flits
    }
}

/// Rings wrap around by a mask, so that no position leads out of its lane's ring.
#[inline(always)]
fn ring_index(shift: u32, lane: u32, position: u32) -> usize {
    (lane as usize) << shift | position as usize & ((1 << shift) - 1)
}

fn port_state(wiring: &Wiring, model: &RouterModel, port: u32, ports: u32) -> PortState {
    let downstream = wiring.downstream[port as usize];
    let is_terminal = port >= wiring.ports;
    let stages = match is_terminal {
        true => 0,
        false => model.switch_allocation_delay - 1 + model.switch_traversal_delay,
    };
    PortState {
        grant: (ports - 1) as u16,
        accept: (ports - 1) as u16,
        choice: (wiring.stride - 1) as u16,
        sent: 0,
        first_lane: downstream.first_lane,
        delay: stages + 1 + downstream.latency,
        credit_delay: match is_terminal {
            true => 0,
            false => wiring.upstream[port as usize].credit_delay,
        },
        echo: 1 + downstream.latency + model.credit_delay,
    }
}

/// The congestion of a running network, for adaptive routing.
pub(super) struct View<'a> {
    pub(super) wiring: &'a Wiring,
    pub(super) outs: &'a [OutVc],
    pub(super) depth: u32,
}

impl View<'_> {
    fn first_out(&self, router: RouterId, port: Port) -> usize {
        ((self.wiring.routers.as_slice()[router.index()].first_port + u32::from(port))
            * self.wiring.stride) as usize
    }
}

impl Congestion for View<'_> {
    fn used_credits(&self, router: RouterId, port: Port) -> u32 {
        let first = self.first_out(router, port);
        let outs = &self.outs[first..first + self.wiring.stride as usize];
        outs.iter()
            .map(|out| self.depth - u32::from(out.credits))
            .sum()
    }

    fn used_credits_of(&self, router: RouterId, port: Port, vc: Vc) -> u32 {
        self.depth - u32::from(self.outs[self.first_out(router, port) + vc as usize].credits)
    }
}
