//! What the domains of this process send to those of others, and get from them, as bytes.
//!
//! Between any two processes goes one message a round: what is left over there and when anything is due, and for every two
//! domains the length of an outbox and the outbox. Each domain packs and opens its own; one of them has the message sent.

use super::outbox::Outbox;
use super::outlook::Outlook;
use super::partition::Partition;
use crate::processes::{Processes, pack, unpacked};
use std::sync::{Mutex, PoisonError, RwLock};

/// Bytes of a length, and of an outlook.
const LENGTH: usize = size_of::<u32>();
const OUTLOOK: usize = size_of::<i64>() + size_of::<u64>();

/// The other processes.
pub(super) struct Abroad<'a> {
    processes: &'a dyn Processes,
    partition: &'a Partition,
    /// By domain of this process and by process: outboxes for that process.
    packed: Vec<Mutex<Vec<u8>>>,
    /// By process, what has come from there in this round.
    incoming: RwLock<Vec<Vec<u8>>>,
    /// Of other processes.
    outlook: Mutex<Outlook>,
}

impl<'a> Abroad<'a> {
    pub(super) fn new(processes: &'a dyn Processes, partition: &'a Partition) -> Self {
        let count = processes.count();
        let boxes = partition.of_process * count;
        Self {
            processes,
            partition,
            packed: std::iter::repeat_with(Mutex::default).take(boxes).collect(),
            incoming: RwLock::new(vec![Vec::new(); count]),
            outlook: Mutex::new(Outlook::NOTHING),
        }
    }

    /// Empties the outboxes for other processes; `me` is one of this process's domains, from 0 on.
    pub(super) fn pack(&self, me: usize, outboxes: &mut [Outbox]) {
        for process in self.processes.others() {
            let mut bytes = lock(&self.packed[me * self.processes.count() + process]);
            bytes.clear();
            for outbox in &mut outboxes[self.partition.of(process)] {
                let at = bytes.len();
                bytes.extend([0; LENGTH]);
                if !outbox.is_empty() {
                    pack(outbox, &mut bytes);
                    outbox.clear();
                }
                let length = (bytes.len() - at - LENGTH) as u32;
                bytes[at..at + LENGTH].copy_from_slice(&length.to_le_bytes());
            }
        }
    }

    /// Sends what all domains of this process have packed, whose outlook is this, and gets what others have.
    pub(super) fn exchange(&self, here: Outlook) {
        let count = self.processes.count();
        let mut outgoing = vec![Vec::new(); count];
        for process in self.processes.others() {
            let message = &mut outgoing[process];
            message.extend(here.left_over.to_le_bytes());
            message.extend(here.due.to_le_bytes());
            for domain in 0..self.partition.of_process {
                message.extend_from_slice(&lock(&self.packed[domain * count + process]));
            }
        }
        let mut incoming = self
            .incoming
            .write()
            .unwrap_or_else(PoisonError::into_inner);
        self.processes.exchange(&outgoing, &mut incoming);
        let others = self.processes.others().map(|process| {
            let (left_over, rest) = incoming[process].split_first_chunk()?;
            Some(Outlook {
                left_over: i64::from_le_bytes(*left_over),
                due: u64::from_le_bytes(*rest.first_chunk()?),
            })
        });
        *lock(&self.outlook) = others.flatten().fold(Outlook::NOTHING, Outlook::and);
    }

    /// That of other processes.
    pub(super) fn outlook(&self) -> Outlook {
        *lock(&self.outlook)
    }

    /// Has every outbox opened that has come for a domain, which is one of this process's.
    pub(super) fn unpack(&self, domain: usize, mut open: impl FnMut(&mut Outbox)) {
        let incoming = self.incoming.read().unwrap_or_else(PoisonError::into_inner);
        for process in self.processes.others() {
            let mut rest = incoming[process].get(OUTLOOK..).unwrap_or_default();
            for _ in 0..self.partition.of_process {
                for to in self.partition.of(self.processes.rank()) {
                    let Some((length, bytes)) = rest.split_first_chunk::<LENGTH>() else {
                        break;
                    };
                    let length = u32::from_le_bytes(*length) as usize;
                    let (mut outbox, others) = bytes.split_at(length);
                    if to == domain && length > 0 {
                        open(&mut unpacked(&mut outbox));
                    }
                    rest = others;
                }
            }
        }
    }
}

/// Domains and whoever sends take turns.
fn lock<T>(shared: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}
