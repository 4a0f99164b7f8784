//! What terminals do in a cycle, whatever kind they are of.

use super::super::domain::Domain;
use super::super::wiring::NOWHERE;
use super::Demand;

impl<const ONE_WORD: bool, const PLAIN: bool> Domain<'_, ONE_WORD, PLAIN> {
    /// Before the first cycle.
    pub(in super::super) fn start_terminals(&mut self) {
        match self.setup.demand {
            Demand::Open(_) => self.start_sources(),
            Demand::Closed(workload) => self.start_agents(workload),
        }
    }

    /// What terminals do in a cycle.
    #[inline(always)]
    pub(in super::super) fn run_terminals(&mut self) {
        if self.agents.is_some() {
            self.run_agents();
            self.send_messages();
        } else {
            self.wake_sources();
            if !PLAIN && let Some(mut queues) = self.vc_queues.take() {
                self.inject_from(&mut queues);
                self.vc_queues = Some(queues);
            } else {
                self.inject();
            }
        }
    }

    /// Terminals take up the credits that come to them.
    #[inline(always)]
    pub(in super::super) fn receive_terminal_credits(&mut self) {
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
        let is_held = match &self.vc_queues {
            Some(queues) => queues.holds(terminal, vc),
            None => source.slot != NOWHERE && u32::from(source.vc) == vc,
        };
        if !is_held {
            source.channel.free |= 1 << vc;
        }
    }
}
