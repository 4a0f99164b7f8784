//! Everything that changes while the network runs, in flat arrays sized at the start.

use super::matcher::Pointers;
use super::packets::{Flit, Packets};
use super::wheel::Wheel;
use super::wiring::{NOWHERE, Wiring};
use crate::model::RouterModel;
use turnwise_network::{Congestion, Port, RouterId, Vc};

/// One virtual channel of an input port: a FIFO of flits and the way its head packet takes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lane {
    /// Where in the lane's ring buffer the first flit is.
    pub(super) first: u16,
    /// Flits in the buffer.
    pub(super) len: u16,
    /// Output virtual channel its packet holds; [`NOWHERE`] before allocation.
    pub(super) out: u32,
    /// Virtual channels its packet may take at `port`, once routed; 0 before.
    pub(super) vcs: u32,
    /// Output port its packet takes, relative to the router.
    pub(super) port: u16,
    /// Channel allocation: the output virtual channel that is accepted first.
    pub(super) accept: u16,
}

impl Lane {
    const IDLE: Self = Self {
        first: 0,
        len: 0,
        out: NOWHERE,
        vcs: 0,
        port: 0,
        accept: 0,
    };
}

/// One virtual channel of an output port.
#[derive(Clone, Copy, Debug)]
pub(super) struct OutVc {
    /// Free slots downstream, as far as the sender knows.
    pub(super) credits: u16,
    /// Channel allocation: the lane that is granted first.
    pub(super) grant: u16,
    /// Lane (or terminal) that holds it; [`NOWHERE`] if it is free.
    pub(super) owner: u32,
}

impl OutVc {
    /// Owner of a channel that waits for its last tail's credit.
    pub(super) const DRAINING: u32 = NOWHERE - 1;
}

/// One port, as output and as input.
#[derive(Clone, Copy, Debug)]
pub(super) struct PortState {
    /// Its output virtual channels nobody holds, as bits.
    pub(super) free: u32,
    /// Switch allocation: the input that is granted first.
    pub(super) grant: u16,
    /// Switch allocation: the output that is accepted first.
    pub(super) accept: u16,
    /// Among input lanes that want the same output: which one asks first.
    pub(super) choice: u16,
}

/// What happens at a router: one mask word of it.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Wants {
    /// Lanes with a head flit that has no route yet.
    pub(super) route: u64,
    /// Output ports that some routed head wants a virtual channel of: see [`PortMasks::heads`].
    pub(super) vc_ports: u64,
    /// Output ports that some flit is ready to be sent to: see [`PortMasks::ready`].
    pub(super) switch_ports: u64,
}

impl Wants {
    #[inline(always)]
    pub(super) fn any(&self) -> bool {
        self.route | self.vc_ports | self.switch_ports != 0
    }
}

/// Who wants an output port: one mask word of it, a bit for each lane of the router.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct PortMasks {
    /// Routed heads that want one of its virtual channels.
    pub(super) heads: u64,
    /// Lanes that hold one of its virtual channels, a flit, and a credit.
    pub(super) ready: u64,
}

/// A flit on its way over a channel.
#[derive(Clone, Copy, Debug)]
pub(super) struct Arrival {
    pub(super) lane: u32,
    pub(super) flit: Flit,
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

    #[inline]
    pub(super) fn new(out: u32, tail: bool) -> Self {
        Self(out | if tail { Self::TAIL } else { 0 })
    }

    #[inline]
    pub(super) fn out(self) -> u32 {
        self.0 & !Self::TAIL
    }

    #[inline]
    pub(super) fn is_tail(self) -> bool {
        self.0 & Self::TAIL != 0
    }
}

#[derive(Clone, Debug)]
pub(super) struct State {
    pub(super) lanes: Vec<Lane>,
    /// By lane: inside an allocation stage of more than one cycle, a wake-up will come.
    pub(super) held: Vec<bool>,
    /// Ring buffers of all lanes, `depth` flits each.
    pub(super) flits: Vec<Flit>,
    pub(super) depth: u32,
    pub(super) outs: Vec<OutVc>,
    pub(super) ports: Vec<PortState>,
    /// By port: the cycle in which its output last sends, for speedups above one.
    pub(super) last_send: Vec<u64>,
    /// By router, `words` each.
    pub(super) wants: Vec<Wants>,
    /// By port, `words` each.
    pub(super) masks: Vec<PortMasks>,
    /// Routers whose lanes want anything, one bit each.
    pub(super) active: Vec<u64>,
    pub(super) packets: Packets,
    pub(super) arrivals: Wheel<Arrival>,
    pub(super) credits: Wheel<Credit>,
    pub(super) wakes: Wheel<Wake>,
    /// Flits sent so far, by router-to-router channel.
    pub(super) channel_flits: Vec<u32>,
}

