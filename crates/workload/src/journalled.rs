//! Workloads of which journals are kept: what agents write of themselves is put onto a shelf.
//!
//! A journal belongs to a rank, of which a terminal may have several. Agents write whole turns, so that a page can be kept whenever an agent has done what it
//! was told. The last page is kept when the run lets go of the agent.
//!
//! Complexity: O(1) a note; a page for each rank.

use crate::residents::Residents;
use std::sync::Arc;
use turnwise_application::journal::{Journals, Page};
use turnwise_network::{Agent, Event, Foreseen, Network, Outbox, TerminalId, Workload};

/// Journals, and whose they are.
#[derive(Clone)]
pub struct Kept {
    journals: Arc<Journals>,
    /// Of all programs together.
    residents: Residents,
}

impl Kept {
    /// Journals whose ranks are at these terminals.
    pub fn new(journals: Arc<Journals>, network: &Network, terminals: &[TerminalId]) -> Self {
        let ranks = terminals.len().min(journals.ranks() as usize);
        let residents = Residents::new(network, &terminals[..ranks]);
        Self {
            journals,
            residents,
        }
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
        let ranks = self.kept.residents.at(at);
        if ranks.is_empty() {
            return agent;
        }
        Box::new(Writer {
            agent,
            journals: Arc::clone(&self.kept.journals),
            ranks: ranks.to_vec(),
            pages: vec![Page::default(); ranks.len()],
            open: Vec::new(),
        })
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

    fn foreseen(&self, at: TerminalId, most: usize) -> Option<Foreseen> {
        self.workload.foreseen(at, most)
    }

    fn memory_bytes(&self) -> u64 {
        let ranks = self.kept.journals.ranks();
        self.workload.memory_bytes() + Journals::memory_bytes(ranks)
    }
}

/// An agent whose journals are kept.
struct Writer {
    agent: Box<dyn Agent>,
    journals: Arc<Journals>,
    /// Of the terminal.
    ranks: Vec<u32>,
    /// Of these ranks.
    pages: Vec<Page>,
    /// What is written in pages while the agent has them.
    open: Vec<Vec<u8>>,
}

impl Agent for Writer {
    fn on(&mut self, event: Event, now: u64, out: &mut Outbox) {
        let notes = self.pages.iter_mut();
        self.open
            .extend(notes.map(|page| std::mem::take(&mut page.bytes)));
        std::mem::swap(&mut self.open, &mut out.journals);
        self.agent.on(event, now, out);
        std::mem::swap(&mut self.open, &mut out.journals);
        let written = self.open.drain(..).zip(&mut self.pages);
        for ((bytes, page), &rank) in written.zip(&self.ranks) {
            page.bytes = bytes;
            page.turned(&self.journals, rank);
        }
    }

    fn is_done(&self) -> bool {
        self.agent.is_done()
    }

    fn failure(&self) -> Option<String> {
        self.agent.failure()
    }

    fn waits(&self) -> Vec<String> {
        self.agent.waits()
    }

    fn takes(&self, class: u8, coming: u32) -> bool {
        self.agent.takes(class, coming)
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        for (page, &rank) in self.pages.iter_mut().zip(&self.ranks) {
            page.close(&self.journals, rank);
        }
    }
}
