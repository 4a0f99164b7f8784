//! The congestion of one router, as an algorithm that decides there sees it.
//!
//! The algorithm cannot name another router: what happens there in the same cycle depends on the order in
//! which routers are visited, and may be simulated by another thread.

use super::super::block::OutVc;
use super::super::domain::Domain;
use turnwise_network::{Congestion, Mark, Port, RouterId, VcSet};

/// What a router sees now, or `AFTERWARDS`, when a cycle is over: what it would in the next one, before anything comes.
///
/// It is made for every decision, so it holds no more than where to look.
pub(in super::super) struct View<
    'a,
    const ONE_WORD: bool,
    const PLAIN: bool,
    const AFTERWARDS: bool,
> {
    domain: &'a Domain<'a, ONE_WORD, PLAIN>,
    router: u32,
}

/// What a router sees when it looks at a packet that something is written on.
struct Marked<'a, const ONE_WORD: bool, const PLAIN: bool> {
    view: View<'a, ONE_WORD, PLAIN, false>,
    mark: Mark,
}

impl<const ONE_WORD: bool, const PLAIN: bool> Domain<'_, ONE_WORD, PLAIN> {
    /// What a router sees now.
    #[inline(always)]
    pub(in super::super) fn view(&self, router: u32) -> View<'_, ONE_WORD, PLAIN, false> {
        View {
            domain: self,
            router,
        }
    }

    /// What a router sees when a cycle is over.
    pub(super) fn view_afterwards(&self, router: u32) -> View<'_, ONE_WORD, PLAIN, true> {
        View {
            domain: self,
            router,
        }
    }

    /// Asks something with what a router sees when it is about a packet.
    #[inline(always)]
    pub(in super::super) fn seeing<T>(
        &self,
        router: u32,
        slot: u32,
        ask: impl FnOnce(&dyn Congestion) -> T,
    ) -> T {
        let view = self.view(router);
        match PLAIN || !self.marks {
            true => ask(&view),
            false => ask(&Marked {
                view,
                mark: self.state.packets.words(slot).mark,
            }),
        }
    }

    /// A router writes on a packet that has got a virtual channel of a port.
    #[inline(never)]
    pub(in super::super) fn write_mark(&mut self, router: u32, port: u32, slot: u32) {
        let Some(sensing) = self.setup.routing.sensing() else {
            return;
        };
        let mut words = self.state.packets.words(slot);
        self.seeing(router, slot, |sees| {
            sensing.pass(RouterId(router), port as Port, sees, &mut words.mark);
        });
        self.state.packets.write(slot, words);
    }
}

impl<const ONE_WORD: bool, const PLAIN: bool, const AFTERWARDS: bool>
    View<'_, ONE_WORD, PLAIN, AFTERWARDS>
{
    /// Flits without a credit yet on all of a port's virtual channels, unrolled for how many there mostly are.
    #[inline(always)]
    fn sent_on_all(&self, port: Port) -> u32 {
        match self.domain.wiring.shift {
            0 => self.sent_on_each::<1>(port),
            1 => self.sent_on_each::<2>(port),
            2 => self.sent_on_each::<4>(port),
            _ => self.sum(port, VcSet::EVERY, |_, out| Self::sent(out)),
        }
    }

    /// The same where ports are so far apart. Nothing is ever sent on what lies between their virtual channels.
    #[inline(always)]
    fn sent_on_each<const STRIDE: usize>(&self, port: Port) -> u32 {
        let (outs, _) = self.domain.state.storage.outs(self.router).as_chunks();
        let outs: Option<&[OutVc; STRIDE]> = outs.get(usize::from(port));
        outs.map_or(0, |outs| outs.iter().map(Self::sent).sum())
    }

    /// Flits without a credit yet on one virtual channel.
    #[inline(always)]
    fn sent_on_one(&self, port: Port, vcs: VcSet) -> u32 {
        let outs = self.domain.state.storage.outs(self.router);
        let number = (u32::from(port) << self.domain.wiring.shift) + vcs.0.trailing_zeros();
        match vcs.0 & self.domain.all_vcs {
            0 => 0,
            _ => outs.get(number as usize).map_or(0, Self::sent),
        }
    }

    /// The sum over those of a port's virtual channels that there are, with their numbers at the router.
    #[inline(always)]
    fn sum(&self, port: Port, vcs: VcSet, of: impl Fn(u32, &OutVc) -> u32) -> u32 {
        let outs = self.domain.state.storage.outs(self.router);
        let first = u32::from(port) << self.domain.wiring.shift;
        let mut rest = vcs.0 & self.domain.all_vcs;
        let mut sum = 0;
        while rest != 0 {
            let number = first + rest.trailing_zeros();
            rest &= rest - 1;
            sum += outs.get(number as usize).map_or(0, |out| of(number, out));
        }
        sum
    }

    /// Flits without a credit yet.
    #[inline(always)]
    fn sent(out: &OutVc) -> u32 {
        u32::from(out.depth) - u32::from(out.credits)
    }

    /// Flits in an output queue, in routers that have them.
    #[inline(always)]
    fn waiting(&self, out: u32) -> u32 {
        let at = self.domain.wiring.routers[self.router];
        match self.domain.queues_outputs() && out < at.lanes {
            true => self.domain.state.outputs.queued(at.first_lane + out),
            false => 0,
        }
    }

    /// What a plain router has counted at a port, if it watches that and nothing but what has left counts.
    #[inline(always)]
    fn counted(&self, port: Port) -> Option<u32> {
        let at = self.domain.wiring.routers[self.router];
        let signals = self.domain.signals.as_deref()?;
        let known = PLAIN && !self.domain.awaits && u32::from(port) < at.ports;
        known.then(|| signals.counted(at.first_port + u32::from(port)))?
    }

    /// Flits that have left for some of a port's virtual channels and are not known to have gone on.
    #[inline(always)]
    fn occupied(&self, port: Port, vcs: VcSet) -> u32 {
        if AFTERWARDS
            && vcs == VcSet::EVERY
            && let Some(counted) = self.counted(port)
        {
            return counted;
        }
        match !PLAIN && self.domain.queues_outputs() {
            true => self.sum(port, vcs, |number, out| {
                Self::sent(out) + self.waiting(number)
            }),
            // Mostly all are asked for, or one.
            false if vcs == VcSet::EVERY => self.sent_on_all(port),
            false if vcs.0.is_power_of_two() => self.sent_on_one(port, vcs),
            false => self.sum(port, vcs, |_, out| Self::sent(out)),
        }
    }

    /// The same for one of them.
    #[inline(always)]
    fn occupied_one(&self, port: Port, vcs: VcSet) -> u32 {
        match !PLAIN && self.domain.queues_outputs() {
            true => self.occupied(port, vcs),
            false => self.sent_on_one(port, vcs),
        }
    }
}