impl State {
    pub(super) fn new(wiring: &Wiring, model: &RouterModel, channels: usize) -> Self {
        let vcs = wiring.vcs as usize;
        let (lanes, ports) = (wiring.lanes(), wiring.ports as usize);
        let all_vcs = ((1u64 << vcs) - 1) as u32;
        let idle_port = PortState {
            free: all_vcs,
            grant: 0,
            accept: 0,
            choice: 0,
        };
        let credits = model.buffer_flits as u16;
        // A flit may wait in an output queue behind as many as the buffer it is sent to holds.
        let queued = if model.speedup_permille > 1000 {
            u64::from(model.buffer_flits) * vcs as u64
        } else {
            0
        };
        let stages = model.pipeline() + model.credit_delay + 4;
        let longest = queued + u64::from(stages) + 2 * u64::from(wiring.longest);
        Self {
            lanes: vec![Lane::IDLE; lanes],
            held: vec![false; lanes],
            flits: vec![Flit::default(); lanes * model.buffer_flits as usize],
            depth: model.buffer_flits,
            outs: vec![
                OutVc {
                    credits,
                    grant: 0,
                    owner: NOWHERE
                };
                wiring.downstream.len() * vcs
            ],
            ports: vec![idle_port; ports],
            last_send: vec![0; ports],
            wants: vec![Wants::default(); wiring.routers.len() * wiring.words as usize],
            masks: vec![PortMasks::default(); ports * wiring.words as usize],
            active: vec![0; wiring.routers.len().div_ceil(64)],
            packets: Packets::default(),
            arrivals: Wheel::new(longest),
            credits: Wheel::new(longest),
            wakes: Wheel::new(longest),
            channel_flits: vec![0; channels],
        }
    }

    /// A head has come to the front of a lane and wants a route.
    #[inline(always)]
    pub(super) fn want_route(&mut self, wiring: &Wiring, lane: u32) {
        let home = wiring.home[lane as usize];
        let word = home.router * wiring.words + home.local / 64;
        self.wants[word as usize].route |= 1 << (home.local % 64);
        self.activate(home.router);
    }

    /// A routed head wants a virtual channel of its port.
    pub(super) fn want_channel(&mut self, wiring: &Wiring, lane: u32) {
        let (home, port) = (wiring.home[lane as usize], self.lanes[lane as usize].port);
        self.masks[wiring.mask_word(home, port)].heads |= 1 << (home.local % 64);
        self.wants[wiring.port_word(home.router, port)].vc_ports |= 1 << (port % 64);
        self.activate(home.router);
    }

    /// Lets a lane that holds an output virtual channel ask for the switch, if it can use it.
    #[inline(always)]
    pub(super) fn want_switch(&mut self, wiring: &Wiring, lane: u32) {
        let at = self.lanes[lane as usize];
        if at.out == NOWHERE
            || at.len == 0
            || self.held[lane as usize]
            || self.outs[at.out as usize].credits == 0
        {
            return;
        }
        let home = wiring.home[lane as usize];
        self.masks[wiring.mask_word(home, at.port)].ready |= 1 << (home.local % 64);
        self.wants[wiring.port_word(home.router, at.port)].switch_ports |= 1 << (at.port % 64);
        self.activate(home.router);
    }

    #[inline(always)]
    fn activate(&mut self, router: u32) {
        self.active[router as usize / 64] |= 1 << (router % 64);
    }

    /// The first flit of a lane that has one.
    #[inline]
    pub(super) fn front(&self, lane: u32) -> Flit {
        self.flits[(lane * self.depth) as usize + self.lanes[lane as usize].first as usize]
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
}

/// Round-robin pointers of a router's switch.
pub(super) struct SwitchPointers<'a>(pub(super) &'a mut [PortState]);

impl Pointers for SwitchPointers<'_> {
    #[inline]
    fn grant(&mut self, output: u16) -> &mut u16 {
        &mut self.0[output as usize].grant
    }

    #[inline]
    fn accept(&mut self, input: u16) -> &mut u16 {
        &mut self.0[input as usize].accept
    }

    #[inline]
    fn inputs(&self) -> u32 {
        self.0.len() as u32
    }

    #[inline]
    fn outputs(&self) -> u32 {
        self.0.len() as u32
    }
}

/// Round-robin pointers of a router's channel allocator: output virtual channels grant, lanes accept.
pub(super) struct ChannelPointers<'a> {
    pub(super) outs: &'a mut [OutVc],
    pub(super) lanes: &'a mut [Lane],
}

impl Pointers for ChannelPointers<'_> {
    #[inline]
    fn grant(&mut self, output: u16) -> &mut u16 {
        &mut self.outs[output as usize].grant
    }

    #[inline]
    fn accept(&mut self, input: u16) -> &mut u16 {
        &mut self.lanes[input as usize].accept
    }

    #[inline]
    fn inputs(&self) -> u32 {
        self.lanes.len() as u32
    }

    #[inline]
    fn outputs(&self) -> u32 {
        self.outs.len() as u32
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
        ((self.wiring.routers[router.index()].first_port + u32::from(port)) * self.wiring.vcs)
            as usize
    }
}

impl Congestion for View<'_> {
    fn used_credits(&self, router: RouterId, port: Port) -> u32 {
        let first = self.first_out(router, port);
        let outs = &self.outs[first..first + self.wiring.vcs as usize];
        outs.iter()
            .map(|out| self.depth - u32::from(out.credits))
            .sum()
    }

    fn used_credits_of(&self, router: RouterId, port: Port, vc: Vc) -> u32 {
        self.depth - u32::from(self.outs[self.first_out(router, port) + vc as usize].credits)
    }
}
