//! The congestion of one router, as an algorithm that decides there sees it.
//!
//! The algorithm cannot name another router: what happens there in the same cycle depends on the order in
//! which routers are visited, and may be simulated by another thread.

use super::super::domain::Domain;
use super::super::outputs::OutputQueues;
use super::super::storage::Storage;
use super::super::wiring::{RouterWiring, Wiring};
use super::Signals;
use turnwise_network::{Congestion, Mark, Port, RouterId, VcSet};

/// What a router sees.
pub(in super::super) struct View<'a, const ONE_WORD: bool> {
    storage: &'a Storage<ONE_WORD>,
    /// The output queues, in routers that have them.
    outputs: Option<&'a OutputQueues>,
    wiring: &'a Wiring,
    router: u32,
    at: RouterWiring,
    /// The virtual channels of a port, as bits.
    all_vcs: u32,
    signals: Option<&'a Signals<'a>>,
    /// The cycle in which it is looked at.
    now: u64,
}

/// What a router sees when it looks at a packet that something is written on.
struct Marked<'a, const ONE_WORD: bool> {
    view: View<'a, ONE_WORD>,
    mark: Mark,
}

impl<const ONE_WORD: bool, const PLAIN: bool> Domain<'_, ONE_WORD, PLAIN> {
    /// What a router sees now.
    #[inline(always)]
    pub(in super::super) fn view(&self, router: u32) -> View<'_, ONE_WORD> {
        View {
            storage: &self.state.storage,
            outputs: self.queues_outputs().then_some(&self.state.outputs),
            wiring: self.wiring,
            router,
            at: self.wiring.routers[router],
            all_vcs: self.all_vcs,
            signals: self.signals.as_deref(),
            now: self.now,
        }
    }

    /// What a router sees when a cycle is over: what it would in the next one, before anything comes.
    pub(super) fn view_afterwards(&self, router: u32) -> View<'_, ONE_WORD> {
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

impl<const ONE_WORD: bool> View<'_, ONE_WORD> {
    /// Those of a port's virtual channels that there are, by their numbers at the router.
    #[inline(always)]
    fn outs(&self, port: Port, vcs: VcSet) -> impl Iterator<Item = u32> + use<ONE_WORD> {
        let first = u32::from(port) << self.wiring.shift;
        let mut rest = match u32::from(port) < self.at.ports {
            true => vcs.0 & self.all_vcs,
            false => 0,
        };
        std::iter::from_fn(move || {
            let vc = (rest != 0).then(|| rest.trailing_zeros())?;
            rest &= rest - 1;
            Some(first + vc)
        })
    }

    /// Flits without a credit yet.
    #[inline(always)]
    fn sent(&self, out: u32) -> u32 {
        let out = self.storage.out(self.router, out);
        u32::from(out.depth - out.credits)
    }

    /// Flits in an output queue.
    #[inline(always)]
    fn waiting(&self, out: u32) -> u32 {
        let first = self.at.first_lane;
        self.outputs
            .map_or(0, |outputs| outputs.queued(first + out))
    }
}

impl<const ONE_WORD: bool> Congestion for View<'_, ONE_WORD> {
    fn unacknowledged(&self, port: Port, vcs: VcSet) -> u32 {
        self.outs(port, vcs).map(|out| self.sent(out)).sum()
    }

    fn queued(&self, port: Port, vcs: VcSet) -> u32 {
        match self.outputs {
            Some(_) => self.outs(port, vcs).map(|out| self.waiting(out)).sum(),
            None => 0,
        }
    }

    fn capacity(&self, port: Port) -> u32 {
        let depth = |out| u32::from(self.storage.out(self.router, out).depth);
        self.outs(port, VcSet::EVERY).map(depth).sum()
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
        let Some(signals) = self.signals else {
            return 0;
        };
        let first = self.at.first_lane;
        let within = |out| signals.credit_times.within(first + out, cycles, self.now);
        self.outs(port, vcs).map(within).sum()
    }

    fn occupancy(&self, port: Port, vcs: VcSet) -> u32 {
        let both = |out| self.sent(out) + self.waiting(out);
        self.outs(port, vcs).map(both).sum()
    }
}

impl<const ONE_WORD: bool> Congestion for Marked<'_, ONE_WORD> {
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
}