impl<const ONE_WORD: bool, const PLAIN: bool, const AFTERWARDS: bool> Congestion
    for View<'_, ONE_WORD, PLAIN, AFTERWARDS>
{
    fn unacknowledged(&self, port: Port, vcs: VcSet) -> u32 {
        self.sum(port, vcs, |_, out| Self::sent(out))
    }

    fn queued(&self, port: Port, vcs: VcSet) -> u32 {
        match self.domain.queues_outputs() {
            true => self.sum(port, vcs, |number, _| self.waiting(number)),
            false => 0,
        }
    }

    fn capacity(&self, port: Port) -> u32 {
        // They are all alike.
        let first = (u32::from(port) << self.domain.wiring.shift) as usize;
        let first = self.domain.state.storage.outs(self.router).get(first);
        let depth = first.map_or(0, |out| u32::from(out.depth));
        depth * u32::from(self.domain.model.virtual_channels)
    }

    fn awaiting(&self, port: Port) -> u32 {
        let port = u32::from(port);
        match port < self.domain.wiring.routers[self.router].ports {
            true => self.domain.state.storage.port(self.router, port).awaiting,
            false => 0,
        }
    }

    fn memory(&self) -> &[u32] {
        let signals = self.domain.signals.as_deref();
        signals.map_or(&[], |signals| signals.memory_of(self.router))
    }

    fn sent_within(&self, port: Port, vcs: VcSet, cycles: u32) -> u32 {
        let at = self.domain.wiring.routers[self.router];
        let now = self.domain.now + u64::from(AFTERWARDS);
        let within = |out: u32, _: &OutVc| match self.domain.signals.as_deref() {
            Some(signals) if out < at.lanes => {
                let out = at.first_lane + out;
                signals.credit_times.within(out, cycles, now)
            }
            _ => 0,
        };
        self.sum(port, vcs, within)
    }

    fn occupancy(&self, port: Port, vcs: VcSet) -> u32 {
        self.occupied(port, vcs)
    }

    fn occupancies(&self, port: Port, vcs: VcSet, flits: &mut [u32]) {
        let mut rest = vcs.0;
        for flits in flits {
            let one = rest & rest.wrapping_neg();
            rest ^= one;
            if one == 0 {
                return;
            }
            *flits = self.occupied_one(port, VcSet(one));
        }
    }

    fn backlog(&self, port: Port, vcs: VcSet) -> u32 {
        self.occupied(port, vcs) + self.awaiting(port)
    }

    fn occupancy_of(&self, port: Port, vcs: VcSet) -> (u32, u32) {
        (self.occupied(port, vcs), self.capacity(port))
    }
}

impl<const ONE_WORD: bool, const PLAIN: bool> Congestion for Marked<'_, ONE_WORD, PLAIN> {
    fn unacknowledged(&self, port: Port, vcs: VcSet) -> u32 {
        self.view.unacknowledged(port, vcs)
    }

    fn queued(&self, port: Port, vcs: VcSet) -> u32 {
        self.view.queued(port, vcs)
    }

    fn capacity(&self, port: Port) -> u32 {
        self.view.capacity(port)
    }

    fn memory(&self) -> &[u32] {
        self.view.memory()
    }

    fn awaiting(&self, port: Port) -> u32 {
        self.view.awaiting(port)
    }

    fn sent_within(&self, port: Port, vcs: VcSet, cycles: u32) -> u32 {
        self.view.sent_within(port, vcs, cycles)
    }

    fn mark(&self) -> Mark {
        self.mark
    }

    fn occupancy(&self, port: Port, vcs: VcSet) -> u32 {
        self.view.occupancy(port, vcs)
    }

    fn occupancies(&self, port: Port, vcs: VcSet, flits: &mut [u32]) {
        self.view.occupancies(port, vcs, flits);
    }

    fn backlog(&self, port: Port, vcs: VcSet) -> u32 {
        self.view.backlog(port, vcs)
    }

    fn occupancy_of(&self, port: Port, vcs: VcSet) -> (u32, u32) {
        self.view.occupancy_of(port, vcs)
    }
}
