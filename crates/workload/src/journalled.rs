//! Workloads of which journals are kept: what agents write of themselves is put onto a shelf.
//!
//! A journal belongs to the rank that a terminal has. Agents write whole turns, so that a page can be kept whenever an agent has done what it
//! was told. The last page is kept when the run lets go of the agent.
//!
//! Complexity: O(1) a note; a page for each rank.

use std::sync::Arc;
use turnwise_application::journal::{Journals, Page};
use turnwise_network::{Agent, Event, Network, Outbox, TerminalId, Workload};

/// Journals, and whose they are.
#[derive(Clone)]
pub struct Kept {
    journals: Arc<Journals>,
    /// By terminal, its rank.
    ranks: Vec<Option<u32>>,
}

impl Kept {
    /// Journals whose ranks are at these terminals.
    pub fn new(journals: Arc<Journals>, network: &Network, terminals: &[TerminalId]) -> Self {
        let mut ranks = vec![None; network.terminal_count()];
        for (rank, terminal) in (0..journals.ranks()).zip(terminals) {
            ranks[terminal.index()] = Some(rank);
        }
        Self { journals, ranks }
    }
}

/// The same workload, of whose ranks journals are kept.
pub fn journalled(workload: Box<dyn Workload>, kept: Kept) -> Box<dyn Workload> {
    Box::new(Journalled { workload, kept })
}

struct Journalled {
    workload: Box<dyn Workload>,
    kept: Kept,
}

impl Workload for Journalled {
    fn agent(&self, at: TerminalId) -> Box<dyn Agent> {
        let agent = self.workload.agent(at);
        match self.kept.ranks[at.index()] {
            None => agent,
            Some(rank) => Box::new(Writer {
                agent,
                rank,
                journals: Arc::clone(&self.kept.journals),
                page: Page::default(),
            }),
        }
    }

    fn longest_packet(&self) -> u16 {
        self.workload.longest_packet()
    }

    fn classes(&self) -> u8 {
        self.workload.classes()
    }

    fn answers(&self) -> &[(u8, u8)] {
        self.workload.answers()
    }

    fn memory_bytes(&self) -> u64 {
        let ranks = self.kept.journals.ranks();
        self.workload.memory_bytes() + Journals::memory_bytes(ranks)
    }
}

/// An agent whose journal is kept.
struct Writer {
    agent: Box<dyn Agent>,
    rank: u32,
    journals: Arc<Journals>,
    page: Page,
}

impl Agent for Writer {
    fn on(&mut self, event: Event, now: u64, out: &mut Outbox) {
        out.journal = Some(std::mem::take(&mut self.page.bytes));
        self.agent.on(event, now, out);
        self.page.bytes = out.journal.take().unwrap_or_default();
        self.page.turned(&self.journals, self.rank);
    }

    fn is_done(&self) -> bool {
        self.agent.is_done()
    }

    fn waits(&self) -> Option<String> {
        self.agent.waits()
    }

    fn takes(&self, class: u8, coming: u32) -> bool {
        self.agent.takes(class, coming)
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        self.page.close(&self.journals, self.rank);
    }
}
