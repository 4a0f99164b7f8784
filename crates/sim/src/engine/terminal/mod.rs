//! Terminals: where packets come from and go to.
//!
//! * `open`: sources that send whatever arrives, from queues that are never stored.
//! * `closed`: agents that answer what arrives; `outlets`: what they have to send; `reception`: terminals that may leave packets waiting in the network.
//! * `launch`: how a packet gets into the network, the same for both. `calendar`: what is due some day.

mod calendar;
mod closed;
mod launch;
mod open;
mod outlets;
mod reception;

pub(super) use closed::Agents;
pub(super) use open::Source;
pub(super) use outlets::Unsent;
pub(super) use reception::Reception;

use super::domain::Domain;
use super::wiring::NOWHERE;
use turnwise_network::{Injector, Workload};

/// What terminals send.
#[derive(Clone, Copy)]
pub enum Demand<'a> {
    /// Packets that do not depend on what arrives.
    Open(&'a dyn Injector),
    /// Messages in answer to what arrives.
    Closed(&'a dyn Workload),
}

impl<'a> Demand<'a> {
    /// Classes of traffic that are measured on their own.
    pub(super) fn classes(self) -> usize {
        match self {
            Self::Open(injector) => injector.class_count(),
            Self::Closed(workload) => workload.classes().into(),
        }
    }

    /// The agents' side of it.
    pub(super) fn workload(self) -> Option<&'a dyn Workload> {
        match self {
            Self::Open(_) => None,
            Self::Closed(workload) => Some(workload),
        }
    }

    /// The longest packet that is ever sent, in flits.
    pub(super) fn longest_packet(self) -> u16 {
        let longest = match self {
            Self::Open(injector) => injector.longest_packet(),
            Self::Closed(workload) => workload.longest_packet(),
        };
        longest.max(1)
    }

    /// May terminals leave packets waiting in the network?
    pub(super) fn may_refuse(self) -> bool {
        self.workload()
            .is_some_and(|workload| !workload.answers().is_empty())
    }
}

impl<const ONE_WORD: bool, const PLAIN: bool> Domain<'_, ONE_WORD, PLAIN> {
    /// Before the first cycle.
    pub(super) fn start_terminals(&mut self) {
        match self.setup.demand {
            Demand::Open(_) => self.start_sources(),
            Demand::Closed(workload) => self.start_agents(workload),
        }
    }

    /// What terminals do in a cycle.
    #[inline(always)]
    pub(super) fn run_terminals(&mut self) {
        if self.agents.is_some() {
            self.run_agents();
            self.send_messages();
        } else {
            self.wake_sources();
            self.inject();
        }
    }

    /// Terminals take up the credits that come to them.
    #[inline(always)]
    pub(super) fn receive_terminal_credits(&mut self) {
        let Some(due) = self.state.terminal_credits.take(self.now) else {
            return;
        };
        for &credit in &due {
            let credits = &mut self.state.injection_credits[credit];
            *credits += 1;
            let credits = u32::from(*credits);
            if !PLAIN && self.model.wait_for_tail_credit {
                self.injection_credited(credit, credits);
            }
        }
        self.state.terminal_credits.recycle(due);
    }

    /// If the buffer behind a virtual channel of an injection channel is empty, the virtual channel is free
    /// again, unless its packet has flits left to send.
    #[inline(never)]
    fn injection_credited(&mut self, credit: u32, credits: u32) {
        let vc = credit & (self.wiring.stride - 1);
        let terminal = credit >> self.wiring.shift;
        if credits != self.wiring.injection_depth(terminal) {
            return;
        }
        if let Some(agents) = &mut self.agents {
            agents.outlets.drained(terminal, vc);
            return;
        }
        let source = &mut self.sources[terminal];
        if source.slot == NOWHERE || u32::from(source.vc) != vc {
            source.channel.free |= 1 << vc;
        }
    }
}
