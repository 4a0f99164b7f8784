//! The congestion of one router, as an algorithm that decides there sees it.
//!
//! The algorithm cannot name another router: what happens there in the same cycle depends on the order in
//! which routers are visited, and may be simulated by another thread.

use super::super::block::OutVc;
use super::super::domain::Domain;
use super::super::outputs::OutputQueues;
use super::super::wiring::RouterWiring;
use super::Signals;
use turnwise_network::{Congestion, Mark, Port, RouterId, VcSet};

/// What a router sees.
pub(in super::super) struct View<'a> {
    /// Its output virtual channels, and where those of each port begin.
    outs: &'a [OutVc],
    shift: u32,
    /// The virtual channels of a port, as bits.
    all_vcs: u32,
    /// The output queues, in routers that have them.
    outputs: Option<&'a OutputQueues>,
    router: u32,
    at: RouterWiring,
    signals: Option<&'a Signals<'a>>,
    /// The cycle in which it is looked at.
    now: u64,
}

/// What a router sees when it looks at a packet that something is written on.
struct Marked<'a> {
    view: View<'a>,
    mark: Mark,
}

impl<const ONE_WORD: bool, const PLAIN: bool> Domain<'_, ONE_WORD, PLAIN> {
    /// What a router sees now.
    #[inline(always)]
    pub(in super::super) fn view(&self, router: u32) -> View<'_> {
        View {
            outs: self.state.storage.outs(router),
            shift: self.wiring.shift,
            all_vcs: self.all_vcs,
            outputs: self.queues_outputs().then_some(&self.state.outputs),
            router,
            at: self.wiring.routers[router],
            signals: self.signals.as_deref(),
            now: self.now,
        }
    }

    /// What a router sees when a cycle is over: what it would in the next one, before anything comes.
    pub(super) fn view_afterwards(&self, router: u32) -> View<'_> {
        View {
            now: self.now + 1,
            ..self.view(router)
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

impl View<'_> {
    /// The sum over those of a port's virtual channels that there are, with their numbers at the router.
    #[inline(always)]
    fn sum(&self, port: Port, vcs: VcSet, of: impl Fn(u32, &OutVc) -> u32) -> u32 {
        let first = u32::from(port) << self.shift;
        let range = first as usize..(first + self.all_vcs.trailing_ones()) as usize;
        let outs = self.outs.get(range).unwrap_or_default();
        let mut rest = vcs.0 & self.all_vcs;
        // Mostly all are asked for.
        if rest == self.all_vcs {
            return outs.iter().zip(first..).map(|(out, n)| of(n, out)).sum();
        }
        let mut sum = 0;
        while rest != 0 {
            let vc = rest.trailing_zeros();
            sum += outs.get(vc as usize).map_or(0, |out| of(first + vc, out));
            rest &= rest - 1;
        }
        sum
    }

    /// Flits without a credit yet.
    #[inline(always)]
    fn sent(out: &OutVc) -> u32 {
        u32::from(out.depth - out.credits)
    }

    /// Flits in an output queue.
    #[inline(always)]
    fn waiting(&self, out: u32) -> u32 {
        match self.outputs {
            Some(outputs) if out < self.at.lanes => outputs.queued(self.at.first_lane + out),
            _ => 0,
        }
    }
}

impl Congestion for View<'_> {
    fn unacknowledged(&self, port: Port, vcs: VcSet) -> u32 {
        self.sum(port, vcs, |_, out| Self::sent(out))
    }

    fn queued(&self, port: Port, vcs: VcSet) -> u32 {
        match self.outputs {
            Some(_) => self.sum(port, vcs, |number, _| self.waiting(number)),
            None => 0,
        }
    }

    fn capacity(&self, port: Port) -> u32 {
        self.sum(port, VcSet::EVERY, |_, out| out.depth.into())
    }

    fn awaiting(&self, port: Port) -> u32 {
        if u32::from(port) >= self.at.ports {
            return 0;
        }
        let index = (self.at.first_port + u32::from(port)) as usize;
        let counted = self.signals.and_then(|signals| signals.awaiting.get(index));
        counted.copied().unwrap_or(0)
    }

    fn memory(&self) -> &[u32] {
        let signals = self.signals;
        signals.map_or(&[], |signals| signals.memory_of(self.router))
    }

    fn sent_within(&self, port: Port, vcs: VcSet, cycles: u32) -> u32 {
        let at = self.at;
        let within = |out: u32, _: &OutVc| match self.signals {
            Some(signals) if out < at.lanes => {
                let out = at.first_lane + out;
                signals.credit_times.within(out, cycles, self.now)
            }
            _ => 0,
        };
        self.sum(port, vcs, within)
    }

    fn occupancy(&self, port: Port, vcs: VcSet) -> u32 {
        match self.outputs {
            Some(_) => self.sum(port, vcs, |number, out| {
                Self::sent(out) + self.waiting(number)
            }),
            None => self.sum(port, vcs, |_, out| Self::sent(out)),
        }
    }
}

impl Congestion for Marked<'_> {
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
}
